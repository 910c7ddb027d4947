#include "commands.hpp"
#include "progress.hpp"
#include "solvers.hpp"

#include "model/text.hpp"

#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/curves.hpp>
#include <ivp/measure/path_error.hpp>
#include <ivp/measure/work_precision.hpp>
#include <ivp/report/book.hpp>
#include <ivp/report/diagram.hpp>
#include <ivp/report/output_file.hpp>
#include <ivp/report/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// All that are there; those that cannot take a problem, or would only show that it is stiff, are left out when it is planned.
std::vector<named_solver> every_solver()
{
    std::vector<named_solver> solvers;
    for (const auto& name : solver_names()) solvers.push_back({name, open_solver(name)});
    for (const auto& l : library_solvers())
        if (l.available) solvers.push_back({l.name, open_solver(l.name)});
    return solvers;
}

std::vector<named_solver> read_solvers(const wp_arguments& a, reader& read) { return a.solvers ? read_solvers(*a.solvers, read) : every_solver(); }

std::string read_reference(const wp_arguments& a, const std::vector<named_solver>& solvers, reader& read)
{
    if (solvers.empty()) return "";
    if (!a.ratio_to) return solvers.front().name();
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
    std::vector<std::string> left_out; ///< why, in sentences
};

/// Numbers of threads to measure a solver with; a parallel one by default with all that this machine can run at once.
std::vector<int> read_threads(const wp_arguments& a, reader& read)
{
    std::vector<int> counts;
    if (!a.threads) return counts;
    for (const auto& word : split(*a.threads, ','))
        if (const auto n = read.count("--threads", word, 1)) counts.push_back(static_cast<int>(std::min<std::uint64_t>(*n, 1 << 20)));
    return counts;
}

std::vector<int> threads_of(const solver_info& s, const std::vector<int>& asked)
{
    std::vector<int> counts = asked;
    if (asked.size() == 1) return counts; // a solver that cannot is refused, in words
    if (asked.empty())
        for (int k = 1; k <= std::max(1, std::min(s.max_threads, this_machine().cores)); ++k) counts.push_back(k);
    std::erase_if(counts, [&s](int k) { return k > std::max(1, s.max_threads); });
    if (counts.empty()) counts = {1};
    return counts;
}

/// Why a solver is not among those that are measured where the user named none.
std::optional<std::string> reason_to_leave_out(const solver_info& s, const problem& p)
{
    if (auto why = s.refusal(p)) return why;
    if (!s.implicit && std::ranges::find(p.info().tags, "stiff") != p.info().tags.end())
        return fmt::format("{} is an explicit method and {} is stiff; '--solvers' can ask for it", s.name, p.id());
    return std::nullopt;
}

