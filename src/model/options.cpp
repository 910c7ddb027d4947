#include <ivp/settings.hpp>

#include <ivp/solver.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace ivp {

namespace {

constexpr std::array<std::string_view, 4> algebra_labels{"auto", "dense", "band", "sparse"};

const solver_option* find_option(const solver_info& solver, std::string_view name)
{
    const auto it = std::find_if(solver.options.begin(), solver.options.end(), [name](const solver_option& o) { return o.name == name; });
    return it == solver.options.end() ? nullptr : &*it;
}

std::string allowed_options(const solver_info& solver, std::string_view given)
{
    if (solver.options.empty()) return solver.name + " has none";
    std::vector<std::string> names;
    for (const auto& o : solver.options) names.push_back(o.name);
    return "allowed for " + solver.name + ": " + joined(names, ", ") + nearest_name_hint(given, names);
}

void check_tolerances(const tolerances& tol, const problem& p, const solver_info& solver, std::vector<std::string>& faults)
{
    auto found = tol.validate(p.n());
    faults.insert(faults.end(), found.begin(), found.end());
    if (!found.empty()) return;
    const auto is_zero = [](double v) { return v == 0; };
    if (!solver.takes_zero_rtol && std::any_of(tol.rtol.begin(), tol.rtol.end(), is_zero))
        faults.push_back("rtol: 0 given; " + solver.name + " needs rtol > 0");
    if (!solver.takes_zero_atol && std::any_of(tol.atol.begin(), tol.atol.end(), is_zero))
        faults.push_back("atol: 0 given; " + solver.name + " needs atol > 0");
    if (!solver.takes_vector_tolerance && !tol.scalar())
        faults.push_back("tolerances: one per component given; " + solver.name + " takes one rtol and one atol for all");
}

void check_steps(const solve_options& o, const solver_info& solver, std::vector<std::string>& faults)
{
    if (o.h0) {
        if (!solver.takes_h0)
            faults.push_back("h0: " + to_text(*o.h0) + " given; " + solver.name + " chooses its own first step and takes none");
        else if (!std::isfinite(*o.h0) || *o.h0 <= 0)
            faults.push_back("h0: " + to_text(*o.h0) + " given; allowed: a number above 0");
    }
    if (std::isnan(o.hmax) || o.hmax <= 0) faults.push_back("hmax: " + to_text(o.hmax) + " given; allowed: a number above 0");
    if (o.max_steps == 0) faults.emplace_back("max-steps: 0 given; allowed: a whole number from 1");
    if (o.threads < 1 || o.threads > solver.max_threads)
        faults.push_back("threads: " + std::to_string(o.threads) + " given; allowed for " + solver.name + ": " +
                         (solver.max_threads == 1 ? "1 (it is not parallel)" : "1 to " + std::to_string(solver.max_threads)));
}

void check_special(const solve_options& o, const solver_info& solver, std::vector<std::string>& faults)
{
    for (const auto& [name, value] : o.special) {
        const solver_option* known = find_option(solver, name);
        if (known == nullptr)
            faults.push_back("unknown option '" + name + "'; " + allowed_options(solver, name));
        else if (!(value >= known->min && value <= known->max) || (known->whole && value != std::floor(value)))
            faults.push_back("option '" + name + "': " + to_text(value) + " given; allowed: " + (known->whole ? "a whole number" : "a number") +
                             " from " + to_text(known->min) + " to " + to_text(known->max));
    }
}

} // namespace

std::string_view label(algebra a) { return algebra_labels[static_cast<std::size_t>(a)]; }

std::optional<algebra> algebra_from_label(std::string_view text)
{
    const auto* const it = std::find(algebra_labels.begin(), algebra_labels.end(), text);
    if (it == algebra_labels.end()) return std::nullopt;
    return static_cast<algebra>(it - algebra_labels.begin());
}

double solve_options::option(const solver_info& solver, std::string_view name) const
{
    if (const auto it = special.find(std::string(name)); it != special.end()) return it->second;
    const solver_option* known = find_option(solver, name);
    if (known == nullptr) throw std::logic_error("solver reads an option it does not declare: " + std::string(name));
    return known->value;
}

std::vector<std::string> solve_options::validate(const problem& p, const solver_info& solver) const
{
    std::vector<std::string> faults;
    check_tolerances(tolerance, p, solver, faults);
    check_steps(*this, solver, faults);
    check_special(*this, solver, faults);
    if (!solver.implicit && algebra != algebra::automatic)
        faults.push_back("algebra: '" + std::string(label(algebra)) + "' given; " + solver.name + " is explicit and solves no linear systems");
    if (solver.implicit && algebra == algebra::sparse && !solver.takes_sparse)
        faults.push_back("algebra: 'sparse' given; " + solver.name + " has no sparse linear algebra; allowed: auto, dense" +
                         (solver.takes_band ? ", band" : ""));
    if (solver.implicit && algebra == algebra::band && !solver.takes_band)
        faults.push_back("algebra: 'band' given; " + solver.name + " has no band linear algebra; allowed: auto, dense" +
                         (solver.takes_sparse ? ", sparse" : ""));
    return faults;
}

} // namespace ivp
