#include "commands.hpp"
#include "run_options.hpp"

#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/contained.hpp>
#include <ivp/measure/run.hpp>
#include <ivp/report/listing.hpp>
#include <ivp/report/output_file.hpp>
#include <ivp/report/trajectory.hpp>
#include <ivp/worker/foreign.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace ivp::cli {

namespace {

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
        fmt::print(stderr, "give {} [{}]: ", question, to_text(proposal));
        std::string answer;
        if (!std::getline(std::cin, answer)) throw bad_request("no answer to the question for the " + question);
        const auto first = answer.find_first_not_of(" \t\r");
        if (first == std::string::npos) return proposal;
        answer = answer.substr(first, answer.find_last_not_of(" \t\r") - first + 1);
        if (const auto v = parse_real(answer)) return *v < 0 ? std::pow(10.0, *v) : *v;
        if (isatty(STDIN_FILENO) == 0) throw bad_request(question + ": '" + answer + "' given; allowed: a finite real number such as 1e-4");
        fmt::print(stderr, "'{}' is not a number; 1e-4 and 1d-4 are, and -4 stands for 1e-4\n", answer);
    }
}

void ask_for_tolerances(run_settings& s, const problem& p, const solver_info& solver)
{
    const auto& protocol = p.info().protocol;
    fmt::print(stderr, "Solving problem {} using {}\n\nUser input:\n\n", p.info().title, solver.title);
    const auto answer = [&s](const char* option, const std::string& question, double proposal) {
        const double value = ask(question, rounded(proposal));
        s.command += fmt::format(" {} {}", option, to_text(value)); // the record's command asks nothing
        return value;
    };
    s.rtol = answer("--rtol", "relative error tolerance", protocol.ladder_rtol(0));
    s.atol = {answer("--atol", "absolute error tolerance", protocol.atol(s.rtol))};
    if (solver.needs_h0 && !s.h0) s.h0 = answer("--h0", "initial stepsize", protocol.h0(s.rtol));
    fmt::print(stderr, "\n");
}

void print(const run_record& r, const problem& p, text_format f)
{
    if (f == text_format::json)
        std::cout << to_json(r) << '\n';
    else if (f == text_format::csv)
        std::cout << csv_header() << '\n' << to_csv(r) << '\n';
    else
        std::cout << listing(r, p, accuracy_of(r, p));
}

bool is_foreign(const run_arguments& a) { return names_a_file(a.problem) || names_a_file(a.solver); }

/// What a person's own solver prints is for that person, but not part of the result.
run_record contained(const problem& p, const solver& s, const run_settings& settings, const run_arguments& a, const contained_work& measure)
{
    child_limits limits;
    limits.output = child_output::to_standard_error;
    const run_record r = measure_contained(p, s, settings, limits, measure);
    if (a.trajectory && r.repeats == 0) output_file::discard_partial(*a.trajectory);
    return r;
}

} // namespace

int run(const run_arguments& a)
{
    reader read;
    const text_format f = read.format(a.format, {"text", "json", "csv"});
    const auto p = read.attempt([&] { return read_problem(a.problem, a, read); });
    const auto s = read.attempt([&] { return open_contained_solver(a.solver); });
    run_settings settings = read_settings(a, read);
    if (a.rtol) settings.rtol = read.real("--rtol", *a.rtol).value_or(settings.rtol);
    if (a.atol) settings.atol = read.reals("--atol", *a.atol);
    settings.command = a.command;
    if (!a.rtol && a.atol) read.fault("--atol is given without --rtol; give both (--rtol 0 is pure absolute error control)");
    const auto judge = [&] { return resolve(settings, *p, (*s)->info()); };
    if (p && s) {
        if (const auto why = (*s)->info().refusal(*p, settings.special)) read.fault(*why);
        (void)read.attempt(judge);
    }
    if (a.trajectory)
        (void)read.attempt([&a] {
            output_file::try_out(*a.trajectory, "--trajectory", file_marks::trajectory, a.force);
            return true;
        });
    read.raise();

    if (!a.rtol) {
        if (!can_ask())
            throw bad_request(
                "no tolerance given: add --rtol, for example --rtol 1e-4 (--atol and --h0 follow the problem's protocol where they are not given)");
        ask_for_tolerances(settings, *p, (*s)->info());
        (void)judge(); // every fault before a file is touched
    }

    const auto measure = [&](const solver& chosen) {
        std::unique_ptr<trajectory_writer> trajectory;
        if (a.trajectory) trajectory = std::make_unique<trajectory_writer>(*a.trajectory, *p, a.force);
        run_record r = measure_run(*p, chosen, settings, trajectory.get());
        if (trajectory) trajectory->commit();
        return r;
    };
    const run_record r = is_foreign(a) ? contained(*p, **s, settings, a, measure) : measure(**s);
    print(r, *p, f);
    if (f != text_format::text && r.outcome != outcome::success) fmt::print(stderr, "ivp: {}: {}\n", label(r.outcome), r.message);
    return r.outcome == outcome::success ? done : not_successful;
}

} // namespace ivp::cli
