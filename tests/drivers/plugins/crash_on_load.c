/* Breaks down before anybody can ask it anything. */
#include "describe.h"

#include <signal.h>

__attribute__((constructor)) static void crash(void) { raise(SIGSEGV); }

void ivp_solver_describe(ivp_solver_description* out) { describe_as(out, "crash_on_load", IVP_ODE); }
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    (void)result;
}
