// A method that can be run, and the observer of its steps.
#ifndef IVP_SOLVER_HPP
#define IVP_SOLVER_HPP

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>
#include <ivp/settings.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// step_observer: sees every accepted step (block methods: after every block).

namespace ivp {

/// The solution inside the last step; valid during the call that hands it over.
class interpolant {
public:
    virtual ~interpolant() = default;
    /// t_old <= t <= t of the step
    virtual void evaluate(double t, double* y) const = 0;
};

struct accepted_step {
    double t_old = 0;
    double t = 0;
    double h = 0;
    std::span<const double> y{};
    /// The solver accepted because its estimate, in the norm its info() names, was at most this.
    double error_bound = 1;
    double error_norm = 0; ///< of the estimate, in that norm
    /// Estimate of y − y* over this step, if the method has one (info() says whether y is locally extrapolated).
    std::span<const double> error_estimate{};
    std::span<const double> error_weights{}; ///< what each component of the estimate is divided by in the norm
    const interpolant* between = nullptr;    ///< if the method has one
};

enum class observer_answer { go_on, stop };

class step_observer {
public:
    virtual ~step_observer() = default;
    virtual observer_answer on_step(const accepted_step& step) = 0;
};

// solver: a method that can be run. Our own, a library behind a driver, or a plug-in: all look like this.

/// Kinds of values that a solver's own option takes.
enum class option_kind { real, whole, flag, choice };
std::string_view label(option_kind k);
std::optional<option_kind> option_kind_from_label(std::string_view text);

/// A word that a choice takes, and the number for it in records, stores and the contract of plug-ins.
struct option_word {
    std::string word;
    double value;
    bool operator==(const option_word&) const = default;
};

/// Values are numbers wherever they are kept; flags and choices can also be given by their words.
struct solver_option {
    std::string name;
    double value; ///< default
    double min;
    double max;
    std::string meaning;
    option_kind kind = option_kind::real;
    std::vector<option_word> words{}; ///< of a choice; a flag has yes (1) and no (0)

    /// The value that a user's text means: a word or a number. None: neither.
    [[nodiscard]] std::optional<double> from_text(std::string_view text) const;
    /// As a user would write it: the word of a flag or a choice.
    [[nodiscard]] std::string text_of(double v) const;
    [[nodiscard]] bool takes(double v) const;
    /// "a whole number from 3 to 50", "yes, no", "standard, other, parabolic"
    [[nodiscard]] std::string allowed() const;
    /// Its value among those given, or the default.
    [[nodiscard]] double in(const std::map<std::string, double>& given) const;
};

const solver_option* find_option(std::span<const solver_option> options, std::string_view name);

struct solver_info {
    std::string name;
    std::string title;
    std::string version;
    std::string origin = "own"; ///< own, driver, plug-in
    std::string language = "C++";
    std::string library;                    ///< name, version and build of the one it runs; empty: the solver is its own
    std::optional<double> library_slowdown; ///< see src/model/library.hpp; none: not measured
    std::vector<form> forms;                ///< an ODE is also taken by a solver of DAEs
    int highest_index = 0;                  ///< of a DAE or IDE
    std::string index_option;               ///< name of the option that lifts this limit at the user's risk; empty: none
    int lowest_order = 0;
    int highest_order = 0;
    bool implicit = true;              ///< uses Jacobians and linear systems
    bool needs_exact_jacobian = false; ///< it has no difference quotients
    bool takes_h0 = true;
    bool needs_h0 = false;
    bool takes_band = false;
    bool takes_sparse = false;
    bool takes_krylov = false;    ///< linear systems may be solved by iteration, to a tolerance that the solver names
    bool takes_zero_rtol = false; ///< pure absolute error control
    bool takes_zero_atol = false; ///< pure relative error control
    bool takes_vector_tolerance = true;
    bool needs_initial_derivative = false;
    int max_threads = 1;          ///< the method is parallel: its stages, say
    int independent_matrices = 1; ///< it factors and solves this many at a time, which threads can share
    bool gives_error_estimate = false;
    bool locally_extrapolated = false;
    std::string error_norm; ///< in words
    std::string lu_unit;    ///< what one LU of its counters is
    std::string reference;
    std::vector<solver_option> options;

    [[nodiscard]] bool takes(form f) const;
    /// That a run may use: those of a parallel method; else those that share independent matrices, or the pieces of f. Plug-ins have only their own.
    [[nodiscard]] int most_threads(const problem& p) const;
    /// Why this problem is outside what the solver takes, in a sentence; none: it can be run.
    /// special: the solver's own options as given; one of them may lift the limit on the index.
    [[nodiscard]] std::optional<std::string> refusal(const problem& p, const std::map<std::string, double>& special = {},
                                                     jacobian_source jacobian = jacobian_source::exact) const;
};

/// One uninterrupted integration: from t0 to tend, or between two breakpoints.
struct segment {
    double t0;
    double tend;
    std::span<double> y;     ///< in: the start, out: the solution reached
    std::span<double> yp;    ///< the same for y' (in and out) if the solver needs it; else untouched
    std::uint64_t max_steps; ///< attempted steps left in the whole run
    int order = 0;           ///< with which the solver ended the segment before this one; 0: none
};

struct solve_result {
    ivp::outcome outcome = outcome::success;
    std::string message;     ///< empty: the outcome's sentence says it
    double t = 0;            ///< reached
    std::uint64_t steps = 0; ///< attempted
    std::uint64_t accepted = 0;
    std::uint64_t error_rejections = 0;
    int order = 0;                         ///< of the last step, if it varies and the next segment should start with it
    std::string algebra;                   ///< path used by the linear systems; empty: none
    std::map<std::string, double> claimed; ///< a foreign solver's own counters
    std::map<std::string, double> extra;   ///< numbers that only this solver has
};

class solver {
public:
    virtual ~solver() = default;
    [[nodiscard]] virtual const solver_info& info() const = 0;
    [[nodiscard]] virtual ivp::chapter chapter() const { return {}; }
    /// Called once before a run, outside its measured time, to load what the solver needs.
    virtual void prepare() const {}
    /// options have been validated; observer may be null.
    [[nodiscard]] virtual solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const = 0;
};

} // namespace ivp

#endif
