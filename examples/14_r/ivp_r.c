/* The C interface of ivp for R, by .Call: what docs/r.md uses, and a pattern for the other functions of ivp/ivp.h. */
#include <R.h>
#include <Rinternals.h>

#include <ivp/ivp.h>

static void close_test(SEXP p)
{
    ivp_test_close(R_ExternalPtrAddr(p));
    R_ClearExternalPtr(p);
}

static ivp_test* test_of(SEXP p)
{
    if (TYPEOF(p) != EXTPTRSXP || R_ExternalPtrAddr(p) == NULL) error("allowed: a problem that ivp_r_open has opened");
    return R_ExternalPtrAddr(p);
}

static const double* vector_of(SEXP y, int n, const char* name)
{
    if (!isReal(y) || length(y) != n) error("%s: %d numbers given; allowed: %d, of type double", name, length(y), n);
    return REAL(y);
}

static double number_of(SEXP x, const char* name)
{
    if (!isReal(x) || length(x) != 1) error("%s: allowed is one number", name);
    return REAL(x)[0];
}

static const char* text_of(SEXP x, const char* name)
{
    if (!isString(x) || length(x) != 1) error("%s: allowed is one text", name);
    return CHAR(STRING_ELT(x, 0));
}

/* id: of the catalog, or a path; parameters: "name=value,..." or "" */
SEXP ivp_r_open(SEXP id, SEXP parameters)
{
    ivp_test* const test = ivp_test_open(text_of(id, "id"), text_of(parameters, "parameters"), 0);
    if (test == NULL) error("%s", ivp_last_error());
    SEXP p = PROTECT(R_MakeExternalPtr(test, R_NilValue, R_NilValue));
    R_RegisterCFinalizer(p, close_test);
    UNPROTECT(1);
    return p;
}

/* list(n, t0, tend, y0) */
SEXP ivp_r_facts(SEXP p)
{
    ivp_test* const test = test_of(p);
    const int n = ivp_test_dimension(test);
    SEXP y0 = PROTECT(allocVector(REALSXP, n));
    if (ivp_test_initial(test, REAL(y0), NULL) != IVP_OK) error("%s", ivp_last_error());
    const char* names[] = {"n", "t0", "tend", "y0", ""};
    SEXP facts = PROTECT(mkNamed(VECSXP, names));
    SET_VECTOR_ELT(facts, 0, ScalarInteger(n));
    SET_VECTOR_ELT(facts, 1, ScalarReal(ivp_test_t0(test)));
    SET_VECTOR_ELT(facts, 2, ScalarReal(ivp_test_tend(test)));
    SET_VECTOR_ELT(facts, 3, y0);
    UNPROTECT(2);
    return facts;
}

SEXP ivp_r_f(SEXP p, SEXP t, SEXP y)
{
    ivp_test* const test = test_of(p);
    const int n = ivp_test_dimension(test);
    const double* const values = vector_of(y, n, "y");
    const double at = number_of(t, "t");
    SEXP out = PROTECT(allocVector(REALSXP, n));
    const int status = ivp_test_f(test, at, values, REAL(out));
    if (status < 0) error("%s", ivp_last_error());
    if (status != IVP_OK) error("f is not defined or not finite at t = %g and this y", at);
    UNPROTECT(1);
    return out;
}

/* c(scd, mescd) of y at the end */
SEXP ivp_r_digits(SEXP p, SEXP rtol, SEXP y)
{
    ivp_test* const test = test_of(p);
    const double* const values = vector_of(y, ivp_test_dimension(test), "y");
    SEXP out = PROTECT(allocVector(REALSXP, 2));
    if (ivp_test_digits(test, number_of(rtol, "rtol"), NULL, values, REAL(out), REAL(out) + 1) != IVP_OK) error("%s", ivp_last_error());
    UNPROTECT(1);
    return out;
}

/* One integration by a solver of the catalog: list(t, y (a column for each t), record (JSON)) */
SEXP ivp_r_solve(SEXP p, SEXP solver, SEXP rtol)
{
    ivp_test* const test = test_of(p);
    ivp_settings settings = {.version = IVP_PLUGIN_VERSION, .size = sizeof settings, .rtol = number_of(rtol, "rtol"), .repeat = 1};
    ivp_solver* const method = ivp_solver_open(text_of(solver, "solver"));
    if (method == NULL) error("%s", ivp_last_error());
    ivp_solution* const solution = ivp_solve(test, method, &settings, IVP_KEEP_STEPS);
    if (solution == NULL) {
        char why[1000];
        snprintf(why, sizeof why, "%s", ivp_last_error());
        ivp_solver_close(method);
        error("%s", why);
    }
    ivp_solver_close(method);
    const int64_t points = ivp_solution_size(solution);
    const char* names[] = {"t", "y", "record", ""};
    SEXP all = PROTECT(mkNamed(VECSXP, names));
    SET_VECTOR_ELT(all, 0, allocVector(REALSXP, points));
    SET_VECTOR_ELT(all, 1, allocMatrix(REALSXP, ivp_test_dimension(test), (int)points));
    SET_VECTOR_ELT(all, 2, mkString(ivp_solution_record(solution)));
    ivp_solution_points(solution, REAL(VECTOR_ELT(all, 0)), REAL(VECTOR_ELT(all, 1)), points);
    ivp_solution_close(solution);
    UNPROTECT(1);
    return all;
}
