#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "reading.hpp"
#include "report/catalog_view.hpp"
#include "report/render/text_plot.hpp"
#include "run/behaviour.hpp"

#include <ivp/catalog.hpp>
#include <ivp/check.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace ivp::cli {

namespace {

struct filter {
    std::optional<form> wanted_form;
    std::optional<int> index;
    std::string tag;
};

filter read_filter(const list_arguments& a, reader& read)
{
    filter f;
    if (!a.form.empty()) {
        f.wanted_form = read.choice<form>("--form", a.form, form_from_label, "ode, dae, ide");
    }
    if (!a.index.empty()) {
        const auto k = parse_real(a.index);
        if (k && (*k == 0 || *k == 1 || *k == 2 || *k == 3))
            f.index = static_cast<int>(*k);
        else
            read.fault("--index: '" + a.index + "' given; allowed: a whole number from 0 to 3");
    }
    f.tag = a.tag;
    return f;
}

using order = bool (*)(const problem_info& a, const problem_info& b);

std::optional<order> order_from_label(std::string_view text)
{
    if (text == "id") return [](const problem_info& a, const problem_info& b) { return a.id < b.id; };
    if (text == "form") return [](const problem_info& a, const problem_info& b) { return a.form < b.form; };
    if (text == "n") return [](const problem_info& a, const problem_info& b) { return a.n < b.n; };
    if (text == "index") return [](const problem_info& a, const problem_info& b) { return a.highest_index < b.highest_index; };
    return std::nullopt;
}

void list_problems(const filter& f, std::optional<order> sorted, text_format format)
{
    std::vector<problem> shown;
    std::vector<std::string> tags;
    for (const auto& id : problem_ids()) {
        problem p = open_problem(id);
        const auto& i = p.info();
        tags.insert(tags.end(), i.tags.begin(), i.tags.end());
        if (f.wanted_form && i.form != *f.wanted_form) continue;
        if (f.index && i.highest_index != *f.index) continue;
        if (!f.tag.empty() && std::find(i.tags.begin(), i.tags.end(), f.tag) == i.tags.end()) continue;
        shown.push_back(std::move(p));
    }
    if (!f.tag.empty() && std::find(tags.begin(), tags.end(), f.tag) == tags.end()) {
        std::sort(tags.begin(), tags.end());
        tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
        throw bad_request("--tag: '" + f.tag + "' given; no problem has it, allowed: " + joined(tags, ", ") + nearest_name_hint(f.tag, tags));
    }
    if (sorted) std::stable_sort(shown.begin(), shown.end(), [&](const problem& a, const problem& b) { return (*sorted)(a.info(), b.info()); });
    std::cout << problem_list(shown, format);
}

void list_solvers(const filter& f, text_format format)
{
    std::vector<std::string> names = solver_names();
    std::vector<library_solver> unavailable; // whether they match is not known
    for (const auto& l : library_solvers())
        if (l.available)
            names.push_back(l.name);
        else if (!f.wanted_form && !f.index)
            unavailable.push_back(l);
    std::vector<std::unique_ptr<const solver>> shown;
    for (const auto& name : names) {
        auto s = open_solver(name);
        if (f.wanted_form && !s->info().takes(*f.wanted_form)) continue;
        if (f.index && s->info().highest_index < *f.index) continue;
        shown.push_back(std::move(s));
    }
    std::cout << solver_list(shown, unavailable, format);
}

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

} // namespace

int list(const list_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json", "csv"});
    const filter f = read_filter(a, read);
    if (a.kind != "problems" && a.kind != "solvers") read.fault("list: '" + a.kind + "' given; allowed: problems, solvers");
    std::optional<order> sorted;
    if (!a.sort.empty()) sorted = read.choice<order>("--sort", a.sort, order_from_label, "id, form, n, index");
    if (a.kind == "solvers" && !a.sort.empty()) read.fault("--sort: allowed with 'list problems' only");
    if (a.kind == "solvers" && !a.tag.empty()) read.fault("--tag: solvers have no tags; allowed with 'list problems' only");
    read.raise();
    if (a.kind == "problems")
        list_problems(f, sorted, format);
    else
        list_solvers(f, format);
    return done;
}

int show(const show_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json", "html"});
    read.raise();
    const auto problems = problem_ids();
    std::vector<std::string> solvers = solver_names();
    for (const auto& l : library_solvers()) solvers.push_back(l.name);
    const bool foreign = names_a_file(a.name);
    if (contains(problems, a.name) || (foreign && is_problem_file(a.name))) {
        std::cout << contained_text(foreign, a.name, [&] {
            const problem p = open_problem(a.name);
            const std::string page = problem_page(p, problem_parameters(a.name), format);
            return format == text_format::text ? page + '\n' + behaviour_text(p) : page;
        });
        return done;
    }
    if (contains(solvers, a.name) || foreign) {
        std::cout << solver_page(*open_contained_solver(a.name), format);
        return done;
    }
    std::vector<std::string> all = problems;
    all.insert(all.end(), solvers.begin(), solvers.end());
    throw bad_request("show: '" + a.name + "' is neither a problem nor a solver; 'ivp list problems' and 'ivp list solvers' show all" +
                      nearest_name_hint(a.name, all));
}

/// A check of a large problem takes its time; that is not the problem's fault. What hangs is ended.
constexpr double seconds_to_check = 600;

int check(const check_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json"});
    const auto parameters = read.pairs("--set", a.set);
    read.raise();
    const std::string answer = contained_text(
        names_a_file(a.problem), a.problem,
        [&] {
            const check_report r = check_problem(open_problem(a.problem, parameters));
            return (r.passed() ? "+" : "-") + check_page(r, format); // a child has no other way to say it
        },
        seconds_to_check);
    std::cout << std::string_view(answer).substr(1);
    return answer.front() == '+' ? done : not_successful;
}

} // namespace ivp::cli
