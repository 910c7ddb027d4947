#include "diagram.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/columns.hpp"
#include "report/render/palette.hpp"
#include "report/render/tex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace ivp {

const char* const diagram_warning = "Diagrams like this show these runs, with these settings, on this machine. They do not rank the solvers: another "
                                    "problem, tolerance, implementation or computer may give another picture.";

namespace {

constexpr double narrow_gutter = 26; ///< the band of failed runs
constexpr double wide_gutter = 104;  ///< in a page, where the script writes names beside them

struct range {
    double low = INFINITY;
    double high = -INFINITY;
    void add(double v)
    {
        low = std::min(low, v);
        high = std::max(high, v);
    }
    [[nodiscard]] bool empty() const { return !(low <= high); }
};

struct drawing {
    svg_plot plot;
    std::vector<svg_plot::legend_entry> legend;
};

plot_axis precision_axis(const diagram& d)
{
    range digits;
    for (const auto& c : d.curves)
        for (const auto& p : c.points)
            if (p) digits.add(p->digits); // an estimate has the digits of its run
    if (digits.empty()) digits = {0, 10};
    const double low = std::floor(digits.low - 0.05);
    double high = std::ceil(digits.high + 0.05);
    if (d.limit && *d.limit <= high) high = std::max(high, std::ceil(*d.limit + 0.4));
    return {std::string(title(d.precision)), low, high, false};
}

plot_axis work_axis(const diagram& d)
{
    range work;
    for (const auto* curves : {&d.curves, &d.estimates})
        for (const auto& c : *curves)
            for (const auto& p : c.points)
                if (p) work.add(p->work);
    if (work.empty()) // no run succeeded
        for (const auto& c : d.curves)
            for (const auto& f : c.failures)
                if (f.work) work.add(*f.work);
    if (work.empty()) work = {1, 10};
    return logarithmic_axis(std::string(title(d.work)), work.low, work.high);
}

enum class place { file, page };

/// Names at the ends of curves are written by the script of a page; a file has its legend.
double room_for_names(const diagram& d)
{
    std::size_t longest = 5;
    for (const auto* curves : {&d.curves, &d.estimates})
        for (const auto& c : *curves) longest = std::max(longest, c.label.size());
    return 16 + 6.3 * static_cast<double>(std::min<std::size_t>(longest, 24));
}

bool is_on(const std::vector<std::optional<std::size_t>>& front, std::size_t at)
{
    return std::ranges::find(front, std::optional(at)) != front.end();
}

/// The points of the front; a missing one breaks the line.
std::vector<std::optional<std::pair<double, double>>> line_of(const diagram_curve& c)
{
    std::vector<std::optional<std::pair<double, double>>> line;
    for (const auto& at : front_of(c)) line.push_back(at ? std::optional(std::pair{c.points[*at]->digits, c.points[*at]->work}) : std::nullopt);
    return line;
}

/// Points that the line leaves out.
bool has_points_off(const diagram& d)
{
    return std::ranges::any_of(d.curves, [](const diagram_curve& c) {
        const auto front = front_of(c);
        for (std::size_t at = 0; at < c.points.size(); ++at)
            if (c.points[at] && !is_on(front, at)) return true;
        return false;
    });
}

std::string front_remark(const diagram& d)
{
    return has_points_off(d)
               ? " A line joins the runs of a solver that no other of its runs beats in both digits and work; those off the line are small "
                 "and pale."
               : "";
}

const char* how_known(const diagram& d) { return d.estimated ? "estimated" : "confirmed"; }

std::string tolerance_text(const run_record& r) { return "rtol " + cell_text(medium::text, column::rtol.of({.run = r, .name = ""})); }

drawing draw(const diagram& d, std::span<const run_record> records, std::size_t first_run, place where)
{
    const plot_axis x = precision_axis(d);
    const bool failures = std::ranges::any_of(d.curves, [](const diagram_curve& c) { return !c.failures.empty(); });
    const bool in_page = where == place::page;
    const double gutter = in_page && failures ? wide_gutter : narrow_gutter;
    drawing result{svg_plot(in_page ? plot_size{940, 480} : plot_size{640, 400}, x, work_axis(d), gutter, in_page ? room_for_names(d) : 0), {}};
    svg_plot& plot = result.plot;
    const auto& box = plot.box();
    const double failure_x = box.left - gutter + narrow_gutter / 2;
    plot.raw(fmt::format("<rect class=\"gutter\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", box.left - gutter + 3, box.top, gutter - 6,
                         box.bottom - box.top));
    if (in_page) plot.text(box.right - 10, box.bottom - 10, "better ↘", " class=\"note\" text-anchor=\"end\"");
    if (failures) plot.text(box.left - gutter / 2, box.top - 4, "failed", " class=\"note gl\" text-anchor=\"middle\"");
    if (shows_limit(d)) {
        plot.hatched(*d.limit, x.to, fmt::format("The reference solution is {} to this many digits only", how_known(d)));
        plot.raw(fmt::format("<path class=\"limit\" d=\"M{0:.1f} {1}V{2}\"/>", plot.x(*d.limit), box.top, box.bottom));
    }
    for (std::size_t k = 0; k < d.curves.size(); ++k) {
        const auto& c = d.curves[k];
        const curve_look look{c.look};
        const auto front = front_of(c);
        std::string markers;
        for (std::size_t at = 0; at < c.points.size(); ++at) {
            const auto& p = c.points[at];
            if (!p) continue;
            std::string kinds = p->beyond ? "beyond" : "";
            if (!is_on(front, at)) kinds += kinds.empty() ? "off" : " off";
            markers += svg_plot::marker(look, plot.x(p->digits), plot.y(p->work),
                                        fmt::format(" data-r=\"{}\"{}", p->run + first_run, kinds.empty() ? "" : fmt::format(" class=\"{}\"", kinds)),
                                        in_page ? tolerance_text(records[p->run]) : point_text(records[p->run])); // a page has the rest in its data
        }
        for (const auto& f : c.failures) {
            const double py = f.work ? std::clamp(plot.y(*f.work), box.top + 6, box.bottom - 6) : box.bottom - 6;
            markers += fmt::format("<use href=\"#{}\" x=\"{:.1f}\" y=\"{:.1f}\" class=\"fail\" data-r=\"{}\"><title>{}</title></use>",
                                   f.lied ? "ml" : "mx", failure_x, py, f.run + first_run, html_escaped(point_text(records[f.run])));
        }
        plot.raw(fmt::format("<g class=\"series {}\" data-s=\"{}\"><path class=\"line\" d=\"{}\"/>{}</g>", look.classes(), c.look,
                             plot.path(line_of(c)), markers));
        result.legend.push_back({c.label, look});
    }
    for (const auto& c : d.estimates) {
        const curve_look look{c.look};
        plot.raw(fmt::format("<g class=\"estimate c{}\" data-s=\"{}\"><title>{}</title><path class=\"line\" d=\"{}\"/></g>", look.color(), c.look,
                             html_escaped(c.label), plot.path(line_of(c))));
    }
    constexpr std::size_t characters = 70;
    constexpr double line_height = 16;
    const std::string why = d.empty_because.empty() ? "" : wrapped(d.empty_because, characters, 0);
    double at = (box.top + box.bottom) / 2 - line_height * static_cast<double>(std::ranges::count(why, '\n')) / 2;
    for (const auto& line : lines_of(why)) {
        plot.text((box.left + box.right) / 2, at, line, " class=\"note empty\" text-anchor=\"middle\"");
        at += line_height;
    }
    return result;
}

std::string caption_with(const diagram& d, std::span<const run_record> records, const std::string& marks)
{
    std::string text = fmt::format("Problem {}.", d.problem);
    if (!records.empty()) {
        const auto& r = records.front();
        text += fmt::format(" {}, {}.", r.machine.cpu, r.build.compiler);
    }
    return text + marks + " " + estimated_remark(d) + diagram_warning;
}

/// In the source for gnuplot failed runs are comments, and the limit is a dashed line.
std::string gnuplot_marks(const diagram& d)
{
    if (!d.empty_because.empty()) return " " + d.empty_because;
    const std::string front = front_remark(d);
    if (!shows_limit(d)) return front;
    return front + fmt::format(" Right of the dashed line: beyond the {:.1f} {} digits of the reference solution.", *d.limit, how_known(d));
}

/// As many entries beside each other as the width of the diagram has room for.
std::size_t legend_columns(const diagram& d)
{
    constexpr std::size_t characters = 64;
    constexpr std::size_t line_and_space = 7;
    std::size_t longest = 1;
    for (const auto& c : d.curves) longest = std::max(longest, c.label.size());
    return std::clamp<std::size_t>(characters / (longest + line_and_space), 1, 4);
}

bool has_points(const diagram_curve& c)
{
    return std::ranges::any_of(c.points, [](const auto& p) { return p.has_value(); });
}

/// None: nothing to estimate, or a work that more processors do not make less.
std::optional<diagram_curve> estimate_of(std::span<const run_record> records, const run_curve& c, const diagram_curve& measured, work_kind work)
{
    if (work != work_kind::cpu && work != work_kind::wall) return std::nullopt;
    diagram_curve estimate{c.label + ", 4 CPUs, estimated", measured.look, {}, {}};
    bool any = false;
    for (std::size_t k = 0; k < c.runs.size(); ++k) {
        const auto share = busiest_share(records[c.runs[k]]);
        estimate.points.push_back(share ? measured.points[k] : std::nullopt);
        if (!estimate.points.back()) continue;
        estimate.points.back()->work *= *share;
        any = true;
    }
    return any ? std::optional(std::move(estimate)) : std::nullopt;
}

} // namespace

