/* A problem that brings its own preconditioner: reaction and diffusion on a square,
 *
 *   u' = d (u_xx + u_yy) + k u (1 - u^2),   u = 0 at the boundary,   N x N points inside, n = N^2 equations.
 *
 * A solver that iterates needs an approximate solution of (c I - J) x = b. Diffusion is the sum of two directions, and the product
 *
 *   P = (s I - X) (s I - Y) / s,   s = c - r,   X = d d2/dx2,   Y = d d2/dy2,   r = the mean of the derivative of the reaction
 *
 * differs from s I - X - Y by X Y / s only. Each factor consists of tridiagonal systems along the lines of the grid: 10 n operations, and the memory
 * of two lines. Try
 *
 *   ivp run fronts.so vode --set N=200 --rtol 1e-6 --algebra krylov --opt preconditioner=user --opt products=duals
 */
#include <ivp/plugin.h>

#include <math.h>
#include <stdlib.h>

typedef struct grid {
    int N;
    double diffusion; /* d / h^2, h = 1 / (N + 1) */
    double rate;      /* k */
    int32_t* column_start;
    int32_t* row;
} grid;

static const ivp_named_value parameters[] = {
    {IVP_VERSIONED(ivp_named_value), "N", 20, 2, 2000, 1, 0, "points in one direction; there are N^2 equations"},
    {IVP_VERSIONED(ivp_named_value), "d", 0.1, 1e-6, 100, 0, 0, "diffusion"},
    {IVP_VERSIONED(ivp_named_value), "k", 10, 0, 1e4, 0, 0, "rate of the reaction"},
};

static void destroy(void* self)
{
    grid* const g = self;
    if (g == NULL) return;
    free(g->column_start);
    free(g->row);
    free(g);
}

/* The pattern: a point and its neighbours, in the order of their numbers. */
static void find_pattern(grid* g)
{
    const int N = g->N;
    int entries = 0;
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            const int k = j * N + i;
            g->column_start[k] = entries;
            if (j > 0) g->row[entries++] = k - N;
            if (i > 0) g->row[entries++] = k - 1;
            g->row[entries++] = k;
            if (i < N - 1) g->row[entries++] = k + 1;
            if (j < N - 1) g->row[entries++] = k + N;
        }
    g->column_start[N * N] = entries;
}

static int create(const double* values, void** self, char* message)
{
    (void)message;
    grid* const g = calloc(1, sizeof *g);
    if (g == NULL) return IVP_REFUSED;
    g->N = (int)values[0];
    const size_t n = (size_t)g->N * (size_t)g->N;
    g->diffusion = values[1] * (g->N + 1) * (g->N + 1);
    g->rate = values[2];
    g->column_start = malloc((n + 1) * sizeof *g->column_start);
    g->row = malloc(5 * n * sizeof *g->row);
    if (g->column_start == NULL || g->row == NULL) {
        destroy(g);
        return IVP_REFUSED;
    }
    find_pattern(g);
    *self = g;
    return IVP_OK;
}

static void describe(const void* self, ivp_problem_description* out)
{
    const grid* const g = self;
    *out = (ivp_problem_description){
        IVP_VERSIONED(ivp_problem_description),
        .id = "fronts",
        .title = "Fronts on a square",
        .quantity_of_interest = "u at the end",
        .tags = "pde, large, autonomous",
        .form = IVP_ODE,
        .n = g->N * g->N,
        .tend = 1,
        .jacobian_kind = IVP_SPARSE,
        .jacobian_column_start = g->column_start,
        .jacobian_row = g->row,
    };
}

static int initial(const void* self, double* y, double* yp)
{
    const grid* const g = self;
    (void)yp;
    for (int j = 0; j < g->N; ++j)
        for (int i = 0; i < g->N; ++i) {
            const double x = (i + 1.0) / (g->N + 1), z = (j + 1.0) / (g->N + 1);
            y[j * g->N + i] = 16 * x * (1 - x) * z * (1 - z) * sin(9 * x + 5 * z);
        }
    return 0;
}

/* diffusion times (the four neighbours of point (i, j) - 4 times the point) */
static double laplace(const grid* g, const double* u, int i, int j)
{
    const int N = g->N, k = j * N + i;
    return g->diffusion * ((j > 0 ? u[k - N] : 0) + (i > 0 ? u[k - 1] : 0) + (i < N - 1 ? u[k + 1] : 0) + (j < N - 1 ? u[k + N] : 0) - 4 * u[k]);
}
static double slope_of_reaction(const grid* g, double u) { return g->rate * (1 - 3 * u * u); }

