// A problem's chapter answers: what is it, why is it difficult, what is the truth, and who solves it at what price.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp::book_pages {

namespace {

constexpr std::size_t shown_components = 20;

/// The digits that are confirmed, and the rest in a paler colour.
std::string value_html(const std::string& text, double digits, bool absolute)
{
    // Significant digits begin at the first digit that is not zero; decimals behind the point.
    std::size_t at = 0;
    double counted = 0;
    bool started = false;
    bool behind_point = false;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == 'e' || c == 'E' || c == 'd' || c == 'D') break;
        if (c == '.') {
            behind_point = true;
            continue;
        }
        if (c < '0' || c > '9') continue;
        if (counted >= std::floor(digits + 1e-9) && (absolute ? behind_point : started)) break;
        started = started || c != '0';
        if (absolute ? behind_point : started) ++counted;
    }
    const auto exponent = text.find_first_of("eEdD");
    const std::string known = text.substr(0, at);
    const std::string rest = text.substr(at, exponent == std::string::npos ? std::string::npos : exponent - at);
    const std::string power = exponent == std::string::npos ? "" : text.substr(exponent);
    std::string html = html_escaped(known);
    if (!rest.empty()) html += "<span class=\"unsure\">" + html_escaped(rest) + "</span>";
    return html + html_escaped(power);
}

std::string reference_rows(const ivp::problem& p, std::size_t from, std::size_t to)
{
    const auto& r = *p.reference();
    const auto& names = p.info().component_names;
    std::string text;
    for (std::size_t i = from; i < to; ++i)
        text += fmt::format("<tr><th scope=\"row\">y<sub>{}</sub>{}</th><td class=\"value\">{}</td><td>{:.3g}</td></tr>\n", i + 1,
                            names.empty() ? "" : " <span class=\"quiet\">" + html_escaped(names[i]) + "</span>",
                            value_html(r.value[i].text(), r.digits[i], r.absolute_digits), r.digits[i]);
    return text;
}

std::string reference_section(const ivp::problem& p)
{
    if (!p.reference()) return "<p>No reference solution is known: runs have no digits.</p>\n";
    const auto& r = *p.reference();
    const std::size_t n = r.value.size();
    const auto table = [&](std::size_t from, std::size_t to) {
        const std::string heads =
            column_heads({"component", "value at t = " + r.t.text(), r.absolute_digits ? "confirmed decimals" : "confirmed digits"});
        return html_table("reference", heads, reference_rows(p, from, to));
    };
    std::string text;
    if (!r.source.empty()) text += fmt::format("<p>Source: {}.</p>\n", html_escaped(r.source));
    if (!r.confirmed.empty()) text += fmt::format("<p>Confirmed: {}. What is not confirmed is printed pale.</p>\n", html_escaped(r.confirmed));
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
    std::string text = fmt::format("<h3 id=\"{}-runs\">Run characteristics</h3>\n", prefix);
    text +=
        run_table(v, some, false,
                  all.size() == some.size() ? "All runs" : "Runs nearest to the tolerances 10<sup>−4</sup>, 10<sup>−7</sup> and 10<sup>−10</sup>");
    text += drift_table(v, some);
    if (all.size() > some.size())
        text += fmt::format("<details><summary>All {} runs</summary>\n{}{}</details>\n", all.size(), run_table(v, all, false, "All runs"),
                            drift_table(v, all));
    text += speedup_section(v, all);
    text += fmt::format("<h3 id=\"{}-failed\">Failed runs</h3>\n", prefix);
    const std::string failures = failure_table(v, all, false);
    text += failures.empty() ? "<p>None.</p>\n" : failures;
    text +=
        fmt::format("<h3 id=\"{}-diagram\">Work-precision diagram</h3>\n{}", prefix, diagram_figure(v, runs, work_kind::cpu, precision_kind::mescd));
    return text;
}

std::string facts(const ivp::problem& p)
{
    std::vector<std::string> words{fmt::format("<code>{}</code>", html_escaped(name_of(p)))};
    for (const auto& fact : facts_of(p)) words.push_back(html_escaped(fact));
    return "<p class=\"facts\">" + joined(words, " · ") + "</p>\n";
}

std::string parameter_list(std::span<const parameter> parameters)
{
    if (parameters.empty()) return "";
    std::string rows;
    for (const auto& q : parameters)
        rows += fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td></tr>\n", html_escaped(q.name),
                            html_escaped(q.value.text()), html_escaped(q.meaning));
    return "<h3>Parameters</h3>\n" + html_table("plain", column_heads({"name", "default", "meaning"}), rows);
}

std::string section_html(const chapter_section& s, bool with_subsections)
{
    std::string text = html_from_markdown(s.text, 1).html;
    if (with_subsections)
        for (const auto& sub : s.subsections) text += fmt::format("<h3>{}</h3>\n{}", html_from_line(sub.title), html_from_markdown(sub.text, 1).html);
    return text;
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
        link("runs", "Runs");
        link("failed", "Failures");
        link("diagram", "Diagram");
    }
    link("recommendations", "Recommendations");
    text += fmt::format("<nav class=\"local\" aria-label=\"Sections of {}\">{}</nav>\n", html_escaped(p.info().title), links.substr(1));
    text += html_from_markdown(outline.lead, 1).html;

    const chapter_section* numerical = nullptr;
    int number = 0;
    for (const auto& s : outline.sections) {
        if (is_numerical(s.title)) {
            numerical = &s;
            continue;
        }
        const bool mathematics = is_mathematics(s.title);
        text += fmt::format("<section{}><h2>{} {}</h2>\n{}</section>\n", mathematics ? fmt::format(" id=\"{}-mathematics\"", id) : "", ++number,
                            html_escaped(s.title), section_html(s, true));
        if (mathematics) text += parameter_list(b.parameters);
    }
    text += fmt::format("<section><h2>{} {}</h2>\n", ++number,
                        numerical != nullptr ? html_escaped(numerical->title) : "Numerical solution of the problem");
    if (numerical != nullptr) text += section_html(*numerical, false);
    text += fmt::format("<h3 id=\"{}-behaviour\">Behaviour of the solution</h3>\n", id);
    text += b.course ? behaviour_figure(*b.course, p) : "<p>No picture: none of our solvers reached the end within its limits.</p>\n";
    text += fmt::format("<h3 id=\"{}-reference\">Reference solution</h3>\n{}", id, reference_section(p));
    if (runs.empty()) text += "<p class=\"remark\">No runs of this problem are in the store.</p>\n";
    for (const auto* r : runs) {
        if (!r->variant.empty()) text += fmt::format("<h3>With {}</h3>\n", html_escaped(r->variant));
        text += measured(v, *r, r->variant.empty() ? id : id + "-" + id_of(r->variant));
    }
    text += fmt::format("<div id=\"{}-recommendations\">\n", id);
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
                    "<code>ivp report --plug-in FILE</code>, with the file it comes from, adds its description.</p>\n",
                    id, html_escaped(name));
    for (const auto* r : v.runs_of(name)) {
        if (!r->variant.empty()) text += fmt::format("<h2>With {}</h2>\n", html_escaped(r->variant));
        text += measured(v, *r, r->variant.empty() ? id : id + "-" + id_of(r->variant));
    }
    return text + "</article>\n";
}

} // namespace ivp::book_pages
