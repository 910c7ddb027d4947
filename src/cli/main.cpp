// ivp: arguments in, exit code out, nothing else. The only file that knows CLI11.
#include "commands.hpp"

#include <ivp/model/parameter.hpp>
#include <ivp/model/record.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <string>

namespace {

using namespace ivp::cli;

std::string shell_word(const std::string& word)
{
    constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string command_line(int argc, char** argv)
{
    std::string text = "ivp";
    for (int i = 1; i < argc; ++i) text += " " + shell_word(argv[i]);
    return text;
}

void add_list(CLI::App& app, std::function<int()>& action, list_arguments& a)
{
    CLI::App* c = app.add_subcommand("list", "List problems or solvers");
    c->add_option("what", a.kind, "problems or solvers")->required();
    c->add_option("--form", a.form, "Only this form: ode, dae, ide");
    c->add_option("--index", a.index, "Only problems of this index; solvers that can take it");
    c->add_option("--tag", a.tag, "Only problems with this tag (chemistry, circuits, stiff, ...)");
    c->add_option("--format", a.format, "text, json, csv")->capture_default_str();
    c->callback([&action, &a] { action = [&a] { return list(a); }; });
}

void add_show(CLI::App& app, std::function<int()>& action, show_arguments& a)
{
    CLI::App* c = app.add_subcommand("show", "Show the chapter of a problem or a solver");
    c->add_option("name", a.name, "Problem id, solver name, or path of a plug-in solver")->required();
    c->add_option("--format", a.format, "text, json, html")->capture_default_str();
    c->callback([&action, &a] { action = [&a] { return show(a); }; });
}

void add_check(CLI::App& app, std::function<int()>& action, check_arguments& a)
{
    CLI::App* c = app.add_subcommand("check", "Check a problem: Jacobian, consistency of y0, structure, index, reference");
    c->add_option("problem", a.problem, "Problem id")->required();
    c->add_option("--set", a.set, "Parameter of the problem, name=value (repeatable)")->allow_extra_args(false);
    c->add_option("--format", a.format, "text, json")->capture_default_str();
    c->callback([&action, &a] { action = [&a] { return check(a); }; });
}

void add_run(CLI::App& app, std::function<int()>& action, run_arguments& a)
{
    CLI::App* c = app.add_subcommand("run", "Run a solver on a problem and print what it did");
    c->footer("Without tolerances, ivp asks for them on a terminal.");
    c->add_option("problem", a.problem, "Problem id, see 'ivp list problems'")->required();
    c->add_option("solver", a.solver, "Solver name, see 'ivp list solvers', or path of a plug-in (./mine.so)")->required();
    c->add_option("--rtol", a.rtol, "Relative error tolerance");
    c->add_option("--atol", a.atol, "Absolute error tolerance, or one per component separated by commas; default: the problem's protocol");
    c->add_option("--h0", a.h0, "First step; default: the problem's protocol for solvers that need one");
    c->add_option("--hmax", a.hmax, "Largest step");
    c->add_option("--max-steps", a.max_steps, "Largest number of attempted steps; default 1000000");
    c->add_option("--set", a.set, "Parameter of the problem, name=value (repeatable)")->allow_extra_args(false);
    c->add_option("--tend", a.tend, "End point; default: the problem's");
    c->add_option("--form", a.form, "Solve the problem in this form: ode, dae, ide");
    c->add_option("--jacobian", a.jacobian, "exact, differences (the solver's own), original (as the published runs)")->capture_default_str();
    c->add_option("--algebra", a.algebra, "Linear algebra: auto, dense, band, sparse")->capture_default_str();
    c->add_option("--opt", a.opt, "Option of the solver, name=value (repeatable), see 'ivp show SOLVER'")->allow_extra_args(false);
    c->add_option("--repeat", a.repeat, "Number of timed repetitions; default: until the time is reliable");
    c->add_option("--threads", a.threads, "Threads for parallel solvers");
    c->add_option("--timeout", a.timeout, "Stop the run after this many seconds");
    c->add_option("--trajectory", a.trajectory, "Write t and y of every accepted step to this CSV file");
    c->add_option("--format", a.format, "text, json, csv")->capture_default_str();
    c->callback([&action, &a] { action = [&a] { return run(a); }; });
}

void add_demo(CLI::App& app, std::function<int()>& action, demo_arguments& a)
{
    CLI::App* c = app.add_subcommand("demo", "Run every problem with every solver at three tolerances (under a minute)");
    c->add_option("--dir", a.directory, "Folder for the results")->capture_default_str();
    c->callback([&action, &a] { action = [&a] { return demo(a); }; });
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("ivp: the test set for initial value problem solvers", "ivp");
    app.set_version_flag("--version", "ivp " + ivp::this_build().version);
    app.set_help_flag("-h,--help", "Print this help");
    app.require_subcommand(1);
    app.footer("Exit codes: 0 done and successful, 1 the run did not succeed, 2 wrong use, 3 missing component.\n'ivp COMMAND --help' tells about "
               "one command.");

    std::function<int()> action;
    list_arguments list_args;
    show_arguments show_args;
    check_arguments check_args;
    run_arguments run_args;
    demo_arguments demo_args;
    run_args.command = command_line(argc, argv);
    add_demo(app, action, demo_args);
    add_list(app, action, list_args);
    add_show(app, action, show_args);
    add_run(app, action, run_args);
    add_check(app, action, check_args);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& e) { // help and version
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        fmt::print(stderr, "ivp: {}\n'ivp --help' shows all commands\n", e.what());
        return wrong_use;
    }
    try {
        return action();
    } catch (const ivp::bad_request& e) {
        for (const auto& fault : e.faults()) fmt::print(stderr, "ivp: {}\n", fault);
        return wrong_use;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "ivp: not enough memory\n");
        return not_successful;
    } catch (const std::exception& e) {
        fmt::print(stderr, "ivp: internal error: {}\n", e.what());
        return not_successful;
    }
}
