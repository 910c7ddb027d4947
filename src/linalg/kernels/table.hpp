// The table of one kernel set: what the templates of this folder are compiled for.
#ifndef IVP_LINALG_KERNELS_TABLE_HPP
#define IVP_LINALG_KERNELS_TABLE_HPP

#include "linalg/kernel_set.hpp"
#include "linalg/kernels/blocked_band.hpp"
#include "linalg/kernels/blocked_dense.hpp"
#include "linalg/kernels/middle_dense.hpp"
#include "linalg/kernels/narrow_band.hpp"
#include "linalg/kernels/small_dense.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

template <class Numbers, class T>
IVP_ALWAYS_INLINE auto part(const parts<T>& a, std::size_t offset)
{
    if constexpr (Numbers::is_complex)
        return split_pointer<T>{a.re + offset, a.im + offset};
    else
        return a.re + offset;
}

/// Behind the pivots: whether solves are by substitution (with the diagonal blocks of U), because an inverse is not good.
IVP_ALWAYS_INLINE int& substitutes(const dense_layout& s, int* pivots) { return pivots[s.n]; }
IVP_ALWAYS_INLINE int substitutes(const dense_layout& s, const int* pivots) { return pivots[s.n]; }

template <class Numbers>
bool factor_blocked(const dense_layout& s, const parts<double>& a, int* pivots)
{
    int* const steps = pivots + s.n + 1;
    blocked_dense<Numbers> lu(s.n, s.ld, part<Numbers>(a, 0), part<Numbers>(a, s.lower), part<Numbers>(a, s.upper), steps);
    if (!lu.factor()) return false;
    substitutes(s, pivots) = !lu.inverses_are_accurate();
    for (int i = 0; i < s.n; ++i) pivots[i] = i;
    for (int k = 0; k < s.n; ++k) {
        const int row = pivots[k];
        pivots[k] = pivots[steps[k]];
        pivots[steps[k]] = row;
    }
    return true;
}

template <class Numbers>
void solve_blocked_dense(const dense_layout& s, const factored_system& x)
{
    const auto b = part<Numbers>(x.b, 0);
    const int rows = (s.n + block - 1) / block * block;
    const auto w = part<Numbers>(parts<double>{x.work, x.work + rows}, 0);
    for (int i = 0; i < s.n; ++i) put(w, i, at(b, x.pivots[i]));
    for (int i = s.n; i < rows; ++i) put(w, i, typename Numbers::scalar{});
    solve_blocked<Numbers>(s.n, s.ld, part<Numbers>(x.a, 0), {part<Numbers>(x.a, s.lower), part<Numbers>(x.a, s.upper), !substitutes(s, x.pivots)},
                           w);
    for (int i = 0; i < s.n; ++i) put(b, i, at(w, i));
}

inline bool factor_dense(const dense_layout& s, const parts<double>& a, int* pivots)
{
    return a.im == nullptr ? factor_blocked<real_numbers>(s, a, pivots) : factor_blocked<complex_numbers>(s, a, pivots);
}

inline void solve_dense(const dense_layout& s, const factored_system& x)
{
    if (x.a.im == nullptr)
        solve_blocked_dense<real_numbers>(s, x);
    else
        solve_blocked_dense<complex_numbers>(s, x);
}

// ---- band ---------------------------------------------------------------------------------------------------------------------------------

/// f(constant<lower>, constant<upper>) for the bands that are narrow
template <class F>
IVP_ALWAYS_INLINE auto with_narrow_band(const band_layout& s, const F& f)
{
    if (s.lower == 1) return s.upper == 1 ? f(constant<1>{}, constant<1>{}) : f(constant<1>{}, constant<2>{});
    return s.upper == 1 ? f(constant<2>{}, constant<1>{}) : f(constant<2>{}, constant<2>{});
}

// NOLINTBEGIN(readability-non-const-parameter): what an elimination writes is not seen in a template
template <class Numbers, int Lower, int Upper>
bool factor_narrow(const band_layout& s, const parts<double>& a, int* pivots)
{
    using rows = written_rows<Numbers, Lower, Upper>;
    narrow_elimination<Numbers, Lower, Upper> lu(s.n, rows(part<Numbers>(a, 0)), part<Numbers>(a, s.factors), pivots);
    for (int k = 0; k < s.n; ++k)
        if (!lu.step(k)) return false;
    return true;
}

