// What a right-hand side can be evaluated in: double, quadruple precision, dual numbers, a tracer of dependences; and decimal constants.
#ifndef IVP_SCALAR_HPP
#define IVP_SCALAR_HPP

#include <ivp/pack.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// value_of: the number behind any scalar, for decisions (which branch, which period) that have no derivative. Each scalar adds its own.

namespace ivp {

inline double value_of(double a) { return a; }

} // namespace ivp

// quad: IEEE binary128 as an ordinary number type.
//
// The built-in __float128 has no std:: mathematics, no numeric_limits and no argument-dependent lookup, so a formula written once
// over a scalar type cannot use it. This one-member wrapper supplies the three.

// NOTE: declared here, not taken from <quadmath.h>: clang does not find that header, but links the library.
extern "C" {
__float128 sqrtq(__float128);
__float128 expq(__float128);
__float128 logq(__float128);
__float128 log10q(__float128);
__float128 sinq(__float128);
__float128 cosq(__float128);
__float128 tanq(__float128);
__float128 asinq(__float128);
__float128 acosq(__float128);
__float128 atanq(__float128);
__float128 atan2q(__float128, __float128);
__float128 sinhq(__float128);
__float128 coshq(__float128);
__float128 tanhq(__float128);
__float128 powq(__float128, __float128);
__float128 floorq(__float128);
__float128 fabsq(__float128);
}

namespace ivp {

struct quad {
    __float128 v;

    quad() = default;
    template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>>
    constexpr quad(A a) : v(a)
    {} // NOLINT(google-explicit-constructor): widening is exact
    constexpr explicit quad(__float128 a, int /*exact*/) : v(a) {}

    constexpr explicit operator double() const { return static_cast<double>(v); }

    friend constexpr quad operator+(quad a, quad b) { return wrap(a.v + b.v); }
    friend constexpr quad operator-(quad a, quad b) { return wrap(a.v - b.v); }
    friend constexpr quad operator*(quad a, quad b) { return wrap(a.v * b.v); }
    friend constexpr quad operator/(quad a, quad b) { return wrap(a.v / b.v); }
    friend constexpr quad operator-(quad a) { return wrap(-a.v); }
    friend constexpr quad operator+(quad a) { return a; }
    friend constexpr bool operator==(quad a, quad b) { return a.v == b.v; }
    friend constexpr bool operator<(quad a, quad b) { return a.v < b.v; }
    friend constexpr bool operator>(quad a, quad b) { return a.v > b.v; }
    friend constexpr bool operator<=(quad a, quad b) { return a.v <= b.v; }
    friend constexpr bool operator>=(quad a, quad b) { return a.v >= b.v; }
    constexpr quad& operator+=(quad b) { return *this = *this + b; }
    constexpr quad& operator-=(quad b) { return *this = *this - b; }
    constexpr quad& operator*=(quad b) { return *this = *this * b; }
    constexpr quad& operator/=(quad b) { return *this = *this / b; }

    static constexpr quad wrap(__float128 a) { return quad(a, 0); }
};

inline quad sqrt(quad a) { return quad::wrap(sqrtq(a.v)); }
inline quad exp(quad a) { return quad::wrap(expq(a.v)); }
inline quad log(quad a) { return quad::wrap(logq(a.v)); }
inline quad log10(quad a) { return quad::wrap(log10q(a.v)); }
inline quad sin(quad a) { return quad::wrap(sinq(a.v)); }
inline quad cos(quad a) { return quad::wrap(cosq(a.v)); }
inline quad tan(quad a) { return quad::wrap(tanq(a.v)); }
inline quad asin(quad a) { return quad::wrap(asinq(a.v)); }
inline quad acos(quad a) { return quad::wrap(acosq(a.v)); }
inline quad atan(quad a) { return quad::wrap(atanq(a.v)); }
inline quad atan2(quad a, quad b) { return quad::wrap(atan2q(a.v, b.v)); }
inline quad sinh(quad a) { return quad::wrap(sinhq(a.v)); }
inline quad cosh(quad a) { return quad::wrap(coshq(a.v)); }
inline quad tanh(quad a) { return quad::wrap(tanhq(a.v)); }
inline quad pow(quad a, quad b) { return quad::wrap(powq(a.v, b.v)); }
inline quad floor(quad a) { return quad::wrap(floorq(a.v)); }
inline quad abs(quad a) { return quad::wrap(fabsq(a.v)); }
inline quad fabs(quad a) { return abs(a); }
inline bool isfinite(quad a) { return a - a == quad(0); }
inline double value_of(quad a) { return static_cast<double>(a); }

/// The nearest quad to a decimal number ("321.8122", "1e-6"); the text must be a number (see parse_real for user input).
quad quad_from_text(std::string_view text);

/// Decimal text with the given number of significant digits (36 reproduce the value).
std::string to_text(quad a, int digits = 36);

} // namespace ivp

