// DOPRI5: the method of Dormand and Prince of order 5(4) with seven stages, and Shampine's interpolant.
//
// Row s of `a` (from 0) gives the argument of stage s; row 6 is the solution, so stage 6 is the slope at the new point. All numbers are
// exact fractions (Hairer, Nørsett, Wanner, Solving ODEs I, section II.5); the test checks all conditions for order 5, for the embedded
// order 4 and for the interpolant.
#ifndef IVP_SRC_SOLVERS_DOPRI_DOPRI5_COEFFICIENTS_HPP
#define IVP_SRC_SOLVERS_DOPRI_DOPRI5_COEFFICIENTS_HPP

#include <array>

namespace ivp::solvers {

struct dopri5_coefficients {
    static constexpr int stages = 6; ///< before the solution

    static constexpr std::array<double, stages + 1> c{0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};

    static constexpr std::array<std::array<double, stages>, stages + 1> a{{
        {},
        {0.2},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    }};

    // Difference to the formula of order 4.
    static constexpr std::array<std::array<double, stages + 1>, 1> error{
        {{71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}}};

    // The last coefficient of the interpolant, of order 4.
    static constexpr std::array<std::array<double, stages + 1>, 1> dense{
        {{-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072, 701980252875.0 / 199316789632,
          -1453857185.0 / 822651844, 69997945.0 / 29380423}}};
};

} // namespace ivp::solvers

#endif