static int f(const void* self, double t, const double* y, double* out)
{
    const grid* const g = self;
    (void)t;
    for (int j = 0; j < g->N; ++j)
        for (int i = 0; i < g->N; ++i) {
            const double u = y[j * g->N + i];
            out[j * g->N + i] = laplace(g, y, i, j) + g->rate * u * (1 - u * u);
        }
    return IVP_OK;
}

static int jacobian(const void* self, double t, const double* y, double* out)
{
    const grid* const g = self;
    (void)t;
    for (int k = 0; k < g->N * g->N; ++k)
        for (int p = g->column_start[k]; p < g->column_start[k + 1]; ++p)
            out[p] = g->row[p] == k ? slope_of_reaction(g, y[k]) - 4 * g->diffusion : g->diffusion;
    return IVP_OK;
}

/* df/dy v without the entries of df/dy */
static int product(const void* self, double t, const double* y, const double* v, double* out)
{
    const grid* const g = self;
    (void)t;
    for (int j = 0; j < g->N; ++j)
        for (int i = 0; i < g->N; ++i) {
            const int k = j * g->N + i;
            out[k] = laplace(g, v, i, j) + slope_of_reaction(g, y[k]) * v[k];
        }
    return IVP_OK;
}

/* ---- The preconditioner ---- */

typedef struct lines {
    double mean;   /* r */
    double scale;  /* s */
    double* pivot; /* N reciprocals: the factors of the tridiagonal matrix s I - d d2/dx2, which is that of every line */
} lines;

static int set_up(const void* self, double t, const double* y, double c, int32_t same_point, void** state)
{
    const grid* const g = self;
    lines* l = *state;
    (void)t;
    if (l == NULL) {
        l = calloc(1, sizeof *l);
        if (l != NULL) l->pivot = malloc((size_t)g->N * sizeof *l->pivot);
        if (l == NULL || l->pivot == NULL) {
            free(l);
            return IVP_REFUSED;
        }
        *state = l;
    }
    if (!same_point) { /* else only c has changed */
        double sum = 0;
        for (int k = 0; k < g->N * g->N; ++k) sum += slope_of_reaction(g, y[k]);
        l->mean = sum / ((double)g->N * g->N);
    }
    l->scale = c - l->mean > 0 ? c - l->mean : c;
    double below = 0; /* what elimination takes from a diagonal entry */
    for (int i = 0; i < g->N; ++i) {
        l->pivot[i] = 1 / (l->scale + 2 * g->diffusion - below);
        below = g->diffusion * g->diffusion * l->pivot[i];
    }
    return IVP_OK;
}

/* All lines in one direction at a time; `along` from point to point of a line, `across` from line to line. */
static void solve_lines(const grid* g, const lines* l, int along, int across, double* x)
{
    const int N = g->N;
    for (int i = 1; i < N; ++i)
        for (int j = 0; j < N; ++j) x[i * along + j * across] += g->diffusion * l->pivot[i - 1] * x[(i - 1) * along + j * across];
    for (int i = N - 1; i >= 0; --i)
        for (int j = 0; j < N; ++j) {
            const double next = i < N - 1 ? g->diffusion * x[(i + 1) * along + j * across] : 0;
            x[i * along + j * across] = (x[i * along + j * across] + next) * l->pivot[i];
        }
}

static int solve(const void* self, void* state, const double* b, double* x)
{
    const grid* const g = self;
    const lines* const l = state;
    for (int k = 0; k < g->N * g->N; ++k) x[k] = l->scale * b[k];
    solve_lines(g, l, 1, g->N, x);
    solve_lines(g, l, g->N, 1, x);
    return IVP_OK;
}

static void end(const void* self, void* state)
{
    lines* const l = state;
    (void)self;
    free(l->pivot);
    free(l);
}

IVP_EXPORT void ivp_problem_open(ivp_problem* out)
{
    *out = (ivp_problem){
        IVP_VERSIONED(ivp_problem),
        .parameter_count = sizeof parameters / sizeof *parameters,
        .parameters = parameters,
        .create = create,
        .destroy = destroy,
        .describe = describe,
        .initial = initial,
        .f = f,
        .jacobian = jacobian,
        .product = product,
        .preconditioner_set_up = set_up,
        .preconditioner_solve = solve,
        .preconditioner_free = end,
    };
}
