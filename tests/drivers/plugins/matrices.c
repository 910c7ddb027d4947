/* Asks for the Jacobian in every form the task allows, with room between the columns, and compares with difference quotients.
 * The message is empty if all agree and nothing was written where nothing belongs. */
#include "describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { gap = 2 }; /* entries between the columns */
static const double untouched = 4711;
static const double a = 3, b = 7; /* of the partials */

void ivp_solver_describe(ivp_solver_description* out) { describe_as(out, "matrices", IVP_ODE | IVP_DAE | IVP_IDE); }

static int residual(const ivp_task* task, double* y, double* yp, double* out)
{
    if (task->form != IVP_IDE) return task->callbacks->f_difference(task->host, task->t0, y, out);
    return task->callbacks->g_difference(task->host, task->t0, y, yp, out);
}

static void by_differences(const ivp_task* task, double* y, double* yp, double* out)
{
    const int n = task->n;
    double* const minus = malloc((size_t)n * sizeof(double));
    const double h = 1e-5;
    for (int j = 0; j < n; ++j) {
        const double y_j = y[j], yp_j = yp[j];
        y[j] = y_j - (task->form == IVP_IDE ? a : 1) * h;
        yp[j] = yp_j - b * h;
        (void)residual(task, y, yp, minus);
        y[j] = y_j + (task->form == IVP_IDE ? a : 1) * h;
        yp[j] = yp_j + b * h;
        (void)residual(task, y, yp, out + j * n);
        for (int i = 0; i < n; ++i) out[i + j * n] = (out[i + j * n] - minus[i]) / (2 * h);
        y[j] = y_j;
        yp[j] = yp_j;
    }
    free(minus);
    task->callbacks->jacobian_by_differences(task->host);
}

static int ask(const ivp_task* task, int kind, const double* yp, double* out, int32_t ld)
{
    const ivp_callbacks* const call = task->callbacks;
    void* const host = task->host;
    const double t = task->t0;
    const double* const y = task->y;
    if (task->form == IVP_IDE)
        return kind == IVP_FULL   ? call->partials(host, t, y, yp, a, b, out, ld)
               : kind == IVP_BAND ? call->partials_band(host, t, y, yp, a, b, out, ld)
                                  : call->partials_sparse(host, t, y, yp, a, b, out);
    return kind == IVP_FULL   ? call->jacobian(host, t, y, out, ld)
           : kind == IVP_BAND ? call->jacobian_band(host, t, y, out, ld)
                              : call->jacobian_sparse(host, t, y, out);
}

/* Where (i, j) is stored; -1: nowhere. */
static int position(const ivp_task* task, int kind, int i, int j, int ld)
{
    if (kind == IVP_FULL) return i + j * ld;
    if (kind == IVP_BAND) return i - j > task->jacobian_lower || j - i > task->jacobian_upper ? -1 : task->jacobian_upper + i - j + j * ld;
    for (int p = task->jacobian_column_start[j]; p < task->jacobian_column_start[j + 1]; ++p)
        if (task->jacobian_row[p] == i) return p;
    return -1;
}

static void compare(const ivp_task* task, ivp_result* result, int kind, int32_t gap_now, const double* yp, const double* expected)
{
    const int n = task->n;
    const int rows = kind == IVP_FULL ? n : task->jacobian_lower + task->jacobian_upper + 1;
    const int ld = rows + gap_now;
    /* The last column ends where its entries end: nothing may be written behind it. */
    const int size = kind == IVP_SPARSE ? task->jacobian_column_start[n] : ld * (n - 1) + rows;
    double* const out = malloc((size_t)size * sizeof(double));
    for (int i = 0; i < size; ++i) out[i] = untouched;
    if (ask(task, kind, yp, out, ld) != IVP_OK) snprintf(result->message, sizeof result->message, "kind %d refused", kind);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const int p = position(task, kind, i, j, ld);
            const double value = p < 0 ? 0 : out[p];
            if (!(fabs(value - expected[i + j * n]) <= 1e-6))
                snprintf(result->message, sizeof result->message, "kind %d: (%d, %d) is %g, not %g", kind, i, j, value, expected[i + j * n]);
        }
        for (int k = rows; kind != IVP_SPARSE && k < ld && j < n - 1; ++k)
            if (out[k + j * ld] != untouched) snprintf(result->message, sizeof result->message, "kind %d: written behind column %d", kind, j);
    }
    free(out);
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    const int n = task->n;
    double* const expected = malloc((size_t)(n * n + n) * sizeof(double));
    double* const yp = expected + n * n;
    for (int i = 0; i < n; ++i) yp[i] = 0.1 * (i + 1);
    by_differences(task, task->y, yp, expected);
    for (int32_t g = 0; g <= gap; g += gap) {
        compare(task, result, IVP_FULL, g, yp, expected);
        if (task->jacobian_kind != IVP_FULL) compare(task, result, task->jacobian_kind, g, yp, expected);
    }
    free(expected);
    result->outcome = result->message[0] == '\0' ? IVP_SUCCESS : IVP_NEWTON_FAILED;
    result->t = task->tend;
}
