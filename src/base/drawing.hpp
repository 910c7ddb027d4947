// A drawing of lines, circles and words that becomes SVG or TikZ: schematics and graphs. Coordinates in pixels, y downwards.
#ifndef IVP_SRC_BASE_DRAWING_HPP
#define IVP_SRC_BASE_DRAWING_HPP

#include <string>
#include <string_view>
#include <vector>

namespace ivp {

struct drawn_point {
    double x = 0;
    double y = 0;
    friend drawn_point operator+(drawn_point a, drawn_point b) { return {a.x + b.x, a.y + b.y}; }
    friend drawn_point operator-(drawn_point a, drawn_point b) { return {a.x - b.x, a.y - b.y}; }
    friend drawn_point operator*(double s, drawn_point a) { return {s * a.x, s * a.y}; }
};

/// The unit vector from a to b; (1, 0) if they are the same.
drawn_point direction(drawn_point a, drawn_point b);
/// A quarter turn, on the screen to the right of who walks along v.
constexpr drawn_point turned(drawn_point v) { return {-v.y, v.x}; }

enum class ink { plain, bold, quiet, dashed, accent };
enum class fill { none, paper, shade, solid };
enum class anchor { start, middle, end };

class drawing {
public:
    drawing(double width, double height) : width_(width), height_(height) {}

    drawing& line(std::vector<drawn_point> points, ink pen = ink::plain);
    drawing& polygon(std::vector<drawn_point> points, ink pen = ink::plain, fill inside = fill::none);
    drawing& circle(drawn_point centre, double radius, ink pen = ink::plain, fill inside = fill::none);
    /// A quadratic curve.
    drawing& curve(drawn_point from, drawn_point control, drawn_point to, ink pen = ink::plain);
    /// The head of an arrow at `tip`, coming from `from`.
    drawing& head(drawn_point from, drawn_point tip, ink pen = ink::plain);
    drawing& arrow(drawn_point from, drawn_point tip, ink pen = ink::plain);
    drawing& curved_arrow(drawn_point from, drawn_point control, drawn_point tip, ink pen = ink::plain);
    /// `at` is on the base line.
    drawing& text(drawn_point at, std::string_view words, anchor where = anchor::middle, ink pen = ink::plain);
    /// The same; what follows a '_', up to a space, a comma, a bracket or a prime, is lowered.
    drawing& symbol(drawn_point at, std::string_view words, anchor where = anchor::middle, ink pen = ink::plain);

    /// Makes the frame as large as what is drawn, with a small margin: words are never cut off, and no room is empty.
    drawing& fit();

    /// An element inside a page, in the colours of its style sheet.
    [[nodiscard]] std::string svg_element(std::string_view title) const;
    /// A file of its own, black on white.
    [[nodiscard]] std::string svg_file(std::string_view title) const;
    /// A tikzpicture as wide as `width_cm`.
    [[nodiscard]] std::string tikz(double width_cm) const;

private:
    enum class kind { line, polygon, circle, curve, text };
    struct shape {
        kind what;
        std::vector<drawn_point> points;
        double radius = 0;
        ink pen = ink::plain;
        fill inside = fill::none;
        std::vector<std::string> words{}; ///< as they are, lowered, as they are, ...
        anchor where = anchor::middle;
    };
    [[nodiscard]] std::string body() const;

    double width_;
    double height_;
    std::vector<shape> shapes_;
};

} // namespace ivp

#endif
