#include "base/escape.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "catalog/content.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "early_end.hpp"
#include "model/reference.hpp"
#include "model/sweep.hpp"
#include "progress.hpp"
#include "record_files.hpp"
#include "report/book.hpp"
#include "report/diagram.hpp"
#include "report/sweep_table.hpp"
#include "report/table.hpp"
#include "run/left_out.hpp"
#include "run/path_error.hpp"
#include "run/work_precision.hpp"
#include "run_options.hpp"
#include "solvers.hpp"
#include "stats/curves.hpp"
#include "store/keep.hpp"
#include "terminal.hpp"

#include <ivp/catalog.hpp>
#include <ivp/mechanics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <memory>

namespace ivp::cli {

namespace {

struct wp_arguments : command {
    wp_arguments()
        : command("wp", "Compare solvers at several tolerances: work against precision",
                  "ivp times the solvers in turns: one sample of each, then again. A run that fails is a row of the table like the others.\n"
                  "Several values of a parameter make a sweep, which measures each of them: --set k=1,2,5, or --set k=1e-2:1e2:4 (from, to, number "
                  "in each decade). The table then has a column for the parameter, .svg draws the work against it, and .html has both.")
    {}

    text problems = word("problems", "Problem ids, separated by commas, see 'ivp list problems'", a_problem_missing);
    optional_text solvers = option("--solvers", "Solver names or paths of plug-ins (label=./mine.so gives one another name), separated by commas; "
                                                "default: all that can take the problem, without explicit ones if it is stiff");
    optional_text rtol = option("--rtol", "Tolerances, separated by commas, or FROM:TO:PER_DECADE; default: the problem's ladder");
    optional_text formulations = option(
        "--formulations",
        "Compare formulations of mechanical systems in one table, with the drift of each: names separated by commas, see --formulation, or all");
    optional_text ratio_to = option("--ratio-to", "Solver whose CPU time is 1 in the column 'ratio'; default: the first");
    texts out = list("--out", "Write a file: .svg, .html, .gp (gnuplot), .tex (pgfplots): the diagram; .csv, .json: all numbers of every run (long "
                              "vectors of .csv in .components.csv)");
    yes_or_no force = flag("--force", force_help);
    text work = option("--work", "Work in the diagram: cpu, wall, f, lu", "cpu");
    text precision = option("--precision",
                            "Precision in the diagram: mescd or scd at the end point, path: the largest error along the path, rms: the root mean "
                            "square of the errors along the path",
                            "mescd");
    optional_text db = option("--db", "Keep the runs in this store too, for 'ivp report'; created if it does not exist");
    run_options options{*this};
};

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
        return to > 0 && to <= from && from <= largest_rtol && per_decade >= 1 && per_decade <= most_per_decade &&
               per_decade == std::floor(per_decade);
    };
    if (!allowed()) {
        read.fault(
            fmt::format("--rtol: '{}' given; allowed: numbers separated by commas, or FROM:TO:PER_DECADE such as 1e-4:1e-10:1 (FROM at most {}, "
                        "TO at most FROM, PER_DECADE a whole number from 1 to {})",
                        text, largest_rtol, most_per_decade));
        return {};
    }
    return tolerance_ladder(numbers[0], numbers[1], numbers[2]);
}

/// All that are there; those that cannot take a problem, or would only show that it is stiff, are left out when it is planned.
std::vector<named_solver> every_solver()
{
    std::vector<named_solver> solvers;
    for (const auto& name : solver_names()) solvers.push_back({name, open_solver(name), solver_content(name)});
    for (const auto& l : library_solvers())
        if (l.available) solvers.push_back({l.name, open_solver(l.name), solver_content(l.name)});
    return solvers;
}

std::vector<named_solver> read_solvers(const wp_arguments& a, reader& read) { return a.solvers ? read_solvers(*a.solvers, read) : every_solver(); }

/// Empty: none was asked for.
std::string read_ratio_to(const wp_arguments& a, const std::vector<named_solver>& solvers, reader& read)
{
    if (!a.ratio_to) return "";
    for (const auto& s : solvers)
        if (*a.ratio_to == s.typed || *a.ratio_to == s.name()) return s.name();
    std::string names;
    for (std::size_t k = 0; k < solvers.size(); ++k) {
        if (*a.ratio_to == solvers[k].solver->info().name) return solvers[k].name();
        names += (k == 0 ? "" : ", ") + solvers[k].solver->info().name;
    }
    read.fault(fmt::format("--ratio-to: '{}' given; allowed: {}", *a.ratio_to, names));
    return "";
}

