// quad: IEEE binary128 as an ordinary number type.
//
// The built-in __float128 has no std:: mathematics, no numeric_limits and no argument-dependent lookup, so a formula written once
// over a scalar type cannot use it. This one-member wrapper supplies the three.
#ifndef IVP_SCALAR_QUAD_HPP
#define IVP_SCALAR_QUAD_HPP

#include <ivp/scalar/value_of.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

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

#endif
