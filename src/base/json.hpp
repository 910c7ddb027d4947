// JSON as all rooms write and read it.
#ifndef IVP_SRC_BASE_JSON_HPP
#define IVP_SRC_BASE_JSON_HPP

#include "base/text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ivp {

/// Objects keep the order in which they were written.
using json = nlohmann::ordered_json;

/// Throws json::exception. Read here, so that the library's reader is compiled once.
json read_json(std::string_view text);
/// What is no JSON is a discarded value (is_discarded()).
json json_or_discarded(std::string_view text);

/// Text that is not UTF-8 (a foreign solver's message) must not lose what stands around it.
std::string json_text(const json& j, int indent = -1);

/// Why a text could not be read, in one short line: the library repeats what it has read, and begins with a name of its own in brackets.
inline std::string reason_of(const json::exception& e)
{
    const std::string_view what = e.what();
    const auto end = what.find("] ");
    return plain_line(end == std::string_view::npos ? what : what.substr(end + 2), 200);
}

/// A number that is not finite is null.
inline json json_number(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }
inline json json_number(const std::optional<double>& v) { return v ? json_number(*v) : json(nullptr); }
inline json json_numbers(const std::vector<double>& values)
{
    json a = json::array();
    for (const double v : values) a.push_back(json_number(v));
    return a;
}
inline double number_from(const json& j) { return j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>(); }
inline std::vector<double> numbers_from(const json& j)
{
    std::vector<double> values;
    for (const auto& v : j) values.push_back(number_from(v));
    return values;
}

/// One object for each, of what `object` makes.
template <class Values, class Object>
json json_list(const Values& values, Object object)
{
    json a = json::array();
    for (const auto& v : values) a.push_back(object(v));
    return a;
}

/// A member that may be missing, or something else, in a text that somebody else has written.
inline const json& list_in(const json& j, const char* name)
{
    static const json none = json::array();
    const auto found = j.find(name);
    return found != j.end() && found->is_array() ? *found : none;
}

/// For lists of the members of a struct: visit(name, member). Numbers may be NaN.
struct member_writer {
    json& j;
    template <class T>
    void operator()(const char* name, const T& v) const
    {
        if constexpr (std::is_same_v<T, double>)
            j[name] = json_number(v);
        else if constexpr (std::is_same_v<T, std::vector<double>>)
            j[name] = json_numbers(v);
        else
            j[name] = v;
    }
};
struct member_reader {
    const json& j;
    template <class T>
    void operator()(const char* name, T& v) const
    {
        if constexpr (std::is_same_v<T, double>)
            v = number_from(j.at(name));
        else if constexpr (std::is_same_v<T, std::vector<double>>)
            v = numbers_from(j.at(name));
        else
            v = j.at(name).template get<T>();
    }
};

} // namespace ivp

#endif
