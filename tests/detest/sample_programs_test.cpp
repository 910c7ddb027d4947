// The two sample programs of the package: problem lines, fits, normalised costs, summaries, and the scatter plots of level 4.
#include "table.hpp"

#include "detest/assess.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace {

using namespace ivp;
using namespace ivp::detest;
using testing_support::table_row;

/// How far a printed number may be away.
struct tolerance {
    double relative;
    double absolute; ///< half a unit of the last printed digit
};

class sample_program {
public:
    sample_program(const std::string& solver_name, problem_set set, const char* groups) : solver_(open_solver(solver_name))
    {
        settings_.set = set;
        settings_.as_1986 = true;
        settings_.timing_s = 0;
        request_.solver = solver_.get();
        request_.special = options_of_1986(solver_->info());
        for (const auto& choice : read_groups(groups, set)) {
            auto& group = groups_.emplace_back();
            for (const auto& c : choice) group.push_back(detest_problem(*c.data, c.scaled, settings_));
        }
    }
    assessment run(int level, normalization normalize)
    {
        settings_.level = level;
        settings_.normalize = normalize;
        const auto method = make_solver_method(request_);
        return assess(groups_, settings_, [&](const assessed_problem& p, double tol) { return assess_row(p, tol, *method, settings_); });
    }

private:
    std::unique_ptr<const solver> solver_;
    solver_request request_;
    assessment_settings settings_;
    std::vector<problem_group> groups_;
};

/// The columns v1, v2, … of a line, as far as they are filled.
std::vector<double> numbers_of(const table_row& line)
{
    std::vector<double> v;
    for (int k = 1; k <= 12; ++k) {
        const std::string& text = line.text("v" + std::to_string(k));
        if (text.empty() && k > 1) break;
        v.push_back(text.empty() ? 0 : parse_real(text.starts_with("10^") ? text.substr(3) : text).value());
    }
    return v;
}

void add_costs(std::vector<double>& v, const costs& c, problem_set set)
{
    v.insert(v.end(), {0, 0, static_cast<double>(c.nfev)});
    if (set == problem_set::stiff) v.insert(v.end(), {static_cast<double>(c.njac), static_cast<double>(c.nlu)});
    v.push_back(static_cast<double>(c.accepted));
}

std::vector<double> numbers_of(const row& r, const assessment_settings& s)
{
    std::vector<double> v{std::log10(r.tol)};
    add_costs(v, r.cost, s.set);
    v.push_back(r.end_error);
    v.push_back(r.max_global_error);
    if (s.level >= 3) v.insert(v.end(), {r.max_local_error, r.fraction_deceived(), r.fraction_badly_deceived()});
    return v;
}

std::vector<double> numbers_of(const summary_line& l, const assessment_settings& s, bool with_errors)
{
    std::vector<double> v{l.tol > 0 ? std::log10(l.tol) : 0};
    add_costs(v, l.cost, s.set);
    if (with_errors) v.insert(v.end(), {l.end_error, l.max_global_error});
    const auto assessed = static_cast<double>(l.assessed_steps);
    if (s.level >= 3)
        v.insert(v.end(),
                 {l.max_local_error, static_cast<double>(l.deceived_steps) / assessed, static_cast<double>(l.badly_deceived_steps) / assessed});
    return v;
}

void expect_same(const table_row& line, const std::vector<double>& found, const tolerance& t)
{
    const auto expected = numbers_of(line);
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(found[k], expected[k], t.relative * std::abs(expected[k]) + t.absolute) << "column v" << k + 1;
}

const problem_result& problem_of(const assessment& a, const table_row& line)
{
    for (const auto& g : a.groups)
        for (const auto& p : g.problems)
            if (p.name == line.text("problem_or_summary") && p.scaled == (line.text("scaling") == "scaled")) return p;
    throw std::runtime_error("no such problem");
}

/// Of lines of one kind, the row in turn: they stand in the order of the tolerances.
class turn {
public:
    std::size_t of(const table_row& line, std::size_t cycle)
    {
        return seen_[line.text("run") + line.text("row_kind") + line.text("problem_or_summary") + line.text("scaling")]++ % cycle;
    }

private:
    std::map<std::string, std::size_t> seen_;
};

