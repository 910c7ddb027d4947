/* A solver that calls itself radau5, which it is not: Euler's method with equal steps. */
#include <ivp/plugin.h>

#include <stdlib.h>

void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description),
                                    .name = "radau5",
                                    .title = "RADAU5",
                                    .solver_version = "1.0",
                                    .forms = IVP_ODE,
                                    .lowest_order = 1,
                                    .highest_order = 1};
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    enum { steps = 20000 };
    const double h = (task->tend - task->t0) / steps;
    double* const f = malloc((size_t)task->n * sizeof *f);
    result->outcome = f == NULL ? IVP_STOPPED : IVP_SUCCESS;
    for (int k = 0; k < steps && result->outcome == IVP_SUCCESS; ++k) {
        const double t = task->t0 + k * h;
        if (task->callbacks->f(task->host, t, task->y, f) != IVP_OK) {
            result->outcome = IVP_STOPPED;
            break;
        }
        for (int i = 0; i < task->n; ++i) task->y[i] += h * f[i];
        const ivp_step step = {IVP_VERSIONED(ivp_step), t, k == steps - 1 ? task->tend : t + h, h, task->y, 1, 0, NULL, NULL, NULL, NULL};
        if (task->callbacks->accepted_step(task->host, &step) == IVP_STOP) result->outcome = IVP_STOPPED;
    }
    free(f);
}
