// What the book draws, for print: profiles and the behaviour of solutions (pgfplots).
#ifndef IVP_SRC_REPORT_LATEX_PICTURES_HPP
#define IVP_SRC_REPORT_LATEX_PICTURES_HPP

#include "report/book/view.hpp"

#include <string>

namespace ivp::tex {

/// The profile of these runs at 6 digits by CPU time, the eight best in colour with their names; empty where there is none.
std::string profile_picture(const book_pages::view& v, std::span<const problem_runs> runs);
/// The components of a solution that its chapter pictures, beside each other; before them its phase plots and, of a mechanism, its positions.
std::string course_pictures(const behaviour& b, const ivp::problem& p);
/// What the problem describes, as a figure; empty: there is nothing to draw.
std::string schematic_picture(const ivp::problem& p);

} // namespace ivp::tex

#endif
