/* A problem with everything a description can hold: the pendulum in Cartesian coordinates, index 3, with its own Jacobian and mass matrix, and
 * variants of it that describe themselves wrongly (parameter `fault`). */
#include <ivp/plugin.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct pendulum {
    double gravity;
    int fault;
} pendulum;

static const ivp_named_value parameters[] = {
    {IVP_VERSIONED(ivp_named_value), "gravity", 1, 0.1, INFINITY, 0, 0, "acceleration"},
    {IVP_VERSIONED(ivp_named_value), "fault", 0, 0, 100, 1, 0, "what is wrong"},
};

static int create(const double* values, void** self, char* message)
{
    if (values[0] == 13) {
        snprintf(message, IVP_MESSAGE_SIZE, "no pendulum swings at gravity 13");
        return IVP_REFUSED;
    }
    pendulum* const p = malloc(sizeof *p);
    if (p == NULL) return IVP_REFUSED;
    p->gravity = values[0];
    p->fault = (int)values[1];
    *self = p;
    return IVP_OK;
}

static const int32_t index_of[] = {1, 1, 2, 2, 3};
static const int32_t bad_index[] = {1, 1, 2, 2, 4};
static const char* const names[] = {"x", "y", "u", "v", "tension"};
static const double kinks[] = {0.5, 1.5};
static const double beyond[] = {5};
static const int32_t excluded[] = {4};
static const int32_t column_start[] = {0, 2, 4, 5, 6, 8};
static const int32_t rows[] = {2, 4, 3, 4, 0, 1, 2, 3};
static const double reference[] = {0.3, -0.9, 0.1, 0.2, 1};

static void describe(const void* self, ivp_problem_description* out)
{
    const pendulum* const p = self;
    *out = (ivp_problem_description){
        IVP_VERSIONED(ivp_problem_description),
        .id = "pendulum",
        .title = "Pendulum",
        .contributor = "the tests",
        .quantity_of_interest = "where it is",
        .tags = "mechanics, small , index3",
        .chapter = "# Pendulum\n\nIt swings.\n\n## Mathematical description\n\n$$ x'' = -\\lambda x $$\n",
        .component_names = names,
        .form = IVP_DAE,
        .n = 5,
        .tend = 2,
        .highest_index = 3,
        .index = index_of,
        .jacobian_kind = IVP_SPARSE,
        .jacobian_column_start = column_start,
        .jacobian_row = rows,
        .mass_kind = IVP_MASS_DIAGONAL,
        .breakpoint_count = 1,
        .breakpoints = kinks,
        .discontinuity_count = 2,
        .discontinuities = kinks,
        .excluded_count = 1,
        .excluded = excluded,
        .reference = reference,
        .reference_source = "made up",
        .atol_per_rtol = 0.1,
        .h0_per_rtol = 0.01,
    };
    switch (p->fault) {
    case 1: out->id = "Pendulum!"; break;
    case 2: out->n = 0; break;
    case 3: out->tend = -1; break;
    case 4: out->form = 3; break;
    case 5: out->index = bad_index; break;
    case 6: out->breakpoints = beyond; break;
    case 7: out->jacobian_row = NULL; break;
    case 8:
        out->jacobian_kind = IVP_BAND;
        out->jacobian_lower = 7;
        break;
    case 9: out->version = 2; break;
    case 10: out->mass_kind = 9; break;
    case 11:
        out->form = IVP_IDE;
        out->mass_kind = IVP_MASS_IDENTITY;
        break;
    case 12: out->excluded = NULL; break;
    default: break;
    }
}

static int initial(const void* self, double* y, double* yp)
{
    const pendulum* const p = self;
    y[0] = 1;
    y[1] = y[2] = y[3] = y[4] = 0;
    yp[0] = yp[1] = yp[2] = yp[4] = 0;
    yp[3] = -p->gravity;
    return 1;
}

static int f(const void* self, double t, const double* y, double* out)
{
    const pendulum* const p = self;
    if (t > 1e6) return IVP_REFUSED;
    out[0] = y[2];
    out[1] = y[3];
    out[2] = -y[0] * y[4];
    out[3] = -y[1] * y[4] - p->gravity;
    out[4] = y[0] * y[0] + y[1] * y[1] - 1;
    return IVP_OK;
}

static int jacobian(const void* self, double t, const double* y, double* out)
{
    (void)self;
    (void)t;
    const double entries[] = {-y[4], 2 * y[0], -y[4], 2 * y[1], 1, 1, -y[0], -y[1]};
    for (int k = 0; k < 8; ++k) out[k] = entries[k];
    return IVP_OK;
}

static void mass(const void* self, double* out)
{
    (void)self;
    for (int i = 0; i < 4; ++i) out[i] = 1;
    out[4] = 0;
}

static void tolerances(const void* self, double rtol, double atol, double* rtol_out, double* atol_out)
{
    const pendulum* const p = self;
    if (p->fault == 21) exit(0);
    if (p->fault == 22) abort();
    for (int i = 0; i < 5; ++i) {
        rtol_out[i] = rtol;
        atol_out[i] = i < 4 ? atol : 100 * atol;
    }
}

void ivp_problem_open(ivp_problem* out)
{
    *out = (ivp_problem){
        IVP_VERSIONED(ivp_problem),
        .flags = IVP_PROBLEM_SERIAL,
        .parameter_count = 2,
        .parameters = parameters,
        .create = create,
        .destroy = free,
        .describe = describe,
        .initial = initial,
        .f = f,
        .jacobian = jacobian,
        .mass = mass,
        .tolerances = tolerances,
    };
}
