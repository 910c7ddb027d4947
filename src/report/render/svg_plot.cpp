#include "svg_plot.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace ivp {

namespace {

constexpr double top_margin = 14;
constexpr double least_right_margin = 16;
constexpr double bottom_margin = 46;
constexpr double least_left_margin = 48;
constexpr double y_title_width = 16;
constexpr double tick_gap = 7; // between a label and its axis

std::string pixels(double v)
{
    std::string text = fmt::format("{:.1f}", v);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text == "-0" ? "0" : text;
}

std::string superscript(int n)
{
    static constexpr std::array<const char*, 10> digit{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = n < 0 ? "⁻" : "";
    for (const char c : std::to_string(std::abs(n))) text += digit[static_cast<std::size_t>(c - '0')];
    return text;
}

/// 1, 2 or 5 times a power of ten, so that about `count` fit into the range.
double round_step(double range, int count)
{
    const double raw = range / count;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (raw <= factor * power * (1 + 1e-9)) return factor * power;
    return 10 * power;
}

// The script of the page has the same rule, for zoomed axes.
std::vector<double> ticks_of(const plot_axis& a)
{
    std::vector<double> ticks;
    if (a.logarithmic) {
        const double decades = std::log10(a.to / a.from);
        const int first = static_cast<int>(std::floor(std::log10(a.from) + 1e-9));
        const int last = static_cast<int>(std::floor(std::log10(a.to) + 1e-9));
        const int step = std::max(1, (last - first + 7) / 8);
        for (int k = first; k <= last; k += step)
            for (const double factor : {1.0, 2.0, 5.0}) {
                if (factor > 1 && decades > 2.5) break;
                const double v = factor * std::pow(10.0, k);
                if (v >= a.from * (1 - 1e-9) && v <= a.to * (1 + 1e-9)) ticks.push_back(v);
            }
        return ticks;
    }
    const double step = round_step(a.to - a.from, 8);
    const double first = std::ceil(a.from / step - 1e-9);
    for (int k = 0; (first + k) * step <= a.to + 1e-9 * step; ++k) ticks.push_back((first + k) * step);
    return ticks;
}

/// Width of a label in a usual font, on the safe side: digits of 11.5 pixels are 6.4 wide, superscripts and points narrower.
double label_width(std::string_view text)
{
    double width = 0;
    for (const char c : text)
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) width += c == '.' || c == '-' ? 4.5 : 7;
    return width;
}

double left_margin(const plot_axis& y)
{
    double widest = 0;
    for (const double v : ticks_of(y)) widest = std::max(widest, label_width(tick_text(v, y.logarithmic)));
    return std::max(least_left_margin, widest + tick_gap + 4) + (y.title.empty() ? 0 : y_title_width);
}

double place(const plot_axis& a, double value)
{
    if (a.logarithmic) return (std::log10(value) - std::log10(a.from)) / (std::log10(a.to) - std::log10(a.from));
    return (value - a.from) / (a.to - a.from);
}

/// Room for the half of the last label that stands beyond the right end of its axis, in a plot that is `width` wide.
double right_margin(const plot_axis& x, double width)
{
    double margin = least_right_margin;
    for (const double v : ticks_of(x)) margin = std::max(margin, label_width(tick_text(v, x.logarithmic)) / 2 + 2 - (1 - place(x, v)) * 0.8 * width);
    return margin;
}

/// Shapes around the origin, about ten pixels wide.
constexpr std::array<const char*, 9> shapes{
    "<circle r=\"4\"/>",
    "<path d=\"M-3.6-3.6h7.2v7.2h-7.2z\"/>",
    "<path d=\"M0-4.8L4.4 3.2h-8.8z\"/>",
    "<path d=\"M0-5L4.4 0 0 5-4.4 0z\"/>",
    "<path d=\"M0 4.8L4.4-3.2h-8.8z\"/>",
    "<path d=\"M-1.4-4.6h2.8v3.2h3.2v2.8h-3.2v3.2h-2.8v-3.2h-3.2v-2.8h3.2z\"/>",
    "<path d=\"M0-5l1.5 3.1 3.4.4-2.5 2.3.7 3.4L0 2.6l-3.1 1.6.7-3.4-2.5-2.3 3.4-.4z\"/>",
    "<path d=\"M-4.8 0L-2.4-4.2h4.8L4.8 0 2.4 4.2h-4.8z\"/>",
    "<path d=\"M4.8 0L-3.2 4.4v-8.8z\"/>",
};

} // namespace

std::string curve_look::classes() const { return fmt::format("c{}{}", color(), dash() == 0 ? "" : fmt::format(" d{}", dash())); }

