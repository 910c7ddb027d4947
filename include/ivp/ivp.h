/* The problems of ivp for programs in any language: a small interface in plain C, version 1. The library is libivp_c.
 *
 * Ways to use it:
 *   - Take a problem and do with it what you like: ivp_test_open, _initial, _f, _jacobian, ...; then ask for the digits of your result and
 *     submit it as a record. Evaluations are counted.
 *   - Hand over your solver as a function: ivp_measure runs it on the problem exactly as a plug-in is run (breakpoints by restart, time as the
 *     least of several runs, digits, outcomes) and gives the record. The function follows the contract of ivp/plugin.h.
 *   - Hand over your problem as functions (ivp_test_make), take a solver of the catalog (ivp_solver_open) and let it integrate: ivp_solve.
 *
 * A record is one line of JSON, with the fields that 'ivp run --format json' prints. A store is a file of such lines: a record is appended whole, or
 * the file stays as it was. 'ivp import' brings them into a store of the tool.
 *
 * Functions that answer int answer IVP_OK, IVP_REFUSED, IVP_NONFINITE or IVP_STOP, as in plugin.h. What was asked wrongly is answered by NULL,
 * IVP_WRONG_USE or, where a number is asked for, NaN, and ivp_last_error says why; nothing is changed then. A pointer that is NULL is wrong use
 * unless it is said what NULL means; so is a test, a solver or a solution that has been closed. Numbering and storage of matrices are those of
 * plugin.h. Every function may be called from any thread; calls with one ivp_test wait for each other, but for runs, which work on what the test was
 * when they began. Texts of JSON that a function answers are valid until the next call of this thread that answers one, unless it is said how long;
 * numbers that are not finite are null in them. Structs begin with `version` and `size`, set by the caller: ivp_counts counts = {.version =
 * IVP_PLUGIN_VERSION, .size = sizeof counts}; fields are only ever appended. */
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

/// Of the last call of this thread that failed: all faults, one a line. Valid until the next call; empty where nothing has failed.
IVP_EXPORT const char* ivp_last_error(void);

/* ---- What there is ---- */

IVP_EXPORT int32_t ivp_catalog_size(void);
/// Ids in the order of 'ivp list problems', from 0; NULL beyond the last.
IVP_EXPORT const char* ivp_catalog_id(int32_t which);

/// The solvers that can be run: our own, then those of the libraries that were there when this was built; NULL beyond the last.
IVP_EXPORT int32_t ivp_catalog_solver_count(void);
IVP_EXPORT const char* ivp_catalog_solver(int32_t which);
/// JSON: every setting of a run with its name, the option of the tool, and what it means. Names of ivp_settings.others.
IVP_EXPORT const char* ivp_catalog_settings(void);
/// "0.2.0"
IVP_EXPORT const char* ivp_version(void);

/* ---- A problem ---- */

/// id: of the catalog, or the path of a plug-in. parameters: NULL, or "name=value" pairs separated by commas. form: 0 as it is, IVP_IDE for ODEs and
/// DAEs written as G = M y' - f, IVP_DAE for IDEs with the derivatives as further unknowns. NULL: wrong use.
IVP_EXPORT ivp_test* ivp_test_open(const char* id, const char* parameters, int32_t form);
/// A problem of this program, as a problem plug-in has it: `functions` and what its describe gives are read now, the functions are called with self
/// as long as the test or a run of it lives, then release (NULL: none) once. A function that answers IVP_STOP ends the run: ivp_solve then answers
/// NULL, or a solution whose record says that the run was ended.
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

/// The parameters of the problem, from 0: name, default, range, meaning; value: as it is set, or NULL where it is not wanted.
IVP_EXPORT int32_t ivp_test_parameter_count(const ivp_test* test);
IVP_EXPORT int ivp_test_parameter(const ivp_test* test, int32_t which, ivp_named_value* out, double* value);
/// "name=value" pairs separated by commas; those not named have their defaults. The test begins as if just opened: what a description points to, and
/// the counts, are gone.
IVP_EXPORT int ivp_test_set(ivp_test* test, const char* parameters);

/// y = y(t0) and, where yp is not NULL, a consistent y'(t0), computed where the problem does not state it.
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
/// The same as a band or in the sparse pattern, where ivp_test_describe says that the Jacobian has that structure; entries: how many there is room
/// for, which must be those of the pattern.
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
/// What only the caller knows, each at least 0: factorisations, solves, Jacobians by differences.
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

/// A run begins: all counts are 0 and its clock starts.
IVP_EXPORT int ivp_test_begin(ivp_test* test);

/* ---- Results ---- */

/// Correct digits of y at tend. atol: n entries, or NULL for the protocol's. scd, mescd: NULL where not wanted; NaN: not defined.
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
    double t;           ///< where y is the solution
    const double* y;    ///< n entries
    int64_t steps;      ///< attempted
    int64_t accepted;   ///< 0 <= accepted <= steps <= 2^53
    int32_t outcome;    ///< IVP_SUCCESS, ... as the solver sees it; a false claim is found out
    int32_t reserved;
} ivp_submission;
/// The run that ivp_test_begin began has ended. Gives its record, with our counts, the CPU time since then and the digits. store: a file to append it
/// to, or NULL. The text is valid until the next call with this test. NULL: wrong use, nothing was written.
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
    int32_t no_restart;    ///< 1: the solver is called once, not again at each breakpoint. A program made before this field may leave it out
    int32_t reserved;
    const char* others; ///< any setting that 'ivp run' has as an option, "name=value" pairs separated by commas, such as "algebra=band,min-time=1";
                        ///< and the solver's own options by their names; they come after the fields above. NULL: none. A program made before this
                        ///< field may leave it out
} ivp_settings;

