/* Your own solver, in C: the Rosenbrock method RODAS3 with error control, for y' = f(t, y).
 *
 * A Rosenbrock method takes one Newton step where an implicit Runge-Kutta method would iterate: no nonlinear system, no iteration that
 * may fail, one LU per step. With J = df/dy and T = df/dt at the beginning of the step, the increments K1 .. K4 solve
 *
 *     (1/(gamma h) I - J) K_i = f(t + alpha_i h, y + sum_j a_ij K_j) + (1/h) sum_j c_ij K_j + gamma_i h T
 *
 * and y + sum_i m_i K_i is the new solution. It has order 3 and is L-stable. Its last increment K4 is the difference to a solution of
 * order 2, also L-stable: the error estimate. The method has its order only if J belongs to this very point, so every step evaluates
 * J again.
 *
 * A. Sandu, J. G. Verwer, J. G. Blom, E. J. Spee, G. R. Carmichael, F. A. Potra: Benchmarking stiff ODE solvers for atmospheric
 * chemistry problems II: Rosenbrock solvers. Atmospheric Environment 31 (1997), 3459-3472.
 *
 * ivp/plugin.h explains everything a plug-in may and must do. */
#include <ivp/plugin.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The coefficients. Stage 2 uses the same value of f as stage 1, and K4 enters the new solution with weight 1. */
static const double gamma_ = 0.5;
static const double c21 = 4, c31 = 1, c32 = -1, c41 = 1, c42 = -1, c43 = -8.0 / 3.0;
static const double a31 = 2, a41 = 2, a43 = 1, m1 = 2, m3 = 1;
static const double gamma1 = 0.5, gamma2 = 1.5; /* of T; those of stages 3 and 4 are 0, their nodes are at t + h */

/* Step size control. The estimate is of size h^3, hence the exponent. */
static const double shrink_limit = 0.2, growth_limit = 5, refusal_cut = 0.25, exponent = -1.0 / 3.0;
enum { singular_limit = 10 };

enum { option_safety, option_autonomous, option_count };
static const ivp_named_value options[option_count] = {
    {IVP_VERSIONED(ivp_named_value), "safety", 0.9, 0.1, 0.99, 0, 0, "safety factor of the step size"},
    {IVP_VERSIONED(ivp_named_value), "autonomous", 0, 0, 1, 1, 0, "1: f does not depend on t, which saves one evaluation a step"},
};

void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){
        IVP_VERSIONED(ivp_solver_description),
        .name = "rosenbrock",
        .title = "RODAS3",
        .solver_version = "1.0",
        .language = "C",
        .error_norm = "root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)",
        .lu_unit = "one real matrix",
        .reference = "A. Sandu et al., Atmospheric Environment 31 (1997) 3459-3472",
        .forms = IVP_ODE,
        .flags = IVP_IMPLICIT | IVP_TAKES_H0 | IVP_TAKES_ZERO_RTOL | IVP_TAKES_VECTOR_TOLERANCES | /* what it can */
                 IVP_GIVES_ERROR_ESTIMATE | IVP_LOCALLY_EXTRAPOLATED,                              /* what it reports */
        .lowest_order = 3,
        .highest_order = 3,
        .option_count = option_count,
        .options = options,
    };
}

/* All vectors and matrices of one solve, in one piece of memory: it is freed in one place, however the solve ends. */
typedef struct {
    size_t n;
    const ivp_task* task;
    double *f0, *dfdt, *k1, *k2, *k3, *k4, *trial, *fnew, *weight; /* n each */
    double *jacobian, *lu;                                         /* n by n, by columns */
    size_t* pivot;
    int64_t nfev, njac, nlu, nsolve;
    double* memory;
} work;

static int allocate(work* w, const ivp_task* task)
{
    const size_t n = (size_t)task->n;
    memset(w, 0, sizeof *w);
    w->n = n;
    w->task = task;
    w->memory = malloc((9 * n + 2 * n * n) * sizeof(double));
    w->pivot = malloc(n * sizeof(size_t));
    if (w->memory == NULL || w->pivot == NULL) return 0;
    double** const vectors[] = {&w->f0, &w->dfdt, &w->k1, &w->k2, &w->k3, &w->k4, &w->trial, &w->fnew, &w->weight};
    for (size_t i = 0; i < 9; ++i) *vectors[i] = w->memory + i * n;
    w->jacobian = w->memory + 9 * n;
    w->lu = w->jacobian + n * n;
    return 1;
}

static int evaluate(work* w, double t, const double* y, double* out)
{
    ++w->nfev;
    return w->task->callbacks->f(w->task->host, t, y, out);
}

