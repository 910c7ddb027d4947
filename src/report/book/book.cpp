#include "report/book.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "detest/data.hpp"
#include "report/assessment_comparison.hpp"
#include "report/library_warnings.hpp"
#include "report/render/html.hpp"
#include "view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ivp {

using namespace book_pages;

namespace {

navigation_entry problem_entry(const view& v, const std::string& id)
{
    const auto* p = v.problem(id);
    return {"problem-" + id_of(id), id, p == nullptr ? "" : p->problem.info().title + " " + joined(p->problem.info().tags, " "),
            v.runs_of(id).empty()};
}

navigation_entry solver_entry(const view& v, const std::string& name)
{
    const auto* s = v.solver(name);
    const bool run = std::ranges::any_of(v.curves, [&name](const curve_name& c) { return c.solver == name; });
    return {"solver-" + id_of(name), name, s == nullptr ? "" : s->info().title, !run};
}

/// Assessments that can stand in one table: of the same problems at the same tolerances, by at least two solvers; of each solver the newest.
std::vector<std::vector<const stored_assessment*>> comparable(const std::vector<stored_assessment>& all)
{
    std::map<std::string, std::map<std::string, const stored_assessment*>> found;
    for (const auto& a : all) {
        if (a.level < 3) continue;
        auto& kept = found[comparison_key(a.json)][full_name(a.solver, a.solver_origin)];
        if (kept == nullptr || kept->measured_at <= a.measured_at) kept = &a;
    }
    std::vector<std::vector<const stored_assessment*>> groups;
    for (const auto& [key, solvers] : found) {
        if (key.empty() || solvers.size() < 2) continue;
        auto& group = groups.emplace_back();
        for (const auto& [name, a] : solvers) group.push_back(a);
        std::ranges::sort(group, {}, &stored_assessment::id);
    }
    return groups;
}

} // namespace

std::optional<digits_in_reach> reach_of(const problem& p, std::span<const run_record> records)
{
    digits_in_reach reach;
    for (const auto& r : records)
        if (r.full_problem() == name_of(p)) {
            if (const auto limit = r.extra.find(path_limit_name); limit != r.extra.end()) reach.path = limit->second;
            if (const auto limit = r.extra.find(rms_limit_name); limit != r.extra.end()) reach.rms = limit->second;
        }
    if (!p.reference()) return reach.path || reach.rms ? std::optional(reach) : std::nullopt;
    const auto run = std::ranges::find_if(
        records, [&p](const run_record& r) { return r.full_problem() == name_of(p) && r.parameters.empty() && !r.rtol.empty(); });
    const double rtol = p.info().protocol.ladder_rtol(0);
    tolerances t = p.info().protocol.expand(rtol, p.info().protocol.atol(rtol));
    if (run != records.end()) {
        t.rtol = run->rtol;
        t.atol = run->atol;
    }
    digits_in_reach at_end = reach_of(*p.reference(), t, p.info().accuracy);
    at_end.path = reach.path;
    at_end.rms = reach.rms;
    return at_end;
}

