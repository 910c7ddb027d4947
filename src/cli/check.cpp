#include "catalog/foreign.hpp"
#include "check/contribution.hpp"
#include "commands.hpp"
#include "reference/derive.hpp"

#include <ivp/catalog.hpp>
#include <ivp/check.hpp>

#include <fmt/format.h>

#include <iostream>

namespace ivp::cli {

namespace {

struct check_arguments : command {
    check_arguments()
        : command(
              "check", "Check a problem: test its Jacobian, structure, initial values, index and reference",
              "Each line says 'proven', 'claimed' (ivp could not test it completely) or 'FAILED'. --contribution checks the files of a problem or "
              "a solver that you want to contribute to ivp, and names what is missing.")
    {}

    text problem = word("problem", a_problem);
    optional_text contribution = option("--contribution", "Folder of a contributed problem (problems/ID) or solver (src/solvers/FAMILY)");
    texts set = list("--set", a_parameter);
    text format = option("--format", "text, json", "text");
};

/// A check of a large problem takes its time; that is not the problem's fault. What hangs is ended.
constexpr double seconds_to_check = 600;

int check_files(const std::string& folder)
{
    bool complete = true;
    for (const auto& report : check_contribution(folder)) {
        fmt::print("Checking the files of {}\n\n", report.kind);
        for (const auto& part : report.parts) {
            fmt::print("   {:<9} {:<20} {}\n", part.missing.empty() ? "complete" : "MISSING", part.what, part.where);
            for (const auto& what : part.missing) fmt::print("{:34}{}\n", "", what);
        }
        fmt::print("\n{}\n", report.complete() ? "Nothing is missing." : "Some parts are missing.");
        complete = complete && report.complete();
    }
    return complete ? done : not_successful;
}

int check(const check_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json"});
    const auto parameters = read.pairs("--set", a.set);
    if (a.contribution && (!a.problem.empty() || !a.set.empty() || format != text_format::text))
        read.fault("--contribution: given with a problem, --set or --format; allowed: --contribution alone");
    if (!a.contribution && a.problem.empty()) read.fault(fmt::format("missing: {}; see 'ivp check --help'", a_problem_missing));
    read.raise();
    if (a.contribution) return check_files(*a.contribution);
    const std::string answer = contained_text(
        is_foreign(a.problem), a.problem,
        [&] {
            const check_report r = check_problem(with_made_reference(open_problem(a.problem, parameters), {a.problem, std::nullopt}));
            return (r.passed() ? "+" : "-") + check_page(r, format); // a child has no other way to say it
        },
        seconds_to_check);
    std::cout << std::string_view(answer).substr(1);
    return answer.front() == '+' ? done : not_successful;
}

} // namespace

std::unique_ptr<command> check_command() { return make_command(check); }

} // namespace ivp::cli
