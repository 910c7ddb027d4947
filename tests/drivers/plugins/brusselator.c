/* The Brusselator in two dimensions: u' = 1 + u^2 v - 4.4 u + alpha Laplace(u), v' = 3.4 u - u^2 v + alpha Laplace(v), periodic, on a grid of N times
 * N points. v vanishes at one border, where its neighbours and the terms of diffusion do not. Parameter `fault`: 1 spoils one entry of the Jacobian
 * by a thousandth of it. */
#include <ivp/plugin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct grid {
    int N;
    int fault;
    double diffusion; /* alpha N^2 */
    int32_t* column_start;
    int32_t* row;
} grid;

static const ivp_named_value parameters[] = {
    {IVP_VERSIONED(ivp_named_value), "N", 8, 3, 1000, 1, 0, "points in one direction"},
    {IVP_VERSIONED(ivp_named_value), "fault", 0, 0, 1, 1, 0, "what is wrong"},
};

/* u of all points, then v of all points. */
static int place(const grid* g, int part, int i, int j) { return part * g->N * g->N + ((j + g->N) % g->N) * g->N + (i + g->N) % g->N; }

static int ascending(const void* a, const void* b) { return *(const int32_t*)a - *(const int32_t*)b; }

/* Rows that depend on one variable: its point and the four around it, and the other substance at its point. */
static void rows_of(const grid* g, int part, int i, int j, int32_t* rows)
{
    rows[0] = place(g, part, i, j);
    rows[1] = place(g, part, i - 1, j);
    rows[2] = place(g, part, i + 1, j);
    rows[3] = place(g, part, i, j - 1);
    rows[4] = place(g, part, i, j + 1);
    rows[5] = place(g, 1 - part, i, j);
    qsort(rows, 6, sizeof *rows, ascending);
}

static int create(const double* values, void** self, char* message)
{
    (void)message;
    grid* const g = calloc(1, sizeof *g);
    g->N = (int)values[0];
    g->fault = (int)values[1];
    g->diffusion = 0.1 * g->N * g->N;
    const int n = 2 * g->N * g->N;
    g->column_start = malloc((size_t)(n + 1) * sizeof *g->column_start);
    g->row = malloc((size_t)n * 6 * sizeof *g->row);
    for (int part = 0; part < 2; ++part)
        for (int j = 0; j < g->N; ++j)
            for (int i = 0; i < g->N; ++i) {
                const int column = place(g, part, i, j);
                g->column_start[column] = 6 * column;
                rows_of(g, part, i, j, g->row + 6 * (size_t)column);
            }
    g->column_start[n] = 6 * n;
    *self = g;
    return IVP_OK;
}

static void destroy(void* self)
{
    grid* const g = self;
    free(g->column_start);
    free(g->row);
    free(g);
}

static void describe(const void* self, ivp_problem_description* out)
{
    const grid* const g = self;
    *out = (ivp_problem_description){
        IVP_VERSIONED(ivp_problem_description),
        .id = "brusselator",
        .tags = "autonomous",
        .form = IVP_ODE,
        .n = 2 * g->N * g->N,
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
            const double x = (double)i / g->N, z = (double)j / g->N;
            y[place(g, 0, i, j)] = 22 * z * pow(1 - z, 1.5);
            y[place(g, 1, i, j)] = 27 * x * pow(1 - x, 1.5);
        }
    return 0;
}

static double laplace(const grid* g, const double* y, int part, int i, int j)
{
    return g->diffusion * (y[place(g, part, i - 1, j)] + y[place(g, part, i + 1, j)] + y[place(g, part, i, j - 1)] + y[place(g, part, i, j + 1)] -
                           4 * y[place(g, part, i, j)]);
}

static int f(const void* self, double t, const double* y, double* out)
{
    const grid* const g = self;
    (void)t;
    for (int j = 0; j < g->N; ++j)
        for (int i = 0; i < g->N; ++i) {
            const double u = y[place(g, 0, i, j)], v = y[place(g, 1, i, j)];
            out[place(g, 0, i, j)] = 1 + u * u * v - 4.4 * u + laplace(g, y, 0, i, j);
            out[place(g, 1, i, j)] = 3.4 * u - u * u * v + laplace(g, y, 1, i, j);
        }
    return IVP_OK;
}

static int jacobian(const void* self, double t, const double* y, double* out)
{
    const grid* const g = self;
    (void)t;
    for (int part = 0; part < 2; ++part)
        for (int j = 0; j < g->N; ++j)
            for (int i = 0; i < g->N; ++i) {
                const int column = place(g, part, i, j);
                const double u = y[place(g, 0, i, j)], v = y[place(g, 1, i, j)];
                for (int p = g->column_start[column]; p < g->column_start[column + 1]; ++p) {
                    const int row = g->row[p];
                    if (row == column)
                        out[p] = (part == 0 ? 2 * u * v - 4.4 : -u * u) - 4 * g->diffusion;
                    else if (row == place(g, 1 - part, i, j))
                        out[p] = part == 0 ? 3.4 - 2 * u * v : u * u;
                    else
                        out[p] = g->diffusion;
                }
            }
    if (g->fault == 1) out[g->column_start[g->N] + 1] *= 1.001;
    return IVP_OK;
}

void ivp_problem_open(ivp_problem* out)
{
    *out = (ivp_problem){
        IVP_VERSIONED(ivp_problem), .parameter_count = sizeof parameters / sizeof *parameters,
        .parameters = parameters,   .create = create,
        .destroy = destroy,         .describe = describe,
        .initial = initial,         .f = f,
        .jacobian = jacobian,
    };
}
