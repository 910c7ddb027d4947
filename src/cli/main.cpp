// ivp: arguments in, exit code out, nothing else. The only file that knows CLI11.
#include "commands.hpp"

#include "model/text.hpp"

#include <ivp/model/parameter.hpp>
#include <ivp/model/record.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ivp::cli;

std::string command_line(int argc, char** argv)
{
    std::string text = "ivp";
    for (int i = 1; i < argc; ++i) text += " " + ivp::shell_word(argv[i]);
    return text;
}

/// One command of the tool: how it is parsed, which arguments it must have, what it does.
struct command {
    CLI::App* app;
    std::function<int()> action;
    std::vector<std::string> required; ///< its positional arguments, in words
};

constexpr auto exit_codes = "Exit codes: 0 done and successful, 1 the run did not succeed, 2 wrong use, 3 missing component.";

command add_command(CLI::App& app, const char* name, const char* description, std::function<int()> action)
{
    CLI::App* c = app.add_subcommand(name, description);
    c->footer(exit_codes);
    c->allow_extras(); // they are refused here, in words
    return {c, std::move(action), {}};
}

command add_list(CLI::App& app, list_arguments& a)
{
    command c = add_command(app, "list", "List problems or solvers", [&a] { return list(a); });
    c.app->add_option("what", a.kind, "problems or solvers");
    c.app->add_option("--form", a.form, "Only this form: ode, dae, ide");
    c.app->add_option("--index", a.index, "Only problems of this index; solvers that can take it");
    c.app->add_option("--tag", a.tag, "Only problems with this tag (chemistry, circuits, stiff, ...)");
    c.app->add_option("--sort", a.sort, "Problems in the order of: id, form, n, index; default: the catalog's");
    c.app->add_option("--format", a.format, "text, json, csv")->capture_default_str();
    c.required = {"what to list (problems or solvers)"};
    return c;
}

command add_show(CLI::App& app, show_arguments& a)
{
    command c = add_command(app, "show", "Show the chapter of a problem or a solver", [&a] { return show(a); });
    c.app->add_option("name", a.name, "Problem id, solver name, or path of a plug-in");
    c.app->add_option("--format", a.format, "text, json, html")->capture_default_str();
    c.required = {"a problem or a solver (see 'ivp list problems', 'ivp list solvers')"};
    return c;
}

command add_check(CLI::App& app, check_arguments& a)
{
    command c = add_command(app, "check", "Check a problem: Jacobian, consistency of y0, structure, index, reference", [&a] { return check(a); });
    c.app->add_option("problem", a.problem, "Problem id, see 'ivp list problems', or path of a plug-in (./mine.so)");
    c.app->add_option("--set", a.set, "Parameter of the problem, name=value (repeatable)")->allow_extra_args(false);
    c.app->add_option("--format", a.format, "text, json")->capture_default_str();
    c.required = {"a problem (see 'ivp list problems')"};
    return c;
}

/// What every command has that runs solvers: which problem exactly, and how it is given to them.
void add_problem_options(CLI::App& c, run_options& o)
{
    c.add_option("--hmax", o.hmax, "Largest step");
    c.add_option("--max-steps", o.max_steps, "Largest number of attempted steps; default 1000000");
    c.add_option("--set", o.set, "Parameter of the problem, name=value (repeatable)")->allow_extra_args(false);
    c.add_option("--tend", o.tend, "End point; default: the problem's");
    c.add_option("--form", o.form, "Solve the problem in this form: ode, dae, ide");
    c.add_option("--jacobian", o.jacobian, "exact, differences (the solver's own), original (as the published runs)")->capture_default_str();
    c.add_option("--algebra", o.algebra, "Linear algebra: auto, dense, band, sparse")->capture_default_str();
}

/// What `run` and `wp` have in common.
void add_run_options(CLI::App& c, run_options& o)
{
    c.add_option("--h0", o.h0, "First step; default: the problem's protocol for solvers that need one");
    add_problem_options(c, o);
    c.add_option("--opt", o.opt, "Option of the solver, name=value (repeatable), see 'ivp show SOLVER'")->allow_extra_args(false);
    c.add_option("--repeat", o.repeat, "Number of timed repetitions; default: until the time is reliable");
    c.add_option("--min-time", o.min_time, "Repeat until the runs have taken this many CPU seconds together (at most 1000 runs)");
    c.add_option("--threads", o.threads, "Threads for parallel solvers");
    c.add_option("--timeout", o.timeout, "Stop the run after this many seconds");
}

