/* A description in which every number is wrong. */
#include "describe.h"

#include <stddef.h>

static const ivp_named_value options[] = {
    {IVP_VERSIONED(ivp_named_value), "outside", 5, 0, 1, 0, 0, "default beyond the range"},
    {IVP_VERSIONED(ivp_named_value), "half", 0.5, 0, 1, 1, 0, "whole number with a fraction"},
    {IVP_VERSIONED(ivp_named_value), "half", 0, 0, 1, 1, 0, "the same name again"},
    {IVP_VERSIONED(ivp_named_value), "with blank", 0, 0, 1, 1, 0, "cannot be given on a command line"},
    {IVP_VERSIONED(ivp_named_value), NULL, 0, 0, 1, 1, 0, "without a name"},
};

void ivp_solver_describe(ivp_solver_description* out)
{
    describe_as(out, "Bad Facts", 32 + IVP_ODE);
    out->flags = 1U << 31;
    out->highest_index = 7;
    out->lowest_order = 3;
    out->highest_order = 2;
    out->max_threads = -1;
    out->option_count = 5;
    out->options = options;
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    (void)result;
}
