// With DVERK and SECDER and the arithmetic of the original, the statistics of the package of 1986 come out again, line by line.
#include "table.hpp"

#include "detest/assess.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace {

using namespace ivp;
using namespace ivp::detest;
using testing_support::table_row;

/// One line of the reference, and what came out.
struct comparison {
    table_row line;
    row result;

    [[nodiscard]] std::string name() const
    {
        return fmt::format("{} {} norm {} TOL {}", line.text("problem"), line.text("scaled") == "yes" ? "scaled" : "unscaled", line.text("nrmtyp"),
                           line.text("tol"));
    }
    [[nodiscard]] bool stable() const { return line.text("same_counts_in_3_builds") == "yes"; }
    [[nodiscard]] double tol() const { return static_cast<float>(line.real("tol")); }
};

norm_kind norm_of(long nrmtyp) { return nrmtyp == 1 ? norm_kind::max : nrmtyp == 2 ? norm_kind::l2 : norm_kind::rms; }

std::vector<comparison> run_all(const std::string& solver_name, problem_set set)
{
    const auto solver = open_solver(solver_name);
    solver_request request;
    request.solver = solver.get();
    request.special = options_of_1986(solver->info());
    const auto method = make_solver_method(request);
    assessment_settings settings;
    settings.set = set;
    settings.as_1986 = true;
    settings.timing_s = 0;
    std::map<std::string, assessed_problem> problems;
    std::vector<comparison> all;
    for (const auto& line : testing_support::read_table("reference_run_" + solver_name + ".csv")) {
        const std::string key = (line.text("scaled") == "yes" ? "" : "-") + line.text("problem");
        if (!problems.contains(key)) {
            const auto choice = read_groups(key, set).at(0).at(0);
            problems.emplace(key, detest_problem(*choice.data, choice.scaled, settings));
        }
        settings.norm = norm_of(line.whole("nrmtyp"));
        all.push_back({line, assess_row(problems.at(key), line.real("tol"), *method, settings)});
    }
    return all;
}

/// Relative difference of an error; both are 0, or 1e20 and unknown, where there is none.
double deviation(double reference, double found)
{
    if (reference >= 1e19 || reference == 0) return std::isnan(found) || found == 0 ? 0 : 1;
    return std::abs(found - reference) / reference;
}

double reference_fraction(const table_row& line, const char* count)
{
    return line.whole("ntru") == 0 ? 0 : static_cast<double>(line.whole(count)) / static_cast<double>(line.whole("ntru"));
}

double zero_if_none(double fraction) { return std::isnan(fraction) ? 0 : fraction; }

TEST(reference_run, dverk_to_the_last_count)
{
    int stable = 0;
    for (const auto& c : run_all("dverk", problem_set::nonstiff)) {
        SCOPED_TRACE(c.name());
        const auto& r = c.result;
        if (!c.stable()) { // decided by rounding in the package itself: 12 % is what F5 varies by
            EXPECT_GE(static_cast<double>(r.cost.nfev), 0.88 * c.line.real("nfcn_min"));
            EXPECT_LE(static_cast<double>(r.cost.nfev), 1.12 * c.line.real("nfcn_max"));
            continue;
        }
        ++stable;
        const std::map<std::string, std::int64_t> counts{
            {"cmplet", r.code},
            {"indg", r.truth_global},
            {"indl", r.truth_local},
            {"nfcn", static_cast<std::int64_t>(r.cost.nfev)},
            {"nstp", static_cast<std::int64_t>(r.cost.accepted)},
            {"nstl", static_cast<std::int64_t>(r.lumped_steps)},
            {"ntru", static_cast<std::int64_t>(r.assessed_steps)},
            {"ndcv", static_cast<std::int64_t>(r.deceived_steps)},
            {"nbad", static_cast<std::int64_t>(r.badly_deceived_steps)},
            {"nstart", static_cast<std::int64_t>(r.start_evaluations)},
        };
        for (const auto& [column, found] : counts) EXPECT_EQ(found, c.line.whole(column)) << column;
        EXPECT_LE(deviation(c.line.real("gend"), r.end_error * c.tol()), 0.02);
        EXPECT_LE(deviation(c.line.real("gemx"), r.max_global_error * c.tol()), 0.02);
        EXPECT_LE(deviation(c.line.real("lemxsc"), r.max_local_error), 0.02);
        // Where the method could not start, the package still has the step of the tolerance before.
        if (r.code != could_not_start) {
            EXPECT_LE(deviation(c.line.real("hstart"), r.start_step), 1e-6);
        }
    }
    EXPECT_EQ(stable, 579);
}

