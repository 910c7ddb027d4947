// The fields of a record by name: JSON, CSV and the store are made from this one list.
#ifndef IVP_SRC_MODEL_RECORD_FIELDS_HPP
#define IVP_SRC_MODEL_RECORD_FIELDS_HPP

#include <ivp/settings.hpp>

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
#include <ivp/settings.def>
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
#include <ivp/settings.def>
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

/// The same of what a record was made with, and on.
template <class Build, class Visit>
void for_each_build_field(Build& b, Visit&& visit)
{
    visit("compiler", b.compiler);
    visit("flags", b.flags);
    visit("version", b.version);
    visit("instruction_set", b.instruction_set);
    visit("kernels", b.kernels);
}
template <class Machine, class Visit>
void for_each_machine_field(Machine& m, Visit&& visit)
{
    visit("cpu", m.cpu);
    visit("cores", m.cores);
    visit("os", m.os);
}

/// The counts of two runs side by side: visit(field, what it is called in a sentence, first, second). They are the same on every machine with
/// the same build.
template <class Counted, class Visit>
void for_each_count(const Counted& a, const Counted& b, Visit&& visit)
{
    visit("steps", "steps", a.steps, b.steps);
    visit("accepted", "accepted", a.accepted, b.accepted);
    visit("nfev", "f", a.nfev, b.nfev);
    visit("nfev_jac", "f for Jacobians", a.nfev_jac, b.nfev_jac);
    visit("njac", "Jacobians", a.njac, b.njac);
    visit("nlu", "LUs", a.nlu, b.nlu);
    visit("nsolve", "solves", a.nsolve, b.nsolve);
}

} // namespace ivp

#endif
