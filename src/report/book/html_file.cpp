// The one file: style, contents, pages, numbers, script. Nothing is loaded from anywhere.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/json.hpp"
#include "report/assets.hpp"
#include "report/columns.hpp"
#include "report/render/palette.hpp"

#include <ivp/scalar.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ivp::book_pages {

namespace {

/// Texts that repeat, each once.
class text_list {
public:
    std::size_t operator()(const std::string& text)
    {
        const auto [at, is_new] = where_.try_emplace(text, texts_.size());
        if (is_new) texts_.push_back(text);
        return at->second;
    }
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

private:
    std::map<std::string, std::size_t> where_;
    std::vector<std::string> texts_;
};

/// All numbers that the script shows or computes with, column by column.
std::string data_of(const view& v)
{
    text_list problems;
    text_list outcomes;
    text_list messages;
    json columns;
    for (const auto& r : v.records) {
        columns["p"].push_back(problems(r.full_problem()));
        columns["rtol"].push_back(json_number(r.ladder_rtol()));
        const run_row row{.run = r, .name = ""};
        const auto absolute = column::atol.of(row);
        columns["atol"].push_back(json_number(absolute.value));
        columns["h0"].push_back(json_number(column::h0.of(row).value));
        // What stands behind a number: tolerances that differ between components, a time from few samples.
        columns["marks"].push_back((column::rtol.of(row).words.empty() ? 0 : 1) | (absolute.words.empty() ? 0 : 2) |
                                   (column::cpu.of(row).words.empty() ? 0 : 4));
        columns["mescd"].push_back(json_number(r.mescd));
        columns["scd"].push_back(json_number(r.scd));
        for (const precision_kind along : {precision_kind::path, precision_kind::rms})
            columns[std::string(label(along))].push_back(json_number(precision_of(r, along)));
        columns["steps"].push_back(r.steps);
        columns["accepted"].push_back(r.accepted);
        columns["f"].push_back(r.nfev + r.nfev_jac);
        columns["jac"].push_back(r.njac);
        columns["lu"].push_back(r.nlu);
        columns["cpu"].push_back(json_number(r.cpu_s));
        columns["wall"].push_back(json_number(r.wall_s));
        columns["outcome"].push_back(outcomes(std::string(label(r.outcome))));
        columns["message"].push_back(messages(r.outcome == outcome::success ? "" : r.message));
        columns["command"].push_back(r.command);
    }
    for (const precision_kind along : {precision_kind::path, precision_kind::rms}) {
        const bool measured = std::ranges::any_of(v.records, [along](const run_record& r) { return precision_of(r, along).has_value(); });
        if (!measured && !columns.is_null()) columns.erase(std::string(label(along)));
    }
    json curves = json::array();
    for (const auto& c : v.curves) {
        const curve_look look{c.look};
        curves.push_back({{"id", c.look},
                          {"label", c.label},
                          {"classes", look.classes()},
                          {"shape", look.shape()},
                          {"family", info_of(c.family).id},
                          {"implicit", c.implicit}});
    }
    json families = json::array();
    for (const auto& f : solver_families())
        if (std::ranges::find(v.curves, f.family, &curve_name::family) != v.curves.end())
            families.push_back({{"id", f.id}, {"title", f.title}, {"classes", look_of({f.family, 0}).classes()}});
    json runs = json::array();
    for (const auto& p : v.runs) {
        json entry{{"problem", p.problem}, {"variant", p.variant}, {"curves", json::array()}};
        const auto limit = v.limits.find(p.problem);
        entry["limit"] = limit == v.limits.end() || !p.variant.empty() ? json(nullptr) : json_number(limit->second);
        const problem_class kind = class_of(v, p);
        entry["form"] = kind.form;
        entry["stiffness"] = kind.stiffness;
        entry["size"] = kind.size;
        entry["index"] = kind.index;
        for (const auto& c : p.curves) {
            json curve{{"id", v.looks.at(c.label)}, {"runs", c.runs}};
            json shares = json::array();
            bool estimated = false;
            for (const std::size_t k : c.runs) {
                const auto share = busiest_share(v.records[k]);
                shares.push_back(json_number(share));
                estimated = estimated || share;
            }
            if (estimated) curve["shares"] = shares;
            entry["curves"].push_back(curve);
        }
        runs.push_back(entry);
    }
    const json all{{"problems", problems.texts()},
                   {"outcomes", outcomes.texts()},
                   {"messages", messages.texts()},
                   {"curves", curves},
                   {"families", families},
                   {"groups", runs},
                   {"runs", columns.is_null() ? json::object() : columns}};
    return json_in_html(json_text(all));
}

std::string colors()
{
    std::string light;
    std::string dark;
    for (std::size_t k = 0; k < palette.size(); ++k) {
        light += fmt::format("--c{}:{};", k, palette[k].light);
        dark += fmt::format("--c{}:{};", k, palette[k].dark);
    }
    std::string classes;
    for (std::size_t k = 0; k < palette.size(); ++k) classes += fmt::format(".c{0}{{color:var(--c{0})}}", k);
    return fmt::format(":root{{{0}}}@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{1}}}}}:root[data-theme=dark]{{{1}}}@media "
                       "print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]{{{0}}}}}{2}\n",
                       light, dark, classes);
}

std::string contents_of(const std::vector<navigation_group>& groups)
{
    std::string text;
    for (const auto& g : groups) {
        if (g.folded)
            text += fmt::format("<details><summary class=\"group\">{}</summary>\n", html_escaped(g.title));
        else if (!g.title.empty())
            text += fmt::format("<p class=\"group\">{}</p>\n", html_escaped(g.title));
        text += "<ul>\n";
        for (const auto& e : g.entries)
            text += fmt::format("<li><a href=\"#{}\" data-find=\"{}\"{}>{}</a></li>\n", e.id, html_escaped(e.text + " " + e.hint),
                                e.quiet ? " class=\"quiet\"" : "", html_escaped(e.text));
        text += g.folded ? "</ul></details>\n" : "</ul>\n";
    }
    return text;
}

} // namespace