/// Lines that are not inside the range of the package's builds, nor within 3 % of it.
struct known_deviation {
    const char* problem;
    const char* scaled;
    double from, to; ///< tolerances
    const char* reason;
};
constexpr known_deviation outside_range[] = {
    {"F5", "yes", 1e-6, 1e-9, "its builds differ by up to a factor of 200: the iteration matrix has entries of 1e23, and what is left is rounding"},
    {"F5", "no", 1e-10, 1e-11, "the tolerance is at the rounding errors of J f"},
    {"F1", "yes", 1e-11, 1e-11, "the tolerance is at the rounding errors of J f; the builds differ by 25 %"},
    {"C5", "no", 1e-10, 1e-10, "the tolerance is at the rounding errors of y (1e6 in size); the builds differ by a factor of 2.4"},
    {"D1", "no", 1e-9, 1e-9, "steps 5 % fewer, calls within the range: an order is chosen differently at the end"},
};

bool is_known(const comparison& c)
{
    return std::any_of(std::begin(outside_range), std::end(outside_range), [&](const known_deviation& k) {
        const double tol = c.line.real("tol");
        return c.line.text("problem") == k.problem && c.line.text("scaled") == k.scaled && tol <= 1.0001 * k.from && tol >= 0.9999 * k.to;
    });
}

TEST(reference_run, secder_in_the_range_of_its_builds)
{
    int compared = 0;
    int inside = 0;
    int fractions = 0;
    int equal_fractions = 0;
    int other_truth = 0;
    for (const auto& c : run_all("secder", problem_set::stiff)) {
        SCOPED_TRACE(c.name());
        const auto& r = c.result;
        ++compared;
        const auto in_range = [&](const char* column, std::uint64_t found) {
            const std::string name(column);
            return static_cast<double>(found) >= 0.97 * c.line.real(name + "_min") && static_cast<double>(found) <= 1.03 * c.line.real(name + "_max");
        };
        const bool fits = in_range("nfcn", r.cost.nfev) && in_range("nstp", r.cost.accepted);
        inside += fits ? 1 : 0;
        if (!is_known(c)) {
            EXPECT_TRUE(fits) << r.cost.nfev << " calls, " << r.cost.accepted << " steps";
        }
        if (!fits) continue;
        EXPECT_EQ(r.reached_end(), c.line.whole("cmplet") == 1 || c.line.whole("cmplet") == 0);
        // Where the true solution is lost is decided by rounding; fractions of different steps say nothing.
        const bool same_truth = std::abs(static_cast<double>(r.assessed_steps) - c.line.real("ntru")) <= 1 + 0.03 * c.line.real("ntru");
        const bool lost_at_once = c.line.whole("ntru") < 5 && c.line.whole("cmplet") != 1;
        if (!same_truth || lost_at_once) {
            ++other_truth;
            EXPECT_LE(c.line.real("tol"), 1.0001e-6); // far above rounding it is not lost
            continue;
        }
        ++fractions;
        const double one_step = c.line.whole("ntru") == 0 ? 0 : 1 / c.line.real("ntru"); // with few steps one of them is more than 0.02
        const double deceived = std::abs(zero_if_none(r.fraction_deceived()) - reference_fraction(c.line, "ndcv"));
        const double badly = std::abs(zero_if_none(r.fraction_badly_deceived()) - reference_fraction(c.line, "nbad"));
        EXPECT_LE(deceived, std::max(0.02, 1.001 * one_step));
        EXPECT_LE(badly, std::max(0.02, 1.001 * one_step));
        equal_fractions += deceived <= 0.02 && badly <= 0.02 ? 1 : 0;
    }
    EXPECT_EQ(compared, 656);
    EXPECT_GE(inside, 644);
    EXPECT_GE(equal_fractions, fractions - 4);
    EXPECT_LE(other_truth, 160); // the package itself lost it in 162 of its lines
    RecordProperty("inside", inside);
    RecordProperty("fractions", fractions);
    RecordProperty("other_truth", other_truth);
}

} // namespace
