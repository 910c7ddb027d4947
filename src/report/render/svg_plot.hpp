// Drawing in SVG: a frame with axes, curves with markers, hatched zones. In a page the style sheet colours it and the script can zoom it; as a file
// of its own it brings colours and a legend along.
#ifndef IVP_SRC_REPORT_RENDER_SVG_PLOT_HPP
#define IVP_SRC_REPORT_RENDER_SVG_PLOT_HPP

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ivp {

struct plot_axis {
    std::string title;
    double from = 0;
    double to = 1;
    bool logarithmic = false; ///< from and to are then the values themselves, above zero
};

struct plot_size {
    double width = 640;
    double height = 400;
};

/// Where text goes and curves are drawn, in pixels.
struct plot_box {
    double left, top, right, bottom;
};

/// Colour, shape and dashes of a curve, packed into one number by which curves are also told apart and put in order.
struct curve_look {
    int number = 0;
    [[nodiscard]] static constexpr curve_look of(int order, int color, int shape, int dash) { return {order << 12 | color << 6 | shape << 2 | dash}; }
    /// For what is not a solver: seven colours that everybody can tell apart, nine shapes; the same look comes again after 63.
    [[nodiscard]] static constexpr curve_look plain(int k) { return of(k, k % 7, k % 9, k / 7 % 3); }
    [[nodiscard]] int color() const { return number >> 6 & 63; }
    [[nodiscard]] int shape() const { return number >> 2 & 15; }
    [[nodiscard]] int dash() const { return number & 3; }
    [[nodiscard]] std::string classes() const; ///< of the style sheet
};

/// A range with a little room that ends at round numbers.
plot_axis linear_axis(std::string title, double low, double high);
/// Whole powers of ten.
plot_axis logarithmic_axis(std::string title, double low, double high);

class svg_plot {
public:
    svg_plot(plot_size size, plot_axis x, plot_axis y, double left_gutter = 0, double right_room = 0);

    [[nodiscard]] double x(double value) const;
    [[nodiscard]] double y(double value) const;
    [[nodiscard]] const plot_box& box() const { return box_; }

    /// Anything, in pixels, under (or over) what was drawn before.
    void raw(const std::string& element) { body_ += element; }
    void hatched(double from_x, double to_x, std::string_view title);
    /// A curve through the points; a missing one breaks it.
    [[nodiscard]] std::string path(const std::vector<std::optional<std::pair<double, double>>>& points) const;
    [[nodiscard]] static std::string marker(curve_look look, double px, double py, std::string_view attributes, std::string_view title);
    void text(double px, double py, std::string_view words, std::string_view attributes);

    /// The element <svg>. `attributes` are added to it; `description` is what a screen reader says.
    [[nodiscard]] std::string element(std::string_view attributes, std::string_view description) const;
    /// A whole file with a legend at the right.
    struct legend_entry {
        std::string label;
        curve_look look;
    };
    [[nodiscard]] std::string file(std::string_view title, std::string_view caption, const std::vector<legend_entry>& legend) const;

private:
    [[nodiscard]] std::string axes() const;
    [[nodiscard]] std::string frame_and_body() const;

    plot_size size_;
    plot_axis x_;
    plot_axis y_;
    double left_; ///< margin that titles and the widest label of the vertical axis take
    plot_box box_;
    std::string body_;
};

/// Markers and the pattern of hatched zones: once in a page or file.
std::string svg_definitions();

/// A number of an axis: 0.25, 10⁻³.
std::string tick_text(double value, bool logarithmic);

/// As a figure of a page.
std::string figure(const svg_plot& plot, std::string_view caption);

} // namespace ivp

#endif
