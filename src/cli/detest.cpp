#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "detest/assess.hpp"
#include "progress.hpp"
#include "report/assessment_tables.hpp"
#include "store/assessments.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

namespace ivp::cli {

namespace {

using namespace ivp::detest;

constexpr double unit_cost_seconds = 0.002; // for each kind of evaluation, within an assessment
constexpr double timing_seconds = 0.05;     // the same where it is what was asked for
constexpr int steps_to_debug = 5;

assessment_settings read_assessment(const detest_arguments& a, reader& read)
{
    assessment_settings s;
    s.set = problem_set_from_label(a.what).value_or(problem_set::stiff);
    if (a.level) s.level = static_cast<int>(std::min<std::uint64_t>(read.count("--level", *a.level, 0).value_or(1), 1000));
    s.normalize = read.choice("--normalize", a.normalize, &normalization_from_label, "none, end, max").value_or(s.normalize);
    s.norm = read.choice("--norm", a.norm, &norm_from_label, "max, l2, rms").value_or(s.norm);
    s.truth = read.choice("--truth", a.truth, &truth_from_label, "classic, quad").value_or(s.truth);
    s.bound = read.choice("--bound", a.bound, &bound_from_label, "told, tolerance").value_or(s.bound);
    if (a.tol) {
        const auto given = read.reals("--tol", *a.tol);
        if (!given.empty()) s.tolerances = given;
    }
    if (a.extrapolation) s.extrapolated = read.choice<bool>("--extrapolation", *a.extrapolation, yes_or_no_from_label, "yes, no");
    if (a.timing) s.timing_s = read.real("--timing", *a.timing).value_or(s.timing_s);
    s.as_1986 = a.as_1986;
    for (const auto& fault : s.validate()) read.fault("--" + fault);
    return s;
}

solver_request read_request(const detest_arguments& a, const assessment_settings& s, reader& read)
{
    solver_request r;
    r.bound = s.bound;
    r.timeout_s = 60;
    if (a.timeout) r.timeout_s = read.real("--timeout", *a.timeout).value_or(*r.timeout_s);
    if (!(*r.timeout_s > 0)) {
        read.fault(fmt::format("--timeout: {} given; allowed: seconds above 0", *a.timeout));
        r.timeout_s.reset(); // told once
    }
    if (a.max_steps) r.max_steps = read.count("--max-steps", *a.max_steps, 1);
    r.jacobian = read.choice("--jacobian", a.jacobian, &from_label<jacobian_source>, "exact, differences, original").value_or(r.jacobian);
    return r;
}

struct chosen_problem {
    assessed_problem problem;
    bool foreign; ///< its code is not ours
};

/// One word of --problems: an id of the catalog or a file, with a minus sign for the unscaled form.
chosen_problem open_chosen(std::string word, const assessment_settings& s)
{
    const bool scaled = !word.starts_with('-');
    if (!scaled) word.erase(0, 1);
    if (const detest_data* d = detest_data_of(word)) return {detest_problem(*d, scaled, s), false};
    const bool foreign = names_a_file(word);
    const problem p = open_contained_problem(word);
    return {other_problem(word, p, scaled, foreign ? compute_facts_contained(p, scaled, s.set) : compute_facts(p, scaled, s.set)), foreign};
}

std::vector<std::vector<problem_choice>> chosen_groups(const std::string& text, problem_set set, reader& read)
{
    try {
        return read_groups(text, set);
    } catch (const bad_request& e) {
        for (const auto& fault : e.faults()) read.fault("--" + fault);
        return {};
    }
}

std::vector<std::vector<chosen_problem>> read_problems(const detest_arguments& a, const assessment_settings& s, reader& read)
{
    std::vector<std::vector<chosen_problem>> groups;
    const auto take = [&](const std::vector<std::vector<problem_choice>>& choices) {
        for (const auto& choice : choices) {
            auto& group = groups.emplace_back();
            for (const auto& c : choice)
                if (auto p = read.attempt([&] { return detest_problem(*c.data, c.scaled, s); })) group.push_back({std::move(*p), false});
        }
    };
    if (a.groups)
        take(chosen_groups(*a.groups, s.set, read));
    else if (!a.problems)
        take(all_groups(s.set));
    if (a.problems) {
        auto& group = groups.emplace_back();
        for (const auto& word : split_names(*a.problems))
            if (auto p = read.attempt([&] { return open_chosen(word, s); })) group.push_back(std::move(*p));
    }
    return groups;
}

void measure_units(chosen_problem& c, double seconds)
{
    auto& p = c.problem;
    p.unit = c.foreign ? measure_unit_costs_contained(p.problem, p.end, seconds) : measure_unit_costs(p.problem, p.end, seconds);
}

std::string debug_text(const chosen_problem& c, const solver_request& request, const assessment_settings& s, bool foreign)
{
    const auto work = [&] {
        method_run run;
        const double tol = s.tolerances.front();
        const auto steps = first_steps(c.problem, s.working(tol), *make_solver_method(request), steps_to_debug, run);
        return first_steps_text(c.problem, tol, steps, run);
    };
    return contained_text(foreign, request.solver->info().name, work);
}

int assess_solver(const detest_arguments& a)
{
    reader read;
    const auto format = read.format(a.format, {"text", "json"});
    assessment_settings settings = read_assessment(a, read);
    solver_request request = read_request(a, settings, read);
    settings.truth_limit_s = request.timeout_s;
    std::optional<std::unique_ptr<const solver>> solver;
    if (a.solver.empty())
        read.fault("a solver is missing; allowed: a name (see 'ivp list solvers') or the path of a plug-in");
    else
        solver = read.attempt([&a] { return open_contained_solver(a.solver); });
    if (a.dummy && format == text_format::json) read.fault("--format: 'json' given with --dummy; allowed: text");
    if (a.dummy && a.db) read.fault("--db is given with --dummy, which assesses nothing; allowed: one of them");
    if (a.db && !a.dummy) (void)read.attempt([&a] { return make_store(*a.db), true; });
    auto groups = read_problems(a, settings, read);
    const bool foreign_solver = names_a_file(a.solver);
    const auto options = read.pairs("--opt", a.opt);
    if (solver) request.special = read_solver_options(options, (*solver)->info(), read);
    if (solver && settings.validate().empty()) {
        request.solver = solver->get();
        if (settings.as_1986) request.special.merge(options_of_1986(request.solver->info()));
        for (const auto& group : groups)
            for (const auto& c : group)
                for (const auto& fault : faults_of(c.problem, request, settings)) read.fault(fault);
    }
    read.raise();

    if (a.dummy) {
        const chosen_problem& first = groups.front().front();
        std::cout << debug_text(first, request, settings, foreign_solver || first.foreign);
        return done;
    }

    std::vector<problem_group> assessed;
    for (auto& group : groups) {
        auto& list = assessed.emplace_back();
        for (auto& c : group) {
            if (settings.timing_s > 0) measure_units(c, unit_cost_seconds);
            list.push_back(c.problem);
        }
    }
    std::vector<std::string> foreign_ids;
    std::size_t rows = 0;
    for (const auto& group : groups)
        for (const auto& c : group) {
            if (c.foreign) foreign_ids.push_back(c.problem.id);
            rows += settings.tolerances.size();
        }
    child_limits limits;
    limits.output = child_output::to_standard_error; // what foreign code prints is not the table
    const auto make_row = [&](const assessed_problem& p, double tol) {
        const bool contained = foreign_solver || std::ranges::find(foreign_ids, p.id) != foreign_ids.end();
        if (contained) return assess_row_contained(p, tol, request, settings, limits);
        return assess_row(p, tol, *make_solver_method(request), settings);
    };
    progress_line progress("assessing", rows);
    assessment result =
        assess(assessed, settings, make_row, [&](const assessed_problem& p, double tol) { progress.next(fmt::format("{} at {:.1e}", p.name, tol)); });
    progress.finish();
    result.solver = request.solver->info().name;
    result.solver_version = request.solver->info().version;
    result.solver_origin = request.solver->info().origin;
    result.error_control = error_control_of(request.solver->info());
    result.extrapolated = settings.extrapolated.value_or(request.solver->info().locally_extrapolated);
    result.command = a.command;
    result.library = request.solver->info().library;
    result.library_slowdown = request.solver->info().library_slowdown;
    result.build = build_in_use();
    result.machine = this_machine();
    std::cout << (format == text_format::json ? to_json(result) + "\n" : assessment_text(result)) << std::flush;
    if (a.db) store(*a.db, store::access::write).add(to_be_stored(result, request, a.solver));
    return done;
}

/// What `weights` and `timing` take; the rest would be ignored silently.
void refuse_options_of_assessments(const detest_arguments& a, reader& read)
{
    const detest_arguments none;
    const auto refuse = [&](bool given, const char* option) {
        if (given) read.fault(fmt::format("{} is given with '{}'; allowed: --problems, --format", option, a.what));
    };
    refuse(!a.solver.empty(), "a solver");
    refuse(a.level.has_value(), "--level");
    refuse(a.tol.has_value(), "--tol");
    refuse(a.groups.has_value(), "--groups");
    refuse(a.extrapolation.has_value(), "--extrapolation");
    refuse(a.timing.has_value(), "--timing");
    refuse(a.timeout.has_value(), "--timeout");
    refuse(a.max_steps.has_value(), "--max-steps");
    refuse(!a.opt.empty(), "--opt");
    refuse(a.normalize != none.normalize, "--normalize");
    refuse(a.norm != none.norm, "--norm");
    refuse(a.truth != none.truth, "--truth");
    refuse(a.bound != none.bound, "--bound");
    refuse(a.jacobian != none.jacobian, "--jacobian");
    refuse(a.as_1986, "--as-1986");
    refuse(a.db.has_value(), "--db");
    refuse(a.dummy, "--dummy");
}

struct named_problem {
    std::string id;
    problem p;
    const detest_data* data; ///< null: not DETEST's
    bool foreign;
};

std::vector<named_problem> read_plain_problems(const detest_arguments& a, reader& read)
{
    std::vector<named_problem> problems;
    std::vector<std::string> words;
    if (a.problems)
        words = split_names(*a.problems);
    else
        for (const auto& d : all_detest_data()) words.push_back(d.id);
    for (const auto& word : words)
        if (auto p = read.attempt([&word] { return open_contained_problem(word); }))
            problems.push_back({word, std::move(*p), detest_data_of(word), names_a_file(word)});
    return problems;
}

/// Prints one result for each of the problems asked for.
template <class Compute, class Text>
int tell_of_each_problem(const detest_arguments& a, const Compute& compute, const Text& as_text)
{
    reader read;
    const auto format = read.format(a.format, {"text", "json"});
    refuse_options_of_assessments(a, read);
    const auto problems = read_plain_problems(a, read);
    read.raise();
    std::vector<std::invoke_result_t<Compute, const named_problem&>> results;
    for (const auto& n : problems)
        if (auto result = read.attempt([&] { return compute(n); })) results.push_back(std::move(*result));
    read.raise();
    std::cout << (format == text_format::json ? to_json(results) + "\n" : as_text(results));
    return done;
}

weight_result recompute_weights(const named_problem& n)
{
    weight_result r{n.id, {}, {}};
    if (n.data != nullptr) {
        r.computed = compute_weights(n.p, n.data->set, n.data->hbegin, n.data->hmax);
        for (const auto& w : n.data->weight) r.stored.push_back(w.value());
    } else
        r.computed = n.foreign ? compute_facts_contained(n.p, true, problem_set::stiff).weights : compute_weights(n.p, problem_set::stiff, {}, {});
    return r;
}

timing_result measure_timing(const named_problem& n)
{
    const auto facts = n.foreign ? compute_facts_contained(n.p, false, problem_set::stiff) : compute_facts(n.p, false, problem_set::stiff);
    const auto costs = n.foreign ? measure_unit_costs_contained(n.p, facts.end, timing_seconds) : measure_unit_costs(n.p, facts.end, timing_seconds);
    return {n.id, n.p.n(), costs};
}

} // namespace

int detest(const detest_arguments& a)
{
    if (a.what == "weights") return tell_of_each_problem(a, recompute_weights, weights_text);
    if (a.what == "timing") return tell_of_each_problem(a, measure_timing, timing_text);
    if (!problem_set_from_label(a.what))
        throw bad_request("detest: '" + a.what + "' given; allowed: stiff, nonstiff, weights, timing" +
                          nearest_name_hint(a.what, std::vector<std::string>{"stiff", "nonstiff", "weights", "timing"}));
    return assess_solver(a);
}

} // namespace ivp::cli