template <>
struct std::numeric_limits<ivp::quad> {
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_exact = false;
    static constexpr bool has_infinity = true;
    static constexpr bool has_quiet_NaN = true;
    static constexpr int digits = 113;
    static constexpr int digits10 = 33;
    static constexpr int max_digits10 = 36;
    static constexpr int radix = 2;
    // 2^-112, written as a product of exact powers of two.
    static constexpr ivp::quad epsilon() { return ivp::quad(0x1p-56) * ivp::quad(0x1p-56); }
    static constexpr ivp::quad infinity() { return {std::numeric_limits<double>::infinity()}; }
    static constexpr ivp::quad quiet_NaN() { return {std::numeric_limits<double>::quiet_NaN()}; }
};

// decimal: a constant of a problem as it was published, so that every precision reads the same number.
//
// 321.8122 is not a double. A problem stores the text; double and quad each take their nearest value of it.

namespace ivp {

/// Reads a real number, independent of the locale: "0.1", "1e-4", and Fortran's "1d-4". The whole text must be a finite number.
std::optional<double> parse_real(std::string_view text);

/// Shortest text that reads back as the same double, independent of the locale.
std::string to_text(double value);

class decimal {
public:
    decimal() : decimal("0") {}
    decimal(const char* text) : decimal(std::string(text)) {}           // NOLINT(google-explicit-constructor)
    explicit decimal(const std::string& text);                          ///< throws std::invalid_argument if it is not a number
    decimal(double value) : value_(value), text_(to_text(value)) {}     // NOLINT(google-explicit-constructor)
    decimal(int value) : value_(value), text_(std::to_string(value)) {} // NOLINT(google-explicit-constructor)

    [[nodiscard]] double value() const { return value_; }
    [[nodiscard]] const std::string& text() const { return text_; }

    /// The nearest number of type R (double or quad).
    template <class R>
    [[nodiscard]] R in() const;

private:
    double value_;
    std::string text_;
};

template <>
inline double decimal::in<double>() const
{
    return value_;
}
template <>
inline quad decimal::in<quad>() const
{
    return quad_from_text(text_);
}

} // namespace ivp

// dual: a number together with N directional derivatives (forward differentiation).
//
// One evaluation of a formula on dual<R, N> gives its value and the product of its Jacobian with N directions, exact to rounding.
// N = 4 with the compiler's vector extension costs about as much as four difference quotients.

