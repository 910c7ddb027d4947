#include "assessment_comparison.hpp"

#include "base/escape.hpp"

#include <ivp/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ivp {

bool reached_end(const json& row)
{
    const auto code = row.find("code");
    if (code == row.end() || !code->is_number()) return row.value("outcome", "") == "success";
    return *code == detest::all_well || *code == detest::truth_failed || *code == detest::failed_while_timed;
}

namespace {

double number_or_zero(const json& j, const char* name)
{
    const auto found = j.find(name);
    return found != j.end() && found->is_number() ? found->get<double>() : 0;
}

void add(reliability& sum, const json& row)
{
    if (!reached_end(row)) {
        ++sum.failed;
        return;
    }
    ++sum.runs;
    sum.evaluations += number_or_zero(row, "nfev") + number_or_zero(row, "nfev_jac");
    sum.steps += number_or_zero(row, "accepted");
    sum.assessed += number_or_zero(row, "assessed_steps");
    sum.deceived += number_or_zero(row, "deceived_steps");
    sum.badly += number_or_zero(row, "badly_deceived_steps");
    sum.without_truth += number_or_zero(row, "steps_without_truth");
    sum.largest_error = std::max(sum.largest_error, number_or_zero(row, "max_local_error"));
}

void add(error_counts& counts, const json& pairs)
{
    for (const auto& pair : pairs) counts[pair.at(0).get<int>()] += pair.at(1).get<double>();
}

/// The letter of a DETEST problem, else the number of the group.
std::string class_of(const json& problem, std::size_t group)
{
    const std::string id = problem.value("id", "");
    return id.starts_with("detest-") ? problem.value("name", "?").substr(0, 1) : fmt::format("group {}", group + 1);
}

compared_assessment read(const json& a)
{
    compared_assessment c;
    c.solver = full_name(a.value("solver", ""), a.value("solver_origin", "own"));
    for (const auto& t : list_in(a, "tolerances")) c.tolerances.push_back(t.get<double>());
    const json& groups = list_in(a, "groups");
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const auto& p : list_in(groups[g], "problems")) {
            for (const auto& r : list_in(p, "rows")) {
                const double tol = number_or_zero(r, "tol");
                add(c.by_tolerance[tol], r);
                add(c.by_class[class_of(p, g)], r);
                add(c.by_class_and_tolerance[class_of(p, g)][tol], r);
                add(c.total, r);
                if (reached_end(r)) {
                    add(c.by_bound[tol], list_in(r, "errors_by_bound"));
                    add(c.by_told_tol[tol], list_in(r, "errors_by_tolerance"));
                }
                if (r.value("rounding_decides", json()).is_boolean() && r.at("rounding_decides").get<bool>()) ++c.rounding_decides;
            }
            const auto table = p.find("normalized");
            if (table == p.end() || !table->is_object()) continue;
            for (const auto& line : list_in(*table, "lines"))
                if (number_or_zero(line, "nfev") > 0)
                    c.work[fmt::format("{} {} {} at {}", g, p.value("name", ""), p.value("scaled", true), number_or_zero(line, "digits"))] =
                        number_or_zero(line, "nfev");
        }
    return c;
}

std::string percent(const std::optional<double>& v) { return v ? fmt::format("{:.2f}", 100 * *v) : "-"; }

std::vector<compared_assessment> compared(std::span<const detest::assessment> all)
{
    std::vector<std::string> texts;
    for (const auto& a : all) texts.push_back(to_json(a));
    return compared_assessments(texts);
}

} // namespace

std::optional<double> reliability::fraction(double part) const { return assessed > 0 ? std::optional(part / assessed) : std::nullopt; }

std::optional<double> reliability::fraction_without_truth() const
{
    const double all = assessed + without_truth;
    return all > 0 ? std::optional(without_truth / all) : std::nullopt;
}

std::vector<compared_assessment> compared_assessments(std::span<const std::string> texts)
{
    std::vector<compared_assessment> all;
    for (const auto& text : texts)
        if (const json a = json_or_discarded(text); a.is_object()) all.push_back(read(a));
    // Work counts where all solvers have it.
    std::map<std::string, std::pair<std::size_t, double>> least; // how many have it, and the least
    for (const auto& c : all)
        for (const auto& [where, work] : c.work) {
            auto& l = least.emplace(where, std::pair{std::size_t{0}, work}).first->second;
            ++l.first;
            l.second = std::min(l.second, work);
        }
    for (auto& c : all) {
        double sum = 0;
        int count = 0;
        for (const auto& [where, work] : c.work)
            if (const auto& l = least.at(where); l.first == all.size()) {
                sum += std::log(work / l.second);
                ++count;
            }
        if (count > 0) c.work_factor = std::exp(sum / count);
    }
    return all;
}

std::string comparison_key(const std::string& text)
{
    const json a = json_or_discarded(text);
    if (!a.is_object()) return "";
    std::string key = a.value("set", "") + " " + a.value("level", json()).dump() + list_in(a, "tolerances").dump();
    for (const auto& g : list_in(a, "groups"))
        for (const auto& p : list_in(g, "problems")) key += p.value("name", "") + (p.value("scaled", true) ? " " : "u ");
    return key;
}

std::vector<std::pair<double, double>> distribution(const error_counts& counts)
{
    double all = 0;
    for (const auto& [k, n] : counts) all += n;
    std::vector<std::pair<double, double>> points;
    double sum = 0;
    for (const auto& [k, n] : counts) {
        sum += n;
        points.emplace_back(std::pow(10.0, 0.1 * (k + 1)), sum / all);
    }
    return points;
}

