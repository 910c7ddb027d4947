/* G(t, y, y') = 0 by the implicit Euler method with equal steps: y' is replaced by (y - y_old) / h, one matrix for each Newton step.
 * Uses g, partials and the interpolation of a step. */
#include "describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ivp_named_value options[] = {{IVP_VERSIONED(ivp_named_value), "steps", 100, 1, 1e6, 1, 0, "number of steps"}};

void ivp_solver_describe(ivp_solver_description* out)
{
    describe_as(out, "implicit_euler", IVP_IDE);
    out->flags |= IVP_NEEDS_YP;
    out->option_count = 1;
    out->options = options;
}

/* Gauss elimination with row exchanges; the solution replaces b. */
static void solve_system(int n, double* a, double* b)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i + k * n]) > fabs(a[p + k * n])) p = i;
        for (int j = 0; j <= n; ++j) {
            double* const column = j < n ? a + j * n : b;
            const double swapped = column[k];
            column[k] = column[p];
            column[p] = swapped;
        }
        for (int i = k + 1; i < n; ++i) {
            const double factor = a[i + k * n] / a[k + k * n];
            for (int j = k; j < n; ++j) a[i + j * n] -= factor * a[k + j * n];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) b[k] -= a[k + j * n] * b[j];
        b[k] /= a[k + k * n];
    }
}

typedef struct {
    int n;
    double t_old, t;
    const double *y_old, *y;
} line;

static void interpolate(void* data, double t, double* y)
{
    const line* const l = data;
    const double s = (t - l->t_old) / (l->t - l->t_old);
    for (int i = 0; i < l->n; ++i) y[i] = (1 - s) * l->y_old[i] + s * l->y[i];
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    const ivp_callbacks* const call = task->callbacks;
    const int n = task->n;
    const int steps = (int)task->options[0];
    const double h = (task->tend - task->t0) / steps;
    double* const memory = malloc((size_t)(n * n + 2 * n) * sizeof(double));
    double *const matrix = memory, *const residual = memory + n * n, *const y_old = residual + n;
    result->outcome = task->yp == NULL ? IVP_NOT_FINITE : IVP_SUCCESS;
    result->t = task->t0;
    for (int k = 1; k <= steps && result->outcome == IVP_SUCCESS; ++k) {
        const double t = k == steps ? task->tend : task->t0 + k * h;
        memcpy(y_old, task->y, (size_t)n * sizeof(double));
        double change = 1;
        for (int iteration = 0; iteration < 10 && change > 1e-12; ++iteration) {
            for (int i = 0; i < n; ++i) task->yp[i] = (task->y[i] - y_old[i]) / h;
            if (call->g(task->host, t, task->y, task->yp, residual) != IVP_OK) result->outcome = IVP_NOT_FINITE;
            if (call->partials(task->host, t, task->y, task->yp, 1, 1 / h, matrix, n) != IVP_OK) result->outcome = IVP_NOT_FINITE;
            solve_system(n, matrix, residual);
            call->factorised(task->host, 1, 0);
            call->solved(task->host, 1);
            change = 0;
            for (int i = 0; i < n; ++i) {
                task->y[i] -= residual[i];
                change = fmax(change, fabs(residual[i]));
            }
        }
        line l = {n, result->t, t, y_old, task->y};
        const ivp_step step = {IVP_VERSIONED(ivp_step), result->t, t, h, task->y, 1, 0, NULL, NULL, interpolate, &l};
        result->t = t;
        if (call->accepted_step(task->host, &step) == IVP_STOP) result->outcome = IVP_STOPPED;
    }
    free(memory);
}
