#include "base/json.hpp"

#include <array>

namespace ivp {

namespace {

constexpr std::size_t deepest = 100;       // nested arrays and objects: the library copies and writes them by recursion
constexpr std::size_t most_members = 1000; // of one object: it looks through all of them for each that it adds

/// The library's constructors differ between its versions.
struct too_large : json::exception {
    explicit too_large(const std::string& what) : json::exception(0, what.c_str()) {}
};

/// What makes a text too large to be read; empty: nothing. Whether it is JSON is for the parser to say.
std::string excess_of(std::string_view text)
{
    std::array<std::size_t, deepest> members{}; // by depth
    std::size_t depth = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        switch (text[k]) {
        case '"':
            for (++k; k < text.size() && text[k] != '"'; ++k)
                if (text[k] == '\\') ++k;
            break;
        case '[':
        case '{':
            if (depth == deepest) return "nested arrays and objects: more than " + std::to_string(deepest) + " found; allowed: that many";
            members[depth++] = 0;
            break;
        case ']':
        case '}':
            if (depth > 0) --depth;
            break;
        case ':':
            if (depth > 0 && ++members[depth - 1] > most_members)
                return "members of one object: more than " + std::to_string(most_members) + " found; allowed: that many";
            break;
        default: break;
        }
    }
    return "";
}

} // namespace

json read_json(std::string_view text)
{
    if (const std::string excess = excess_of(text); !excess.empty()) throw too_large(excess);
    return json::parse(text);
}

json json_or_discarded(std::string_view text) { return excess_of(text).empty() ? json::parse(text, nullptr, false) : json(json::value_t::discarded); }

std::string json_text(const json& j, int indent) { return j.dump(indent, ' ', false, json::error_handler_t::replace); }

} // namespace ivp
