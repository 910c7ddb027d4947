// The blended implicit methods of order 4, 6, 8, 10 and 12.
//
// A block advances from t_0 over the points t_0 + i h, i = 1 … k, by one formula in two equivalent forms, with e = (1, …, 1):
//
//   first    Y − e y_0 = h (b f_0 + C F)
//   second   γ C^-1 (Y − e y_0) = h (γ C^-1 b f_0 + γ F)
//
// Row i of [b | C] integrates from 0 to i the polynomial through the points 0 … k, plus v_i times the k-th difference of f, which damps the
// components of large negative eigenvalues. The last row has v_k = 0: it is the closed Newton-Cotes rule and gives the order at the block's end.
#ifndef IVP_SOLVERS_BIMD_COEFFICIENTS_HPP
#define IVP_SOLVERS_BIMD_COEFFICIENTS_HPP

#include <ivp/scalar.hpp>

#include <array>
#include <cstddef>

namespace ivp::solvers::bimd_method {

constexpr int level_count = 5; ///< orders 4, 6, 8, 10, 12 are the levels 0 … 4
constexpr int most_points = 10;
constexpr int order_of(int level) { return 4 + 2 * level; }
constexpr int level_of(int order) { return order / 2 - 2; }

/// Points of a block, without its beginning.
constexpr std::array<int, level_count> points{3, 4, 6, 8, 10};

/// Factors of the points 0 … k.
using point_factors = std::array<double, most_points + 1>;

struct formula {
    int k = 0;
    double gamma = 0;
    std::array<point_factors, most_points> second_y{};     ///< γ C^-1 [−e | I]
    std::array<double, most_points> second_f0{};           ///< γ C^-1 b
    std::array<point_factors, most_points> difference_y{}; ///< [−e | I] minus the second form's
    std::array<point_factors, most_points> difference_f{}; ///< [b | C] minus the second form's [γ C^-1 b | γ I]
    point_factors highest_difference{};                    ///< the k-th difference
};

namespace detail {

struct fraction {
    long long above;
    long long below;
};

/// γ in units of 1e-4: the value for which the blended iteration contracts best.
constexpr std::array<int, level_count> gamma{7387, 8482, 7285, 6745, 6433};

/// v_1 … v_{k−1}.
constexpr std::array<std::array<fraction, most_points - 1>, level_count> damping{{
    {{{1, 30}, {-1, 15}}},
    {{{-3, 40}, {4, 45}, {1, 24}}},
    {{{25, 1008}, {32, 1575}, {-81, 2800}, {-8, 1575}, {7, 720}}},
    {{{39053, 2471040}, {-1004, 105105}, {-55175, 8072064}, {2048, 189189}, {821, 2690688}, {-124, 24255}, {32381, 17297280}}},
    {{{552009, 108908800},
      {-1939712, 310134825},
      {14020027, 3780691200},
      {9704, 3828825},
      {-1953125, 453682944},
      {26912, 103378275},
      {325069, 140025600},
      {-404048, 310134825},
      {150851, 801964800}}},
}};

template <std::size_t N>
using square = std::array<std::array<quad, N>, N>;

/// Entry (i, j): weight of the value at point j in the integral from 0 to i of the polynomial through the points 0 … K.
template <int K>
constexpr square<K + 1> integration_weights()
{
    square<K + 1> weight{};
    for (int j = 0; j <= K; ++j) {
        std::array<quad, K + 1> product{}; // of (x − m)/(j − m), by powers of x
        product[0] = 1;
        for (int m = 0; m <= K; ++m) {
            if (m == j) continue;
            for (int p = K; p >= 0; --p) product[p] = ((p > 0 ? product[p - 1] : quad(0)) - quad(m) * product[p]) / quad(j - m);
        }
        for (int i = 1; i <= K; ++i) {
            quad power = 1;
            quad sum = 0;
            for (int p = 0; p <= K; ++p) {
                power *= quad(i);
                sum += product[p] * power / quad(p + 1);
            }
            weight[i][j] = sum;
        }
    }
    return weight;
}

template <std::size_t N>
constexpr square<N> inverse_of(square<N> a)
{
    square<N> x{};
    for (std::size_t i = 0; i < N; ++i) x[i][i] = 1;
    for (std::size_t c = 0; c < N; ++c) {
        std::size_t pivot = c;
        for (std::size_t i = c; i < N; ++i)
            if (a[i][c] * a[i][c] > a[pivot][c] * a[pivot][c]) pivot = i;
        const auto a_row = a[pivot];
        const auto x_row = x[pivot];
        a[pivot] = a[c];
        x[pivot] = x[c];
        for (std::size_t j = 0; j < N; ++j) {
            a[c][j] = a_row[j] / a_row[c];
            x[c][j] = x_row[j] / a_row[c];
        }
        for (std::size_t i = 0; i < N; ++i) {
            if (i == c) continue;
            const quad factor = a[i][c];
            for (std::size_t j = 0; j < N; ++j) {
                a[i][j] -= factor * a[c][j];
                x[i][j] -= factor * x[c][j];
            }
        }
    }
    return x;
}

/// Computed in quadruple precision, so that every factor is the nearest double.
template <int Level>
constexpr formula make_formula()
{
    constexpr int k = points[Level];
    formula result;
    result.k = k;
    const quad g = quad(gamma[Level]) / quad(10000);
    result.gamma = static_cast<double>(g);

    std::array<quad, k + 1> difference{};
    difference[0] = 1;
    for (int d = 0; d < k; ++d)
        for (int j = k; j >= 0; --j) difference[j] = (j > 0 ? difference[j - 1] : quad(0)) - difference[j];

    auto row = integration_weights<k>();
    for (int i = 1; i < k; ++i)
        for (int j = 0; j <= k; ++j) row[i][j] += quad(damping[Level][i - 1].above) / quad(damping[Level][i - 1].below) * difference[j];

    square<k> c{};
    for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j) c[i][j] = row[i + 1][j + 1];
    const auto inverse = inverse_of(c);

    for (int i = 0; i < k; ++i) {
        quad row_sum = 0;
        quad start = 0;
        for (int j = 0; j < k; ++j) {
            const quad entry = g * inverse[i][j];
            row_sum += entry;
            start += entry * row[j + 1][0];
            result.second_y[i][j + 1] = static_cast<double>(entry);
            result.difference_y[i][j + 1] = static_cast<double>(quad(i == j ? 1 : 0) - entry);
            result.difference_f[i][j + 1] = static_cast<double>(row[i + 1][j + 1] - (i == j ? g : quad(0)));
        }
        result.second_y[i][0] = static_cast<double>(-row_sum);
        result.difference_y[i][0] = static_cast<double>(row_sum - quad(1));
        if (i == k - 1) start = 0; // what is left is rounding: this row is γ times the BDF of order k
        result.second_f0[i] = static_cast<double>(start);
        result.difference_f[i][0] = static_cast<double>(row[i + 1][0] - start);
    }
    for (int j = 0; j <= k; ++j) result.highest_difference[j] = static_cast<double>(difference[j]);
    return result;
}

} // namespace detail

template <int Level>
inline constexpr formula formula_of_level = detail::make_formula<Level>();

/// action.template operator()<Level>(), with the level known to the compiler.
template <class Action>
decltype(auto) with_level(int level, Action&& action)
{
    switch (level) {
    case 0: return action.template operator()<0>();
    case 1: return action.template operator()<1>();
    case 2: return action.template operator()<2>();
    case 3: return action.template operator()<3>();
    default: return action.template operator()<4>();
    }
}

} // namespace ivp::solvers::bimd_method

#endif
