/* Ends with the outcome and the message that its options ask for. */
#include "describe.h"

#include <string.h>

static const ivp_named_value options[] = {
    {IVP_VERSIONED(ivp_named_value), "outcome", IVP_NEWTON_FAILED, -10, 100, 1, 0, "to be claimed"},
    {IVP_VERSIONED(ivp_named_value), "text", 0, 0, 3, 1, 0, "0: plain, 1: not UTF-8, 2: without an end, 3: none"},
};

void ivp_solver_describe(ivp_solver_description* out)
{
    describe_as(out, "fails", IVP_ODE);
    out->option_count = 2;
    out->options = options;
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    static const char* const texts[] = {"the iteration went nowhere", "bell \a, \xff\xc0\x80, \xed\xa0\x80, \xc3\xa9\n", "", ""};
    const int text = (int)task->options[1];
    double out[16];
    /* Where f is not finite, the host remembers the place. */
    if (task->n <= 16) (void)task->callbacks->f(task->host, task->t0, task->y, out);
    result->outcome = (int32_t)task->options[0];
    result->t = task->t0;
    result->steps = 7;
    result->accepted = 4;
    result->error_rejections = 2;
    result->nfev = 11;
    result->nsolve = 0;
    strcpy(result->message, texts[text]);
    if (text == 2) memset(result->message, 'x', sizeof result->message);
}
