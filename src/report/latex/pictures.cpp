#include "pictures.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/render/palette.hpp"
#include "report/schematics/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp::tex {

std::string profile_picture(const book_pages::view& v, std::span<const problem_runs> runs)
{
    constexpr double digits = 6;
    constexpr std::size_t coloured = 8;
    const work_table t = work_for_digits(v.records, runs, v.limits, digits, work_kind::cpu);
    const performance_profile p = profile_of(t);
    if (p.problems == 0) return "";
    const auto ranks = ranking(t);
    std::string grey;
    std::string colour;
    std::string colors;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        const std::size_t s = ranks[k].solver;
        if (!(ranks[k].score > 0)) continue;
        const curve_look look{v.looks.at(t.solvers[s])};
        std::string points = fmt::format(" (1, {:.4g})", p.share(s, 1));
        for (const double ratio : p.ratios[s])
            if (ratio > 1 && ratio <= largest_ratio) points += fmt::format(" ({:.5g}, {:.4g})", ratio, p.share(s, ratio));
        points += fmt::format(" ({:g}, {:.4g})", largest_ratio, p.share(s, largest_ratio));
        if (k >= coloured) {
            grey += fmt::format("\\addplot[black!18, const plot, forget plot] coordinates {{{}}};\n", points);
            continue;
        }
        colors += fmt::format("\\definecolor{{ivp{}}}{{HTML}}{{{}}}%\n", look.color(), palette[static_cast<std::size_t>(look.color())].tex);
        colour += fmt::format("\\addplot[ivp{}, thick, const plot{}] coordinates {{{}}};\n\\addlegendentry{{{}}}\n", look.color(),
                              look.dash() == 0   ? ""
                              : look.dash() == 1 ? ", dashed"
                                                 : ", dotted",
                              points, tex_escaped(t.solvers[s]));
    }
    return colors +
           fmt::format(
               "\\begin{{tikzpicture}}\n\\begin{{semilogxaxis}}[width=12cm, height=8cm, xmin=1, xmax={:g}, ymin=0, ymax=1, grid=major, major grid "
               "style={{black!12}},\n  xlabel={{times the least CPU time, {:.0f} digits, {}}}, ylabel={{share of the problems}}, legend pos=outer "
               "north east, legend style={{draw=none, font=\\footnotesize}}, legend cell align=left]\n",
               largest_ratio, digits, counted(p.problems, "problem")) +
           grey + colour + "\\end{semilogxaxis}\n\\end{tikzpicture}%\n";
}

namespace {

std::string in_brackets(std::string_view unit) { return unit.empty() ? "" : fmt::format(" [{}]", tex_escaped(unit)); }

/// With the indices of a drawing's words.
std::string lowered(std::string_view words)
{
    std::string text;
    for (auto at = words.find('_'); at != std::string_view::npos; at = words.find('_')) {
        const std::string_view behind = words.substr(at + 1);
        const auto end = std::min(behind.find_first_of(" ,.)"), behind.size());
        text += fmt::format("{}\\textsubscript{{{}}}", tex_escaped(words.substr(0, at)), tex_escaped(behind.substr(0, end)));
        words = behind.substr(end);
    }
    return text + tex_escaped(words);
}

std::string phase_picture(const behaviour& b, const book_pages::phase_plot& wanted)
{
    constexpr std::size_t most_points = 400;
    const auto courses = book_pages::courses_of(b, wanted);
    if (courses.empty()) return "";
    const auto axis = [](std::string_view given, int component) { return given.empty() ? fmt::format("$y_{{{}}}$", component) : tex_escaped(given); };
    const auto* const mode = wanted.logarithmic ? "log" : "normal";
    std::string text = fmt::format(
        "\\begin{{tikzpicture}}\n\\begin{{axis}}[width=0.6\\linewidth, {}, xmode={}, ymode={}, title={{{}}}, xlabel={{{}}}, ylabel={{{}}},\n  label "
        "style={{font=\\footnotesize}}, tick label style={{font=\\scriptsize}}, title style={{font=\\small}}]\n",
        wanted.same_scale ? "axis equal image" : "height=6cm", mode, mode, tex_escaped(wanted.title), axis(wanted.across, wanted.pairs.front().first),
        axis(wanted.up, wanted.pairs.front().second));
    int number = 0;
    for (const auto& [x, y] : courses) {
        ++number;
        std::string points;
        const std::size_t stride = std::max<std::size_t>(1, x->size() * courses.size() / (most_points * std::min<std::size_t>(courses.size(), 7)));
        for (std::size_t i = 0; i < x->size(); i += i + stride < x->size() || i + 1 == x->size() ? stride : x->size() - 1 - i)
            if (std::isfinite((*x)[i]) && std::isfinite((*y)[i]) && (!wanted.logarithmic || ((*x)[i] > 0 && (*y)[i] > 0)))
                points += fmt::format(" ({:.4g}, {:.4g})", (*x)[i], (*y)[i]);
        text += fmt::format("\\addplot[black!{}, no marks] coordinates {{{}}}{};\n", courses.size() > 1 ? 40 + 60 * (number % 2) : 100, points,
                            wanted.numbered ? fmt::format(" node[right, font=\\scriptsize] {{{}}}", number) : "");
    }
    return text + "\\end{axis}\n\\end{tikzpicture}\\par\n";
}

std::string motion_pictures(const behaviour& b, const ivp::problem& p)
{
    const auto m = motion_of(p);
    if (!m) return "";
    std::string text;
    for (const auto& [t, picture] : book_pages::frames_of(b, *m)) text += picture.tikz(3.8) + "\\hspace{1mm}\n";
    return text.empty() ? "" : fmt::format("{{\\small {}:}}\\par\n{}\\par\n", tex_escaped(m->caption), text);
}

} // namespace

