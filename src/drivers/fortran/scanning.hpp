// Steps through a text.
#ifndef IVP_SRC_DRIVERS_FORTRAN_SCANNING_HPP
#define IVP_SRC_DRIVERS_FORTRAN_SCANNING_HPP

#include <string_view>

namespace ivp::fortran {

/// Whether the text begins with the word, which it then loses.
inline bool take(std::string_view& text, std::string_view word)
{
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

} // namespace ivp::fortran

#endif
