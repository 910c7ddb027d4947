#include "library.hpp"

#include "loaded_library.hpp"
#include "our_algebra.hpp"

#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <sundials/sundials_config.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

namespace ivp::sundials {

int answer_of(evaluation e)
{
    if (e == evaluation::ok) return proceed;
    return e == evaluation::stopped ? give_up : try_smaller_step;
}

context::context()
{
    if (SUNContext_Create(nullptr, &context_) != 0) throw std::bad_alloc();
}
context::~context() { SUNContext_Free(&context_); }

vector::vector(std::vector<double>& values, SUNContext c) : vector_(N_VMake_Serial(static_cast<sunindextype>(values.size()), values.data(), c))
{
    if (vector_ == nullptr) throw std::bad_alloc();
}
vector::~vector() { N_VDestroy(vector_); }

linear_system::linear_system(const evaluator& e, const solve_options& o, algebra_of whose, SUNContext c, int krylov_vectors)
    : path_(choose_algebra(o.algebra, e.iteration_structure(), e.n())),
      structure_(e.iteration_structure()),
      buffer_(path_, structure_, e.n()),
      identity_(mass_matrix<double>::identity(e.n()))
{
    if (path_ == algebra::krylov && whose == algebra_of::ours)
        throw bad_request("algebra 'krylov' given with our_algebra = 1; allowed: without it (the iteration is SUNDIALS', the preconditioner ours)");
    const sunindextype n = e.n();
    N_Vector shape = N_VNew_Serial(n, c); // the constructors look at its length only
    if (path_ == algebra::krylov) {
        const preconditioning choice = library_krylov_options().read(o.special);
        require_of_problem(choice, e);
        by_duals_ = choice.products == preconditioning::by_duals;
        if (choice.kind == preconditioning::user)
            own_ = e.make_preconditioner();
        else if (choice.kind != preconditioning::none)
            preconditioner_.emplace(buffer_, identity_, choice);
        solver_ = SUNLinSol_SPGMR(shape, has_preconditioner() ? SUN_PREC_LEFT : SUN_PREC_NONE, krylov_vectors, c);
    } else if (whose == algebra_of::ours) {
        matrix_ = new_matrix(path_, structure_, e.n(), c);
        solver_ = new_linear_solver(c);
    } else if (path_ == algebra::band) {
        matrix_ = SUNBandMatrix(n, structure_.upper, structure_.lower, c);
        solver_ = SUNLinSol_Band(shape, matrix_, c);
    } else if (path_ == algebra::sparse) {
        matrix_ = SUNSparseMatrix(n, n, static_cast<sunindextype>(buffer_.view().size()), CSC_MAT, c);
        solver_ = SUNLinSol_KLU(shape, matrix_, c);
    } else {
        matrix_ = SUNDenseMatrix(n, n, c);
        solver_ = SUNLinSol_Dense(shape, matrix_, c);
    }
    N_VDestroy(shape);
    if ((matrix_ == nullptr && path_ != algebra::krylov) || solver_ == nullptr) throw std::bad_alloc();
}

linear_system::~linear_system()
{
    SUNLinSolFree(solver_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
}

bool linear_system::set_up_preconditioner(double shift, double factor)
{
    inverse_factor_ = 1 / factor;
    return preconditioner_->factor(shift);
}

bool linear_system::set_up_own_preconditioner(double t, const double* y, double shift, double factor, bool same_point)
{
    inverse_factor_ = 1 / factor;
    return own_->set_up(t, y, shift, same_point);
}

bool linear_system::precondition(const double* b, double* x)
{
    ++preconditioner_solves_;
    if (own_ == nullptr)
        preconditioner_->solve(b, x);
    else if (!own_->solve(b, x))
        return false;
    for (int i = 0; i < buffer_.n(); ++i) x[i] *= inverse_factor_;
    return true;
}

void linear_system::store(SUNMatrix out) const
{
    const matrix_view<double>& from = buffer_.view();
    const int n = from.n;
    if (SUNMatGetID(out) == SUNMATRIX_DENSE) {
        std::copy_n(from.data, from.size(), SUNDenseMatrix_Data(out));
    } else if (SUNMatGetID(out) == SUNMATRIX_BAND) {
        for (int j = 0; j < n; ++j) {
            double* const column = SUNBandMatrix_Column(out, j); // points at the diagonal
            std::copy_n(from.data + static_cast<std::ptrdiff_t>(j) * from.ld, from.ld, column - from.upper);
        }
    } else if (SUNMatGetID(out) == SUNMATRIX_SPARSE) {
        std::copy_n(from.data, from.size(), SUNSparseMatrix_Data(out));
        std::copy(from.pattern->column_start.begin(), from.pattern->column_start.end(), SUNSparseMatrix_IndexPointers(out));
        std::copy(from.pattern->row.begin(), from.pattern->row.end(), SUNSparseMatrix_IndexValues(out));
    } else {
        write_matrix(from, out);
    }
}

int rhs(realtype t, N_Vector y, N_Vector out, void* data) { return answer_of(static_cast<boundary*>(data)->e.f(t, values(y), values(out))); }

int jacobian(realtype t, N_Vector y, N_Vector /*f*/, SUNMatrix out, void* data, N_Vector /*w1*/, N_Vector /*w2*/, N_Vector /*w3*/)
{
    const auto& b = *static_cast<boundary*>(data);
    const evaluation e = b.e.jacobian(t, values(y), b.system->values());
    if (e == evaluation::ok) b.system->store(out);
    return answer_of(e);
}

int set_up_preconditioner(realtype t, N_Vector y, N_Vector /*f*/, booleantype jok, booleantype* made_jacobian, realtype gamma, void* data)
{
    auto& b = *static_cast<boundary*>(data);
    *made_jacobian = jok == SUNFALSE ? SUNTRUE : SUNFALSE;
    if (!b.system->preconditioner_needs_jacobian())
        return b.system->set_up_own_preconditioner(t, values(y), 1 / gamma, gamma, jok != SUNFALSE) ? proceed : try_smaller_step;
    if (jok == SUNFALSE)
        if (const evaluation e = b.e.jacobian(t, values(y), b.system->values()); e != evaluation::ok) return answer_of(e);
    return b.system->set_up_preconditioner(1 / gamma, gamma) ? proceed : try_smaller_step;
}

int precondition(realtype /*t*/, N_Vector /*y*/, N_Vector /*f*/, N_Vector b, N_Vector x, realtype /*gamma*/, realtype /*delta*/, int /*side*/,
                 void* data)
{
    return static_cast<boundary*>(data)->system->precondition(values(b), values(x)) ? proceed : try_smaller_step;
}

int product(N_Vector v, N_Vector out, realtype t, N_Vector y, N_Vector /*f*/, void* data, N_Vector /*w*/)
{
    const std::array<const double*, 1> from{values(v)};
    const std::array<double*, 1> to{values(out)};
    return answer_of(static_cast<boundary*>(data)->e.products(t, values(y), from, to));
}

int error_weights(N_Vector y, N_Vector out, void* data)
{
    const auto& b = *static_cast<boundary*>(data);
    for (int i = 0; i < b.e.n(); ++i) {
        const double divisor = b.tolerance.relative(i) * std::abs(values(y)[i]) + b.tolerance.absolute(i);
        if (!(divisor > 0)) return give_up;
        values(out)[i] = 1 / divisor;
    }
    return proceed;
}

void remember_error(int code, const char* /*module*/, const char* /*function*/, char* message, void* data)
{
    if (code > 0) return; // a warning
    static_cast<boundary*>(data)->last_words = message;
}

namespace {

class library_interpolant final : public interpolant {
public:
    explicit library_interpolant(const stepper& s) : stepper_(s) {}
    void evaluate(double t, double* y) const override { stepper_.interpolate(t, y); }

private:
    const stepper& stepper_;
};

double weighted_norm(const std::vector<double>& error, const std::vector<double>& divisors)
{
    double sum = 0;
    for (std::size_t i = 0; i < error.size(); ++i) sum += (error[i] / divisors[i]) * (error[i] / divisors[i]);
    return std::sqrt(sum / static_cast<double>(error.size()));
}

std::string one_line(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

} // namespace

void stepper::interpolate(double t, double* y) const
{
    if (solution_at(t, scratch_)) std::copy(scratch_values_.begin(), scratch_values_.end(), y);
}

bool stepper::estimate(double* error, double* divisors) const
{
    if (!local_error(scratch_)) return false;
    std::copy(scratch_values_.begin(), scratch_values_.end(), error);
    if (!weights(scratch_)) return false;
    std::transform(scratch_values_.begin(), scratch_values_.end(), divisors, [](double w) { return 1 / w; });
    return true;
}

solve_result step_to_end(stepper& s, boundary& b, const segment& part, std::vector<double>& y, step_observer* observer)
{
    evaluator& e = b.e;
    solve_result r;
    double t = part.t0;
    std::vector<double> error(y.size());
    std::vector<double> divisors(y.size());
    const library_interpolant between(s);
    const auto attempted = [&] {
        const claims c = s.counted();
        return static_cast<std::uint64_t>(c.steps + c.error_failures + c.convergence_failures);
    };
    r.outcome = outcome::success;
    while (true) {
        if (attempted() >= part.max_steps) {
            r.outcome = outcome::too_many_steps;
            break;
        }
        const double t_old = t;
        const int flag = s.step(t);
        if (!stepper::succeeded(flag)) {
            const auto stopped = e.stop_reason();
            r.outcome = stopped.value_or(s.outcome_of(flag));
            const auto place = e.last_nonfinite();
            if (r.outcome == outcome::nonfinite && place)
                r.message = "component " + std::to_string(place->component + 1) + " is not finite at t = " + to_text(place->t);
            else if (!stopped)
                r.message = one_line(b.last_words);
            break;
        }
        if (observer != nullptr) {
            const bool known = s.estimate(error.data(), divisors.data());
            accepted_step step{t_old, t, t - t_old, y, 1.0, known ? weighted_norm(error, divisors) : 0.0, {}, {}, &between};
            if (known) step.error_estimate = error;
            if (known) step.error_weights = divisors;
            if (observer->on_step(step) == observer_answer::stop && !s.reached_end(flag)) {
                r.outcome = outcome::stopped_by_observer;
                break;
            }
        }
        if (s.reached_end(flag)) break;
    }
    const claims c = s.counted();
    std::copy(y.begin(), y.end(), part.y.begin());
    r.t = r.outcome == outcome::success ? part.tend : t;
    r.accepted = static_cast<std::uint64_t>(c.steps);
    r.steps = attempted();
    r.error_rejections = static_cast<std::uint64_t>(c.error_failures);
    return r;
}

void settle_counts(const claims& c, evaluator& e, bool exact_jacobian, std::uint64_t preconditioner_solves, solve_result& result)
{
    counters& ours = e.count();
    if (result.algebra == label(algebra::krylov)) { // products with J are differences of f; the Jacobians of the preconditioner are ours
        ours.f -= static_cast<std::uint64_t>(c.difference_evaluations);
        ours.f_jacobian += static_cast<std::uint64_t>(c.difference_evaluations);
        ours.krylov_iterations += static_cast<std::uint64_t>(c.krylov_iterations);
        ours.krylov_failures += static_cast<std::uint64_t>(c.krylov_failures);
        ours.preconditioner_solves += preconditioner_solves;
        ours.real_factorisations += static_cast<std::uint64_t>(c.setups);
    } else if (!exact_jacobian) {
        ours.f -= static_cast<std::uint64_t>(c.difference_evaluations);
        ours.f_jacobian += static_cast<std::uint64_t>(c.difference_evaluations);
        ours.jacobian += static_cast<std::uint64_t>(c.jacobians);
    }
    ours.lu += static_cast<std::uint64_t>(c.setups);
    ours.solve += static_cast<std::uint64_t>(c.iterations);
    result.claimed["nfev"] = static_cast<double>(c.evaluations);
    result.claimed["njac"] = static_cast<double>(c.jacobians);
    result.claimed["nlu"] = static_cast<double>(c.setups);
    result.claimed["nsolve"] = static_cast<double>(c.iterations);
}

solver_info library_info(const char* name, const char* title, const char* function)
{
    solver_info i;
    i.name = name;
    i.title = title;
    i.version = SUNDIALS_VERSION;
    i.origin = "driver";
    i.language = "C";
    i.library = loaded_library(function);
    i.library_slowdown = slowdown();
    i.forms = {form::ode};
    i.takes_band = true;
    i.takes_sparse = true;
    i.takes_krylov = true;
    i.takes_zero_rtol = true;
    i.gives_error_estimate = true;
    i.error_norm = "root mean square of the estimate divided by rtol |y| + atol";
    i.lu_unit = "one call of the linear solver's setup: one real matrix";
    return i;
}

bool uses_exact_jacobian(const evaluator& e, const solve_options& o) { return o.jacobian != jacobian_source::differences && e.has_exact_jacobian(); }

void refuse_impossible_differences(const evaluator& e, const solve_options& o, algebra_of whose, algebra path, bool needs_jacobian)
{
    const bool sparse = path == algebra::sparse || path == algebra::krylov;
    if (uses_exact_jacobian(e, o) || !needs_jacobian || (whose == algebra_of::sundials && !sparse)) return;
    throw bad_request(
        std::string("jacobian 'differences' given; SUNDIALS forms difference quotients for its own dense and band matrices only, not ") +
        (sparse ? "for sparse ones" : "with our_algebra = 1"));
}

} // namespace ivp::sundials
