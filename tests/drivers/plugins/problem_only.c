/* A problem, y' = -rate y, where a solver is asked for. */
#include <ivp/plugin.h>

#include <stdlib.h>

static const ivp_named_value parameters[] = {{IVP_VERSIONED(ivp_named_value), "rate", 1, 0, 1e6, 0, 0, "of decay [1/s]"}};

static int create(const double* values, void** self, char* message)
{
    double* const rate = malloc(sizeof *rate);
    if (rate == NULL) {
        message[0] = '\0';
        return IVP_REFUSED;
    }
    *rate = values[0];
    *self = rate;
    return IVP_OK;
}

static void describe(const void* self, ivp_problem_description* out)
{
    (void)self;
    *out = (ivp_problem_description){IVP_VERSIONED(ivp_problem_description), .id = "decay", .form = IVP_ODE, .n = 1, .tend = 1};
}

static int initial(const void* self, double* y, double* yp)
{
    y[0] = 1;
    if (yp != NULL) yp[0] = -*(const double*)self;
    return 1;
}

static int f(const void* self, double t, const double* y, double* out)
{
    (void)t;
    out[0] = -*(const double*)self * y[0];
    return IVP_OK;
}

void ivp_problem_open(ivp_problem* out)
{
    *out = (ivp_problem){
        IVP_VERSIONED(ivp_problem),
        .parameter_count = 1,
        .parameters = parameters,
        .create = create,
        .destroy = free,
        .describe = describe,
        .initial = initial,
        .f = f,
    };
}
