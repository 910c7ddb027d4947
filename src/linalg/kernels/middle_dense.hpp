// Dense matrices above 8×8 that are too small for blocks: LU with partial pivoting, columns of whole packs of 4, one column after the other.
//
// Such an elimination waits more than it works: for the reciprocal of the pivot, for the column that it divides. Hence each step first brings the
// next column up to date and starts its division, then treats the columns behind it; and a real and a complex matrix take turns.
//
// What is kept: the multipliers of L below the diagonal; above it U with its rows divided by their pivots, so that a substitution needs no
// division and no product on the way from one unknown to the next; the reciprocals of the pivots apart, for the right-hand side on its way back.
#ifndef IVP_LINALG_KERNELS_MIDDLE_DENSE_HPP
#define IVP_LINALG_KERNELS_MIDDLE_DENSE_HPP

#include "linalg/kernel_set.hpp"
#include "linalg/kernels/packs.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

constexpr int middle_packs = largest_middle / middle_width;

template <class Numbers>
IVP_ALWAYS_INLINE typename Numbers::pointer values_of(const middle_factors& f)
{
    if constexpr (Numbers::is_complex)
        return {f.re, f.im};
    else
        return f.re;
}

/// Rows i … of a column of a matrix without padding, zeros behind the last; nothing behind the last column is read.
IVP_ALWAYS_INLINE real_pack<middle_width> read_rows(const double* column, int n, int i, bool last)
{
    constexpr int W = middle_width;
    if (i + W <= n) return load<W>(column + i);
    if (!last) return select(pack_rows<W>(i) < n, load<W>(column + i), real_pack<W>{}); // runs into the next column
    real_pack<W> x{};
    for (int l = 0; i + l < n; ++l) x = select(pack_rows<W>(0) == l, spread<W>(column[i + l]), x);
    return x;
}

/// The columns of a matrix on its way to factors.
template <class Numbers>
struct middle_columns {
    static constexpr int W = middle_width;
    using pack = typename Numbers::template pack<W>;
    using scalar = typename Numbers::scalar;
    using pointer = typename Numbers::pointer;

    int n;
    index rows;
    pointer a;

    [[nodiscard]] IVP_ALWAYS_INLINE pointer column(int j) const { return a + j * rows; }
    [[nodiscard]] IVP_ALWAYS_INLINE pointer inverses() const { return a + rows * rows; }

    /// Rows k and p change places. Packs are put together in registers: numbers stored one by one and loaded as a pack would delay.
    [[gnu::noinline]] void exchange_rows(int k, int p) const
    {
        const int first = k / W * W;
        const int second = p / W * W;
        for (int j = 0; j < n; ++j) {
            const pointer c = column(j);
            const pack of_k = spread<W>(at(c, k));
            const pack of_p = spread<W>(at(c, p));
            store(c + first, select(pack_rows<W>(first) == k, of_p, load<W>(c + first)));
            store(c + second, select(pack_rows<W>(second) == p, of_k, load<W>(c + second)));
        }
    }

    /// Step k of the elimination: its multipliers from row `top` on, which is the first of the pack of row k + 1.
    template <int R>
    struct step {
        pack m[R];
    };
    template <int R>
    [[nodiscard]] IVP_ALWAYS_INLINE step<R> step_of(int k, int top) const
    {
        step<R> s;
        unrolled<R>([&](auto q) IVP_INLINED { s.m[q.value] = load<W>(column(k) + (top + q.value * W)); });
        s.m[0] = select(pack_rows<W>(top) > k, s.m[0], pack{});
        return s;
    }
    [[nodiscard]] IVP_ALWAYS_INLINE bool has_zero(int k, int j) const { return size_of(at(column(j), k)) == 0; }
    template <int R>
    IVP_ALWAYS_INLINE void update(const step<R>& s, int k, int top, int j) const
    {
        const pointer c = column(j) + top;
        const pack u = spread<W>(at(column(j), k));
        unrolled<R>([&](auto q) IVP_INLINED {
            pack x = load<W>(c + q.value * W);
            subtract_product(x, s.m[q.value], u);
            store(c + q.value * W, x);
        });
    }
};

