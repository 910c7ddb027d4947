#include <ivp/model/parameter.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace ivp {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row.back();
}

} // namespace

bad_request::bad_request(std::vector<std::string> faults) : std::invalid_argument(joined(faults, "\n")), faults_(std::move(faults)) {}

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

std::string nearest_name_hint(std::string_view typed, std::span<const std::string> names)
{
    const std::string* best = nullptr;
    std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 2); // farther than half the word is no help
    for (const auto& n : names) {
        const std::size_t d = n.starts_with(typed) && typed.size() >= 3 ? 1 : edit_distance(typed, n);
        if (d <= best_distance && (best == nullptr || d < best_distance)) {
            best = &n;
            best_distance = d;
        }
    }
    return best == nullptr ? std::string{} : "; did you mean '" + *best + "'?";
}

} // namespace ivp
