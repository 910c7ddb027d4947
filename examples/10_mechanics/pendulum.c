/* A pendulum as masses, forces and constraints: the host writes the equations. A point of mass 1 hangs on a rod of length 1 (g = 1) and is released
 * in the horizontal. After a quarter of its period, K(1/2) = 1.854..., it passes below with the velocity sqrt(2). */
#include <ivp/plugin.h>

static void describe(const void* self, ivp_mechanics_description* out)
{
    static const char* const coordinates[] = {"x", "y"};
    static const char* const constraints[] = {"rod"};
    static const double below[] = {0, -1, -1.4142135623730951, 0}; /* x, y, x', y' */
    (void)self;
    *out = (ivp_mechanics_description){IVP_VERSIONED(ivp_mechanics_description),
                                       .id = "pendulum",
                                       .tags = "mechanics, small",
                                       .coordinate_count = 2,
                                       .constraint_count = 1,
                                       .coordinate_names = coordinates,
                                       .constraint_names = constraints,
                                       .t0 = 0,
                                       .tend = 1.8540746773013719,
                                       .reference = below,
                                       .accuracy = IVP_ACCURACY_ABSOLUTE};
}
static void start(const void* self, double* q, double* v)
{
    (void)self, (void)v;
    q[0] = 1.01; /* about 1: the host finds the consistent value */
}
static void mass(const void* self, const double* q, double* M)
{
    (void)self, (void)q;
    M[0] = M[3] = 1;
}
static int forces(const void* self, double t, const double* q, const double* v, double* f)
{
    (void)self, (void)t, (void)q, (void)v;
    f[1] = -1;
    return IVP_OK;
}
static int constraints(const void* self, double t, const double* q, double* phi)
{
    (void)self, (void)t;
    phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return IVP_OK;
}
void ivp_mechanics_open(ivp_mechanics* out)
{
    *out = (ivp_mechanics){IVP_VERSIONED(ivp_mechanics), .describe = describe, .start = start, .mass = mass, .forces = forces,
                           .constraints = constraints};
}
