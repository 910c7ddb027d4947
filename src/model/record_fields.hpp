// The fields of a record by name: JSON, CSV and the store are made from this one list.
#ifndef IVP_SRC_MODEL_RECORD_FIELDS_HPP
#define IVP_SRC_MODEL_RECORD_FIELDS_HPP

#include <ivp/model/settings.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace ivp {

/// Fields that the first records did not have: in older ones they are absent and have their default.
inline bool came_later(std::string_view field)
{
    constexpr std::array<std::string_view, 4> names{"problem_origin", "library", "library_slowdown", "rtol_asked"};
#define IVP_SETTING(member, name, type, value, since, ...) \
    if (since > 1 && field == name) return true;
#include <ivp/model/settings.def>
    return std::find(names.begin(), names.end(), field) != names.end();
}

/// In the order in which they are written.
template <class Record, class Visit>
void for_each_field(Record& r, Visit&& visit)
{
    visit("problem", r.problem);
    visit("problem_origin", r.problem_origin);
    visit("parameters", r.parameters);
    visit("solver", r.solver);
    visit("solver_version", r.solver_version);
    visit("solver_origin", r.solver_origin);
    visit("solver_language", r.solver_language);
    visit("library", r.library);
    visit("library_slowdown", r.library_slowdown);
    visit("form", r.form);
    visit("dimension", r.dimension);
    visit("t0", r.t0);
    visit("tend", r.tend);
    visit("rtol_asked", r.rtol_asked);
    visit("rtol", r.rtol);
    visit("atol", r.atol);
#define IVP_SETTING(member, name, ...) visit(name, r.member);
#include <ivp/model/settings.def>
    visit("options", r.options);
    visit("outcome", r.outcome);
    visit("message", r.message);
    visit("t_end_reached", r.t_end_reached);
    visit("y", r.y);
    visit("scd", r.scd);
    visit("scd_abs", r.scd_abs);
    visit("mescd", r.mescd);
    visit("steps", r.steps);
    visit("accepted", r.accepted);
    visit("rejected", r.rejected);
    visit("nfev", r.nfev);
    visit("nfev_jac", r.nfev_jac);
    visit("njac", r.njac);
    visit("nlu", r.nlu);
    visit("nsolve", r.nsolve);
    visit("cpu_s", r.cpu_s);
    visit("wall_s", r.wall_s);
    visit("repeats", r.repeats);
    visit("cpu_samples", r.cpu_samples);
    visit("wall_samples", r.wall_samples);
    visit("claimed", r.claimed);
    visit("build", r.build);
    visit("machine", r.machine);
    visit("command", r.command);
    visit("extra", r.extra);
}

} // namespace ivp

#endif
