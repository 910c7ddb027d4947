/* A four-bar linkage in the coordinates of its two joints A and B: two parallel cranks of length 1 on pins at (0, 0) and (2, 0), and a coupler of
 * length 2 between them. It begins about 0.01 beside the position above the pins, at a velocity of about 1. Three macros turn it into systems that
 * have no consistent start:
 *
 *     -DFLAT           all bars in one line: the constraints are dependent at this position (singular)
 *     -DTHIRD_CRANK    a crank on the middle of the coupler, which changes nothing (redundant)
 *     -DLONG_COUPLER   a coupler of length 5, which the cranks cannot reach (contradictory)
 */
#include <ivp/plugin.h>

#ifdef LONG_COUPLER
#define COUPLER 5.0
#else
#define COUPLER 2.0
#endif

static void describe(const void* self, ivp_mechanics_description* out)
{
    static const char* const coordinates[] = {"Ax", "Ay", "Bx", "By"};
    static const char* const constraints[] = {"left crank", "right crank", "coupler", "middle crank"};
    (void)self;
    *out = (ivp_mechanics_description){IVP_VERSIONED(ivp_mechanics_description),
                                       .id = "linkage",
                                       .tags = "mechanics, small",
                                       .coordinate_count = 4,
                                       .constraint_count = 3,
                                       .coordinate_names = coordinates,
                                       .constraint_names = constraints,
                                       .t0 = 0,
                                       .tend = 10};
#ifdef THIRD_CRANK
    out->constraint_count = 4;
#endif
}
static void start(const void* self, double* q, double* v)
{
    (void)self, (void)v;
#ifdef FLAT
    q[0] = 1, q[2] = 3;
#else
    q[0] = 0.01, q[1] = 0.99, q[2] = 2.01, q[3] = 1.01;
    v[0] = 1, v[2] = 1.02;
#endif
}
static void mass(const void* self, const double* q, double* M)
{
    (void)self, (void)q;
    for (int i = 0; i < 4; ++i) M[5 * i] = 1;
}
static int forces(const void* self, double t, const double* q, const double* v, double* f)
{
    (void)self, (void)t, (void)q, (void)v;
    f[0] = 0.1; /* a push to the right, and gravity */
    f[1] = f[3] = -1;
    return IVP_OK;
}
static double square(double x) { return x * x; }
static int constraints(const void* self, double t, const double* q, double* phi)
{
    (void)self, (void)t;
    phi[0] = (square(q[0]) + square(q[1]) - 1) / 2;
    phi[1] = (square(q[2] - 2) + square(q[3]) - 1) / 2;
    phi[2] = (square(q[0] - q[2]) + square(q[1] - q[3]) - square(COUPLER)) / 2;
#ifdef THIRD_CRANK
    phi[3] = (square((q[0] + q[2]) / 2 - 1) + square((q[1] + q[3]) / 2) - 1) / 2;
#endif
    return IVP_OK;
}
void ivp_mechanics_open(ivp_mechanics* out)
{
    *out = (ivp_mechanics){IVP_VERSIONED(ivp_mechanics), .describe = describe, .start = start, .mass = mass, .forces = forces,
                           .constraints = constraints};
}
