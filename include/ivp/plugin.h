/* The plug-in contract of ivp, version 1: solvers and problems from outside, in plain C.
 *
 * This header is the authoritative reference; if the program deviates from it, the program is wrong.
 *
 * A plug-in is a shared library. A solver plug-in exports
 *     void ivp_solver_describe(ivp_solver_description* out);
 *     void ivp_solver_solve(const ivp_task* task, ivp_result* result);
 * a library of several solvers exports, instead of ivp_solver_describe,
 *     int32_t ivp_solver_count(void);
 *     void ivp_solver_describe_nth(int32_t which, ivp_solver_description* out);
 * a problem plug-in exports
 *     void ivp_problem_open(ivp_problem* out);
 * and a mechanical system, which becomes a problem in one of several formulations,
 *     void ivp_mechanics_open(ivp_mechanics* out);
 * One library may export solvers and a problem. "The host" below is the program that loads the library.
 *
 * Problems have one of three forms:   ODE  y' = f(t, y)     DAE  M y' = f(t, y), M constant     IDE  G(t, y, y') = 0
 *
 * Versions. Every struct that crosses the boundary begins with `version` and `size`. The version changes only when something breaks;
 * a plug-in of another version is refused. Within a version fields are only ever appended, and `size` (sizeof when the sender was
 * compiled) says which ones the sender knows: read a field that was added later only if it lies inside `size`.
 *   - What the host sends (ivp_task, ivp_callbacks): the host has set version and size.
 *   - What the plug-in fills (ivp_solver_description, ivp_problem, ivp_problem_description, ivp_mechanics, ivp_mechanics_description, ivp_result):
 * the host has set version and size to its own and everything else to zero or to the preset stated below. The plug-in then writes its own version and
 * size; assigning the whole struct, *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), ...}, does that. The host keeps spare room
 * behind its own struct, so this is safe also with a header newer than the host.
 *   - What the plug-in sends (ivp_step, ivp_named_value): the plug-in sets version and size.
 * Fields named `reserved` are zero.
 *
 * Memory. Each side frees what it allocated; neither ever frees memory of the other.
 *   - Strings are UTF-8 and end with a zero byte; NULL means "not given". Strings and arrays a plug-in puts into a description must
 *     stay valid as long as the library is loaded (for ivp_problem_description: as long as the instance lives). String literals and
 *     static arrays do.
 *   - Everything reachable from an ivp_task is valid until ivp_solver_solve returns, and no longer.
 *   - Everything reachable from an ivp_step must be valid until accepted_step returns; the host keeps nothing of it.
 *   - The arrays given to one callback must not overlap, unless stated.
 *
 * Threads.
 *   - The host calls the functions of one solver plug-in from one thread at a time, so static work arrays are allowed. But solve must
 *     not depend on what an earlier solve left behind: it is called many times, with different problems, also after failures. One exception: if
 *     ivp_task.continues is 1, it may start with what it learned in the solve just before (its order, its step size).
 *   - During solve the callbacks f, g, f_difference, g_difference, mass_multiply may be called from any thread, several at a time.
 *     All other callbacks are for the thread that called ivp_solver_solve.
 *   - A solver starts at most `threads - 1` threads of its own; none of them may call back after ivp_solver_solve has returned.
 *
 * Control flow. No C++ exception, no longjmp may leave a plug-in or pass through a callback. A plug-in never calls exit or abort,
 * prints nothing, and leaves the floating-point environment and the signal handlers as they were. A solver plug-in reaches the problem
 * only through the callbacks: they count its work.
 *
 * Numbering. Components, rows and columns are numbered from 0. Matrices are stored by columns:
 *     full     entry (i, j) at out[i + j * ld],                 ld >= n
 *     band     entry (i, j) at out[upper + i - j + j * ld],     ld >= lower + upper + 1, for -upper <= i - j <= lower
 *     sparse   one value per stored position; column j has the positions column_start[j] <= p < column_start[j + 1], in rows row[p],
 *              sorted within the column
 * Only the first n (full) or lower + upper + 1 (band) entries of a column are written, and all of them are; those of a band that lie
 * outside the matrix become 0.
 */
