/* The problems of ivp for programs in any language: a small interface in plain C, version 1. The library is libivp_c.
 *
 * Three ways to use it:
 *   - Take a problem and do with it what you like: ivp_test_open, _initial, _f, _jacobian, ...; then ask for the digits of your result and
 *     submit it as a record. Evaluations are counted.
 *   - Pass your solver as a function. ivp_measure runs it exactly as a plug-in is run (restarts at breakpoints, the least time of several runs,
 *     digits, outcomes) and returns the record. The function follows the contract of ivp/plugin.h.
 *   - Pass your problem as functions (ivp_test_make), take a solver of the catalog (ivp_solver_open) and let it integrate: ivp_solve.
 *
 * A record is one line of JSON, with the fields that 'ivp run --format json' prints. A store is a file of such lines: a record is appended whole, or
 * the file does not change. 'ivp import' copies the lines into a store of the tool.
 *
 * Return values. Functions that return int return IVP_OK, IVP_REFUSED, IVP_NONFINITE or IVP_STOP, as in plugin.h. After wrong use a function changes
 * nothing and returns NULL, IVP_WRONG_USE or, if it returns a number, NaN; ivp_last_error says why. It is wrong use to pass NULL, unless the function
 * says what NULL means, or a test, a solver or a solution that has been closed.
 *
 * Matrices are numbered and stored as in plugin.h.
 *
 * Threads. Every function may be called from any thread. Calls with one ivp_test wait for each other, except runs: a run works on a copy of the test
 * as it was when the run began.
 *
 * JSON that a function returns is valid until the next call in this thread that returns JSON, unless the function says something else. Numbers that
 * are not finite are null.
 *
 * Structs begin with `version` and `size`, which the caller sets: ivp_counts counts = {.version = IVP_PLUGIN_VERSION, .size = sizeof counts}. New
 * fields are only appended. */
#ifndef IVP_IVP_H
#define IVP_IVP_H

// NOLINTBEGIN(modernize-deprecated-headers, modernize-use-using): this is C
#include <ivp/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IVP_WRONG_USE = -1 };

/// A problem of the test set, opened.
typedef struct ivp_test ivp_test;

/// All faults of the last call of this thread that failed, one a line; empty if none has failed. Valid until the next call.
IVP_EXPORT const char* ivp_last_error(void);

/* ---- The catalog ---- */

IVP_EXPORT int32_t ivp_catalog_size(void);
/// Ids in the order of 'ivp list problems', from 0; NULL beyond the last.
IVP_EXPORT const char* ivp_catalog_id(int32_t which);

/// The solvers that can be run: our own, then those of the libraries that were installed when ivp was built; NULL beyond the last.
IVP_EXPORT int32_t ivp_catalog_solver_count(void);
IVP_EXPORT const char* ivp_catalog_solver(int32_t which);
/// JSON: every setting of a run with its name, the option of the tool, and what it means. Names of ivp_settings.others.
IVP_EXPORT const char* ivp_catalog_settings(void);
/// "0.2.0"
IVP_EXPORT const char* ivp_version(void);

/* ---- A problem ---- */

/// id: an id of the catalog, or the path of a plug-in. parameters: NULL, or "name=value" pairs separated by commas. form: 0 as it is, IVP_IDE for
/// ODEs and DAEs written as G = M y' - f, IVP_DAE for IDEs with the derivatives as further unknowns. NULL: wrong use.
IVP_EXPORT ivp_test* ivp_test_open(const char* id, const char* parameters, int32_t form);
/// A problem of this program, in the form of a problem plug-in. `functions` and the description are read now. The functions are called with self as
/// long as the test or one of its runs lives; then release (NULL: none) is called once. A function that returns IVP_STOP ends the run: ivp_solve then
/// returns NULL, or a solution whose record says that the run was ended.
IVP_EXPORT ivp_test* ivp_test_make(const ivp_problem* functions, void* self, void (*release)(void* self));
/// NULL: nothing is done.
IVP_EXPORT void ivp_test_close(ivp_test* test);

