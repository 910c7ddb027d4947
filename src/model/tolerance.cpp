#include <ivp/model/tolerance.hpp>

#include <ivp/scalar/decimal.hpp>

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
        if (relative(i) > 0 && relative(i) < smallest_rtol) {
            faults.push_back("rtol: " + to_text(relative(i)) + " given" + where +
                             "; double precision cannot give more than about 15 digits, allowed: at least " + to_text(smallest_rtol) +
                             " (or 0 with atol > 0)");
            break;
        }
    }
    return faults;
}

} // namespace ivp
