// A problem's chapter answers: what is it, why is it difficult, what is the truth, and who solves it at what price.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "model/reference.hpp"
#include "report/published.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"
#include "report/render/numbers.hpp"
#include "report/scaling_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ivp::book_pages {

namespace {

constexpr std::size_t shown_components = 20;

/// The digits that are confirmed, and the rest in a paler colour; significant digits, or decimals behind the point.
std::string value_html(const std::string& text, double digits, bool absolute)
{
    const auto exponent = std::min(text.find_first_of("eEdD"), text.size());
    // Decimals confirm as many significant digits as the number has in front of the last of them: none of a number that is smaller.
    if (absolute) {
        const double value = std::abs(std::strtod(text.c_str(), nullptr));
        digits = value > 0 ? std::floor(digits + 1e-9) + std::floor(std::log10(value)) + 1 : 1e9;
    }
    std::size_t at = 0;
    double counted = 0;
    bool started = false;
    for (; at < exponent; ++at) {
        const char c = text[at];
        if (c < '0' || c > '9') continue;
        started = started || c != '0';
        if (started && ++counted > std::floor(digits + 1e-9)) break;
    }
    std::string html = html_escaped(text.substr(0, at));
    if (at < exponent) html += "<span class=\"unsure\">" + html_escaped(text.substr(at, exponent - at)) + "</span>";
    return html + html_escaped(text.substr(exponent));
}

std::string reference_rows(const ivp::problem& p, std::size_t from, std::size_t to)
{
    const auto& r = *p.reference();
    const auto& names = p.info().component_names;
    std::string text;
    for (std::size_t i = from; i < to; ++i) {
        const bool zero = r.value[i].value() == 0 && !r.absolute_digits; // has no significant digits
        text += fmt::format("<tr><th scope=\"row\">y<sub>{}</sub>{}</th><td class=\"value\">{}</td><td>{:.3g}{}</td></tr>\n", i + 1,
                            names.empty() ? "" : " <span class=\"quiet\">" + pretty_name(names[i]) + "</span>",
                            value_html(r.value[i].text(), r.digits[i], r.absolute_digits), r.digits[i], zero ? " decimals" : "");
    }
    return text;
}

std::string reference_section(const ivp::problem& p)
{
    if (!p.reference()) return "<p>No reference solution is known: runs have no digits.</p>\n";
    const auto& r = *p.reference();
    const bool estimated = is_estimated(r.confirmed);
    const std::string how = estimated ? "estimated" : "confirmed";
    const std::size_t n = r.value.size();
    const auto table = [&](std::size_t from, std::size_t to) {
        const std::string heads = column_heads({"component", "value at t = " + r.t.text(), how + (r.absolute_digits ? " decimals" : " digits")});
        return html_table("reference", heads, reference_rows(p, from, to));
    };
    std::string text;
    if (!r.source.empty()) text += fmt::format("<p>Source: {}.</p>\n", figures_in_html(r.source));
    if (!r.confirmed.empty())
        text +=
            fmt::format("<p>{}: {}. Digits that are not {} are pale.</p>\n", estimated ? "Digits" : "Confirmed", figures_in_html(r.confirmed), how);
    if (r.absolute_digits)
        text += fmt::format("<p>The digits are {0} as decimals. If a component is smaller than its last {0} decimal, we only know that it is "
                            "small.</p>\n",
                            how);
    const std::size_t shown = n <= shown_components + 5 ? n : shown_components / 2;
    text += table(0, shown);
    if (shown < n) text += fmt::format("<details><summary>The other {} components</summary>\n{}</details>\n", n - shown, table(shown, n));
    return text;
}

/// What was measured, for one choice of the parameters.
std::string measured(const view& v, const problem_runs& runs, const std::string& prefix)
{
    const auto all = all_of(runs);
    const auto some = tabulated(v, runs);
    std::string text = fmt::format("<div class=\"pair\">\n<div class=\"staying\"><h3 id=\"{}-diagram\">Work-precision diagram</h3>\n{}</div>\n<div>",
                                   prefix, diagram_figure(v, runs, work_kind::cpu, precision_kind::mescd));
    text += fmt::format("<h3 id=\"{}-runs\">Run characteristics</h3>\n", prefix);
    text +=
        run_table(v, some, false,
                  all.size() == some.size() ? "All runs" : "Runs nearest to the tolerances 10<sup>−4</sup>, 10<sup>−7</sup> and 10<sup>−10</sup>");
    text += drift_table(v, some) + "</div>\n</div>\n";
    if (all.size() > some.size()) text += all_runs_table(v, runs);
    text += speedup_section(v, all);
    text += fmt::format("<h3 id=\"{}-failed\">Failed runs</h3>\n", prefix);
    const std::string failures = failure_table(v, all, false);
    text += failures.empty() ? "<p>None.</p>\n" : failures;
    return text;
}

std::string facts(const ivp::problem& p)
{
    std::vector<std::string> words{fmt::format("<code>{}</code>", html_escaped(name_of(p)))};
    for (const auto& fact : facts_of(p)) words.push_back(figures_in_html(fact));
    return "<p class=\"facts\">" + joined(words, " · ") + "</p>\n";
}

std::string parameter_list(std::span<const parameter> parameters)
{
    if (parameters.empty()) return "";
    std::string rows;
    for (const auto& q : parameters)
        rows += fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td></tr>\n", html_escaped(q.name),
                            figures_in_html(q.value.text()), figures_in_html(q.meaning));
    return "<h3>Parameters</h3>\n" + html_table("plain", column_heads({"name", "default", "meaning"}), rows);
}

