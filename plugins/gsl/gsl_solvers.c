/* Solvers of the GNU Scientific Library (odeiv2) for ivp, as a plug-in of its own: gsl-msbdf, gsl-rk4imp, gsl-bsimp, gsl-rk8pd.
 *
 * The library gets what every solver gets: the exact Jacobian (and df/dt), the tolerances of the problem, no limit on the steps but the platform's.
 * What is its own stays so: its error test is max |estimate_i| / (atol_i + rtol |y_i|) <= 1.1, the step changes only outside of 0.5 to 1.1, and by
 * 0.2 to 5.
 *
 * GSL is under the GNU General Public License, and so is everything linked with it: see README.md. */
#include <ivp/plugin.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_version.h>

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char* name;
    const char* title;
    int lowest_order, highest_order;
    int implicit;
    int extrapolated;
    const char* reference;
} method;

enum { msbdf, rk4imp, bsimp, rk8pd, method_count };
static const method methods[method_count] = {
    [msbdf] = {"gsl-msbdf", "GSL msbdf", 1, 5, 1, 0, "GSL reference manual: BDF with variable coefficients, in Nordsieck form"},
    [rk4imp] = {"gsl-rk4imp", "GSL rk4imp", 4, 4, 1, 0,
                "GSL reference manual: Gaussian implicit Runge-Kutta method of order 4, error by step doubling"},
    [bsimp] = {"gsl-bsimp", "GSL bsimp", 2, 14, 1, 1, "G. Bader, P. Deuflhard, Numer. Math. 41 (1983) 373-398"},
    [rk8pd] = {"gsl-rk8pd", "GSL rk8pd", 8, 8, 0, 1, "P. J. Prince, J. R. Dormand, J. Comput. Appl. Math. 7 (1981) 67-75"},
};

static const gsl_odeiv2_step_type* type_of(int which)
{
    switch (which) {
    case msbdf: return gsl_odeiv2_step_msbdf;
    case rk4imp: return gsl_odeiv2_step_rk4imp;
    case bsimp: return gsl_odeiv2_step_bsimp;
    default: return gsl_odeiv2_step_rk8pd;
    }
}

int32_t ivp_solver_count(void) { return method_count; }

void ivp_solver_describe_nth(int32_t which, ivp_solver_description* out)
{
    const method* const m = &methods[which];
    *out = (ivp_solver_description){
        IVP_VERSIONED(ivp_solver_description),
        .name = m->name,
        .title = m->title,
        .solver_version = GSL_VERSION,
        .language = "C",
        .error_norm = "largest component of the estimate divided by atol + rtol |y|; accepted up to 1.1",
        .lu_unit = "not counted: the library does not tell",
        .reference = m->reference,
        .forms = IVP_ODE,
        .flags = (m->implicit ? IVP_IMPLICIT : 0) | IVP_TAKES_H0 | IVP_TAKES_ZERO_RTOL | IVP_TAKES_VECTOR_TOLERANCES | IVP_GIVES_ERROR_ESTIMATE |
                 (m->extrapolated ? IVP_LOCALLY_EXTRAPOLATED : 0),
        .lowest_order = m->lowest_order,
        .highest_order = m->highest_order,
    };
}

/* What the library's callbacks reach. */
typedef struct {
    const ivp_task* task;
    double *column, *stage, *here; /* n each */
    int64_t nfev, njac;
    int last_status; /* of an evaluation that was not IVP_OK */
} boundary;

/* GSL tries a smaller step after any failure, except these: then it returns. */
static int gsl_answer(boundary* b, int status)
{
    if (status == IVP_OK) return GSL_SUCCESS;
    b->last_status = status;
    return status == IVP_STOP ? GSL_EBADFUNC : GSL_EFAILED;
}

static int f(double t, const double y[], double out[], void* data)
{
    boundary* const b = data;
    ++b->nfev;
    return gsl_answer(b, b->task->callbacks->f(b->task->host, t, y, out));
}

/* dfdy by rows, as GSL has it. */
static int exact_jacobian(boundary* b, double t, const double* y, double* dfdy, double* dfdt)
{
    const ivp_task* const task = b->task;
    const int n = task->n;
    int status = task->callbacks->jacobian(task->host, t, y, dfdy, n);
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) {
            const double exchanged = dfdy[(size_t)i * n + j];
            dfdy[(size_t)i * n + j] = dfdy[(size_t)j * n + i];
            dfdy[(size_t)j * n + i] = exchanged;
        }
    if (status == IVP_OK) status = task->callbacks->time_derivative(task->host, t, y, dfdt);
    return status;
}