planned_problem plan(const std::string& typed, const problem& p, const wp_arguments& a, const std::vector<named_solver>& solvers,
                     const run_settings& settings, const std::vector<double>& rtol, const std::vector<int>& threads)
{
    planned_problem plan{p, names_a_file(typed), {}, rtol.empty() ? ladder(p) : rtol, {}};
    for (const auto& s : solvers) {
        if (!a.solvers)
            if (const auto why = reason_to_leave_out(s.solver->info(), p)) {
                plan.left_out.push_back(*why);
                continue;
            }
        plan.foreign = plan.foreign || names_a_file(s.typed);
        for (const int count : threads_of(s.solver->info(), threads)) {
            run_options own = a;
            own.threads = a.threads || count > 1 ? std::optional(std::to_string(count)) : std::nullopt;
            contestant c{s.solver.get(), settings};
            c.settings.threads = count;
            c.settings.special = options_of(s.solver->info(), settings.special, solvers);
            c.settings.command = fmt::format("ivp run {} {}{}", shell_word(typed), shell_word(s.typed), command_line_of(own, s.solver->info()));
            plan.contestants.push_back(std::move(c));
        }
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

enum class file_kind { csv, json, svg, html, gnuplot, pgfplots };

std::optional<file_kind> file_kind_of(const std::string& path)
{
    static constexpr std::array<std::pair<std::string_view, file_kind>, 6> endings{{{".csv", file_kind::csv},
                                                                                    {".json", file_kind::json},
                                                                                    {".svg", file_kind::svg},
                                                                                    {".html", file_kind::html},
                                                                                    {".gp", file_kind::gnuplot},
                                                                                    {".tex", file_kind::pgfplots}}};
    for (const auto& [ending, kind] : endings)
        if (path.ends_with(ending) && path.size() > ending.size()) return kind;
    return std::nullopt;
}

struct wanted_file {
    std::string path;
    file_kind kind;
};

std::vector<wanted_file> read_files(const wp_arguments& a, std::size_t problems, reader& read)
{
    std::vector<wanted_file> files;
    for (const auto& path : a.out) {
        const auto kind = file_kind_of(path);
        const bool draws_one = kind == file_kind::svg || kind == file_kind::gnuplot || kind == file_kind::pgfplots;
        if (!kind)
            read.fault(
                fmt::format("--out: '{}' given; allowed: names that end with .csv, .json, .svg, .html, .gp (gnuplot) or .tex (pgfplots)", path));
        else if (draws_one && problems > 1)
            read.fault(fmt::format("--out: '{}' given for {} problems; allowed: one problem for a diagram; .html takes several", path, problems));
        else if (std::ranges::any_of(files, [&path](const wanted_file& f) { return f.path == path; }))
            read.fault(fmt::format("--out: '{}' given twice", path));
        else
            files.push_back({path, *kind});
    }
    return files;
}

std::string all_records(const std::vector<run_record>& records, file_kind kind)
{
    std::string text = kind == file_kind::csv ? csv_header() + "\n" : "[\n";
    for (std::size_t k = 0; k < records.size(); ++k) {
        if (kind == file_kind::csv)
            text += to_csv(records[k]) + "\n";
        else
            text += to_json(records[k]) + (k + 1 < records.size() ? ",\n" : "\n");
    }
    return kind == file_kind::csv ? text : text + "]\n";
}

std::string file_text(const wanted_file& file, const std::vector<run_record>& records, const std::vector<problem>& problems, work_kind work,
                      precision_kind precision)
{
    if (file.kind == file_kind::csv || file.kind == file_kind::json) return all_records(records, file.kind);
    if (file.kind == file_kind::html) return work_precision_page(records, problems, work, precision);
    const auto runs = curves_of(records);
    const diagram d = diagram_of(records, runs.front(), looks_of(runs), work, precision, reach_of(problems.front(), records));
    if (file.kind == file_kind::svg) return diagram_svg_file(d, records);
    if (file.kind == file_kind::pgfplots) return diagram_pgfplots(d, records);
    return diagram_gnuplot(d, records, file.path.substr(0, file.path.size() - 3));
}

/// The digits along the path are measured apart: an observer must not disturb the timed runs.
void add_path_digits(const planned_problem& plan, const path_reference& reference, work_precision_result& result)
{
    for (std::size_t i = 0; i < plan.rtol.size(); ++i)
        for (std::size_t k = 0; k < plan.contestants.size(); ++k) {
            auto& record = result.records[i * plan.contestants.size() + k];
            if (record.outcome != outcome::success) continue;
            run_settings settings = plan.contestants[k].settings;
            settings.rtol = plan.rtol[i];
            if (const auto digits = path_digits(plan.problem, *plan.contestants[k].solver, settings, reference))
                record.extra[path_digits_name] = *digits;
            record.extra[path_limit_name] = reach_of(reference);
        }
}

path_reference path_reference_for(const planned_problem& plan)
{
    if (plan.foreign) throw bad_request("--precision: 'path' given; allowed with plug-ins: mescd, scd (the path is followed inside the tool)");
    auto reference = make_path_reference(plan.problem);
    if (!reference)
        throw bad_request(fmt::format(
            "--precision: 'path' given; {} has no reference along the path (RADAU does not reach the end at such a tolerance), allowed: mescd, scd",
            plan.problem.id()));
    return *reference;
}

} // namespace

int wp(const wp_arguments& a)
{
    reader read;
    const auto solvers = read_solvers(a, read);
    const auto reference = read_reference(a, solvers, read);
    const auto threads = read_threads(a, read);
    run_options without_threads = a; // which may be several
    without_threads.threads.reset();
    const auto settings = read_settings(without_threads, read);
    const auto rtol = a.rtol ? read_tolerances(*a.rtol, read) : std::vector<double>{};
    const auto work = read.choice<work_kind>("--work", a.work, work_kind_from_label, "cpu, wall, f, lu");
    const auto precision = read.choice<precision_kind>("--precision", a.precision, precision_kind_from_label, "mescd, scd, path");
    const auto ids = split(a.problems, ',');
    const auto files = read_files(a, ids.size(), read);
    std::vector<planned_problem> plans;
    std::size_t tolerances = 0;
    for (const auto& id : ids) {
        const auto p = read.attempt([&] { return read_problem(id, a, read); });
        if (!p) continue;
        plans.push_back(plan(id, *p, a, solvers, settings, rtol, threads));
        judge(plans.back(), read);
        if (!a.solvers && plans.back().contestants.empty())
            read.fault(fmt::format("no solver can take {}; 'ivp list solvers' shows what each takes", p->id()));
        tolerances += plans.back().rtol.size();
    }
    read.raise();
    std::vector<path_reference> paths;
    if (precision == precision_kind::path)
        for (const auto& plan : plans)
            if (auto path = read.attempt([&plan] { return path_reference_for(plan); })) paths.push_back(std::move(*path));
    read.raise();

    std::vector<std::unique_ptr<output_file>> out;
    for (const auto& f : files) out.push_back(std::make_unique<output_file>(f.path, "--out"));
    progress_line progress("measuring", tolerances);
    std::vector<work_precision_result> results;
    std::vector<run_record> records;
    std::vector<problem> problems;
    for (const auto& plan : plans) {
        work_precision_options options;
        if (plan.foreign) options.contained.emplace().output = child_output::to_standard_error; // what a plug-in prints is not the table
        options.progress = [&](double tol) { progress.next(fmt::format("{} at {:.1e}", plan.problem.id(), tol)); };
        results.push_back(measure_work_precision(plan.problem, plan.contestants, plan.rtol, options));
        if (!paths.empty()) add_path_digits(plan, paths[results.size() - 1], results.back());
        records.insert(records.end(), results.back().records.begin(), results.back().records.end());
        problems.push_back(plan.problem);
    }
    progress.finish();

    for (std::size_t k = 0; k < files.size(); ++k) out[k]->stream() << file_text(files[k], records, problems, *work, *precision);
    for (const auto& file : out) file->commit();
    std::cout << work_precision_table(results, reference) << speedup_table(results);
    for (const auto& runs : curves_of(records))
        if (const auto why = why_empty(records, runs, *work, *precision); !why.empty() && !files.empty())
            std::cout << wrapped(fmt::format("{}: nothing in the diagram. {}", runs.problem, why), 100, 3) << '\n';
    for (const auto& plan : plans)
        for (const auto& why : plan.left_out) std::cout << "not run: " << why << '\n';
    return done;
}

} // namespace ivp::cli