std::string section_html(const chapter_section& s, bool with_subsections)
{
    std::string text = html_from_markdown(s.text, 1).html;
    if (with_subsections)
        for (const auto& sub : s.subsections) text += fmt::format("<h3>{}</h3>\n{}", html_from_line(sub.title), html_from_markdown(sub.text, 1).html);
    return text;
}

/// The rows that were printed with the test set, each beside ours.
std::string published_section(const view& v, const ivp::problem& p, const std::string& id)
{
    if (name_of(p) != p.id()) return ""; // of somebody else, with the same name
    const auto rows = beside_ours(p.id(), v.records);
    if (rows.empty()) return "";
    const auto cells = [](const auto& counts, const auto& printed) {
        std::string html;
        for (std::size_t k = 0; k < counts.size(); ++k)
            html += fmt::format("<td>{}</td>", counts[k] && printed[k] ? count_number(medium::html, *counts[k]) : "");
        return html;
    };
    std::string html;
    for (const auto& c : rows) {
        const auto& q = c.published;
        const std::string verdict = c.ours == nullptr ? "not repeated here" : c.equal ? "equal" : html_escaped(c.difference);
        html += fmt::format("<tr class=\"first\"><th scope=\"row\">{} <span class=\"quiet\">{}</span></th><td "
                            "data-v=\"{:.6g}\">{}</td><td>{}</td><td>{}</td>{}<td>{}</td><td class=\"words{}\">{}</td></tr>\n",
                            html_escaped(q.solver), q.source, q.rtol, tolerance_number(medium::html, q.rtol), digits_number(medium::html, q.mescd),
                            digits_number(medium::html, q.scd), cells(q.counts, q.counts), q.cpu_s ? seconds_number(medium::html, *q.cpu_s) : "",
                            c.equal ? " best" : "", verdict);
        if (c.ours == nullptr || c.equal) continue;
        html += fmt::format("<tr class=\"ours\"><th scope=\"row\">{} <span class=\"quiet\">ours</span></th><td "
                            "data-v=\"{:.6g}\"></td><td>{}</td><td>{}</td>{}<td>{}</td><td class=\"words\">{}</td></tr>\n",
                            html_escaped(c.ours->solver), q.rtol, digits_number(medium::html, c.ours->mescd),
                            digits_number(medium::html, c.ours->scd), cells(c.counts, q.counts), seconds_number(medium::html, c.ours->cpu_s),
                            c.reason.empty() ? "<span class=\"quiet\">no reason is known</span>" : html_escaped(c.reason));
    }
    return fmt::format("<h3 id=\"{}-published\">Published runs beside ours</h3>\n<p>{} Times are those of the machines of 1996, 1998 and "
                       "2008.</p>\n<details><summary>{}</summary>\n{}</details>\n",
                       id, published_summary(rows), counted(rows.size(), "published run"),
                       html_table("published runs",
                                  column_heads({"solver", "rtol", "mescd", "scd", "steps", "accepted", "#f", "#Jac", "#LU", "CPU", "ours"}), html));
}

bool is_mathematics(const std::string& title) { return title.starts_with("Mathematical"); }
bool is_numerical(const std::string& title) { return title.starts_with("Numerical solution"); }

} // namespace