IVP_EXPORT int32_t ivp_test_dimension(const ivp_test* test);
IVP_EXPORT int32_t ivp_test_form(const ivp_test* test); ///< IVP_ODE, IVP_DAE, IVP_IDE
IVP_EXPORT double ivp_test_t0(const ivp_test* test);
IVP_EXPORT double ivp_test_tend(const ivp_test* test);
/// All facts: index, structure of the Jacobian, breakpoints, reference, names. What it points to lives as long as the test.
IVP_EXPORT int ivp_test_describe(const ivp_test* test, ivp_problem_description* out);

/// JSON: what 'ivp show PROBLEM --format json' prints.
IVP_EXPORT const char* ivp_test_facts(const ivp_test* test);

/// The parameters of the problem, from 0: name, default, range, meaning. value: receives the present value; NULL if you do not need it.
IVP_EXPORT int32_t ivp_test_parameter_count(const ivp_test* test);
IVP_EXPORT int ivp_test_parameter(const ivp_test* test, int32_t which, ivp_named_value* out, double* value);
/// "name=value" pairs separated by commas; all other parameters have their defaults. The test is then as if just opened: counts are 0, and pointers
/// of earlier descriptions are invalid.
IVP_EXPORT int ivp_test_set(ivp_test* test, const char* parameters);

/// y = y(t0) and, if yp is not NULL, a consistent y'(t0), which is computed if the problem does not state it.
IVP_EXPORT int ivp_test_initial(const ivp_test* test, double* y, double* yp);
/// The tolerances (n entries each) and the first step of the problem's protocol for one number.
IVP_EXPORT int ivp_test_tolerances(const ivp_test* test, double rtol, double* rtol_out, double* atol_out);
IVP_EXPORT double ivp_test_first_step(const ivp_test* test, double rtol);

/* ---- Evaluations, counted ---- */

IVP_EXPORT int ivp_test_f(ivp_test* test, double t, const double* y, double* out);
IVP_EXPORT int ivp_test_g(ivp_test* test, double t, const double* y, const double* yp, double* out);
/// The same for difference quotients.
IVP_EXPORT int ivp_test_f_difference(ivp_test* test, double t, const double* y, double* out);
IVP_EXPORT int ivp_test_g_difference(ivp_test* test, double t, const double* y, const double* yp, double* out);
/// df/dy, and a dG/dy + b dG/dy': full, ld >= n; the first n entries of each column are written.
IVP_EXPORT int ivp_test_jacobian(ivp_test* test, double t, const double* y, double* out, int32_t ld);
IVP_EXPORT int ivp_test_partials(ivp_test* test, double t, const double* y, const double* yp, double a, double b, double* out, int32_t ld);
/// The same as a band or in the sparse pattern, if ivp_test_describe says that the Jacobian has that structure. entries: the length of out, which
/// must be the number of entries of the pattern.
IVP_EXPORT int ivp_test_jacobian_band(ivp_test* test, double t, const double* y, double* out, int32_t ld);
IVP_EXPORT int ivp_test_jacobian_sparse(ivp_test* test, double t, const double* y, double* out, int32_t entries);
IVP_EXPORT int ivp_test_partials_band(ivp_test* test, double t, const double* y, const double* yp, double a, double b, double* out, int32_t ld);
IVP_EXPORT int ivp_test_partials_sparse(ivp_test* test, double t, const double* y, const double* yp, double a, double b, double* out,
                                        int32_t entries);
/// df/dt; part of a Jacobian, so not counted.
IVP_EXPORT int ivp_test_time_derivative(ivp_test* test, double t, const double* y, double* out);
/// M as a full matrix, ld >= n; out = M x. Not counted.
IVP_EXPORT int ivp_test_mass(const ivp_test* test, double* out, int32_t ld);
IVP_EXPORT int ivp_test_mass_multiply(const ivp_test* test, const double* x, double* out);
/// Adds counts that only the caller knows, each at least 0: factorisations, solves, Jacobians by differences.
IVP_EXPORT int ivp_test_count(ivp_test* test, int32_t factorisations, int32_t solves, int32_t difference_jacobians);

typedef struct ivp_counts {
    uint32_t version;
    uint32_t size;
    int64_t nfev;     ///< evaluations for stepping
    int64_t nfev_jac; ///< evaluations for difference quotients
    int64_t njac;
    int64_t nlu;
    int64_t nsolve;
    int64_t refused;   ///< evaluations outside the domain
    int64_t nonfinite; ///< evaluations that gave an infinity or NaN
} ivp_counts;
IVP_EXPORT int ivp_test_counts(const ivp_test* test, ivp_counts* out);