command add_run(CLI::App& app, run_arguments& a)
{
    command c = add_command(app, "run", "Run a solver on a problem and print what it did", [&a] { return run(a); });
    c.app->footer(std::string("Without tolerances, ivp asks for them on a terminal.\n") + exit_codes);
    c.app->add_option("problem", a.problem, "Problem id, see 'ivp list problems', or path of a plug-in (./mine.so)");
    c.app->add_option("solver", a.solver, "Solver name, see 'ivp list solvers', or path of a plug-in (./mine.so)");
    c.app->add_option("--rtol", a.rtol, "Relative error tolerance");
    c.app->add_option("--atol", a.atol, "Absolute error tolerance, or one per component separated by commas; default: the problem's protocol");
    add_run_options(*c.app, a);
    c.app->add_option("--trajectory", a.trajectory, "Write t and y of every accepted step to this CSV file");
    c.app->add_option("--format", a.format, "text, json, csv")->capture_default_str();
    c.required = {"a problem (see 'ivp list problems')", "a solver (see 'ivp list solvers')"};
    return c;
}

command add_wp(CLI::App& app, wp_arguments& a)
{
    command c = add_command(app, "wp", "Work against precision: compare solvers over a ladder of tolerances", [&a] { return wp(a); });
    c.app->footer(
        std::string("The solvers are timed in turns: one sample of each, then again. A run that fails is a row of the table like the others.\n") +
        exit_codes);
    c.app->add_option("problems", a.problems, "Problem ids, separated by commas, see 'ivp list problems'");
    c.app->add_option(
        "--solvers", a.solvers,
        "Solver names or paths of plug-ins, separated by commas; default: all that take the problem, without explicit ones where it is stiff");
    c.app->add_option("--rtol", a.rtol, "Tolerances, separated by commas, or FROM:TO:PER_DECADE; default: the problem's ladder");
    c.app->add_option("--ratio-to", a.ratio_to, "Solver whose CPU time is 1 in the column 'ratio'; default: the first");
    c.app
        ->add_option("--out", a.out,
                     "Write a file (repeatable): .svg, .html, .gp (gnuplot), .tex (pgfplots): the diagram; .csv, .json: all numbers of every run")
        ->allow_extra_args(false);
    c.app->add_option("--work", a.work, "Work in the diagram: cpu, wall, f, lu")->capture_default_str();
    c.app->add_option("--precision", a.precision, "Precision in the diagram: mescd or scd at the end point, path: the largest error along the path")
        ->capture_default_str();
    add_run_options(*c.app, a);
    c.required = {"a problem (see 'ivp list problems')"};
    return c;
}

command add_choose(CLI::App& app, choose_arguments& a)
{
    command c =
        add_command(app, "choose", "Which solver, and at which tolerance? For a problem without a known solution", [&a] { return choose(a); });
    c.app->footer(
        "Tries every solver that can take the problem, and names the fastest that delivers the digits. Digits are judged by tight runs of two\n"
        "different methods that agree; a reference solution of the catalog is not looked at.\n"
        "Exit codes: 0 an answer, 1 nobody delivers the digits (or not within the time), 2 wrong use, 3 missing component.");
    c.app->add_option("problem", a.problem, "Problem id, see 'ivp list problems', or path of a plug-in (./mine.so)");
    c.app->add_option("--digits", a.digits, "Correct digits wanted at the end, 1 to 11; default 4");
    c.app->add_option("--budget", a.budget, "Wall-clock seconds for everything; default 20");
    c.app->add_option("--solvers", a.solvers, "Choose among these only: names or paths of plug-ins, separated by commas");
    c.app->add_option("--floor", a.floor,
                      "Size below which a component matters no longer, or one for each component separated by commas: digits are those of\n"
                      "|error| / (floor + |y|), and atol is floor * rtol; default: the problem's protocol");
    add_problem_options(*c.app, a);
    c.app->add_option("--format", a.format, "text, json")->capture_default_str();
    c.required = {"a problem (see 'ivp list problems')"};
    return c;
}