curve_look look_of(const family_place& place, int variant)
{
    const int shades = static_cast<int>(family_shades);
    const int family = static_cast<int>(place.family);
    const int order = (family * 100 + place.number) * 64 + variant; // families, their solvers, variants of a solver
    return curve_look::of(order, static_cast<int>(plain_colors) + shades * family + place.number % shades, (place.number + 2 * family) % 9,
                          (place.number / shades + variant) % 3);
}

std::map<std::string, int> looks_of(std::span<const problem_runs> runs)
{
    std::map<std::string, std::string> solver_of; // by label
    std::vector<std::string> labels;              // in the order in which they appear
    for (const auto& p : runs)
        for (const auto& c : p.curves)
            if (solver_of.emplace(c.label, c.solver).second) labels.push_back(c.label);
    // A solver as it is comes before its variants.
    std::stable_partition(labels.begin(), labels.end(), [&](const std::string& label) { return solver_of.at(label) == label; });
    std::map<std::string, int> variants;
    std::map<std::string, int> strangers;
    std::map<std::string, int> looks;
    for (const auto& label : labels) {
        const std::string& solver = solver_of.at(label);
        family_place place = family_of_solver(solver);
        if (place.family == solver_family::outside) place.number = strangers.emplace(solver, static_cast<int>(strangers.size())).first->second;
        looks.emplace(label, look_of(place, variants[solver]++).number);
    }
    return looks;
}