/// Step k for the columns behind the next one. R: the packs from that of row k + 1 to the end of a column.
template <int R, class... Columns>
IVP_ALWAYS_INLINE void update_columns(int k, int n, const Columns... a)
{
    const int top = (k + 1) / middle_width * middle_width;
    [&](const auto&... steps) IVP_INLINED {
        for (int j = k + 2; j < n; ++j) {
            // NOTE: most Jacobians that are treated as dense have many zeros; this test saves up to half of the work on them.
            if ((a.has_zero(k, j) && ...)) continue;
            (a.template update<R>(steps, k, top, j), ...);
        }
    }(a.template step_of<R>(k, top)...);
}

/// The elimination of one matrix, step by step.
template <class Numbers>
class middle_elimination {
    static constexpr int W = middle_width;
    using pack = typename Numbers::template pack<W>;
    using scalar = typename Numbers::scalar;
    using pointer = typename Numbers::pointer;

public:
    IVP_ALWAYS_INLINE middle_elimination(const middle_factors& to, const scalar& shift)
        : a_{to.n, to.rows, values_of<Numbers>(to)}, order_(to.order), shift_(spread<W>(shift))
    {
        for (int i = 0; i < a_.rows; ++i) order_[i] = i < a_.n ? i : 0;
    }

    [[nodiscard]] IVP_ALWAYS_INLINE const middle_columns<Numbers>& columns() const { return a_; }

    /// c M − J in rows i … of column j; x: what J has there.
    IVP_ALWAYS_INLINE void write(const shifted_source& s, int i, int j, const real_pack<W>& x) const
    {
        pack c = minus<Numbers>(x);
        if constexpr (Numbers::is_complex)
            if (s.imaginary != nullptr) c.im = -read_rows(s.imaginary + index(j) * a_.n, a_.n, i, j + 1 == a_.n);
        if (s.mass == nullptr)
            c = c + select(pack_rows<W>(i) == j, shift_, pack{});
        else
            add_multiple(c, shift_, read_rows(s.mass + index(j) * a_.n, a_.n, i, j + 1 == a_.n));
        store(a_.column(j) + i, c);
    }

    /// The first pivot.
    template <int R>
    IVP_ALWAYS_INLINE bool start()
    {
        held<R> c;
        unrolled<R>([&](auto q) IVP_INLINED { c.p[q.value] = load<W>(a_.a + q.value * W); });
        return take_pivot<R>(0, 0, at(a_.a, 0), c);
    }

    /// Step k for column k + 1, and its pivot. Zeros are not looked for here: a NaN in a row so reaches every later column, and the row's own pivot.
    template <int R>
    IVP_ALWAYS_INLINE bool next(int k)
    {
        const int top = (k + 1) / W * W;
        const pointer column = a_.column(k + 1);
        const scalar u = at(column, k);
        // NOTE: the diagonal entry once more by itself: shorter than to take it out of its pack.
        const scalar diagonal = minus_product(at(column, k + 1), at(a_.column(k), k + 1), u);
        const auto s = a_.template step_of<R>(k, top);
        const pack factor = spread<W>(u);
        held<R> c;
        unrolled<R>([&](auto q) IVP_INLINED {
            c.p[q.value] = load<W>(column + (top + q.value * W));
            subtract_product(c.p[q.value], s.m[q.value], factor);
        });
        return take_pivot<R>(k + 1, top, diagonal, c);
    }

    /// Divides the rows of U by their pivots; false if that overflows.
    [[nodiscard]] IVP_ALWAYS_INLINE bool finish() const
    {
        // NOTE: 0 x is zero where x is finite.
        real_pack<W> watch{};
        for (int j = 0; j < a_.n; ++j) {
            const pointer c = a_.column(j);
            real_pack<W> of_column{};
            const auto look_at = [&](const pack& x) IVP_INLINED {
                if constexpr (Numbers::is_complex)
                    of_column += x.re * 0.0 + x.im * 0.0;
                else
                    of_column += x * 0.0;
            };
            for (int i = 0; i < j; i += W) {
                const pack x = load<W>(c + i);
                const pack divided = select(pack_rows<W>(i) < j, x * load<W>(a_.inverses() + i), x);
                look_at(divided);
                store(c + i, divided);
            }
            watch += of_column;
        }
        double all = 0;
        unrolled<W>([&](auto i) IVP_INLINED { all += watch[i.value]; });
        return all == 0;
    }

private:
    template <int R>
    struct held {
        pack p[R];
    };

