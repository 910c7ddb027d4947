/* Two ends of the plug-in boundary with next to nothing behind them: a solver that only evaluates f, and van der Pol's equation as a problem. */
#include <ivp/plugin.h>

#include <stdlib.h>

void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = "overhead-probe", .forms = IVP_ODE, .lowest_order = 1,
                                    .highest_order = 1};
}

/* max_steps evaluations at the start. The argument is where the result before it says, so that each waits for the one before, as in a solver. */
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    const double never = 1.2345e-67;
    double* const out = calloc((size_t)task->n, sizeof(double));
    int status = out == NULL ? IVP_STOP : IVP_OK;
    for (uint64_t k = 0; k < task->max_steps && status == IVP_OK; ++k)
        status = task->callbacks->f(task->host, task->t0, task->y + (out[0] == never), out);
    result->outcome = status == IVP_OK ? IVP_SUCCESS : IVP_NOT_FINITE;
    result->t = task->tend;
    free(out);
}

static void describe(const void* self, ivp_problem_description* out)
{
    (void)self;
    *out = (ivp_problem_description){IVP_VERSIONED(ivp_problem_description), .id = "vdpol-in-c", .form = IVP_ODE, .n = 2, .tend = 2};
}

static int initial(const void* self, double* y, double* yp)
{
    (void)self;
    (void)yp;
    y[0] = 2;
    y[1] = -0.66;
    return 0;
}

static int f(const void* self, double t, const double* y, double* out)
{
    (void)self;
    (void)t;
    out[0] = y[1];
    out[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) * 1e6;
    return IVP_OK;
}

void ivp_problem_open(ivp_problem* out) { *out = (ivp_problem){IVP_VERSIONED(ivp_problem), .describe = describe, .initial = initial, .f = f}; }
