// What the drivers of SUNDIALS share: objects that free themselves, vectors and matrices over our memory, one stepping loop.
#ifndef IVP_DRIVERS_SUNDIALS_LIBRARY_HPP
#define IVP_DRIVERS_SUNDIALS_LIBRARY_HPP

#include "linalg/incomplete_lu.hpp"
#include "linalg/krylov_options.hpp"
#include "linalg/shifted_lu.hpp"
#include "model/option_table.hpp"

#include <ivp/solver.hpp>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ivp::sundials {

/// Answers of a callback to SUNDIALS.
enum callback_answer { proceed = 0, try_smaller_step = 1, give_up = -1 };
int answer_of(evaluation e);

class context {
public:
    context();
    context(const context&) = delete;
    context& operator=(const context&) = delete;
    ~context();
    operator SUNContext() const { return context_; } // NOLINT(google-explicit-constructor)

private:
    SUNContext context_ = nullptr;
};

/// A vector of SUNDIALS over memory of ours.
class vector {
public:
    vector(std::vector<double>& values, SUNContext c);
    vector(const vector&) = delete;
    vector& operator=(const vector&) = delete;
    ~vector();
    operator N_Vector() const { return vector_; } // NOLINT(google-explicit-constructor)

private:
    N_Vector vector_;
};

inline double* values(N_Vector v) { return NV_DATA_S(v); }

/// The memory of an integrator of SUNDIALS, freed also where its setting up is refused half way. Free: CVodeFree, IDAFree, …
template <void (*Free)(void**)>
class integrator_memory {
public:
    explicit integrator_memory(void* created) : memory_(created)
    {
        if (memory_ == nullptr) throw std::bad_alloc();
    }
    integrator_memory(const integrator_memory&) = delete;
    integrator_memory& operator=(const integrator_memory&) = delete;
    ~integrator_memory() { Free(&memory_); }
    operator void*() const { return memory_; } // NOLINT(google-explicit-constructor)

private:
    void* memory_;
};

/// Who solves the linear systems: SUNDIALS (dense, band, KLU), or our kernels, so that methods can be compared apart from algebra.
enum class algebra_of { sundials, ours };

/// Matrix and linear solver for one structure.
class linear_system {
public:
    /// Throws bad_request where the path cannot be had.
    linear_system(const evaluator& e, const solve_options& o, algebra_of whose, SUNContext c, int krylov_vectors);
    linear_system(const linear_system&) = delete;
    linear_system& operator=(const linear_system&) = delete;
    ~linear_system();

    /// Null if the systems are solved by iteration.
    [[nodiscard]] SUNMatrix matrix() const { return matrix_; }
    [[nodiscard]] SUNLinearSolver solver() const { return solver_; }
    [[nodiscard]] algebra path() const { return path_; }
    [[nodiscard]] bool has_preconditioner() const { return preconditioner_.has_value() || own_ != nullptr; }
    /// False: it is the problem's own.
    [[nodiscard]] bool preconditioner_needs_jacobian() const { return own_ == nullptr; }
    /// Whether anybody reads the entries of J.
    [[nodiscard]] bool reads_jacobian() const { return path_ != algebra::krylov || preconditioner_.has_value(); }
    [[nodiscard]] bool multiplies_by_duals() const { return by_duals_; }

    /// Where our evaluator writes; store() brings it into the matrix SUNDIALS handed to the callback.
    [[nodiscard]] const matrix_view<double>& values() const { return buffer_.view(); }
    void store(SUNMatrix out) const;
    /// Of factor (shift I − J), with the J that is in values().
    [[nodiscard]] bool set_up_preconditioner(double shift, double factor);
    /// The problem's own, of factor (shift M − df/dy).
    [[nodiscard]] bool set_up_own_preconditioner(double t, const double* y, double shift, double factor, bool same_point);
    /// False: it cannot be applied.
    [[nodiscard]] bool precondition(const double* b, double* x);
    [[nodiscard]] std::uint64_t preconditioner_solves() const { return preconditioner_solves_; }

private:
    algebra path_;
    structure structure_;
    jacobian_matrix<double> buffer_;
    SUNMatrix matrix_ = nullptr;
    SUNLinearSolver solver_ = nullptr;
    mass_matrix<double> identity_;
    std::optional<incomplete_lu> preconditioner_; ///< of an iteration
    std::unique_ptr<own_preconditioner<double>> own_;
    bool by_duals_ = false;
    double inverse_factor_ = 1;
    std::uint64_t preconditioner_solves_ = 0;
};

/// What the callbacks of one solve reach through their `user_data`.
struct boundary {
    evaluator& e;
    const tolerances& tolerance;
    linear_system* system = nullptr;
    std::string last_words{}; ///< of the library, when it gives up
    std::vector<double> work{};
};

// Callbacks that the libraries have in common.
int rhs(realtype t, N_Vector y, N_Vector out, void* data);
int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix out, void* data, N_Vector w1, N_Vector w2, N_Vector w3);
/// Of I − gamma J. jok: the J of the last call still serves.
int set_up_preconditioner(realtype t, N_Vector y, N_Vector f, booleantype jok, booleantype* made_jacobian, realtype gamma, void* data);
int precondition(realtype t, N_Vector y, N_Vector f, N_Vector b, N_Vector x, realtype gamma, realtype delta, int side, void* data);
/// out = df/dy v, exact.
int product(N_Vector v, N_Vector out, realtype t, N_Vector y, N_Vector f, void* data, N_Vector w);
/// 1/(rtol |y| + atol), with a value of each for every component.
int error_weights(N_Vector y, N_Vector out, void* data);
/// The library stays quiet; its last words are kept in the boundary.
void remember_error(int code, const char* module, const char* function, char* message, void* data);

