#include "catalog/foreign.hpp"
#include "commands.hpp"

#include <ivp/catalog.hpp>
#include <ivp/check.hpp>

#include <iostream>

namespace ivp::cli {

namespace {

struct check_arguments : command {
    check_arguments()
        : command("check", "Check a problem: what of its Jacobian, structure, initial values, index and reference is proven, what only claimed")
    {}

    text problem = word("problem", a_problem, a_problem_missing);
    texts set = list("--set", a_parameter);
    text format = option("--format", "text, json", "text");
};

/// A check of a large problem takes its time; that is not the problem's fault. What hangs is ended.
constexpr double seconds_to_check = 600;

int check(const check_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json"});
    const auto parameters = read.pairs("--set", a.set);
    read.raise();
    const std::string answer = contained_text(
        is_foreign(a.problem), a.problem,
        [&] {
            const check_report r = check_problem(open_problem(a.problem, parameters));
            return (r.passed() ? "+" : "-") + check_page(r, format); // a child has no other way to say it
        },
        seconds_to_check);
    std::cout << std::string_view(answer).substr(1);
    return answer.front() == '+' ? done : not_successful;
}

} // namespace

std::unique_ptr<command> check_command() { return make_command(check); }

} // namespace ivp::cli
