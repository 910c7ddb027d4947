// The constants of ivp/plugin.h and what they are on our side.
#ifndef IVP_DRIVERS_PLUGIN_CODES_HPP
#define IVP_DRIVERS_PLUGIN_CODES_HPP

#include <ivp/evaluator.hpp>
#include <ivp/plugin.h>
#include <ivp/problem.hpp>
#include <ivp/settings.hpp>

#include <cstdint>
#include <optional>

namespace ivp::plugin {

/// Of what others count: more is no count of anything, and a double does not hold it.
constexpr std::int64_t largest_count = std::int64_t{1} << 53;

constexpr int status_of(evaluation e)
{
    static_assert(static_cast<int>(evaluation::ok) == IVP_OK && static_cast<int>(evaluation::refused) == IVP_REFUSED &&
                  static_cast<int>(evaluation::nonfinite) == IVP_NONFINITE && static_cast<int>(evaluation::stopped) == IVP_STOP);
    return static_cast<int>(e);
}
std::int32_t code_of(form f);
std::int32_t code_of(structure_kind k);
std::int32_t code_of(algebra a);
std::int32_t code_of(mass_kind k);
/// Of what a solver claims; none: it is no outcome, or not for a solver to claim.
std::optional<outcome> outcome_of(std::int32_t claimed);

} // namespace ivp::plugin

#endif
