// The generalised Adams methods of order 3, 5, 7 and 9: which formulas a block is made of, and the constants of its iteration.
//
// A block has the equidistant points 0 … D. Its equation i, i = 1 … D, integrates over [i − 1, i] the polynomial through the values of f at `order`
// consecutive points, its window. All weights are computed here from this sentence, exactly, and then rounded once.
#ifndef IVP_SOLVERS_GAMD_COEFFICIENTS_HPP
#define IVP_SOLVERS_GAMD_COEFFICIENTS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace ivp::solvers::gamd_method {

/// An exact number; small ones are enough here. Both parts fit into a double, so that value() is the nearest double.
struct fraction {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;

    [[nodiscard]] constexpr double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
    [[nodiscard]] static constexpr fraction reduced(std::int64_t n, std::int64_t d)
    {
        const std::int64_t common = (d < 0 ? -1 : 1) * std::gcd(n, d);
        return {n / common, d / common};
    }
    friend constexpr fraction operator-(const fraction& a, const fraction& b)
    {
        const std::int64_t common = std::lcm(a.denominator, b.denominator);
        return reduced(a.numerator * (common / a.denominator) - b.numerator * (common / b.denominator), common);
    }
};

constexpr int most_points = 10; ///< of a block

/// ∫ Π (x − l) / divisor over [interval − 1, interval], l = 0 … points − 1 but for `left_out` (−1: none).
constexpr fraction integral_of_product(int points, int interval, int left_out, std::int64_t divisor)
{
    std::array<std::int64_t, most_points + 1> c{1}; // coefficients of the product in x − (interval − 1), ascending
    for (int l = 0; l < points; ++l) {
        if (l == left_out) continue;
        const int root = l - (interval - 1);
        for (int q = most_points; q > 0; --q) c[q] = c[q - 1] - root * c[q];
        c[0] *= -root;
    }
    constexpr std::int64_t multiple_of_all_powers = 27720; // of 1 … 11
    std::int64_t sum = 0;
    for (int q = 0; q <= most_points; ++q) sum += c[q] * (multiple_of_all_powers / (q + 1));
    return fraction::reduced(sum, multiple_of_all_powers * divisor);
}

/// The weight of f at `node` when the polynomial through the points 0 … points − 1 is integrated over [interval − 1, interval].
constexpr fraction quadrature_weight(int points, int interval, int node)
{
    std::int64_t divisor = 1;
    for (int l = 0; l < points; ++l)
        if (l != node) divisor *= node - l;
    return integral_of_product(points, interval, node, divisor);
}

/// What this integral misses, as multiple of h^(points + 1) y^(points + 1).
constexpr fraction error_constant(int points, int interval)
{
    std::int64_t factorial = 1;
    for (int k = 2; k <= points; ++k) factorial *= k;
    return integral_of_product(points, interval, -1, factorial);
}

/// The iteration replaces the matrix of the weights by a lower triangle with one number on the diagonal, so that one factorisation serves all
/// equations. Row i − 2 holds what stands left of the diagonal in equation i. The numbers are those of Iavernaro and Mazzia's code.
template <int Order>
struct splitting;

template <>
struct splitting<3> {
    static constexpr double diagonal = 0.6411501944628007;
    static constexpr double lower[3][3] = {
        {0.4012395124208693},
        {8.819910099032529e-4, 0.3680857287181573},
        {1.728116022258560e-4, 1.635381132422046e-3, 0.3688541178419062},
    };
};

template <>
struct splitting<5> {
    static constexpr double diagonal = 0.6743555662880509;
    static constexpr double lower[5][5] = {
        {0.3668340831928216},
        {2.477905683677308e-3, 0.3216639533696728},
        {-1.919925047010838e-3, 1.231925763308414e-3, 0.3375100828961925},
        {2.218385581234200e-3, 7.841944627374794e-3, -2.614300734741796e-4, 0.3523137378783708},
        {-5.442189351609260e-3, 1.002485104590053e-3, 1.066631182323580e-3, -3.596681121610224e-4, 0.3617716171655064},
    };
};

template <>
struct splitting<7> {
    static constexpr double diagonal = 0.7109158294404152;
    static constexpr double lower[7][7] = {
        {0.3023839891568610},
        {3.201698610574002e-5, 0.2559868364091398},
        {4.193101163680004e-4, 1.336896192287030e-4, 0.2639734712170458},
        {1.686924996069667e-4, 3.080994719931695e-3, 1.734338929611258e-4, 0.2817729090368562},
        {4.806043527549464e-5, 1.457177183563680e-4, 6.704398263264620e-3, 2.877761776030408e-4, 0.2993040718034231},
        {3.598347048026785e-6, 9.259360509484074e-4, 4.559927214651730e-5, 1.810919475521773e-4, 2.009850887505898e-3, 0.3150349043479135},
        {7.892534649789167e-4, 2.397658879381223e-4, 6.396418554053151e-5, 1.009049833235848e-3, 1.748065618845750e-3, 3.243816792609449e-5,
         0.3271307059448932},
    };
};

template <>
struct splitting<9> {
    static constexpr double diagonal = 0.7440547954061898;
    static constexpr double lower[8][8] = {
        {0.2590721934790442},
        {0, 0.2077575545359853},
        {0, 0, 0.2032874698558627},
        {0, 0, 0, 0.2036384888660128},
        {0, 0, 0, 0, 0.2039599505779785},
        {0, 0, 0, 0, 0, 0.2034044409161703},
        {0, 0, 0, 0, 0, 0, 0.2017245408702437},
        {0, 0, 0, 0, 0, 0, 0, 0.1986549276295617},
    };
};

/// Equations are counted from 1, points from 0.
template <int Order>
struct block_method {
    static constexpr int order = Order;
    static constexpr int equations = Order == 9 ? 9 : Order + 1; ///< D
    static constexpr int points = equations + 1;
    using row = std::array<double, points>;
    using table = std::array<row, equations>; ///< [equation − 1][point]

    /// First point of an equation's window: in its middle is the interval of the equation, as far as the ends of the block allow.
    static constexpr int window_start(int equation) { return std::clamp(equation - (order - 1) / 2, 0, points - order); }

    static constexpr fraction exact_weight(int equation, int point)
    {
        const int start = window_start(equation);
        if (point < start || point >= start + order) return {};
        return quadrature_weight(order, equation - start, point - start);
    }
    static constexpr fraction exact_defect(int equation, int point)
    {
        return exact_weight(equation, point) - quadrature_weight(points, equation, point);
    }

    static constexpr table tabulate(fraction (*entry)(int, int))
    {
        table t{};
        for (int i = 1; i <= equations; ++i)
            for (int j = 0; j < points; ++j) t[i - 1][j] = entry(i, j).value();
        return t;
    }
    static constexpr table weights = tabulate(exact_weight);
    /// The weights minus those of the polynomial through all points of the block.
    static constexpr table defect = tabulate(exact_defect);

    static constexpr std::array<double, equations> error_constants = [] {
        std::array<double, equations> c{};
        for (int i = 1; i <= equations; ++i) c[i - 1] = error_constant(order, i - window_start(i)).value();
        return c;
    }();
};

} // namespace ivp::solvers::gamd_method

#endif
