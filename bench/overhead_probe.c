/* Two ends of the plug-in boundary with next to nothing behind them: a solver that only evaluates, and van der Pol's equation as a problem. */
#include <ivp/plugin.h>

#include <stdlib.h>

/* What is evaluated max_steps times. */
enum { independent_f, chain_of_f, jacobian, kinds };

static const ivp_named_value options[] = {{IVP_VERSIONED(ivp_named_value), .name = "kind", .max = kinds - 1, .whole = 1}};

void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description),
                                    .name = "overhead-probe",
                                    .forms = IVP_ODE,
                                    .flags = IVP_IMPLICIT,
                                    .lowest_order = 1,
                                    .highest_order = 1,
                                    .option_count = 1,
                                    .options = options};
}

/* The next argument of a chain needs every component of the result before it. All ways that are compared call this one function. The factor changes
   no component that is not zero, and makes no number so small that the CPU takes longer for it. */
IVP_EXPORT void overhead_next_argument(int n, const double* start, const double* out, double* y)
{
    for (int i = 0; i < n; ++i) y[i] = start[i] + 1e-30 * *(const volatile double*)(out + i); /* one by one, as f has written them */
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    const int kind = (int)task->options[0];
    const int n = task->n;
    const int band = task->jacobian_kind == IVP_BAND;
    const int ld = band ? task->jacobian_lower + task->jacobian_upper + 1 : n;
    double* const y = calloc((size_t)n, sizeof(double));
    double* const out = calloc((size_t)ld * n, sizeof(double));
    int status = y == NULL || out == NULL ? IVP_STOP : IVP_OK;
    for (int i = 0; i < n && status == IVP_OK; ++i) y[i] = task->y[i];
    const ivp_callbacks* const call = task->callbacks;
    if (kind == jacobian) {
        for (uint64_t k = 0; k < task->max_steps && status == IVP_OK; ++k)
            status = (band ? call->jacobian_band : call->jacobian)(task->host, task->t0, y, out, ld);
    } else if (kind == chain_of_f) {
        for (uint64_t k = 0; k < task->max_steps && status == IVP_OK; ++k) {
            status = call->f(task->host, task->t0, y, out);
            overhead_next_argument(n, task->y, out, y);
        }
    } else {
        for (uint64_t k = 0; k < task->max_steps && status == IVP_OK; ++k) status = call->f(task->host, task->t0, y, out);
    }
    result->outcome = status == IVP_OK ? IVP_SUCCESS : IVP_NOT_FINITE;
    result->t = task->tend;
    free(y);
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

static int df_dy(const void* self, double t, const double* y, double* out)
{
    (void)self;
    (void)t;
    out[0] = 0;
    out[1] = (-2 * y[0] * y[1] - 1) * 1e6;
    out[2] = 1;
    out[3] = (1 - y[0] * y[0]) * 1e6;
    return IVP_OK;
}

void ivp_problem_open(ivp_problem* out)
{
    *out = (ivp_problem){IVP_VERSIONED(ivp_problem), .describe = describe, .initial = initial, .f = f, .jacobian = df_dy};
}