/// Begins a run: sets all counts to 0 and starts its clock.
IVP_EXPORT int ivp_test_begin(ivp_test* test);

/* ---- Results ---- */

/// Correct digits of y at tend. atol: n entries, or NULL for the protocol's. scd, mescd: NULL if you do not need it; NaN: not defined.
IVP_EXPORT int ivp_test_digits(const ivp_test* test, double rtol, const double* atol, const double* y, double* scd, double* mescd);

typedef struct ivp_submission {
    uint32_t version;
    uint32_t size;
    const char* solver; ///< required: its name, as in ivp_solver_description
    const char* solver_version;
    const char* language; ///< it is written in; NULL: "C"
    const char* message;  ///< a sentence for the user; NULL: none
    double rtol;
    const double* atol; ///< n entries; NULL: the protocol's
    double t;           ///< time at which y is the solution
    const double* y;    ///< n entries
    int64_t steps;      ///< attempted
    int64_t accepted;   ///< 0 <= accepted <= steps <= 2^53
    int32_t outcome;    ///< IVP_SUCCESS, ... in the solver's own judgement; the platform finds false claims
    int32_t reserved;
} ivp_submission;
/// Ends the run that ivp_test_begin began. Returns its record, with our counts, the CPU time since then and the digits. store: a file to append the
/// record to, or NULL. The text is valid until the next call with this test. NULL: wrong use, nothing was written.
IVP_EXPORT const char* ivp_test_submit(ivp_test* test, const ivp_submission* result, const char* store);

/* ---- A solver, measured ---- */

typedef struct ivp_settings {
    uint32_t version;
    uint32_t size;
    double rtol;
    const double* atol;    ///< n entries; NULL: the protocol's
    double h0;             ///< 0: not given
    double hmax;           ///< 0: no limit
    double tend;           ///< NaN or 0: the problem's
    double timeout_s;      ///< of each run; 0: none
    uint64_t max_steps;    ///< 0: the platform's, 1000000
    int32_t repeat;        ///< number of timed runs; 0: until the time is reliable
    int32_t differences;   ///< 1: no exact Jacobian is offered
    const double* options; ///< values of the solver's own options, in the order of its description; NULL: their defaults
    int32_t no_restart;    ///< 1: the solver is called once, not again at each breakpoint. A program older than this field may leave it out
    int32_t reserved;
    const char* others; ///< any setting that 'ivp run' has as an option, "name=value" pairs separated by commas, such as "algebra=band,min-time=1";
                        ///< and the solver's own options by their names; they override the fields above. NULL: none. A program older than this
                        ///< field may leave it out
} ivp_settings;

/// The function of a solver; it receives `data` unchanged. Its contract: ivp_solver_solve in plugin.h.
typedef void (*ivp_solve_function)(void* data, const ivp_task* task, ivp_result* result);

/// Runs the solver on the problem and returns the record; store as above. A run that fails has a record too. NULL: wrong use, or the solver cannot
/// take the problem. The solver runs in this process: if it crashes, so does the program.
IVP_EXPORT const char* ivp_measure(ivp_test* test, const ivp_solver_description* solver, ivp_solve_function solve, void* data,
                                   const ivp_settings* settings, const char* store);

/* ---- Solvers and solutions ---- */

/// A solver that can be run.
typedef struct ivp_solver ivp_solver;

/// name: a name of the catalog, or the path of a plug-in. NULL: wrong use, or its library was not installed when ivp was built.
IVP_EXPORT ivp_solver* ivp_solver_open(const char* name);
/// A solver of this program, as for ivp_measure; release (NULL: none) is called with data when it is no longer needed.
IVP_EXPORT ivp_solver* ivp_solver_make(const ivp_solver_description* description, ivp_solve_function solve, void* data, void (*release)(void* data));
/// NULL: nothing is done.
IVP_EXPORT void ivp_solver_close(ivp_solver* solver);
/// JSON: what 'ivp show SOLVER --format json' prints.
IVP_EXPORT const char* ivp_solver_facts(const ivp_solver* solver);
/// Why the solver cannot take the problem, in a sentence; empty: it can.
IVP_EXPORT const char* ivp_solver_refusal(const ivp_solver* solver, const ivp_test* test);

