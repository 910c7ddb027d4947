#include <ivp/record.hpp>

#include <ivp/scalar.hpp>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "limits.hpp"
#include "record_json.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace ivp {

namespace {

/// Texts of damaged records may be long.
std::string shown(const json& j)
{
    constexpr std::size_t longest = 60;
    return j.is_structured() ? j.type_name() : plain_line(json_text(j), longest);
}

/// A whole number that the field can hold; nothing is cut or wrapped around.
template <class Whole>
Whole decode_count(const json& j)
{
    constexpr std::uint64_t most = std::min<std::uint64_t>(limits::most_counted, std::numeric_limits<Whole>::max());
    const auto fits = [&j] {
        if (j.is_number_unsigned()) return j.get<std::uint64_t>() <= most;
        return j.is_number_integer() && j.get<std::int64_t>() >= 0 && j.get<std::uint64_t>() <= most;
    };
    if (!fits()) throw std::invalid_argument(shown(j) + " found; allowed: a whole number from 0 to " + std::to_string(most));
    return j.get<Whole>();
}

template <class T>
void decode(const json& j, T& v)
{
    if constexpr (std::is_same_v<T, double>) {
        v = number_from(j);
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
        v = j.is_null() ? std::optional<double>{} : j.get<double>();
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
        if (!j.is_array()) throw std::invalid_argument(shown(j) + " is not an array of numbers");
        v = numbers_from(j);
    } else if constexpr (std::is_same_v<T, outcome>) {
        const auto o = outcome_from_label(j.get<std::string>());
        if (!o) throw std::invalid_argument("unknown outcome '" + plain_line(j.get<std::string>(), 60) + "'");
        v = *o;
    } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
        if (!j.is_object()) throw std::invalid_argument(shown(j) + " is not an object");
        v.clear();
        for (const auto& [key, x] : j.items()) v[key] = number_from(x);
    } else if constexpr (std::is_same_v<T, build_info>) {
        for_each_build_field(v, [&j](const std::string& name, std::string& text) {
            const bool came_later = name == "instruction_set" || name == "kernels";
            text = came_later ? j.value(name, std::string()) : j.at(name).get<std::string>();
        });
    } else if constexpr (std::is_same_v<T, machine_info>) {
        v = {j.at("cpu").get<std::string>(), decode_count<int>(j.at("cores")), j.at("os").get<std::string>()};
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        v = decode_count<T>(j);
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
        json v = encoded_field(value);
        j[name] = is_tolerance(name) && v.size() == 1 ? v[0] : std::move(v);
    });
    return j;
}

} // namespace

std::string full_name(const std::string& name, std::string_view origin)
{
    return origin.empty() || origin == "own" || origin == "driver" ? name : name + " (" + std::string(origin) + ")";
}

std::string to_json(const run_record& r) { return json_text(as_json(r)); }

run_record record_from_json(std::string_view text)
{
    json j;
    try {
        j = read_json(text);
    } catch (const json::exception& e) {
        throw std::invalid_argument("not a record: " + reason_of(e));
    }
    if (!j.is_object() || !j.contains("schema")) throw std::invalid_argument("not a record: no field 'schema'");
    if (j["schema"] != record_schema)
        throw std::invalid_argument("record of schema " + shown(j["schema"]) + "; this program reads schema " + std::to_string(record_schema));
    run_record r;
    for_each_field(r, [&j](const char* name, auto& value) {
        if (!j.contains(name) && came_later(name)) return;
        if (!j.contains(name)) throw std::invalid_argument(std::string("record without field '") + name + "'");
        try {
            const json& v = j[name];
            decode(is_tolerance(name) && !v.is_array() ? json::array({v}) : v, value);
        } catch (const json::exception& e) {
            throw std::invalid_argument(std::string("record field '") + name + "': " + reason_of(e));
        } catch (const std::exception& e) {
            throw std::invalid_argument(std::string("record field '") + name + "': " + e.what());
        }
    });
    const auto below_zero = [](double v) { return v < 0; };
    if (below_zero(r.cpu_s) || below_zero(r.wall_s) || std::ranges::any_of(r.cpu_samples, below_zero) ||
        std::ranges::any_of(r.wall_samples, below_zero))
        throw std::invalid_argument("record with a time below 0 s");
    return r;
}

} // namespace ivp
