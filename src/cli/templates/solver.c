/* @NAME@: a solver for the ivp test set, in C.
 *
 * As written this is ROS2, a Rosenbrock method of order 2 for y' = f(t, y) with error control. With J = df/dy, each step solves two linear systems:
 *
 *     (I - gamma h J) k1 = f(t, y)
 *     (I - gamma h J) k2 = f(t + h, y + h k1) - 2 k1
 *     y_new = y + h (3/2 k1 + 1/2 k2),     estimate of the error: h/2 (k1 + k2)
 *
 * It is L-stable with gamma = 1 - 1/sqrt(2), and keeps its order with any J (J. G. Verwer et al., SIAM J. Sci. Comput. 20 (1999) 1456-1480).
 * Put your own method into attempt() and integrate(); what is around them can stay. Everything a solver may and must do: ivp/plugin.h. */
#include <ivp/plugin.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double gamma_ = 0.29289321881345248; /* 1 - 1/sqrt(2) */

/* Describes the solver and what it can do. ivp refuses other problems before it calls ivp_solver_solve. */
void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){
        IVP_VERSIONED(ivp_solver_description),
        .name = "@NAME@",
        .solver_version = "0.1",
        .language = "C",
        .error_norm = "root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)",
        .lu_unit = "one real matrix",
        .forms = IVP_ODE,
        .flags =
            IVP_IMPLICIT | IVP_TAKES_H0 | IVP_TAKES_ZERO_RTOL | IVP_TAKES_VECTOR_TOLERANCES | IVP_GIVES_ERROR_ESTIMATE | IVP_LOCALLY_EXTRAPOLATED,
        .lowest_order = 2,
        .highest_order = 2,
    };
}

/* The memory of one solve. */
typedef struct {
    const ivp_task* task;
    int n;
    double *f0, *k1, *k2, *stage, *trial, *error, *weight; /* n entries each */
    double *jacobian, *lu;                                 /* n by n, entry (i, j) at i + j n */
    int* pivot;
} work;

/* J at (t, y): exact if the problem has it (and the user wants it), otherwise by difference quotients, which ivp counts separately. */
static int differentiate(work* w, double t, const double* y)
{
    const ivp_task* const task = w->task;
    const ivp_callbacks* const call = task->callbacks;
    const int n = w->n;
    if (task->exact_jacobian) return call->jacobian(task->host, t, y, w->jacobian, n);

    call->jacobian_by_differences(task->host);
    memcpy(w->stage, y, (size_t)n * sizeof(double));
    for (int j = 0; j < n; ++j) {
        double* const column = w->jacobian + (size_t)j * n;
        w->stage[j] += sqrt(DBL_EPSILON * fmax(1e-5, fabs(y[j])));
        const int status = call->f_difference(task->host, t, w->stage, column);
        if (status != IVP_OK) return status;
        for (int i = 0; i < n; ++i) column[i] = (column[i] - w->f0[i]) / (w->stage[j] - y[j]);
        w->stage[j] = y[j];
    }
    return IVP_OK;
}

/* lu = I - gamma h J, factorised with row exchanges. 0: singular. */
static int factorise(work* w, double h)
{
    const int n = w->n;
    double* const a = w->lu;
    for (int i = 0; i < n * n; ++i) a[i] = -gamma_ * h * w->jacobian[i];
    for (int i = 0; i < n; ++i) a[i + (size_t)i * n] += 1;
    w->task->callbacks->factorised(w->task->host, 1, 0); /* only the solver knows its factorisations, so it reports them */

    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i + (size_t)k * n]) > fabs(a[p + (size_t)k * n])) p = i;
        w->pivot[k] = p;
        if (!(fabs(a[p + (size_t)k * n]) > 0)) return 0; /* in this form, NaN is found too */
        for (int j = 0; j < n; ++j) {
            double* const column = a + (size_t)j * n;
            const double exchanged = column[p];
            column[p] = column[k];
            column[k] = exchanged;
            if (j <= k) continue;
            const double factor = column[k] / a[k + (size_t)k * n];
            for (int i = k + 1; i < n; ++i) column[i] -= factor * a[i + (size_t)k * n];
        }
    }
    return 1;
}

/* x becomes the solution of (I - gamma h J) x = x. */
static void solve(work* w, double* x)
{
    const int n = w->n;
    const double* const a = w->lu;
    for (int k = 0; k < n; ++k) {
        const double exchanged = x[w->pivot[k]];
        x[w->pivot[k]] = x[k];
        x[k] = exchanged;
    }
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) x[i] -= a[i + (size_t)k * n] / a[k + (size_t)k * n] * x[k];
    for (int k = n - 1; k >= 0; --k) {
        x[k] /= a[k + (size_t)k * n];
        for (int i = 0; i < k; ++i) x[i] -= a[i + (size_t)k * n] * x[k];
    }
    w->task->callbacks->solved(w->task->host, 1);
}