namespace ivp {

// NOTE: how a pack is passed depends on the instruction set: the namespace is that of packs.
inline namespace IVP_SIMD_SET {

template <class A, class R>
concept constant_for = std::is_convertible_v<A, R>;

template <class R, int N>
struct dual {
    using real = R;
    static constexpr int width = N;

    R v{};
    simd::pack<R, N> d{};

    dual() = default;
    template <class A, class = std::enable_if_t<std::is_convertible_v<A, R>>>
    dual(const A& a) : v(a) // NOLINT(google-explicit-constructor): a constant has no derivative
    {}
    dual(const R& value, const simd::pack<R, N>& derivative) : v(value), d(derivative) {}

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

} // namespace IVP_SIMD_SET

// tracer: a number that remembers which inputs it was computed from (sparsity of a Jacobian).
//
// The dependence is structural (0 * y depends on y). A branch is followed by value, so that entries that only the other branch would have are
// not seen, unless a branch_explorer is at work: it sends the formula through every combination of its branches, one run after the other.

/// While one exists, it decides the comparisons of traced numbers in this thread:
///   branch_explorer paths(limit);
///   do { evaluate the formula } while (paths.next());
///   if (paths.complete()) the evaluations went through all branches
class branch_explorer {
public:
    explicit branch_explorer(int most_runs) : left_(most_runs) { active() = this; }
    ~branch_explorer() { active() = nullptr; }
    branch_explorer(const branch_explorer&) = delete;
    branch_explorer& operator=(const branch_explorer&) = delete;

    static branch_explorer*& active()
    {
        static thread_local branch_explorer* current = nullptr;
        return current;
    }

    /// The next comparison in this run; by_value is how the numbers decide it.
    bool decide(bool by_value)
    {
        if (at_ == taken_.size()) taken_.push_back({by_value, false});
        return taken_[at_++].answer;
    }
    /// The formula has read the plain number and may decide by it; such decisions cannot be seen here.
    void lose_track() { followed_ = false; }

    /// Prepares the run with the last open decision taken the other way; false if there is none, or too much was tried.
    bool next()
    {
        at_ = 0;
        while (!taken_.empty() && taken_.back().both_seen) taken_.pop_back();
        if (taken_.empty()) return false;
        if (--left_ < 0) {
            followed_ = false;
            return false;
        }
        taken_.back() = {!taken_.back().answer, true};
        return true;
    }
    [[nodiscard]] bool complete() const { return followed_; }

private:
    struct decision {
        bool answer;
        bool both_seen;
    };
    std::vector<decision> taken_;
    std::size_t at_ = 0;
    int left_;
    bool followed_ = true;
};

/// What traces or records a formula is done once for a problem, and is compiled as calls: written out it was more code than all that is measured.
#define IVP_SELDOM [[gnu::noinline, gnu::cold]]

struct tracer {
    double v = 0;
    std::vector<int> inputs; ///< sorted, unique

    tracer() = default;
    template <class A, class = std::enable_if_t<std::is_constructible_v<double, A>>>
    tracer(const A& a) : v(static_cast<double>(a)) // NOLINT(google-explicit-constructor): a constant depends on nothing
    {}
    IVP_SELDOM tracer(double value, std::vector<int> from) : v(value), inputs(std::move(from)) {}
    IVP_SELDOM tracer(const tracer&) = default;
    IVP_SELDOM tracer(tracer&&) noexcept = default;
    IVP_SELDOM tracer& operator=(const tracer&) = default;
    IVP_SELDOM tracer& operator=(tracer&&) noexcept = default;
    IVP_SELDOM ~tracer() = default;

    IVP_SELDOM static tracer input(double value, int index) { return {value, {index}}; }
    /// Depends on no variable, but what is decided by it is a branch all the same.
    IVP_SELDOM static tracer time(double value) { return {value, {time_input}}; }
    /// Variables only, sorted.
    [[nodiscard]] IVP_SELDOM std::vector<int> variables() const
    {
        return {inputs.begin() + (!inputs.empty() && inputs.front() == time_input ? 1 : 0), inputs.end()};
    }

    IVP_SELDOM static std::vector<int> join(const std::vector<int>& a, const std::vector<int>& b)
    {
        std::vector<int> both;
        both.reserve(a.size() + b.size());
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        return both;
    }

    IVP_SELDOM friend tracer operator+(const tracer& a, const tracer& b) { return {a.v + b.v, join(a.inputs, b.inputs)}; }
    IVP_SELDOM friend tracer operator-(const tracer& a, const tracer& b) { return {a.v - b.v, join(a.inputs, b.inputs)}; }
    IVP_SELDOM friend tracer operator*(const tracer& a, const tracer& b) { return {a.v * b.v, join(a.inputs, b.inputs)}; }
    IVP_SELDOM friend tracer operator/(const tracer& a, const tracer& b) { return {a.v / b.v, join(a.inputs, b.inputs)}; }
    IVP_SELDOM friend tracer operator-(const tracer& a) { return {-a.v, a.inputs}; }
    IVP_SELDOM friend tracer operator+(const tracer& a) { return a; }
    IVP_SELDOM tracer& operator+=(const tracer& b) { return *this = *this + b; }
    IVP_SELDOM tracer& operator-=(const tracer& b) { return *this = *this - b; }
    IVP_SELDOM tracer& operator*=(const tracer& b) { return *this = *this * b; }
    IVP_SELDOM tracer& operator/=(const tracer& b) { return *this = *this / b; }

    IVP_SELDOM friend bool operator==(const tracer& a, const tracer& b) { return decide(a, b, a.v == b.v); }
    IVP_SELDOM friend bool operator<(const tracer& a, const tracer& b) { return decide(a, b, a.v < b.v); }
    IVP_SELDOM friend bool operator>(const tracer& a, const tracer& b) { return decide(a, b, a.v > b.v); }
    IVP_SELDOM friend bool operator<=(const tracer& a, const tracer& b) { return decide(a, b, a.v <= b.v); }
    IVP_SELDOM friend bool operator>=(const tracer& a, const tracer& b) { return decide(a, b, a.v >= b.v); }

private:
    static constexpr int time_input = -1;

    static bool decide(const tracer& a, const tracer& b, bool by_value)
    {
        branch_explorer* const explorer = branch_explorer::active();
        return explorer == nullptr || (a.inputs.empty() && b.inputs.empty()) ? by_value : explorer->decide(by_value);
    }
};

#define IVP_TRACER_FUNCTION(name) \
    IVP_SELDOM inline tracer name(const tracer& a) { return {std::name(a.v), a.inputs}; }
IVP_TRACER_FUNCTION(exp)
IVP_TRACER_FUNCTION(log)
IVP_TRACER_FUNCTION(log10)
IVP_TRACER_FUNCTION(sqrt)
IVP_TRACER_FUNCTION(sin)
IVP_TRACER_FUNCTION(cos)
IVP_TRACER_FUNCTION(tan)
IVP_TRACER_FUNCTION(asin)
IVP_TRACER_FUNCTION(acos)
IVP_TRACER_FUNCTION(atan)
IVP_TRACER_FUNCTION(sinh)
IVP_TRACER_FUNCTION(cosh)
IVP_TRACER_FUNCTION(tanh)
IVP_TRACER_FUNCTION(abs)
IVP_TRACER_FUNCTION(fabs)
#undef IVP_TRACER_FUNCTION

IVP_SELDOM inline tracer atan2(const tracer& a, const tracer& b) { return {std::atan2(a.v, b.v), tracer::join(a.inputs, b.inputs)}; }
IVP_SELDOM inline tracer pow(const tracer& a, const tracer& b) { return {std::pow(a.v, b.v), tracer::join(a.inputs, b.inputs)}; }

inline double value_of(const tracer& a)
{
    // NOTE: of time it is asked for by every periodic input (how many periods have passed), which changes no dependence.
    if (branch_explorer* const explorer = branch_explorer::active(); explorer != nullptr && !a.variables().empty()) explorer->lose_track();
    return a.v;
}

} // namespace ivp

#endif
