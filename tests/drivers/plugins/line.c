/* Heat along a line: y_i' = y_(i-1) - 2 y_i + y_(i+1) on N points, without a Jacobian. The solution is known: a sine that decays. Parameter `fault`
 * makes one of its claims false. */
#include <ivp/plugin.h>

#include <math.h>
#include <stdlib.h>

enum fault {
    fault_none,
    fault_far_entry,        /* equation 2 depends on the last variable, outside the band */
    fault_every_row,        /* all equations depend on their second neighbour */
    fault_reference,        /* wrong in the fifth digit of component 3 */
    fault_few_digits,       /* right in seven digits, 15 are claimed */
    fault_infinite,         /* an infinite component in the reference */
    fault_time,             /* depends on t, although it promises not to */
    fault_derivative,       /* gives a wrong y'(t0) */
    fault_cannot_integrate, /* right, but the formula refuses a stretch in the middle: nobody can integrate it */
    fault_no_number,        /* a reference whose number of digits is NaN */
};

typedef struct line {
    int N;
    int fault;
    double* reference;
    double* digits;
} line;

static const ivp_named_value parameters[] = {
    {IVP_VERSIONED(ivp_named_value), "N", 20, 4, 1e6, 1, 0, "points"},
    {IVP_VERSIONED(ivp_named_value), "fault", 0, 0, 9, 1, 0, "what is wrong"},
};

static const double tend = 10;
static double pi(void) { return acos(-1); }
static double sine(const line* l, int i) { return sin(pi() * (i + 1) / (l->N + 1)); }
static double rate(const line* l) { return 4 * pow(sin(pi() / (2 * (l->N + 1))), 2); }

/* The reference belongs to the default parameters; so that it can be spoiled there, the environment says how. */
static int default_fault(void)
{
    const char* const text = getenv("IVP_TEST_LINE_FAULT");
    return text == NULL ? 0 : atoi(text);
}

static int create(const double* values, void** self, char* message)
{
    (void)message;
    line* const l = calloc(1, sizeof *l);
    l->N = (int)values[0];
    l->fault = values[1] != 0 ? (int)values[1] : default_fault();
    l->reference = malloc((size_t)l->N * sizeof *l->reference);
    l->digits = malloc((size_t)l->N * sizeof *l->digits);
    for (int i = 0; i < l->N; ++i) {
        l->reference[i] = exp(-rate(l) * tend) * sine(l, i);
        l->digits[i] = 15;
    }
    if (l->fault == fault_reference) l->reference[2] *= 1.00002;
    if (l->fault == fault_few_digits)
        for (int i = 0; i < l->N; ++i) l->reference[i] *= 1 + 1e-7;
    if (l->fault == fault_infinite) l->reference[1] = INFINITY;
    if (l->fault == fault_no_number) l->digits[1] = NAN;
    *self = l;
    return IVP_OK;
}

static void destroy(void* self)
{
    line* const l = self;
    free(l->reference);
    free(l->digits);
    free(l);
}

static void describe(const void* self, ivp_problem_description* out)
{
    const line* const l = self;
    *out = (ivp_problem_description){
        IVP_VERSIONED(ivp_problem_description),
        .id = "line",
        .tags = "autonomous",
        .form = IVP_ODE,
        .n = l->N,
        .tend = tend,
        .jacobian_kind = IVP_BAND,
        .jacobian_lower = 1,
        .jacobian_upper = 1,
        .reference = l->reference,
        .reference_digits = l->digits,
        .reference_source = "closed form",
    };
}

static int f(const void* self, double t, const double* y, double* out)
{
    const line* const l = self;
    for (int i = 0; i < l->N; ++i) out[i] = (i > 0 ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < l->N ? y[i + 1] : 0);
    if (l->fault == fault_far_entry) out[1] += 0.5 * y[l->N - 1];
    if (l->fault == fault_every_row)
        for (int i = 0; i + 2 < l->N; ++i) out[i] += 1e-3 * y[i + 2];
    if (l->fault == fault_time) out[0] += 1e-3 * t;
    if (l->fault == fault_cannot_integrate && t > 3 && t < 7) return IVP_REFUSED;
    return IVP_OK;
}

static int initial(const void* self, double* y, double* yp)
{
    const line* const l = self;
    for (int i = 0; i < l->N; ++i) y[i] = sine(l, i);
    if (l->fault != fault_derivative || yp == NULL) return 0;
    for (int i = 0; i < l->N; ++i) yp[i] = -1.01 * rate(l) * y[i];
    return 1;
}

void ivp_problem_open(ivp_problem* out)
{
    *out = (ivp_problem){
        IVP_VERSIONED(ivp_problem), .parameter_count = sizeof parameters / sizeof *parameters,
        .parameters = parameters,   .create = create,
        .destroy = destroy,         .describe = describe,
        .initial = initial,         .f = f,
    };
}
