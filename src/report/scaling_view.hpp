// Sweeps over the size of a problem: as a table with fitted exponents, as a diagram, as a section of a page.
#ifndef IVP_SRC_REPORT_SCALING_VIEW_HPP
#define IVP_SRC_REPORT_SCALING_VIEW_HPP

#include "stats/scaling.hpp"

#include <span>
#include <string>

namespace ivp {

/// The runs by size, then the exponents by solver, and why runs failed.
std::string scaling_text(const scaling& s, std::span<const run_record> records);

/// The quantity against the number of equations, as a file of its own.
std::string scaling_svg(const scaling& s, std::span<const run_record> records, scaled_quantity q);

/// Diagram, exponents and runs as parts of a page; heading: of the level that the page needs, such as "h3".
std::string scaling_section(const scaling& s, std::span<const run_record> records, scaled_quantity q, std::string_view heading);
/// A page of its own.
std::string scaling_page(const scaling& s, std::span<const run_record> records, scaled_quantity q);

} // namespace ivp

#endif
