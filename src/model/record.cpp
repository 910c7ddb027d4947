#include <ivp/model/record.hpp>

#include <ivp/scalar/decimal.hpp>

#include "record_fields.hpp"
#include "text.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace ivp {

namespace {

using json = nlohmann::ordered_json;

json number(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }

template <class T>
json encode(const T& v)
{
    if constexpr (std::is_same_v<T, double>) {
        return number(v);
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
        return v ? number(*v) : json(nullptr);
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
        json a = json::array();
        for (const double x : v) a.push_back(number(x));
        return a;
    } else if constexpr (std::is_same_v<T, outcome>) {
        return label(v);
    } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
        json o = json::object();
        for (const auto& [key, x] : v) o[key] = number(x);
        return o;
    } else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>) {
        json o = json::object();
        for (const auto& [key, x] : v) o[key] = x;
        return o;
    } else if constexpr (std::is_same_v<T, build_info>) {
        return {{"compiler", v.compiler}, {"flags", v.flags}, {"version", v.version}};
    } else if constexpr (std::is_same_v<T, machine_info>) {
        return {{"cpu", v.cpu}, {"cores", v.cores}, {"os", v.os}};
    } else {
        return v;
    }
}

double decode_number(const json& j) { return j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>(); }

/// JSON's own conversion takes 1.5 for 1 and -1 for a very large count.
template <class T>
T decode_whole(const json& j)
{
    if (j.is_number_unsigned() && std::in_range<T>(j.get<std::uint64_t>())) return j.get<T>();
    if (j.is_number_integer() && !j.is_number_unsigned() && std::in_range<T>(j.get<std::int64_t>())) return j.get<T>();
    throw std::invalid_argument(j.dump() + " is not a whole number" + (std::is_unsigned_v<T> ? " from 0" : "") + ", or out of range");
}

template <class T>
void decode(const json& j, T& v)
{
    if constexpr (std::is_same_v<T, double>) {
        v = decode_number(j);
    } else if constexpr (std::is_integral_v<T>) {
        v = decode_whole<T>(j);
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
        v = j.is_null() ? std::optional<double>{} : j.get<double>();
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
        if (!j.is_array()) throw std::invalid_argument(j.dump() + " is not an array of numbers");
        v.clear();
        for (const auto& x : j) v.push_back(decode_number(x));
    } else if constexpr (std::is_same_v<T, outcome>) {
        const auto o = outcome_from_label(j.get<std::string>());
        if (!o) throw std::invalid_argument("unknown outcome '" + j.get<std::string>() + "'");
        v = *o;
    } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
        if (!j.is_object()) throw std::invalid_argument(j.dump() + " is not an object");
        v.clear();
        for (const auto& [key, x] : j.items()) v[key] = decode_number(x);
    } else if constexpr (std::is_same_v<T, build_info>) {
        v = {j.at("compiler").get<std::string>(), j.at("flags").get<std::string>(), j.at("version").get<std::string>()};
    } else if constexpr (std::is_same_v<T, machine_info>) {
        v = {j.at("cpu").get<std::string>(), decode_whole<int>(j.at("cores")), j.at("os").get<std::string>()};
    } else {
        v = j.get<T>();
    }
}

bool is_tolerance(std::string_view name) { return name == "rtol" || name == "atol"; }

json as_json(const run_record& r)
{
    json j;
    j["schema"] = record_schema;
    for_each_field(r, [&j](const char* name, const auto& value) {
        json v = encode(value);
        j[name] = is_tolerance(name) && v.size() == 1 ? v[0] : std::move(v);
    });
    return j;
}

} // namespace

std::string full_name(const std::string& name, std::string_view origin)
{
    return origin.empty() || origin == "own" || origin == "driver" ? name : name + " (" + std::string(origin) + ")";
}

std::string to_json(const run_record& r) { return as_json(r).dump(-1, ' ', false, json::error_handler_t::replace); }

run_record record_from_json(std::string_view text)
{
    json j;
    try {
        j = json::parse(text);
    } catch (const json::exception& e) {
        throw std::invalid_argument(std::string("not a record: ") + e.what());
    }
    if (!j.is_object() || !j.contains("schema")) throw std::invalid_argument("not a record: no field 'schema'");
    if (j["schema"] != record_schema)
        throw std::invalid_argument("record of schema " + j["schema"].dump() + "; this program reads schema " + std::to_string(record_schema));
    run_record r;
    for_each_field(r, [&j](const char* name, auto& value) {
        if (!j.contains(name) && came_later(name)) return;
        if (!j.contains(name)) throw std::invalid_argument(std::string("record without field '") + name + "'");
        try {
            const json& v = j[name];
            decode(is_tolerance(name) && !v.is_array() ? json::array({v}) : v, value);
        } catch (const std::exception& e) {
            throw std::invalid_argument(std::string("record field '") + name + "': " + e.what());
        }
    });
    return r;
}

std::string csv_header()
{
    std::string text = "schema";
    run_record empty;
    for_each_field(empty, [&text](const char* name, const auto&) { text += std::string(",") + name; });
    return text;
}

std::string to_csv(const run_record& r)
{
    const json j = as_json(r);
    std::vector<std::string> cells;
    for (const auto& [key, value] : j.items())
        cells.push_back(value.is_null() ? "" : csv_cell(value.is_string() ? value.get<std::string>() : value.dump()));
    return joined(cells, ",");
}

} // namespace ivp