std::string why_empty(std::span<const run_record> records, const problem_runs& runs, work_kind work, precision_kind precision)
{
    bool succeeded = false;
    bool precise = false;
    bool other = false; // in the other measure at the end point
    for (const auto& c : runs.curves)
        for (const std::size_t k : c.runs) {
            const auto& r = records[k];
            if (r.outcome != outcome::success) continue;
            succeeded = true;
            const bool has_digits = precision_of(r, precision).has_value();
            if (has_digits && work_of(r, work)) return "";
            precise = precise || has_digits;
            other = other || precision_of(r, precision == precision_kind::scd ? precision_kind::mescd : precision_kind::scd);
        }
    if (!succeeded) return "No run succeeded, so none has a precision. The reasons are with the failed runs.";
    if (precise)
        return fmt::format("No run that succeeded has this work ({}). Choose another work with 'ivp wp --work': cpu, wall, f, lu.", title(work));
    if (is_along_path(precision))
        return fmt::format("No run has digits along the path. 'ivp wp --precision {}' measures them, for solvers that have an interpolant.",
                           label(precision));
    if (other)
        return fmt::format("No run has digits in this measure ({}). 'ivp wp --precision {}' draws the other one.", label(precision),
                           label(precision == precision_kind::scd ? precision_kind::mescd : precision_kind::scd));
    return "No run has digits: there is no reference solution for these parameters and this end point. 'ivp reference --make' derives one (a plug-in "
           "can also supply it); 'ivp wp --precision path' compares with a tight run.";
}

