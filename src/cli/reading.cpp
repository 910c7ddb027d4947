#include "reading.hpp"

#include "model/text.hpp"

#include <ivp/model/parameter.hpp>
#include <ivp/scalar/decimal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ivp::cli {

std::string tool_as_typed() { return std::getenv("IVP_LAUNCHER") != nullptr ? "./ivp" : "ivp"; }

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::optional<double> reader::real(const std::string& name, const std::string& text)
{
    const auto v = parse_real(text);
    if (!v) fault(name + ": '" + text + "' given; allowed: a finite real number such as 1e-4");
    return v;
}

std::optional<std::uint64_t> reader::count(const std::string& name, const std::string& text, std::uint64_t from)
{
    constexpr double largest = 1e15; // every whole number up to here is a double
    const auto v = parse_real(text);
    if (v && *v >= static_cast<double>(from) && *v <= largest && *v == std::floor(*v)) return static_cast<std::uint64_t>(*v);
    fault(name + ": '" + text + "' given; allowed: a whole number from " + std::to_string(from));
    return std::nullopt;
}

std::vector<double> reader::reals(const std::string& name, const std::string& text)
{
    std::vector<double> values;
    bool all_read = true;
    for (const auto& word : split(text, ',')) {
        const auto v = real(name, word);
        if (v) values.push_back(*v);
        all_read = all_read && v;
    }
    return all_read ? values : std::vector<double>{};
}

std::map<std::string, std::string> reader::pairs(const std::string& name, const std::vector<std::string>& texts)
{
    std::map<std::string, std::string> result;
    for (const auto& text : texts) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            fault(name + ": '" + text + "' given; allowed: name=value");
        else if (!result.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
            fault(name + ": '" + text.substr(0, equals) + "' is given twice");
    }
    return result;
}

text_format reader::format(const std::string& text, std::initializer_list<const char*> allowed)
{
    if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text_format_from_label(text).value();
    fault("--format: '" + text + "' given; allowed: " + joined(allowed, ", "));
    return text_format::text;
}

void reader::raise() const
{
    if (!faults_.empty()) throw bad_request(faults_);
}

} // namespace ivp::cli
