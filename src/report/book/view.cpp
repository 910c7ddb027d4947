#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/diagram.hpp"
#include "report/render/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace ivp::book_pages {

std::string name_of(const ivp::problem& p) { return full_name(p.id(), p.info().origin); }
std::string name_of(const ivp::solver& s) { return full_name(s.info().name, s.info().origin); }

const book_problem* view::problem(std::string_view id) const
{
    const auto found = std::ranges::find_if(problems, [id](const book_problem* p) { return name_of(p->problem) == id; });
    return found == problems.end() ? nullptr : *found;
}

const ivp::solver* view::solver(std::string_view name) const
{
    const auto found = std::ranges::find_if(solvers, [name](const ivp::solver* s) { return name_of(*s) == name; });
    return found == solvers.end() ? nullptr : *found;
}

std::vector<const problem_runs*> view::runs_of(std::string_view id) const
{
    std::vector<const problem_runs*> found;
    for (const auto& r : runs)
        if (r.problem == id) found.push_back(&r);
    return found;
}

view view_of(std::span<const run_record> records, std::span<const book_problem> problems, std::span<const std::shared_ptr<const solver>> solvers,
             curve_order order)
{
    view v;
    v.records.assign(records.begin(), records.end());
    v.runs = curves_of(v.records);
    v.looks = looks_of(v.runs);
    if (order == curve_order::families)
        for (auto& p : v.runs) std::ranges::sort(p.curves, {}, [&v](const run_curve& c) { return v.looks.at(c.label); });
    for (const auto& p : v.runs)
        for (const auto& c : p.curves)
            if (std::ranges::find(v.curves, c.label, &curve_name::label) == v.curves.end()) {
                const family_place place = family_of_solver(c.solver);
                v.curves.push_back({c.label, c.solver, v.looks.at(c.label), place.family, place.implicit});
            }
    if (order == curve_order::families) std::ranges::sort(v.curves, {}, &curve_name::look);
    for (const auto& p : problems) v.problems.push_back(&p);
    for (const auto& s : solvers) v.solvers.push_back(s.get());
    for (const auto* p : v.problems)
        if (const auto r = reach_of(p->problem, v.records)) {
            v.reach[name_of(p->problem)] = *r;
            if (r->mescd) v.limits[name_of(p->problem)] = *r->mescd;
        }
    return v;
}

curve_summary summary_of(const view& v, const problem_runs& p, const run_curve& c)
{
    curve_summary s;
    for (const std::size_t k : c.runs) {
        const auto& r = v.records[k];
        if (is_refusal(r.outcome)) continue;
        if (r.outcome != outcome::success) {
            ++s.failed[r.outcome];
            ++s.failures;
        } else if (r.mescd) {
            s.best = std::max(s.best.value_or(*r.mescd), *r.mescd);
        }
    }
    const auto limit = v.limits.find(p.problem);
    s.capped = s.best && limit != v.limits.end() && *s.best > limit->second;
    if (s.capped) s.best = limit->second;
    s.refused = !is_taken(v, c);
    s.all_failed = !s.refused && s.failures == static_cast<std::size_t>(
                                                   std::ranges::count_if(c.runs, [&v](std::size_t k) { return !is_refusal(v.records[k].outcome); }));
    return s;
}

bool is_taken(const view& v, const run_curve& c)
{
    return std::ranges::any_of(c.runs, [&v](std::size_t k) { return !is_refusal(v.records[k].outcome); });
}

problem_class class_of(const view& v, const problem_runs& p)
{
    problem_class c;
    if (const auto* known = v.problem(p.problem)) {
        const auto& i = known->problem.info();
        c.form = label(i.form);
        c.index = i.highest_index;
        for (const auto& tag : i.tags) {
            if (tag == "stiff" || tag == "non-stiff") c.stiffness = tag;
            if (tag == "small" || tag == "medium" || tag == "large") c.size = tag;
        }
    } else if (!p.curves.empty()) {
        c.form = v.records[p.curves.front().runs.front()].form;
    }
    return c;
}