static int difference_jacobian(boundary* b, double t, const double* y, double* dfdy, double* dfdt)
{
    const ivp_task* const task = b->task;
    const int n = task->n;
    const double root = sqrt(DBL_EPSILON);
    task->callbacks->jacobian_by_differences(task->host);
    memcpy(b->stage, y, (size_t)n * sizeof(double));
    int status = task->callbacks->f_difference(task->host, t, y, b->here);
    for (int j = 0; j < n && status == IVP_OK; ++j) {
        b->stage[j] = y[j] + root * fmax(fabs(y[j]), task->atol[j]);
        status = task->callbacks->f_difference(task->host, t, b->stage, b->column);
        for (int i = 0; i < n; ++i) dfdy[(size_t)i * n + j] = (b->column[i] - b->here[i]) / (b->stage[j] - y[j]);
        b->stage[j] = y[j];
    }
    /* Backwards near the end, where the problem may have a kink. */
    const double width = root * fmax(fabs(t), task->tend - task->t0);
    const double other = t + width < task->tend ? t + width : t - width;
    if (status == IVP_OK) status = task->callbacks->f_difference(task->host, other, y, b->column);
    for (int i = 0; i < n; ++i) dfdt[i] = (b->column[i] - b->here[i]) / (other - t);
    return status;
}

static int jacobian(double t, const double y[], double* dfdy, double dfdt[], void* data)
{
    boundary* const b = data;
    ++b->njac;
    const int known = b->task->callbacks->size >= offsetof(ivp_callbacks, time_derivative) + sizeof b->task->callbacks->time_derivative;
    const int exact = b->task->exact_jacobian && known;
    return gsl_answer(b, exact ? exact_jacobian(b, t, y, dfdy, dfdt) : difference_jacobian(b, t, y, dfdy, dfdt));
}

static int integrate(boundary* b, gsl_odeiv2_driver* d, double* weight, ivp_result* result)
{
    const ivp_task* const task = b->task;
    const int n = task->n;
    double t = task->t0;
    double h = d->h;
    while (t < task->tend) {
        if (d->e->count + d->e->failed_steps >= task->max_steps) return IVP_TOO_MANY_STEPS;
        const double t_old = t;
        h = fmin(h, task->hmax);
        const int flag = gsl_odeiv2_evolve_apply(d->e, d->c, d->s, d->sys, &t, task->tend, &h, task->y);
        if (flag == GSL_EBADFUNC) return IVP_STOPPED;
        if (flag != GSL_SUCCESS || t == t_old) {
            snprintf(result->message, IVP_MESSAGE_SIZE, "%s: %s", methods[task->which].name, gsl_strerror(flag));
            return b->last_status == IVP_NONFINITE ? IVP_NOT_FINITE : IVP_STEP_TOO_SMALL;
        }
        double norm = 0;
        for (int i = 0; i < n; ++i) {
            weight[i] = task->atol[i] + task->rtol[i] * fabs(task->y[i]);
            norm = fmax(norm, fabs(d->e->yerr[i]) / weight[i]);
        }
        b->last_status = IVP_OK;
        result->t = t;
        const ivp_step step = {IVP_VERSIONED(ivp_step), t_old, t, t - t_old, task->y, 1.1, norm, d->e->yerr, weight, NULL, NULL};
        if (task->callbacks->accepted_step(task->host, &step) == IVP_STOP) return IVP_STOPPED;
    }
    return IVP_SUCCESS;
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    const size_t n = (size_t)task->n;
    for (size_t i = 1; i < n; ++i)
        if (task->rtol[i] != task->rtol[0]) {
            snprintf(result->message, IVP_MESSAGE_SIZE, "GSL takes one relative tolerance for all components");
            result->outcome = IVP_ERROR_TEST_FAILED;
            return;
        }
    gsl_set_error_handler_off();
    double* const memory = malloc(4 * n * sizeof(double));
    boundary b = {.task = task, .column = memory, .stage = memory + n, .here = memory + 2 * n};
    gsl_odeiv2_system system = {f, jacobian, n, &b};
    const double h0 = task->h0 > 0 ? task->h0 : 1e-6 * (task->tend - task->t0); /* it has no start of its own */
    /* The bound is 1 * atol_i + rtol (1 |y_i| + 0 h |y_i'|). */
    gsl_odeiv2_driver* const d =
        memory == NULL ? NULL
                       : gsl_odeiv2_driver_alloc_scaled_new(&system, type_of(task->which), fmin(h0, task->hmax), 1, task->rtol[0], 1, 0, task->atol);
    if (d == NULL) {
        result->outcome = IVP_OUT_OF_MEMORY;
    } else {
        result->outcome = integrate(&b, d, memory + 3 * n, result);
        result->accepted = (int64_t)d->e->count;
        result->steps = (int64_t)(d->e->count + d->e->failed_steps);
        result->error_rejections = (int64_t)d->e->failed_steps;
        result->nfev = b.nfev;
        result->njac = b.njac;
        gsl_odeiv2_driver_free(d);
    }
    free(memory);
}