    /// c: column k from the pack of the diagonal on.
    template <int R>
    IVP_ALWAYS_INLINE bool take_pivot(int k, int top, scalar diagonal, held<R>& c)
    {
        auto candidates = select(pack_rows<W>(top) >= k, sizes(c.p[0]), real_pack<W>{});
        unrolled<1, R>([&](auto q) IVP_INLINED { candidates = larger(sizes(c.p[q.value]), candidates); });
        const pointer column = a_.column(k) + top;
        // NOTE: no exchange is spared, as it is for small matrices: with that, counts of steps moved away from those of other implementations of a
        // method where pivots are nearly equal (nand).
        if (__builtin_expect(!(size_of(diagonal) >= largest_of(candidates)), 0)) {
            unrolled<R>([&](auto q) IVP_INLINED { store(column + q.value * W, c.p[q.value]); });
            if (!bring_largest(a_, order_, k)) return false;
            unrolled<R>([&](auto q) IVP_INLINED { c.p[q.value] = load<W>(column + q.value * W); });
            diagonal = at(a_.column(k), k);
        }
        const scalar inverse = reciprocal(diagonal);
        if (__builtin_expect(!usable(inverse), 0)) return false;
        put(a_.inverses(), k, inverse);
        const pack factor = spread<W>(inverse);
        store(column, select(pack_rows<W>(top) > k, c.p[0] * factor, c.p[0]));
        unrolled<1, R>([&](auto q) IVP_INLINED { store(column + q.value * W, c.p[q.value] * factor); });
        return true;
    }

    [[gnu::noinline]] static bool bring_largest(const middle_columns<Numbers> a, int* order, int k)
    {
        const int p = largest_row<Numbers>(a.column(k), k, a.n);
        if (p == no_row) return false;
        if (p == k) return true;
        const int row = order[k];
        order[k] = order[p];
        order[p] = row;
        a.exchange_rows(k, p);
        return true;
    }

    middle_columns<Numbers> a_;
    int* order_;
    pack shift_;
};

/// The steps whose next pivot lies in the pack that R packs of a column begin with.
template <int R, class... Eliminations>
IVP_ALWAYS_INLINE bool eliminate_pack(int packs, int n, Eliminations&... e)
{
    int k = (packs - R) * middle_width - 1;
    if (k < 0) {
        if (!(e.template start<R>() && ...)) return false;
        k = 0;
    }
    const int end = (packs - R + 1) * middle_width - 1 < n - 1 ? (packs - R + 1) * middle_width - 1 : n - 1;
    for (; k < end; ++k) {
        if (!(e.template next<R>(k) && ...)) return false;
        update_columns<R>(k, n, e.columns()...);
    }
    return true;
}

template <int R = middle_packs, class... Eliminations>
IVP_ALWAYS_INLINE bool eliminate_packs(int packs, int n, Eliminations&... e)
{
    if constexpr (R == 0) {
        return (e.finish() && ...);
    } else {
        if (R <= packs && !eliminate_pack<R>(packs, n, e...)) return false;
        return eliminate_packs<R - 1>(packs, n, e...);
    }
}

template <class... Eliminations>
IVP_ALWAYS_INLINE bool eliminate_middle(const shifted_source& s, int n, int rows, Eliminations&&... e)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < rows; i += middle_width) {
            const auto x = read_rows(s.jacobian + index(j) * n, n, i, j + 1 == n);
            (e.write(s, i, j, x), ...);
        }
    return eliminate_packs(rows / middle_width, n, e...);
}

