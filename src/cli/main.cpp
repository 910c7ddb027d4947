// ivp: arguments in, exit code out, nothing else.
#include "arguments.hpp"
#include "base/child.hpp"
#include "base/escape.hpp"
#include "commands.hpp"
#include "help.hpp"
#include "network.hpp"
#include "terminal.hpp"

#include <ivp/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace ivp::cli;

std::string command_line(int argc, char** argv)
{
    std::string text = "ivp";
    for (int i = 1; i < argc; ++i) text += " " + ivp::shell_word(argv[i]);
    return text;
}

constexpr const char* a_problem =
    "Problem id, see 'ivp list problems', or path of a text (./mine.ivp), a plug-in (./mine.so) or a Fortran file of the test set (./mine.f)";

void add_force(command& c, bool& force) { c.flag("--force", force, "Replace an output file also where what stands there was not written by ivp"); }

void add_list(tool& t, list_arguments& a)
{
    command& c = t.add("list", "List problems or solvers", [&a] { return list(a); });
    c.word("what", &a.kind, "problems or solvers");
    c.option("--form", &a.form, "Only this form: ode, dae, ide");
    c.option("--index", &a.index, "Only problems of this index; solvers that can take it");
    c.option("--tag", &a.tag, "Only problems with this tag (chemistry, circuits, stiff, ...)");
    c.option("--sort", &a.sort, "Problems in the order of: id, form, n, index; default: the catalog's");
    c.option("--format", &a.format, "text, json, csv").shows_default();
    c.needs({"what to list (problems or solvers)"});
}

void add_show(tool& t, show_arguments& a)
{
    command& c = t.add("show", "Show the chapter of a problem or a solver", [&a] { return show(a); });
    c.word("name", &a.name,
           "Problem id, solver name, or path of a text (./mine.ivp), a plug-in (./mine.so) or a Fortran file of the test set (./mine.f)");
    c.option("--format", &a.format, "text, json, html").shows_default();
    c.needs({"a problem or a solver (see 'ivp list problems', 'ivp list solvers')"});
}

void add_network(tool& t, network_arguments& a)
{
    command& c = t.add("network", "Explain a reaction scheme: species, nodes, transition matrix, sources, conservation laws, stiffness",
                       [&a] { return network(a); });
    c.remark(
        "The nodes are the complexes on either side of a reaction; with psi_j the product of the concentrations in node j and Y its composition,\n"
        "c' = Y (M psi(c) + tau). Conservation laws are found by exact elimination, and checked along the solution.");
    c.word("file", &a.file, "Text with reactions (./mine.ivp)");
    c.option("--set", &a.set, "Parameter of the problem, name=value");
    c.option("--graph", &a.graph, "Write the graph to this file (.svg)");
    c.flag("--force", a.force, "Replace the file of --graph, whatever it is");
    c.option("--format", &a.format, "text, json").shows_default();
    c.needs({"a text with reactions (./mine.ivp)"});
}

void add_check(tool& t, check_arguments& a)
{
    command& c = t.add("check", "Check a problem: what of its Jacobian, structure, initial values, index and reference is proven, what only claimed",
                       [&a] { return check(a); });
    c.word("problem", &a.problem, a_problem);
    c.option("--set", &a.set, "Parameter of the problem, name=value");
    c.option("--format", &a.format, "text, json").shows_default();
    c.needs({"a problem (see 'ivp list problems')"});
}

/// What every command has that runs solvers: which problem exactly, and how it is given to them.
void add_problem_options(command& c, run_options& o, bool every_setting)
{
    for (const auto& row : ivp::settings_table())
        if (every_setting || row.choose) c.option(row.option, &o.settings[row.name], row.help);
    c.option("--set", &o.set, "Parameter of the problem, name=value");
    c.option("--form", &o.form, "Solve the problem in this form: ode, dae, ide");
    c.option("--formulation", &o.formulation,
             "Formulation of a mechanical system: 3, 2, ggl (stabilised index 2), 1, baumgarte (index 1 with Baumgarte's terms); default: as the "
             "problem is written");
}

/// What `run` and `wp` have in common.
void add_run_options(command& c, run_options& o)
{
    add_problem_options(c, o, true);
    c.option("--opt", &o.opt, "Option of the solver, name=value, see 'ivp show SOLVER'");
    c.option("--boundary", &o.boundary, "How the tool's own solvers reach the problem: own, plug-in (as plug-ins do, see docs/comparison.md)")
        .shows_default();
}

