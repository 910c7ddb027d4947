// Runs that differ in one parameter: what it changes, in pictures and a table.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/render/html.hpp"
#include "report/render/numbers.hpp"
#include "report/sweep_table.hpp"

#include <ivp/mechanics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ivp::book_pages {

namespace {

constexpr std::size_t most_pictured_values = 6; ///< outputs or components; `ivp run --plot` draws any

struct pictured_column {
    std::string name;
    std::string title; ///< HTML
};

/// Work and digits, then what the model computes.
std::vector<pictured_column> pictured_columns(const sweep& s)
{
    std::vector<pictured_column> all{{"cpu", "CPU time [s]"}, {"mescd", "correct digits at the end point (mescd)"}, {"steps", "steps"}};
    std::size_t values = 0;
    for (const auto& c : columns_of(s)) {
        const bool is_work = c == "scd" || c == "mescd" || c == "steps" || c == "f" || c == "jacobians" || c == "lu" || c == "cpu";
        if (!is_work && values++ < most_pictured_values) all.push_back({c, html_escaped(c) + " <span class=\"quiet\">at the end</span>"});
    }
    std::erase_if(all, [&s](const pictured_column& c) {
        return std::ranges::none_of(s.runs, [&](const run_record& r) { return value_in(s, r, c.name).has_value(); });
    });
    return all;
}

std::string sweep_table_html(const sweep& s)
{
    std::string rows;
    for (const auto& series : series_of(s))
        for (const auto* r : series.runs)
            rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                                html_escaped(r->parameters.at(s.names.front())), html_escaped(series.solver), label(r->outcome),
                                digits_number(medium::html, r->mescd), count_number(medium::html, r->steps),
                                count_number(medium::html, r->nfev + r->nfev_jac), seconds_number(medium::html, r->cpu_s));
    const std::string parameter = "<code>" + html_escaped(s.names.front()) + "</code>";
    return html_table("plain", column_heads({parameter, "solver", "outcome", "mescd", "steps", "#f", "CPU"}), rows);
}

/// All runs at one tolerance.
std::string sweep_figure(const view& v, const sweep& s)
{
    const auto series = series_of(s);
    std::vector<curve_look> looks;
    std::string keys;
    for (const auto& one : series) {
        const auto known = v.looks.find(one.solver);
        looks.push_back(known != v.looks.end() ? curve_look{known->second} : curve_look::plain(static_cast<int>(looks.size())));
        keys += " " + curve_key(one.solver, looks.back().number);
    }
    std::string tiles;
    for (const auto& c : pictured_columns(s))
        tiles += fmt::format("<div class=\"tile\"><p class=\"tile-title\">{}</p>{}</div>", c.title,
                             drawn_sweep(s, c.name, {400, 230}, looks).element("", c.name + " against " + s.names.front()));
    return fmt::format("<figure class=\"courses\"><div class=\"tiles\">{}</div><figcaption>{} at rtol {}.</figcaption></figure>\n"
                       "<details><summary>{}</summary>\n{}</details>\n",
                       tiles, keys, tolerance_number(medium::html, s.runs.front().ladder_rtol()), counted(s.runs.size(), "run"), sweep_table_html(s));
}

} // namespace

std::string sweep_section(const view& v, std::string_view problem, std::span<const parameter> known, const std::string& id)
{
    std::vector<run_record> runs;
    for (const auto* variant : v.runs_of(problem))
        for (const std::size_t k : all_of(*variant)) runs.push_back(v.records[k]);
    const auto* const p = v.problem(problem);
    std::string text;
    for (const auto& s : sweeps_in(runs, known, p == nullptr ? std::vector<std::string>{} : component_names_of(p->problem))) {
        const auto value_at = [&s](const run_record& r) { return r.parameters.at(s.names.front()); };
        auto fixed = s.runs.front().parameters;
        fixed.erase(s.names.front());
        const std::string others = joined(parameters_in_words(fixed), ", ");
        text += fmt::format("<h3{}>{} from {} to {}{}</h3>\n", text.empty() ? fmt::format(" id=\"{}-sweeps\"", id) : "",
                            html_escaped(s.names.front()), html_escaped(value_at(s.runs.front())), html_escaped(value_at(s.runs.back())),
                            others.empty() ? "" : ", " + html_escaped(others));
        std::set<double, std::greater<>> tolerances;
        for (const auto& r : s.runs) tolerances.insert(r.ladder_rtol());
        std::size_t k = 0;
        for (const double rtol : tolerances) {
            sweep at{s.names, {}, s.components};
            for (const auto& r : s.runs)
                if (r.ladder_rtol() == rtol) at.runs.push_back(r);
            const bool open = k++ == tolerances.size() / 2;
            text += open ? sweep_figure(v, at)
                         : fmt::format("<details><summary>At rtol {}</summary>\n{}</details>\n", tolerance_number(medium::html, rtol),
                                       sweep_figure(v, at));
        }
    }
    return text;
}

} // namespace ivp::book_pages
