// twofold: an unevaluated sum of two numbers of one type, with twice its digits.
//
//   twofold<double>   31 digits, faster than quadruple precision (plei: power series 4.3 times, extrapolation 1.6): long runs of explicit methods
//   twofold<quad>     67 digits: solutions that quadruple precision loses to cancellation
//
// Sums and products by the exact transformations of Knuth and Dekker. Functions: of two doubles in quadruple precision, of two quads by series.
#ifndef IVP_REFERENCE_TWOFOLD_HPP
#define IVP_REFERENCE_TWOFOLD_HPP

#include <ivp/scalar.hpp>

#include <cmath>
#include <type_traits>

namespace ivp::reference {

template <class T>
struct twofold {
    T hi{0}, lo{0};

    twofold() = default;
    template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>>
    twofold(A a) : hi(a) // NOLINT(google-explicit-constructor): widening
    {}
    twofold(quad a) : hi(narrowed(a)), lo(narrowed(a - widened(hi))) // NOLINT(google-explicit-constructor)
    {
        if (!(lo - lo == T(0))) lo = T(0); // what is not finite has no rest
    }
    static twofold of(T hi, T lo)
    {
        twofold x;
        x.hi = hi;
        x.lo = lo;
        return x;
    }
    explicit operator quad() const { return widened(hi) + widened(lo); }
    explicit operator double() const { return static_cast<double>(hi); }

