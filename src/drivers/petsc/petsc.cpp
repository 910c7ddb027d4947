// Solvers of PETSc's TS, driven step by step: everything is implicit, F(t, u, u') = 0, which covers all three forms.
#include "drivers/drivers.hpp"

#include "drivers/common/implicit_form.hpp"
#include "drivers/common/loaded_file.hpp"

#include "model/option_table.hpp"

#include <ivp/scalar.hpp>

#include <petscts.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>

namespace ivp::petsc {

namespace {

/// Once for the process. PETSc's objects must be gone before MPI is; a process that ends needs neither.
void initialise()
{
    static std::once_flag once;
    std::call_once(once, [] {
        if (PetscInitializeNoArguments() != 0) throw std::runtime_error("PETSc cannot be initialised");
        PetscPushErrorHandler(PetscReturnErrorHandler, nullptr); // its errors are answers, not text on standard error
    });
}

void check(PetscErrorCode code)
{
    if (code == PETSC_ERR_MEM) throw std::bad_alloc();
    if (code == 0) return;
    const char* text = nullptr;
    PetscErrorMessage(code, &text, nullptr);
    throw std::runtime_error(std::string("PETSc: ") + (text == nullptr ? "unknown error" : text));
}

/// A vector over memory of ours.
class vector {
public:
    explicit vector(std::vector<double>& values)
    {
        check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(values.size()), values.data(), &v_));
    }
    vector(const vector&) = delete;
    vector& operator=(const vector&) = delete;
    ~vector() { VecDestroy(&v_); }
    operator Vec() const { return v_; } // NOLINT(google-explicit-constructor)

private:
    Vec v_ = nullptr;
};

class reading {
public:
    explicit reading(Vec v) : v_(v) { VecGetArrayRead(v_, &values_); }
    reading(const reading&) = delete;
    reading& operator=(const reading&) = delete;
    ~reading() { VecRestoreArrayRead(v_, &values_); }
    operator const double*() const { return values_; } // NOLINT(google-explicit-constructor)

private:
    Vec v_;
    const double* values_ = nullptr;
};

/// What the callbacks of one solve reach.
struct boundary {
    evaluator& e;
    const structure& pattern;
    std::vector<double> work;
    std::vector<double> matrix; ///< full, by columns, or the entries of the pattern
    evaluation last = evaluation::ok;

    [[nodiscard]] matrix_view<double> view()
    {
        const int n = e.n();
        if (pattern.kind == structure_kind::sparse) return {structure_kind::sparse, n, 0, 0, 0, pattern.pattern.get(), matrix.data()};
        if (pattern.kind == structure_kind::band) {
            return {structure_kind::band, n, pattern.lower, pattern.upper, pattern.lower + pattern.upper + 1, nullptr, matrix.data()};
        }
        return {structure_kind::full, n, 0, 0, n, nullptr, matrix.data()};
    }
    [[nodiscard]] bool dense() const { return pattern.kind == structure_kind::full; }
};

PetscErrorCode residual(TS /*ts*/, PetscReal t, Vec u, Vec udot, Vec out, void* data)
{
    auto& b = *static_cast<boundary*>(data);
    const reading y(u);
    const reading yp(udot);
    double* f = nullptr;
    VecGetArray(out, &f);
    const evaluation e = residual_of(b.e, t, y, yp, b.work.data(), f);
    // What is not finite makes PETSc try a smaller step; an error code ends the run.
    if (e != evaluation::ok) std::fill_n(f, b.e.n(), std::numeric_limits<double>::quiet_NaN());
    VecRestoreArray(out, &f);
    b.last = e;
    return e == evaluation::stopped ? PETSC_ERR_USER : 0;
}

/// dF/du + shift dF/du'
PetscErrorCode iteration_matrix(TS ts, PetscReal t, Vec u, Vec udot, PetscReal shift, Mat /*a*/, Mat p, void* data)
{
    auto& b = *static_cast<boundary*>(data);
    const reading y(u);
    const reading yp(udot);
    const int n = b.e.n();
    const matrix_view<double> j = b.view();
    const evaluation e = partials_of(b.e, t, y, yp, shift, j);
    b.last = e;
    if (e == evaluation::stopped) return PETSC_ERR_USER;
    if (e != evaluation::ok) {
        SNES snes = nullptr;
        TSGetSNES(ts, &snes);
        return SNESSetJacobianDomainError(snes);
    }
    // One matrix, one factorisation.
    ++b.e.count().lu;
    ++b.e.count().real_factorisations;
    if (b.dense()) {
        double* columns = nullptr;
        MatDenseGetArray(p, &columns);
        std::copy_n(j.data, j.size(), columns);
        MatDenseRestoreArray(p, &columns);
    } else {
        for (PetscInt k = 0; k < n; ++k)
            for (PetscInt i = 0; i < n; ++i)
                if (const auto at = j.position(static_cast<int>(i), static_cast<int>(k)); at >= 0) MatSetValue(p, i, k, j.data[at], INSERT_VALUES);
    }
    MatAssemblyBegin(p, MAT_FINAL_ASSEMBLY);
    return MatAssemblyEnd(p, MAT_FINAL_ASSEMBLY);
}