/* One step from (t, y) to t_new. After IVP_OK: the new solution is in trial, the estimate of its error in error. */
static int attempt(work* w, double t, double t_new, const double* y)
{
    const double h = t_new - t;
    memcpy(w->k1, w->f0, (size_t)w->n * sizeof(double));
    solve(w, w->k1);
    for (int i = 0; i < w->n; ++i) w->stage[i] = y[i] + h * w->k1[i];
    const int status = w->task->callbacks->f(w->task->host, t_new, w->stage, w->k2);
    if (status != IVP_OK) return status;
    for (int i = 0; i < w->n; ++i) w->k2[i] -= 2 * w->k1[i];
    solve(w, w->k2);
    for (int i = 0; i < w->n; ++i) {
        w->trial[i] = y[i] + h * (1.5 * w->k1[i] + 0.5 * w->k2[i]);
        w->error[i] = h * 0.5 * (w->k1[i] + w->k2[i]);
    }
    return IVP_OK;
}

/* Of the estimate; at most 1: the step is accurate enough. */
static double error_norm(work* w, const double* y)
{
    double sum = 0;
    for (int i = 0; i < w->n; ++i) {
        w->weight[i] = w->task->atol[i] + w->task->rtol[i] * fmax(fabs(y[i]), fabs(w->trial[i]));
        sum += (w->error[i] / w->weight[i]) * (w->error[i] / w->weight[i]);
    }
    return sqrt(sum / w->n);
}

/* Integrates from t0 to tend and returns the outcome. */
static int integrate(work* w, ivp_result* result)
{
    const ivp_task* const task = w->task;
    const ivp_callbacks* const call = task->callbacks;
    double* const y = task->y;
    double t = task->t0;
    double h = fmin(task->h0 > 0 ? task->h0 : 1e-6 * (task->tend - t), task->hmax);
    int fresh = 0; /* J is that of this y */
    int status = call->f(task->host, t, y, w->f0);

    while (t < task->tend) {
        if (status == IVP_OK && !fresh) status = differentiate(w, t, y);
        if (status == IVP_STOP) return IVP_STOPPED;            /* a time limit, or the user */
        if (status != IVP_OK && !fresh) return IVP_NOT_FINITE; /* not even here: a smaller step cannot help */
        if ((uint64_t)result->steps == task->max_steps) return IVP_TOO_MANY_STEPS;
        if (!(h > 4 * DBL_EPSILON * fabs(t))) return status == IVP_NONFINITE ? IVP_NOT_FINITE : IVP_STEP_TOO_SMALL;
        fresh = 1;
        ++result->steps;

        const double t_new = t + 1.001 * h < task->tend ? t + h : task->tend; /* never beyond tend, and exactly there at last */
        status = factorise(w, t_new - t) ? attempt(w, t, t_new, y) : IVP_REFUSED;
        const double norm = status == IVP_OK ? error_norm(w, y) : NAN;
        if (norm <= 1) status = call->f(task->host, t_new, w->trial, w->k1); /* f must accept it too */
        if (!(norm <= 1) || status != IVP_OK) {
            if (norm > 1) ++result->error_rejections;
            h = (t_new - t) * (norm > 1 ? fmax(0.2, 0.9 / sqrt(norm)) : 0.25);
            continue;
        }

        const ivp_step step = {IVP_VERSIONED(ivp_step), t, t_new, t_new - t, w->trial, 1, norm, w->error, w->weight, NULL, NULL};
        h = fmin((t_new - t) * fmin(5, 0.9 / sqrt(norm)), task->hmax);
        t = result->t = t_new;
        ++result->accepted;
        memcpy(y, w->trial, (size_t)w->n * sizeof(double));
        memcpy(w->f0, w->k1, (size_t)w->n * sizeof(double));
        fresh = 0;
        status = call->accepted_step(task->host, &step);
    }
    return IVP_SUCCESS;
}

/* Integrates from task->t0 to task->tend and fills the result. ivp calls it many times, so it must not depend on earlier calls. */
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    const size_t n = (size_t)task->n;
    work w = {.task = task, .n = task->n};
    double* const memory = malloc((7 + 2 * n) * n * sizeof(double));
    w.pivot = malloc(n * sizeof(int));
    double** const vectors[] = {&w.f0, &w.k1, &w.k2, &w.stage, &w.trial, &w.error, &w.weight};
    for (size_t i = 0; memory != NULL && i < 7; ++i) *vectors[i] = memory + i * n;
    w.jacobian = memory + 7 * n;
    w.lu = w.jacobian + n * n;

    result->steps = result->accepted = result->error_rejections = 0;
    result->outcome = memory != NULL && w.pivot != NULL ? integrate(&w, result) : IVP_OUT_OF_MEMORY;
    free(memory);
    free(w.pivot);
}