void add_run(tool& t, run_arguments& a)
{
    command& c = t.add("run", "Run a solver on a problem and print what it did", [&a] { return run(a); });
    c.remark("Without tolerances, ivp asks for them on a terminal.");
    c.word("problem", &a.problem, a_problem);
    c.word("solver", &a.solver, "Solver name, see 'ivp list solvers', or path of a plug-in (./mine.so)");
    c.option("--rtol", &a.rtol, "Relative error tolerance");
    c.option("--atol", &a.atol, "Absolute error tolerance, or one per component separated by commas; default: the problem's protocol");
    add_run_options(c, a);
    c.option("--trajectory", &a.trajectory, "Write t and y of every accepted step to this CSV file");
    c.option("--db", &a.db, "Keep the run in this store too, for 'ivp report'; created if it does not exist");
    add_force(c, a.force);
    c.option("--format", &a.format, "text, json, csv").shows_default();
    c.option("--listing", &a.listing, "How the text looks: usual, original (as releases 2.0 and 2.1 of the test set printed it)").shows_default();
    c.needs({"a problem (see 'ivp list problems')", "a solver (see 'ivp list solvers')"});
}

void add_wp(tool& t, wp_arguments& a)
{
    command& c = t.add("wp", "Work against precision: compare solvers over a ladder of tolerances", [&a] { return wp(a); });
    c.remark("The solvers are timed in turns: one sample of each, then again. A run that fails is a row of the table like the others.");
    c.word("problems", &a.problems, "Problem ids, separated by commas, see 'ivp list problems'");
    c.option("--solvers", &a.solvers,
             "Solver names or paths of plug-ins (label=./mine.so gives one another name), separated by commas; default: all that take the "
             "problem, without "
             "explicit ones where it is stiff");
    c.option("--rtol", &a.rtol, "Tolerances, separated by commas, or FROM:TO:PER_DECADE; default: the problem's ladder");
    c.option("--formulations", &a.formulations,
             "Compare formulations of mechanical systems in one table, with the drift of each: names separated by commas, see --formulation, or all");
    c.option("--ratio-to", &a.ratio_to, "Solver whose CPU time is 1 in the column 'ratio'; default: the first");
    c.option("--out", &a.out,
             "Write a file: .svg, .html, .gp (gnuplot), .tex (pgfplots): the diagram; .csv, .json: all numbers of every run "
             "(long vectors of .csv in .components.csv)");
    add_force(c, a.force);
    c.option("--work", &a.work, "Work in the diagram: cpu, wall, f, lu").shows_default();
    c.option("--precision", &a.precision, "Precision in the diagram: mescd or scd at the end point, path: the largest error along the path")
        .shows_default();
    c.option("--db", &a.db, "Keep the runs in this store too, for 'ivp report'; created if it does not exist");
    add_run_options(c, a);
    c.needs({"a problem (see 'ivp list problems')"});
}

void add_choose(tool& t, choose_arguments& a)
{
    command& c = t.add("choose", "Which solver, and at which tolerance? For a problem without a known solution", [&a] { return choose(a); });
    c.remark("Tries every solver that can take the problem, and names the fastest that delivers the digits. Digits are judged by tight runs of two\n"
             "different methods that agree; a reference solution of the catalog is not looked at.\n"
             "Exit codes: 0 an answer, 1 nobody delivers the digits (or not within the time), 2 wrong use, 3 missing component.");
    c.word("problem", &a.problem, a_problem);
    c.option("--digits", &a.digits, "Correct digits wanted at the end, 1 to 11; default 4");
    c.option("--budget", &a.budget, "Wall-clock seconds for everything; default 20");
    c.option("--solvers", &a.solvers, "Choose among these only: names or paths of plug-ins, separated by commas");
    c.option("--floor", &a.floor,
             "Size below which a component matters no longer, or one for each component separated by commas: digits are those of\n"
             "|error| / (floor + |y|), and atol is floor * rtol; default: the problem's protocol");
    add_problem_options(c, a, false);
    c.option("--db", &a.db, "Keep each solver's best run in this store too, for 'ivp report'; created if it does not exist");
    c.option("--format", &a.format, "text, json").shows_default();
    c.needs({"a problem (see 'ivp list problems')"});
}