#ifndef IVP_PLUGIN_H
#define IVP_PLUGIN_H

// NOLINTBEGIN(modernize-deprecated-headers, modernize-use-using): this is C
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IVP_PLUGIN_VERSION 1

/// The first two members of a struct in an initialiser: ivp_step step = {IVP_VERSIONED(ivp_step), t_old, ...};
#define IVP_VERSIONED(type) IVP_PLUGIN_VERSION, (uint32_t)sizeof(type)

/// Makes an entry point visible, whatever the library's default is.
#if defined(_WIN32)
#define IVP_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define IVP_EXPORT __attribute__((visibility("default")))
#else
#define IVP_EXPORT
#endif

/* ---- Constants. Fields that hold them have fixed-width types, so that their size does not depend on the compiler. ---- */

/// Result of an evaluation (the return value of most callbacks).
enum {
    IVP_OK = 0,
    IVP_REFUSED = 1,   ///< the argument is outside the domain of the formula: try a smaller step
    IVP_NONFINITE = 2, ///< the result holds an infinity or NaN: treat it like a refusal
    IVP_STOP = 3       ///< the run must end now: clean up and return from ivp_solver_solve; what the result then claims is ignored
};

/// Form of a problem: one of these in ivp_task.form, a sum of these in ivp_solver_description.forms.
enum { IVP_ODE = 1, IVP_DAE = 2, IVP_IDE = 4 };

/// Structure of a Jacobian.
enum { IVP_FULL = 0, IVP_BAND = 1, IVP_SPARSE = 2 };

/// Kind of a mass matrix.
enum { IVP_MASS_IDENTITY = 0, IVP_MASS_DIAGONAL = 1, IVP_MASS_BAND = 2, IVP_MASS_FULL = 3 };

/// How the user wants the linear systems solved.
enum { IVP_ALGEBRA_AUTO = 0, IVP_ALGEBRA_DENSE = 1, IVP_ALGEBRA_BAND = 2, IVP_ALGEBRA_SPARSE = 3 };

/// What a solver is and can do: a sum of these in ivp_solver_description.flags.
enum {
    IVP_IMPLICIT = 1,                  ///< it uses Jacobians and solves linear systems
    IVP_TAKES_H0 = 2,                  ///< the user may give the first step size
    IVP_NEEDS_H0 = 4,                  ///< it cannot choose its first step: the host always gives one (implies IVP_TAKES_H0)
    IVP_NEEDS_YP = 8,                  ///< it needs y'(t0): the host always gives one (task.yp is not NULL)
    IVP_TAKES_BAND = 16,               ///< it can solve its linear systems in band form
    IVP_TAKES_SPARSE = 32,             ///< it can solve its linear systems in sparse form
    IVP_TAKES_ZERO_RTOL = 64,          ///< pure absolute error control (rtol = 0)
    IVP_TAKES_ZERO_ATOL = 128,         ///< pure relative error control (atol = 0)
    IVP_TAKES_VECTOR_TOLERANCES = 256, ///< tolerances that differ between components
    IVP_GIVES_ERROR_ESTIMATE = 512,    ///< its ivp_step carries error_estimate
    IVP_LOCALLY_EXTRAPOLATED = 1024    ///< it advances with the more accurate of the two values the estimate compares
};