std::string tick_text(double value, bool logarithmic)
{
    if (logarithmic) {
        const int power = static_cast<int>(std::floor(std::log10(value) + 1e-9));
        const auto factor = std::lround(value / std::pow(10.0, power));
        if (power >= 0 && power <= 2) return std::to_string(factor) + std::string(static_cast<std::size_t>(power), '0');
        return (factor == 1 ? "" : std::to_string(factor) + "·") + "10" + superscript(power);
    }
    if (value == 0) return "0"; // ticks are whole multiples of a step
    std::string text = fmt::format("{:.6g}", value);
    if (text.starts_with('-')) text = "−" + text.substr(1);
    const auto e = text.find('e');
    if (e == std::string::npos) return text;
    const std::string mantissa = text.substr(0, e);
    return (mantissa == "1" ? "" : mantissa == "−1" ? "−" : mantissa + "·") + "10" + superscript(std::stoi(text.substr(e + 1)));
}

plot_axis linear_axis(std::string title, double low, double high)
{
    // What differs by less than the digits of a label can show is constant.
    constexpr double least = 1e-4;
    if (!(high - low > least * std::max(std::abs(low), std::abs(high)))) {
        const double room = low == 0 ? 1 : std::abs(low) * 0.1;
        low -= room;
        high += room;
    }
    const double step = round_step(high - low, 8);
    return {std::move(title), std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, false};
}

plot_axis logarithmic_axis(std::string title, double low, double high)
{
    // Down and up to 1, 2 or 5 times a power of ten.
    const auto power_below = [](double v) { return std::pow(10.0, std::floor(std::log10(v) + 1e-9)); };
    const auto below = [&](double v) {
        const double power = power_below(v);
        return power * (v >= 5 * power * (1 - 1e-9) ? 5 : v >= 2 * power * (1 - 1e-9) ? 2 : 1);
    };
    const auto above = [&](double v) {
        const double power = power_below(v);
        return power * (v <= power * (1 + 1e-9) ? 1 : v <= 2 * power * (1 + 1e-9) ? 2 : v <= 5 * power * (1 + 1e-9) ? 5 : 10);
    };
    double from = below(low);
    double to = above(high);
    if (to < 10 * from) { // at least a decade
        from = power_below(from);
        to = std::max(to, 10 * from);
    }
    return {std::move(title), from, to, true};
}

svg_plot::svg_plot(plot_size size, plot_axis x, plot_axis y, double left_gutter, double right_room)
    : size_(size),
      x_(std::move(x)),
      y_(std::move(y)),
      left_(left_margin(y_)),
      box_{left_ + left_gutter, top_margin, size.width - right_margin(x_, size.width) - right_room,
           size.height - (x_.title.empty() ? 26 : bottom_margin)}
{}

double svg_plot::x(double value) const { return box_.left + place(x_, value) * (box_.right - box_.left); }
double svg_plot::y(double value) const { return box_.bottom - place(y_, value) * (box_.bottom - box_.top); }

void svg_plot::hatched(double from_x, double to_x, std::string_view title)
{
    const double left = std::clamp(x(from_x), box_.left, box_.right);
    const double right = std::clamp(x(to_x), box_.left, box_.right);
    if (right <= left) return;
    body_ += fmt::format("<rect class=\"zone\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>", pixels(left), pixels(box_.top),
                         pixels(right - left), pixels(box_.bottom - box_.top), html_escaped(title));
}

std::string svg_plot::path(const std::vector<std::optional<std::pair<double, double>>>& points) const
{
    std::string d;
    bool pen_down = false;
    for (const auto& p : points) {
        if (p) d += fmt::format("{}{} {}", pen_down ? "L" : "M", pixels(x(p->first)), pixels(y(p->second)));
        pen_down = p.has_value();
    }
    return d;
}

std::string svg_plot::marker(curve_look look, double px, double py, std::string_view attributes, std::string_view title)
{
    return fmt::format("<use href=\"#m{}\" x=\"{}\" y=\"{}\"{}>{}</use>", look.shape(), pixels(px), pixels(py), attributes,
                       title.empty() ? "" : "<title>" + html_escaped(title) + "</title>");
}

void svg_plot::text(double px, double py, std::string_view words, std::string_view attributes)
{
    body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>", pixels(px), pixels(py), attributes, html_escaped(words));
}

std::string svg_plot::axes() const
{
    std::string grid;
    std::string labels;
    for (const double v : ticks_of(x_)) {
        grid += fmt::format("M{0} {1}V{2}", pixels(x(v)), pixels(box_.top), pixels(box_.bottom));
        labels += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", pixels(x(v)), pixels(box_.bottom + 17), tick_text(v, x_.logarithmic));
    }
    for (const double v : ticks_of(y_)) {
        grid += fmt::format("M{0} {1}H{2}", pixels(box_.left), pixels(y(v)), pixels(box_.right));
        labels +=
            fmt::format("<text class=\"yt\" x=\"{}\" y=\"{}\">{}</text>", pixels(left_ - tick_gap), pixels(y(v) + 4), tick_text(v, y_.logarithmic));
    }
    std::string text = fmt::format("<g class=\"axes\"><path class=\"grid\" d=\"{}\"/><g class=\"ticks\">{}</g></g>", grid, labels);
    if (!x_.title.empty())
        text += fmt::format("<text class=\"title xt\" x=\"{}\" y=\"{}\">{}</text>", pixels((box_.left + box_.right) / 2), pixels(size_.height - 8),
                            html_escaped(x_.title));
    if (!y_.title.empty())
        text += fmt::format("<text class=\"title ytt\" transform=\"translate(15 {}) rotate(-90)\">{}</text>", pixels((box_.top + box_.bottom) / 2),
                            html_escaped(y_.title));
    return text;
}