void add_detest(tool& t, detest_arguments& a)
{
    command& c = t.add("detest", "Assess a solver as DETEST did: true errors, deceived steps, costs at equal accuracy", [&a] { return detest(a); });
    c.remark("'weights' and 'timing' take --problems and --format only; --problems adds a group to those of --groups.\n"
             "A run that fails is a row of the table like the others.");
    c.word("what", &a.what, "stiff or nonstiff: the set and its rules; weights or timing: compute these data of problems");
    c.word("solver", &a.solver, "Solver name, see 'ivp list solvers', or path of a plug-in (./mine.so); several, separated by commas, are compared");
    c.option("--level", &a.level, "1: costs, error at the end; 2: global errors; 3: local errors; 4: error estimates; default 3");
    c.option("--normalize", &a.normalize,
             "Costs at equal accuracy, by the error at the end or the largest: none, end, max; default end, with --as-1986 none");
    c.option("--norm", &a.norm, "Of errors: max, l2, rms; default that of the solver's own error control, with --as-1986 max");
    c.option("--tol", &a.tol, "Up to 10 tolerances, decreasing, separated by commas; default 1e-2,1e-4,1e-6,1e-8");
    c.option("--groups", &a.groups,
             "Problems by name, groups separated by semicolons, such as \"A1,A2;-C1,-E1\"; a minus sign: "
             "unscaled; default: all, a group for each class");
    c.option("--problems", &a.problems, "Problem ids or files, separated by commas; a minus sign: unscaled");
    c.option("--extrapolation", &a.extrapolation, "The solution is the more accurate one of the two behind the estimate: yes, no");
    c.option("--bound", &a.bound, "Local errors against the bound told by the solver, or the tolerance: told, tolerance").shows_default();
    c.option("--truth", &a.truth, "True solutions: classic (DVERK, SECDER), quad (quadruple precision)").shows_default();
    c.flag("--as-1986", a.as_1986, "Arithmetic and rules of the original package, defects included");
    c.flag("--rounding", a.rounding, "Repeat each run with a tolerance changed in its last digits, and mark the lines that change");
    c.option("--timing", &a.timing, "Repeat each run until so many seconds are spent, at most 10 times; 0: do not; default 0.05");
    c.option("--timeout", &a.timeout, "Stop an integration after this many seconds, and give up its true solutions after as many; default 60");
    c.option("--max-steps", &a.max_steps, "Largest number of attempted steps; default 1000000");
    c.option("--jacobian", &a.jacobian, "exact, differences (the solver's own), original").shows_default();
    c.option("--opt", &a.opt, "Option of the solver, name=value, see 'ivp show SOLVER'");
    c.option("--db", &a.db, "Keep the assessment in this store too, for 'ivp report'; created if it does not exist");
    c.flag("--dummy", a.dummy, "Only print the first 5 steps of the first problem as the solver tells them");
    c.option("--format", &a.format, "text, json, csv (a line for each run), latex (the comparison)").shows_default();
    c.needs({"what to do (stiff, nonstiff, weights or timing)"});
}

void add_report(tool& t, report_arguments& a)
{
    command& c = t.add("report", "Write the book about everything that was measured: one HTML file, or LaTeX", [&a] { return report(a); });
    c.option("--db", &a.database, "The store with the runs").shows_default();
    c.option("--out", &a.out, fmt::format("The file, ending with .html; default {}, none with --latex", default_book));
    add_force(c, a.force);
    c.option("--latex", &a.latex,
             "Folder for tables (booktabs) and diagrams (pgfplots), each for \\input in a paper, and report.tex with all of them");
    c.option("--plug-in", &a.plugins, "File of a solver or problem from outside whose chapter is wanted");
}

void add_reference(tool& t, reference_arguments& a)
{
    command& c =
        t.add("reference", "Print the reference solution of a problem with its proven digits, or derive it again", [&a] { return reference(a); });
    c.remark(
        "A derivation integrates in quadruple precision by methods of two families, each at two tolerances; what all agree on is proven, less one\n"
        "digit. 'ivp reference all --recompute' does so for every problem and keeps a log; --resume leaves out what the log has.\n"
        "A problem from a file that can be evaluated in double only gets a reference by tight runs of two solvers: its digits are estimated.\n"
        "Exit codes: 0 printed, or confirmed; 1 not confirmed, or a run failed; 2 wrong use.");
    c.word("problem", &a.problem, "Problem id, see 'ivp list problems'; path of a text, a plug-in or a Fortran file; or all");
    c.flag("--recompute", a.recompute, "Repeat the derivation, and say whether it confirms what is stored");
    c.flag("--make", a.make,
           "Derive a reference for other parameters (--set), another end point (--tend) or a problem of your own, and keep it in the folder\n"
           "ivp-references, or beside the file of the problem: run, wp, campaign and report find it there");
    c.option("--at", &a.at, "The solution at these times instead, separated by commas: from the path that was kept, or derived");
    c.flag("--keep-path", a.keep_path,
           "Keep the solution between start and end in the folder ivp-references: --at then reads it and does not integrate");
    c.option("--digits", &a.digits, "Derive with increasing effort until every component has so many digits, 1 to 30");
    c.option("--recipe", &a.recipe,
             "Runs of the derivation, such as \"radau:13:1e-14,1e-16 lobatto:15:1e-14,1e-16 floor:1e-6\"; families: radau, lobatto, taylor, gbs");
    c.option("--tend", &a.tend, "With --make: the end point of the reference; default: the problem's");
    c.option("--set", &a.set, "Parameter of the problem, name=value");
    c.option("--timeout", &a.timeout, "Give up a run after so many CPU seconds");
    c.option("--out", &a.out, "Write what was derived as a file in the format of reference.csv; with all: the log, default ivp-references.jsonl");
    c.flag("--resume", a.resume, "With all: leave out what the log has");
    c.option("--format", &a.format, "text, json, csv").shows_default();
    c.needs({"a problem (see 'ivp list problems'), or all"});
}

