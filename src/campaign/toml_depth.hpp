// How deep a text in TOML nests, before the reader of TOML has it.
#ifndef IVP_SRC_CAMPAIGN_TOML_DEPTH_HPP
#define IVP_SRC_CAMPAIGN_TOML_DEPTH_HPP

#include <cstddef>
#include <optional>
#include <string_view>

namespace ivp {

/// Levels of a text: each bracket that is open is one, and each dot of the keys before it.
constexpr std::size_t deepest_toml = 100;

struct place_in_text {
    std::size_t line = 1;
    std::size_t column = 1; ///< in characters
};

/// Where a text has more levels than that. The reader of TOML takes and frees them by recursion, with no limit for dots. Whether it is TOML is for
/// the reader to say.
std::optional<place_in_text> where_too_deep(std::string_view text);

} // namespace ivp

#endif
