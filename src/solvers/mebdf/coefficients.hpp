// The formulas of the modified extended BDF, in backward differences of the last accepted points; q is the order of the BDF.
//
//   BDF          y_{n+1} = y_n + Σ a_j ∇^j y_n + h b y'_{n+1}                                           exact for degree q
//   extended     y_{n+1} = y_n + Σ â_j ∇^j y_n + h (b̂_1 y'_{n+1} + b̂_2 y'_{n+2})                        exact for degree q + 1
//
// with sums over j = 1 … q − 1. The numbers solve these conditions exactly; the test checks them.
#ifndef IVP_SOLVERS_MEBDF_COEFFICIENTS_HPP
#define IVP_SOLVERS_MEBDF_COEFFICIENTS_HPP

#include <array>

namespace ivp::solvers::mebdf {

constexpr int highest_bdf_order = 7;

struct formula {
    double b;                                       ///< of y' in the BDF
    double b1;                                      ///< of y'_{n+1} in the extended formula
    double b2;                                      ///< of y'_{n+2} in the extended formula
    std::array<double, highest_bdf_order> a;        ///< a[0] = 1 belongs to y_n itself
    std::array<double, highest_bdf_order> extended; ///< the same of the extended formula
};

inline constexpr std::array<formula, highest_bdf_order + 1> formulas{{
    {},
    {1.0, 3.0 / 2, -1.0 / 2, {1.0}, {1.0}},
    {2.0 / 3, 22.0 / 23, -4.0 / 23, {1.0, 1.0 / 3}, {1.0, 5.0 / 23}},
    {6.0 / 11, 150.0 / 197, -18.0 / 197, {1.0, 5.0 / 11, 2.0 / 11}, {1.0, 65.0 / 197, 17.0 / 197}},
    {12.0 / 25, 1644.0 / 2501, -144.0 / 2501, {1.0, 13.0 / 25, 7.0 / 25, 3.0 / 25}, {1.0, 1001.0 / 2501, 395.0 / 2501, 111.0 / 2501}},
    {60.0 / 137,
     2940.0 / 4973,
     -200.0 / 4973,
     {1.0, 77.0 / 137, 47.0 / 137, 27.0 / 137, 12.0 / 137},
     {1.0, 2233.0 / 4973, 1063.0 / 4973, 1349.0 / 14919, 394.0 / 14919}},
    {20.0 / 49,
     7260.0 / 13327,
     -400.0 / 13327,
     {1.0, 29.0 / 49, 19.0 / 49, 37.0 / 147, 22.0 / 147, 10.0 / 147},
     {1.0, 6467.0 / 13327, 3437.0 / 13327, 5251.0 / 39981, 2306.0 / 39981, 230.0 / 13327}},
    {140.0 / 363,
     106540.0 / 208903,
     -4900.0 / 208903,
     {1.0, 223.0 / 363, 51.0 / 121, 29.0 / 99, 214.0 / 1089, 130.0 / 1089, 20.0 / 363},
     {1.0, 107263.0 / 208903, 61343.0 / 208903, 34813.0 / 208903, 55159.0 / 626709, 24800.0 / 626709, 2515.0 / 208903}},
}};

/// (q + 1) (1 + 1/2 + … + 1/q), to the four digits that the original code has: ∇^{q+1} y divided by it is the error of the BDF of order q.
/// The entry of order 0 serves as lower neighbour of order 1.
inline constexpr std::array error_divisor{1.0, 2.0, 4.5, 7.333, 10.42, 13.7, 17.15, 20.74, 24.46};

} // namespace ivp::solvers::mebdf

#endif
