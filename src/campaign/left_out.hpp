// Who takes no part in a group of runs, and why.
#ifndef IVP_CAMPAIGN_LEFT_OUT_HPP
#define IVP_CAMPAIGN_LEFT_OUT_HPP

#include <ivp/model/solver.hpp>

#include <map>
#include <optional>
#include <string>

namespace ivp {

/// Why a solver of a plan cannot take this problem as its protocol wants it, in a sentence; none: it can.
inline std::optional<std::string> reason_to_leave_out(const solver_info& solver, const problem& p, const std::map<std::string, double>& options,
                                                      jacobian_source jacobian)
{
    if (auto why = solver.refusal(p, options, jacobian)) return why;
    if (p.info().protocol.vector_rule && !solver.takes_vector_tolerance)
        return solver.name + " takes one rtol and one atol for all components; " + p.id() + " has tolerances for each";
    return std::nullopt;
}

} // namespace ivp

#endif
