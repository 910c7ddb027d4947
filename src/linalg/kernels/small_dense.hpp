// Dense matrices up to 8×8: the whole matrix c M − J stays in registers while it is factored. P A = L U; a solve is by substitution, number by
// number.
//
// NOTE: products with the inverses of L and U would be hardly faster than this, and their making and the watch over their accuracy cost as much as
// the factorisation. The inverse of the whole matrix would be faster, but its residuals are larger by the condition of the matrix, which is
// large for every stiff problem.
#ifndef IVP_LINALG_KERNELS_SMALL_DENSE_HPP
#define IVP_LINALG_KERNELS_SMALL_DENSE_HPP

#include "linalg/kernel_set.hpp"
#include "linalg/kernels/packs.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

/// An exchange of rows is spared while the diagonal is not smaller than this part of the largest candidate: the search for the largest then does
/// not delay the elimination.
constexpr double spared_exchange = 0.5;

template <int N>
constexpr int small_rows = N <= 4 ? 4 : 8;
/// Lanes of the packs for columns of so many rows.
template <int N>
constexpr int small_width = small_rows<N> < widest ? small_rows<N> : widest;

/// Rows Q·W … of column J of an N×N matrix without padding, zeros behind the last; nothing behind the matrix is read.
template <int N, int W, int Q, int J>
IVP_ALWAYS_INLINE real_pack<W> load_rows(const double* matrix)
{
    constexpr int start = J * N + Q * W;
    constexpr int missing = Q * W + W - N; // rows of this pack that the matrix does not have
    if constexpr (missing >= W) {
        return {};
    } else if constexpr (missing <= 0) {
        return load<W>(matrix + start);
    } else {
        real_pack<W> x;
        if constexpr (start + W <= N * N)
            x = load<W>(matrix + start);
        else if constexpr (start >= missing)
            x = simd::rotated<missing>(load<W>(matrix + (start - missing)));
        else
            x = spread<W>(matrix[start]);
        return select(pack_rows<W>(Q * W) < N, x, real_pack<W>{});
    }
}

template <class Numbers, int N>
class small_elimination {
    static constexpr int rows = small_rows<N>;
    static constexpr int W = small_width<N>;
    static constexpr int packs = rows / W;
    using pack = typename Numbers::template pack<W>;
    using scalar = typename Numbers::scalar;
    using pointer = typename Numbers::pointer;
    struct column {
        pack p[packs];
    };

public:
    IVP_ALWAYS_INLINE small_elimination(const shifted_source& s, const scalar& shift, int* order) : order_(order)
    {
        const pack c = spread<W>(shift);
        unrolled<N>([&](auto j) IVP_INLINED {
            unrolled<packs>([&](auto q) IVP_INLINED { a_[j.value].p[q.value] = minus<Numbers>(load_rows<N, W, q.value, j.value>(s.jacobian)); });
            order_[j.value] = j.value;
        });
        if constexpr (Numbers::is_complex)
            if (s.imaginary != nullptr)
                unrolled<N>([&](auto j) IVP_INLINED {
                    unrolled<packs>([&](auto q) IVP_INLINED { a_[j.value].p[q.value].im = -load_rows<N, W, q.value, j.value>(s.imaginary); });
                });
        if (s.mass == nullptr)
            unrolled<N>([&](auto j) IVP_INLINED {
                constexpr int q = decltype(j)::value / W;
                a_[j.value].p[q] = a_[j.value].p[q] + select(pack_rows<W>(q * W) == j.value, c, pack{});
            });
        else
            unrolled<N>([&](auto j) IVP_INLINED {
                unrolled<packs>([&](auto q) IVP_INLINED { add_multiple(a_[j.value].p[q.value], c, load_rows<N, W, q.value, j.value>(s.mass)); });
            });
    }