/// x = U^-1 L^-1 P b. One pack of unknowns after the other; what it does to the packs that are not the next one waits until it is done.
template <class Numbers>
class middle_substitution {
    static constexpr int W = middle_width;
    using pack = typename Numbers::template pack<W>;
    using pointer = typename Numbers::pointer;
    using const_pointer = typename Numbers::const_pointer;

public:
    IVP_ALWAYS_INLINE middle_substitution(const middle_factors& f, double* memory, const pointer& b)
        : n_(f.n), rows_(f.rows), a_(values_of<Numbers>(f)), w_(memory), answer_(b)
    {
        for (int i = 0; i < rows_; i += W) store(w(i), gathered(b, f.order + i));
        next_ = load<W>(w(0));
    }
    /// Of a right-hand side given as a sum.
    IVP_ALWAYS_INLINE middle_substitution(const middle_factors& f, double* memory, const const_pointer& b1, const const_pointer& b2, const pointer& x)
        : n_(f.n), rows_(f.rows), a_(values_of<Numbers>(f)), w_(memory), answer_(x)
    {
        for (int i = 0; i < rows_; i += W) store(w(i), gathered(b1, f.order + i) + gathered(b2, f.order + i));
        next_ = load<W>(w(0));
    }

    /// Unknown Lane of the pack that starts at row i, which has Below packs below it.
    template <int Below, int Lane>
    IVP_ALWAYS_INLINE void forward(int i)
    {
        if constexpr (Lane == 0) {
            x_ = next_;
            if constexpr (Below > 0) next_ = load<W>(w(i + W));
        }
        factor_[Lane] = spread_lane<Lane>(x_);
        const auto column = a_ + (i + (i + Lane) * rows_);
        if constexpr (Lane + 1 < W) subtract_product(x_, select(pack_rows<W>(0) > Lane, load<W>(column), pack{}), factor_[Lane]);
        if constexpr (Below > 0) subtract_product(next_, load<W>(column + W), factor_[Lane]);
        if constexpr (Lane + 1 == W) store(w(i), x_);
    }
    /// The same unknowns in the pack at row `to`.
    IVP_ALWAYS_INLINE void apply(int i, int to)
    {
        pack x = load<W>(w(to));
        unrolled<W>([&](auto l) IVP_INLINED { subtract_product(x, load<W>(a_ + (to + (i + l.value) * rows_)), factor_[l.value]); });
        store(w(to), x);
    }
    /// After the last pack: the way back starts with it.
    IVP_ALWAYS_INLINE void turn()
    {
        for (int i = 0; i + W < rows_; i += W) store(w(i), divided(load<W>(w(i)), i));
        next_ = divided(x_, rows_ - W);
    }
    /// Unknown Lane of the pack that starts at row i = Above W.
    template <int Above, int Lane>
    IVP_ALWAYS_INLINE void backward()
    {
        constexpr int i = Above * W;
        if constexpr (Lane + 1 == W) {
            x_ = next_;
            if constexpr (Above > 0) next_ = load<W>(w(i - W));
        }
        factor_[Lane] = spread_lane<Lane>(x_);
        const auto column = a_ + (i + Lane) * rows_;
        if constexpr (Lane > 0) subtract_product(x_, select(pack_rows<W>(0) < Lane, load<W>(column + i), pack{}), factor_[Lane]);
        if constexpr (Above > 0) subtract_product(next_, load<W>(column + (i - W)), factor_[Lane]);
        if constexpr (Lane == 0) finish(i);
    }

private:
    [[nodiscard]] IVP_ALWAYS_INLINE pointer w(int i)
    {
        if constexpr (Numbers::is_complex)
            return {w_ + i, w_ + largest_middle + i};
        else
            return w_ + i;
    }
    IVP_ALWAYS_INLINE static real_pack<W> four(const double* b, const int* order)
    {
        return real_pack<W>::of(typename real_pack<W>::numbers{b[order[0]], b[order[1]], b[order[2]], b[order[3]]});
    }
    IVP_ALWAYS_INLINE static pack gathered(const const_pointer& b, const int* order)
    {
        if constexpr (Numbers::is_complex)
            return {four(b.re, order), four(b.im, order)};
        else
            return four(b, order);
    }
    /// By the pivots of the rows from i on.
    [[nodiscard]] IVP_ALWAYS_INLINE pack divided(const pack& x, index i) const { return x * load<W>(a_ + (i + rows_ * rows_)); }
    IVP_ALWAYS_INLINE void finish(int i) const
    {
        if (i + W <= n_)
            store(answer_ + i, x_);
        else
            unrolled<W>([&](auto l) IVP_INLINED {
                if (i + l.value < n_) put(answer_, i + l.value, lane<l.value>(x_));
            });
    }

