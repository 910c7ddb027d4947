#include <ivp/scalar.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace ivp {

namespace {

// from_chars knows neither Fortran's exponent letter nor a leading plus sign.
std::string normalised(std::string_view text)
{
    std::string s(text);
    if (s.size() > 1 && s[0] == '+' && s[1] != '-') s.erase(0, 1);
    std::replace(s.begin(), s.end(), 'd', 'e');
    std::replace(s.begin(), s.end(), 'D', 'e');
    return s;
}

} // namespace

std::optional<double> parse_real(std::string_view text)
{
    const std::string s = normalised(text);
    double value = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc{} || end != s.data() + s.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::string to_text(double value)
{
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, end};
}

decimal::decimal(const std::string& text) : value_(0), text_(normalised(text))
{
    const auto value = parse_real(text_);
    if (!value) throw std::invalid_argument("not a real number: '" + text + "'");
    value_ = *value;
}

} // namespace ivp