std::optional<std::string> refusal_of(const view& v, const std::string& problem, const std::string& solver)
{
    const auto* p = v.problem(problem);
    const auto* s = v.solver(solver);
    return p != nullptr && s != nullptr ? s->info().refusal(p->problem) : std::nullopt;
}

std::pair<std::string, std::string> days_of(std::span<const std::string> times)
{
    std::pair<std::string, std::string> days;
    auto& [first, last] = days;
    for (const auto& time : times) {
        const std::string day = time.substr(0, 10);
        if (day.empty()) continue;
        if (first.empty() || day < first) first = day;
        if (last.empty() || day > last) last = day;
    }
    return days;
}

diagram diagram_of(const view& v, const problem_runs& runs, work_kind work, precision_kind precision)
{
    const auto reach = v.reach.find(runs.problem);
    const bool known = runs.variant.empty() && reach != v.reach.end();
    return ivp::diagram_of(v.records, runs, v.looks, work, precision, known ? std::optional(reach->second) : std::nullopt);
}

std::vector<std::size_t> tabulated(const view& v, const problem_runs& runs)
{
    std::vector<std::size_t> chosen;
    for (const auto& c : runs.curves) {
        std::set<std::size_t> own;
        for (const double power : {4.0, 7.0, 10.0}) {
            const auto nearest = std::ranges::min_element(c.runs, {}, [&](std::size_t k) {
                const double rtol = v.records[k].ladder_rtol();
                return rtol > 0 ? std::abs(-std::log10(rtol) - power) : 100.0;
            });
            if (nearest != c.runs.end()) own.insert(static_cast<std::size_t>(nearest - c.runs.begin()));
        }
        for (const std::size_t k : own) chosen.push_back(c.runs[k]);
    }
    return chosen;
}

std::vector<std::size_t> all_of(const problem_runs& runs)
{
    std::vector<std::size_t> all;
    for (const auto& c : runs.curves) all.insert(all.end(), c.runs.begin(), c.runs.end());
    return all;
}

std::vector<std::string> facts_of(const ivp::problem& p)
{
    const auto& i = p.info();
    std::string form_name(label(i.form));
    std::ranges::transform(form_name, form_name.begin(), [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
    std::vector<std::string> facts{fmt::format("{}, {}", form_name, counted(i.n, "equation"))};
    if (i.highest_index > 0) facts.push_back(fmt::format("index {}", i.highest_index));
    facts.push_back(fmt::format("t from {} to {}", i.t0.text(), i.tend.text()));
    auto tags = i.tags;
    std::erase_if(tags, [](const std::string& tag) { return tag.starts_with("index-"); }); // said already
    if (!tags.empty()) facts.push_back(joined(tags, ", "));
    return facts;
}

std::string link_to_problem(std::string_view id) { return fmt::format("<a href=\"#problem-{}\">{}</a>", id_of(id), html_escaped(id)); }
std::string link_to_solver(std::string_view name) { return fmt::format("<a href=\"#solver-{}\">{}</a>", id_of(name), html_escaped(name)); }

std::string curve_key(const std::string& label, int look)
{
    const curve_look l{look};
    return fmt::format(
        "<span class=\"key {}\"><svg class=\"swatch\" viewBox=\"-14 -7 28 14\" aria-hidden=\"true\"><path class=\"line\" d=\"M-14 0h28\"/>"
        "<use href=\"#m{}\"/></svg>{}</span>",
        l.classes(), l.shape(), html_escaped(label));
}

std::string joined_looks(std::span<const curve_name> curves)
{
    std::vector<std::string> numbers;
    for (const auto& c : curves) numbers.push_back(std::to_string(c.look));
    return joined(numbers, " ");
}

std::string legend(const std::vector<curve_name>& curves, std::string_view what)
{
    std::string text = fmt::format("<div class=\"legend\" role=\"group\" aria-label=\"{}\">", html_escaped(what));
    for (const auto& c : curves)
        text += fmt::format("<button type=\"button\" aria-pressed=\"true\" data-s=\"{}\">{}</button>", c.look, curve_key(c.label, c.look));
    return text + "</div>";
}

} // namespace ivp::book_pages
