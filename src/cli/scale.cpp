#include "base/output_file.hpp"
#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "early_end.hpp"
#include "model/sweep.hpp"
#include "progress.hpp"
#include "record_files.hpp"
#include "report/scaling_view.hpp"
#include "run/left_out.hpp"
#include "run/work_precision.hpp"
#include "run_options.hpp"
#include "solvers.hpp"
#include "store/keep.hpp"
#include "terminal.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

namespace ivp::cli {

namespace {

struct scale_arguments : command {
    scale_arguments()
        : command("scale", "Measure solvers on several sizes of a problem: work against the number of equations",
                  "--set gives the sizes: --set N=20:2000:3 (from, to, number in each decade) or --set N=16,32,64. ivp rounds the values of a "
                  "parameter that must be whole. The table shows the runs and the exponents p with which CPU time, peak memory, steps and "
                  "evaluations grow, n^p. If a solver does not finish a size within --timeout, ivp does not try it on larger ones.")
    {}

    text problem = word("problem", a_problem, a_problem_missing);
    optional_text solvers = option("--solvers", "Solver names or paths of plug-ins (label=./mine.so gives one another name), separated by commas");
    text rtol = option("--rtol", "Relative error tolerance", "1e-4");
    texts out = list("--out", "Write a file: .svg, .html: the diagram; .csv, .json: all numbers of every run");
    text work = option("--work", "Work in the diagram: cpu, wall, steps, f, lu, memory", "cpu");
    optional_text db = option("--db", "Keep the runs in this store too, for 'ivp report'; created if it does not exist");
    yes_or_no force = flag("--force", force_help);
    run_options options{*this};
};

/// One size of the problem.
struct sized_problem {
    run_options options; ///< with this size alone
    ivp::problem problem;
    std::string content;
};

/// From the smallest to the largest; each number of equations once.
std::vector<sized_problem> read_sizes(const scale_arguments& a, reader& read)
{
    std::vector<sized_problem> sizes;
    const auto set = read.pairs("--set", a.options.set);
    const auto names = read.attempt([&set] { return swept_names(set); });
    if (names && names->empty())
        read.fault("--set: no parameter has several values; allowed: the sizes to measure, such as --set N=20:2000:3 or --set N=16,32,64");
    const auto known = read.attempt([&a] { return contained_problem_parameters(a.problem); });
    if (!names || names->empty() || !known) return sizes;
    const auto cases = read.attempt([&] { return swept(set, *known); });
    if (!cases) return sizes;
    for (const auto& values : *cases) {
        run_options one = a.options;
        one.set.clear();
        for (const auto& [name, value] : values) one.set.push_back(name + "=" + value);
        std::string content;
        const auto p = read.attempt([&] { return read_problem(a.problem, one, read, content); });
        if (!p) return sizes; // the others have the same faults, or their own after these are mended
        if (std::ranges::none_of(sizes, [&](const sized_problem& s) { return s.problem.n() == p->n(); })) sizes.push_back({one, *p, content});
    }
    std::ranges::stable_sort(sizes, {}, [](const sized_problem& s) { return s.problem.n(); });
    if (sizes.size() < fewest_sizes)
        read.fault(fmt::format("--set: the values give {} of the problem; allowed: at least {} different numbers of equations",
                               counted(sizes.size(), "size"), fewest_sizes));
    return sizes;
}

bool is_diagram(const std::string& path) { return path.ends_with(".svg") || path.ends_with(".html"); }

std::vector<std::unique_ptr<output_file>> open_files(const scale_arguments& a, reader& read)
{
    std::vector<std::unique_ptr<output_file>> files;
    for (const auto& path : a.out) {
        read.apart_from_store("--out", path, a.db);
        const bool as_records = path.ends_with(".csv") || path.ends_with(".json");
        if (!is_diagram(path) && !as_records)
            read.fault(fmt::format("--out: '{}' given; allowed: names that end with .svg, .html, .csv or .json", path));
    }
    read.raise();
    for (const auto& path : a.out) {
        const file_mark mark = path.ends_with(".svg")    ? file_marks::svg
                               : path.ends_with(".html") ? file_marks::html
                               : path.ends_with(".csv")  ? file_marks::csv
                                                         : file_marks::json;
        if (auto file = read.attempt([&] { return std::make_unique<output_file>(path, "--out", mark, a.force); })) files.push_back(std::move(*file));
    }
    read.raise();
    return files;
}

std::string scale_file_text(const std::string& path, const scaling& s, const std::vector<run_record>& records, scaled_quantity q)
{
    if (path.ends_with(".csv")) return records_as_csv(records);
    if (path.ends_with(".json")) return records_as_json(records);
    return path.ends_with(".svg") ? scaling_svg(s, records, q) : scaling_page(s, records, q);
}

/// A larger problem would only take longer.
bool ends_the_curve(const run_record& r) { return r.outcome == outcome::timed_out || r.outcome == outcome::out_of_memory; }

int scale(const scale_arguments& a)
{
    reader read;
    if (!a.solvers) read.fault("no solvers given: add --solvers, for example --solvers radau5,rodas,vode,dopri5");
    auto solvers = a.solvers ? read_solvers(*a.solvers, read) : std::vector<named_solver>{};
    set_boundary(a.options.boundary, solvers, read);
    run_settings settings = read_settings(a.options, read);
    settings.rtol = read.real("--rtol", a.rtol).value_or(settings.rtol);
    const auto options = read.pairs("--opt", a.options.opt);
    const auto quantity = read.choice<scaled_quantity>("--work", a.work, scaled_quantity_from_label, "cpu, wall, steps, f, lu, memory");
    const auto sizes = read_sizes(a, read);
    read.raise();

    std::vector<std::string> not_run;
    std::set<std::string> without; // solvers that take no part any more
    for (const auto& s : solvers) {
        settings.special = options_of(s.solver->info(), options, solvers, read);
        const auto why = reasons_to_leave_out(s.solver->info(), sizes.front().problem, settings, std::vector{settings.rtol});
        if (why.empty()) continue;
        not_run.push_back(fmt::format("not run: {} on {}: {}", s.name(), a.problem, joined(why, "; ")));
        without.insert(s.name());
    }
    read.raise();
    if (without.size() == solvers.size()) throw bad_request(not_run);
    late_faults late;
    early_end end(late);
    auto files = open_files(a, read);
    std::optional<kept_runs> kept;
    if (a.db) kept.emplace(*a.db, "scale");

    bool can_be_kept = kept.has_value();
    progress_line progress("measuring", sizes.size());
    std::vector<run_record> records;
    for (const auto& size : sizes) {
        progress.next(fmt::format("{} with {}", size.problem.id(), counted(static_cast<std::size_t>(size.problem.n()), "equation")));
        std::vector<contestant> contestants;
        std::vector<const named_solver*> who;
        for (const auto& s : solvers) {
            if (without.contains(s.name())) continue;
            contestant c{s.solver.get(), settings};
            c.settings.special = options_of(s.solver->info(), options, solvers, read);
            c.settings.command = command_of(a.problem, s.typed, size.options, c.settings);
            contestants.push_back(std::move(c));
            who.push_back(&s);
        }
        work_precision_options how;
        how.contained.emplace().output = child_output::to_standard_error;
        how.stop = end.stop();
        how.broken = end.taker();
        const auto result = measure_work_precision(size.problem, contestants, {settings.rtol}, how);
        for (std::size_t k = 0; k < result.records.size(); ++k) {
            can_be_kept = can_be_kept && late.attempt([&] {
                kept->keep(result.records[k], contestants[k].settings, {size.content, who[k]->content});
            });
            if (ends_the_curve(result.records[k])) without.insert(who[k]->name());
            records.push_back(result.records[k]);
        }
        if (end() || without.size() == solvers.size()) break;
    }
    progress.finish();

    const auto all = scalings_of(records, 1);
    for (const auto& s : all) std::cout << scaling_text(s, records);
    for (const auto& line : not_run) std::cout << line << '\n';
    std::cout.flush();
    if (end()) {
        tell("ivp: {}; the table has the complete runs{}\n", end.in_words(), files.empty() ? "" : ", and no file was written");
        late.raise();
        return not_successful;
    }
    for (std::size_t k = 0; k < files.size(); ++k)
        late.attempt([&] {
            files[k]->stream() << scale_file_text(a.out[k], all.front(), records, *quantity);
            files[k]->commit();
        });
    late.raise();
    if (const std::size_t measured = sizes_of(records, all.front()); measured < fewest_sizes) {
        tell("ivp: only {} measured, because no solver was left for larger ones: an exponent needs {}\n",
             measured == 1 ? "one size was" : fmt::format("{} sizes were", measured), fewest_sizes);
        return not_successful;
    }
    return done;
}

} // namespace

std::unique_ptr<command> scale_command() { return make_command(scale); }

} // namespace ivp::cli
