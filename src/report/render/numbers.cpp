#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp {

namespace {

/// The exponent of a tolerance that is on a ladder with 1, 2, 4 or 8 steps in a decade.
std::optional<double> ladder_exponent(double value)
{
    const double exponent = std::log10(value);
    const double eighths = std::round(exponent * 8) / 8;
    if (std::abs(exponent - eighths) < 1e-6) return eighths;
    return std::nullopt;
}

struct scientific {
    std::string mantissa; ///< without zeros at its end
    int exponent;
};

scientific split(double value, int decimals)
{
    const std::string text = fmt::format("{:.{}e}", value, decimals);
    const auto e = text.find('e');
    std::string mantissa = text.substr(0, e);
    if (mantissa.find('.') != std::string::npos) mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.ends_with('.')) mantissa.pop_back();
    return {mantissa, std::stoi(text.substr(e + 1))};
}

} // namespace

std::string tolerance_number(medium m, double value)
{
    if (!(value > 0)) return "0";
    if (m == medium::text) {
        const auto [mantissa, exponent] = split(value, 1);
        return fmt::format("{}e{:+03d}", mantissa, exponent);
    }
    if (const auto exponent = ladder_exponent(value))
        return m == medium::tex ? fmt::format("$10^{{{:.4g}}}$", *exponent)
               : *exponent < 0  ? fmt::format("10<sup>−{:.4g}</sup>", -*exponent)
                                : fmt::format("10<sup>{:.4g}</sup>", std::abs(*exponent));
    if (m == medium::html) return fmt::format("{:.3g}", value);
    const auto [mantissa, exponent] = split(value, 2);
    return fmt::format("${}\\cdot10^{{{}}}$", mantissa, exponent);
}

std::string digits_or_dash(const std::optional<double>& d) { return d ? digits_number(medium::text, d) : "-"; }

std::string residual_number(medium m, double value)
{
    if (value == 0) return "0";
    const std::string text = fmt::format("{:.1e}", value);
    if (m == medium::text || !std::isfinite(value)) return text;
    const auto e = text.find('e');
    const int exponent = std::stoi(text.substr(e + 1));
    if (m == medium::tex) return fmt::format("${}\\cdot10^{{{}}}$", text.substr(0, e), exponent);
    return fmt::format("{}\u00B710<sup>{}{}</sup>", text.substr(0, e), exponent < 0 ? "−" : "", std::abs(exponent));
}

std::string digits_number(medium m, const std::optional<double>& d, int decimals)
{
    if (!d) return "";
    std::string text = fmt::format("{:.{}f}", *d, decimals);
    if (text.find_first_not_of("-0.") == std::string::npos) text.erase(0, text.find_first_not_of('-')); // no "-0.00"
    if (m == medium::text || !text.starts_with('-')) return text;
    return m == medium::html ? "−" + text.substr(1) : "$" + text + "$";
}

std::string count_number(medium m, std::uint64_t n)
{
    std::string text = std::to_string(n);
    if (m != medium::html) return text;
    for (int at = static_cast<int>(text.size()) - 3; at > 0 && text.size() > 4; at -= 3) text.insert(static_cast<std::size_t>(at), "\u202F");
    return text;
}

std::string seconds_number(medium m, double s)
{
    if (m == medium::tex) {
        if (!std::isfinite(s) || s < 0) return "\\multicolumn{2}{c@{}}{}";
        const int decimals = s > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(s))), 1, 9) : 1;
        std::string text = fmt::format("{:.{}f}", s, decimals);
        text.replace(text.find('.'), 1, " & ");
        return text;
    }
    if (!std::isfinite(s)) return "";
    if (m == medium::text) return fmt::format("{:.2e}", s);
    std::string text = s < 0.1 ? fmt::format("{:.2e}", s) : fmt::format("{:.3g}", s);
    if (const auto e = text.find("e-0"); e != std::string::npos) text.erase(e + 2, 1);
    return text;
}

} // namespace ivp
