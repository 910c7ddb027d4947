// One table of columns: a number means the same, and is written the same way, wherever it is shown.
#include "report/columns.hpp"

#include "report/diagram.hpp"
#include "report/table.hpp"
#include "run/work_precision.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ivp {

namespace {

run_record example()
{
    run_record r;
    r.problem = "plain";
    r.solver = "fast";
    r.form = "ode";
    r.dimension = 2;
    r.rtol = {1e-7};
    r.atol = {1e-7};
    r.mescd = -1.234;
    r.steps = 12345;
    r.nfev = 2237;
    r.nfev_jac = 322;
    r.cpu_s = 1.234e-5;
    return r;
}

std::string shown(medium m, const run_column& c, run_record r, double asked = 0)
{
    r.rtol_asked = asked;
    return cell_text(m, c.of({.run = r, .name = "fast"}));
}

} // namespace

TEST(columns, evaluations_for_differences_count_in_every_table)
{
    const run_record r = example();
    EXPECT_EQ(shown(medium::text, column::f, r), "2559");
    EXPECT_EQ(shown(medium::html, column::f, r), "2559");
    EXPECT_EQ(shown(medium::tex, column::f, r), "2559");
    EXPECT_EQ(shown(medium::text, column::f_differences, r), "322");
    EXPECT_NE(characteristics_table(std::vector{r}).find(" 2559 "), std::string::npos);
    work_precision_result result;
    result.problem = "plain";
    result.rtol = {1e-7};
    result.solvers = {"fast"};
    result.records = {r};
    EXPECT_NE(work_precision_table(std::vector{result}, "fast").find(" 2559 "), std::string::npos);
    EXPECT_NE(point_text(r).find(" 2559 f"), std::string::npos) << "the hint at a point of a diagram";
}

TEST(columns, a_tolerance_that_differs_by_component_is_the_one_asked_for_with_a_mark)
{
    run_record r = example();
    r.rtol = {1e-7, 1e-5};
    EXPECT_EQ(shown(medium::text, column::rtol, r, 1e-7), "1e-07*");
    EXPECT_EQ(shown(medium::html, column::rtol, r, 1e-7), "10<sup>−7</sup>*");
    EXPECT_EQ(shown(medium::tex, column::rtol, r, 1e-7), "$10^{-7}$\\rlap{*}");
    EXPECT_EQ(shown(medium::text, column::rtol, r), "*") << "what was asked for is not known";
    r.rtol = {1e-7, 1e-7};
    EXPECT_EQ(shown(medium::text, column::rtol, r), "1e-07");
}

TEST(columns, digits_to_rely_on_are_never_rounded_up)
{
    const run_record r = example();
    EXPECT_EQ(cell_text(medium::text, column::digits.of({.run = r, .name = "", .digits = 5.9999})), "5.99");
}

TEST(columns, text_is_aligned_by_characters_and_has_no_blanks_at_its_end)
{
    constexpr const run_column* columns[] = {&column::solver, &column::steps, &column::outcome};
    text_table table(columns);
    run_record r = example();
    table.add({.run = r, .name = "λ-method"});
    r.outcome = outcome::timed_out;
    table.add({.run = r, .name = "a-long-solver-name"});
    EXPECT_EQ(table.head(), "solver               steps\n--------------------------\n");
    EXPECT_EQ(table.row(0), "λ-method             12345\n");
    EXPECT_EQ(table.row(1), "a-long-solver-name   12345 timed_out\n");
}

TEST(numbers, of_residuals)
{
    EXPECT_EQ(residual_number(medium::text, 2e-7), "2.0e-07");
    EXPECT_EQ(residual_number(medium::html, 1.64e-4), "1.6·10<sup>−4</sup>");
    EXPECT_EQ(residual_number(medium::html, 15.2), "1.5·10<sup>1</sup>");
    EXPECT_EQ(residual_number(medium::tex, 1.64e-4), "$1.6\\cdot10^{-4}$");
    for (const auto m : {medium::text, medium::html, medium::tex}) EXPECT_EQ(residual_number(m, 0), "0");
}

TEST(numbers, of_tolerances)
{
    EXPECT_EQ(tolerance_number(medium::text, 1e-4), "1e-04");
    EXPECT_EQ(tolerance_number(medium::text, std::pow(10, -4.25)), "5.6e-05");
    EXPECT_EQ(tolerance_number(medium::text, 0.01), "1e-02");
    EXPECT_EQ(tolerance_number(medium::html, 1e-4), "10<sup>−4</sup>");
    EXPECT_EQ(tolerance_number(medium::html, 3e-5), "3·10<sup>−5</sup>");
    EXPECT_EQ(tolerance_number(medium::tex, 1e-4), "$10^{-4}$");
    EXPECT_EQ(tolerance_number(medium::tex, std::pow(10, -4.25)), "$10^{-4.25}$");
    EXPECT_EQ(tolerance_number(medium::tex, 3e-5), "$3\\cdot10^{-5}$");
    for (const auto m : {medium::text, medium::html, medium::tex}) EXPECT_EQ(tolerance_number(m, 0), "0");
}

TEST(numbers, of_digits_counts_and_seconds)
{
    EXPECT_EQ(digits_number(medium::text, -1.234), "-1.23");
    EXPECT_EQ(digits_number(medium::html, -1.234), "−1.23");
    EXPECT_EQ(digits_number(medium::tex, -1.234), "$-1.23$");
    EXPECT_EQ(digits_number(medium::tex, std::nullopt), "");
    EXPECT_EQ(count_number(medium::html, 12345), "12\u202F345");
    EXPECT_EQ(count_number(medium::html, 1234), "1234");
    EXPECT_EQ(count_number(medium::text, 12345), "12345");
    EXPECT_EQ(seconds_number(medium::text, 1.234e-5), "1.23e-05");
    EXPECT_EQ(seconds_number(medium::html, 1.234e-5), "12.3\u202Fµs");
    EXPECT_EQ(seconds_number(medium::html, 9.996e-4), "1.00\u202Fms");
    EXPECT_EQ(seconds_number(medium::html, 0.1234), "123\u202Fms");
    EXPECT_EQ(seconds_number(medium::html, 12.34), "12.3\u202Fs");
    EXPECT_EQ(seconds_number(medium::tex, 1.234e-5), "0 & 0000123");
    EXPECT_EQ(seconds_number(medium::tex, 123.44), "123 & 4");
    EXPECT_EQ(seconds_number(medium::tex, NAN), "\\multicolumn{2}{c@{}}{}");
    EXPECT_EQ(seconds_number(medium::text, NAN), "");
}

} // namespace ivp
