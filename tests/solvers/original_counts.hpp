// Rows of counts that an original code, or a published table, has for a run: one expectation for the tests of all solvers.
#ifndef IVP_TESTS_SOLVERS_ORIGINAL_COUNTS_HPP
#define IVP_TESTS_SOLVERS_ORIGINAL_COUNTS_HPP

#include <ivp/record.hpp>

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <ostream>

namespace ivp::testing_support {

/// A run with the settings that decide it. Tests with other settings or columns have rows of their own.
struct original_run {
    const char* problem;
    double rtol, atol, h0;
    std::uint64_t steps, accepted, nfev, njac, nlu;
};

inline void PrintTo(const original_run& r, std::ostream* out) { *out << r.problem << " " << r.rtol; }

/// Compares the columns that the row has. An scd that is NaN is not defined.
template <class Row>
void expect_counts(const run_record& r, const Row& row)
{
    constexpr double half_a_printed_digit = 0.0051;
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_EQ(r.steps, row.steps);
    EXPECT_EQ(r.accepted, row.accepted);
    EXPECT_EQ(r.nfev, row.nfev);
    if constexpr (requires { row.njac; }) {
        EXPECT_EQ(r.njac, row.njac);
    }
    if constexpr (requires { row.nlu; }) {
        EXPECT_EQ(r.nlu, row.nlu);
    }
    if constexpr (requires { row.scd; }) {
        if (!std::isnan(row.scd)) {
            EXPECT_NEAR(r.scd.value(), row.scd, half_a_printed_digit);
        }
    }
}

} // namespace ivp::testing_support

#endif