template <class Numbers, int Lower, int Upper>
bool factor_narrow_shifted(const band_layout& s, const double* jacobian, const typename Numbers::scalar& c, const parts<double>& a, int* pivots)
{
    using rows = shifted_rows<Numbers, Lower, Upper>;
    narrow_elimination<Numbers, Lower, Upper, rows> lu(s.n, rows(jacobian, c), part<Numbers>(a, s.factors), pivots);
    for (int k = 0; k < s.n; ++k)
        if (!lu.step(k)) return false;
    return true;
}
// NOLINTEND(readability-non-const-parameter)

inline bool factor_shifted_band(const band_layout& s, const double* jacobian, double c_re, double c_im, const parts<double>& a, int* pivots)
{
    return with_narrow_band(s, [&](auto lower, auto upper) {
        if (a.im == nullptr) return factor_narrow_shifted<real_numbers, lower.value, upper.value>(s, jacobian, c_re, a, pivots);
        return factor_narrow_shifted<complex_numbers, lower.value, upper.value>(s, jacobian, {c_re, c_im}, a, pivots);
    });
}

/// f(flag<true>) or f(flag<false>)
template <class F>
IVP_ALWAYS_INLINE void with_flag(bool on, const F& f)
{
    if (on)
        f(flag<true>{});
    else
        f(flag<false>{});
}

template <class Numbers, int Lower, int Upper, bool Exchanged>
void substitute_narrow(const band_layout& s, const factored_system& x)
{
    narrow_substitution<Numbers, Lower, Upper, Exchanged> lu(s.n, part<Numbers>(x.a, s.factors), x.pivots, part<Numbers>(x.b, 0));
    for (int k = 0; k < s.n; ++k) lu.forward(k);
    lu.turn();
    for (int k = s.n - 1; k >= 0; --k) lu.backward(k);
}

template <class Numbers, int Lower, int Upper>
void solve_narrow(const band_layout& s, const factored_system& x)
{
    const bool exchanged = narrow_factors<Lower, Upper>::exchanged(s.n, x.pivots);
    with_flag(exchanged, [&](auto e) { substitute_narrow<Numbers, Lower, Upper, e.value>(s, x); });
}

template <class Numbers>
bool factor_wide(const band_layout& s, const parts<double>& a, int* pivots)
{
    blocked_band<Numbers> lu(s.n, s.stride, part<Numbers>(a, s.diagonal), part<Numbers>(a, s.lower_inverses), part<Numbers>(a, s.upper_inverses),
                             pivots);
    if (!lu.factor(s.lower, s.upper)) return false;
    pivots[s.n] = !lu.inverses_are_accurate();
    return true;
}

template <class Numbers>
void solve_wide(const band_layout& s, const factored_system& x)
{
    const auto b = part<Numbers>(x.b, 0);
    const int rows = whole_blocks(s.n);
    const auto w = part<Numbers>(parts<double>{x.work, x.work + rows}, 0);
    for (int i = 0; i < s.n; ++i) put(w, i, at(b, i));
    for (int i = s.n; i < rows; ++i) put(w, i, typename Numbers::scalar{});
    solve_blocked_band<Numbers>(s.n, s.stride, s.lower, s.upper, part<Numbers>(x.a, s.diagonal),
                                {part<Numbers>(x.a, s.lower_inverses), part<Numbers>(x.a, s.upper_inverses), x.pivots[s.n] == 0}, x.pivots, w);
    for (int i = 0; i < s.n; ++i) put(b, i, at(w, i));
}

template <class Numbers>
bool factor_band_as(const band_layout& s, const parts<double>& a, int* pivots)
{
    if (!s.narrow) return factor_wide<Numbers>(s, a, pivots);
    return with_narrow_band(s, [&](auto lower, auto upper) { return factor_narrow<Numbers, lower.value, upper.value>(s, a, pivots); });
}

template <class Numbers>
void solve_band_as(const band_layout& s, const factored_system& x)
{
    if (!s.narrow) return solve_wide<Numbers>(s, x);
    with_narrow_band(s, [&](auto lower, auto upper) { solve_narrow<Numbers, lower.value, upper.value>(s, x); });
}

inline bool factor_band(const band_layout& s, const parts<double>& a, int* pivots)
{
    return a.im == nullptr ? factor_band_as<real_numbers>(s, a, pivots) : factor_band_as<complex_numbers>(s, a, pivots);
}

inline void solve_band(const band_layout& s, const factored_system& x)
{
    if (x.a.im == nullptr)
        solve_band_as<real_numbers>(s, x);
    else
        solve_band_as<complex_numbers>(s, x);
}