void add_demo(tool& t, demo_arguments& a)
{
    command& c = t.add("demo", "Run several problems with solvers of every family at three tolerances (under a minute)", [&a] { return demo(a); });
    c.option("--dir", &a.directory, "Folder for the results").shows_default();
}

void add_new(tool& t, new_arguments& a)
{
    command& c = t.add("new", "Write a small project to begin with: a solver or a problem of your own", [&a] { return new_project(a); });
    c.remark("The project is a shared library (plug-in) that builds with 'make' and works at once.");
    c.word("what", &a.kind, "solver or problem");
    c.word("name", &a.name, "Its name");
    c.option("--lang", &a.language, "Language: c, c++, fortran");
    c.option("--dir", &a.directory, "Folder to write; default: the name");
    c.needs({"what to make (solver or problem)", "its name"});
}

void add_export(tool& t, export_arguments& a)
{
    command& c =
        t.add("export", "Write a problem for other programs: a library for the Fortran drivers of the test set", [&a] { return export_problem(a); });
    c.remark("The library has the original's routines (prob, init, feval, ...), so that a driver links with it in place of a problem's file. No\n"
             "compiler is needed to write it. Exit codes: 0 written, 2 wrong use, 3 this build of the tool lacks the libraries.");
    c.word("problem", &a.problem, "Problem id of the test set, see 'ivp list problems'");
    c.option("--fortran", &a.fortran, "Folder for the library and a README");
    c.option("--generation", &a.generation, "Argument lists: 1996 (the report of that year), 2006 (releases 2.0 to 2.4)").shows_default();
    c.option("--form", &a.form, "Write the problem in this form: ode, dae, ide");
    c.option("--jacobian", &a.jacobian, "exact, differences (the driver makes it), original (as the published runs)").shows_default();
    c.option("--set", &a.set, "Parameter of the problem, name=value");
    add_force(c, a.force);
    c.needs({"a problem (see 'ivp list problems')"});
}

void add_campaign(tool& t, campaign_arguments& a)
{
    command& c = t.add("campaign", "Make all runs of a plan, and keep them in a store", [&a] { return campaign(a); });
    c.remark("What is stored is not run again: a campaign that was interrupted goes on with the same command. Failed runs are rows of the "
             "store.");
    c.word("plan", &a.plan, "Plan, a TOML file (docs/campaigns.md)");
    c.option("--preset", &a.preset, "A plan that comes with the program: quick, standard, full");
    c.option("--db", &a.db, "Store, an SQLite file; created if it does not exist").shows_default();
    c.option("--jobs", &a.jobs, "Runs at the same time, each on a core of its own; default 1, which gives the best times");
    c.flag("--resume", a.resume, "Leave out what is stored (default); --no-resume measures it again").or_not("--no-resume");
    c.option("--repeat", &a.repeat, "Measure every run this many times; instead of what the plan says");
    c.option("--timeout", &a.timeout, "Stop every integration after this many seconds; instead of what the plan says");
    c.flag("--dry-run", a.dry_run, "List the runs and estimate the time; run nothing");
    c.option("--shard", &a.shard, "Make only part I of N parts, given as I/N; 'ivp merge' joins their stores");
    c.option("--slurm", &a.slurm,
             "Make the runs as a job array of Slurm, and merge them; --slurm=WORDS with words separated by commas: parts=N, at-once=N, "
             "partition=NAME, time=TIME, repeats=N, exclusive, wait, nowait")
        .or_alone("wait");
    c.option("--sbatch", &a.sbatch, "With --slurm: a further option for sbatch, such as --sbatch=--account=chem");
}