/// How a solve ended, in the solver's own judgement.
enum {
    IVP_UNFINISHED = -1,       ///< preset by the host; leaving it is allowed only after IVP_STOP
    IVP_SUCCESS = 0,           ///< y holds the solution at task.tend
    IVP_TOO_MANY_STEPS = 1,    ///< task.max_steps attempted steps were not enough
    IVP_STEP_TOO_SMALL = 2,    ///< the step size fell below what the arithmetic can resolve
    IVP_NEWTON_FAILED = 3,     ///< the nonlinear iteration did not converge, even with small steps
    IVP_ERROR_TEST_FAILED = 4, ///< the error test failed repeatedly, even with small steps
    IVP_SINGULAR_MATRIX = 5,   ///< the iteration matrix was singular repeatedly
    IVP_NOT_FINITE = 6,        ///< evaluations stayed IVP_NONFINITE, even with small steps
    IVP_STOPPED = 7,           ///< a callback returned IVP_STOP
    IVP_OUT_OF_MEMORY = 8      ///< an allocation failed
};

/* ---- Named numbers: the own options of a solver, the parameters of a problem ---- */

/// In an array of these, neighbours are `size` of the first one apart; so all elements must come from one header.
typedef struct ivp_named_value {
    uint32_t version;
    uint32_t size;
    const char* name; ///< required; unique within its array; no '=' and no blank
    double value;     ///< default, min <= value <= max
    double min;       ///< smallest value the user may give; may be -INFINITY
    double max;       ///< largest value the user may give; may be INFINITY
    int32_t whole;    ///< 1: whole numbers only
    int32_t reserved;
    const char* meaning; ///< one line for the user, with its unit if it has one
} ivp_named_value;

/* ---- Solvers: the plug-in's description ---- */

typedef struct ivp_solver_description {
    uint32_t version;
    uint32_t size;
    const char* name;           ///< required: its name in tables and records; a-z, 0-9, '-', '_', first a letter, at most 40 characters
    const char* title;          ///< as a person writes it; NULL: the name
    const char* solver_version; ///< of the solver itself; NULL: unknown
    const char* language;       ///< it is written in; NULL: "C"
    const char* error_norm;     ///< in words: the norm in which the error estimate is bounded
    const char* lu_unit;        ///< in words: what one LU of its counts is ("one real matrix", "one real and one complex matrix")
    const char* reference;      ///< the publication that describes the method
    uint32_t forms;             ///< sum of IVP_ODE, IVP_DAE, IVP_IDE, at least one; a solver of DAEs is given ODEs too, with M = identity
    uint32_t flags;             ///< sum of IVP_IMPLICIT, IVP_TAKES_H0, ...
    int32_t highest_index;      ///< of the DAEs and IDEs it solves, 0 to 3; 0: ODEs, and DAEs and IDEs that are ODEs in disguise
    int32_t lowest_order;       ///< at least 1
    int32_t highest_order;      ///< equal to lowest_order for a method of fixed order
    int32_t max_threads;        ///< it can use; 0 and 1: it is not parallel
    int32_t option_count;       ///< number of its own options
    int32_t reserved;
    const ivp_named_value* options; ///< option_count of them, in the order in which ivp_task.options holds their values
} ivp_solver_description;

/* ---- Solvers: the report of an accepted step ---- */

typedef struct ivp_step {
    uint32_t version;
    uint32_t size;
    double t_old;                 ///< beginning of the step (block methods: of the block)
    double t;                     ///< its end, t > t_old
    double h;                     ///< the step size, with which the error was estimated
    const double* y;              ///< n entries: the solution accepted at t
    double error_bound;           ///< the step was accepted because error_norm <= error_bound (usually 1)
    double error_norm;            ///< of the estimate, in the norm that the description names
    const double* error_estimate; ///< n entries: y - y* over this step, where y* is the value y was compared with; NULL: the method has none
    const double* error_weights;  ///< n entries: what the norm divides the components of the estimate by; NULL: not of that kind
    /// y at any t_old <= t <= step.t, n entries; NULL: the method has no dense output. The host calls it only before accepted_step returns.
    void (*interpolate)(void* interpolation_data, double t, double* y);
    void* interpolation_data; ///< handed back to interpolate
} ivp_step;

/* ---- Solvers: what the host offers during solve ---- */

