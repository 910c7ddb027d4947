// A reference solution and its derivation, for a person or a program.
#ifndef IVP_SRC_REPORT_REFERENCE_VIEW_HPP
#define IVP_SRC_REPORT_REFERENCE_VIEW_HPP

#include "catalog_view.hpp"
#include "reference/derive.hpp"

#include <optional>
#include <string>

namespace ivp {

/// What `ivp reference` has to say.
struct reference_page {
    const problem* p = nullptr;
    reference_file shown;                   ///< stored, or derived just now
    const derivation* derived = nullptr;    ///< none: nothing was computed
    std::optional<confirmation> compared{}; ///< of the derivation with what was stored
    std::string repeat;                     ///< the command that derives it again; empty: there is none
};

std::string show_reference(const reference_page& page, text_format f);

/// One line of JSON: what a derivation made of a problem's reference. The campaign's log.
std::string reference_log_line(const problem& p, const derivation& d, const confirmation& c);

struct reference_log_entry {
    std::string problem, variant, recipe, version;
    bool confirmed = false;
    std::size_t compared = 0, contradictions = 0, fewer_digits = 0;
    double cpu_s = 0;
    std::string failure;
};
/// Throws bad_request where the line is not one of the log's.
/// None: it is something else.
std::optional<reference_log_entry> read_reference_log_line(const std::string& line);

} // namespace ivp

#endif
