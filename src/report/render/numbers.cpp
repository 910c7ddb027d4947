#include "numbers.hpp"

#include "base/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

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
    if (!std::isfinite(value)) return "inf";
    if (m == medium::text) {
        const auto [mantissa, exponent] = split(value, 1);
        return fmt::format("{}e{:+03d}", mantissa, exponent);
    }
    if (const auto exponent = ladder_exponent(value))
        return m == medium::tex ? fmt::format("$10^{{{:.4g}}}$", *exponent)
               : *exponent < 0  ? fmt::format("10<sup>−{:.4g}</sup>", -*exponent)
                                : fmt::format("10<sup>{:.4g}</sup>", std::abs(*exponent));
    const auto [mantissa, exponent] = split(value, 2);
    if (m == medium::html) return fmt::format("{}\u00B710<sup>{}{}</sup>", mantissa, exponent < 0 ? "−" : "", std::abs(exponent));
    return fmt::format("${}\\cdot10^{{{}}}$", mantissa, exponent);
}

std::string digits_or_dash(const std::optional<double>& d) { return d ? digits_number(medium::text, d) : "-"; }

std::string residual_number(medium m, double value)
{
    if (value == 0) return "0";
    std::string text = fmt::format("{:.1e}", value);
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
    if (!(s > 0)) return "0\u202Fs";
    // Rounded first: 0.9996 ms is 1 ms.
    const double rounded = std::strtod(fmt::format("{:.2e}", s).c_str(), nullptr);
    const auto with_unit = [rounded](double factor, const char* unit) {
        const double v = rounded * factor;
        return fmt::format("{:.{}f}\u202F{}", v, v < 9.995 ? 2 : v < 99.95 ? 1 : 0, unit);
    };
    return rounded < 1e-3 ? with_unit(1e6, "µs") : rounded < 1 ? with_unit(1e3, "ms") : with_unit(1, "s");
}

std::string with_rounded_figures(std::string_view text)
{
    constexpr std::size_t enough = 4; // digits
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const bool begins =
            text[at] >= '0' && text[at] <= '9' && (at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '.'));
        if (!begins) {
            out += text[at++];
            continue;
        }
        std::size_t end = at;
        std::size_t digits = 0;
        bool point = false;
        for (; end < text.size() && ((text[end] >= '0' && text[end] <= '9') || (text[end] == '.' && !point)); ++end) {
            if (text[end] == '.')
                point = true;
            else
                ++digits;
        }
        if (end > at && text[end - 1] == '.') { // the end of a sentence
            --end;
            point = false;
        }
        if (point && end + 1 < text.size() && text[end] == 'e' && (text[end + 1] == '-' || text[end + 1] == '+'))
            for (end += 2; end < text.size() && text[end] >= '0' && text[end] <= '9';) ++end;
        const std::string_view number = text.substr(at, end - at);
        out += point && digits > enough ? fmt::format("{:.4g}", std::strtod(std::string(number).c_str(), nullptr)) : std::string(number);
        at = end;
    }
    return out;
}

std::string figures_in_html(std::string_view text)
{
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const auto digits_from = [&](std::size_t at) {
        while (at < text.size() && is_digit(text[at])) ++at;
        return at;
    };
    /// Behind the whole number that begins there, with or without a sign; `at` itself: none does.
    const auto end_of_power = [&](std::size_t at) {
        const std::size_t first = at + (at < text.size() && (text[at] == '-' || text[at] == '+') ? 1 : 0);
        const std::size_t end = digits_from(first);
        return end == first || (end < text.size() && is_letter(text[end])) ? at : end;
    };
    const auto raised = [&](std::size_t from, std::size_t to) {
        const bool negative = text[from] == '-';
        auto power = text.substr(from, to - from);
        power.remove_prefix(std::min(power.find_first_not_of("+-0"), power.size() - 1));
        return fmt::format("<sup>{}{}</sup>", negative && power != "0" ? "−" : "", power);
    };
    std::string html;
    std::size_t written = 0; // whole pieces of text are escaped, since a character may have several bytes
    const auto replace = [&](std::size_t from, std::size_t to, const std::string& with) {
        html += html_escaped(text.substr(written, from - written)) + with;
        written = to;
        return to;
    };
    for (std::size_t at = 0; at < text.size();) {
        const char before = at == 0 ? ' ' : text[at - 1];
        if (is_digit(text[at]) && !is_letter(before) && !is_digit(before) && before != '.') {
            std::size_t end = digits_from(at);
            if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) end = digits_from(end + 1);
            const auto last = end < text.size() && text[end] == 'e' ? end_of_power(end + 1) : 0;
            if (last > end + 1) {
                const auto mantissa = text.substr(at, end - at);
                end = replace(at, last, (mantissa == "1" ? "10" : std::string(mantissa) + "·10") + raised(end + 1, last));
            }
            at = end;
        } else if (const auto last = text[at] == '^' && (is_letter(before) || is_digit(before) || before == ')') ? end_of_power(at + 1) : 0;
                   last > at + 1) {
            at = replace(at, last, raised(at + 1, last));
        } else if (text.substr(at).starts_with("->")) {
            at = replace(at, at + 2, "→");
        } else {
            ++at;
        }
    }
    return html + html_escaped(text.substr(written));
}

} // namespace ivp
