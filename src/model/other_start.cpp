#include "model/other_start.hpp"

#include "base/text.hpp"
#include "model/forwarding.hpp"

#include <algorithm>
#include <cmath>

namespace ivp {

namespace {

class started_elsewhere final : public forwarding_equations {
public:
    started_elsewhere(std::shared_ptr<const equations<double>> of, std::vector<double> y) : forwarding_equations(std::move(of)), y_(std::move(y)) {}
    [[nodiscard]] std::vector<double> initial_values() const override { return y_; }
    [[nodiscard]] std::vector<double> initial_derivatives() const override { return {}; } // those of the other start

private:
    std::vector<double> y_;
};

} // namespace

problem with_start(const problem& p, std::span<const parameter> known, const std::map<std::string, std::string>& values)
{
    if (values.empty()) return p;
    std::vector<std::string> names = p.info().component_names;
    if (names.empty())
        for (int i = 1; i <= p.n(); ++i) names.push_back("y" + std::to_string(i));
    std::vector<double> y = p.in<double>().initial_values();
    std::vector<parameter> all(known.begin(), known.end());
    std::map<std::string, std::string> changed = p.parameters().changed();
    std::vector<std::string> faults;
    for (const auto& [name, text] : values) {
        auto at = std::ranges::find(names, name);
        if (const auto k = name.starts_with('y') ? parse_real(name.substr(1)) : std::nullopt;
            at == names.end() && k && *k >= 1 && *k <= p.n() && *k == std::floor(*k))
            at = names.begin() + static_cast<std::ptrdiff_t>(*k) - 1;
        if (at == names.end()) {
            const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 10)));
            faults.push_back("y0: unknown component '" + name + "'; allowed: " + joined(first, ", ") + (names.size() > first.size() ? ", ..." : "") +
                             nearest_name_hint(name, names));
            continue;
        }
        const auto value = parse_real(text);
        if (!value) {
            faults.push_back("y0: '" + text + "' given for " + name + "; allowed: a finite real number");
            continue;
        }
        if (!changed.emplace("y0(" + *at + ")", text).second) {
            faults.push_back("y0: " + *at + " is given twice, also as " + name + "; allowed: once");
            continue;
        }
        double& here = y[static_cast<std::size_t>(at - names.begin())];
        all.push_back({"y0(" + *at + ")", decimal(here), "-1e308", "1e308", "initial value"});
        here = *value;
    }
    if (!faults.empty()) throw bad_request(std::move(faults));
    problem_info info = p.info();
    if (info.form != form::ode) info.consistent_start = false;
    const auto kept = std::make_shared<const problem>(p);
    const std::shared_ptr<const equations<double>> own(kept, &kept->in<double>());
    return problem(std::move(info), parameter_values(all, changed), std::make_shared<started_elsewhere>(own, std::move(y))).with_chapter(p.chapter());
}

} // namespace ivp
