/* Says version 1, but its description cannot hold what version 1 has. */
#include "describe.h"

void ivp_solver_describe(ivp_solver_description* out)
{
    describe_as(out, "short_description", IVP_ODE);
    out->size = 16;
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    (void)result;
}
