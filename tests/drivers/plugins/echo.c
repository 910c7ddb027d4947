/* Says what it finds in its task: option part = 0 numbers, 1 vectors, 2 structure of the Jacobian, 3 mass matrix. */
#include "describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ivp_named_value options[] = {
    {IVP_VERSIONED(ivp_named_value), "part", 0, 0, 3, 1, 0, "of the task"},
    {IVP_VERSIONED(ivp_named_value), "other", 0.25, -1, 1, 0, 0, "a second one, to see the order"},
};

void ivp_solver_describe(ivp_solver_description* out)
{
    describe_as(out, "echo", IVP_ODE | IVP_DAE | IVP_IDE);
    out->flags |= IVP_NEEDS_YP | IVP_TAKES_BAND | IVP_TAKES_SPARSE;
    out->title = "Echo";
    out->solver_version = "2.1";
    out->language = "C11";
    out->error_norm = "none";
    out->lu_unit = "nothing";
    out->reference = "this file";
    out->max_threads = 4;
    out->option_count = 2;
    out->options = options;
}

static void say(ivp_result* result, const char* format, ...)
{
    const size_t used = strlen(result->message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->message + used, sizeof result->message - used, format, arguments);
    va_end(arguments);
}

static void say_vector(ivp_result* result, const char* name, const double* v, int n)
{
    say(result, "%s=", name);
    for (int i = 0; i < n; ++i) say(result, "%s%g", i > 0 ? "," : "", v[i]);
    say(result, " ");
}

static void say_indices(ivp_result* result, const char* name, const int32_t* v, int n)
{
    say(result, "%s=", name);
    for (int i = 0; i < n; ++i) say(result, "%s%d", i > 0 ? "," : "", v[i]);
    say(result, " ");
}

static void say_structure(const ivp_task* t, ivp_result* result)
{
    say(result, "kind=%d lower=%d upper=%d ", t->jacobian_kind, t->jacobian_lower, t->jacobian_upper);
    if (t->jacobian_column_start == NULL || t->jacobian_row == NULL) return;
    say_indices(result, "start", t->jacobian_column_start, t->n + 1);
    say_indices(result, "row", t->jacobian_row, t->jacobian_column_start[t->n]);
}

static void say_mass(const ivp_task* t, ivp_result* result)
{
    const int values = t->mass == NULL ? 0 : t->mass_kind == IVP_MASS_FULL ? t->n * t->n : t->n * (t->mass_lower + t->mass_upper + 1);
    say(result, "kind=%d lower=%d upper=%d ", t->mass_kind, t->mass_lower, t->mass_upper);
    say_vector(result, "values", t->mass, values);
    double* const product = malloc((size_t)t->n * sizeof(double));
    if (t->callbacks->mass_multiply(t->host, t->y, product) == IVP_OK) say_vector(result, "My", product, t->n);
    free(product);
}

void ivp_solver_solve(const ivp_task* t, ivp_result* result)
{
    result->outcome = IVP_SUCCESS;
    result->t = t->tend;
    switch ((int)t->options[0]) {
    case 0:
        say(result,
            "version=%u size=%d n=%d form=%d t0=%g tend=%g h0=%g hmax=%g max_steps=%llu scalar=%d threads=%d algebra=%d exact=%d observed=%d "
            "index=%d",
            t->version, t->size == sizeof *t && t->callbacks->size == sizeof *t->callbacks, t->n, t->form, t->t0, t->tend, t->h0, t->hmax,
            (unsigned long long)t->max_steps, t->scalar_tolerances, t->threads, t->algebra, t->exact_jacobian, t->observed, t->highest_index);
        break;
    case 1:
        say_vector(result, "y", t->y, t->n);
        say_vector(result, "yp", t->yp, t->n);
        say_vector(result, "rtol", t->rtol, t->n);
        say_vector(result, "atol", t->atol, t->n);
        say_indices(result, "index", t->index, t->n);
        say_vector(result, "options", t->options, t->option_count);
        break;
    case 2: say_structure(t, result); break;
    default: say_mass(t, result); break;
    }
}
