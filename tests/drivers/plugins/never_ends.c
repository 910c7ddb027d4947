/* Asks for f until it is told to stop, and then lies about how it ended. */
#include "describe.h"

#include <stdlib.h>

void ivp_solver_describe(ivp_solver_description* out) { describe_as(out, "never_ends", IVP_ODE); }

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    double* const out = malloc((size_t)task->n * sizeof(double));
    while (out != NULL && task->callbacks->f(task->host, task->t0, task->y, out) != IVP_STOP) {}
    free(out);
    result->outcome = IVP_SUCCESS;
    result->t = task->tend;
}
