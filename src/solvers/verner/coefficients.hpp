// Verner's pair of orders 6 and 5 in eight stages. The test checks all conditions for order 6 and for the embedded order 5.
//
// All coefficients have one common denominator, so the table holds whole numbers, which a double keeps exactly: a sum over the stages is
// multiplied by h/denominator.
#ifndef IVP_SRC_SOLVERS_VERNER_COEFFICIENTS_HPP
#define IVP_SRC_SOLVERS_VERNER_COEFFICIENTS_HPP

#include <array>

namespace ivp::solvers {

struct dverk_fractions {
    static constexpr double denominator = 1398169080000;
    static constexpr double q(double numerator, double divisor) { return denominator / divisor * numerator; }
};

struct dverk_coefficients : private dverk_fractions {
    static constexpr int stages = 8;
    static constexpr double denominator = dverk_fractions::denominator;

    static constexpr std::array<double, stages> c{0, 1.0 / 6, 4.0 / 15, 2.0 / 3, 5.0 / 6, 1, 1.0 / 15, 1};

    /// n where v is 1/n, n > 1; else 0.
    static constexpr double whole_inverse(double v)
    {
        for (int n = 2; n <= 15; ++n)
            if (v == 1.0 / n) return n;
        return 0;
    }

    /// The last row is the solution of order 6.
    static constexpr std::array<std::array<double, stages>, stages + 1> a{{
        {},
        {q(1, 6)},
        {q(4, 75), q(16, 75)},
        {q(5, 6), q(-8, 3), q(5, 2)},
        {q(-165, 64), q(55, 6), q(-425, 64), q(85, 96)},
        {q(12, 5), q(-8, 1), q(4015, 612), q(-11, 36), q(88, 255)},
        {q(-8263, 15000), q(124, 75), q(-643, 680), q(-81, 250), q(2484, 10625)},
        {q(3501, 1720), q(-300, 43), q(297275, 52632), q(-319, 2322), q(24068, 84065), 0, q(3850, 26703)},
        {q(3, 40), 0, q(875, 2244), q(23, 72), q(264, 1955), 0, q(125, 11592), q(43, 616)},
    }};

    /// Solution of order 5 minus solution of order 6.
    static constexpr std::array<std::array<double, stages>, 1> error{
        {{q(1, 160), 0, q(125, 17952), q(-1, 144), q(12, 1955), q(3, 44), q(-125, 11592), q(-43, 616)}}};
};

} // namespace ivp::solvers

#endif
