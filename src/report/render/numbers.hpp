// How numbers are written, once for each medium: tolerances, residuals, digits, counts, seconds.
#ifndef IVP_SRC_REPORT_RENDER_NUMBERS_HPP
#define IVP_SRC_REPORT_RENDER_NUMBERS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ivp {

enum class medium { text, html, tex };

/// A tolerance or a step size. Text: "1e-07", "5.6e-05". HTML and TeX: 10 with its power where that is one of a ladder.
std::string tolerance_number(medium m, double value);
/// The size of an error or a residual: two digits and a power of ten, whatever its size, so that a column of them can be compared. "1.6e-04"
std::string residual_number(medium m, double value);
/// Digits, ratios: with a minus of the right length; empty where there is none.
/// For terminals: digits, or a dash where none are known.
std::string digits_or_dash(const std::optional<double>& d);
std::string digits_number(medium m, const std::optional<double>& d, int decimals = 2);
/// HTML: with thin spaces.
std::string count_number(medium m, std::uint64_t n);
/// Three digits that count; empty where it is not finite. HTML: with the unit, 12.3 ms. TeX: two cells of a table, before and after the decimal
/// point.
std::string seconds_number(medium m, double s);
/// A message with its decimal numbers rounded to four digits: "at t = 18.11" for 18.108111222433855.
std::string with_rounded_figures(std::string_view text);
/// A text for a page, with its numbers and arrows as they are printed: 5.01·10<sup>−8</sup> for 5.01e-08, h<sup>2</sup> for h^2, → for ->.
std::string figures_in_html(std::string_view text);

} // namespace ivp

#endif
