#include <ivp/problem.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <cmath>

namespace ivp {

parameter_values::parameter_values(std::span<const parameter> known, const std::map<std::string, std::string>& given)
{
    for (const auto& p : known) values_.emplace(p.name, p.value);

    std::vector<std::string> faults;
    for (const auto& [name, text] : given) {
        const auto it = std::find_if(known.begin(), known.end(), [&n = name](const parameter& p) { return p.name == n; });
        if (it == known.end()) {
            std::vector<std::string> names;
            for (const auto& p : known) names.push_back(p.name);
            faults.push_back("unknown parameter '" + name + "'" +
                             (names.empty() ? std::string("; this problem has no parameters")
                                            : "; allowed: " + joined(names, ", ") + nearest_name_hint(name, names)));
            continue;
        }
        const auto value = parse_real(text);
        const std::string range = (it->whole ? "a whole number from " : "a number from ") + it->min.text() + " to " + it->max.text();
        if (!value || *value < it->min.value() || *value > it->max.value() || (it->whole && *value != std::floor(*value))) {
            faults.push_back("parameter '" + name + "': '" + text + "' given; allowed: " + range);
            continue;
        }
        decimal d(text);
        if (d.value() != it->value.value()) changed_[name] = d.text();
        values_.insert_or_assign(name, std::move(d));
    }
    if (!faults.empty()) throw bad_request(std::move(faults));
}

const decimal& parameter_values::find(std::string_view name) const
{
    const auto it = values_.find(name);
    if (it == values_.end()) throw std::logic_error("problem reads a parameter it does not declare: " + std::string(name));
    return it->second;
}

} // namespace ivp