std::string html_file(std::string_view title, const std::vector<navigation_group>& contents, std::string_view pages, const view& v)
{
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n<meta "
        "name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{colors}{style}</style>\n</head>\n<body>\n"
        "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
        "<svg class=\"definitions\" width=\"0\" height=\"0\" aria-hidden=\"true\">{definitions}</svg>\n"
        "<header class=\"top\"><a class=\"brand\" href=\"#{first}\">ivp</a><button type=\"button\" class=\"menu script\" aria-expanded=\"false\" "
        "aria-controls=\"contents\">Contents</button><span class=\"search script\"><input type=\"search\" id=\"search\" placeholder=\"Search "
        "problems and solvers\" "
        "aria-label=\"Search problems and solvers\" autocomplete=\"off\" spellcheck=\"false\"><kbd aria-hidden=\"true\">/</kbd></span><span "
        "class=\"actions script\"><button type=\"button\" id=\"whole\" aria-pressed=\"false\" title=\"Show all pages one after the other, for "
        "example to print the "
        "book\">Whole book</button><button type=\"button\" id=\"theme\" title=\"Light or dark\">Light / dark</button></span></header>\n"
        "<div class=\"layout\">\n<nav class=\"contents\" id=\"contents\" aria-label=\"Contents\">\n{contents}</nav>\n<script>{early}</script>\n<main "
        "id=\"content\" "
        "tabindex=\"-1\">\n{pages}</main>\n</div>\n"
        "<div id=\"tip\" role=\"status\" hidden></div>\n<script type=\"application/json\" "
        "id=\"data\">{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n",
        fmt::arg("title", html_escaped(title)), fmt::arg("colors", colors()), fmt::arg("style", assets::book_css),
        fmt::arg("definitions", svg_definitions()),
        fmt::arg("first", contents.empty() || contents.front().entries.empty() ? "content" : contents.front().entries.front().id),
        fmt::arg("contents", contents_of(contents)), fmt::arg("early", assets::early_js), fmt::arg("pages", pages), fmt::arg("data", data_of(v)),
        fmt::arg("script", std::string("\"use strict\";\n(() => {\n") + assets::data_js + assets::choice_js + assets::plot_js + assets::diagram_js +
                               assets::statistics_js + assets::profile_js + assets::story_js + assets::tables_js + assets::navigation_js +
                               "})();\n"));
}

} // namespace ivp::book_pages
