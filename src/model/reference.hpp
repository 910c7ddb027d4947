// The file of a reference solution (reference.csv): values with proven digits at one time or several, and how they were found.
//
// A problem itself carries what a measurement needs of it, reference_solution.
#ifndef IVP_SRC_MODEL_REFERENCE_HPP
#define IVP_SRC_MODEL_REFERENCE_HPP

#include <ivp/scalar.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// What the digits of a value count: significant digits, or decimals.
enum class digit_kind { relative, absolute };
std::string_view label(digit_kind k);

/// The solution at one time, with what is known of its accuracy.
struct reference_values {
    decimal t;
    std::vector<decimal> value;
    std::vector<double> digits; ///< proven digits of each component
    std::vector<digit_kind> kind;

    /// The significant digits that are proven, whatever the kind: below 1 where decimals end before the first of them. Of a zero: `digits`.
    [[nodiscard]] double significant(std::size_t i) const;
};

struct reference_file : reference_values { ///< at the end of the interval
    std::string source;                    ///< who computed it, how
    std::string confirmed;                 ///< how the digits were confirmed
    std::string recipe;                    ///< the derivation that gives it again (docs/contracts.md); empty: there is none
    std::string note;                      ///< what a reader should know of single components
    std::string content;                   ///< fingerprint of the problem it was made of; empty: not told
    std::vector<reference_values> path;    ///< at breakpoints and output times before the end, in ascending order
};

/// A file of the catalog for other parameters, as the build embeds it.
struct reference_text {
    const char* setting; ///< the parameters that differ from their defaults, "N=50"; null ends a list
    const char* csv;
};

/// Format: docs/contracts.md. Throws std::invalid_argument with the line of the first fault.
reference_file read_reference_file(std::string_view csv);
std::string reference_csv(const reference_file& r);

/// Whether the digits of a reference are estimated, not proven, by what it says of how they were confirmed.
bool is_estimated(std::string_view confirmed);
/// In `extra` of a record: 1, its digits are compared with such a reference.
constexpr auto estimated_reference_name = "reference_estimated";

} // namespace ivp

#endif
