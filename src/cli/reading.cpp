#include "reading.hpp"

#include "model/text.hpp"

#include <ivp/model/parameter.hpp>
#include <ivp/scalar/decimal.hpp>

#include <algorithm>
#include <charconv>

namespace ivp::cli {

double reader::real(const std::string& name, const std::string& text)
{
    if (const auto v = parse_real(text)) return *v;
    fault(name + ": '" + text + "' given; allowed: a finite real number such as 1e-4");
    return 0;
}

std::uint64_t reader::whole(const std::string& name, const std::string& text)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size()) return value;
    if (const auto v = parse_real(text); v && *v >= 0 && *v <= 1e15 && *v == static_cast<double>(static_cast<std::uint64_t>(*v)))
        return static_cast<std::uint64_t>(*v);
    fault(name + ": '" + text + "' given; allowed: a whole number");
    return 1;
}

std::vector<double> reader::reals(const std::string& name, const std::string& text)
{
    std::vector<double> values;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const auto comma = std::min(text.find(',', begin), text.size());
        values.push_back(real(name, text.substr(begin, comma - begin)));
        begin = comma + 1;
    }
    return values;
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
