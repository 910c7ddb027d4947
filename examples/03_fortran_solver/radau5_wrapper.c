/* A solver in Fortran behind the plug-in contract: RADAU5 of E. Hairer and G. Wanner as its authors wrote it.
 *
 * Their code is not part of this project. Take radau5.f, decsol.f and dc_decsol.f from https://www.unige.ch/~hairer/software.html, then
 *
 *     gfortran -O2 -march=x86-64-v3 -std=legacy -fPIC -c radau5.f decsol.f dc_decsol.f
 *     gcc -O2 -march=x86-64-v3 -shared -fPIC -Iinclude -o radau5.so examples/03_fortran_solver/radau5_wrapper.c \
 *         radau5.o decsol.o dc_decsol.o -lgfortran -lm
 *
 * Other codes need the same five things: where the task is while the Fortran runs, a way out of it, f, J and M, and the counts at the end. */
#include <ivp/plugin.h>

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* What gfortran expects: every argument by address, names in small letters with an underscore. */
typedef void radau5_f(const int* n, const double* x, const double* y, double* f, double* rpar, int* ipar);
typedef void radau5_jacobian(const int* n, const double* x, const double* y, double* dfy, const int* ldfy, double* rpar, int* ipar);
typedef void radau5_mass(const int* n, double* am, const int* lmas, double* rpar, int* ipar);
typedef void radau5_step(const int* nr, const double* xold, const double* x, const double* y, const double* cont, const int* lrc, const int* n,
                         double* rpar, int* ipar, int* irtrn);
void radau5_(const int* n, radau5_f* fcn, double* x, double* y, const double* xend, double* h, double* rtol, double* atol, const int* itol,
             radau5_jacobian* jac, const int* ijac, const int* mljac, const int* mujac, radau5_mass* mas, const int* imas, const int* mlmas,
             const int* mumas, radau5_step* solout, const int* iout, double* work, const int* lwork, int* iwork, const int* liwork, double* rpar,
             int* ipar, int* idid);
double contr5_(const int* i, const double* x, const double* cont, const int* lrc);

/* The Fortran has no argument for data of the caller. The host calls one solve at a time, so static variables can hold them. */
static const ivp_task* task;
static const double* slope; /* where RADAU5 keeps f(x, y): the output of its first evaluation */
static jmp_buf way_out;     /* RADAU5 cannot be stopped from f; its frames hold nothing that needs to be released */

static void stop_at(int answer)
{
    if (answer == IVP_STOP) longjmp(way_out, 1);
}

static int jacobian_is_band(void) { return task->jacobian_kind == IVP_BAND && task->algebra != IVP_ALGEBRA_DENSE; }

static void evaluate(const int* n, const double* x, const double* y, double* f, double* rpar, int* ipar)
{
    (void)rpar, (void)ipar;
    if (slope == NULL) slope = f;
    /* Only the loops of difference quotients evaluate at y itself and put the result elsewhere. */
    const int difference = y == task->y && f != slope;
    const ivp_callbacks* const call = task->callbacks;
    const int answer = difference ? call->f_difference(task->host, *x, y, f) : call->f(task->host, *x, y, f);
    stop_at(answer);
    if (answer != IVP_OK) /* f cannot refuse an argument: an absurd slope makes RADAU5's iteration or error test fail, and it cuts the step */
        for (int i = 0; i < *n; ++i) f[i] = 1e100;
}

static void evaluate_jacobian(const int* n, const double* x, const double* y, double* dfy, const int* ldfy, double* rpar, int* ipar)
{
    (void)n, (void)rpar, (void)ipar;
    const ivp_callbacks* const call = task->callbacks;
    stop_at((jacobian_is_band() ? call->jacobian_band : call->jacobian)(task->host, *x, y, dfy, *ldfy));
}

static void copy_mass(const int* n, double* am, const int* lmas, double* rpar, int* ipar)
{
    (void)rpar, (void)ipar;
    const int rows = task->mass_kind == IVP_MASS_FULL ? *n : task->mass_lower + task->mass_upper + 1;
    for (int j = 0; j < *n; ++j) memcpy(am + (size_t)j * *lmas, task->mass + (size_t)j * rows, rows * sizeof(double));
}

typedef struct {
    const double* cont;
    const int* lrc;
} dense_output;

static void interpolate(void* data, double t, double* y)
{
    const dense_output* const d = data;
    for (int i = 1; i <= task->n; ++i) y[i - 1] = contr5_(&i, &t, d->cont, d->lrc);
}

static void report_step(const int* nr, const double* xold, const double* x, const double* y, const double* cont, const int* lrc, const int* n,
                        double* rpar, int* ipar, int* irtrn)
{
    (void)n, (void)rpar, (void)ipar, (void)irtrn;
    if (*nr == 1) return; /* the initial values */
    dense_output d = {cont, lrc};
    const ivp_step step = {IVP_VERSIONED(ivp_step),    .t_old = *xold,          .t = *x, .h = *x - *xold, .y = y,
                           .error_bound = 1,           .error_norm = NAN, /* RADAU5 does not report it */
                           .interpolate = interpolate, .interpolation_data = &d};
    stop_at(task->callbacks->accepted_step(task->host, &step));
}

