// dual: a number together with N directional derivatives (forward differentiation).
//
// One evaluation of a formula on dual<R, N> gives its value and the product of its Jacobian with N directions, exact to rounding.
// N = 4 with the compiler's vector extension costs about as much as four difference quotients.
#ifndef IVP_SCALAR_DUAL_HPP
#define IVP_SCALAR_DUAL_HPP

#include <ivp/scalar/value_of.hpp>

#include <array>
#include <cmath>
#include <type_traits>

// NOTE: how a vector of 32 bytes is passed depends on the instruction set a file is compiled for. The name of the namespace keeps code
// for different instruction sets apart (a program and the installed library), which the linker would otherwise mix.
#ifdef __AVX__
#define IVP_VECTOR_ABI avx
#else
#define IVP_VECTOR_ABI sse
#endif

namespace ivp {

inline namespace IVP_VECTOR_ABI {

namespace detail {

/// N numbers with elementwise arithmetic: the derivative part of a dual number.
template <class R, int N>
struct pack {
    std::array<R, N> x{};

    /// 1 at place i, else 0
    static pack unit(int i)
    {
        pack p;
        p[i] = R(1);
        return p;
    }
    R& operator[](int i) { return x[static_cast<std::size_t>(i)]; }
    const R& operator[](int i) const { return x[static_cast<std::size_t>(i)]; }

    friend pack operator+(pack a, const pack& b)
    {
        for (int i = 0; i < N; ++i) a[i] = a[i] + b[i];
        return a;
    }
    friend pack operator-(pack a, const pack& b)
    {
        for (int i = 0; i < N; ++i) a[i] = a[i] - b[i];
        return a;
    }
    friend pack operator*(pack a, const R& s)
    {
        for (int i = 0; i < N; ++i) a[i] = a[i] * s;
        return a;
    }
    friend pack operator-(pack a)
    {
        for (int i = 0; i < N; ++i) a[i] = -a[i];
        return a;
    }
};

using double4 = double __attribute__((vector_size(32)));

/// The case that matters for speed: four doubles in one vector register.
template <>
struct pack<double, 4> {
    double4 x{};

    // NOTE: made as a whole: a number written into a vector in memory delays the next reading of the vector.
    static pack unit(int i) { return {double4{i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0, i == 3 ? 1.0 : 0.0}}; }

    struct reference {
        double4& x;
        int i;
        reference& operator=(double v)
        {
            x[i] = v;
            return *this;
        }
        operator double() const { return x[i]; } // NOLINT(google-explicit-constructor)
    };
    reference operator[](int i) { return {x, i}; }
    double operator[](int i) const { return x[i]; }

    friend pack operator+(const pack& a, const pack& b) { return {a.x + b.x}; }
    friend pack operator-(const pack& a, const pack& b) { return {a.x - b.x}; }
    friend pack operator*(const pack& a, double s) { return {a.x * s}; }
    friend pack operator-(const pack& a) { return {-a.x}; }
};

} // namespace detail

template <class A, class R>
concept constant_for = std::is_convertible_v<A, R>;

template <class R, int N>
struct dual {
    using real = R;
    static constexpr int width = N;

    R v{};
    detail::pack<R, N> d{};

    dual() = default;
    template <class A, class = std::enable_if_t<std::is_convertible_v<A, R>>>
    dual(const A& a) : v(a) // NOLINT(google-explicit-constructor): a constant has no derivative
    {}
    dual(const R& value, const detail::pack<R, N>& derivative) : v(value), d(derivative) {}

    friend dual operator+(const dual& a, const dual& b) { return {a.v + b.v, a.d + b.d}; }
    friend dual operator-(const dual& a, const dual& b) { return {a.v - b.v, a.d - b.d}; }
    friend dual operator*(const dual& a, const dual& b) { return {a.v * b.v, a.d * b.v + b.d * a.v}; }
    friend dual operator/(const dual& a, const dual& b)
    {
        const R q = a.v / b.v;
        return {q, (a.d - b.d * q) * (R(1) / b.v)};
    }
    // NOTE: templates, so that an int or double constant matches exactly and never competes with the conversion to dual.
    template <constant_for<R> A>
    friend dual operator+(const dual& a, const A& b)
    {
        return {a.v + R(b), a.d};
    }
    template <constant_for<R> A>
    friend dual operator-(const dual& a, const A& b)
    {
        return {a.v - R(b), a.d};
    }
    template <constant_for<R> A>
    friend dual operator*(const dual& a, const A& b)
    {
        return {a.v * R(b), a.d * R(b)};
    }
    template <constant_for<R> A>
    friend dual operator/(const dual& a, const A& b)
    {
        return {a.v / R(b), a.d * (R(1) / R(b))};
    }
    template <constant_for<R> A>
    friend dual operator+(const A& a, const dual& b)
    {
        return {R(a) + b.v, b.d};
    }
    template <constant_for<R> A>
    friend dual operator-(const A& a, const dual& b)
    {
        return {R(a) - b.v, -b.d};
    }
    template <constant_for<R> A>
    friend dual operator*(const A& a, const dual& b)
    {
        return {R(a) * b.v, b.d * R(a)};
    }
    template <constant_for<R> A>
    friend dual operator/(const A& a, const dual& b)
    {
        const R q = R(a) / b.v;
        return {q, b.d * (-q / b.v)};
    }
    friend dual operator-(const dual& a) { return {-a.v, -a.d}; }
    friend dual operator+(const dual& a) { return a; }
    dual& operator+=(const dual& b) { return *this = *this + b; }
    dual& operator-=(const dual& b) { return *this = *this - b; }
    dual& operator*=(const dual& b) { return *this = *this * b; }
    dual& operator/=(const dual& b) { return *this = *this / b; }

    friend bool operator==(const dual& a, const dual& b) { return a.v == b.v; }
    friend bool operator<(const dual& a, const dual& b) { return a.v < b.v; }
    friend bool operator>(const dual& a, const dual& b) { return a.v > b.v; }
    friend bool operator<=(const dual& a, const dual& b) { return a.v <= b.v; }
    friend bool operator>=(const dual& a, const dual& b) { return a.v >= b.v; }

    /// value f(a) with derivative f'(a): the chain rule, used by every function below.
    static dual chain(const R& value, const R& slope, const dual& a) { return {value, a.d * slope}; }
};

#define IVP_DUAL_FUNCTION(name, slope)                                                  \
    template <class R, int N>                                                           \
    dual<R, N> name(const dual<R, N>& a)                                                \
    {                                                                                   \
        using std::name, std::sqrt, std::log, std::cos, std::sin, std::sinh, std::cosh; \
        const R x = a.v;                                                                \
        const R y = name(x);                                                            \
        return dual<R, N>::chain(y, slope, a);                                          \
    }

IVP_DUAL_FUNCTION(exp, y)
IVP_DUAL_FUNCTION(log, R(1) / x)
IVP_DUAL_FUNCTION(sqrt, R(1) / (R(2) * y))
IVP_DUAL_FUNCTION(sin, cos(x))
IVP_DUAL_FUNCTION(cos, -sin(x))
IVP_DUAL_FUNCTION(tan, R(1) + y * y)
IVP_DUAL_FUNCTION(asin, R(1) / sqrt(R(1) - x * x))
IVP_DUAL_FUNCTION(acos, R(-1) / sqrt(R(1) - x * x))
IVP_DUAL_FUNCTION(atan, R(1) / (R(1) + x * x))
IVP_DUAL_FUNCTION(sinh, cosh(x))
IVP_DUAL_FUNCTION(cosh, sinh(x))
IVP_DUAL_FUNCTION(tanh, R(1) - y * y)
IVP_DUAL_FUNCTION(log10, R(1) / (x * log(R(10))))
#undef IVP_DUAL_FUNCTION

template <class R, int N>
dual<R, N> abs(const dual<R, N>& a)
{
    return a.v < R(0) ? -a : a;
}
template <class R, int N>
dual<R, N> fabs(const dual<R, N>& a)
{
    return abs(a);
}

template <class R, int N>
dual<R, N> atan2(const dual<R, N>& a, const dual<R, N>& b)
{
    using std::atan2;
    const R s = R(1) / (a.v * a.v + b.v * b.v);
    return {atan2(a.v, b.v), a.d * (b.v * s) - b.d * (a.v * s)};
}

/// a^e for a constant exponent; the derivative at a = 0 is that of the power, not NaN.
template <class R, int N, constant_for<R> E>
dual<R, N> pow(const dual<R, N>& a, const E& e)
{
    using std::pow;
    const R exponent(e);
    if (exponent == R(0)) return {R(1), {}};
    return dual<R, N>::chain(pow(a.v, exponent), exponent * pow(a.v, exponent - R(1)), a);
}

template <class R, int N>
dual<R, N> pow(const dual<R, N>& a, const dual<R, N>& e)
{
    using std::pow, std::log;
    const R y = pow(a.v, e.v);
    return {y, a.d * (e.v * pow(a.v, e.v - R(1))) + e.d * (y * log(a.v))};
}

template <class R, int N>
auto value_of(const dual<R, N>& a)
{
    using ivp::value_of; // of a double; the other precisions are found by their namespace
    return value_of(a.v);
}

} // namespace IVP_VECTOR_ABI

} // namespace ivp

#endif