template <class Real, class Complex>
IVP_ALWAYS_INLINE bool eliminate_pair(int n, Real& real, Complex& complex)
{
    for (int k = 0; k < n; ++k)
        if (!real.step(k) || !complex.step(k)) return false;
    return true;
}

template <int Lower, int Upper>
bool factor_narrow_pair(const band_layout& s, const factored_pair& p)
{
    using real_rows = written_rows<real_numbers, Lower, Upper>;
    using complex_rows = written_rows<complex_numbers, Lower, Upper>;
    narrow_elimination<real_numbers, Lower, Upper> real(s.n, real_rows(p.real.re), p.real.re + s.factors, p.real_pivots);
    narrow_elimination<complex_numbers, Lower, Upper> complex(s.n, complex_rows(part<complex_numbers>(p.complex, 0)),
                                                              part<complex_numbers>(p.complex, s.factors), p.complex_pivots);
    return eliminate_pair(s.n, real, complex);
}

inline bool factor_band_pair(const band_layout& s, const factored_pair& p)
{
    if (!s.narrow) return factor_wide<real_numbers>(s, p.real, p.real_pivots) && factor_wide<complex_numbers>(s, p.complex, p.complex_pivots);
    return with_narrow_band(s, [&](auto lower, auto upper) { return factor_narrow_pair<lower.value, upper.value>(s, p); });
}

template <int Lower, int Upper>
bool factor_narrow_shifted_pair(const band_layout& s, const double* jacobian, double c, const complex_scalar& z, const factored_pair& p)
{
    using real_rows = shifted_rows<real_numbers, Lower, Upper>;
    using complex_rows = shifted_rows<complex_numbers, Lower, Upper>;
    narrow_elimination<real_numbers, Lower, Upper, real_rows> real(s.n, real_rows(jacobian, c), p.real.re + s.factors, p.real_pivots);
    narrow_elimination<complex_numbers, Lower, Upper, complex_rows> complex(s.n, complex_rows(jacobian, z),
                                                                            part<complex_numbers>(p.complex, s.factors), p.complex_pivots);
    return eliminate_pair(s.n, real, complex);
}

inline bool factor_shifted_band_pair(const band_layout& s, const double* jacobian, double c, double c_re, double c_im, const factored_pair& p)
{
    return with_narrow_band(s, [&](auto lower, auto upper) {
        return factor_narrow_shifted_pair<lower.value, upper.value>(s, jacobian, c, {c_re, c_im}, p);
    });
}

template <int Lower, int Upper, bool RealExchanged, bool ComplexExchanged>
void substitute_narrow_pair(const band_layout& s, const factored_system& r, const factored_system& c)
{
    narrow_substitution<real_numbers, Lower, Upper, RealExchanged> real(s.n, r.a.re + s.factors, r.pivots, r.b.re);
    narrow_substitution<complex_numbers, Lower, Upper, ComplexExchanged> complex(s.n, part<complex_numbers>(c.a, s.factors), c.pivots,
                                                                                 part<complex_numbers>(c.b, 0));
    for (int k = 0; k < s.n; ++k) {
        real.forward(k);
        complex.forward(k);
    }
    real.turn();
    complex.turn();
    for (int k = s.n - 1; k >= 0; --k) {
        real.backward(k);
        complex.backward(k);
    }
}

template <int Lower, int Upper>
void solve_narrow_pair(const band_layout& s, const factored_system& r, const factored_system& c)
{
    using kept = narrow_factors<Lower, Upper>;
    with_flag(kept::exchanged(s.n, r.pivots), [&](auto real) {
        with_flag(kept::exchanged(s.n, c.pivots), [&](auto complex) { substitute_narrow_pair<Lower, Upper, real.value, complex.value>(s, r, c); });
    });
}

inline void solve_band_pair(const band_layout& s, const factored_system& real, const factored_system& complex)
{
    if (!s.narrow) {
        solve_wide<real_numbers>(s, real);
        solve_wide<complex_numbers>(s, complex);
        return;
    }
    with_narrow_band(s, [&](auto lower, auto upper) { solve_narrow_pair<lower.value, upper.value>(s, real, complex); });
}

constexpr kernel_set table(const char* name)
{
    return {name,           small_sizes,         middle_sizes, factor_dense,     solve_dense,
            factor_band,    factor_shifted_band, solve_band,   factor_band_pair, factor_shifted_band_pair,
            solve_band_pair};
}

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
