#include "columns.hpp"

#include "base/json.hpp"

#include <ivp/scalar.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ivp::columns {

// Long vectors are most of what is stored: they are written and read by hand.
std::string to_text(const std::vector<double>& values)
{
    std::string text = "[";
    for (const double v : values) {
        if (text.size() > 1) text += ',';
        text += std::isfinite(v) ? ivp::to_text(v) : std::string("null");
    }
    return text + ']';
}

void from_text(std::string_view text, std::vector<double>& values)
{
    values.clear();
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto wrong = [&text] { return std::invalid_argument("not an array of numbers: " + std::string(text.substr(0, 80))); };
    const auto next_is = [&](char c) {
        while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
        if (at == end || *at != c) return false;
        ++at;
        return true;
    };
    if (!next_is('[')) throw wrong();
    bool more = !next_is(']');
    while (more) {
        double v = std::numeric_limits<double>::quiet_NaN();
        if (next_is('n')) {
            if (!std::string_view(at, static_cast<std::size_t>(end - at)).starts_with("ull")) throw wrong();
            at += 3;
        } else {
            const auto [next, error] = std::from_chars(at, end, v);
            if (error != std::errc() || !std::isfinite(v)) throw wrong();
            at = next;
        }
        values.push_back(v);
        more = next_is(',');
        if (!more && !next_is(']')) throw wrong();
    }
    if (at != end) throw wrong();
}

std::string to_text(const std::map<std::string, double>& values)
{
    json j = json::object();
    for (const auto& [name, v] : values) j[name] = json_number(v);
    return json_text(j);
}

void from_text(std::string_view text, std::map<std::string, double>& values)
{
    values.clear();
    const json j = read_json(text);
    for (const auto& [name, v] : j.items()) values[name] = number_from(v);
}

std::string to_text(const std::map<std::string, std::string>& values) { return json_text(values); }
void from_text(std::string_view text, std::map<std::string, std::string>& values)
{
    values = read_json(text).get<std::map<std::string, std::string>>();
}

std::string to_text(const std::vector<std::string>& values) { return json_text(values); }
void from_text(std::string_view text, std::vector<std::string>& values) { values = read_json(text).get<std::vector<std::string>>(); }

} // namespace ivp::columns