void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){
        IVP_VERSIONED(ivp_solver_description),
        .name = "radau5-fortran",
        .title = "RADAU5 (Fortran)",
        .solver_version = "2002-01-18",
        .language = "Fortran",
        .error_norm = "root mean square of the estimate divided by atol + rtol |y|, both transformed",
        .lu_unit = "one real and one complex matrix",
        .reference = "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, 2nd ed. (1996)",
        .forms = IVP_ODE | IVP_DAE,
        .flags = IVP_IMPLICIT | IVP_TAKES_H0 | IVP_NEEDS_H0 | IVP_TAKES_BAND | IVP_TAKES_VECTOR_TOLERANCES,
        .highest_index = 3,
        .lowest_order = 5,
        .highest_order = 5,
    };
}

/* RADAU5's counters: their places in IWORK (counted from 0). */
enum { count_f = 13, count_jacobian, count_step, count_accepted, count_error_rejection, count_lu, count_solve };

static void report(const int* iwork, int idid, double x, ivp_result* result)
{
    static const int outcomes[] = {IVP_UNFINISHED, IVP_NEWTON_FAILED, IVP_TOO_MANY_STEPS, IVP_STEP_TOO_SMALL, IVP_SINGULAR_MATRIX};
    result->outcome = idid > 0 ? IVP_SUCCESS : outcomes[-idid];
    if (idid == -1) strcpy(result->message, "RADAU5 says that its input is not consistent");
    result->t = x;
    result->steps = iwork[count_step];
    result->accepted = iwork[count_accepted];
    result->error_rejections = iwork[count_error_rejection];
    result->nfev = iwork[count_f];
    result->njac = iwork[count_jacobian];
    result->nlu = iwork[count_lu];
    result->nsolve = iwork[count_solve];
    for (int i = 0; i < iwork[count_lu]; ++i) task->callbacks->factorised(task->host, 1, 1);
    task->callbacks->solved(task->host, iwork[count_solve]);
    if (!task->exact_jacobian)
        for (int i = 0; i < iwork[count_jacobian]; ++i) task->callbacks->jacobian_by_differences(task->host);
}

void ivp_solver_solve(const ivp_task* t, ivp_result* result)
{
    task = t;
    slope = NULL;
    const int n = t->n;
    const int itol = !t->scalar_tolerances, ijac = t->exact_jacobian, iout = 1;
    const int band = jacobian_is_band(); /* "n diagonals below" is RADAU5's way to say full */
    const int mljac = band ? t->jacobian_lower : n, mujac = band ? t->jacobian_upper : n;
    const int imas = t->mass_kind != IVP_MASS_IDENTITY, full_mass = t->mass_kind == IVP_MASS_FULL;
    const int mlmas = full_mass ? n : t->mass_lower, mumas = full_mass ? n : t->mass_upper;

    const size_t ljac = band ? mljac + mujac + 1 : n, le = band ? 2 * mljac + mujac + 1 : n;
    const size_t lmas = !imas ? 0 : full_mass ? n : mlmas + mumas + 1;
    const int lwork = (int)(n * (ljac + lmas + 3 * le + 12) + 20), liwork = 3 * n + 20;
    double* const work = malloc((lwork + 2 * (size_t)n) * sizeof(double));
    int* const iwork = malloc(liwork * sizeof(int));
    if (work == NULL || iwork == NULL) {
        result->outcome = IVP_OUT_OF_MEMORY;
    } else if (setjmp(way_out) == 0) {
        double *const rtol = work + lwork, *const atol = rtol + n; /* RADAU5 changes them */
        memcpy(rtol, t->rtol, n * sizeof(double));
        memcpy(atol, t->atol, n * sizeof(double));
        memset(work, 0, 20 * sizeof(double));
        memset(iwork, 0, 20 * sizeof(int));
        if (isfinite(t->hmax)) work[6] = t->hmax;
        iwork[1] = t->max_steps < 2000000000 ? (int)t->max_steps : 2000000000;
        for (int i = 0; i < n; ++i) ++iwork[3 + t->index[i]]; /* numbers of variables of index 1, 2 and 3 */

        double x = t->t0, h = t->h0, rpar = 0;
        int ipar = 0, idid = 0;
        radau5_(&n, evaluate, &x, t->y, &t->tend, &h, rtol, atol, &itol, evaluate_jacobian, &ijac, &mljac, &mujac, copy_mass, &imas, &mlmas, &mumas,
                report_step, &iout, work, &lwork, iwork, &liwork, &rpar, &ipar, &idid);
        report(iwork, idid, x, result);
    } else {
        result->outcome = IVP_STOPPED;
    }
    free(work);
    free(iwork);
}