/// The first argument of each is ivp_task.host. Those that return int return IVP_OK, IVP_REFUSED, IVP_NONFINITE or IVP_STOP; the output
/// is meaningful after IVP_OK only. A call that contradicts the task (f of an IDE, a Jacobian if none is offered, a band of a matrix
/// that has none) is a mistake of the plug-in: the callback returns IVP_STOP, and the host reports the mistake to the user.
typedef struct ivp_callbacks {
    uint32_t version;
    uint32_t size;

    /// ODE, DAE: out = f(t, y). Counted as an evaluation for stepping.
    int (*f)(void* host, double t, const double* y, double* out);
    /// IDE: out = G(t, y, yp). Counted as an evaluation for stepping.
    int (*g)(void* host, double t, const double* y, const double* yp, double* out);
    /// The same two for difference quotients (Jacobians, df/dt): counted apart. Use them for nothing else.
    int (*f_difference)(void* host, double t, const double* y, double* out);
    int (*g_difference)(void* host, double t, const double* y, const double* yp, double* out);

    /// ODE, DAE, if task.exact_jacobian is 1: df/dy, counted as one Jacobian. The full form exists for every structure, the band and
    /// the sparse form only if task.jacobian_kind is IVP_BAND or IVP_SPARSE. Entries are not checked for infinities and NaN.
    int (*jacobian)(void* host, double t, const double* y, double* out, int32_t ld);
    int (*jacobian_band)(void* host, double t, const double* y, double* out, int32_t ld);
    int (*jacobian_sparse)(void* host, double t, const double* y, double* out);
    /// IDE, under the same conditions: a dG/dy + b dG/dy'.
    int (*partials)(void* host, double t, const double* y, const double* yp, double a, double b, double* out, int32_t ld);
    int (*partials_band)(void* host, double t, const double* y, const double* yp, double a, double b, double* out, int32_t ld);
    int (*partials_sparse)(void* host, double t, const double* y, const double* yp, double a, double b, double* out);

    /// ODE, DAE: out = M x. Not counted.
    int (*mass_multiply)(void* host, const double* x, double* out);

    /// Call it after every accepted step (block methods: after every block), the last one included. Returns IVP_OK or IVP_STOP.
    int (*accepted_step)(void* host, const ivp_step* step);

    /// The host cannot see the linear algebra of the solver, so the solver reports it. One call reports one LU in the unit that the
    /// description names, and the number of real and complex matrices in it.
    void (*factorised)(void* host, int32_t real_matrices, int32_t complex_matrices);
    /// Reports `count` solutions of linear systems, in the solver's unit.
    void (*solved)(void* host, int32_t count);
    /// Reports one Jacobian by difference quotients (f_difference and g_difference count its evaluations).
    void (*jacobian_by_differences)(void* host);

    /* Appended later: inside `size` if the host knows it. */
    /// ODE, DAE, if task.exact_jacobian is 1: out = df/dt. Part of a Jacobian, so not counted.
    int (*time_derivative)(void* host, double t, const double* y, double* out);
} ivp_callbacks;

/* ---- Solvers: the task ---- */

