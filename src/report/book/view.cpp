#include "view.hpp"

#include "report/html.hpp"

#include <ivp/report/diagram.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp::book_pages {

const book_problem* view::problem(std::string_view id) const
{
    const auto found = std::ranges::find_if(problems, [id](const book_problem* p) { return p->problem.id() == id; });
    return found == problems.end() ? nullptr : *found;
}

const ivp::solver* view::solver(std::string_view name) const
{
    const auto found = std::ranges::find_if(solvers, [name](const ivp::solver* s) { return s->info().name == name; });
    return found == solvers.end() ? nullptr : *found;
}

std::vector<const problem_runs*> view::runs_of(std::string_view id) const
{
    std::vector<const problem_runs*> found;
    for (const auto& r : runs)
        if (r.problem == id) found.push_back(&r);
    return found;
}

view view_of(std::span<const run_record> records, std::span<const book_problem> problems, std::span<const std::shared_ptr<const solver>> solvers)
{
    view v;
    v.records.assign(records.begin(), records.end());
    v.runs = curves_of(v.records);
    v.looks = looks_of(v.runs);
    for (auto& p : v.runs) std::ranges::sort(p.curves, {}, [&v](const run_curve& c) { return v.looks.at(c.label); });
    for (const auto& p : v.runs)
        for (const auto& c : p.curves)
            if (std::ranges::find(v.curves, c.label, &curve_name::label) == v.curves.end())
                v.curves.push_back({c.label, c.solver, v.looks.at(c.label)});
    std::ranges::sort(v.curves, {}, &curve_name::look);
    for (const auto& p : problems) v.problems.push_back(&p);
    for (const auto& s : solvers) v.solvers.push_back(s.get());
    for (const auto* p : v.problems)
        if (const auto r = reach_of(p->problem, v.records)) {
            v.reach[p->problem.id()] = *r;
            if (r->mescd) v.limits[p->problem.id()] = *r->mescd;
        }
    return v;
}

std::string rtol_text(double rtol)
{
    if (!(rtol > 0)) return "0";
    const double power = -std::log10(rtol);
    const double eighths = std::round(power * 8) / 8; // ladders have 1, 2, 4 or 8 tolerances in a decade
    if (std::abs(power - eighths) < 1e-6) return fmt::format("10<sup>−{:.4g}</sup>", eighths);
    return fmt::format("{:.3g}", rtol);
}

std::string seconds_text(double s)
{
    if (!std::isfinite(s)) return "";
    std::string text = s < 0.1 ? fmt::format("{:.2e}", s) : fmt::format("{:.3g}", s);
    const auto e = text.find("e-0");
    if (e != std::string::npos) text.erase(e + 2, 1);
    return text;
}

std::string digits_text(const std::optional<double>& d, int decimals)
{
    if (!d) return "";
    std::string text = fmt::format("{:.{}f}", *d, decimals);
    if (text.starts_with('-')) text = "−" + text.substr(1);
    return text;
}

std::string count_text(std::uint64_t n)
{
    std::string text = std::to_string(n);
    for (int at = static_cast<int>(text.size()) - 3; at > 0 && text.size() > 4; at -= 3) text.insert(static_cast<std::size_t>(at), "\u202F");
    return text;
}

std::string link_to_problem(std::string_view id) { return fmt::format("<a href=\"#problem-{}\">{}</a>", id_of(id), escaped(id)); }
std::string link_to_solver(std::string_view name) { return fmt::format("<a href=\"#solver-{}\">{}</a>", id_of(name), escaped(name)); }

std::string curve_key(const std::string& label, int look)
{
    const curve_look l{look};
    return fmt::format(
        "<span class=\"key {}\"><svg class=\"swatch\" viewBox=\"-14 -7 28 14\" aria-hidden=\"true\"><path class=\"line\" d=\"M-14 0h28\"/>"
        "<use href=\"#m{}\"/></svg>{}</span>",
        l.classes(), l.shape(), escaped(label));
}

std::string legend(const std::vector<curve_name>& curves, std::string_view what)
{
    std::string text = fmt::format("<div class=\"legend\" role=\"group\" aria-label=\"{}\">", escaped(what));
    for (const auto& c : curves)
        text += fmt::format("<button type=\"button\" aria-pressed=\"true\" data-s=\"{}\">{}</button>", c.look, curve_key(c.label, c.look));
    return text + "</div>";
}

} // namespace ivp::book_pages