struct left_out_pair {
    std::string solver;
    std::vector<std::string> reasons; ///< in sentences
};

struct planned_problem {
    std::string typed;
    ivp::problem problem;
    bool foreign; ///< plug-ins take part
    std::vector<contestant> contestants;
    std::vector<run_contents> contents; ///< of the contestants, for a store
    std::vector<double> rtol;
    std::vector<left_out_pair> left_out;
    std::string formulation;                   ///< empty: none was asked for
    std::map<std::string, std::string> values; ///< of the parameters that --set names
};

/// Numbers of threads to measure a solver with; a parallel one by default with all that this machine can run at once.
std::vector<int> read_threads(const wp_arguments& a, reader& read)
{
    std::vector<int> counts;
    const auto& typed = a.options.settings.at("threads");
    if (!typed) return counts;
    for (const auto& word : split(*typed, ','))
        if (const auto n = read.count("--threads", word, 1, limits::most_threads)) counts.push_back(static_cast<int>(*n));
    return counts;
}

std::vector<int> threads_of(const solver_info& s, const problem& p, const std::vector<int>& asked)
{
    std::vector<int> counts = asked;
    if (asked.size() == 1) return counts; // a solver that cannot is refused, in words
    if (asked.empty())
        for (int k = 1; k <= std::max(1, std::min(s.max_threads, this_machine().cores)); ++k) counts.push_back(k);
    std::erase_if(counts, [most = s.most_threads(p)](int k) { return k > most; });
    if (counts.empty()) counts = {1};
    return counts;
}

/// Why a solver cannot be measured on a problem with these settings, or would only show that it is stiff.
std::vector<std::string> reasons_to_leave_out(const contestant& c, const problem& p, const std::vector<double>& rtol, bool named)
{
    const solver_info& s = c.solver->info();
    if (!named && !s.implicit && std::ranges::find(p.info().tags, "stiff") != p.info().tags.end())
        return {fmt::format("{} is an explicit method and {} is stiff; '--solvers' can ask for it", s.name, p.id())};
    return reasons_to_leave_out(s, p, c.settings, rtol);
}

planned_problem plan(const std::string& typed, const problem& p, const std::string& content, const run_options& o,
                     const std::vector<named_solver>& solvers, bool named, const run_settings& settings, const option_texts& options,
                     const std::vector<double>& rtol, const std::vector<int>& threads, reader& read)
{
    planned_problem plan{typed, p, is_foreign(typed), {}, {}, rtol.empty() ? ladder(p) : rtol, {}, o.formulation, {}};
    for (const auto& s : solvers) {
        for (const int count : threads_of(s.solver->info(), p, threads)) {
            contestant c{s.solver.get(), settings};
            c.settings.threads = count;
            c.settings.special = options_of(s.solver->info(), options, solvers, read);
            c.settings.command = command_of(typed, s.typed, o, c.settings);
            if (auto why = reasons_to_leave_out(c, p, plan.rtol, named); !why.empty()) {
                plan.left_out.push_back({s.solver->info().name, std::move(why)});
                continue;
            }
            plan.foreign = plan.foreign || names_a_file(s.typed);
            plan.contestants.push_back(std::move(c));
            plan.contents.push_back({content, s.content});
        }
    }
    return plan;
}

/// "not run: " and why; a reason that does not say whose it is gets the names.
std::string not_run(const left_out_pair& out, const problem& p)
{
    const std::string why = joined(out.reasons, "; ");
    const bool named = why.find(out.solver) != std::string::npos;
    return "not run: " + (named ? why : fmt::format("{} on {}: {}", out.solver, p.id(), why));
}

/// A pair of solver and problem that cannot be measured is left out by name; that none is left is a fault. The lines that say who was left out.
std::vector<std::string> leave_out(std::vector<planned_problem>& plans, reader& read)
{
    std::vector<std::string> lines;
    std::vector<std::string> faults;
    for (const auto& plan : plans)
        for (const auto& out : plan.left_out) {
            lines.push_back(not_run(out, plan.problem));
            for (const auto& why : out.reasons)
                if (std::ranges::find(faults, why) == faults.end()) faults.push_back(why);
        }
    const bool none = !plans.empty() && std::ranges::all_of(plans, [](const planned_problem& p) { return p.contestants.empty(); });
    if (none)
        for (const auto& why : faults) read.fault(why);
    std::erase_if(plans, [](const planned_problem& p) { return p.contestants.empty(); });
    return lines;
}