/// One uninterrupted integration from t0 to tend. (A problem with breakpoints becomes several of them.)
typedef struct ivp_task {
    uint32_t version;
    uint32_t size;

    int32_t n;    ///< number of components
    int32_t form; ///< IVP_ODE, IVP_DAE or IVP_IDE: one of those the description names (or IVP_ODE if it names IVP_DAE)
    double t0;
    double tend; ///< t0 < tend; the problem may have a kink there, so do not evaluate beyond it
    double* y;   ///< n entries; in: y(t0), out: the solution at result.t
    double* yp;  ///< n entries, in: y'(t0), out: y' at result.t; NULL: not given, because the description does not say IVP_NEEDS_YP

    const double* rtol; ///< n entries, even if all are equal
    const double* atol; ///< n entries; rtol[i] and atol[i] are never both 0
    double h0;          ///< first step size; 0: none given, the solver chooses
    double hmax;        ///< largest step size; INFINITY: no limit
    uint64_t max_steps; ///< attempted steps, accepted or not, before the solver gives up with IVP_TOO_MANY_STEPS; can be 0

    const double* options;     ///< values of the solver's own options, in the order of its description
    int32_t option_count;      ///< as in the description
    int32_t scalar_tolerances; ///< 1: all rtol are equal and all atol are equal, because the user gave one number of each
    int32_t threads;           ///< the solver may use, its caller included: 1 to max_threads
    int32_t algebra;           ///< IVP_ALGEBRA_...: anything but AUTO is the user's wish, and the description says that it can be met
    int32_t exact_jacobian;    ///< 1: jacobian..., partials... may be called; 0: form Jacobians by difference quotients
    int32_t observed;          ///< 0: the host does not use the optional parts of ivp_step, so leave NULL what costs time to prepare

    int32_t highest_index;                ///< of the problem; 0: an ODE
    int32_t jacobian_kind;                ///< structure of df/dy (IDE: of dG/dy and dG/dy' together): IVP_FULL, IVP_BAND, IVP_SPARSE
    int32_t jacobian_lower;               ///< band: number of diagonals below the main one; full: n - 1; sparse: 0
    int32_t jacobian_upper;               ///< band: number of diagonals above the main one; full: n - 1; sparse: 0
    const int32_t* jacobian_column_start; ///< sparse: n + 1 entries, the last is the number of stored positions; else NULL
    const int32_t* jacobian_row;          ///< sparse: one row per stored position; else NULL
    const int32_t* index;                 ///< n entries: index of each variable, 1, 2 or 3 (all 1 for an ODE)

    int32_t mass_kind;  ///< of M: IVP_MASS_...; for an IDE, which has none, IVP_MASS_IDENTITY
    int32_t mass_lower; ///< diagonals of M below the main one; identity, diagonal: 0; full: n - 1
    int32_t mass_upper; ///< diagonals of M above the main one; identity, diagonal: 0; full: n - 1
    int32_t reserved;
    /// identity: NULL; diagonal: n entries; band: stored as a band with ld = mass_lower + mass_upper + 1; full: n by n with ld = n
    const double* mass;

    const ivp_callbacks* callbacks;
    void* host; ///< first argument of every callback; do nothing else with it

    /* Appended later: inside `size` if the host knows it. */
    int32_t which;      ///< which solver of a library with several is to run, as ivp_solver_describe_nth numbers them; else 0
    int32_t autonomous; ///< 1: the problem promises that f or G does not depend on t; 0: it may
    /// 1: the run continues after a breakpoint, at which the solve before this one ended successfully: same problem, same settings, and the clock
    /// still runs. 0: a run begins.
    int32_t continues;
    int32_t reserved_2;
} ivp_task;

/* ---- Solvers: the result ---- */

#define IVP_MESSAGE_SIZE 256

typedef struct ivp_result {
    uint32_t version;
    uint32_t size;
    int32_t outcome; ///< IVP_SUCCESS, ...; preset IVP_UNFINISHED
    int32_t reserved;
    double t;         ///< time at which y is the solution; preset NaN: the end of the last step reported. Success with t != tend is a false claim.
    int64_t steps;    ///< attempted; preset -1, as the following: not claimed. A claim is 0 to 2^53.
    int64_t accepted; ///< at most steps
    int64_t error_rejections;       ///< attempts that failed the error test (not those that failed otherwise)
    int64_t nfev;                   ///< the solver's own counts, shown beside those of the host: evaluations of f or G
    int64_t njac;                   ///< Jacobians
    int64_t nlu;                    ///< LU factorisations
    int64_t nsolve;                 ///< solutions of linear systems
    char message[IVP_MESSAGE_SIZE]; ///< one sentence for the user, ending with a zero byte; preset empty
} ivp_result;

/* ---- Solvers: the entry points ---- */

/// Fills *out; called once, after loading.
IVP_EXPORT void ivp_solver_describe(ivp_solver_description* out);