command add_detest(CLI::App& app, detest_arguments& a)
{
    command c =
        add_command(app, "detest", "Assess a solver as DETEST did: true errors, deceived steps, costs at equal accuracy", [&a] { return detest(a); });
    c.app->footer(std::string("'weights' and 'timing' take --problems and --format only; --problems adds a group to those of --groups.\n"
                              "A run that fails is a row of the table like the others.\n") +
                  exit_codes);
    c.app->add_option("what", a.what, "stiff or nonstiff: the set and its rules; weights or timing: compute these data of problems");
    c.app->add_option("solver", a.solver, "Solver name, see 'ivp list solvers', or path of a plug-in (./mine.so)");
    c.app->add_option("--level", a.level, "1: costs, error at the end; 2: global errors; 3: local errors; 4: error estimates; default 3");
    c.app->add_option("--normalize", a.normalize, "Costs at equal accuracy, by the error at the end or the largest: none, end, max")
        ->capture_default_str();
    c.app->add_option("--norm", a.norm, "Of errors, should be the solver's: max, l2, rms")->capture_default_str();
    c.app->add_option("--tol", a.tol, "Up to 10 tolerances, decreasing, separated by commas; default 1e-2,1e-4,1e-6,1e-8");
    c.app->add_option("--groups", a.groups,
                      "Problems by name, groups separated by semicolons, such as \"A1,A2;-C1,-E1\"; a minus sign: "
                      "unscaled; default: all, a group for each class");
    c.app->add_option("--problems", a.problems, "Problem ids or files, separated by commas; a minus sign: unscaled");
    c.app->add_option("--extrapolation", a.extrapolation, "The solution is the more accurate one of the two behind the estimate: yes, no");
    c.app->add_option("--bound", a.bound, "Local errors against the bound told by the solver, or the tolerance: told, tolerance")
        ->capture_default_str();
    c.app->add_option("--truth", a.truth, "True solutions: classic (DVERK, SECDER), quad (quadruple precision)")->capture_default_str();
    c.app->add_flag("--as-1986", a.as_1986, "Arithmetic and rules of the original package, defects included");
    c.app->add_option("--timing", a.timing, "Repeat each run until so many seconds are spent, at most 10 times; 0: do not; default 0.05");
    c.app->add_option("--timeout", a.timeout,
                      "Stop an integration after this many seconds, and give up its true solutions after as many; default 60");
    c.app->add_option("--max-steps", a.max_steps, "Largest number of attempted steps; default 1000000");
    c.app->add_option("--jacobian", a.jacobian, "exact, differences (the solver's own), original")->capture_default_str();
    c.app->add_option("--opt", a.opt, "Option of the solver, name=value (repeatable), see 'ivp show SOLVER'")->allow_extra_args(false);
    c.app->add_option("--db", a.db, "Keep the assessment in this store too, for 'ivp report'; made where it is not there");
    c.app->add_flag("--dummy", a.dummy, "Only print the first 5 steps of the first problem as the solver tells them");
    c.app->add_option("--format", a.format, "text, json")->capture_default_str();
    c.required = {"what to do (stiff, nonstiff, weights or timing)"};
    return c;
}

command add_report(CLI::App& app, report_arguments& a)
{
    command c = add_command(app, "report", "Write the book about everything that was measured: one HTML file, or LaTeX", [&a] { return report(a); });
    c.app->add_option("--db", a.database, "The store with the runs")->capture_default_str();
    c.app->add_option("--out", a.out, fmt::format("The file, ending with .html; default {}, none with --latex", default_book));
    c.app->add_option("--latex", a.latex,
                      "Folder for tables (booktabs) and diagrams (pgfplots), each for \\input in a paper, and report.tex with all of them");
    c.app->add_option("--plug-in", a.plugins, "File of a solver or problem from outside whose chapter is wanted (repeatable)")
        ->allow_extra_args(false);
    return c;
}

command add_demo(CLI::App& app, demo_arguments& a)
{
    command c =
        add_command(app, "demo", "Run several problems with solvers of every family at three tolerances (under a minute)", [&a] { return demo(a); });
    c.app->add_option("--dir", a.directory, "Folder for the results")->capture_default_str();
    return c;
}

command add_new(CLI::App& app, new_arguments& a)
{
    command c = add_command(app, "new", "Write a small project to begin with: a solver or a problem of your own", [&a] { return new_project(a); });
    c.app->footer(std::string("The project is a shared library (plug-in) that builds with 'make' and works at once.\n") + exit_codes);
    c.app->add_option("what", a.kind, "solver or problem");
    c.app->add_option("name", a.name, "Its name");
    c.app->add_option("--lang", a.language, "Language: c, c++, fortran");
    c.app->add_option("--dir", a.directory, "Folder to write; default: the name");
    c.required = {"what to make (solver or problem)", "its name"};
    return c;
}

