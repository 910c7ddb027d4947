#include "model/limits.hpp"
#include "model/sweep.hpp"

#include <ivp/problem.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ivp {

namespace {

void check_values(const char* name, const std::vector<double>& values, int n, std::vector<std::string>& faults)
{
    const std::size_t count = values.size();
    if (count != 1 && count != static_cast<std::size_t>(n))
        faults.push_back(std::string(name) + ": " + std::to_string(count) + " values given; allowed: 1 value or " + std::to_string(n) +
                         " (one per component)");
    for (std::size_t i = 0; i < count; ++i)
        if (!std::isfinite(values[i]) || values[i] < 0)
            faults.push_back(std::string(name) + (count > 1 ? " of component " + std::to_string(i + 1) : "") + ": " + to_text(values[i]) +
                             " given; allowed: a finite number that is not negative");
}

} // namespace

std::vector<std::string> tolerances::validate(int n) const
{
    std::vector<std::string> faults;
    check_values("rtol", rtol, n, faults);
    check_values("atol", atol, n, faults);
    if (!faults.empty()) return faults;

    for (int i = 0; i < n; ++i) {
        const std::string where = scalar() ? "" : " (component " + std::to_string(i + 1) + ")";
        if (relative(i) == 0 && absolute(i) == 0) {
            faults.push_back("rtol = 0 needs atol > 0; given: rtol 0, atol 0" + where);
            break;
        }
        const std::string range = "allowed: from " + to_text(smallest_rtol) + " to " + to_text(largest_rtol) + " (or 0 with atol > 0)";
        if (relative(i) > 0 && relative(i) < smallest_rtol) {
            faults.push_back("rtol: " + to_text(relative(i)) + " given" + where + "; double precision cannot give more than about 15 digits; " +
                             range);
            break;
        }
        if (relative(i) > largest_rtol) {
            faults.push_back("rtol: " + to_text(relative(i)) + " given" + where + "; at such a tolerance no digit of the result need be correct; " +
                             range);
            break;
        }
    }
    return faults;
}

double as_decimal(double value, int digits)
{
    if (!std::isfinite(value)) return value;
    char text[40];
    const auto written = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, digits - 1);
    double decimal = value;
    std::from_chars(text, written.ptr, decimal);
    return decimal;
}

double ladder_rung(double from, int m, double per_decade, int digits)
{
    const double decades = -m / per_decade;
    constexpr double furthest = 300; // beyond it the power may not be a double although the rung is one
    if (std::abs(decades) < furthest) return as_decimal(from * std::pow(10.0, decades), digits);
    const long double power = std::pow(10.0L, -static_cast<long double>(m) / per_decade);
    return as_decimal(static_cast<double>(from * power), digits);
}

double ladder_length(double from, double to, double per_decade)
{
    const double decades = std::abs(std::log10(from) - std::log10(to)); // the ratio may not be a double
    return std::floor(decades * per_decade + 1e-9) + 1;                 // 1e-9: rounding of the logarithms
}

std::vector<double> tolerance_ladder(double from, double to, double per_decade)
{
    const double length = ladder_length(from, to, per_decade);
    if (!(length <= limits::longest_ladder))
        throw bad_request("a ladder of " + to_text(length) + " values from " + to_text(from) + " to " + to_text(to) + "; allowed: at most " +
                          to_text(limits::longest_ladder));
    std::vector<double> rungs;
    for (int m = 0; m < static_cast<int>(length); ++m) rungs.push_back(ladder_rung(from, from < to ? -m : m, per_decade));
    return rungs;
}

double comparable_tolerance(double value) { return as_decimal(value, 12); }
bool same_tolerance(double a, double b) { return comparable_tolerance(a) == comparable_tolerance(b); }
bool same_tolerance(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::ranges::equal(a, b, [](double x, double y) { return same_tolerance(x, y); });
}

} // namespace ivp