/// A TS with everything it needs, freed in one place.
class integrator {
    static constexpr PetscInt failures_in_a_row = 100; // more than a step size can shrink

public:
    integrator(TSType type, boundary& b, const segment& s, const solve_options& o, std::vector<double>& y)
        : u_(y), rtol_values_(y.size()), atol_values_(y.size()), rtol_(rtol_values_), atol_(atol_values_)
    {
        const auto n = static_cast<PetscInt>(y.size());
        for (PetscInt i = 0; i < n; ++i) {
            rtol_values_[i] = o.tolerance.relative(static_cast<int>(i));
            atol_values_[i] = o.tolerance.absolute(static_cast<int>(i));
        }
        check(TSCreate(PETSC_COMM_SELF, &ts_));
        check(TSSetType(ts_, type));
        check(TSSetIFunction(ts_, nullptr, residual, &b));
        if (b.dense())
            check(MatCreateSeqDense(PETSC_COMM_SELF, n, n, nullptr, &matrix_));
        else
            check(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, columns_of_rows(b).data(), &matrix_));
        check(TSSetIJacobian(ts_, matrix_, matrix_, iteration_matrix, &b));
        check(TSSetTime(ts_, s.t0));
        check(TSSetTimeStep(ts_, std::min({o.h0.value(), o.hmax, s.tend - s.t0})));
        check(TSSetMaxTime(ts_, s.tend));
        check(TSSetMaxSteps(ts_, PETSC_MAX_INT));
        check(TSSetExactFinalTime(ts_, TS_EXACTFINALTIME_MATCHSTEP));
        check(TSSetTolerances(ts_, PETSC_DECIDE, atol_, PETSC_DECIDE, rtol_));
        check(TSSetMaxStepRejections(ts_, failures_in_a_row));
        check(TSSetMaxSNESFailures(ts_, failures_in_a_row));
        if (std::isfinite(o.hmax)) {
            TSAdapt adapt = nullptr;
            check(TSGetAdapt(ts_, &adapt));
            check(TSAdaptSetStepLimits(adapt, PETSC_DEFAULT, o.hmax));
        }
        SNES snes = nullptr;
        KSP ksp = nullptr;
        PC pc = nullptr;
        check(TSGetSNES(ts_, &snes));
        check(SNESGetKSP(snes, &ksp));
        check(KSPSetType(ksp, KSPPREONLY));
        check(KSPGetPC(ksp, &pc));
        check(PCSetType(pc, PCLU));
        check(TSSetSolution(ts_, u_));
    }
    integrator(const integrator&) = delete;
    integrator& operator=(const integrator&) = delete;
    ~integrator()
    {
        MatDestroy(&matrix_);
        TSDestroy(&ts_);
    }
    [[nodiscard]] TS ts() const { return ts_; }

private:
    static std::vector<PetscInt> columns_of_rows(const boundary& b)
    {
        std::vector<PetscInt> count(b.e.n(), 0);
        for (int i = 0; i < b.e.n(); ++i)
            for (int j = 0; j < b.e.n(); ++j)
                if (b.pattern.contains(i, j)) ++count[i];
        return count;
    }

    vector u_;
    std::vector<double> rtol_values_, atol_values_;
    vector rtol_, atol_;
    TS ts_ = nullptr;
    Mat matrix_ = nullptr;
};

struct bdf_settings {
    int order = 2;
};

const option_table<bdf_settings>& bdf_options()
{
    static const option_table<bdf_settings> table{{
        bind::whole("order", &bdf_settings::order, 1, 6, "order of the method, which the library does not change during a run"),
    }};
    return table;
}

class petsc_solver final : public solver {
public:
    petsc_solver(solver_info info, TSType type) : info_(std::move(info)), type_(type) {}

