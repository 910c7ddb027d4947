#include "codes.hpp"

namespace ivp::plugin {

std::int32_t code_of(form f)
{
    switch (f) {
    case form::ode: return IVP_ODE;
    case form::dae: return IVP_DAE;
    case form::ide: return IVP_IDE;
    }
    return 0;
}

std::int32_t code_of(structure_kind k) { return k == structure_kind::full ? IVP_FULL : k == structure_kind::band ? IVP_BAND : IVP_SPARSE; }

std::int32_t code_of(algebra a)
{
    switch (a) {
    case algebra::automatic: return IVP_ALGEBRA_AUTO;
    case algebra::dense: return IVP_ALGEBRA_DENSE;
    case algebra::band: return IVP_ALGEBRA_BAND;
    case algebra::sparse: return IVP_ALGEBRA_SPARSE;
    case algebra::krylov: break; // no plug-in says that it takes it
    }
    return 0;
}

std::int32_t code_of(mass_kind k)
{
    switch (k) {
    case mass_kind::identity: return IVP_MASS_IDENTITY;
    case mass_kind::diagonal: return IVP_MASS_DIAGONAL;
    case mass_kind::band: return IVP_MASS_BAND;
    case mass_kind::full:
    case mass_kind::sparse: return IVP_MASS_FULL; // plug-ins know no sparse M
    }
    return 0;
}

std::optional<outcome> outcome_of(std::int32_t claimed)
{
    switch (claimed) {
    case IVP_SUCCESS: return outcome::success;
    case IVP_TOO_MANY_STEPS: return outcome::too_many_steps;
    case IVP_STEP_TOO_SMALL: return outcome::step_too_small;
    case IVP_NEWTON_FAILED: return outcome::newton_failed;
    case IVP_ERROR_TEST_FAILED: return outcome::error_test_failed;
    case IVP_SINGULAR_MATRIX: return outcome::singular_matrix;
    case IVP_NOT_FINITE: return outcome::nonfinite;
    case IVP_OUT_OF_MEMORY: return outcome::out_of_memory;
    default: return std::nullopt;
    }
}

} // namespace ivp::plugin
