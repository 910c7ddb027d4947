/* @NAME@: a problem for the ivp test set, in C.
 *
 * As written this is the problem of Kaps, stiff if eps is small:
 *
 *     y1' = -(1/eps + 2) y1 + y2^2/eps,    y2' = y1 - y2 - y2^2,    0 <= t <= 1,    y1(0) = y2(0) = 1;    solution y1 = exp(-2t), y2 = exp(-t)
 *
 * Put your own equations into f(), jacobian() and initial(), and what is known of them into describe(). Everything a problem may say: ivp/plugin.h.
 */
#include <ivp/plugin.h>

#include <stdlib.h>

/* What a user can change: name, default, smallest and largest value, whole numbers only?, meaning. */
static const ivp_named_value parameters[] = {
    {IVP_VERSIONED(ivp_named_value), "eps", 1e-5, 1e-12, 1, 0, 0, "small parameter: the stiffness is 1/eps"},
};

/* One instance of the problem: its parameter values are fixed. */
typedef struct {
    double eps;
} instance;

static int create(const double* values, void** self, char* message)
{
    (void)message; /* write a sentence here and return IVP_REFUSED if the values do not fit together */
    instance* const made = malloc(sizeof *made);
    if (made == NULL) return IVP_REFUSED;
    made->eps = values[0];
    *self = made;
    return IVP_OK;
}

static void destroy(void* self) { free(self); }

/* The solution at the end, with as many digits as are certain. Without it, ivp counts and times runs, but cannot compute their digits. */
static const double reference[] = {0.13533528323661269, 0.36787944117144233};
static const char* const names[] = {"fast", "slow"};

static void describe(const void* self, ivp_problem_description* out)
{
    (void)self;
    *out = (ivp_problem_description){
        IVP_VERSIONED(ivp_problem_description),
        .id = "@NAME@",
        .title = "Problem of Kaps",
        .quantity_of_interest = "both components at the end",
        .tags = "academic, stiff, small, autonomous",
        .component_names = names,
        .form = IVP_ODE,
        .n = 2,
        .t0 = 0,
        .tend = 1,
        .reference = reference,
        .reference_source = "the solution in closed form",
        .h0_per_rtol = 1e-2,
    };
}

static int initial(const void* self, double* y, double* yp)
{
    (void)self;
    (void)yp; /* y'(0) could be given too; the host finds it from f */
    y[0] = 1;
    y[1] = 1;
    return 0; /* yp was not written */
}

/* Return IVP_REFUSED if y is outside the domain of the formula: a good solver then takes a smaller step. */
static int f(const void* self, double t, const double* y, double* out)
{
    const double eps = ((const instance*)self)->eps;
    (void)t;
    out[0] = -(1 / eps + 2) * y[0] + y[1] * y[1] / eps;
    out[1] = y[0] - y[1] - y[1] * y[1];
    return IVP_OK;
}

/* df/dy by columns: entry (i, j) at out[i + 2 j]. Optional: without it solvers form difference quotients. 'ivp check' compares the two. */
static int jacobian(const void* self, double t, const double* y, double* out)
{
    const double eps = ((const instance*)self)->eps;
    (void)t;
    out[0] = -(1 / eps + 2);
    out[1] = 1;
    out[2] = 2 * y[1] / eps;
    out[3] = -1 - 2 * y[1];
    return IVP_OK;
}

void ivp_problem_open(ivp_problem* out)
{
    *out = (ivp_problem){
        IVP_VERSIONED(ivp_problem), .parameter_count = sizeof parameters / sizeof parameters[0],
        .parameters = parameters,   .create = create,
        .destroy = destroy,         .describe = describe,
        .initial = initial,         .f = f,
        .jacobian = jacobian,
    };
}
