/* Follows a contract of the future. */
#include "describe.h"

void ivp_solver_describe(ivp_solver_description* out)
{
    describe_as(out, "wrong_version", IVP_ODE);
    out->version = 99;
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    (void)result;
}
