// A curve in the terminal, drawn with braille dots.
#ifndef IVP_SRC_REPORT_RENDER_TEXT_PLOT_HPP
#define IVP_SRC_REPORT_RENDER_TEXT_PLOT_HPP

#include <span>
#include <string>

namespace ivp {

struct text_plot_size {
    int columns = 60; ///< characters; two dots each
    int rows = 6;     ///< characters; four dots each
};

/// y over the position in x (already equidistant on the axis that is drawn); `caption` stands above, the ends of the axis below.
/// Values that are not finite leave a gap. Every line is indented by three.
std::string text_plot(std::span<const double> y, const std::string& caption, const std::string& from, const std::string& to,
                      text_plot_size size = {});

} // namespace ivp

#endif