diagram diagram_of(std::span<const run_record> records, const problem_runs& runs, const std::map<std::string, int>& looks, work_kind work,
                   precision_kind precision, const std::optional<digits_in_reach>& reach)
{
    diagram d;
    d.problem = runs.problem;
    d.title = runs.problem + (runs.variant.empty() ? "" : " with " + runs.variant);
    d.work = work;
    d.precision = precision;
    if (reach) d.limit = limit_of(*reach, precision);
    d.estimated = reach && is_estimated(*reach, precision);
    for (const auto& c : runs.curves) {
        diagram_curve curve;
        curve.label = c.label;
        curve.look = looks.at(c.label);
        const auto points = points_of(records, c, work, precision);
        for (std::size_t k = 0; k < points.size(); ++k) {
            const auto& r = records[c.runs[k]];
            if (!points[k]) {
                curve.points.emplace_back();
                if (r.outcome != outcome::success) curve.failures.push_back({work_of(r, work), c.runs[k], r.outcome == outcome::wrong_answer});
                continue;
            }
            const bool beyond = d.limit && points[k]->digits > *d.limit;
            curve.points.emplace_back(diagram_point{beyond ? *d.limit : points[k]->digits, points[k]->work, c.runs[k], beyond});
        }
        if (auto estimate = estimate_of(records, c, curve, work)) d.estimates.push_back(std::move(*estimate));
        d.curves.push_back(std::move(curve));
    }
    d.empty_because = why_empty(records, runs, work, precision);
    return d;
}

std::vector<std::optional<std::size_t>> front_of(const diagram_curve& c)
{
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < c.points.size(); ++k)
        if (c.points[k]) order.push_back(k);
    std::ranges::stable_sort(order, [&c](std::size_t a, std::size_t b) {
        const auto& p = *c.points[a];
        const auto& q = *c.points[b];
        return p.digits != q.digits ? p.digits > q.digits : p.work < q.work;
    });
    std::vector<std::size_t> front; // from the most digits
    for (const std::size_t k : order)
        if (front.empty() || c.points[k]->work < c.points[front.back()]->work) front.push_back(k);
    std::vector<std::optional<std::size_t>> line;
    for (auto at = front.rbegin(); at != front.rend(); ++at) {
        if (!line.empty()) {
            const auto [first, last] = std::minmax(*line.back(), *at);
            for (std::size_t k = first + 1; k < last; ++k)
                if (!c.points[k]) {
                    line.emplace_back();
                    break;
                }
        }
        line.emplace_back(*at);
    }
    return line;
}

std::string estimated_remark(const diagram& d)
{
    const bool nothing_to_say = !d.estimated || is_along_path(d.precision) || !d.empty_because.empty();
    return nothing_to_say ? "" : "The digits are compared with an estimated reference. ";
}

bool shows_limit(const diagram& d) { return d.limit && *d.limit < precision_axis(d).to; }

std::string point_text(const run_record& r)
{
    const run_row row{.run = r, .name = r.full_solver()};
    const auto text_of = [&row](const run_column& c) { return cell_text(medium::text, c.of(row)); };
    std::string text = fmt::format("{}, rtol {}", r.full_solver(), text_of(column::rtol));
    if (r.threads > 1) text += fmt::format(", {} threads", r.threads);
    if (r.outcome != outcome::success) return fmt::format("{}: {}. {}", text, label(r.outcome), r.message);
    const auto digits = [&](const run_column& c) { return c.of(row).value ? text_of(c) : std::string("unknown"); };
    return fmt::format("{}: mescd {}, scd {}, {} s, {} f, {} LU", text, digits(column::mescd), digits(column::scd), text_of(column::cpu),
                       text_of(column::f), text_of(column::factorisations));
}

