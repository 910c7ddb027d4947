#include "left_out.hpp"

#include <algorithm>

namespace ivp {

std::vector<std::string> reasons_to_leave_out(const solver_info& solver, const problem& p, const run_settings& settings)
{
    if (auto why = solver.refusal(p, settings.special, settings.jacobian)) return {std::move(*why)};
    if (p.info().protocol.vector_rule && !settings.same_atol && !solver.takes_vector_tolerance)
        return {solver.name + " takes one rtol and one atol for all components; " + p.id() + " has tolerances for each"};
    return {};
}

std::vector<std::string> reasons_to_leave_out(const solver_info& solver, const problem& p, run_settings settings, std::span<const double> rtol)
{
    auto reasons = reasons_to_leave_out(solver, p, settings);
    if (!reasons.empty()) return reasons;
    for (const double tolerance : rtol) {
        settings.rtol = tolerance;
        try {
            (void)resolve(settings, p, solver);
        } catch (const bad_request& e) {
            for (const auto& fault : e.faults())
                if (std::ranges::find(reasons, fault) == reasons.end()) reasons.push_back(fault);
        }
    }
    return reasons;
}

} // namespace ivp
