/* Breaks the contract in the way its option names. */
#include "describe.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    f_of_wrong_form,
    g_of_wrong_form,
    jacobian_not_offered,
    band_of_full,
    sparse_of_full,
    columns_too_short,
    step_without_header,
    step_backwards,
    step_from_other_thread,
    negative_count,
    no_outcome,
    unknown_outcome,
    stopped_by_nobody,
    more_steps_than_allowed,
    f_from_other_threads, /* this one is allowed */
    last_way
};

static const ivp_named_value options[] = {{IVP_VERSIONED(ivp_named_value), "way", 0, 0, last_way - 1, 1, 0, "to break the contract"}};

void ivp_solver_describe(ivp_solver_description* out)
{
    describe_as(out, "misuse", IVP_ODE | IVP_DAE | IVP_IDE);
    out->max_threads = 3;
    out->option_count = 1;
    out->options = options;
}

static void* report_a_step(void* task_of_caller)
{
    const ivp_task* const task = task_of_caller;
    const ivp_step step = {IVP_VERSIONED(ivp_step), task->t0, task->tend, task->tend - task->t0, task->y, 1, 0, NULL, NULL, NULL, NULL};
    (void)task->callbacks->accepted_step(task->host, &step);
    return NULL;
}

static void* evaluate_often(void* task_of_caller)
{
    const ivp_task* const task = task_of_caller;
    double* const out = malloc((size_t)task->n * sizeof(double));
    int status = IVP_OK;
    for (int i = 0; i < 1000 && status == IVP_OK; ++i) status = task->callbacks->f(task->host, task->t0, task->y, out);
    free(out);
    return NULL;
}

static void in_other_threads(int count, void* (*function)(void*), const ivp_task* task)
{
    pthread_t other[2];
    for (int i = 0; i < count; ++i) (void)pthread_create(&other[i], NULL, function, (void*)task);
    for (int i = 0; i < count; ++i) (void)pthread_join(other[i], NULL);
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    const ivp_callbacks* const call = task->callbacks;
    const int way = (int)task->options[0];
    const size_t n = (size_t)task->n;
    double* const out = malloc(n * n * sizeof(double));
    ivp_step step = {IVP_VERSIONED(ivp_step), task->t0, task->tend, 0, task->y, 1, 0, NULL, NULL, NULL, NULL};
    int status = IVP_OK;

    result->outcome = IVP_SUCCESS;
    result->t = task->tend;
    switch (way) {
    case f_of_wrong_form: status = call->f(task->host, task->t0, task->y, out); break;
    case g_of_wrong_form: status = call->g(task->host, task->t0, task->y, task->y, out); break;
    case jacobian_not_offered: status = call->jacobian(task->host, task->t0, task->y, out, task->n); break;
    case band_of_full: status = call->jacobian_band(task->host, task->t0, task->y, out, task->n); break;
    case sparse_of_full: status = call->jacobian_sparse(task->host, task->t0, task->y, out); break;
    case columns_too_short: status = call->jacobian(task->host, task->t0, task->y, out, task->n - 1); break;
    case step_without_header:
        step.size = 0;
        status = call->accepted_step(task->host, &step);
        break;
    case step_backwards:
        step.t = task->t0 - 1;
        status = call->accepted_step(task->host, &step);
        break;
    case step_from_other_thread: in_other_threads(1, report_a_step, task); break;
    case negative_count: call->factorised(task->host, -1, 0); break;
    case no_outcome: result->outcome = IVP_UNFINISHED; break;
    case unknown_outcome: result->outcome = 42; break;
    case stopped_by_nobody: result->outcome = IVP_STOPPED; break;
    case more_steps_than_allowed:
        for (uint64_t i = 0; i < task->max_steps + 10 && status == IVP_OK; ++i) status = call->accepted_step(task->host, &step);
        break;
    default: in_other_threads(2, evaluate_often, task); break;
    }
    /* After a breach everything is answered with IVP_STOP; a caller that sees something else would run on. */
    if (status == IVP_STOP && call->mass_multiply(task->host, task->y, out) != IVP_STOP && way != more_steps_than_allowed) result->outcome = 77;
    free(out);
}
