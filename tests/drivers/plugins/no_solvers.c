/* A library that promises several solvers and has none. */
#include <ivp/plugin.h>

int32_t ivp_solver_count(void) { return 0; }
void ivp_solver_describe_nth(int32_t which, ivp_solver_description* out)
{
    (void)which;
    (void)out;
}
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    result->outcome = IVP_SUCCESS;
}
