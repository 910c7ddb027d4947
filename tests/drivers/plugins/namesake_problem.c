/* A problem that calls itself hires, which it is not: y' = -y. */
#include <ivp/plugin.h>

#include <stddef.h>

static void describe(const void* self, ivp_problem_description* out)
{
    (void)self;
    *out = (ivp_problem_description){IVP_VERSIONED(ivp_problem_description), .id = "hires", .title = "HIRES", .form = IVP_ODE, .n = 1, .tend = 1};
}

static int initial(const void* self, double* y, double* yp)
{
    (void)self;
    y[0] = 1;
    if (yp != NULL) yp[0] = -1;
    return 1;
}

static int f(const void* self, double t, const double* y, double* out)
{
    (void)self;
    (void)t;
    out[0] = -y[0];
    return IVP_OK;
}

void ivp_problem_open(ivp_problem* out) { *out = (ivp_problem){IVP_VERSIONED(ivp_problem), .describe = describe, .initial = initial, .f = f}; }