std::string diagram_svg_file(const diagram& d, std::span<const run_record> records)
{
    const drawing drawn = draw(d, records, 0, place::file);
    return drawn.plot.file(fmt::format("Work and precision: {}", d.title), diagram_caption(d, records), drawn.legend);
}

std::string diagram_svg_element(const diagram& d, std::span<const run_record> records, std::size_t first_run)
{
    constexpr std::size_t many = 12; // points of a curve: with smaller marks the lines stay visible
    const bool dense = std::ranges::any_of(d.curves, [](const diagram_curve& c) { return c.points.size() > many; });
    const drawing drawn = draw(d, records, first_run, place::page);
    return drawn.plot.element(fmt::format(" data-plot=\"wp\" data-work=\"{}\" data-precision=\"{}\"{}{} tabindex=\"0\"", label(d.work),
                                          label(d.precision), d.limit ? fmt::format(" data-limit=\"{:.6g}\"", *d.limit) : "",
                                          dense ? " style=\"--mark:.65\"" : ""),
                              fmt::format("{} against {} for {}, {} curves", title(d.work), title(d.precision), d.title, d.curves.size()));
}

std::string diagram_gnuplot(const diagram& d, std::span<const run_record> records, std::string_view picture_name)
{
    std::string picture = std::string(picture_name) + ".svg";
    if (picture.starts_with('|')) picture.insert(0, "./"); // to gnuplot a bar is the beginning of a command
    std::string text = fmt::format(
        "# {}\n# {}\n\n",
        comment_text(fmt::format("Work and precision: {}. Draw it with: gnuplot {}", d.title, shell_word(std::string(picture_name) + ".gp"))),
        wrapped(comment_text(caption_with(d, records, gnuplot_marks(d))), 100, 0));
    for (auto end = text.find('\n'); end != std::string::npos && end + 1 < text.size(); end = text.find('\n', end + 1))
        if (text[end + 1] != '#' && text[end + 1] != '\n') text.insert(end + 1, "# "); // the caption's further lines are comments too
    text += fmt::format("set terminal svg size 800,500 font 'Helvetica,13' background 'white'\nset output {}\nset title {} noenhanced\n"
                        "set xlabel {}\nset ylabel {}\nset logscale y\nset format y '10^{{%T}}'\nset grid\nset key outside right top noenhanced\n",
                        gnuplot_quoted(picture), gnuplot_quoted(d.title), gnuplot_quoted(title(d.precision)), gnuplot_quoted(title(d.work)));
    if (d.limit)
        text += fmt::format("set arrow from {0:.4g}, graph 0 to {0:.4g}, graph 1 nohead dashtype 2 linecolor 'gray'  # {1} digits of the reference\n",
                            *d.limit, how_known(d));
    text += "\n";
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < d.curves.size(); ++k) {
        const auto& c = d.curves[k];
        const auto row = [&](const diagram_point& p) {
            return fmt::format("{:.6g} {:.6g} {:.3g}\n", p.digits, p.work, records[p.run].ladder_rtol());
        };
        const auto front = front_of(c);
        std::string rows;
        for (const auto& at : front) rows += at ? row(*c.points[*at]) : "\n";
        std::string others; // behind two empty lines: a part of its own
        for (std::size_t at = 0; at < c.points.size(); ++at)
            if (c.points[at] && !is_on(front, at)) others += row(*c.points[at]);
        if (!others.empty()) rows += "\n\n# not on the line\n" + others;
        for (const auto& f : c.failures) rows += fmt::format("# {}\n", comment_text(point_text(records[f.run])));
        text += fmt::format("$curve{} << EOD\n# {}: digits, work, rtol\n{}EOD\n", k, comment_text(c.label), rows);
        const curve_look look{c.look};
        const char* const color = palette[static_cast<std::size_t>(look.color())].light;
        if (has_points(c))
            parts.push_back(fmt::format("$curve{} index 0 using 1:2 with linespoints linecolor '{}' dashtype {} pointtype {} title {}", k, color,
                                        look.dash() + 1, look.shape() + 4, gnuplot_quoted(c.label)));
        if (!others.empty())
            parts.push_back(
                fmt::format("$curve{} index 1 using 1:2 with points linecolor '{}' pointtype {} pointsize 0.4 notitle", k, color, look.shape() + 4));
    }
    for (std::size_t k = 0; k < d.estimates.size(); ++k) {
        const auto& c = d.estimates[k];
        std::string rows;
        for (const auto& at : front_of(c))
            rows += at ? fmt::format("{:.6g} {:.6g} {:.3g}\n", c.points[*at]->digits, c.points[*at]->work, records[c.points[*at]->run].ladder_rtol())
                       : "\n";
        text += fmt::format("$estimate{} << EOD\n# {}: digits, work, rtol\n{}EOD\n", k, comment_text(c.label), rows);
        parts.push_back(fmt::format("$estimate{} using 1:2 with lines linecolor '{}' dashtype 3 title {}", k,
                                    palette[static_cast<std::size_t>(curve_look{c.look}.color())].light, gnuplot_quoted(c.label)));
    }
    return text + "\nplot " + (parts.empty() ? "NaN notitle" : joined(parts, ", \\\n     ")) + "\n";
}

