// The constants of ivp/plugin.h and what they are on our side.
#ifndef IVP_DRIVERS_PLUGIN_CODES_HPP
#define IVP_DRIVERS_PLUGIN_CODES_HPP

#include <ivp/model/options.hpp>
#include <ivp/model/outcome.hpp>
#include <ivp/model/problem.hpp>
#include <ivp/plugin.h>

#include <cstdint>
#include <optional>

namespace ivp::plugin {

int status_of(evaluation e);
std::int32_t code_of(form f);
std::int32_t code_of(structure_kind k);
std::int32_t code_of(algebra a);
std::int32_t code_of(mass_kind k);
/// Of what a solver claims; none: it is no outcome, or not for a solver to claim.
std::optional<outcome> outcome_of(std::int32_t claimed);

} // namespace ivp::plugin

#endif
