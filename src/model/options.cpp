#include <ivp/settings.hpp>

#include <ivp/solver.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace ivp {

namespace {

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

void check_threads(const solve_options& o, const problem& p, const solver_info& solver, std::vector<std::string>& faults)
{
    const int most = solver.most_threads(p);
    if (o.threads <= most) return;
    std::string allowed = "1 to " + std::to_string(most);
    if (most == 1) allowed = "1 (it is not parallel, and the problem does not say how f falls into pieces)";
    faults.push_back("threads: " + std::to_string(o.threads) + " given; allowed for " + solver.name + ": " + allowed);
}

void check_settings(const solve_options& o, const solver_info& solver, std::vector<std::string>& faults)
{
    const auto found = integration_faults(o);
    faults.insert(faults.end(), found.begin(), found.end());
    if (o.h0 && !solver.takes_h0) faults.push_back("h0: " + to_text(*o.h0) + " given; " + solver.name + " chooses its own first step and takes none");
}

void check_special(const solve_options& o, const solver_info& solver, std::vector<std::string>& faults)
{
    for (const auto& [name, value] : o.special) {
        const solver_option* const known = find_option(solver.options, name);
        if (known == nullptr)
            faults.push_back("unknown option '" + name + "'; " + allowed_options(solver, name));
        else if (!known->takes(value))
            faults.push_back("option '" + name + "': " + to_text(value) + " given; allowed: " + known->allowed());
    }
}

} // namespace

std::vector<std::string> solve_options::validate(const problem& p, const solver_info& solver) const
{
    std::vector<std::string> faults;
    check_tolerances(tolerance, p, solver, faults);
    check_settings(*this, solver, faults);
    check_threads(*this, p, solver, faults);
    check_special(*this, solver, faults);
    if (!solver.implicit && algebra != algebra::automatic)
        faults.push_back("algebra: '" + std::string(label(algebra)) + "' given; " + solver.name + " is explicit and solves no linear systems");
    const bool has_it = algebra == algebra::band     ? solver.takes_band
                        : algebra == algebra::sparse ? solver.takes_sparse
                        : algebra == algebra::krylov ? solver.takes_krylov
                                                     : true;
    if (solver.implicit && !has_it)
        faults.push_back("algebra: '" + std::string(label(algebra)) + "' given; " + solver.name + " has no " + std::string(label(algebra)) +
                         " linear algebra; allowed: auto, dense" + (solver.takes_band ? ", band" : "") + (solver.takes_sparse ? ", sparse" : "") +
                         (solver.takes_krylov ? ", krylov" : ""));
    return faults;
}

} // namespace ivp