/// For a library with several solvers: their number, at least 1, and the description of each, numbered from 0. Their names differ. The user names one
/// by the path of the library, a colon and its name or the part of its name after the last '-' ("./lib.so:gsl-msbdf", "./lib.so:msbdf").
IVP_EXPORT int32_t ivp_solver_count(void);
IVP_EXPORT void ivp_solver_describe_nth(int32_t which, ivp_solver_description* out);

/// Integrates from task->t0 to task->tend and fills the result.
IVP_EXPORT void ivp_solver_solve(const ivp_task* task, ivp_result* result);

/* ---- Problems ---- */

/// The error behind the significant correct digits (scd) of a problem. The digits of the mixed error (mescd) are always defined.
enum { IVP_ACCURACY_RELATIVE = 0, IVP_ACCURACY_ABSOLUTE = 1, IVP_ACCURACY_MIXED_ONLY = 2 };

/// The facts of one instance of a problem, that is, with its parameter values fixed. Preset: zero.
typedef struct ivp_problem_description {
    uint32_t version;
    uint32_t size;
    const char* id;                     ///< required: its name in tables and records; a-z, 0-9, '-', '_', first a letter, at most 40 characters
    const char* title;                  ///< as a person writes it; NULL: the id
    const char* contributor;            ///< who contributed the problem
    const char* quantity_of_interest;   ///< in words: what a user wants to know about the solution
    const char* tags;                   ///< area, size, difficulty, separated by commas; "autonomous" promises that f or G does not depend on t
    const char* chapter;                ///< its description in Markdown
    const char* const* component_names; ///< n strings; NULL: y(1), y(2), ...

    int32_t form;          ///< required: IVP_ODE, IVP_DAE or IVP_IDE
    int32_t n;             ///< required: number of components, at least 1
    double t0;             ///< beginning of the integration
    double tend;           ///< required: its end, tend > t0
    int32_t highest_index; ///< 0 for an ODE, else 0 to 3
    int32_t inconsistent;  ///< 1: the initial values do not satisfy the equations
    const int32_t* index;  ///< n entries: index of each variable, 1, 2 or 3; NULL: all 1

    int32_t jacobian_kind;                ///< structure of df/dy (IDE: of dG/dy and dG/dy' together): IVP_FULL, IVP_BAND, IVP_SPARSE
    int32_t jacobian_lower;               ///< band: number of diagonals below the main one
    int32_t jacobian_upper;               ///< band: number of diagonals above the main one
    int32_t mass_kind;                    ///< DAE: IVP_MASS_...
    int32_t mass_lower;                   ///< band: number of diagonals of M below the main one
    int32_t mass_upper;                   ///< band: number of diagonals of M above the main one
    const int32_t* jacobian_column_start; ///< sparse: n + 1 entries, the last is the number of stored positions
    const int32_t* jacobian_row;          ///< sparse: one row per stored position, sorted within each column

    int32_t breakpoint_count;
    int32_t discontinuity_count;
    const double* breakpoints;     ///< times, increasing, between t0 and tend, at which solvers are restarted
    const double* discontinuities; ///< all known times of discontinuity, the breakpoints included

    int32_t excluded_count;
    int32_t accuracy;               ///< IVP_ACCURACY_...
    const int32_t* excluded;        ///< components that do not count for the significant correct digits
    const double* reference;        ///< n entries: the solution at tend with the default parameters; NULL: not known
    const double* reference_digits; ///< n entries: how many digits of each are confirmed; NULL: all that a double holds
    const char* reference_source;   ///< who computed it, how

    double atol_per_rtol; ///< atol = atol_per_rtol * rtol in diagrams; 0: 1
    double h0_per_rtol;   ///< h0 = h0_per_rtol * rtol for solvers that need one; 0: 1
} ivp_problem_description;

/// Flags of ivp_problem.flags.
enum {
    IVP_PROBLEM_SERIAL = 1 ///< the functions use shared work arrays: never call two at a time
};

