// Settings of a run: those of the user, and those that a solver receives. Each is one line of settings.def.
#ifndef IVP_SETTINGS_HPP
#define IVP_SETTINGS_HPP

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ivp {

/// The words for the values of an enum, in their order.
template <class E>
std::span<const std::string_view> labels();

template <class E>
std::optional<E> from_label(std::string_view text)
{
    const auto all = labels<E>();
    const auto found = std::find(all.begin(), all.end(), text);
    if (found == all.end()) return std::nullopt;
    return static_cast<E>(found - all.begin());
}

template <>
std::span<const std::string_view> labels<jacobian_source>();

/// How the linear systems are stored and factored.
/// krylov: GMRES with an incomplete factorisation as its preconditioner, of the sparse matrix.
enum class algebra { automatic, dense, band, sparse, krylov };
template <>
std::span<const std::string_view> labels<algebra>();
std::string_view label(algebra a);

/// Settings of a solver beside the tolerances.
struct integration_settings {
#define IVP_SETTING(member, name, type, value, ...) type member = value;
#include <ivp/settings.def>
};

/// The settings of a user. A setting that is not given follows the problem's protocol.
struct run_settings : integration_settings {
    double rtol = 1e-4;
    std::vector<double> atol; ///< empty: the protocol's; one: the protocol's rule is applied to it; n: as they are
    bool same_atol = false;   ///< one atol is that of every component, whatever the protocol's rule
#define IVP_INTERVAL(member, name, type, value, ...) type member = value;
#define IVP_LIMIT(member, name, type, value, ...) type member = value;
#include <ivp/settings.def>
    std::map<std::string, double> special; ///< options of one solver, by name (`--opt name=value`)
    std::string command;                   ///< noted in the record
};

/// The schema of the store that added the newest setting.
constexpr int settings_schema = std::max({
#define IVP_SETTING(member, name, type, value, since, ...) since,
#include <ivp/settings.def>
});

/// A setting that takes one of several words.
template <class T>
constexpr bool is_word = std::is_same_v<T, bool> || std::is_enum_v<T>;

namespace setting_types {
template <class T>
struct recorded {
    using type =
        std::conditional_t<is_word<T>, std::string, std::conditional_t<std::is_floating_point_v<T>, std::optional<double>, T>>; // none: not finite
};
template <class T>
struct recorded<std::optional<T>> {
    using type = std::optional<double>;
};
} // namespace setting_types

/// The type of a setting in a record: words as text, numbers that may be absent or infinite as numbers or null.
template <class T>
using recorded = typename setting_types::recorded<T>::type;

template <class T>
recorded<T> as_recorded(const T& value)
{
    if constexpr (std::is_same_v<T, bool>)
        return value ? "yes" : "no";
    else if constexpr (std::is_enum_v<T>)
        return std::string(label(value));
    else if constexpr (std::is_floating_point_v<T>)
        return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
    else if constexpr (std::is_same_v<recorded<T>, std::optional<double>>)
        return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
    else
        return value;
}

/// A setting as the command line and the C interface list it.
struct setting_row {
    std::string name;   ///< "max_steps"
    std::string option; ///< "--max-steps"
    std::string help;   ///< with its default
    bool choose;        ///< `ivp choose` offers it too
};
std::vector<setting_row> settings_table();

/// Reads a setting by its name. Returns what is allowed, in words, if the text is not a value of it; throws bad_request for an unknown name.
std::optional<std::string> take_setting(run_settings& s, std::string_view name, std::string_view text);

/// The settings that differ from their defaults, without tolerances, as options of a command line, each with a blank before it.
std::string command_line_of(const run_settings& s);

/// Values out of their ranges, in words. Settings that depend on problem and solver, such as the end point, are checked by resolve.
std::vector<std::string> integration_faults(const integration_settings& s);
std::vector<std::string> measurement_faults(const run_settings& s);

struct solver_info;

/// `jacobian` is resolved: `original` is the problem's own approximate Jacobian, which a solver treats like `exact`.
struct solve_options : integration_settings {
    tolerances tolerance;
    bool full_differences = false;         ///< difference quotients column by column (or as the declared band allows), as in the published runs
    std::map<std::string, double> special; ///< options of one solver, by name (`--opt name=value`)

    /// All faults, in words; empty if the run can start.
    [[nodiscard]] std::vector<std::string> validate(const problem& p, const solver_info& solver) const;
};

} // namespace ivp

#endif
