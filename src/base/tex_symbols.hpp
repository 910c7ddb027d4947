// The commands of TeX that stand for one symbol, function or accent.
#ifndef IVP_SRC_BASE_TEX_SYMBOLS_HPP
#define IVP_SRC_BASE_TEX_SYMBOLS_HPP

#include <optional>
#include <string_view>

namespace ivp::tex {

/// As TeX spaces them.
enum class kind { ordinary, function, limits, large, binary, relation, open, close, punctuation, inner };

struct symbol {
    std::string_view name; ///< without the backslash
    kind what;
    std::string_view text; ///< UTF-8
};

std::optional<symbol> find_symbol(std::string_view name);
/// The command that stands for this character.
std::optional<symbol> find_symbol_of(std::string_view text);

/// What is set above or below its argument.
struct accent {
    std::string_view name;
    std::string_view text;
    bool below;
    bool stretchy;
};
std::optional<accent> find_accent(std::string_view name);

/// Width in em of a space command; none: not a space.
std::optional<double> space_width(std::string_view name);

} // namespace ivp::tex

#endif