std::string problem_chapter(const view& v, const book_problem& b)
{
    const auto& p = b.problem;
    const std::string id = "problem-" + id_of(name_of(p));
    const chapter_outline outline = outline_of(p.chapter().markdown);
    const auto runs = v.runs_of(name_of(p));
    std::string text = fmt::format("<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">Problem</p>\n<h1>{}</h1>\n{}", id,
                                   html_escaped(full_name(p.info().title, p.info().origin)), facts(p));
    std::string links;
    const auto link = [&](std::string_view part, std::string_view words) { links += fmt::format(" <a href=\"#{}-{}\">{}</a>", id, part, words); };
    if (std::ranges::any_of(outline.sections, [](const chapter_section& s) { return is_mathematics(s.title); })) link("mathematics", "Mathematics");
    link("behaviour", "Behaviour");
    link("reference", "Reference");
    const bool plain_runs = std::ranges::any_of(runs, [](const problem_runs* r) { return r->variant.empty(); });
    if (plain_runs) {
        link("diagram", "Diagram");
        link("runs", "Runs");
        link("failed", "Failures");
    }
    const std::string sweeps = sweep_section(v, name_of(p), b.parameters, id);
    if (!sweeps.empty()) link("sweeps", "Sweeps");
    if (name_of(p) == p.id() && !published_runs(p.id()).empty()) link("published", "Published");
    link("recommendations", "Recommendations");
    text += fmt::format("<nav class=\"local\" aria-label=\"Sections of {}\">{}</nav>\n", html_escaped(p.info().title), links.substr(1));
    text += html_from_markdown(outline.lead, 1).html + "<div class=\"chapter\">\n";

    const chapter_section* numerical = nullptr;
    int number = 0;
    for (const auto& s : outline.sections) {
        if (is_numerical(s.title)) {
            numerical = &s;
            continue;
        }
        const bool mathematics = is_mathematics(s.title);
        const std::string picture = number == 0 && name_of(p) == p.id() ? schematic_figure(p) : ""; // on the first screen
        text += fmt::format("<section{}><h2>{} {}</h2>\n{}{}{}</section>\n", mathematics ? fmt::format(" id=\"{}-mathematics\"", id) : "", ++number,
                            html_escaped(s.title), section_html(s, true), picture, mathematics ? parameter_list(b.parameters) : "");
    }
    text += fmt::format("<section><h2>{} {}</h2>\n", ++number,
                        numerical != nullptr ? html_escaped(numerical->title) : "Numerical solution of the problem");
    if (numerical != nullptr) text += section_html(*numerical, false);
    text += "</section>\n</div>\n<section>\n";
    text += fmt::format("<h3 id=\"{}-behaviour\">Behaviour of the solution</h3>\n", id);
    text += b.course ? behaviour_figure(*b.course, p) : "<p>No picture: none of our solvers reached the end within the limits.</p>\n";
    text += fmt::format("<div class=\"flow\"><h3 id=\"{}-reference\">Reference solution</h3>\n{}</div>\n", id, reference_section(p));
    if (runs.empty() && !v.records.empty()) text += "<p class=\"remark\">No runs of this problem are in the store.</p>\n";
    text += sweeps;
    for (const auto* r : runs) {
        if (!r->variant.empty()) text += fmt::format("<h3>With {}</h3>\n", html_escaped(r->variant));
        text += measured(v, *r, r->variant.empty() ? id : id + "-" + id_of(r->variant));
    }
    for (const auto& s : scalings_of(v.records))
        if (s.problem == name_of(p)) text += scaling_section(s, v.records, scaled_quantity::cpu, "h3");
    text += published_section(v, p, id);
    text += fmt::format("<div class=\"flow\" id=\"{}-recommendations\">\n", id);
    if (numerical != nullptr)
        for (const auto& sub : numerical->subsections)
            text += fmt::format("<h3>{}</h3>\n{}", html_escaped(sub.title), html_from_markdown(sub.text, 1).html);
    return text + "</div>\n</section>\n</article>\n";
}

std::string unknown_problem_chapter(const view& v, const std::string& name)
{
    const std::string id = "problem-" + id_of(name);
    std::string text =
        fmt::format("<article class=\"page\" id=\"{}\">\n<p class=\"kicker\">Problem</p>\n<h1>{}</h1>\n<p>This problem is not part of the test set. "
                    "<code>ivp report --plug-in FILE</code> adds its description; FILE is the file of the problem: a text, a plug-in or a Fortran "
                    "file.</p>\n",
                    id, html_escaped(name));
    text += sweep_section(v, name, {}, id);
    for (const auto* r : v.runs_of(name)) {
        if (!r->variant.empty()) text += fmt::format("<h2>With {}</h2>\n", html_escaped(r->variant));
        text += measured(v, *r, r->variant.empty() ? id : id + "-" + id_of(r->variant));
    }
    return text + "</article>\n";
}

} // namespace ivp::book_pages