command add_campaign(CLI::App& app, campaign_arguments& a)
{
    command c = add_command(app, "campaign", "Make all runs of a plan, and keep them in a store", [&a] { return campaign(a); });
    c.app->footer(
        std::string("What is stored is not run again: a campaign that was interrupted goes on with the same command. Failed runs are rows of the "
                    "store.\n") +
        exit_codes);
    c.app->add_option("plan", a.plan, "Plan, a TOML file (docs/campaigns.md)");
    c.app->add_option("--preset", a.preset, "A plan that comes with the program: quick, standard, full");
    c.app->add_option("--db", a.db, "Store, an SQLite file; made where it is not there")->capture_default_str();
    c.app->add_option("--jobs", a.jobs, "Runs at the same time, each on a core of its own; default 1, which gives the best times");
    c.app->add_flag("--resume,!--no-resume", a.resume, "Leave out what is stored (default); --no-resume measures it again");
    c.app->add_option("--repeat", a.repeat, "Measure every run this many times; instead of what the plan says");
    c.app->add_option("--timeout", a.timeout, "Stop every integration after this many seconds; instead of what the plan says");
    c.app->add_flag("--dry-run", a.dry_run, "List the runs and estimate the time; run nothing");
    c.app->add_option("--shard", a.shard, "Make only part I of N parts, given as I/N; 'ivp merge' joins their stores");
    c.app->add_flag("--slurm{wait}", a.slurm,
                    "Make the runs as a job array of Slurm, and merge them; --slurm=WORDS with words separated by commas: parts=N, at-once=N, "
                    "partition=NAME, time=TIME, repeats=N, exclusive, wait, nowait");
    c.app->add_option("--sbatch", a.sbatch, "With --slurm: a further option for sbatch, such as --sbatch=--account=chem (repeatable)")
        ->allow_extra_args(false);
    return c;
}

command add_records(CLI::App& app, records_arguments& a)
{
    command c = add_command(app, "records", "Print the records of a store", [&a] { return records(a); });
    c.app->add_option("--db", a.db, "Store")->capture_default_str();
    c.app->add_flag("--jsonl", a.jsonl, "One JSON object on each line");
    c.app->add_flag("--csv", a.csv, "A table with a header");
    c.app->add_option("--problems", a.problems, "Only these, separated by commas");
    c.app->add_option("--solvers", a.solvers, "Only these, separated by commas");
    c.app->add_flag("--all", a.all, "Also runs that were measured again later");
    return c;
}

command add_query(CLI::App& app, query_arguments& a)
{
    command c = add_command(app, "query", "Ask a store in SQL (views: runs, samples, failed)", [&a] { return query(a); });
    c.app->add_option("sql", a.sql, "One SELECT statement, in quotes");
    c.app->add_option("--db", a.db, "Store")->capture_default_str();
    c.app->add_option("--format", a.format, "text, csv, json")->capture_default_str();
    c.required = {"a SELECT statement in quotes"};
    return c;
}

command add_import(CLI::App& app, import_arguments& a)
{
    command c = add_command(app, "import", "Take records of other programs into a store, to compare them in diagrams and reports",
                            [&a] { return import_file(a); });
    c.app->footer(
        std::string("A line is a record as 'ivp run --format json' prints it, with the solver_origin \"program\". All lines are taken, or none.\n"
                    "Digits and outcome of problems of the catalog are computed from y; the line's own are not believed.\n") +
        exit_codes);
    c.app->add_option("file", a.file, "File with one record of JSON on each line; -: standard input");
    c.app->add_option("--db", a.db, "Store; made where it is not there")->capture_default_str();
    c.required = {"a file with records of JSON"};
    return c;
}

command add_merge(CLI::App& app, merge_arguments& a)
{
    command c = add_command(app, "merge", "Join stores, for example those of shards", [&a] { return merge(a); });
    c.app->add_option("out", a.out, "Store that takes the runs; made where it is not there");
    c.app->add_option("in", a.in, "Stores to read")->expected(1, 1'000'000);
    c.required = {"the store that takes the runs", "the stores to read"};
    return c;
}

command add_compare(CLI::App& app, compare_arguments& a)
{
    command c = add_command(app, "compare", "What changed between two stores: outcomes, counts, digits, time", [&a] { return compare(a); });
    c.app->footer(
        "Exit codes: 0 nothing changed, 1 an outcome, count or digit changed or a run is missing, 2 wrong use. Time is told, never judged.");
    c.app->add_option("before", a.before, "The old store");
    c.app->add_option("after", a.after, "The new store");
    c.required = {"the old store", "the new store"};
    return c;
}

[[noreturn]] void wrong(const std::string& fault, const std::string& help, const std::string& hint = "")
{
    throw ivp::bad_request(fault + "; '" + help + "' tells what is allowed" + hint);
}