std::string book(const book_content& content)
{
    std::vector<run_record> records;
    records.reserve(content.runs.size());
    for (const auto& r : content.runs) records.push_back(r.record);
    const view v = view_of(records, content.problems, content.solvers);

    navigation_group problems{"Problems", {}};
    navigation_group sized{"Problems with a size", {}};
    navigation_group nonstiff{"DETEST, non-stiff", {}, true};
    navigation_group stiff{"DETEST, stiff", {}, true};
    navigation_group solvers{"Solvers", {}};
    std::string pages = start_page(v, content);
    const auto add_problem = [&](const std::string& id) {
        const detest_data* const d = detest_data_of(id);
        const auto* p = v.problem(id);
        const bool has_size = p != nullptr && std::ranges::find(p->problem.info().tags, "size") != p->problem.info().tags.end();
        (has_size ? sized : d == nullptr ? problems : d->set == detest_set::nonstiff ? nonstiff : stiff).entries.push_back(problem_entry(v, id));
        pages += p == nullptr ? unknown_problem_chapter(v, id) : contained_text(p->foreign, id, [&] { return problem_chapter(v, *p); });
    };
    for (const auto* p : v.problems) add_problem(name_of(p->problem));
    std::vector<std::string> seen;
    for (const auto& r : v.runs)
        if (v.problem(r.problem) == nullptr && std::ranges::find(seen, r.problem) == seen.end()) {
            seen.push_back(r.problem);
            add_problem(r.problem);
        }
    const auto add_solver = [&](const std::string& name) {
        solvers.entries.push_back(solver_entry(v, name));
        const auto* s = v.solver(name);
        pages += s != nullptr ? solver_chapter(v, *s) : unknown_solver_chapter(v, name);
    };
    for (const auto* s : v.solvers) add_solver(name_of(*s));
    for (const auto& c : v.curves)
        if (v.solver(c.solver) == nullptr && std::ranges::find(seen, "solver " + c.solver) == seen.end()) {
            seen.push_back("solver " + c.solver);
            add_solver(c.solver);
        }
    std::vector<navigation_group> contents{{"", {{"start", "Start", "summary matrix profiles ranking overview", false}}}};
    navigation_group families{"Families", {}};
    for (auto& page : family_pages(v)) {
        families.entries.push_back(std::move(page.entry));
        pages += page.html;
    }
    for (auto* group : {&families, &problems, &sized, &nonstiff, &stiff, &solvers})
        if (!group->entries.empty()) contents.push_back(std::move(*group));
    if (!content.assessments.empty()) {
        navigation_group group{"Assessments (DETEST)", {}};
        std::string assessed;
        for (const auto& several : comparable(content.assessments)) {
            const std::string id = fmt::format("assessments-{}-{}", id_of(several.front()->set), several.front()->id);
            group.entries.push_back({id, fmt::format("{} solvers, {}", several.size(), several.front()->set),
                                     "detest assessment comparison reliability deceived", false});
            assessed += assessments_page(several, id);
        }
        for (const auto& a : content.assessments) {
            group.entries.push_back(
                {assessment_id(a), fmt::format("{}, {}", full_name(a.solver, a.solver_origin), a.set), "detest assessment", false});
            assessed += assessment_page(a);
        }
        if (v.records.empty()) { // the book opens on what it has
            contents.insert(contents.begin(), std::move(group));
            pages = assessed + pages;
        } else {
            contents.push_back(std::move(group));
            pages += assessed;
        }
    }
    contents.push_back({"About", {{"method", "Machine and method", "definitions scd mescd how measured keyboard", false}}});
    pages += method_page(v, content);
    return html_file("ivp: solvers of initial value problems, measured", contents, pages, v);
}

std::string chapter_file(const book_problem& p)
{
    const view v = view_of({}, {&p, 1}, {});
    const auto entry = problem_entry(v, name_of(p.problem));
    return html_file("ivp: " + p.problem.info().title, {{"", {entry}}}, problem_chapter(v, p), v);
}

std::string chapter_file(const solver& s)
{
    const view v = view_of({}, {}, {});
    return html_file("ivp: " + s.info().title, {{"", {{"solver-" + id_of(name_of(s)), name_of(s), s.info().title, false}}}}, solver_chapter(v, s), v);
}

std::string work_precision_page(std::span<const run_record> records, std::span<const problem> problems, work_kind work, precision_kind precision)
{
    std::vector<book_problem> known;
    for (const auto& p : problems) known.push_back({p, {}, std::nullopt});
    const view v = view_of(records, known, {}, curve_order::as_run);
    std::string pages;
    navigation_group group{"Problems", {}};
    std::set<std::string> swept;
    for (const auto& r : v.runs) {
        if (const std::string id = "sweep-" + id_of(r.problem); swept.insert(r.problem).second)
            if (const std::string sweeps = sweep_section(v, r.problem, {}, id); !sweeps.empty()) {
                group.entries.push_back({id, r.problem + ", sweep", "sweep parameter", false});
                pages += fmt::format("<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">Sweep</p>\n<h1>{}</h1>\n{}</article>\n", id,
                                     html_escaped(r.problem), sweeps);
            }
        const std::string id = "problem-" + id_of(r.problem + " " + r.variant);
        const auto* p = v.problem(r.problem);
        const std::string title = (p == nullptr ? r.problem : full_name(p->problem.info().title, p->problem.info().origin)) +
                                  (r.variant.empty() ? "" : " with " + r.variant);
        group.entries.push_back({id, r.problem + (r.variant.empty() ? "" : ", " + r.variant), title, false});
        const auto all = all_of(r);
        const std::string failures = failure_table(v, all, false);
        pages += fmt::format(
            "<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">Work and "
            "precision</p>\n<h1>{}</h1>\n{}<div class=\"pair\">\n<div class=\"staying\">{}</div>\n<section><h2>Runs</h2>\n{}{}</section>\n</div>\n"
            "<section><h2>Failed runs</h2>\n{}</section>\n</article>\n",
            id, html_escaped(title), library_warnings(v.records).html(), diagram_figure(v, r, work, precision), run_table(v, all, false, "All runs"),
            speedup_section(v, all), failures.empty() ? "<p>None.</p>\n" : failures);
    }
    return html_file("ivp: work and precision", {group}, pages, v);
}

} // namespace ivp
