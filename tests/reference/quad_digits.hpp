// Digits of an integration in quadruple precision against the stored reference of a problem.
#ifndef IVP_TESTS_MEASURE_QUAD_DIGITS_HPP
#define IVP_TESTS_MEASURE_QUAD_DIGITS_HPP

#include "reference/solve_quad.hpp"

#include <ivp/accuracy.hpp>
#include <ivp/catalog.hpp>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ivp::testing_support {

struct quad_row {
    const char* problem;
    double rtol;
    double atol;
    double digits; ///< scd that must be reached: what two independent integrations of the problem have in common with the reference
};

inline void PrintTo(const quad_row& r, std::ostream* out) { *out << r.problem; }

inline double reference_digits(const quad_row& row)
{
    const problem p = open_problem(row.problem);
    const tolerances tol = p.info().protocol.expand(row.rtol, row.atol);
    const quad_solution s = solve_quad(p, tol);
    EXPECT_EQ(s.outcome, outcome::success) << s.message;
    std::vector<double> y;
    std::vector<double> reference;
    for (const quad& v : s.y) y.push_back(value_of(v));
    for (const decimal& v : p.reference()->value) reference.push_back(v.value());
    return measure_accuracy(y, reference, tol, p.info().accuracy).scd.value_or(-99);
}

} // namespace ivp::testing_support

#endif
