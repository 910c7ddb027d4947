/* Fills in nothing but what every struct begins with. */
#include <ivp/plugin.h>

void ivp_solver_describe(ivp_solver_description* out) { *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = ""}; }

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    (void)result;
}
