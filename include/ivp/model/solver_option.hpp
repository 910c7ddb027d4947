// An option that only one solver has, described: what `--opt name=value` takes, what `ivp show` and the chapter of the solver say of it.
#ifndef IVP_MODEL_SOLVER_OPTION_HPP
#define IVP_MODEL_SOLVER_OPTION_HPP

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

enum class option_kind { real, whole, flag, choice };
std::string_view label(option_kind k);
std::optional<option_kind> option_kind_from_label(std::string_view text);

/// A word that a choice takes, and the number that stands for it in records, stores and the contract of plug-ins.
struct option_word {
    std::string word;
    double value;
    bool operator==(const option_word&) const = default;
};

/// Values are numbers wherever they are kept; flags and choices can also be given by their words.
struct solver_option {
    std::string name;
    double value; ///< default
    double min;
    double max;
    std::string meaning;
    option_kind kind = option_kind::real;
    std::vector<option_word> words{}; ///< of a choice; a flag has yes (1) and no (0)

    /// The value that a user's text means: a word or a number. None: neither.
    [[nodiscard]] std::optional<double> from_text(std::string_view text) const;
    /// As a user would write it: the word of a flag or a choice.
    [[nodiscard]] std::string text_of(double v) const;
    [[nodiscard]] bool takes(double v) const;
    /// "a whole number from 3 to 50", "yes, no", "standard, other, parabolic"
    [[nodiscard]] std::string allowed() const;
    /// Of those given, or the default.
    [[nodiscard]] double in(const std::map<std::string, double>& given) const;
};

const solver_option* find_option(std::span<const solver_option> options, std::string_view name);

} // namespace ivp

#endif