/// The functions of a problem. `self` is what create gave; unless IVP_PROBLEM_SERIAL is set, the functions that take it as const may be
/// called from several threads at a time. Functions that return int return IVP_OK or IVP_REFUSED (outside the domain of the formula);
/// the host finds infinities and NaN itself. The equations must not depend on anything but their arguments.
typedef struct ivp_problem {
    uint32_t version;
    uint32_t size;
    uint32_t flags; ///< sum of IVP_PROBLEM_...
    int32_t parameter_count;
    const ivp_named_value* parameters; ///< parameter_count of them

    /// Makes an instance with these parameter values (in the order of `parameters`). May be NULL: self is then NULL. IVP_REFUSED with a
    /// sentence in message (IVP_MESSAGE_SIZE bytes) if the values do not fit together.
    int (*create)(const double* parameter_values, void** self, char* message);
    /// Ends an instance. May be NULL.
    void (*destroy)(void* self);
    /// Required: the facts of the instance.
    void (*describe)(const void* self, ivp_problem_description* out);
    /// Required: y = y(t0); and yp = y'(t0) if yp is not NULL and they are known. Returns 1 if yp was written, else 0.
    int (*initial)(const void* self, double* y, double* yp);

    /// Required for ODE and DAE: out = f(t, y).
    int (*f)(const void* self, double t, const double* y, double* out);
    /// Required for IDE: out = G(t, y, yp).
    int (*g)(const void* self, double t, const double* y, const double* yp, double* out);
    /// Required for DAE unless mass_kind is IVP_MASS_IDENTITY. diagonal: n entries; band: ld = mass_lower + mass_upper + 1; full: ld = n.
    void (*mass)(const void* self, double* out);

    /// df/dy, stored as jacobian_kind says (full: ld = n; band: ld = jacobian_lower + jacobian_upper + 1). NULL: none.
    int (*jacobian)(const void* self, double t, const double* y, double* out);
    /// IDE: a dG/dy + b dG/dy', stored likewise. NULL: none.
    int (*partials)(const void* self, double t, const double* y, const double* yp, double a, double b, double* out);
    /// ODE, DAE: df/dt (yp is NULL); IDE: dG/dt. NULL: none.
    int (*time_derivative)(const void* self, double t, const double* y, const double* yp, double* out);
    /// The tolerances of all components (n entries each) from the two numbers a user gives. NULL: the numbers themselves.
    void (*tolerances)(const void* self, double rtol, double atol, double* rtol_out, double* atol_out);

    /* Appended later: inside `size` if the plug-in knows it. For solvers that iterate (--algebra krylov); ODE and DAE only. */

    /// out = (df/dy) v, exact to rounding (--opt products=duals). NULL: none.
    int (*product)(const void* self, double t, const double* y, const double* v, double* out);

    /// A preconditioner for the linear systems (c M - df/dy) x = b with real c > 0 (--opt preconditioner=user). All three functions, or none of them.
    /// A solver may have several such matrices, each with a state of its own, and use them from different threads. *state is NULL at the first
    /// set-up; what the plug-in puts there it finds again at the next one. same_point is 1 if t and y are those of the last set-up with this state,
    /// so that only c has changed. IVP_REFUSED: there is no preconditioner for this c; the solver tries a smaller step.
    int (*preconditioner_set_up)(const void* self, double t, const double* y, double c, int32_t same_point, void** state);
    /// x = an approximation of (c M - df/dy)^-1 b, linear in b, and the same one until the next set-up.
    int (*preconditioner_solve)(const void* self, void* state, const double* b, double* x);
    /// Ends a state that is not NULL.
    void (*preconditioner_free)(const void* self, void* state);
} ivp_problem;

/// Fills *out; called once, after loading.
IVP_EXPORT void ivp_problem_open(ivp_problem* out);

