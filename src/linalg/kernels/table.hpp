// The table of one kernel set: what the templates of this folder are compiled for.
#ifndef IVP_LINALG_KERNELS_TABLE_HPP
#define IVP_LINALG_KERNELS_TABLE_HPP

#include "linalg/kernel_set.hpp"
#include "linalg/kernels/blocked_dense.hpp"
#include "linalg/kernels/small_dense.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

template <class Numbers, class T>
IVP_INLINE auto part(const parts<T>& a, std::size_t offset)
{
    if constexpr (Numbers::is_complex)
        return split_pointer<T>{a.re + offset, a.im + offset};
    else
        return a.re + offset;
}

/// Behind the pivots: whether solves are by substitution, because the inverses of the factors are not good.
IVP_INLINE int& substitutes(const dense_layout& s, int* pivots) { return pivots[s.n]; }
IVP_INLINE int substitutes(const dense_layout& s, const int* pivots) { return pivots[s.n]; }

template <class Numbers, int N>
bool factor_small(const dense_layout& s, const parts<double>& a, int* pivots)
{
    const small_parts<Numbers> m{part<Numbers>(a, 0), part<Numbers>(a, s.lu), part<Numbers>(a, s.lower), part<Numbers>(a, s.upper)};
    double spared = spared_exchange;
    while (true) {
        const small_answer answer = small_dense<Numbers, N>::factor_with(spared, m, pivots);
        substitutes(s, pivots) = answer == small_answer::inaccurate;
        if (answer != small_answer::inaccurate || spared == 1) return answer != small_answer::singular;
        spared = 1;
    }
}

template <class Numbers, int N>
IVP_INLINE void solve_small(const dense_layout& s, const dense_system& x)
{
    small_dense<Numbers, N>::solve(part<Numbers>(x.a, s.lower), part<Numbers>(x.a, s.upper), part<Numbers>(x.b, 0));
}

template <class Numbers>
bool factor_blocked(const dense_layout& s, const parts<double>& a, int* pivots)
{
    int* const steps = pivots + s.n + 1;
    blocked_dense<Numbers> lu(s.n, s.ld, part<Numbers>(a, 0), part<Numbers>(a, s.lower), part<Numbers>(a, s.upper), steps);
    if (!lu.factor()) return false;
    substitutes(s, pivots) = !lu.inverses_are_finite();
    for (int i = 0; i < s.n; ++i) pivots[i] = i;
    for (int k = 0; k < s.n; ++k) {
        const int row = pivots[k];
        pivots[k] = pivots[steps[k]];
        pivots[steps[k]] = row;
    }
    return true;
}

template <class Numbers>
void solve_large(const dense_layout& s, const dense_system& x)
{
    const auto b = part<Numbers>(x.b, 0);
    const int rows = (s.n + block - 1) / block * block;
    const auto w = part<Numbers>(parts<double>{x.work, x.work + rows}, 0);
    for (int i = 0; i < s.n; ++i) put(w, i, at(b, x.pivots[i]));
    for (int i = s.n; i < rows; ++i) put(w, i, typename Numbers::scalar{});
    if (substitutes(s, x.pivots))
        substitute_blocked<Numbers>(s.n, s.ld, part<Numbers>(x.a, 0), w);
    else
        solve_blocked<Numbers>(s.n, s.ld, part<Numbers>(x.a, 0), part<Numbers>(x.a, s.lower), part<Numbers>(x.a, s.upper), w);
    for (int i = 0; i < s.n; ++i) put(b, i, at(w, i));
}

/// f(constant<n>), n = 1 … 8
template <class F>
IVP_INLINE auto with_small_size(int n, const F& f)
{
    switch (n) {
    case 1: return f(constant<1>{});
    case 2: return f(constant<2>{});
    case 3: return f(constant<3>{});
    case 4: return f(constant<4>{});
    case 5: return f(constant<5>{});
    case 6: return f(constant<6>{});
    case 7: return f(constant<7>{});
    default: return f(constant<8>{});
    }
}

template <class Numbers>
bool factor_dense_as(const dense_layout& s, const parts<double>& a, int* pivots)
{
    if (s.n > largest_small) return factor_blocked<Numbers>(s, a, pivots);
    return with_small_size(s.n, [&](auto n) { return factor_small<Numbers, n.value>(s, a, pivots); });
}

template <class Numbers>
void solve_dense_as(const dense_layout& s, const dense_system& x)
{
    if (s.n > largest_small) return solve_large<Numbers>(s, x);
    if (substitutes(s, x.pivots)) return substitute_small<Numbers>(s.n, s.ld, part<Numbers>(x.a, s.lu), x.pivots, part<Numbers>(x.b, 0));
    with_small_size(s.n, [&](auto n) { solve_small<Numbers, n.value>(s, x); });
}

inline bool factor_dense(const dense_layout& s, const parts<double>& a, int* pivots)
{
    return a.im == nullptr ? factor_dense_as<real_numbers>(s, a, pivots) : factor_dense_as<complex_numbers>(s, a, pivots);
}

inline void solve_dense(const dense_layout& s, const dense_system& x)
{
    if (x.a.im == nullptr)
        solve_dense_as<real_numbers>(s, x);
    else
        solve_dense_as<complex_numbers>(s, x);
}

template <int N>
void solve_small_pair(const dense_layout& s, const dense_system& real, const dense_system& complex)
{
    solve_small<real_numbers, N>(s, real);
    solve_small<complex_numbers, N>(s, complex);
}

inline void solve_dense_pair(const dense_layout& s, const dense_system& real, const dense_system& complex)
{
    if (s.n > largest_small || substitutes(s, real.pivots) || substitutes(s, complex.pivots)) {
        solve_dense_as<real_numbers>(s, real);
        solve_dense_as<complex_numbers>(s, complex);
        return;
    }
    with_small_size(s.n, [&](auto n) { solve_small_pair<n.value>(s, real, complex); });
}

constexpr kernel_set table(const char* name) { return {name, factor_dense, solve_dense, solve_dense_pair}; }

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
