#include "base/text.hpp"
#include "catalog/content.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "detest/assess.hpp"
#include "early_end.hpp"
#include "progress.hpp"
#include "report/assessment_comparison.hpp"
#include "report/assessment_tables.hpp"
#include "run_options.hpp"
#include "store/assessments.hpp"
#include "store/store_file.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

namespace ivp::cli {

namespace {

struct detest_arguments : command {
    detest_arguments()
        : command("detest", "Assess a solver as DETEST did: true errors, deceived steps, costs at equal accuracy",
                  "'weights' and 'timing' take --problems and --format only; --problems adds a group to those of --groups.\n"
                  "A run that fails is a row of the table like the others.")
    {}

    text what = word("what", "stiff or nonstiff: assess with this set and its rules; weights or timing: compute these data for problems",
                     "what to do (stiff, nonstiff, weights or timing)");
    text solver =
        word("solver", "Solver name, see 'ivp list solvers', or path of a plug-in (./mine.so); several, separated by commas, to compare them");
    optional_text level = option("--level", "1: costs, error at the end; 2: global errors; 3: local errors; 4: error estimates; default 3");
    optional_text normalize =
        option("--normalize", "Costs at equal accuracy, by the error at the end or the largest: none, end, max; default end, with --as-1986 none");
    optional_text norm = option("--norm", "Norm of errors: max, l2, rms; default that of the solver's own error control, with --as-1986 max");
    optional_text tol = option("--tol", "Up to 10 tolerances, decreasing, separated by commas; default 1e-2,1e-4,1e-6,1e-8");
    optional_text groups = option(
        "--groups",
        "Problems by name, groups separated by semicolons, such as \"A1,A2;-C1,-E1\"; a minus sign: unscaled; default: all, a group for each class");
    optional_text problems = option("--problems", "Problem ids or files, separated by commas; a minus sign: unscaled");
    optional_text extrapolation = option("--extrapolation", "The solution is the more accurate one of the two behind the estimate: yes, no");
    text bound =
        option("--bound", "Compare local errors with the bound that the solver reports, or with the tolerance: reported, tolerance", "reported");
    text truth = option("--truth", "True solutions: classic (DVERK, SECDER), quad (quadruple precision)", "classic");
    yes_or_no as_1986 = flag("--as-1986", "Arithmetic and rules of the original package, defects included");
    yes_or_no rounding = flag("--rounding", "Repeat each run with a tolerance changed in its last digits, and mark the lines that change");
    optional_text timing = option(
        "--timing",
        "Repeat each run until the three least times agree to 5 % or this many seconds are spent, at most 10 times; 0: do not repeat; default 0.05");
    optional_text timeout =
        option("--timeout", "Stop an integration after this many seconds, and its true solutions after the same time; default 60");
    optional_text max_steps = option("--max-steps", "Largest number of attempted steps; default 1000000");
    text jacobian = option("--jacobian", "exact, differences (the solver's own), original", "exact");
    texts opt = list("--opt", "Option of the solver, name=value, see 'ivp show SOLVER'");
    optional_text db = option("--db", "Keep the assessment in this store too, for 'ivp report'; created if it does not exist");
    yes_or_no dummy = flag("--dummy", "Only print the first 5 steps of the first problem as the solver reports them");
    text format = option("--format", "text, json, csv (a line for each run), latex (the comparison)", "text");
};

using namespace ivp::detest;

constexpr double unit_cost_seconds = 0.002; // for each kind of evaluation, within an assessment
constexpr double timing_seconds = 0.05;     // the same where it is what was asked for
constexpr int steps_to_debug = 5;

assessment_settings read_assessment(const detest_arguments& a, reader& read)
{
    assessment_settings s;
    s.set = problem_set_from_label(a.what).value_or(detest::problem_set::stiff);
    if (a.level) s.level = static_cast<int>(std::min<std::uint64_t>(read.count("--level", *a.level, 0).value_or(1), 1000));
    if (!a.as_1986) s.normalize = normalization::end;
    if (a.normalize) s.normalize = read.choice("--normalize", *a.normalize, &normalization_from_label, "none, end, max").value_or(s.normalize);
    if (a.norm) s.norm = read.choice("--norm", *a.norm, &norm_from_label, "max, l2, rms").value_or(s.norm);
    s.truth = read.choice("--truth", a.truth, &truth_from_label, "classic, quad").value_or(s.truth);
    s.bound = read.choice("--bound", a.bound, &bound_from_label, "reported, tolerance").value_or(s.bound);
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
    const bool foreign = is_foreign(word);
    const problem p = open_contained_problem(word);
    return {other_problem(word, p, scaled, foreign ? compute_facts_contained(p, scaled, s.set) : compute_facts(p, scaled, s.set)), foreign};
}

std::vector<std::vector<problem_choice>> chosen_groups(const std::string& text, detest::problem_set set, reader& read)
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

/// One of the solvers to assess, with what is asked of it.
struct subject {
    std::string word; ///< as given
    std::unique_ptr<const solver> opened;
    std::string content;
    solver_request request;
    assessment_settings settings;
};

std::vector<subject> read_subjects(const detest_arguments& a, const assessment_settings& settings, const solver_request& request, reader& read)
{
    std::vector<subject> all;
    const auto options = read.pairs("--opt", a.opt);
    if (a.solver.empty()) {
        read.fault("a solver is missing; allowed: a name (see 'ivp list solvers') or the path of a plug-in");
        return all;
    }
    for (const auto& word : split_names(a.solver)) {
        const auto content = content_when_opened::of_solver(word);
        auto opened = read.attempt([&word] { return open_contained_solver(word); });
        if (!opened) continue;
        subject& s = all.emplace_back(subject{word, std::move(*opened), content.confirmed(), request, settings});
        s.request.solver = s.opened.get();
        const solver_info& info = s.opened->info();
        s.request.special = read_solver_options(options, info, read);
        if (settings.as_1986) s.request.special.merge(options_of_1986(info));
        if (!a.norm && !settings.as_1986) s.settings.norm = norm_named_in(info.error_norm);
    }
    return all;
}

/// Whether a tolerance that differs in the last digits gives numbers that differ by more than a reader would let pass.
bool differs(const row& a, const row& b)
{
    constexpr double share = 0.02;
    const auto apart = [](double x, double y, double least) { return std::abs(x - y) > std::max(least, share * std::max(x, y)); };
    const auto real = [](std::uint64_t v) { return static_cast<double>(v); };
    return a.code != b.code || apart(real(a.cost.accepted), real(b.cost.accepted), 0.5) ||
           apart(real(a.cost.evaluations()), real(b.cost.evaluations()), 0.5) || apart(real(a.deceived_steps), real(b.deceived_steps), 0.5) ||
           apart(a.max_local_error, b.max_local_error, 0.01) || apart(a.max_global_error, b.max_global_error, 0.01);
}

assessment assess_subject(const detest_arguments& a, const subject& s, const std::vector<problem_group>& groups,
                          const std::vector<std::string>& foreign_ids, early_end& end)
{
    const bool foreign_solver = names_a_file(s.word);
    child_limits limits;
    limits.output = child_output::to_standard_error; // what foreign code prints is not the table
    limits.stop = end.stop();
    const auto row_of = [&](const assessed_problem& p, double tol, const assessment_settings& settings) {
        const bool contained = foreign_solver || std::ranges::find(foreign_ids, p.id) != foreign_ids.end();
        if (contained) return assess_row_contained(p, tol, s.request, settings, limits);
        return assess_row(p, tol, *make_solver_method(s.request), settings);
    };
    assessment_settings untimed = s.settings;
    untimed.timing_s = 0;
    const auto complete_row = [&](const assessed_problem& p, double tol) {
        row r = row_of(p, tol, s.settings);
        constexpr double last_digits = 1e-12;
        if (a.rounding) r.rounding_decides = differs(r, row_of(p, tol * (1 + (s.settings.as_1986 ? 1e-7 : last_digits)), untimed));
        return r;
    };
    const auto make_row = [&](const assessed_problem& p, double tol) {
        return unless_broken(end.taker(), [&] { return complete_row(p, tol); }).value_or(row{}); // assess() drops it
    };
    std::size_t rows = 0;
    for (const auto& group : groups) rows += group.size() * s.settings.tolerances.size();
    progress_line progress("assessing", rows);
    const auto progress_at = [&](const assessed_problem& p, double tol) {
        progress.next(fmt::format("{} {} at {:.1e}", s.opened->info().name, p.name, tol));
    };
    assessment result = assess(groups, s.settings, make_row, progress_at, end.stop());
    progress.finish();
    const solver_info& info = s.opened->info();
    result.solver = info.name;
    result.solver_version = info.version;
    result.solver_origin = info.origin;
    result.error_control = error_control_of(info);
    result.extrapolated = s.settings.extrapolated.value_or(info.locally_extrapolated);
    result.command = a.typed();
    if (const auto at = result.command.find(a.solver); at != std::string::npos) result.command.replace(at, a.solver.size(), s.word);
    result.library = info.library;
    result.library_slowdown = info.library_slowdown;
    result.build = build_in_use();
    result.machine = this_machine();
    return result;
}

std::string shown(const std::vector<assessment>& results, std::string_view format)
{
    if (format == "csv") return assessments_csv(results);
    if (format == "latex") return assessments_latex(results);
    std::string text;
    if (format == "json") {
        for (const auto& r : results) text += (text.empty() ? "" : ",\n") + to_json(r);
        return results.size() == 1 ? text + "\n" : "[" + text + "]\n";
    }
    for (const auto& r : results) text += (text.empty() ? "" : "\n") + assessment_text(r);
    return results.size() > 1 ? text + assessments_comparison(results) : text;
}

int assess_solvers(const detest_arguments& a)
{
    reader read;
    if (a.format != "latex") (void)read.format(a.format, {"text", "json", "csv", "latex"});
    assessment_settings settings = read_assessment(a, read);
    const solver_request request = read_request(a, settings, read);
    settings.truth_limit_s = request.timeout_s;
    const std::vector<subject> subjects = read_subjects(a, settings, request, read);
    if (a.dummy && a.format != "text") read.fault(fmt::format("--format: '{}' given with --dummy; allowed: text", a.format));
    if (a.dummy && a.db) read.fault("--db is given with --dummy, which assesses nothing; allowed: one of them");
    if (a.dummy && subjects.size() > 1) read.fault("several solvers are given with --dummy; allowed: one");
    std::optional<file_in_place> file;
    if (a.db && !a.dummy) (void)read.attempt([&] { return make_store(*a.db), file.emplace(*a.db), true; });
    auto groups = read_problems(a, settings, read);
    if (settings.validate().empty())
        for (const auto& s : subjects)
            for (const auto& group : groups)
                for (const auto& c : group)
                    for (const auto& fault : faults_of(c.problem, s.request, s.settings)) read.fault(fault);
    read.raise();

    if (a.dummy) {
        const chosen_problem& first = groups.front().front();
        std::cout << debug_text(first, subjects.front().request, settings, names_a_file(a.solver) || first.foreign);
        return done;
    }

    std::vector<problem_group> assessed;
    std::vector<std::string> foreign_ids;
    for (auto& group : groups) {
        auto& list = assessed.emplace_back();
        for (auto& c : group) {
            if (settings.timing_s > 0) measure_units(c, unit_cost_seconds);
            if (c.foreign) foreign_ids.push_back(c.problem.id);
            list.push_back(c.problem);
        }
    }
    std::vector<assessment> results;
    late_faults late;
    early_end end(late);
    bool can_be_kept = a.db.has_value();
    for (const auto& s : subjects) {
        assessment result = assess_subject(a, s, assessed, foreign_ids, end);
        std::erase_if(result.groups, [](const group_result& g) { return g.problems.empty(); }); // not reached
        if (!result.groups.empty()) results.push_back(std::move(result));
        if (end()) break;
        can_be_kept = can_be_kept && late.attempt([&] {
            file->expect();
            store(*a.db, store::access::write_existing).add(to_be_stored(results.back(), s.request, s.content));
        });
    }
    if (!results.empty()) std::cout << shown(results, a.format) << std::flush;
    if (end())
        tell("ivp: {}; {}\n", end.in_words(),
             results.empty() ? "no problem was complete" : "the tables have the complete problems, and the last assessment is not stored");
    late.raise();
    return end() ? not_successful : done;
}

/// What `weights` and `timing` take; the rest would be ignored silently.
void refuse_options_of_assessments(const detest_arguments& a, reader& read)
{
    for (const auto& given : a.arguments()) {
        const std::string& name = given.name();
        if (!given.given() || name == "what" || name == "--problems" || name == "--format") continue;
        read.fault(fmt::format("{} is given with '{}'; allowed: --problems, --format", given.is_option() ? name : "a " + name, a.what));
    }
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
            problems.push_back({word, std::move(*p), detest_data_of(word), is_foreign(word)});
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
    const interruption interrupted;
    for (const auto& n : problems) {
        if (interrupted()) break;
        if (auto result = read.attempt([&] { return compute(n); })) results.push_back(std::move(*result));
    }
    read.raise();
    std::cout << (format == text_format::json ? to_json(results) + "\n" : as_text(results));
    if (!interrupted()) return done;
    tell("ivp: interrupted; {} of {} problems are complete\n", results.size(), problems.size());
    return not_successful;
}

weight_result recompute_weights(const named_problem& n)
{
    weight_result r{n.id, {}, {}};
    if (n.data != nullptr) {
        r.computed = compute_weights(n.p, n.data->set, n.data->hbegin, n.data->hmax);
        for (const auto& w : n.data->weight) r.stored.push_back(w.value());
    } else
        r.computed = n.foreign ? compute_facts_contained(n.p, true, detest::problem_set::stiff).weights
                               : compute_weights(n.p, detest::problem_set::stiff, {}, {});
    return r;
}

timing_result measure_timing(const named_problem& n)
{
    const auto facts =
        n.foreign ? compute_facts_contained(n.p, false, detest::problem_set::stiff) : compute_facts(n.p, false, detest::problem_set::stiff);
    const auto costs = n.foreign ? measure_unit_costs_contained(n.p, facts.end, timing_seconds) : measure_unit_costs(n.p, facts.end, timing_seconds);
    return {n.id, n.p.n(), costs};
}

int detest(const detest_arguments& a)
{
    if (a.what == "weights") return tell_of_each_problem(a, recompute_weights, weights_text);
    if (a.what == "timing") return tell_of_each_problem(a, measure_timing, timing_text);
    if (!problem_set_from_label(a.what))
        throw bad_request("detest: '" + a.what + "' given; allowed: stiff, nonstiff, weights, timing" +
                          nearest_name_hint(a.what, std::vector<std::string>{"stiff", "nonstiff", "weights", "timing"}));
    return assess_solvers(a);
}

} // namespace

std::unique_ptr<command> detest_command() { return make_command(detest); }

} // namespace ivp::cli