std::string diagram_marks(const diagram& d)
{
    std::string text = front_remark(d);
    if (std::ranges::any_of(d.curves, [](const diagram_curve& c) { return !c.failures.empty(); }))
        text += " Crosses at the left edge: failed runs; triangles: success claimed with a wrong answer.";
    if (!d.estimates.empty())
        text += " Dotted, without marks: not measured, but estimated from the share of the work that the busiest of four processors would do.";
    if (!d.empty_because.empty()) text += " " + d.empty_because;
    if (shows_limit(d)) text += fmt::format(" Hatched: beyond the {:.1f} {} digits of the reference solution.", *d.limit, how_known(d));
    return text;
}

std::string diagram_caption(const diagram& d, std::span<const run_record> records) { return caption_with(d, records, diagram_marks(d)); }

std::string diagram_tikz(const diagram& d, std::span<const run_record> records)
{
    static constexpr std::array<const char*, 9> marks{"*",
                                                      "square*",
                                                      "triangle*",
                                                      "diamond*",
                                                      "triangle*, every mark/.append style={rotate=180}",
                                                      "+",
                                                      "star",
                                                      "pentagon*",
                                                      "triangle*, every mark/.append style={rotate=-90}"};
    static constexpr std::array<const char*, 3> dashes{"solid", "dashed", "dotted"};
    const plot_axis x = precision_axis(d);
    const plot_axis y = work_axis(d);
    const bool failures = std::ranges::any_of(d.curves, [](const diagram_curve& c) { return !c.failures.empty(); });
    const double band = failures ? 0.06 * (x.to - x.from) : 0; // at the left, for runs that failed
    std::string text;
    std::set<int> colors;
    for (const auto& c : d.curves) colors.insert(curve_look{c.look}.color());
    for (const int k : colors) text += fmt::format("\\definecolor{{ivp{}}}{{HTML}}{{{}}}%\n", k, palette[static_cast<std::size_t>(k)].tex);
    text += fmt::format(
        "\\begin{{tikzpicture}}\n\\begin{{semilogyaxis}}[width=12cm, height=8.5cm, title={{{}}}, xlabel={{{}}}, ylabel={{{}}},\n"
        "  xmin={:.6g}, xmax={:.6g}, ymin={:.6g}, ymax={:.6g}, grid=major, major grid style={{black!12}}, axis on top=false, mark size=1.7pt,\n"
        "  legend columns={}, legend cell align=left, legend style={{at={{(0.5,-0.19)}}, anchor=north, draw=none, font=\\footnotesize,\n"
        "  /tikz/every even column/.append style={{column sep=8pt}}}}]\n",
        tex_escaped(d.title), tex_escaped(title(d.precision)), tex_escaped(title(d.work)), x.from - band, x.to, y.from, y.to, legend_columns(d));
    const auto zone = [](double from, double to, const char* style) {
        return fmt::format("\\path[{}] ({{axis cs:{:.6g},1}}|-{{rel axis cs:0,0}}) rectangle ({{axis cs:{:.6g},1}}|-{{rel axis cs:0,1}});\n", style,
                           from, to);
    };
    if (failures) text += zone(x.from - band, x.from, "fill=black!6");
    if (shows_limit(d)) {
        text += zone(*d.limit, x.to, "pattern=north east lines, pattern color=black!20");
        text += fmt::format("\\draw[dashed, gray] ({{axis cs:{0:.6g},1}}|-{{rel axis cs:0,0}}) -- ({{axis cs:{0:.6g},1}}|-{{rel axis cs:0,1}});\n",
                            *d.limit);
    }
    for (const auto& c : d.curves) {
        const curve_look look{c.look};
        const char* const mark = marks[static_cast<std::size_t>(look.shape())];
        if (has_points(c)) {
            const auto front = front_of(c);
            text += fmt::format("\\addplot[ivp{}, {}, mark={}, every mark/.append style={{solid}}, unbounded coords=jump] coordinates {{\n",
                                look.color(), dashes[static_cast<std::size_t>(look.dash())], mark);
            std::string beyond;
            std::string others;
            for (const auto& at : front)
                text += at ? fmt::format("  ({:.6g}, {:.6g})\n", c.points[*at]->digits, c.points[*at]->work) : "  (nan, nan)\n";
            for (std::size_t at = 0; at < c.points.size(); ++at) {
                if (!c.points[at]) continue;
                const std::string point = fmt::format(" ({:.6g}, {:.6g})", c.points[at]->digits, c.points[at]->work);
                if (!is_on(front, at))
                    others += point;
                else if (c.points[at]->beyond)
                    beyond += point;
            }
            text += fmt::format("}};\n\\addlegendentry{{{}}}\n", tex_escaped(c.label));
            if (!others.empty())
                text += fmt::format("\\addplot[ivp{}, only marks, mark={}, mark size=0.8pt, opacity=0.5, forget plot] coordinates {{{}}};\n",
                                    look.color(), mark, others);
            if (!beyond.empty())
                text +=
                    fmt::format("\\addplot[ivp{}, only marks, mark={}, every mark/.append style={{fill=white}}, forget plot] coordinates {{{}}};\n",
                                look.color(), mark, beyond);
        } else if (!c.failures.empty()) {
            text += fmt::format("\\addlegendimage{{ivp{}, only marks, mark=x}}\n\\addlegendentry{{{}}}\n", look.color(), tex_escaped(c.label));
        }
        for (const auto& f : c.failures)
            text += fmt::format("\\addplot[ivp{}, only marks, mark={}, mark size=2.4pt, forget plot] coordinates {{({:.6g}, {:.6g})}};{}\n",
                                look.color(), f.lied ? "triangle" : "x", x.from - band / 2, std::clamp(f.work.value_or(y.from), y.from, y.to),
                                " " + tex::comment(point_text(records[f.run])));
    }
    for (const auto& c : d.estimates) {
        text += fmt::format("\\addplot[ivp{}, densely dotted, thick, mark=none, unbounded coords=jump] coordinates {{\n", curve_look{c.look}.color());
        for (const auto& at : front_of(c))
            text += at ? fmt::format("  ({:.6g}, {:.6g})\n", c.points[*at]->digits, c.points[*at]->work) : "  (nan, nan)\n";
        text += fmt::format("}};\n\\addlegendentry{{{}}}\n", tex_escaped(c.label));
    }
    return text + "\\end{semilogyaxis}\n\\end{tikzpicture}%\n";
}

std::string diagram_pgfplots(const diagram& d, std::span<const run_record> records)
{
    return fmt::format("{}\n\\documentclass{{article}}\n\\usepackage[margin=20mm]{{geometry}}\n\\usepackage{{amsmath,amssymb,pgfplots}}\n"
                       "\\usetikzlibrary{{patterns}}\n\\pgfplotsset{{compat=1.16}}\n\\begin{{document}}\n\\thispagestyle{{empty}}\n\\noindent\n{}\n"
                       "\\medskip\\noindent\\small {}\n\\end{{document}}\n",
                       tex::comment(fmt::format("Work and precision: {}. Compile with: pdflatex", d.title)), diagram_tikz(d, records),
                       tex_escaped(diagram_caption(d, records)));
}

} // namespace ivp
