#include "pictures.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/render/palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp::tex {

std::string profile_picture(const book_pages::view& v)
{
    constexpr double digits = 6;
    constexpr std::size_t coloured = 8;
    const work_table t = work_for_digits(v.records, v.runs, v.limits, digits, work_kind::cpu);
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

std::string course_pictures(const behaviour& b, const ivp::problem& p)
{
    constexpr std::size_t most_points = 250; // of 1500: paper has fewer dots than this needs
    constexpr std::size_t most = 8;
    const auto& names = p.info().component_names;
    std::string text;
    for (std::size_t k = 0; k < std::min(most, b.components.size()); ++k) {
        double low = INFINITY;
        double least = INFINITY;
        double high = -INFINITY;
        for (const double y : b.y[k])
            if (std::isfinite(y)) {
                low = std::min(low, y);
                high = std::max(high, y);
                if (y > 0) least = std::min(least, y);
            }
        if (!(low <= high)) continue;
        const bool logarithmic = low >= 0 && high > 0 && high / least > 1e4;
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
            "\\begin{{tikzpicture}}\n\\begin{{axis}}[width=0.48\\linewidth, height=4.4cm, xmode={}, ymode={}, title={{$y_{{{}}}${}}}, "
            "xlabel={{$t$}},\n  label style={{font=\\footnotesize}}, tick label style={{font=\\scriptsize}}, title style={{font=\\small}}]\n"
            "\\addplot[black, no marks] coordinates {{{}}};\n\\end{{axis}}\n\\end{{tikzpicture}}{}\n",
            b.logarithmic_time ? "log" : "normal", logarithmic ? "log" : "normal", c + 1, names.empty() ? "" : ", " + tex_escaped(names[c]), points,
            k % 2 == 0 ? "\\hfill" : "\\par");
    }
    return text;
}

} // namespace ivp::tex