/* lu = 1/(gamma h) I - J, factorised with row exchanges. 0: the matrix is singular. */
static int factorise(work* w, double h)
{
    const size_t n = w->n;
    double* const a = w->lu;
    for (size_t i = 0; i < n * n; ++i) a[i] = -w->jacobian[i];
    for (size_t i = 0; i < n; ++i) a[i + i * n] += 1 / (gamma_ * h);
    ++w->nlu;
    w->task->callbacks->factorised(w->task->host, 1, 0);

    for (size_t k = 0; k < n; ++k) {
        size_t p = k;
        for (size_t i = k + 1; i < n; ++i)
            if (fabs(a[i + k * n]) > fabs(a[p + k * n])) p = i;
        w->pivot[k] = p;
        if (!(fabs(a[p + k * n]) > 0)) return 0; /* this form catches NaN too */
        for (size_t j = 0; j < n; ++j) {
            const double swapped = a[k + j * n];
            a[k + j * n] = a[p + j * n];
            a[p + j * n] = swapped;
        }
        for (size_t i = k + 1; i < n; ++i) a[i + k * n] /= a[k + k * n];
        for (size_t j = k + 1; j < n; ++j)
            for (size_t i = k + 1; i < n; ++i) a[i + j * n] -= a[i + k * n] * a[k + j * n];
    }
    return 1;
}

static void solve(work* w, double* x)
{
    const size_t n = w->n;
    const double* const a = w->lu;
    for (size_t k = 0; k < n; ++k) {
        const double swapped = x[w->pivot[k]];
        x[w->pivot[k]] = x[k];
        x[k] = swapped;
    }
    for (size_t k = 0; k < n; ++k)
        for (size_t i = k + 1; i < n; ++i) x[i] -= a[i + k * n] * x[k];
    for (size_t k = n; k-- > 0;) {
        x[k] /= a[k + k * n];
        for (size_t i = 0; i < k; ++i) x[i] -= a[i + k * n] * x[k];
    }
    ++w->nsolve;
    w->task->callbacks->solved(w->task->host, 1);
}

/* J and T at (t, y), where f is f0: exact if the task offers them, otherwise by difference quotients. */
static int differentiate(work* w, double t, const double* y, double h)
{
    const ivp_task* const task = w->task;
    const ivp_callbacks* const call = task->callbacks;
    const size_t n = w->n;
    const double root = sqrt(DBL_EPSILON);
    int status = IVP_OK;

    ++w->njac;
    if (task->exact_jacobian) {
        status = call->jacobian(task->host, t, y, w->jacobian, task->n);
    } else {
        call->jacobian_by_differences(task->host);
        memcpy(w->trial, y, n * sizeof(double));
        for (size_t j = 0; j < n && status == IVP_OK; ++j) {
            /* The size that the component has, will have, or must have to matter: a small multiple changes f visibly, but not too much. */
            const double size = fmax(fabs(y[j]), fmax(h * fabs(w->f0[j]), task->atol[j]));
            w->trial[j] = y[j] + root * size;
            const double increment = w->trial[j] - y[j]; /* as rounded */
            status = call->f_difference(task->host, t, w->trial, w->fnew);
            for (size_t i = 0; i < n; ++i) w->jacobian[i + j * n] = (w->fnew[i] - w->f0[i]) / increment;
            w->trial[j] = y[j];
        }
    }
    if (status != IVP_OK) return status;

    memset(w->dfdt, 0, n * sizeof(double));
    if (task->options[option_autonomous] != 0) return IVP_OK;
    /* Never beyond this step: f may have a kink at the end of the interval. */
    const double later = t + fmin(h, root * fmax(fabs(t), task->tend - task->t0));
    status = call->f_difference(task->host, later, y, w->fnew);
    for (size_t i = 0; i < n; ++i) w->dfdt[i] = (w->fnew[i] - w->f0[i]) / (later - t);
    return status;
}

/* One step from (t, y), matrix factorised. After IVP_OK: the new solution is in trial, the error estimate in k4. */
static int step(work* w, double t, const double* y, double h)
{
    const size_t n = w->n;
    double *const k1 = w->k1, *const k2 = w->k2, *const k3 = w->k3, *const k4 = w->k4, *const trial = w->trial;

    for (size_t i = 0; i < n; ++i) k1[i] = w->f0[i] + gamma1 * h * w->dfdt[i];
    solve(w, k1);
    for (size_t i = 0; i < n; ++i) k2[i] = w->f0[i] + c21 / h * k1[i] + gamma2 * h * w->dfdt[i];
    solve(w, k2);
    for (size_t i = 0; i < n; ++i) trial[i] = y[i] + a31 * k1[i];
    int status = evaluate(w, t + h, trial, k3);
    if (status != IVP_OK) return status;
    for (size_t i = 0; i < n; ++i) k3[i] += (c31 * k1[i] + c32 * k2[i]) / h;
    solve(w, k3);
    for (size_t i = 0; i < n; ++i) trial[i] = y[i] + a41 * k1[i] + a43 * k3[i];
    status = evaluate(w, t + h, trial, k4);
    if (status != IVP_OK) return status;
    for (size_t i = 0; i < n; ++i) k4[i] += (c41 * k1[i] + c42 * k2[i] + c43 * k3[i]) / h;
    solve(w, k4);
    for (size_t i = 0; i < n; ++i) trial[i] = y[i] + m1 * k1[i] + m3 * k3[i] + k4[i];
    return IVP_OK;
}