std::string schematic_picture(const ivp::problem& p)
{
    constexpr double text_width = 16; // cm, of A4 with the margins of the report
    const auto s = schematic_of(p);
    if (!s) return "";
    return fmt::format("\\begin{{figure}}[!ht]\n\\centering\n{}\\caption{{{}}}\n\\end{{figure}}\n", s->picture.tikz(text_width), lowered(s->caption));
}

std::string course_pictures(const behaviour& b, const ivp::problem& p)
{
    constexpr std::size_t most_points = 250; // of 1500: paper has fewer dots than this needs
    constexpr std::size_t most = 10;
    const auto& names = p.info().component_names;
    const auto shown = book_pages::tile_components(p);
    std::string text;
    if (p.info().origin == "own") text += motion_pictures(b, p);
    for (const auto* wanted : book_pages::phase_plots_of(p)) text += phase_picture(b, *wanted);
    std::size_t drawn = 0;
    for (std::size_t k = 0; k < b.components.size() && drawn < most; ++k) {
        if (std::ranges::find(shown, b.components[k]) == shown.end()) continue;
        double low = INFINITY;
        double high = -INFINITY;
        for (const double y : b.y[k])
            if (std::isfinite(y)) {
                low = std::min(low, y);
                high = std::max(high, y);
            }
        if (!(low <= high)) continue;
        const bool logarithmic = book_pages::asks_for_logarithms(b.y[k]);
        // The least and the largest of each piece: nothing that stands out is lost.
        const std::size_t piece = std::max<std::size_t>(1, 2 * b.t.size() / most_points);
        std::string points;
        for (std::size_t from = 0; from < b.t.size(); from += piece) {
            const std::size_t to = std::min(from + piece, b.t.size());
            const auto begin = b.y[k].begin() + static_cast<std::ptrdiff_t>(from);
            const auto [lowest, highest] = std::minmax_element(begin, b.y[k].begin() + static_cast<std::ptrdiff_t>(to));
            auto first = static_cast<std::size_t>(lowest - b.y[k].begin());
            auto second = static_cast<std::size_t>(highest - b.y[k].begin());
            if (first > second) std::swap(first, second);
            for (const std::size_t i : first == second ? std::vector{first} : std::vector{first, second})
                if (std::isfinite(b.y[k][i]) && (!logarithmic || b.y[k][i] > high * 1e-12) && (!b.logarithmic_time || b.t[i] > 0))
                    points += fmt::format(" ({:.6g}, {:.6g})", b.t[i], b.y[k][i]);
        }
        const auto c = static_cast<std::size_t>(b.components[k]);
        text += fmt::format(
            "\\begin{{tikzpicture}}\n\\begin{{axis}}[width=0.48\\linewidth, height=4.4cm, xmode={}, ymode={}, title={{$y_{{{}}}${}{}}}, "
            "xlabel={{$t${}}},\n  label style={{font=\\footnotesize}}, tick label style={{font=\\scriptsize}}, title style={{font=\\small}}]\n"
            "\\addplot[black, no marks] coordinates {{{}}};\n\\end{{axis}}\n\\end{{tikzpicture}}{}\n",
            b.logarithmic_time ? "log" : "normal", logarithmic ? "log" : "normal", c + 1, names.empty() ? "" : ", " + tex_escaped(names[c]),
            in_brackets(unit_of_component(p, b.components[k])), in_brackets(unit_of_time(p)), points, drawn++ % 2 == 0 ? "\\hfill" : "\\par");
    }
    return text;
}

} // namespace ivp::tex