void compare(const std::string& file, const std::vector<assessment>& runs, const tolerance& counts)
{
    turn turns;
    int compared = 0;
    for (const auto& line : testing_support::read_table(file)) {
        const assessment& a = runs.at(static_cast<std::size_t>(line.whole("run") - 1));
        const std::string kind = line.text("row_kind");
        SCOPED_TRACE(
            fmt::format("run {} {} {} {} {}", line.text("run"), line.text("problem_or_summary"), line.text("scaling"), kind, line.text("v1")));
        const auto group_of = [&]() -> const group_result& {
            return a.groups.at(static_cast<std::size_t>(std::stoi(line.text("problem_or_summary").substr(6)) - 1));
        };
        if (kind == "problem") {
            expect_same(line, numbers_of(problem_of(a, line).rows.at(turns.of(line, 4)), a.settings), counts);
        } else if (kind == "group_summary") {
            expect_same(line, numbers_of(group_of().summary.at(turns.of(line, 4)), a.settings, true), counts);
        } else if (kind == "all_summary") {
            expect_same(line, numbers_of(a.summary.at(turns.of(line, 4)), a.settings, false), counts);
        } else if (kind == "overall") {
            expect_same(line, numbers_of(a.overall, a.settings, false), counts);
        } else if (kind == "fit_endpoint" || kind == "fit_maximum") {
            const auto& p = problem_of(a, line);
            const auto& f = (kind == "fit_endpoint" ? p.end_fit : p.max_fit).value();
            expect_same(line, {f.c, f.e, f.residual, static_cast<double>(f.values)}, {0.03, 0.005});
        } else if (kind == "normalized") {
            const auto& table = problem_of(a, line).normalized.value();
            const auto& l = table.lines.at(turns.of(line, 100));
            std::vector<double> v{static_cast<double>(-l.digits), l.log10_tol, 0, 0, l.nfev};
            if (a.settings.set == problem_set::stiff) v.insert(v.end(), {l.njac, l.nlu});
            v.push_back(l.accepted);
            expect_same(line, v, {counts.relative, std::max(counts.absolute, 1.001)}); // truncated: one of rounding's doing
        } else {
            continue;
        }
        ++compared;
    }
    EXPECT_GT(compared, 120);
}

TEST(sample_program, nonstiff)
{
    sample_program s("dverk", problem_set::nonstiff, "-A1,-A2,-A3,-A4,-A5;-B1,-B2,-B3,-B4,-B5");
    compare("sample_tables_nsttru.csv", {s.run(2, normalization::none), s.run(3, normalization::none), s.run(2, normalization::max)}, {1e-4, 0.0051});
}

// Of SECDER a count may be another by rounding: 3 per cent, or 2.
TEST(sample_program, stiff)
{
    sample_program s("secder", problem_set::stiff, "E1,E3;-E1,-E3");
    compare("sample_tables_stttru.csv", {s.run(2, normalization::none), s.run(3, normalization::none), s.run(2, normalization::max)}, {0.03, 2});
}

/// DVERK as the sample program ran it: the estimate of its pair was told without the factor h.
class sample_method final : public method {
public:
    explicit sample_method(std::unique_ptr<method> inner) : inner_(std::move(inner)) {}
    [[nodiscard]] std::string name() const override { return inner_->name(); }
    [[nodiscard]] bool extrapolated() const override { return true; }
    method_run integrate(const assessed_problem& p, double tol, std::optional<double> h0, step_sink* sink) override
    {
        unscaled_sink unscaled(sink, p.t0());
        return inner_->integrate(p, tol, h0, sink == nullptr ? nullptr : &unscaled);
    }

private:
    struct unscaled_sink final : step_sink {
        unscaled_sink(step_sink* s, double t0) : sink(s), t_old(t0) {}
        bool after_step(double t, std::span<const double> y, double bound, std::span<const double> estimate) override
        {
            slope.assign(estimate.begin(), estimate.end());
            for (double& e : slope) e /= t - t_old;
            t_old = t;
            return sink->after_step(t, y, bound, slope);
        }
        step_sink* sink;
        double t_old;
        std::vector<double> slope;
    };
    std::unique_ptr<method> inner_;
};

TEST(sample_program, scatter_plots)
{
    std::map<std::string, scatter_table> plots;
    const auto plot_of = [&](const table_row& line) -> const scatter_table& {
        const std::string key = line.text("method") + line.text("problem") + line.text("log10_tol");
        if (!plots.contains(key)) {
            const bool dverk = line.text("method") == "DVERK";
            assessment_settings s;
            s.set = dverk ? problem_set::nonstiff : problem_set::stiff;
            s.as_1986 = true;
            s.level = 4;
            s.timing_s = 0;
            const auto solver = open_solver(dverk ? "dverk" : "secder");
            solver_request request;
            request.solver = solver.get();
            request.special = options_of_1986(solver->info());
            auto method = make_solver_method(request);
            if (dverk) method = std::make_unique<sample_method>(std::move(method));
            const auto choice = read_groups(line.text("problem"), s.set).at(0).at(0);
            const auto p = detest_problem(*choice.data, true, s);
            plots[key] = assess_row(p, std::pow(10.0, line.real("log10_tol")), *method, s).scatter.value();
        }
        return plots.at(key);
    };
    int cells = 0;
    int equal = 0;
    for (const auto& line : testing_support::read_table("sample_scatter_opt4.csv")) {
        const scatter_table& plot = plot_of(line);
        const auto count = static_cast<double>(
            plot.count(static_cast<int>(line.whole("class_of_r_horizontal")), static_cast<int>(line.whole("class_of_r_vertical"))));
        const double percent = 100 * count / static_cast<double>(plot.total());
        const std::string& printed = line.text("percent_truncated");
        const double expected = printed == "<1" ? 0.5 : parse_real(printed).value();
        ++cells;
        equal += printed == "<1" ? (percent > 0 && percent < 1) : std::floor(percent) == expected;
        EXPECT_GT(percent, 0);
        EXPECT_NEAR(percent, expected, 2.5) << line.text("method") << ' ' << line.text("problem") << ' ' << line.text("log10_tol");
    }
    EXPECT_EQ(cells, 143);
    EXPECT_GE(equal, 135); // steps of SECDER near a boundary
}

} // namespace