static double error_norm(work* w, const double* y)
{
    double sum = 0;
    for (size_t i = 0; i < w->n; ++i) {
        w->weight[i] = w->task->atol[i] + w->task->rtol[i] * fmax(fabs(y[i]), fabs(w->trial[i]));
        sum += (w->k4[i] / w->weight[i]) * (w->k4[i] / w->weight[i]);
    }
    return sqrt(sum / (double)w->n);
}

/* Without h0: the step in which y would move by a hundredth of its weighted size if y' stayed what it is. */
static double first_step(const work* w, const double* y)
{
    double size = 0, slope = 0;
    for (size_t i = 0; i < w->n; ++i) {
        const double weight = w->task->atol[i] + w->task->rtol[i] * fabs(y[i]);
        size += (y[i] / weight) * (y[i] / weight);
        slope += (w->f0[i] / weight) * (w->f0[i] / weight);
    }
    const double interval = w->task->tend - w->task->t0;
    return size > 0 && slope > 0 ? fmin(0.01 * sqrt(size / slope), interval) : 1e-6 * interval;
}

/* Integrates to tend and returns the outcome. */
static int integrate(work* w, ivp_result* result)
{
    const ivp_task* const task = w->task;
    double* const y = task->y;
    double t = result->t = task->t0;
    int singular = 0; /* matrices in a row */
    int rejected = 0; /* the last attempt was */

    int status = evaluate(w, t, y, w->f0);
    if (status != IVP_OK) return status == IVP_STOP ? IVP_STOPPED : IVP_NOT_FINITE;
    double h = fmin(task->h0 > 0 ? task->h0 : first_step(w, y), task->hmax);
    int fresh = 0; /* J and T belong to this y */

    for (;;) {
        const int last = t + 1.0001 * h >= task->tend; /* rounding must not leave a tiny step for the end */
        if (last) h = task->tend - t;
        if ((uint64_t)result->steps >= task->max_steps) return IVP_TOO_MANY_STEPS;
        if (singular > singular_limit) return IVP_SINGULAR_MATRIX;
        if (!(h > 10 * DBL_EPSILON * fabs(t))) return status == IVP_NONFINITE ? IVP_NOT_FINITE : IVP_STEP_TOO_SMALL;
        ++result->steps;

        const double t_new = last ? task->tend : t + h;
        double error = NAN; /* of an attempt that was not completed */
        status = fresh ? IVP_OK : differentiate(w, t, y, h);
        fresh = status == IVP_OK;
        if (fresh) singular = factorise(w, h) ? 0 : singular + 1;
        if (fresh && singular == 0) status = step(w, t, y, h);
        if (fresh && singular == 0 && status == IVP_OK) error = error_norm(w, y);
        /* If f refuses the new solution, the integration cannot continue from it. */
        if (error <= 1 && !last) status = evaluate(w, t_new, w->trial, w->fnew);
        if (status == IVP_STOP) return IVP_STOPPED;

        const double factor = fmin(fmax(task->options[option_safety] * pow(error, exponent), shrink_limit), growth_limit);
        if (!(error <= 1) || status != IVP_OK) {
            if (error > 1) ++result->error_rejections;
            h *= error > 1 ? factor : refusal_cut;
            rejected = 1;
            continue;
        }

        const ivp_step report = {IVP_VERSIONED(ivp_step), t, t_new, h, w->trial, 1, error, w->k4, w->weight, NULL, NULL};
        ++result->accepted;
        t = result->t = t_new;
        memcpy(y, w->trial, w->n * sizeof(double));
        if (task->callbacks->accepted_step(task->host, &report) == IVP_STOP) return IVP_STOPPED;
        if (last) return IVP_SUCCESS;

        memcpy(w->f0, w->fnew, w->n * sizeof(double));
        fresh = 0;
        h = fmin(h * (rejected ? fmin(factor, 1) : factor), task->hmax); /* after a failure do not grow at once */
        rejected = 0;
    }
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    work w;
    result->steps = result->accepted = result->error_rejections = 0;
    result->outcome = allocate(&w, task) ? integrate(&w, result) : IVP_OUT_OF_MEMORY;
    result->nfev = w.nfev;
    result->njac = w.njac;
    result->nlu = w.nlu;
    result->nsolve = w.nsolve;
    free(w.memory);
    free(w.pivot);
}