/// A run that has ended: its record, and what was kept of its solution.
typedef struct ivp_solution ivp_solution;

enum {
    IVP_KEEP_END = 0,   ///< the record alone, which has y at the end
    IVP_KEEP_STEPS = 1, ///< t and y of every accepted step
    IVP_KEEP_DENSE = 2  ///< also dense output, for y between the steps
};

/// Runs the solver on the problem in this process, with settings as for ivp_measure (repeat = 1: one integration). keep: IVP_KEEP_..., what is kept
/// of the first integration; keeping does not count as time of the run. A run that fails has a solution too, up to the time that it reached. NULL:
/// wrong use, the solver cannot take the problem, or a function of the program ended the run.
IVP_EXPORT ivp_solution* ivp_solve(const ivp_test* test, const ivp_solver* solver, const ivp_settings* settings, int32_t keep);
/// NULL: nothing is done.
IVP_EXPORT void ivp_solution_close(ivp_solution* solution);
/// Valid as long as the solution.
IVP_EXPORT const char* ivp_solution_record(const ivp_solution* solution);
/// Number of points that were kept, with the start; 0: none.
IVP_EXPORT int64_t ivp_solution_size(const ivp_solution* solution);
/// The points: `count` times, and n numbers for each of them, y at the first time, then at the second, ... `count` is ivp_solution_size.
IVP_EXPORT int ivp_solution_points(const ivp_solution* solution, double* t, double* y, int64_t count);
/// y at `count` times, in any order, between the first and the last point; stored likewise. Inside a step it comes from the method's own dense output
/// or, for an ODE, from a cubic through y and f at both ends. IVP_WRONG_USE if the run did not keep dense output or the method has none.
IVP_EXPORT int ivp_solution_at(const ivp_solution* solution, const double* t, int64_t count, double* y);

/// Runs every solver at every tolerance, in turns as 'ivp wp' does. rtol: NULL for those of the problem's protocol (rtol_count is not read then).
/// Returns the records, one a line: the solvers at the first tolerance, then at the second, ... db: a store of the tool (SQLite) that keeps
/// them too, or NULL. NULL: wrong use; the error names a solver that cannot take the problem.
IVP_EXPORT const char* ivp_measure_all(const ivp_test* test, const ivp_solver* const* solvers, int32_t solver_count, const double* rtol,
                                       int32_t rtol_count, const ivp_settings* settings, const char* db);

/// JSON: what 'ivp choose PROBLEM --format json' prints. solvers: names separated by commas, or NULL for all of the catalog. digits: 1 to 11;
/// budget_s: seconds for everything. All runs are made in this process.
IVP_EXPORT const char* ivp_choose(const ivp_test* test, const char* solvers, double digits, double budget_s);

/// JSON: {problem, digits, at: [{t, components: [{index, value (decimal text), digits, kind}]}]}. digits 0 and count 0: the stored reference.
/// Otherwise two families of methods derive it in quadruple precision, with this number of digits (0: as the stored one) at these times (count 0: at
/// the end). This takes minutes for some problems. NULL: wrong use, no reference is stored, or the problem has double precision only.
IVP_EXPORT const char* ivp_test_reference(const ivp_test* test, double digits, const double* at, int32_t count);

/* ---- Stores of the tool (SQLite) ---- */

/// Adds records, one line of JSON each, as 'ivp import' does: all or none. Makes the store if it does not exist. Returns how many records were new,
/// or IVP_WRONG_USE.
IVP_EXPORT int64_t ivp_store_add(const char* db, const char* records);
/// Adds a run of ivp_solve with the fingerprints of its problem and solver, as 'ivp run --db' does. It replaces an earlier run with the same
/// settings. A run with a problem or a solver of this program is added as ivp_store_add does.
IVP_EXPORT int ivp_solution_store(const ivp_solution* solution, const char* db);
/// All records, one a line, with the fields that the store adds; of runs with the same settings only the newest.
IVP_EXPORT const char* ivp_store_records(const char* db);
/// JSON: {columns: [...], rows: [[...], ...]} of one SELECT.
IVP_EXPORT const char* ivp_store_query(const char* db, const char* sql);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-deprecated-headers, modernize-use-using)

#endif