std::string assessments_comparison(std::span<const detest::assessment> all)
{
    const auto solvers = compared(all);
    std::size_t longest = 14;
    for (const auto& s : solvers) longest = std::max(longest, s.solver.size());
    const auto first = [&](std::string_view name) { return fmt::format("{:<{}}", name, longest + 2); };
    std::string text = "\n==== comparison ====\n\ndeceived (badly; without a truth), in per cent of the assessed steps\n" + first("solver");
    const auto cell = [](const reliability& r) {
        return fmt::format("{} ({}; {})", percent(r.fraction(r.deceived)), percent(r.fraction(r.badly)), percent(r.fraction_without_truth()));
    };
    constexpr int width = 24;
    const auto table = [&](const auto& heads, const auto& of) {
        for (const auto& h : heads) text += fmt::format("{:>{}}", h, width);
        text += "\n";
        for (const auto& s : solvers) {
            text += first(s.solver);
            for (const auto& value : of(s)) text += fmt::format("{:>{}}", value, width);
            text += "\n";
        }
    };
    std::vector<std::string> heads;
    for (const double tol : solvers.front().tolerances) heads.push_back(fmt::format("TOL {:.0e}", tol));
    heads.emplace_back("all");
    table(heads, [&](const compared_assessment& s) {
        std::vector<std::string> cells;
        for (const double tol : s.tolerances) cells.push_back(cell(s.by_tolerance.at(tol)));
        cells.push_back(cell(s.total));
        return cells;
    });
    std::set<std::string> classes;
    for (const auto& s : solvers)
        for (const auto& [name, r] : s.by_class) classes.insert(name);
    text += "\nthe same by class\n" + first("solver");
    table(classes, [&](const compared_assessment& s) {
        std::vector<std::string> cells;
        for (const auto& name : classes) {
            const auto found = s.by_class.find(name);
            cells.push_back(found == s.by_class.end() ? "-" : cell(found->second));
        }
        return cells;
    });
    text += "\nwhat it costs\n" +
            fmt::format("{}{:>8}{:>8}{:>12}{:>10}{:>24}\n", first("solver"), "runs", "failed", "FCN calls", "steps", "work at equal error");
    for (const auto& s : solvers) {
        text += fmt::format("{}{:>8}{:>8}{:>12.0f}{:>10.0f}{:>24}", first(s.solver), s.total.runs, s.total.failed, s.total.evaluations, s.total.steps,
                            s.work_factor ? fmt::format("{:.2f}", *s.work_factor) : "-");
        if (s.rounding_decides > 0) text += fmt::format("   rounding decides {} line{}", s.rounding_decides, s.rounding_decides == 1 ? "" : "s");
        text += "\n";
    }
    return text + "work at equal error: geometric mean of FCN calls over those of the best solver, problem by problem, where all have them\n";
}

std::string assessments_csv(std::span<const detest::assessment> all)
{
    std::string text =
        "solver,set,group,problem,scaled,tol,outcome,code,time_s,overhead_s,nfev,nfev_jac,njac,nlu,accepted,lumped_steps,assessed_steps,"
        "deceived_steps,badly_deceived_steps,steps_without_truth,end_error,max_global_error,max_local_error,rounding_decides\n";
    const auto real = [](double v) { return std::isfinite(v) ? fmt::format("{}", v) : std::string(); };
    for (const auto& a : all)
        for (std::size_t g = 0; g < a.groups.size(); ++g)
            for (const auto& p : a.groups[g].problems)
                for (const auto& r : p.rows)
                    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                                        csv_cell(full_name(a.solver, a.solver_origin)), detest::label(a.settings.set), g + 1, csv_cell(p.name),
                                        p.scaled ? 1 : 0, r.tol, label(r.outcome), r.code, real(r.cost.time_s), real(r.cost.overhead_s), r.cost.nfev,
                                        r.cost.nfev_jac, r.cost.njac, r.cost.nlu, r.cost.accepted, r.lumped_steps, r.assessed_steps, r.deceived_steps,
                                        r.badly_deceived_steps, a.settings.level >= 3 ? fmt::format("{}", r.steps_without_truth()) : "",
                                        real(r.end_error), real(r.max_global_error), real(r.max_local_error),
                                        r.rounding_decides ? (*r.rounding_decides ? "1" : "0") : "");
    return text;
}

std::string assessments_latex(std::span<const detest::assessment> all)
{
    const auto solvers = compared(all);
    std::string columns = "l";
    std::string heads = "solver";
    for (const double tol : solvers.front().tolerances) {
        columns += "r";
        heads += fmt::format(" & $10^{{{:g}}}$", std::log10(tol));
    }
    std::string text = "% Steps in which the solver was deceived, in per cent of the assessed steps, by tolerance; needs booktabs.\n"
                       "\\begin{tabular}{" +
                       columns + "rrr}\n\\toprule\n" + heads + " & all & badly & work \\\\\n\\midrule\n";
    for (const auto& s : solvers) {
        text += tex_escaped(s.solver);
        for (const double tol : s.tolerances) {
            const auto& r = s.by_tolerance.at(tol);
            text += " & " + percent(r.fraction(r.deceived));
        }
        text += fmt::format(" & {} & {} & {} \\\\\n", percent(s.total.fraction(s.total.deceived)), percent(s.total.fraction(s.total.badly)),
                            s.work_factor ? fmt::format("{:.2f}", *s.work_factor) : "-");
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

} // namespace ivp
