/* Leaves the working directory of whoever loads it, and again when it is asked. */
#include "describe.h"

#include <unistd.h>

static void leave(void)
{
    if (chdir("/") != 0) _exit(1);
}

__attribute__((constructor)) static void start(void) { leave(); }

void ivp_solver_describe(ivp_solver_description* out)
{
    leave();
    describe_as(out, "wanders", IVP_ODE);
}
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    result->t = task->t0;
    result->outcome = IVP_STEP_TOO_SMALL;
}
