/* Describes itself, but cannot solve. */
#include "describe.h"

void ivp_solver_describe(ivp_solver_description* out) { describe_as(out, "missing_symbol", IVP_ODE); }