/// The library's own counters.
struct claims {
    long steps = 0;
    long error_failures = 0;
    long convergence_failures = 0;
    long evaluations = 0;            ///< for stepping
    long difference_evaluations = 0; ///< in difference quotients for Jacobians
    long jacobians = 0;
    long setups = 0;
    long iterations = 0;
    long krylov_iterations = 0;
    long krylov_failures = 0;
};

/// A solver of the library, ready to step.
class stepper {
public:
    virtual ~stepper() = default;
    /// One step towards the end of the segment; answers the library's flag.
    virtual int step(double& t) = 0;
    [[nodiscard]] virtual bool reached_end(int flag) const = 0;
    [[nodiscard]] static bool succeeded(int flag) { return flag >= 0; } // all its libraries count their errors below 0
    [[nodiscard]] virtual outcome outcome_of(int flag) const = 0;
    [[nodiscard]] virtual claims counted() const = 0;
    /// What the segment takes besides y.
    virtual void write_slope(const segment& /*part*/) const {}
    void interpolate(double t, double* y) const;
    /// Local error of the last step, and what its norm divides it by. False: the library has none.
    bool estimate(double* error, double* divisors) const;

protected:
    explicit stepper(std::size_t n) : scratch_values_(n), scratch_(scratch_values_, context_) {}
    [[nodiscard]] SUNContext in_context() const { return context_; }

    // The library's own, into a vector of its kind. False: it has none.
    virtual bool solution_at(double t, N_Vector out) const = 0;
    virtual bool local_error(N_Vector out) const = 0;
    virtual bool weights(N_Vector out) const = 0;

private:
    context context_;
    mutable std::vector<double> scratch_values_;
    vector scratch_;
};

/// Steps to the end, tells the observer, and says how it ended; y goes back into the segment.
solve_result step_to_end(stepper& s, boundary& b, const segment& part, std::vector<double>& y, step_observer* observer);

bool uses_exact_jacobian(const evaluator& e, const solve_options& o);

/// Differences between definitions are settled here: evaluations inside difference quotients are counted apart by us.
void settle_counts(const claims& c, evaluator& e, bool exact_jacobian, std::uint64_t preconditioner_solves, solve_result& result);

/// Kind: which of a library's methods, the first argument of its Stepper.
template <class Stepper, class Kind>
class library_solver final : public solver {
public:
    library_solver(Kind kind, solver_info info) : kind_(kind), info_(std::move(info)) {}
    [[nodiscard]] const solver_info& info() const override { return info_; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& part, const solve_options& o, step_observer* observer) const override
    {
        boundary b{e, o.tolerance};
        std::vector<double> y(part.y.begin(), part.y.end());
        Stepper s(kind_, b, part, o, y);
        solve_result r = step_to_end(s, b, part, y, observer);
        if (b.system != nullptr) r.algebra = std::string(label(b.system->path()));
        settle_counts(s.counted(), e, uses_exact_jacobian(e, o), b.system == nullptr ? 0 : b.system->preconditioner_solves(), r);
        s.write_slope(part);
        return r;
    }

private:
    Kind kind_;
    solver_info info_;
};
template <class Stepper, class Kind>
std::unique_ptr<const solver> make_library_solver(Kind kind, solver_info info)
{
    return std::make_unique<library_solver<Stepper, Kind>>(kind, std::move(info));
}

/// Of every solver with linear systems. Settings: has a member our_algebra.
template <class Settings>
bound_option<Settings> algebra_option()
{
    return bind::flag("our_algebra", &Settings::our_algebra, "the linear systems are solved by our kernels; no: by those of SUNDIALS");
}
/// Likewise. Settings: has a member krylov_vectors.
template <class Settings>
bound_option<Settings> krylov_vectors_option()
{
    return bind::whole("maxl", &Settings::krylov_vectors, 1, 100, "with algebra krylov: largest dimension of the space of SPGMR");
}
/// The options of a solver whose linear systems SPGMR can solve; further: those of the iteration.
template <class Settings>
std::vector<solver_option> with_iteration(const option_table<Settings>& own, const option_table<preconditioning>& further)
{
    auto all = own.describe();
    for (auto& option : further.describe()) all.push_back(std::move(option));
    return all;
}
/// What the solvers of the library have in common. function: one of the library's that makes this solver.
solver_info library_info(const char* name, const char* title, const char* function);
inline algebra_of whose(bool our_algebra) { return our_algebra ? algebra_of::ours : algebra_of::sundials; }
/// Throws bad_request: SUNDIALS forms difference quotients for its own dense and band matrices only. needs_jacobian: somebody reads its entries.
void refuse_impossible_differences(const evaluator& e, const solve_options& o, algebra_of whose, algebra path, bool needs_jacobian);

} // namespace ivp::sundials

#endif