/// CLI11 names the option first; the rest of its sentence is for programmers.
std::string in_words(const CLI::ParseError& e)
{
    std::string text = e.what();
    const std::string option = text.substr(0, text.find(':'));
    if (text.find("required") == std::string::npos || option == text) return text;
    return option + (text.find("At Most") != std::string::npos ? " is given more than once" : ": no value given");
}

void refuse_unknown_command(const CLI::App& app)
{
    const auto words = app.remaining();
    if (words.empty()) wrong("no command given", "ivp --help");
    std::vector<std::string> names;
    for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(c->get_name());
    const char* const kind = words[0].starts_with("-") ? "option" : "command";
    wrong("unknown " + std::string(kind) + " '" + words[0] + "'", "ivp --help", ivp::nearest_name_hint(words[0], names));
}

void refuse_wrong_arguments(const command& c)
{
    const std::string help = "ivp " + c.app->get_name() + " --help";
    for (const auto& word : c.app->remaining(true)) {
        if (!word.starts_with("-")) continue;
        std::vector<std::string> names;
        for (const CLI::Option* o : c.app->get_options())
            for (const auto& name : o->get_lnames()) names.push_back("--" + name);
        wrong("unknown option '" + word + "'", help, ivp::nearest_name_hint(word, names));
    }
    if (const auto words = c.app->remaining(true); !words.empty()) wrong("unexpected argument '" + words[0] + "'", help);
    std::string missing;
    for (std::size_t i = 0; i < c.required.size(); ++i)
        if (c.app->get_options([](const CLI::Option* o) { return o->get_positional(); })[i]->count() == 0)
            missing += (missing.empty() ? "" : " and ") + c.required[i];
    if (!missing.empty()) wrong("missing: " + missing, help);
}

} // namespace

int main(int argc, char** argv)
{
    (void)std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a fault that can be told, not an end
    CLI::App app("ivp: the test set for initial value problem solvers", "ivp");
    app.set_version_flag("--version", "ivp " + ivp::this_build().version);
    app.set_help_flag("-h,--help", "Print this help");
    app.footer(std::string(exit_codes) + "\n'ivp COMMAND --help' tells about one command.");
    app.allow_extras();

    list_arguments list_args;
    show_arguments show_args;
    check_arguments check_args;
    run_arguments run_args;
    wp_arguments wp_args;
    choose_arguments choose_args;
    detest_arguments detest_args;
    report_arguments report_args;
    demo_arguments demo_args;
    new_arguments new_args;
    campaign_arguments campaign_args;
    records_arguments records_args;
    query_arguments query_args;
    import_arguments import_args;
    merge_arguments merge_args;
    compare_arguments compare_args;
    run_args.command = detest_args.command = command_line(argc, argv);
    const std::array commands{add_demo(app, demo_args),       add_list(app, list_args),       add_show(app, show_args),
                              add_run(app, run_args),         add_wp(app, wp_args),           add_choose(app, choose_args),
                              add_check(app, check_args),     add_detest(app, detest_args),   add_campaign(app, campaign_args),
                              add_records(app, records_args), add_query(app, query_args),     add_import(app, import_args),
                              add_merge(app, merge_args),     add_compare(app, compare_args), add_report(app, report_args),
                              add_new(app, new_args)};
    const auto chosen = [&commands] { return std::find_if(commands.begin(), commands.end(), [](const command& c) { return c.app->parsed(); }); };

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& e) { // help and version
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        const std::string name = chosen() == commands.end() ? "" : chosen()->app->get_name() + " ";
        fmt::print(stderr, "ivp: {}; 'ivp {}--help' tells what is allowed\n", in_words(e), name);
        return wrong_use;
    }
    try {
        if (chosen() == commands.end()) refuse_unknown_command(app);
        refuse_wrong_arguments(*chosen());
        const int code = chosen()->action();
        std::cout.flush();
        if (!std::cout) throw ivp::bad_request("cannot write to standard output");
        return code;
    } catch (const ivp::bad_request& e) {
        for (const auto& fault : e.faults()) fmt::print(stderr, "ivp: {}\n", fault);
        return wrong_use;
    } catch (const ivp::missing_component& e) {
        fmt::print(stderr, "ivp: {}\n", e.what());
        return ivp::cli::missing_component;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "ivp: not enough memory\n");
        return not_successful;
    } catch (const std::exception& e) {
        fmt::print(stderr, "ivp: internal error: {}\n", e.what());
        return not_successful;
    }
}
