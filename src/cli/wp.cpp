#include "commands.hpp"
#include "progress.hpp"
#include "solvers.hpp"

#include "model/text.hpp"

#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/work_precision.hpp>
#include <ivp/report/output_file.hpp>
#include <ivp/report/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

namespace ivp::cli {

namespace {

/// "1e-4,1e-7", or from:to:per_decade. Empty after a fault.
std::vector<double> read_tolerances(const std::string& text, reader& read)
{
    if (text.find(':') == std::string::npos) return read.reals("--rtol", text);
    std::vector<double> numbers;
    for (const auto& part : split(text, ':')) numbers.push_back(parse_real(part).value_or(0));
    constexpr double most_per_decade = 100;
    const auto allowed = [&numbers] {
        if (numbers.size() != 3) return false;
        const double from = numbers[0], to = numbers[1], per_decade = numbers[2];
        return to > 0 && to <= from && from <= 1 && per_decade >= 1 && per_decade <= most_per_decade && per_decade == std::floor(per_decade);
    };
    if (!allowed()) {
        read.fault(fmt::format("--rtol: '{}' given; allowed: numbers separated by commas, or FROM:TO:PER_DECADE such as 1e-4:1e-10:1", text));
        return {};
    }
    const double from = numbers[0], to = numbers[1], per_decade = numbers[2];
    std::vector<double> values;
    const auto last = static_cast<int>(std::floor(std::log10(from / to) * per_decade + 1e-9)); // 1e-9: rounding of the logarithm
    for (int m = 0; m <= last; ++m) values.push_back(parse_real(fmt::format("{:.15g}", from * std::pow(10.0, -m / per_decade))).value());
    return values;
}

std::vector<named_solver> read_solvers(const wp_arguments& a, reader& read)
{
    if (a.solvers) return read_solvers(*a.solvers, read);
    read.fault("--solvers is missing; allowed: names (see 'ivp list solvers') or paths of plug-ins, separated by commas");
    return {};
}

std::size_t read_reference(const wp_arguments& a, const std::vector<named_solver>& solvers, reader& read)
{
    if (!a.ratio_to || solvers.empty()) return 0;
    std::string names;
    for (std::size_t k = 0; k < solvers.size(); ++k) {
        if (*a.ratio_to == solvers[k].typed || *a.ratio_to == solvers[k].solver->info().name) return k;
        names += (k == 0 ? "" : ", ") + solvers[k].solver->info().name;
    }
    read.fault(fmt::format("--ratio-to: '{}' given; allowed: {}", *a.ratio_to, names));
    return 0;
}

/// An option goes to the solvers that have it; one that nobody has is left to all, and so refused.
std::map<std::string, double> options_of(const solver_info& info, const std::map<std::string, double>& given,
                                         const std::vector<named_solver>& solvers)
{
    const auto has = [](const solver_info& i, const std::string& name) {
        return std::ranges::any_of(i.options, [&name](const solver_option& o) { return o.name == name; });
    };
    std::map<std::string, double> own;
    for (const auto& option : given) {
        const std::string& name = option.first;
        const bool known = std::ranges::any_of(solvers, [&](const named_solver& s) { return has(s.solver->info(), name); });
        if (!known || has(info, name)) own.insert(option);
    }
    return own;
}

struct planned_problem {
    ivp::problem problem;
    bool foreign; ///< plug-ins take part
    std::vector<contestant> contestants;
    std::vector<double> rtol;
};

planned_problem plan(const std::string& typed, const problem& p, const wp_arguments& a, const std::vector<named_solver>& solvers,
                     const run_settings& settings, const std::vector<double>& rtol)
{
    planned_problem plan{p, names_a_file(typed), {}, rtol.empty() ? ladder(p) : rtol};
    for (const auto& s : solvers) {
        plan.foreign = plan.foreign || names_a_file(s.typed);
        contestant c{s.solver.get(), settings};
        c.settings.special = options_of(s.solver->info(), settings.special, solvers);
        c.settings.command = fmt::format("ivp run {} {}{}", shell_word(typed), shell_word(s.typed), command_line_of(a, s.solver->info()));
        plan.contestants.push_back(std::move(c));
    }
    return plan;
}

/// Faults of the settings before anything is run.
void judge(const planned_problem& plan, reader& read)
{
    for (const auto& c : plan.contestants) {
        if (const auto why = c.solver->info().refusal(plan.problem)) read.fault(*why);
        for (const double rtol : plan.rtol) {
            run_settings s = c.settings;
            s.rtol = rtol;
            (void)read.attempt([&] { return resolve(s, plan.problem, c.solver->info()); });
        }
    }
}

} // namespace

int wp(const wp_arguments& a)
{
    reader read;
    const auto solvers = read_solvers(a, read);
    const auto reference = read_reference(a, solvers, read);
    const auto settings = read_settings(a, read);
    const auto rtol = a.rtol ? read_tolerances(*a.rtol, read) : std::vector<double>{};
    if (a.out && !a.out->ends_with(".csv")) read.fault(fmt::format("--out: '{}' given; allowed: the name of a file that ends with .csv", *a.out));
    std::vector<planned_problem> plans;
    std::size_t tolerances = 0;
    for (const auto& id : split(a.problems, ',')) {
        const auto p = read.attempt([&] { return read_problem(id, a, read); });
        if (!p) continue;
        plans.push_back(plan(id, *p, a, solvers, settings, rtol));
        judge(plans.back(), read);
        tolerances += plans.back().rtol.size();
    }
    read.raise();

    std::unique_ptr<output_file> out;
    if (a.out) out = std::make_unique<output_file>(*a.out, "--out");
    progress_line progress("measuring", tolerances);
    std::vector<work_precision_result> results;
    for (const auto& plan : plans) {
        work_precision_options options;
        if (plan.foreign) options.contained.emplace().output = child_output::to_standard_error; // what a plug-in prints is not the table
        options.progress = [&](double tol) { progress.next(fmt::format("{} at {:.1e}", plan.problem.id(), tol)); };
        results.push_back(measure_work_precision(plan.problem, plan.contestants, plan.rtol, options));
    }
    progress.finish();

    if (out) {
        out->stream() << csv_header() << '\n';
        for (const auto& result : results)
            for (const auto& r : result.records) out->stream() << to_csv(r) << '\n';
        out->commit();
    }
    std::cout << work_precision_table(results, reference);
    return done;
}

} // namespace ivp::cli