/// Whose times the others are compared with: the one that was asked for, or the first that is measured at all.
std::string ratio_reference(const std::string& asked, const std::vector<named_solver>& solvers, const std::vector<planned_problem>& plans)
{
    if (!asked.empty()) return asked;
    for (const auto& s : solvers)
        for (const auto& plan : plans)
            if (std::ranges::find(plan.contestants, s.solver.get(), &contestant::solver) != plan.contestants.end()) return s.name();
    return "";
}

/// The formulations to compare, by name; one empty name: the problem as the other options ask for it.
std::vector<std::string> read_formulations(const wp_arguments& a, reader& read)
{
    if (!a.formulations) return {a.options.formulation};
    if (!a.options.formulation.empty()) read.fault("--formulations: given together with --formulation; allowed: one of them");
    std::vector<std::string> names;
    if (*a.formulations == "all")
        for (const auto kind : all_formulations()) names.emplace_back(label(kind));
    else
        for (const auto& name : split(*a.formulations, ',')) {
            if (!formulation_from_label(name))
                read.fault(fmt::format("--formulations: '{}' given; allowed: all, or {}", name, formulations_allowed));
            else if (std::ranges::find(names, name) != names.end())
                read.fault(fmt::format("--formulations: '{}' is given twice", name));
            else
                names.push_back(name);
        }
    return names;
}

enum class file_kind { csv, json, svg, html, gnuplot, pgfplots };

struct file_type {
    std::string_view ending;
    file_kind kind;
    file_mark mark;
};

std::optional<file_type> file_type_of(const std::string& path)
{
    static constexpr std::array<file_type, 6> types{{{".csv", file_kind::csv, file_marks::csv},
                                                     {".json", file_kind::json, file_marks::json},
                                                     {".svg", file_kind::svg, file_marks::svg},
                                                     {".html", file_kind::html, file_marks::html},
                                                     {".gp", file_kind::gnuplot, file_marks::gnuplot},
                                                     {".tex", file_kind::pgfplots, file_marks::pgfplots}}};
    for (const auto& type : types)
        if (path.ends_with(type.ending) && path.size() > type.ending.size()) return type;
    return std::nullopt;
}

struct wanted_file {
    std::string path;
    file_kind kind;
    file_mark mark;
};

/// "x.csv" has one number in each cell; longer vectors are in "x.components.csv".
std::string components_path(const std::string& path) { return path.substr(0, path.size() - 4) + ".components.csv"; }

/// `swept`: several values of a parameter, of one problem.
std::vector<wanted_file> read_files(const wp_arguments& a, std::size_t problems, bool swept, reader& read)
{
    std::vector<wanted_file> files;
    for (const auto& path : a.out) {
        const auto type = file_type_of(path);
        const bool draws_one = type && (type->kind == file_kind::svg || type->kind == file_kind::gnuplot || type->kind == file_kind::pgfplots);
        if (!type)
            read.fault(
                fmt::format("--out: '{}' given; allowed: names that end with .csv, .json, .svg, .html, .gp (gnuplot) or .tex (pgfplots)", path));
        else if (draws_one && swept && problems == 1 && type->kind != file_kind::svg)
            read.fault(fmt::format("--out: '{}' given with several values of a parameter; allowed: .csv, .json, .svg, .html", path));
        else if (draws_one && problems > 1)
            read.fault(fmt::format("--out: '{}' given for {} problems; allowed: one problem for a diagram; .html takes several", path, problems));
        else if (std::ranges::any_of(files, [&path](const wanted_file& f) { return f.path == path; }))
            read.fault(fmt::format("--out: '{}' given twice", path));
        else
            files.push_back({path, type->kind, type->mark});
    }
    for (const auto& f : files) {
        read.apart_from_store("--out", f.path, a.db);
        if (f.kind == file_kind::csv) read.apart_from_store("--out", components_path(f.path), a.db);
    }
    for (const auto& f : files)
        if (f.kind == file_kind::csv && std::ranges::any_of(files, [&f](const wanted_file& other) { return other.path == components_path(f.path); }))
            read.fault(fmt::format("--out: '{}' given together with '{}'; allowed: another name, because the long vectors of '{}' are written there",
                                   components_path(f.path), f.path, f.path));
    return files;
}

