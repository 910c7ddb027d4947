// Colours of curves: those of Okabe and Ito, which people with any kind of colour vision can tell apart; on a dark page lighter.
#ifndef IVP_SRC_REPORT_RENDER_PALETTE_HPP
#define IVP_SRC_REPORT_RENDER_PALETTE_HPP

#include <array>
#include <cstddef>

namespace ivp {

struct palette_color {
    const char* light; ///< on white paper
    const char* dark;  ///< on a dark page
    const char* tex;   ///< definition for xcolor, model HTML
};

/// The first seven are for things that are not solvers: groups of problems, components. Behind them each family of solvers has three shades of a
/// colour.
inline constexpr std::size_t plain_colors = 7;
inline constexpr std::size_t family_shades = 3;
inline constexpr std::array<palette_color, plain_colors + 7 * family_shades> palette{{
    {"#0072b2", "#5aa9e6", "0072B2"}, // blue
    {"#d55e00", "#ff8c42", "D55E00"}, // vermilion
    {"#009e73", "#2ec4a0", "009E73"}, // green
    {"#b5478c", "#e58fc2", "B5478C"}, // purple
    {"#c88a00", "#f0b429", "C88A00"}, // orange
    {"#2f9fd0", "#8fd3f4", "2F9FD0"}, // sky
    {"#4d4d4d", "#b8b8b8", "4D4D4D"}, // grey
    {"#0072b2", "#5aa9e6", "0072B2"}, // implicit Runge-Kutta: blue
    {"#4aa3df", "#8fd0ff", "4AA3DF"}, // lighter
    {"#003f73", "#3f74d6", "003F73"}, // darker
    {"#008a5e", "#2ec4a0", "008A5E"}, // Rosenbrock: green
    {"#4cb894", "#8fe0cb", "4CB894"}, // lighter
    {"#00563b", "#149a78", "00563B"}, // darker
    {"#d55e00", "#ff8c42", "D55E00"}, // BDF: vermilion
    {"#e8964f", "#ffb27a", "E8964F"}, // lighter
    {"#8f3d00", "#dd6417", "8F3D00"}, // darker
    {"#b5478c", "#e58fc2", "B5478C"}, // block: purple
    {"#d68bbb", "#ffb0de", "D68BBB"}, // lighter
    {"#701d55", "#b44fa0", "701D55"}, // darker
    {"#b07a00", "#f0b429", "B07A00"}, // explicit: amber
    {"#d9ab3c", "#f9d985", "D9AB3C"}, // lighter
    {"#765200", "#bd8a10", "765200"}, // darker
    {"#5f6770", "#b8bec6", "5F6770"}, // foreign library: grey
    {"#939aa2", "#d5dae0", "939AA2"}, // lighter
    {"#30363c", "#868f9a", "30363C"}, // darker
    {"#a4133c", "#ff6b8b", "A4133C"}, // plug-in: crimson
    {"#d65a7c", "#ffa3b7", "D65A7C"}, // lighter
    {"#5c0a20", "#d93e60", "5C0A20"}, // darker
}};

/// Style of an SVG file that stands alone; the page's own style sheet says the same with its variables.
inline constexpr const char* svg_file_style =
    "text{font:12px system-ui,'Helvetica Neue',Arial,sans-serif;fill:#222}.ticks text{text-anchor:middle;font-size:11.5px}.ticks .yt{text-anchor:end}"
    ".title{text-anchor:middle}.head{font-size:15px;font-weight:600}.caption{font-size:11px;fill:#555}.grid{stroke:#e3e3e3;fill:none}"
    ".frame{fill:none;stroke:#777}.line{fill:none;stroke:currentColor;stroke-width:1.6}.d1 .line{stroke-dasharray:6 3}.estimate "
    ".line{stroke-width:1.3;stroke-dasharray:1 3;stroke-linecap:round}.d2 .line{stroke-dasharray:2 3}"
    ".m{fill:currentColor;stroke:#fff;stroke-width:.8}.mx{fill:none;stroke:currentColor;stroke-width:1.8}.ml{fill:currentColor}.bang{fill:none;"
    "stroke:#fff;stroke-width:1.4}.zone{fill:url(#hatch);stroke:none}.hl{stroke:#bbb;stroke-width:1.5}.gutter{fill:#f4f1ea}.limit{stroke:#888;"
    "stroke-dasharray:4 3}.beyond{fill-opacity:.25}.off{opacity:.35}.note{font-size:10.5px;fill:#666}";

} // namespace ivp

#endif