std::string svg_plot::frame_and_body() const
{
    return axes() +
           fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", pixels(box_.left), pixels(box_.top),
                       pixels(box_.right - box_.left), pixels(box_.bottom - box_.top)) +
           body_;
}

std::string svg_plot::element(std::string_view attributes, std::string_view description) const
{
    const auto range = [](const plot_axis& a) { return fmt::format("{} {:.12g} {:.12g}", a.logarithmic ? "log" : "lin", a.from, a.to); };
    return fmt::format(
        "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" data-box=\"{} {} {} {}\" data-x=\"{}\" data-y=\"{}\"{}>"
        "{}</svg>",
        pixels(size_.width), pixels(size_.height), html_escaped(description), pixels(box_.left), pixels(box_.top), pixels(box_.right),
        pixels(box_.bottom), range(x_), range(y_), attributes, frame_and_body());
}

std::string svg_plot::file(std::string_view title, std::string_view caption, const std::vector<legend_entry>& legend) const
{
    constexpr double legend_line = 19;
    std::size_t longest = 0;
    for (const auto& e : legend) longest = std::max(longest, e.label.size());
    const double legend_width = legend.empty() ? 0 : 50 + 7.2 * static_cast<double>(longest);
    const double width = size_.width + legend_width;
    constexpr double head = 30;
    const double body_height = std::max(size_.height, top_margin + 10 + legend_line * static_cast<double>(legend.size()));
    // About 6 pixels a character: the caption fills the width.
    const std::string wrapped_caption = wrapped(caption, static_cast<std::size_t>((width - 30) / 5.6), 0);
    std::string lines;
    double caption_height = 10;
    std::size_t begin = 0;
    while (begin < wrapped_caption.size()) {
        const auto end = std::min(wrapped_caption.find('\n', begin), wrapped_caption.size());
        lines += fmt::format("<text class=\"caption\" x=\"15\" y=\"{}\">{}</text>", pixels(head + body_height + caption_height + 6),
                             html_escaped(wrapped_caption.substr(begin, end - begin)));
        caption_height += 15;
        begin = end + 1;
    }
    const double height = head + body_height + caption_height + 6;

    std::string colors;
    for (std::size_t k = 0; k < palette.size(); ++k) colors += fmt::format(".c{}{{color:{}}}", k, palette[k].light);
    std::string svg =
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
                    "aria-label=\"{2}\">\n<style>{3}{4}</style>\n"
                    "{5}\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n<text class=\"head\" x=\"15\" y=\"21\">{2}</text>\n<g "
                    "transform=\"translate(0 {6})\">{7}</g>\n",
                    pixels(width), pixels(height), html_escaped(title), svg_file_style, colors, svg_definitions(), pixels(head), frame_and_body());
    double at = head + top_margin + 8;
    for (const auto& e : legend) {
        svg += fmt::format(
            "<g class=\"series {}\"><path class=\"line\" d=\"M{} {}h26\"/><use href=\"#m{}\" x=\"{}\" y=\"{}\"/></g><text class=\"legend\" "
            "x=\"{}\" y=\"{}\">{}</text>\n",
            e.look.classes(), pixels(size_.width), pixels(at), e.look.shape(), pixels(size_.width + 13), pixels(at), pixels(size_.width + 33),
            pixels(at + 4), html_escaped(e.label));
        at += legend_line;
    }
    return svg + lines + "\n</svg>\n";
}

std::string svg_definitions()
{
    std::string text = "<defs>";
    for (std::size_t k = 0; k < shapes.size(); ++k) text += fmt::format("<g id=\"m{}\" class=\"m\">{}</g>", k, shapes[k]);
    text += "<g id=\"mx\" class=\"mx\"><path d=\"M-4-4L4 4M4-4L-4 4\"/></g>"
            "<g id=\"ml\" class=\"ml\"><path d=\"M0-6L6.4 5h-12.8z\"/><path class=\"bang\" d=\"M0-2.4V1.6M0 2.9V3.7\"/></g>"
            "<pattern id=\"hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path class=\"hl\" "
            "d=\"M0 0V7\"/></pattern></defs>";
    return text;
}

std::string figure(const svg_plot& plot, std::string_view caption)
{
    return fmt::format("<figure><div class=\"canvas\">{}</div><figcaption>{}</figcaption></figure>\n", plot.element("", caption), caption);
}

} // namespace ivp
