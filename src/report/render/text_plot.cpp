#include "text_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace ivp {

namespace {

/// A grid of dots, shown as braille characters of two by four.
class canvas {
public:
    explicit canvas(text_plot_size size) : columns_(size.columns), rows_(size.rows), cells_(static_cast<std::size_t>(size.columns) * size.rows, 0) {}

    [[nodiscard]] int width() const { return 2 * columns_; }
    [[nodiscard]] int height() const { return 4 * rows_; }

    /// x from the left, y from the bottom
    void dot(int x, int y)
    {
        // The bits of a braille character: the first three rows of both columns, then the fourth.
        static constexpr std::array<std::array<unsigned char, 2>, 4> bit{{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
        const int from_top = height() - 1 - y;
        cells_[static_cast<std::size_t>(from_top / 4) * columns_ + x / 2] |= bit[from_top % 4][x % 2];
    }

    [[nodiscard]] std::string row(int r) const
    {
        std::string text;
        for (int c = 0; c < columns_; ++c) {
            const unsigned code = 0x2800 + cells_[static_cast<std::size_t>(r) * columns_ + c];
            text += static_cast<char>(0xE0 | (code >> 12));
            text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
        return text;
    }

private:
    int columns_;
    int rows_;
    std::vector<unsigned char> cells_;
};

} // namespace

std::string text_plot(std::span<const double> y, const std::string& caption, const std::string& from, const std::string& to, text_plot_size size)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double v : y)
        if (std::isfinite(v)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    if (!(low <= high)) return "";

    canvas dots(size);
    const double range = high > low ? high - low : 1;
    const auto level = [&](double v) { return static_cast<int>(std::lround((v - low) / range * (dots.height() - 1))); };
    int previous = -1;
    for (int x = 0; x < dots.width(); ++x) {
        const auto k = static_cast<std::size_t>(std::lround(static_cast<double>(x) * static_cast<double>(y.size() - 1) / (dots.width() - 1)));
        if (!std::isfinite(y[k])) {
            previous = -1;
            continue;
        }
        const int now = level(y[k]);
        // A steep piece is drawn as a vertical line, so that the curve has no holes.
        const int start = previous < 0 ? now : previous + (now > previous ? 1 : now < previous ? -1 : 0);
        for (int v = std::min(start, now); v <= std::max(start, now); ++v) dots.dot(x, v);
        previous = now;
    }

    const std::string top = fmt::format("{:.3g}", high);
    const std::string bottom = fmt::format("{:.3g}", low);
    const std::size_t margin = std::max(top.size(), bottom.size());
    std::string text = fmt::format("   {}\n", caption);
    for (int r = 0; r < size.rows; ++r) text += fmt::format("   {:>{}} {}\n", r == 0 ? top : r == size.rows - 1 ? bottom : "", margin, dots.row(r));
    const std::size_t gap = std::max<std::size_t>(1, size.columns - std::min<std::size_t>(size.columns, from.size() + to.size()));
    return text + fmt::format("   {:>{}} {}{:>{}}\n", "", margin, from, to, gap + to.size());
}

} // namespace ivp
