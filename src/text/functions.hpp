// Functions that the scalars do not have, with the same operations wherever they are computed: this text is part of every generated program.
#ifndef IVP_SRC_TEXT_FUNCTIONS_HPP
#define IVP_SRC_TEXT_FUNCTIONS_HPP

#include <ivp/scalar.hpp>

// Everything from here on is also compiled by itself, behind the text of dual numbers.
namespace ivp::text {

template <class T>
struct plain_of {
    static const T& get(const T& x) { return x; }
};
template <class R, int N>
struct plain_of<dual<R, N>> {
    static const R& get(const dual<R, N>& x) { return x.v; }
};

/// A step function: its derivative is zero.
template <class T>
T floor_of(const T& x)
{
    using std::floor;
    return T(floor(plain_of<T>::get(x)));
}
template <class T>
T sign_of(const T& x)
{
    const auto& v = plain_of<T>::get(x);
    return T(v > 0 ? 1 : v < 0 ? -1 : 0);
}
template <class T>
T smaller(const T& a, const T& b)
{
    return b < a ? b : a;
}
template <class T>
T larger(const T& a, const T& b)
{
    return a < b ? b : a;
}
/// a - b floor(a/b)
template <class T>
T remainder_of(const T& a, const T& b)
{
    return a - b * floor_of(a / b);
}

/// x^n for n >= 1 by repeated squaring.
template <class T>
T whole_power(const T& x, int n)
{
    T square = x;
    T result = x;
    bool first = true;
    for (;;) {
        if (n % 2 != 0) {
            if (first)
                result = square;
            else
                result = result * square;
            first = false;
        }
        n /= 2;
        if (n == 0) return result;
        square = square * square;
    }
}

/// A table of n points: their arguments, four coefficients of each piece in powers of the distance to its beginning, the first and the last value.
constexpr int table_size(int n) { return 5 * n - 2; }

/// Before the first point and behind the last one its value holds; at a point the piece ahead.
template <class R, class T>
T table_value(const R* data, int n, const T& x)
{
    const auto& at = plain_of<T>::get(x);
    int low = -1;
    int high = n;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (at < data[middle])
            high = middle;
        else
            low = middle;
    }
    if (low < 0) return T(data[5 * n - 4]);
    if (low == n - 1) return T(data[5 * n - 3]);
    const R* const c = data + n + 4 * low;
    const T d = x - data[low];
    return ((d * c[3] + c[2]) * d + c[1]) * d + c[0];
}

} // namespace ivp::text

#endif