/// The function of a solver, with `data` handed back to it. What it may and must do: ivp_solver_solve in plugin.h.
typedef void (*ivp_solve_function)(void* data, const ivp_task* task, ivp_result* result);

/// Runs the solver on the problem and gives the record; store as above. A solver that fails has a record too. NULL: wrong use, or the solver cannot
/// take the problem. The solver runs in this process: what it does to it is not contained.
IVP_EXPORT const char* ivp_measure(ivp_test* test, const ivp_solver_description* solver, ivp_solve_function solve, void* data,
                                   const ivp_settings* settings, const char* store);

/* ---- Solvers, and what they give ---- */

/// A solver that can be run.
typedef struct ivp_solver ivp_solver;

/// name: of the catalog, or the path of a plug-in. NULL: wrong use, or its library was not installed when ivp was built.
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
    IVP_KEEP_DENSE = 2  ///< also what is needed for y between them
};

/// Runs the solver on the problem in this process, with settings as for ivp_measure (repeat = 1: one integration). keep: IVP_KEEP_... of the first
/// integration; keeping is outside its measured time. A run that fails is a solution too, up to where it came. NULL: wrong use, the solver cannot
/// take the problem, or a function of the program ended the run.
IVP_EXPORT ivp_solution* ivp_solve(const ivp_test* test, const ivp_solver* solver, const ivp_settings* settings, int32_t keep);
/// NULL: nothing is done.
IVP_EXPORT void ivp_solution_close(ivp_solution* solution);
/// Valid as long as the solution.
IVP_EXPORT const char* ivp_solution_record(const ivp_solution* solution);
/// How many points were kept, the start among them; 0: none.
IVP_EXPORT int64_t ivp_solution_size(const ivp_solution* solution);
/// The points: count times, and count times n numbers, y at the first time, then at the second, ...; count as ivp_solution_size says.
IVP_EXPORT int ivp_solution_points(const ivp_solution* solution, double* t, double* y, int64_t count);
/// y at count times, in any order, between the first and the last point; stored likewise. Inside a step the method's own dense output gives it, or
/// for an ODE a cubic through y and f at its ends. IVP_WRONG_USE where the run did not keep it or the method has none.
IVP_EXPORT int ivp_solution_at(const ivp_solution* solution, const double* t, int64_t count, double* y);

/// Every solver at every tolerance, sampled in turns as 'ivp wp' does. rtol: NULL for those of the problem's protocol (rtol_count is not read then).
/// Answers the records, one a line: the solvers at the first tolerance, then at the second, ... db: a store of the tool (SQLite) that keeps
/// them too, or NULL. NULL: wrong use; a solver that cannot take the problem is named.
IVP_EXPORT const char* ivp_measure_all(const ivp_test* test, const ivp_solver* const* solvers, int32_t solver_count, const double* rtol,
                                       int32_t rtol_count, const ivp_settings* settings, const char* db);

/// JSON: what 'ivp choose PROBLEM --format json' prints. solvers: names separated by commas, or NULL for all of the catalog. digits: 1 to 11;
/// budget_s: seconds for everything. Made in this process.
IVP_EXPORT const char* ivp_choose(const ivp_test* test, const char* solvers, double digits, double budget_s);

/// JSON: {problem, digits, at: [{t, components: [{index, value (decimal text), digits, kind}]}]}. digits 0 and count 0: the reference that is stored.
/// Otherwise it is derived in quadruple precision, by methods of two families, with so many digits (0: as the stored one) at these times (count 0: at
/// the end); minutes for some problems. NULL: wrong use, no reference is stored, or a problem of double precision alone.
IVP_EXPORT const char* ivp_test_reference(const ivp_test* test, double digits, const double* at, int32_t count);

/* ---- Stores of the tool (SQLite) ---- */

/// Adds records, one line of JSON each, as 'ivp import' does: all or none. The store is made if there is none. Answers how many were not in it
/// before, or IVP_WRONG_USE.
IVP_EXPORT int64_t ivp_store_add(const char* db, const char* records);
/// Adds a run of ivp_solve with the fingerprints of its problem and solver, as 'ivp run --db' does, in the place of an earlier one with the same
/// settings. A run that has a problem or a solver of this program is added as ivp_store_add does.
IVP_EXPORT int ivp_solution_store(const ivp_solution* solution, const char* db);
/// All records, one a line, with what the store keeps around them; of runs with the same settings the newest.
IVP_EXPORT const char* ivp_store_records(const char* db);
/// JSON: {columns: [...], rows: [[...], ...]} of one SELECT.
IVP_EXPORT const char* ivp_store_query(const char* db, const char* sql);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-deprecated-headers, modernize-use-using)

#endif
