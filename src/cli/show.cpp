#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "report/book.hpp"
#include "report/render/text_plot.hpp"
#include "run/behaviour.hpp"
#include "terminal.hpp"
#include "text/text_problem.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace ivp::cli {

namespace {

struct show_arguments : command {
    show_arguments() : command("show", "Show the chapter of a problem or a solver") {}

    text name =
        word("name", "Problem id, solver name, or path of a text (./mine.ivp), a plug-in (./mine.so) or a Fortran file of the test set (./mine.f)",
             "a problem or a solver (see 'ivp list problems', 'ivp list solvers')");
    text format = option("--format", "text, json, html", "text");
};

/// Small pictures of the components that show the behaviour best, from an integration made now; empty where none succeeds.
std::string behaviour_text(const problem& p)
{
    constexpr int points = 240;
    const auto b = behaviour_of(p, points);
    if (!b) return "";
    const auto& i = p.info();
    std::string text = fmt::format("Behaviour of the solution ({}, rtol {})\n\n", b->solver, to_text(b->rtol));
    for (std::size_t k = 0; k < b->components.size(); ++k) {
        const int c = b->components[k];
        const std::string name = i.component_names.empty() ? "" : ", " + i.component_names[static_cast<std::size_t>(c)];
        text += text_plot(b->y[k], fmt::format("y({}){} over {}t", c + 1, name, b->logarithmic_time ? "log " : ""),
                          fmt::format("{:.3g}", b->t.front()), i.tend.text()) +
                "\n";
    }
    return text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); }

/// Lines longer than these tire the eye.
std::size_t page_width() { return std::clamp<std::size_t>(terminal_width(80), 40, 100); }

int show(const show_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json", "html"});
    read.raise();
    const auto problems = problem_ids();
    std::vector<std::string> solvers = solver_names();
    for (const auto& l : library_solvers()) solvers.push_back(l.name);
    const bool foreign = is_foreign(a.name);
    const bool is_text = names_a_file(a.name) && !foreign;
    if (contains(problems, a.name) || is_text || (foreign && is_problem_file(a.name))) {
        std::cout << contained_text(foreign, a.name, [&] {
            const problem p = open_problem(a.name);
            if (format == text_format::html)
                return chapter_file({p, problem_parameters(a.name), behaviour_of(p, course_points, pictured_in_book(p)), foreign});
            std::string page = problem_page(p, problem_parameters(a.name), format, page_width());
            if (format != text_format::text) return page;
            return page + '\n' + (is_text ? how_a_text_runs(a.name) + "\n\n" : "") + behaviour_text(p);
        });
        return done;
    }
    if (contains(solvers, a.name) || foreign) {
        const auto s = open_contained_solver(a.name);
        std::cout << (format == text_format::html ? chapter_file(*s) : solver_page(*s, format, page_width()));
        return done;
    }
    std::vector<std::string> all = problems;
    all.insert(all.end(), solvers.begin(), solvers.end());
    throw bad_request("show: '" + a.name + "' is neither a problem nor a solver; 'ivp list problems' and 'ivp list solvers' show all" +
                      nearest_name_hint(a.name, all));
}

} // namespace

std::unique_ptr<command> show_command() { return make_command(show); }

} // namespace ivp::cli
