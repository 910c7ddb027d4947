// Complex numbers in quadruple precision: std::complex is defined for the built-in types only.
#ifndef IVP_REFERENCE_COMPLEX_QUAD_HPP
#define IVP_REFERENCE_COMPLEX_QUAD_HPP

#include <ivp/scalar.hpp>

namespace ivp::reference {

struct complex_quad {
    quad re = 0;
    quad im = 0;

    friend complex_quad operator+(const complex_quad& a, const complex_quad& b) { return {a.re + b.re, a.im + b.im}; }
    friend complex_quad operator-(const complex_quad& a, const complex_quad& b) { return {a.re - b.re, a.im - b.im}; }
    friend complex_quad operator*(const complex_quad& a, const complex_quad& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    friend complex_quad operator/(const complex_quad& a, const complex_quad& b)
    {
        const quad size = b.re * b.re + b.im * b.im;
        return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
    }
};

inline quad abs(const complex_quad& a) { return sqrt(a.re * a.re + a.im * a.im); }

} // namespace ivp::reference

#endif