/// Before the runs: whether their records have longer vectors than a row of .csv has room for.
bool will_have_components_apart(const planned_problem& plan)
{
    return std::ranges::any_of(plan.contestants, [&plan](const contestant& c) {
        run_settings settings = c.settings;
        settings.rtol = plan.rtol.front();
        run_record r = planned_run(plan.problem, c.solver->info(), settings);
        r.y.resize(static_cast<std::size_t>(plan.problem.n()));
        return has_components_apart(r);
    });
}

/// A file that the command will write, open from the beginning: who may not write it learns that before the measurement.
struct open_file {
    wanted_file wanted;
    bool components; ///< the long vectors that belong to it, in a file of their own
    std::unique_ptr<output_file> file;
};

std::vector<open_file> open_files(const std::vector<wanted_file>& files, const std::vector<planned_problem>& plans, bool force, reader& read)
{
    std::vector<open_file> open;
    const bool apart = std::ranges::any_of(plans, will_have_components_apart);
    for (const auto& f : files) {
        auto file = read.attempt([&] { return std::make_unique<output_file>(f.path, "--out", f.mark, force); });
        if (file) open.push_back({f, false, std::move(*file)});
        if (f.kind != file_kind::csv || !apart) continue;
        file = read.attempt([&] { return std::make_unique<output_file>(components_path(f.path), "--out", file_marks::components, force); });
        if (file) open.push_back({f, true, std::move(*file)});
    }
    return open;
}

std::string all_components(const std::vector<run_record>& records)
{
    std::string text = components_csv_header() + "\n";
    for (std::size_t k = 0; k < records.size(); ++k) text += components_csv(records[k], k + 1);
    return text;
}

std::string file_text(const wanted_file& file, const std::vector<run_record>& records, const std::vector<problem>& problems, work_kind work,
                      precision_kind precision)
{
    if (file.kind == file_kind::csv) return records_as_csv(records);
    if (file.kind == file_kind::json) return records_as_json(records);
    if (file.kind == file_kind::html) return work_precision_page(records, problems, work, precision);
    const auto runs = curves_of(records);
    const diagram d = diagram_of(records, runs.front(), looks_of(runs), work, precision, reach_of(problems.front(), records));
    if (file.kind == file_kind::svg) return diagram_svg_file(d, records);
    if (file.kind == file_kind::pgfplots) return diagram_pgfplots(d, records);
    return diagram_gnuplot(d, records, std::string_view(file.path).substr(0, file.path.size() - 3));
}

