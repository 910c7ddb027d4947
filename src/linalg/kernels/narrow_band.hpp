// Band matrices with one or two diagonals on either side: LU with partial pivoting by rows. The rows that take part in a step are held in
// registers, each as its first entry and a pack of the others.
//
// A step is a chain of a division, a product and a subtraction, and the next one waits for it. A real and a complex matrix in one loop therefore cost
// hardly more than the complex one alone.
#ifndef IVP_LINALG_KERNELS_NARROW_BAND_HPP
#define IVP_LINALG_KERNELS_NARROW_BAND_HPP

#include "linalg/kernels/packs.hpp"

namespace ivp::kernels::IVP_KERNEL_SET {

/// What is kept of one row: the reciprocal pivot, the row of U divided by its pivot, the multipliers.
template <int Lower, int Upper>
struct narrow_row {
    static constexpr int tail = Lower + Upper;
    static constexpr int inverse = 0;
    static constexpr int u = 1;
    static constexpr int multipliers = 5; // behind a whole pack
    static constexpr int length = 8;
};

template <class Numbers, int Lower, int Upper>
class narrow_elimination {
    static constexpr int W = 4;
    static constexpr int tail = Lower + Upper;
    static_assert(tail <= W);
    using pack = typename Numbers::template pack<W>;
    using scalar = typename Numbers::scalar;
    using pointer = typename Numbers::pointer;
    using const_pointer = typename Numbers::const_pointer;
    using row = narrow_row<Lower, Upper>;

public:
    /// Entry (i, j) of the matrix at i − j + Upper + j (Lower + Upper + 1); there are zeros behind the last column.
    IVP_INLINE narrow_elimination(int n, const_pointer a, pointer factors, int* pivot) : n_(n), a_(a), factors_(factors), pivot_(pivot)
    {
        repeat<0, Lower>([&](auto i) { // row i, from column 0 on
            alignas(32) double zeros[2 * (W + 1)]{};
            pointer line{};
            if constexpr (Numbers::is_complex)
                line = {zeros, zeros + W + 1};
            else
                line = zeros;
            for (int j = 0; j <= i.value + Upper && j < n_; ++j)
                if (i.value < n_) put(line, j, at(a_, i.value - j + Upper + j * (tail + 1)));
            head_[i.value] = at(line, 0);
            tail_[i.value] = load<W>(line + 1);
        });
    }

    /// Step k; false: singular or not finite.
    IVP_INLINE bool step(int k)
    {
        take_row(k + Lower);
        double largest = 0;
        repeat<1, Lower + 1>([&](auto i) {
            const double s = size_of(head_[i.value]);
            largest = s > largest ? s : largest;
        });
        pivot_[k] = 0;
        if (__builtin_expect(!(size_of(head_[0]) >= largest), 0) && !exchange_with_largest(k)) return false;

        const scalar inverse = reciprocal(head_[0]);
        const pointer kept = factors_ + k * row::length;
        put(kept, row::inverse, inverse);
        const pack u = tail_[0];
        store(kept + row::u, product(u, spread<W>(inverse)));
        repeat<1, Lower + 1>([&](auto i) {
            const scalar multiplier = times(head_[i.value], inverse);
            put(kept, row::multipliers + i.value - 1, multiplier);
            pack rest = tail_[i.value];
            subtract_product(rest, u, spread<W>(multiplier));
            head_[i.value - 1] = lane<0>(rest);
            tail_[i.value - 1] = shifted(rest);
        });
        return usable(inverse);
    }

private:
    IVP_INLINE static typename lanes<W>::numbers shift_lanes(typename lanes<W>::numbers v)
    {
        return __builtin_shufflevector(v, typename lanes<W>::numbers{}, 1, 2, 3, 4);
    }
    IVP_INLINE static pack shifted(const pack& x)
    {
        if constexpr (Numbers::is_complex)
            return {shift_lanes(x.re), shift_lanes(x.im)};
        else
            return {shift_lanes(x.v)};
    }

