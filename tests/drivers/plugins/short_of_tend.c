/* Claims success, but ends early (option ends = 0), a hair early (1), late (2), or says nothing of where it ended (3). */
#include "describe.h"

static const ivp_named_value options[] = {{IVP_VERSIONED(ivp_named_value), "ends", 0, 0, 3, 1, 0, "where"}};

void ivp_solver_describe(ivp_solver_description* out)
{
    describe_as(out, "short_of_tend", IVP_ODE);
    out->option_count = 1;
    out->options = options;
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    static const double fraction[] = {0.5, 1 - 1e-14, 2};
    const int ends = (int)task->options[0];
    result->outcome = IVP_SUCCESS;
    if (ends < 3) result->t = fraction[ends] * task->tend;
}