    /// Eliminates column K; false: singular or not finite.
    template <int K>
    IVP_ALWAYS_INLINE bool step()
    {
        if constexpr (K + 1 < N) {
            real_pack<W> candidates{};
            unrolled<K / W, packs>([&](auto q) IVP_INLINED {
                candidates = larger(candidates, select(pack_rows<W>(q.value * W) >= K, sizes(a_[K].p[q.value]), real_pack<W>{}));
            });
            if (__builtin_expect(!(size_of(lane<K % W>(a_[K].p[K / W])) >= spared_exchange * largest_of(candidates)), 0))
                if (!exchange_rows(K)) return false;
        }
        const scalar inverse = reciprocal(lane<K % W>(a_[K].p[K / W]));
        if (!usable(inverse)) return false;
        const pack inverses = spread<W>(inverse);
        column multipliers;
        unrolled<K / W, packs>([&](auto q) IVP_INLINED {
            const pack_rows<W> row(q.value * W);
            multipliers.p[q.value] = select(row > K, a_[K].p[q.value] * inverses, pack{});
            a_[K].p[q.value] = select(row < K, a_[K].p[q.value], select(row == K, inverses, multipliers.p[q.value]));
        });
        unrolled<K + 1, N>([&](auto j) IVP_INLINED {
            const pack factor = spread_lane<K % W>(a_[j.value].p[K / W]);
            unrolled<K / W, packs>([&](auto q) IVP_INLINED { subtract_product(a_[j.value].p[q.value], multipliers.p[q.value], factor); });
        });
        return true;
    }

    IVP_ALWAYS_INLINE void finish(const pointer& lu) const
    {
        unrolled<N>([&](auto j) IVP_INLINED {
            unrolled<packs>([&](auto q) IVP_INLINED { store(lu + (j.value * rows + q.value * W), a_[j.value].p[q.value]); });
        });
    }

private:
    /// The largest candidate to row k, through memory: rare. False if there is none.
    IVP_ALWAYS_INLINE bool exchange_rows(int k)
    {
        constexpr int parts_of_a_number = Numbers::is_complex ? 2 : 1;
        alignas(64) double memory[N][parts_of_a_number * rows];
        const auto line = [&](int j) -> pointer {
            if constexpr (Numbers::is_complex)
                return {memory[j], memory[j] + rows};
            else
                return memory[j];
        };
        unrolled<N>([&](auto j)
                        IVP_INLINED { unrolled<packs>([&](auto q) IVP_INLINED { store(line(j.value) + q.value * W, a_[j.value].p[q.value]); }); });
        const int p = largest_row<Numbers>(line(k), k, N);
        if (p == no_row) return false;
        if (p == k) return true;
        const int row = order_[k];
        order_[k] = order_[p];
        order_[p] = row;
        // NOTE: one entry is read back from memory and put in its place in a register: numbers stored one by one and loaded as a pack would delay.
        unrolled<N>([&](auto j) IVP_INLINED {
            const pack of_k = spread<W>(at(line(j.value), k));
            const pack of_p = spread<W>(at(line(j.value), p));
            unrolled<packs>([&](auto q) IVP_INLINED {
                const pack_rows<W> here(q.value * W);
                a_[j.value].p[q.value] = select(here == k, of_p, select(here == p, of_k, a_[j.value].p[q.value]));
            });
        });
        return true;
    }

    int* order_;
    column a_[N]; // columns already eliminated hold L and U, with the reciprocal of the pivot
};

/// b = U^-1 L^-1 P b
template <class Numbers, int N>
class small_substitution {
    static constexpr int rows = small_rows<N>;
    using const_pointer = typename Numbers::const_pointer;
    using scalar = typename Numbers::scalar;

public:
    IVP_ALWAYS_INLINE small_substitution(const const_pointer& lu, const int* order, const const_pointer& b) : lu_(lu)
    {
        unrolled<N>([&](auto i) IVP_INLINED { x_[i.value] = at(b, order[i.value]); });
    }
    /// Of a + b.
    IVP_ALWAYS_INLINE small_substitution(const const_pointer& lu, const int* order, const const_pointer& a, const const_pointer& b) : lu_(lu)
    {
        unrolled<N>([&](auto i) IVP_INLINED { x_[i.value] = at(a, order[i.value]) + at(b, order[i.value]); });
    }
    template <int K>
    IVP_ALWAYS_INLINE void forward()
    {
        unrolled<K + 1, N>([&](auto i) IVP_INLINED { x_[i.value] = minus_product(x_[i.value], at(lu_, K * rows + i.value), x_[K]); });
    }
    template <int K>
    IVP_ALWAYS_INLINE void backward()
    {
        x_[K] = times(x_[K], at(lu_, K * rows + K));
        unrolled<K>([&](auto i) IVP_INLINED { x_[i.value] = minus_product(x_[i.value], at(lu_, K * rows + i.value), x_[K]); });
    }
    IVP_ALWAYS_INLINE void finish(const typename Numbers::pointer& b) const
    {
        unrolled<N>([&](auto i) IVP_INLINED { put(b, i.value, x_[i.value]); });
    }

private:
    const_pointer lu_;
    scalar x_[N];
};

