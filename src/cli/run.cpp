#include "base/escape.hpp"
#include "base/labels.hpp"
#include "base/output_file.hpp"
#include "catalog/content.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "early_end.hpp"
#include "model/record_csv.hpp"
#include "model/sweep.hpp"
#include "report/original_listing.hpp"
#include "report/sweep_table.hpp"
#include "report/trajectory.hpp"
#include "run/executor.hpp"
#include "run_options.hpp"
#include "solvers.hpp"
#include "store/keep.hpp"
#include "terminal.hpp"
#include "text/outputs.hpp"
#include <ivp/print.hpp>

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <span>
#include <sys/stat.h>
#include <unistd.h>

namespace ivp::cli {

namespace {

struct run_arguments : command {
    run_arguments()
        : command(
              "run", "Run a solver on a problem and print what it did",
              "Without tolerances, ivp asks for them on a terminal. Several values of a parameter make a sweep, which runs each of them and prints a "
              "table: --set k=1,2,5, or --set k=1e-2:1e2:4 (from, to, number in each decade).")
    {}

    text problem = word("problem", a_problem, a_problem_missing);
    text solver = word("solver", "Solver name, see 'ivp list solvers', or path of a plug-in (./mine.so)", "a solver (see 'ivp list solvers')");
    optional_text rtol = option("--rtol", "Relative error tolerance");
    optional_text atol = option("--atol", "Absolute error tolerance, or one per component separated by commas; default: the problem's protocol");
    run_options options{*this};
    optional_text trajectory =
        option("--trajectory",
               "Write t, y and the outputs of a model at every accepted step to this file: CSV, or an array of NumPy if its name ends in .npy");
    optional_text at = option("--at", "With --trajectory: at these times instead, separated by commas, from the solver's dense output");
    optional_text components = option("--components", "With --trajectory: only these components of y, counted from 1: 1,5,10-20");
    optional_text plot = option("--plot", "With a sweep (--set with several values): draw this column against the first parameter");
    optional_text out = option("--out", "With a sweep: write the table (.csv) or the column of --plot (.svg) to this file");
    optional_text db = option("--db", "Keep the run in this store too, for 'ivp report'; created if it does not exist");
    yes_or_no force = flag("--force", force_help);
    text format = option("--format", "text, json, csv", "text");
    text listing = option("--listing", "How the text looks: usual, original (as releases 2.0 and 2.1 of the test set printed it)", "usual");
};

/// content: when it was opened, for a store.
std::unique_ptr<const ivp::solver> open_solver_of(const run_arguments& a, std::string& content)
{
    const auto file = content_when_opened::of_solver(a.solver);
    auto s = open_contained_solver(a.solver);
    content = file.confirmed();
    return s;
}

/// A person at a terminal, or a program that feeds answers through a pipe or a file.
bool can_ask()
{
    if (isatty(STDIN_FILENO) != 0) return true;
    struct stat s {};
    return fstat(STDIN_FILENO, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISREG(s.st_mode));
}

/// A number a person would propose: three digits at most.
double rounded(double v) { return parse_real(fmt::format("{:.3g}", v)).value_or(v); }

/// Asks as the original did; a negative answer is a power of ten. Asks again until the answer is a number.
double ask(const std::string& question, double proposal)
{
    while (true) {
        tell("give {} [{}]: ", question, to_text(proposal));
        std::string answer;
        if (!std::getline(std::cin, answer)) throw bad_request("no answer to the question about the " + question);
        const auto first = answer.find_first_not_of(" \t\r");
        if (first == std::string::npos) return proposal;
        answer = answer.substr(first, answer.find_last_not_of(" \t\r") - first + 1);
        if (const auto v = parse_real(answer)) return *v < 0 ? as_decimal(std::pow(10.0, *v)) : *v;
        if (isatty(STDIN_FILENO) == 0) throw bad_request(question + ": '" + answer + "' given; allowed: a finite real number such as 1e-4");
        tell("'{}' is not a number; 1e-4 and 1d-4 are, and -4 stands for 1e-4\n", answer);
    }
}

void ask_for_tolerances(run_settings& s, const problem& p, const solver_info& solver)
{
    const auto& protocol = p.info().protocol;
    tell("Solving problem {} using {}\n\nUser input:\n\n", p.info().title, solver.title);
    const auto answer = [&s](const char* option, const std::string& question, double proposal) {
        const double value = ask(question, rounded(proposal));
        s.command += fmt::format(" {} {}", option, to_text(value)); // the record's command asks nothing
        return value;
    };
    s.rtol = answer("--rtol", "relative error tolerance", protocol.ladder_rtol(0));
    s.atol = {answer("--atol", "absolute error tolerance", protocol.atol(s.rtol))};
    if (solver.needs_h0 && !s.h0) s.h0 = answer("--h0", "initial stepsize", protocol.h0(s.rtol, s.atol));
    tell("\n");
}

std::optional<bool> is_original_from_label(std::string_view text) { return enum_labels<bool, 2>{{"usual", "original"}}.find(text); }

void print(const run_record& r, const problem& p, text_format f, bool original)
{
    if (f == text_format::json)
        std::cout << to_json(r) << '\n';
    else if (f == text_format::csv) {
        std::cout << csv_header() << '\n' << to_csv(r) << '\n';
        if (has_components_apart(r)) tell("note: a row has no room for all components of y, rtol and atol; '--format json' has them\n");
    } else
        std::cout << (original ? original_listing : listing)(r, p, accuracy_of(r, p));
}

class trajectory_file final : public run_observer {
public:
    trajectory_file(const std::string& path, const problem& p, trajectory_choice choice) : writer_(path, p, std::move(choice)) {}
    observer_answer on_step(const accepted_step& step) override { return writer_.on_step(step); }
    void finish() override { writer_.commit(); }

private:
    trajectory_writer writer_;
};

std::vector<double> read_times(const run_arguments& a, const std::optional<problem>& p, const run_settings& s, reader& read)
{
    if (!a.at) return {};
    if (!a.trajectory) read.fault("--at: given without --trajectory; allowed: with --trajectory FILE");
    auto times = read.reals("--at", *a.at);
    std::ranges::sort(times);
    if (!p) return times;
    const double t0 = p->info().t0.value();
    const double tend = s.tend.value_or(p->info().tend.value());
    for (const double t : times)
        if (t < t0 || t > tend)
            read.fault(
                fmt::format("--at: {} given; allowed for {} in this run: times from {} to {}", to_text(t), p->id(), to_text(t0), to_text(tend)));
    return times;
}

/// "1,5,10-20": counted from 1, ascending or not.
std::vector<int> read_components(const run_arguments& a, int n, reader& read)
{
    std::vector<int> chosen;
    if (!a.components) return chosen;
    if (!a.trajectory) read.fault("--components: given without --trajectory; allowed: with --trajectory FILE");
    for (const auto& word : split(*a.components, ',')) {
        const auto dash = word.find('-');
        const auto first = read.count("--components", word.substr(0, dash), 1, static_cast<std::uint64_t>(n));
        const auto last = dash == std::string::npos ? first : read.count("--components", word.substr(dash + 1), 1, static_cast<std::uint64_t>(n));
        if (!first || !last) return chosen;
        if (*last < *first) read.fault("--components: '" + word + "' given; allowed: from a smaller number to a larger one");
        for (auto i = *first; i <= *last; ++i) chosen.push_back(static_cast<int>(i) - 1);
    }
    return chosen;
}

/// Before the runs, which can take long.
void check_column(const std::string& column, const sweep& s, const problem& p, reader& read)
{
    constexpr std::size_t most_named = 8;
    auto all = columns_of(s); // of no runs: components, and no outputs
    const auto components = s.components.size();
    if (const auto* outputs = outputs_of(p))
        all.insert(all.end() - static_cast<std::ptrdiff_t>(components), outputs->output_names().begin(), outputs->output_names().end());
    if (std::ranges::find(all, column) != all.end()) return;
    const auto named = std::span(all).first(all.size() - (components > most_named ? components - most_named : 0));
    read.fault("--plot: '" + column + "' given; allowed: " + joined(std::vector(named.begin(), named.end()), ", ") +
               (named.size() < all.size() ? fmt::format(", ... ({})", counted(components, "component")) : "") + nearest_name_hint(column, all));
}

/// What one run and a sweep of runs have in common.
struct run_basis {
    text_format format;
    bool original;                             ///< the listing
    std::unique_ptr<const ivp::solver> solver; ///< null: it cannot be opened
    std::string content;                       ///< of the solver when it was opened, for a store
    run_settings settings;
};

run_basis read_basis(const run_arguments& a, reader& read)
{
    run_basis b{};
    b.format = read.format(a.format, {"text", "json", "csv"});
    b.original = read.choice<bool>("--listing", a.listing, is_original_from_label, "usual, original").value_or(false);
    if (b.original && b.format != text_format::text)
        read.fault("--listing: 'original' given with --format " + a.format + "; allowed: with --format text");
    auto opened = read.attempt([&] {
        std::vector<named_solver> one;
        one.push_back({a.solver, open_solver_of(a, b.content), {}});
        set_boundary(a.options.boundary, one, read);
        return std::move(one.front().solver);
    });
    if (opened) b.solver = std::move(*opened);
    b.settings = read_settings(a.options, read);
    if (a.rtol) b.settings.rtol = read.real("--rtol", *a.rtol).value_or(b.settings.rtol);
    if (a.atol) b.settings.atol = read.reals("--atol", *a.atol);
    const auto options = read.pairs("--opt", a.options.opt);
    if (b.solver) b.settings.special = read_solver_options(options, b.solver->info(), read);
    return b;
}

/// Before anything is run.
void judge_run(const problem& p, const run_basis& b, reader& read)
{
    if (const auto why = b.solver->info().refusal(p, b.settings.special)) read.fault(*why);
    (void)read.attempt([&] { return resolve(b.settings, p, b.solver->info()); });
}

/// What a sweep would ignore silently.
void refuse_options_of_one_run(const run_arguments& a, bool original, reader& read)
{
    constexpr auto fault = "{}: given with several values of a parameter; allowed: with one run";
    if (a.trajectory) read.fault(fmt::format(fault, "--trajectory"));
    if (a.at) read.fault(fmt::format(fault, "--at"));
    if (a.components) read.fault(fmt::format(fault, "--components"));
    if (original) read.fault(fmt::format(fault, "--listing original"));
}

/// The same run for every combination of the values; what fails is a row.
int run_sweep(const run_arguments& a, const std::map<std::string, std::string>& set)
{
    reader read;
    run_basis basis = read_basis(a, read);
    const text_format f = basis.format;
    refuse_options_of_one_run(a, basis.original, read);
    if (!a.rtol) read.fault("no tolerance given: add --rtol, for example --rtol 1e-6");
    const bool as_csv = a.out && a.out->ends_with(".csv");
    if (a.out && !as_csv && !a.out->ends_with(".svg")) read.fault("--out: '" + *a.out + "' given; allowed: a file that ends in .csv or .svg");
    if (a.out && !as_csv && !a.plot) read.fault("--out: '" + *a.out + "' given without --plot; allowed: with --plot COLUMN");
    if (a.plot && f != text_format::text && (!a.out || as_csv))
        read.fault("--plot: given with --format " + a.format + "; allowed: with --format text, or with --out FILE.svg");
    const auto cases = read.attempt([&] { return swept(set, contained_problem_parameters(a.problem)); });
    sweep all;
    (void)read.attempt([&] {
        all.names = swept_names(set);
        return true;
    });
    std::vector<problem> problems;
    std::vector<run_contents> contents;
    std::vector<std::string> commands; // each repeats one run
    if (cases)
        for (const auto& values : *cases) {
            const run_options one = with_values(a.options, values);
            std::string of_problem;
            const auto p = read.attempt([&] { return read_problem(a.problem, one, read, of_problem); });
            if (!p) break; // the others have the same faults, or their own after these are mended
            if (basis.solver) judge_run(*p, basis, read);
            problems.push_back(*p);
            contents.push_back({of_problem, basis.content});
            commands.push_back(command_of(a.problem, a.solver, one, basis.settings) + " --rtol " + shell_word(a.rtol.value_or("")) +
                               (a.atol ? " --atol " + shell_word(*a.atol) : ""));
        }
    if (!problems.empty()) {
        all.components = component_names_of(problems.front());
        if (a.plot) check_column(*a.plot, all, problems.front(), read);
    }
    const std::string head = joined(all.names, ",") + ",outcome,scd,mescd,"; // an earlier sweep of these parameters
    const file_mark mark = as_csv ? file_mark{head} : file_marks::svg;
    if (a.out && read.apart_from_store("--out", a.out, a.db))
        (void)read.attempt([&] { return output_file::try_out(*a.out, "--out", mark, a.force), true; });
    read.raise();

    std::optional<kept_runs> kept;
    if (a.db) kept.emplace(*a.db, "run");
    late_faults late;
    early_end end(late);
    bool successful = true;
    bool can_be_kept = kept.has_value();
    for (std::size_t k = 0; k < problems.size(); ++k) {
        basis.settings.command = commands[k];
        run_order order{&problems[k], basis.solver.get(), basis.settings, child_limits{}, {}};
        order.contained->output = child_output::to_standard_error; // what a person's own solver prints is not the table
        const auto made = unless_broken(end.taker(), [&] { return execute(order, end.stop()); }).value_or(std::nullopt);
        if (!made) break;
        const run_record& r = *made;
        can_be_kept = can_be_kept && late.attempt([&] { kept->keep(r, basis.settings, contents[k]); });
        successful = successful && r.outcome == outcome::success;
        if (f == text_format::json) std::cout << to_json(r) << '\n' << std::flush;
        all.runs.push_back(r);
        // A default value is not among the parameters of a record.
        for (const auto& [name, value] : (*cases)[k]) all.runs.back().parameters.emplace(name, value);
    }
    if (f == text_format::text && !all.runs.empty()) std::cout << sweep_text(all) << (a.plot ? "\n" + sweep_plot(all, *a.plot) : "");
    if (f == text_format::csv) std::cout << sweep_csv(all);
    std::cout.flush();
    if (all.runs.size() < problems.size()) {
        tell("ivp: {}; the table has the complete runs, {} of {}{}\n", end.in_words(), all.runs.size(), problems.size(),
             a.out ? ", and no file was written" : "");
        late.raise();
        return not_successful;
    }
    if (a.out)
        late.attempt([&] {
            output_file out(*a.out, "--out", mark, a.force);
            out.stream() << (as_csv ? sweep_csv(all) : sweep_svg(all, *a.plot));
            out.commit();
        });
    late.raise();
    return successful ? done : not_successful;
}

int run(const run_arguments& a)
{
    reader read;
    const auto set = reader().pairs("--set", a.options.set); // what is wrong with it read_problem says
    const auto changing = read.attempt([&set] { return swept_names(set); });
    if (changing && !changing->empty()) return run_sweep(a, set);
    if (a.plot) read.fault("--plot: given for one run; allowed: with several values of a parameter, such as --set k=1,2,5 or --set k=1e-2:1e2:4");
    if (a.out) read.fault("--out: given for one run; allowed: with several values of a parameter; --trajectory writes the course of one run");
    run_contents contents;
    const auto p = changing ? read.attempt([&] { return read_problem(a.problem, a.options, read, contents.problem); }) : std::nullopt;
    run_basis basis = read_basis(a, read);
    contents.solver = basis.content;
    run_settings& settings = basis.settings;
    settings.command = a.typed();
    if (!a.rtol && a.atol) read.fault("--atol is given without --rtol; give both (--rtol 0 is pure absolute error control)");
    if (p && basis.solver) judge_run(*p, basis, read);
    trajectory_choice written{.times = read_times(a, p, settings, read), .force = a.force};
    if (p) written.components = read_components(a, p->n(), read);
    if (read.apart_from_store("--trajectory", a.trajectory, a.db) && a.trajectory && p)
        (void)read.attempt([&] {
            try_trajectory(*a.trajectory, *p, written);
            return true;
        });
    read.raise();

    if (!a.rtol) {
        if (!can_ask())
            throw bad_request(
                "no tolerance given: add --rtol, for example --rtol 1e-4 (--atol and --h0 follow the problem's protocol if you do not give them)");
        ask_for_tolerances(settings, *p, basis.solver->info());
        judge_run(*p, basis, read); // every fault before a file is touched
        read.raise();
    }

    std::optional<kept_runs> kept;
    if (a.db) kept.emplace(*a.db, "run");
    run_order order{&*p, basis.solver.get(), settings, child_limits{}, {}};
    order.contained->output = child_output::to_standard_error; // what a person's own solver prints is for that person, but not part of the result
    const std::string trajectory = a.trajectory ? output_file::name_for_children(*a.trajectory) : "";
    const no_partial_left guard(trajectory);
    const auto observer = [&] { return output_file::discard_partial(trajectory), std::make_unique<trajectory_file>(trajectory, *p, written); };
    if (a.trajectory) order.observer = observer; // a child that was killed is made again
    const interruption interrupted;
    const auto made = execute(order, [&interrupted] { return interrupted(); });
    if (!made) {
        tell("ivp: interrupted; the run was not complete{}\n", a.trajectory ? ", and no file was written" : "");
        return not_successful;
    }
    const run_record& r = *made;
    print(r, *p, basis.format, basis.original);
    std::cout.flush();
    if (basis.format != text_format::text && r.outcome != outcome::success && !r.extra.contains(unfinished_observer))
        tell("ivp: {}: {}\n", label(r.outcome), r.message);
    late_faults late;
    if (r.extra.contains(unfinished_observer)) late.attempt([&r] { throw bad_request(r.message); });
    if (kept) late.attempt([&] { kept->keep(r, settings, contents); });
    late.raise();
    return r.outcome == outcome::success ? done : not_successful;
}

} // namespace

std::unique_ptr<command> run_command() { return make_command(run); }

} // namespace ivp::cli