void add_records(tool& t, records_arguments& a)
{
    command& c = t.add("records", "Print the records of a store", [&a] { return records(a); });
    c.option("--db", &a.db, "Store").shows_default();
    c.flag("--jsonl", a.jsonl, "One JSON object on each line");
    c.flag("--csv", a.csv, "A table with a header");
    c.option("--problems", &a.problems, "Only these, separated by commas");
    c.option("--solvers", &a.solvers, "Only these, separated by commas");
    c.flag("--all", a.all, "Also runs that were measured again later");
}

void add_query(tool& t, query_arguments& a)
{
    command& c = t.add("query", "Ask a store in SQL (views: runs, samples, failed)", [&a] { return query(a); });
    c.word("sql", &a.sql, "One SELECT statement, in quotes");
    c.option("--db", &a.db, "Store").shows_default();
    c.option("--format", &a.format, "text, csv, json").shows_default();
    c.needs({"a SELECT statement in quotes"});
}

void add_import(tool& t, import_arguments& a)
{
    command& c =
        t.add("import", "Take records of other programs into a store, to compare them in diagrams and reports", [&a] { return import_file(a); });
    c.remark("A line is a record as 'ivp run --format json' prints it, with the solver_origin \"program\". All lines are taken, or none.\n"
             "Digits and outcome of problems of the catalog are computed from y; the line's own are not believed.");
    c.word("file", &a.file, "File with one record of JSON on each line; -: standard input");
    c.option("--db", &a.db, "Store; created if it does not exist").shows_default();
    c.needs({"a file with records of JSON"});
}

void add_merge(tool& t, merge_arguments& a)
{
    command& c = t.add("merge", "Join stores, for example those of shards", [&a] { return merge(a); });
    c.word("out", &a.out, "Store that takes the runs; created if it does not exist");
    c.word("in", &a.in, "Stores to read");
    c.needs({"the store that takes the runs", "the stores to read"});
}

void add_compare(tool& t, compare_arguments& a)
{
    command& c = t.add("compare", "What changed between two stores: outcomes, counts, digits, time", [&a] { return compare(a); });
    c.remark("Exit codes: 0 nothing changed, 1 an outcome, count or digit changed or a run is missing, 2 wrong use. Times are shown, never judged.");
    c.word("before", &a.before, "The old store");
    c.word("after", &a.after, "The new store");
    c.needs({"the old store", "the new store"});
}

void add_help(tool& t, help_arguments& a)
{
    command& c = t.add("help", "Print the help of a command, or the manual page", [&t, &a] { return help(t, a); });
    c.word("command", &a.command, "Name of a command; without one, the help of the tool");
    c.option("--format", &a.format, "text, man").shows_default();
}

void add_completion(tool& t, completion_arguments& a)
{
    command& c = t.add("completion", "Print the completion for a shell", [&t, &a] { return completion(t, a); });
    c.word("shell", &a.shell, "bash, zsh, fish");
    c.remark("For bash: put 'source <(ivp completion bash)' into ~/.bashrc.");
    c.needs({"the shell (bash, zsh or fish)"});
}

/// The arguments that the commands read from the command line.
template <class... Arguments>
std::unique_ptr<std::tuple<Arguments...>> added(tool& t, void (*... add)(tool&, Arguments&))
{
    auto all = std::make_unique<std::tuple<Arguments...>>();
    (add(t, std::get<Arguments>(*all)), ...);
    return all;
}

} // namespace

int main(int argc, char** argv)
{
    (void)std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a fault that can be told, not an end
    guard_terminals();
    tool t;
    const auto all =
        added(t, add_demo, add_list, add_show, add_run, add_wp, add_choose, add_check, add_network, add_detest, add_campaign, add_records, add_query,
              add_import, add_merge, add_compare, add_report, add_new, add_export, add_reference, add_help, add_completion);
    std::get<run_arguments>(*all).command = std::get<detest_arguments>(*all).command = command_line(argc, argv);

    try {
        const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
        const int code = t.run(words);
        std::cout.flush();
        if (!std::cout) throw ivp::bad_request("cannot write to standard output");
        return code;
    } catch (const ivp::bad_request& e) {
        for (const auto& fault : e.faults()) fmt::print(stderr, "ivp: {}\n", fault);
        return wrong_use;
    } catch (const ivp::missing_component& e) {
        fmt::print(stderr, "ivp: {}\n", e.what());
        return ivp::cli::missing_component;
    } catch (const ivp::machine_fault& e) {
        fmt::print(stderr, "ivp: {}\n", e.what());
        return wrong_use;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "ivp: not enough memory\n");
        return not_successful;
    } catch (const std::exception& e) {
        fmt::print(stderr, "ivp: internal error: {}\n", e.what());
        return not_successful;
    }
}