// ---- the functions of the table -----------------------------------------------------------------------------------------------------------

template <int N>
bool factor_small_real(const shifted_source& s, double c, small_factors& to)
{
    small_elimination<real_numbers, N> lu(s, c, to.order);
    bool regular = true;
    unrolled<N>([&](auto k) IVP_INLINED { regular = regular && lu.template step<k.value>(); });
    if (!regular) return false;
    lu.finish(to.re);
    return true;
}

template <int N>
bool factor_small_complex(const shifted_source& s, double c_re, double c_im, small_factors& to)
{
    small_elimination<complex_numbers, N> lu(s, {c_re, c_im}, to.order);
    bool regular = true;
    unrolled<N>([&](auto k) IVP_INLINED { regular = regular && lu.template step<k.value>(); });
    if (!regular) return false;
    lu.finish({to.re, to.im});
    return true;
}

/// The two eliminations wait for their pivots in turns.
template <int N>
bool factor_small_pair(const shifted_source& s, double c, double c_re, double c_im, small_factors& to_real, small_factors& to_complex)
{
    small_elimination<real_numbers, N> real(s, c, to_real.order);
    small_elimination<complex_numbers, N> complex(s, {c_re, c_im}, to_complex.order);
    bool regular = true;
    unrolled<N>([&](auto k) IVP_INLINED { regular = regular && real.template step<k.value>() && complex.template step<k.value>(); });
    if (!regular) return false;
    real.finish(to_real.re);
    complex.finish({to_complex.re, to_complex.im});
    return true;
}

template <class Numbers, int N>
IVP_ALWAYS_INLINE void substitute_small(small_substitution<Numbers, N>& x)
{
    unrolled<N>([&](auto k) IVP_INLINED { x.template forward<k.value>(); });
    unrolled<N>([&](auto k) IVP_INLINED { x.template backward<N - 1 - k.value>(); });
}

template <int N>
void solve_small_real(const small_factors& f, double* b)
{
    small_substitution<real_numbers, N> x(f.re, f.order, b);
    substitute_small(x);
    x.finish(b);
}

template <int N>
void solve_small_sum(const small_factors& f, const double* a, const double* b, double* to)
{
    small_substitution<real_numbers, N> x(f.re, f.order, a, b);
    substitute_small(x);
    x.finish(to);
}

template <int N>
void solve_small_complex(const small_factors& f, double* b_re, double* b_im)
{
    small_substitution<complex_numbers, N> x({f.re, f.im}, f.order, {b_re, b_im});
    substitute_small(x);
    x.finish({b_re, b_im});
}

template <int N>
void solve_small_pair(const small_factors& real, const small_factors& complex, double* b, double* b_re, double* b_im)
{
    small_substitution<real_numbers, N> x(real.re, real.order, b);
    small_substitution<complex_numbers, N> z({complex.re, complex.im}, complex.order, {b_re, b_im});
    unrolled<N>([&](auto k) IVP_INLINED {
        z.template forward<k.value>();
        x.template forward<k.value>();
    });
    unrolled<N>([&](auto k) IVP_INLINED {
        z.template backward<N - 1 - k.value>();
        x.template backward<N - 1 - k.value>();
    });
    x.finish(b);
    z.finish({b_re, b_im});
}

template <int N>
constexpr small_kernels small_kernels_for = {factor_small_real<N>, factor_small_complex<N>, factor_small_pair<N>, solve_small_real<N>,
                                             solve_small_sum<N>,   solve_small_complex<N>,  solve_small_pair<N>};

inline constexpr small_kernels small_sizes[largest_small] = {small_kernels_for<1>, small_kernels_for<2>, small_kernels_for<3>, small_kernels_for<4>,
                                                             small_kernels_for<5>, small_kernels_for<6>, small_kernels_for<7>, small_kernels_for<8>};

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