    [[nodiscard]] const solver_info& info() const override { return info_; }
    void prepare() const override { initialise(); }

    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& o, step_observer* observer) const override
    {
        initialise();
        const structure full;
        const structure& found = e.iteration_structure();
        boundary b{e, o.algebra == algebra::dense ? full : found, std::vector<double>(e.n()), {}};
        b.matrix.resize(b.view().size());
        std::vector<double> y(s.y.begin(), s.y.end());
        const integrator i(type_, b, s, o, y);
        const TS ts = i.ts();
        if (std::string_view(type_) == TSBDF) check(TSBDFSetOrder(ts, bdf_options().read(o.special).order));
        if (std::string_view(type_) == TSARKIMEX) check(TSARKIMEXSetFullyImplicit(ts, PETSC_TRUE));

        solve_result r;
        r.algebra = b.dense() ? "dense" : "sparse";
        double t = s.t0;
        const auto attempted = [&] {
            PetscInt steps = 0;
            PetscInt rejected = 0;
            TSGetStepNumber(ts, &steps);
            TSGetStepRejections(ts, &rejected);
            r.accepted = static_cast<std::uint64_t>(steps);
            return r.steps = static_cast<std::uint64_t>(steps + rejected);
        };
        TSConvergedReason reason = TS_CONVERGED_ITERATING;
        while (reason == TS_CONVERGED_ITERATING && t < s.tend && r.outcome == outcome::success) {
            if (attempted() >= s.max_steps) {
                r.outcome = outcome::too_many_steps;
                break;
            }
            const double t_old = t;
            const PetscErrorCode code = TSStep(ts);
            if (e.stop_reason()) {
                r.outcome = *e.stop_reason();
                break;
            }
            check(TSGetConvergedReason(ts, &reason));
            if (code != 0 || reason < 0) {
                r.outcome = failure(reason, b);
                r.message = TSConvergedReasons[reason];
                break;
            }
            check(TSGetTime(ts, &t));
            if (observer == nullptr) continue;
            const accepted_step seen{.t_old = t_old, .t = t, .h = t - t_old, .y = y};
            if (observer->on_step(seen) == observer_answer::stop && t < s.tend) r.outcome = outcome::stopped_by_observer;
        }
        (void)attempted();
        PetscInt solves = 0;
        TSGetKSPIterations(ts, &solves);
        e.count().solve += static_cast<std::uint64_t>(solves);
        r.claimed["nsolve"] = static_cast<double>(solves);
        std::copy(y.begin(), y.end(), s.y.begin());
        r.t = r.outcome == outcome::success ? s.tend : t;
        return r;
    }

private:
    static outcome failure(TSConvergedReason reason, const boundary& b)
    {
        if (b.last == evaluation::nonfinite) return outcome::nonfinite;
        return reason == TS_DIVERGED_NONLINEAR_SOLVE ? outcome::newton_failed : outcome::step_too_small;
    }

    solver_info info_;
    TSType type_;
};

solver_info description(const char* name, const char* title, int lowest_order, int highest_order)
{
    solver_info i;
    i.name = name;
    i.title = title;
    i.version = std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." + std::to_string(PETSC_VERSION_SUBMINOR);
    i.origin = "driver";
    i.library = "PETSc " + i.version + ": " + file_with("TSCreate").describe();
    i.language = "C";
    i.forms = {form::ode, form::dae, form::ide};
    i.highest_index = 1;
    i.lowest_order = lowest_order;
    i.highest_order = highest_order;
    i.needs_exact_jacobian = true;
    i.needs_h0 = true;
    i.takes_sparse = true;
    i.takes_zero_rtol = true;
    i.error_norm = "root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)";
    i.lu_unit = "one real matrix";
    i.reference = "S. Abhyankar et al.: PETSc/TS: a modern scalable ODE/DAE solver library, arXiv:1806.01437 (2018)";
    return i;
}

} // namespace

std::unique_ptr<const solver> make_bdf()
{
    solver_info i = description("petsc-bdf", "PETSc TSBDF", 1, 6);
    i.options = bdf_options().describe();
    return std::make_unique<petsc_solver>(std::move(i), TSBDF);
}
std::unique_ptr<const solver> make_arkimex()
{
    return std::make_unique<petsc_solver>(description("petsc-arkimex", "PETSc TSARKIMEX 3, fully implicit", 3, 3), TSARKIMEX);
}
std::unique_ptr<const solver> make_rosw() { return std::make_unique<petsc_solver>(description("petsc-rosw", "PETSc TSROSW ra34pw2", 3, 3), TSROSW); }

} // namespace ivp::petsc
