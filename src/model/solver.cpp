#include <ivp/solver.hpp>

#include "base/text.hpp"
#include "limits.hpp"

#include <algorithm>

namespace ivp {

namespace {

std::string equation_of(form f)
{
    switch (f) {
    case form::ode: return "y' = f(t, y)";
    case form::dae: return "M y' = f(t, y) with constant M";
    case form::ide: return "G(t, y, y') = 0";
    }
    return {};
}

} // namespace

bool solver_info::takes(form f) const
{
    const auto listed = [this](form g) { return std::find(forms.begin(), forms.end(), g) != forms.end(); };
    return listed(f) || (f == form::ode && listed(form::dae));
}

int solver_info::most_threads(const problem& p) const
{
    if (max_threads > 1 || origin == "plug-in") return std::max(1, max_threads);
    return p.in<double>().pieces_of_f().count > 1 ? limits::most_threads : independent_matrices;
}

std::optional<std::string> solver_info::refusal(const problem& p, const std::map<std::string, double>& special, jacobian_source jacobian) const
{
    const auto& i = p.info();
    if (!takes(i.form)) {
        std::vector<std::string> allowed;
        for (const form f : forms) allowed.push_back(equation_of(f));
        return name + " cannot take " + i.id + ": the problem has the form " + equation_of(i.form) + ", " + name + " solves " +
               joined(allowed, " or ");
    }
    const auto lifted = special.find(index_option);
    if (i.highest_index > highest_index && (lifted == special.end() || lifted->second == 0))
        return name + " cannot take " + i.id + ": the problem has index " + std::to_string(i.highest_index) + ", " + name +
               (highest_index == 0 ? " solves ordinary differential equations only"
                                   : " solves problems up to index " + std::to_string(highest_index)) +
               (index_option.empty() ? "" : " (--opt " + index_option + "=1 tries it anyway)");
    if (!needs_exact_jacobian) return std::nullopt;
    if (!p.in<double>().has_exact_jacobian())
        return name + " cannot take " + i.id + ": the problem has no exact Jacobian, and " + name + " needs one";
    if (jacobian == jacobian_source::original) jacobian = i.protocol.published_jacobian;
    if (jacobian == jacobian_source::differences)
        return name + " cannot take " + i.id + " with difference quotients: it needs the exact Jacobian ('--jacobian exact')";
    return std::nullopt;
}

} // namespace ivp