    int n_;
    index rows_;
    pointer a_;
    double* w_;
    pointer answer_;
    pack x_;
    pack next_;
    pack factor_[W];
};

template <int Packs = middle_packs, class... Substitutions>
IVP_ALWAYS_INLINE void forward_middle(int packs, Substitutions&... s)
{
    if constexpr (Packs > 0) {
        if (Packs <= packs) {
            const int i = (packs - Packs) * middle_width;
            unrolled<middle_width>([&](auto lane) IVP_INLINED { (s.template forward<Packs - 1, lane.value>(i), ...); });
            unrolled<2, Packs>([&](auto q) IVP_INLINED { (s.apply(i, i + q.value * middle_width), ...); });
        }
        forward_middle<Packs - 1>(packs, s...);
    }
}

template <int Packs = middle_packs, class... Substitutions>
IVP_ALWAYS_INLINE void backward_middle(int packs, Substitutions&... s)
{
    if constexpr (Packs > 0) {
        if (Packs <= packs) {
            constexpr int i = (Packs - 1) * middle_width;
            unrolled<middle_width>([&](auto lane) IVP_INLINED { (s.template backward<Packs - 1, middle_width - 1 - lane.value>(), ...); });
            unrolled<2, Packs>([&](auto q) IVP_INLINED { (s.apply(i, i - q.value * middle_width), ...); });
        }
        backward_middle<Packs - 1>(packs, s...);
    }
}

// ---- the functions of the table -----------------------------------------------------------------------------------------------------------

inline bool factor_middle_real(const shifted_source& s, double c, middle_factors& to)
{
    return eliminate_middle(s, to.n, to.rows, middle_elimination<real_numbers>(to, c));
}

inline bool factor_middle_complex(const shifted_source& s, double c_re, double c_im, middle_factors& to)
{
    return eliminate_middle(s, to.n, to.rows, middle_elimination<complex_numbers>(to, {c_re, c_im}));
}

inline bool factor_middle_pair(const shifted_source& s, double c, double c_re, double c_im, middle_factors& to_real, middle_factors& to_complex)
{
    return eliminate_middle(s, to_real.n, to_real.rows, middle_elimination<real_numbers>(to_real, c),
                            middle_elimination<complex_numbers>(to_complex, {c_re, c_im}));
}

template <class... Substitutions>
IVP_ALWAYS_INLINE void substitute_middle(int rows, Substitutions... s)
{
    const int packs = rows / middle_width;
    forward_middle(packs, s...);
    (s.turn(), ...);
    backward_middle(packs, s...);
}

inline void solve_middle_real(const middle_factors& f, double* b)
{
    alignas(64) double work[largest_middle];
    substitute_middle(f.rows, middle_substitution<real_numbers>(f, work, b));
}

inline void solve_middle_sum(const middle_factors& f, const double* a, const double* b, double* x)
{
    alignas(64) double work[largest_middle];
    substitute_middle(f.rows, middle_substitution<real_numbers>(f, work, a, b, x));
}

inline void solve_middle_complex(const middle_factors& f, double* b_re, double* b_im)
{
    alignas(64) double work[2 * largest_middle];
    substitute_middle(f.rows, middle_substitution<complex_numbers>(f, work, {b_re, b_im}));
}

inline void solve_middle_pair(const middle_factors& real, const middle_factors& complex, double* b, double* b_re, double* b_im)
{
    alignas(64) double work[3 * largest_middle];
    substitute_middle(real.rows, middle_substitution<complex_numbers>(complex, work, {b_re, b_im}),
                      middle_substitution<real_numbers>(real, work + 2 * largest_middle, b));
}

inline constexpr middle_kernels middle_sizes = {factor_middle_real, factor_middle_complex, factor_middle_pair, solve_middle_real,
                                                solve_middle_sum,   solve_middle_complex,  solve_middle_pair};

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