/// Of each problem whose reference is not proven.
std::string estimated_references(std::span<const run_record> records, std::span<const problem> problems)
{
    std::vector<std::string> lines;
    for (const auto& p : problems) {
        const bool compared =
            std::ranges::any_of(records, [&p](const run_record& r) { return r.problem == p.id() && r.extra.contains(estimated_reference_name); });
        if (!compared || !p.reference()) continue;
        auto line = fmt::format("{}: digits compared with an estimated reference: {}\n", p.id(), p.reference()->source);
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    return joined(lines, "");
}

/// The digits along the path are measured apart: an observer must not disturb the timed runs.
void add_path_digits(const planned_problem& plan, const path_reference& reference, work_precision_result& result)
{
    for (std::size_t i = 0; i < result.rtol.size(); ++i)
        for (std::size_t k = 0; k < plan.contestants.size(); ++k) {
            auto& record = result.records[i * plan.contestants.size() + k];
            if (record.outcome != outcome::success) continue;
            run_settings settings = plan.contestants[k].settings;
            settings.rtol = plan.rtol[i];
            if (const auto digits = path_digits(plan.problem, *plan.contestants[k].solver, settings, reference)) {
                record.extra[path_digits_name] = digits->worst;
                record.extra[rms_digits_name] = digits->root_mean_square;
            }
            record.extra[path_limit_name] = reach_of(reference).worst;
            record.extra[rms_limit_name] = reach_of(reference).root_mean_square;
        }
}

void keep(const kept_runs& store, const planned_problem& plan, const work_precision_result& result)
{
    for (std::size_t i = 0; i < result.rtol.size(); ++i)
        for (std::size_t k = 0; k < plan.contestants.size(); ++k) {
            run_settings settings = plan.contestants[k].settings;
            settings.rtol = result.rtol[i];
            store.keep(result.at(i, k), settings, plan.contents[k]);
        }
}

/// One for each problem, in the order of the tolerances, the solvers and the values.
std::vector<sweep> sweeps_of(const std::vector<std::string>& names, const std::vector<run_record>& records, const std::vector<problem>& problems)
{
    std::vector<sweep> all;
    for (const auto& p : problems) {
        const std::string name = full_name(p.id(), p.info().origin);
        if (std::ranges::any_of(all, [&](const sweep& s) { return s.runs.front().full_problem() == name; })) continue;
        sweep s{names, {}, {}};
        for (const auto& r : records)
            if (r.full_problem() == name) s.runs.push_back(r);
        if (s.runs.empty()) continue;
        std::map<std::string, std::size_t> order; // of the solvers, as they were asked for
        for (const auto& r : s.runs) order.try_emplace(r.full_solver(), order.size());
        std::ranges::stable_sort(s.runs, {}, [&order](const run_record& r) { return std::pair(-r.ladder_rtol(), order.at(r.full_solver())); });
        all.push_back(std::move(s));
    }
    return all;
}

std::string tables_of(const std::vector<sweep>& sweeps)
{
    std::string text;
    for (const auto& s : sweeps) {
        const auto& first = s.runs.front();
        text += fmt::format("{}{} ({}, {})\n{}", text.empty() ? "" : "\n", first.full_problem(), first.form,
                            counted(static_cast<std::uint64_t>(first.dimension), "equation"), sweep_text(s));
        for (const auto& r : s.runs)
            if (r.outcome != outcome::success)
                text += "   " +
                        wrapped(fmt::format("{} at {} with {}: {}: {}", r.full_solver(), to_text(r.ladder_rtol()), variant_of(r), label(r.outcome),
                                            r.message),
                                94, 6) +
                        "\n";
    }
    return text;
}

path_reference path_reference_for(const planned_problem& plan, precision_kind precision)
{
    if (plan.foreign)
        throw bad_request(
            fmt::format("--precision: '{}' given; allowed with plug-ins: mescd, scd (the tool follows the path of its own problems and solvers only)",
                        label(precision)));
    auto reference = make_path_reference(plan.problem);
    if (!reference)
        throw bad_request(fmt::format(
            "--precision: '{}' given; {} has no reference along the path (RADAU does not reach the end at such a tolerance); allowed: mescd, scd",
            label(precision), plan.problem.id()));
    return *reference;
}

int wp(const wp_arguments& a)
{
    reader read;
    auto solvers = read_solvers(a, read);
    set_boundary(a.options.boundary, solvers, read);
    const auto ratio_to = read_ratio_to(a, solvers, read);
    const auto threads = read_threads(a, read);
    run_options without_threads = a.options; // which may be several
    without_threads.settings.erase("threads");
    const auto settings = read_settings(without_threads, read);
    const auto solver_options = read.pairs("--opt", a.options.opt);
    const auto rtol = a.rtol ? read_tolerances(*a.rtol, read) : std::vector<double>{};
    const auto work = read.choice<work_kind>("--work", a.work, work_kind_from_label, "cpu, wall, f, lu");
    const auto precision = read.choice<precision_kind>("--precision", a.precision, precision_kind_from_label, "mescd, scd, path, rms");
    const auto ids = split_names(a.problems);
    const auto formulations = read_formulations(a, read);
    const auto set = reader().pairs("--set", a.options.set); // what is wrong with it read_problem says
    const auto readable = read.attempt([&set] { return swept_names(set); });
    const auto swept_parameters = readable.value_or(std::vector<std::string>{});
    if (!swept_parameters.empty() && a.formulations) read.fault("--formulations: given with several values of a parameter; allowed: one of them");
    const auto files = read_files(a, ids.size() * formulations.size(), !swept_parameters.empty(), read);
    std::vector<planned_problem> plans;
    std::size_t tolerances = 0;
    for (const auto& id : readable ? ids : std::vector<std::string>{}) {
        auto cases = std::optional(std::vector{set});
        if (!swept_parameters.empty()) cases = read.attempt([&] { return swept(set, contained_problem_parameters(id)); });
        if (!cases) continue;
        for (const auto& formulation : formulations)
            for (const auto& values : *cases) {
                run_options own = swept_parameters.empty() ? a.options : with_values(a.options, values);
                own.formulation = formulation;
                std::string content;
                const auto p = read.attempt([&] { return read_problem(id, own, read, content); });
                if (!p) break; // the other values have the same faults, or their own after these are mended
                plans.push_back(plan(id, *p, content, own, solvers, a.solvers.has_value(), settings, solver_options, rtol, threads, read));
                plans.back().values = values;
            }
    }
    const auto left_out = leave_out(plans, read);
    read.raise();
    for (const auto& plan : plans) tolerances += plan.rtol.size();
    std::vector<path_reference> paths;
    if (is_along_path(*precision))
        for (const auto& plan : plans)
            if (auto path = read.attempt([&] { return path_reference_for(plan, *precision); })) paths.push_back(std::move(*path));
    read.raise();

    late_faults late;
    early_end end(late);
    const auto out = open_files(files, plans, a.force, read);
    read.raise();
    std::optional<kept_runs> kept;
    if (a.db) kept.emplace(*a.db, "wp");
    progress_line progress("measuring", tolerances);
    std::vector<work_precision_result> results;
    std::vector<run_record> records;
    std::vector<problem> problems;
    for (const auto& plan : plans) {
        if (end()) break;
        work_precision_options options;
        options.contained.emplace().output = child_output::to_standard_error; // what a plug-in prints is not the table
        options.stop = end.stop();
        options.broken = end.taker();
        std::string what = plan.problem.id() + (plan.formulation.empty() ? "" : fmt::format(", formulation {},", plan.formulation));
        for (const auto& name : swept_parameters) what += fmt::format(", {} = {},", name, plan.values.at(name));
        options.progress = [&progress, what](double tol) { progress.next(fmt::format("{} at {:.1e}", what, tol)); };
        results.push_back(measure_work_precision(plan.problem, plan.contestants, plan.rtol, options));
        if (!paths.empty() && !end()) add_path_digits(plan, paths[results.size() - 1], results.back());
        for (auto r : results.back().records) {
            for (const auto& name : swept_parameters) r.parameters.emplace(name, plan.values.at(name)); // a record has no default values
            records.push_back(std::move(r));
        }
        problems.push_back(plan.problem);
    }
    progress.finish();

    // The table first: it is there whatever happens to the files.
    const auto sweeps = swept_parameters.empty() ? std::vector<sweep>{} : sweeps_of(swept_parameters, records, problems);
    if (!swept_parameters.empty())
        std::cout << tables_of(sweeps);
    else if (a.formulations)
        std::cout << formulation_table(results);
    else
        std::cout << work_precision_table(results, ratio_reference(ratio_to, solvers, plans));
    std::cout << speedup_table(results) << estimated_references(records, problems);
    for (const auto& runs : sweeps.empty() ? curves_of(records) : std::vector<problem_runs>{})
        if (const auto why = why_empty(records, runs, *work, *precision); !why.empty() && !files.empty())
            std::cout << wrapped(fmt::format("{}: nothing in the diagram. {}", runs.problem, why), 100, 3) << '\n';
    for (const auto& line : left_out) std::cout << line << '\n';
    std::cout.flush();
    if (kept)
        late.attempt([&] {
            for (std::size_t k = 0; k < results.size(); ++k) keep(*kept, plans[k], results[k]);
        });
    if (end()) {
        tell("ivp: {}; the table has the complete runs{}\n", end.in_words(), files.empty() ? "" : ", and no file was written");
        late.raise();
        return not_successful;
    }
    const bool apart = std::ranges::any_of(records, has_components_apart);
    for (const auto& [wanted, components, file] : out) {
        if (components && !apart) continue;
        late.attempt([&, &wanted = wanted, &components = components, &file = file] {
            file->stream() << (components                                         ? all_components(records)
                               : !sweeps.empty() && wanted.kind == file_kind::svg ? sweep_svg(sweeps.front(), std::string(label(*work)))
                                                                                  : file_text(wanted, records, problems, *work, *precision));
            file->commit();
        });
    }
    late.raise();
    return done;
}

} // namespace

std::unique_ptr<command> wp_command() { return make_command(wp); }

} // namespace ivp::cli
