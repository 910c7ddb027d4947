// The settings by name: everything that reads, writes or lists settings iterates settings.def through these functions.
#ifndef IVP_SRC_MODEL_SETTINGS_FIELDS_HPP
#define IVP_SRC_MODEL_SETTINGS_FIELDS_HPP

#include "base/text.hpp"
#include "model/limits.hpp"

#include <ivp/scalar.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ivp {

enum class setting_kind { integration, interval, limit };

struct setting_range {
    double least = -std::numeric_limits<double>::infinity();
    bool open = true; ///< the least value is not allowed itself
    double most = std::numeric_limits<double>::infinity();
    std::string_view unit{};
};

namespace setting_ranges {
constexpr setting_range any_number{}, words{};
constexpr setting_range above_zero{0};
constexpr setting_range seconds{.least = 0, .unit = "s"};
template <class Whole>
constexpr setting_range whole_up_to(Whole most)
{
    return {1, false, static_cast<double>(most)};
}
} // namespace setting_ranges

/// A line of settings.def.
template <class T>
struct setting {
    std::string_view name;
    T value; ///< default
    setting_kind kind;
    int since;
    setting_range range;
    bool choose;
    std::string_view help;
};

namespace setting_rows {
using namespace setting_ranges; // NOLINT(google-build-using-namespace): the words of settings.def
#define IVP_SETTING(member, name, type, value, since, range, choose, help) \
    inline const setting<type> member{name, value, setting_kind::integration, since, range, choose, help};
#define IVP_INTERVAL(member, name, type, value, range, choose, help) \
    inline const setting<type> member{name, value, setting_kind::interval, 1, range, choose, help};
#define IVP_LIMIT(member, name, type, value, range, choose, help) \
    inline const setting<type> member{name, value, setting_kind::limit, 1, range, choose, help};
#include <ivp/settings.def>
} // namespace setting_rows

// Each calls visit(line, member) for every line, in the order of the list; `visit_both` gives the members of two objects.

/// Those of an integration, in integration_settings, solve_options or run_record.
template <class Object, class Visit>
void for_each_integration_setting(Object& o, Visit&& visit)
{
#define IVP_SETTING(member, ...) visit(setting_rows::member, o.member);
#include <ivp/settings.def>
}
template <class A, class B, class Visit>
void for_each_integration_setting(A& a, B& b, Visit&& visit)
{
#define IVP_SETTING(member, ...) visit(setting_rows::member, a.member, b.member);
#include <ivp/settings.def>
}

/// All of them, in run_settings.
template <class Settings, class Visit>
void for_each_setting(Settings& s, Visit&& visit)
{
#define IVP_SETTING(member, ...) visit(setting_rows::member, s.member);
#define IVP_INTERVAL(member, ...) visit(setting_rows::member, s.member);
#define IVP_LIMIT(member, ...) visit(setting_rows::member, s.member);
#include <ivp/settings.def>
}

// ---- Values ----

namespace setting_types {
template <class T>
struct plain {
    using type = T;
};
template <class T>
struct plain<std::optional<T>> {
    using type = T;
};
} // namespace setting_types

/// The type of a setting's value where it is given.
template <class T>
using plain_setting = typename setting_types::plain<T>::type;

/// "max-steps", as options and messages have it.
inline std::string with_dashes(std::string_view name)
{
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

/// As a user would type it, also that of a record; empty: there is none.
template <class T>
std::string setting_text(const T& value)
{
    if constexpr (std::is_same_v<T, std::string>)
        return value;
    else if constexpr (is_word<T>)
        return as_recorded(value);
    else if constexpr (!std::is_same_v<T, plain_setting<T>>)
        return value ? setting_text(*value) : std::string();
    else if constexpr (std::is_floating_point_v<T>)
        return to_text(value);
    else
        return std::to_string(value);
}

template <class T>
std::vector<std::string_view> setting_words()
{
    if constexpr (std::is_same_v<T, bool>)
        return {"yes", "no"};
    else
        return {labels<T>().begin(), labels<T>().end()};
}

/// What a text must be to be read at all; the range of a real number is judged afterwards, together with everything else.
template <class T>
std::string readable(const setting<T>& line)
{
    using value = plain_setting<T>;
    if constexpr (is_word<value>)
        return joined(setting_words<value>(), ", ");
    else if constexpr (std::is_floating_point_v<value>)
        return "a finite real number such as 1e-4";
    else
        return "a whole number from " + std::to_string(static_cast<std::int64_t>(line.range.least)) + " to " +
               std::to_string(static_cast<std::int64_t>(line.range.most));
}

/// "a number above 0", "seconds above 0", "exact, differences, original"
template <class T>
std::string allowed(const setting<T>& line)
{
    if constexpr (std::is_floating_point_v<plain_setting<T>>) {
        const std::string kind = line.range.unit == "s" ? "seconds" : "a number";
        if (std::isinf(line.range.least)) return "a finite number";
        if (std::isinf(line.range.most)) return kind + (line.range.open ? " above " : " from ") + to_text(line.range.least);
        return kind + " from " + to_text(line.range.least) + " to " + to_text(line.range.most);
    } else {
        return readable(line);
    }
}

inline bool is_in(const setting_range& r, double v) { return std::isfinite(v) && (r.open ? v > r.least : v >= r.least) && v <= r.most; }

template <class T>
bool is_allowed(const setting<T>& line, const T& value)
{
    if constexpr (is_word<plain_setting<T>>) {
        return true;
    } else {
        if (value == line.value) return true;
        if constexpr (std::is_same_v<T, plain_setting<T>>)
            return is_in(line.range, static_cast<double>(value));
        else
            return is_in(line.range, static_cast<double>(*value)); // what is absent is the default
    }
}

template <class T>
std::optional<plain_setting<T>> setting_from_text(const setting<T>& line, std::string_view text)
{
    using value = plain_setting<T>;
    if constexpr (std::is_same_v<value, bool>) {
        return yes_or_no_from_label(text);
    } else if constexpr (std::is_enum_v<value>) {
        return from_label<value>(text);
    } else {
        const auto v = parse_real(text);
        if constexpr (std::is_floating_point_v<value>) return v;
        if (!v || *v != std::floor(*v) || !is_in(line.range, *v)) return std::nullopt;
        return static_cast<value>(*v);
    }
}

} // namespace ivp

#endif
