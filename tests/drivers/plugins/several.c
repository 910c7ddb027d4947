/* A library with several solvers. Each moves y straight to tend and tells in its message which one was asked. */
#include <ivp/plugin.h>

#include <stdio.h>

static const char* const names[] = {"first-euler", "second-euler", "third-heun"};

int32_t ivp_solver_count(void) { return 3; }

void ivp_solver_describe_nth(int32_t which, ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = names[which], .forms = IVP_ODE, .lowest_order = 1,
                                    .highest_order = which + 1};
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    double f[16];
    const int status = task->n <= 16 ? task->callbacks->f(task->host, task->t0, task->y, f) : IVP_STOP;
    for (int i = 0; status == IVP_OK && i < task->n; ++i) task->y[i] += (task->tend - task->t0) * f[i];
    const ivp_step step = {IVP_VERSIONED(ivp_step), task->t0, task->tend, task->tend - task->t0, task->y, 1, 0, NULL, NULL, NULL, NULL};
    snprintf(result->message, IVP_MESSAGE_SIZE, "this is number %d", (int)task->which);
    result->outcome = task->callbacks->accepted_step(task->host, &step) == IVP_STOP ? IVP_STOPPED : IVP_SUCCESS;
}