    IVP_INLINE static typename lanes<W>::numbers gather(const double* p)
    {
        typename lanes<W>::numbers v{};
        repeat<0, tail>([&](auto j) { v[j.value] = p[j.value * tail]; });
        return v;
    }
    /// Row i from column i − Lower on becomes the last of those in use. Beyond the matrix it is zero.
    IVP_INLINE void take_row(int i)
    {
        if (i >= n_) {
            head_[Lower] = scalar{};
            tail_[Lower] = pack{};
            return;
        }
        const const_pointer p = a_ + (tail + (i - Lower) * index(tail + 1));
        head_[Lower] = at(p, 0);
        if constexpr (Numbers::is_complex)
            tail_[Lower] = {gather(p.re + tail), gather(p.im + tail)};
        else
            tail_[Lower] = {gather(p + tail)};
    }

    IVP_INLINE bool exchange_with_largest(int k)
    {
        double best = size_of(head_[0]);
        if (best != best) return false;
        int p = 0;
        repeat<1, Lower + 1>([&](auto i) {
            const double s = size_of(head_[i.value]);
            if (!(s <= best)) {
                best = s;
                p = i.value;
            }
        });
        if (!(best <= 0x1.fffffffffffffp+1023)) return false;
        pivot_[k] = p;
        repeat<1, Lower + 1>([&](auto i) {
            if (i.value == p) {
                const scalar h = head_[0];
                head_[0] = head_[i.value];
                head_[i.value] = h;
                const pack t = tail_[0];
                tail_[0] = tail_[i.value];
                tail_[i.value] = t;
            }
        });
        return true;
    }

    int n_;
    const_pointer a_;
    pointer factors_;
    int* pivot_;
    scalar head_[Lower + 1];
    pack tail_[Lower + 1];
};

/// Forward and backward substitution, one row at a time.
template <class Numbers, int Lower, int Upper>
class narrow_substitution {
    static constexpr int tail = Lower + Upper;
    using scalar = typename Numbers::scalar;
    using pointer = typename Numbers::pointer;
    using const_pointer = typename Numbers::const_pointer;
    using row = narrow_row<Lower, Upper>;

public:
    IVP_INLINE narrow_substitution(int n, const_pointer factors, const int* pivot, pointer b) : n_(n), factors_(factors), pivot_(pivot), b_(b)
    {
        repeat<0, Lower>([&](auto i) { x_[i.value] = i.value < n ? at(b, i.value) : scalar{}; });
    }

    IVP_INLINE void forward(int k)
    {
        x_[Lower] = k + Lower < n_ ? at(b_, k + Lower) : scalar{};
        if (__builtin_expect(pivot_[k] != 0, 0))
            repeat<1, Lower + 1>([&](auto i) {
                if (i.value == pivot_[k]) {
                    const scalar y = x_[0];
                    x_[0] = x_[i.value];
                    x_[i.value] = y;
                }
            });
        const const_pointer kept = factors_ + k * row::length;
        put(b_, k, times(x_[0], at(kept, row::inverse)));
        const scalar y = x_[0];
        repeat<1, Lower + 1>([&](auto i) { x_[i.value - 1] = minus_product(x_[i.value], at(kept, row::multipliers + i.value - 1), y); });
    }
    IVP_INLINE void turn()
    {
        repeat<0, tail>([&](auto i) { x_[i.value] = scalar{}; });
    }
    IVP_INLINE void backward(int k)
    {
        const const_pointer kept = factors_ + k * row::length;
        scalar sum = at(b_, k);
        // NOTE: the value that was computed last comes last, so that only one product waits for it.
        repeat<0, tail>([&](auto i) {
            constexpr int j = tail - 1 - decltype(i)::value;
            sum = minus_product(sum, at(kept, row::u + j), x_[j]);
        });
        repeat<0, tail - 1>([&](auto i) {
            constexpr int j = tail - 1 - decltype(i)::value;
            x_[j] = x_[j - 1];
        });
        x_[0] = sum;
        put(b_, k, sum);
    }

private:
    int n_;
    const_pointer factors_;
    const int* pivot_;
    pointer b_;
    scalar x_[tail + 1];
};

} // namespace ivp::kernels::IVP_KERNEL_SET

#endif
