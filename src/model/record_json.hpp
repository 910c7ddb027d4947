// A field of a record as JSON; tables have the same where a cell takes one.
#ifndef IVP_SRC_MODEL_RECORD_JSON_HPP
#define IVP_SRC_MODEL_RECORD_JSON_HPP

#include "base/json.hpp"
#include "record_fields.hpp"

#include <ivp/record.hpp>

#include <map>
#include <string>
#include <type_traits>

namespace ivp {

template <class T>
json encoded_field(const T& v)
{
    json j = json::object();
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>)
        return json_number(v);
    else if constexpr (std::is_same_v<T, std::vector<double>>)
        return json_numbers(v);
    else if constexpr (std::is_same_v<T, outcome>)
        return label(v);
    else if constexpr (std::is_same_v<T, std::map<std::string, double>>)
        for (const auto& [key, x] : v) j[key] = json_number(x);
    else if constexpr (std::is_same_v<T, build_info>)
        for_each_build_field(v, member_writer{j});
    else if constexpr (std::is_same_v<T, machine_info>)
        for_each_machine_field(v, member_writer{j});
    else
        return v;
    return j;
}

} // namespace ivp

#endif