    friend twofold operator+(const twofold& a, const twofold& b)
    {
        const twofold s = sum(a.hi, b.hi);
        const twofold r = sum(a.lo, b.lo);
        const twofold first = quick_sum(s.hi, s.lo + r.hi);
        return quick_sum(first.hi, first.lo + r.lo);
    }
    friend twofold operator-(const twofold& a) { return of(-a.hi, -a.lo); }
    friend twofold operator-(const twofold& a, const twofold& b) { return a + -b; }
    friend twofold operator*(const twofold& a, const twofold& b)
    {
        const twofold p = product(a.hi, b.hi);
        return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
    }
    friend twofold operator/(const twofold& a, const twofold& b)
    {
        const T first = a.hi / b.hi;
        twofold rest = a - b * of(first, T(0));
        const T second = rest.hi / b.hi;
        rest = rest - b * of(second, T(0));
        return quick_sum(first, second) + of(rest.hi / b.hi, T(0));
    }
    friend bool operator==(const twofold& a, const twofold& b) { return a.hi == b.hi && a.lo == b.lo; }
    friend bool operator<(const twofold& a, const twofold& b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }
    friend bool operator>(const twofold& a, const twofold& b) { return b < a; }
    friend bool operator<=(const twofold& a, const twofold& b) { return a.hi < b.hi || (a.hi == b.hi && a.lo <= b.lo); }
    friend bool operator>=(const twofold& a, const twofold& b) { return b <= a; }
    twofold& operator+=(const twofold& b) { return *this = *this + b; }
    twofold& operator-=(const twofold& b) { return *this = *this - b; }
    twofold& operator*=(const twofold& b) { return *this = *this * b; }
    twofold& operator/=(const twofold& b) { return *this = *this / b; }

private:
    static quad widened(T a) { return quad(a); }
    static T narrowed(quad a)
    {
        if constexpr (std::is_same_v<T, quad>)
            return a;
        else
            return static_cast<T>(a);
    }
    static twofold quick_sum(T a, T b)
    {
        const T s = a + b;
        return of(s, b - (s - a));
    }
    static twofold sum(T a, T b)
    {
        const T s = a + b;
        const T part = s - a;
        return of(s, (a - (s - part)) + (b - part));
    }
    static twofold product(T a, T b)
    {
        const T p = a * b;
        if constexpr (std::is_same_v<T, double>) {
            return of(p, std::fma(a, b, -p));
        } else {
            const twofold x = halves(a);
            const twofold y = halves(b);
            return of(p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo);
        }
    }
    /// Two numbers of at most 57 bits each (Veltkamp).
    static twofold halves(quad a)
    {
        const quad c = quad(0x1p57 + 1.0) * a;
        const quad high = c - (c - a);
        return of(high, a - high);
    }
};

using double2 = twofold<double>;
using quad2 = twofold<quad>;

/// One unit of the last digit of 1, roughly.
template <class N>
constexpr double last_place = 1e-34;
template <>
inline constexpr double last_place<double2> = 1e-31;
template <>
inline constexpr double last_place<quad2> = 1e-66;

inline quad to_quad(quad a) { return a; }
template <class T>
quad to_quad(const twofold<T>& a)
{
    return static_cast<quad>(a);
}

template <class T>
twofold<T> abs(const twofold<T>& a)
{
    return a.hi < T(0) || (a.hi == T(0) && a.lo < T(0)) ? -a : a;
}
template <class T>
bool isfinite(const twofold<T>& a)
{
    return a.hi - a.hi == T(0) && a.lo - a.lo == T(0);
}

inline double2 sqrt(const double2& a) { return sqrt(to_quad(a)); }
inline double2 exp(const double2& a) { return exp(to_quad(a)); }
inline double2 log(const double2& a) { return log(to_quad(a)); }
inline double2 sin(const double2& a) { return sin(to_quad(a)); }
inline double2 cos(const double2& a) { return cos(to_quad(a)); }
inline double2 sinh(const double2& a) { return sinh(to_quad(a)); }
inline double2 cosh(const double2& a) { return cosh(to_quad(a)); }
inline double2 atan(const double2& a) { return atan(to_quad(a)); }
inline double2 asin(const double2& a) { return asin(to_quad(a)); }
inline double2 acos(const double2& a) { return acos(to_quad(a)); }
inline double2 pow(const double2& a, const double2& e) { return pow(to_quad(a), to_quad(e)); }

/// Newton's correction of what quadruple precision gives doubles its digits.
inline quad2 sqrt(const quad2& a)
{
    if (!(a.hi > quad(0))) return sqrt(a.hi);
    const quad2 x = sqrt(a.hi);
    return x + (a - x * x) / (quad2(2) * x);
}

inline const quad2& log_of_2()
{
    static const quad2 value = [] { // sum of 1 / (k 2^k)
        quad2 sum = 0;
        for (int k = 240; k >= 1; --k) sum = (sum + quad2(1) / quad2(k)) * quad2(0.5);
        return sum;
    }();
    return value;
}
inline const quad2& half_pi()
{
    static const quad2 value = [] { // Machin: pi/4 = 4 atan(1/5) - atan(1/239)
        const auto of_inverse = [](int n) {
            const quad2 square = quad2(n) * quad2(n);
            quad2 sum = 0;
            for (int k = 60; k >= 0; --k) sum = quad2(k % 2 == 0 ? 1 : -1) / quad2(2 * k + 1) + sum / square;
            return sum / quad2(n);
        };
        return quad2(8) * of_inverse(5) - quad2(2) * of_inverse(239);
    }();
    return value;
}

inline quad2 exp(const quad2& a)
{
    const quad whole = exp(a.hi);
    if (!isfinite(whole) || whole == quad(0)) return whole;
    constexpr int halvings = 8;
    constexpr int terms = 24; // of what is left, below log(2) / 2^9
    const quad multiple = floor(a.hi / log_of_2().hi + quad(0.5));
    const quad2 x = (a - quad2(multiple) * log_of_2()) * quad2(1.0 / (1 << halvings));
    quad2 value = 1;
    for (int k = terms; k >= 1; --k) value = quad2(1) + value * x / quad2(k);
    for (int k = 0; k < halvings; ++k) value = value * value;
    return value * quad2(pow(quad(2), multiple));
}
inline quad2 log(const quad2& a)
{
    if (!(a.hi > quad(0)) || !isfinite(a)) return log(a.hi);
    const quad2 y = log(a.hi);
    const quad2 e = exp(y);
    return y + quad2(2) * (a - e) / (a + e);
}
/// Sine of a plus `quarters` quarter turns.
inline quad2 sine_of(const quad2& a, int quarters)
{
    constexpr int terms = 28;
    const quad multiple = floor(a.hi / half_pi().hi + quad(0.5));
    const quad2 x = a - quad2(multiple) * half_pi();
    const int turned = (static_cast<int>(static_cast<double>(multiple - quad(4) * floor(multiple / quad(4)))) + quarters) % 4;
    const bool odd = turned % 2 == 1; // a cosine
    const quad2 square = x * x;
    quad2 value = 1;
    for (int k = terms; k >= 1; --k) value = quad2(1) - value * square / quad2((2 * k) * (odd ? 2 * k - 1 : 2 * k + 1));
    if (!odd) value = value * x;
    return turned >= 2 ? -value : value;
}
inline quad2 sin(const quad2& a) { return sine_of(a, 0); }
inline quad2 cos(const quad2& a) { return sine_of(a, 1); }
inline quad2 sinh(const quad2& a)
{
    if (abs(a.hi) > quad(1)) return (exp(a) - exp(-a)) * quad2(0.5);
    const quad2 square = a * a;
    quad2 value = 1;
    for (int k = 30; k >= 1; --k) value = quad2(1) + value * square / quad2((2 * k) * (2 * k + 1));
    return value * a;
}
inline quad2 cosh(const quad2& a) { return (exp(a) + exp(-a)) * quad2(0.5); }
inline quad2 atan(const quad2& a)
{
    const quad2 y = atan(a.hi);
    const quad2 s = sin(y);
    const quad2 c = cos(y);
    return y + (a * c - s) / (c + a * s);
}
inline quad2 asin(const quad2& a)
{
    const quad2 y = asin(a.hi);
    return y + (a - sin(y)) / cos(y);
}
inline quad2 acos(const quad2& a)
{
    const quad2 y = acos(a.hi);
    return y + (cos(y) - a) / sin(y);
}
inline quad2 pow(const quad2& a, const quad2& e) { return exp(e * log(a)); }

} // namespace ivp::reference

#endif
