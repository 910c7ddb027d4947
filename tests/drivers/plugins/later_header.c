/* Compiled, so to say, with a later header of the same version: every struct has grown. */
#include <ivp/plugin.h>

typedef struct {
    ivp_named_value known;
    double more[3];
} later_named_value;

typedef struct {
    ivp_solver_description known;
    double more[100];
} later_description;

typedef struct {
    ivp_result known;
    double more[100];
} later_result;

static const later_named_value options[] = {
    {{IVP_VERSIONED(later_named_value), "first", 1, 0, 10, 0, 0, "one"}, {1, 2, 3}},
    {{IVP_VERSIONED(later_named_value), "second", 2, 0, 10, 0, 0, "two"}, {1, 2, 3}},
};

void ivp_solver_describe(ivp_solver_description* out)
{
    *(later_description*)out = (later_description){
        .known = {IVP_VERSIONED(later_description), .name = "later_header", .forms = IVP_ODE, .lowest_order = 1, .highest_order = 1,
                  .option_count = 2, .options = &options[0].known},
        .more = {1},
    };
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    *(later_result*)result = (later_result){
        .known = {IVP_VERSIONED(later_result), .outcome = IVP_SUCCESS, .t = task->tend, .nfev = (int64_t)(10 * task->options[0] + task->options[1])},
        .more = {1},
    };
}