/* ---- Constrained mechanical systems: masses, forces and constraints; the host writes the equations of every formulation ----
 *
 *     M(q) q'' = f(t, q, q') + s G(t, q)^T lambda,   0 = phi(t, q),   G = d phi/d q,   s = multiplier_sign
 *
 * The unknowns of the problem are y = (q, q', [q'',] lambda [, mu]): q'' if M depends on q, mu in the stabilised formulation of index 2. The host
 * makes the start consistent. */

/// The facts of one instance. Preset: zero.
typedef struct ivp_mechanics_description {
    uint32_t version;
    uint32_t size;
    const char* id;                   ///< required: its name in tables and records; a-z, 0-9, '-', '_', first a letter, at most 40 characters
    const char* title;                ///< as a person writes it; NULL: the id
    const char* contributor;          ///< who contributed the system
    const char* quantity_of_interest; ///< in words: what a user wants to know about the solution
    const char* tags;                 ///< area, size, difficulty, separated by commas
    const char* chapter;              ///< its description in Markdown

    int32_t coordinate_count;            ///< required: of q, at least 1
    int32_t constraint_count;            ///< required: of phi, at least 1
    const char* const* coordinate_names; ///< coordinate_count strings; NULL: q1, q2, ...
    const char* const* constraint_names; ///< constraint_count strings; NULL: phi1, phi2, ...
    double t0;                           ///< beginning of the integration
    double tend;                         ///< required: its end, tend > t0
    int32_t multiplier_sign;             ///< s: 1 or -1; 0: 1
    int32_t mass_varies;                 ///< 1: M depends on q
    const double* coordinate_sizes;      ///< coordinate_count entries: how far a coordinate goes, for difference quotients; NULL: all 1
    const double* reference;             ///< q and q' at tend with the default parameters; NULL: not known
    const double* reference_digits;      ///< how many digits of each are confirmed; NULL: all that a double holds
    const char* reference_source;        ///< who computed it, how
    int32_t accuracy;                    ///< IVP_ACCURACY_...
    int32_t reserved;
    double atol_per_rtol; ///< atol = atol_per_rtol * rtol in diagrams; 0: 1
    double h0_per_rtol;   ///< h0 = h0_per_rtol * rtol for solvers that need one; 0: 1
} ivp_mechanics_description;

/// The functions of a system; `self`, threads and answers as in ivp_problem. If an optional derivative is NULL, the host forms it and those
/// after it by difference quotients of order 6, which costs time and, in the formulations of index 1, some digits.
typedef struct ivp_mechanics {
    uint32_t version;
    uint32_t size;
    uint32_t flags; ///< sum of IVP_PROBLEM_...
    int32_t parameter_count;
    const ivp_named_value* parameters;
    int (*create)(const double* parameter_values, void** self, char* message); ///< may be NULL
    void (*destroy)(void* self);                                               ///< may be NULL

    void (*describe)(const void* self, ivp_mechanics_description* out);                       ///< required
    void (*start)(const void* self, double* q, double* v);                                    ///< required: approximate; zero on entry
    void (*mass)(const void* self, const double* q, double* out);                             ///< required: M by columns; zero on entry
    int (*forces)(const void* self, double t, const double* q, const double* v, double* out); ///< required: f; zero on entry
    int (*constraints)(const void* self, double t, const double* q, double* out);             ///< required: phi

    /// G by columns, a row for each constraint; zero on entry. NULL: by differences.
    int (*gradients)(const void* self, double t, const double* q, double* out);
    /// phi' = G v + phi_t. NULL: by differences.
    int (*rates)(const void* self, double t, const double* q, const double* v, double* out);
    /// phi'' along a motion with velocity v and acceleration w. NULL: by differences.
    int (*accelerations)(const void* self, double t, const double* q, const double* v, const double* w, double* out);
    /// The potential of the forces, if the energy is conserved: runs then measure its drift. NULL: none.
    double (*potential)(const void* self, const double* q);
} ivp_mechanics;

/// Fills *out; called once, after loading.
IVP_EXPORT void ivp_mechanics_open(ivp_mechanics* out);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-deprecated-headers, modernize-use-using)

#endif
