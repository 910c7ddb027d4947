// ARKODE of SUNDIALS: ESDIRK methods of orders 3, 4, 5, and explicit Runge-Kutta.
#include "drivers/drivers.hpp"

#include "library.hpp"

#include <arkode/arkode_arkstep.h>

#include <cmath>

namespace ivp::sundials {

namespace {

struct variant {
    const char* name;
    const char* title;
    int order;
    bool implicit;
};

struct settings {
    bool our_algebra = false;
    double newton_coef = 0.1;
    int newton_max = 3;
    int error_fails = 7;
    int predictor = 0;
    int krylov_vectors = 5;
};

const option_table<settings>& own_options()
{
    using s = settings;
    static const option_table<s> table{{
        algebra_option<s>(),
        bind::real("newton_coef", &s::newton_coef, 1e-12, 1, "bound on the Newton iteration, as a part of the error test"),
        bind::whole("newton_max", &s::newton_max, 1, 100, "largest number of Newton iterations"),
        bind::whole("error_fails", &s::error_fails, 1, 1000, "failures of the error test in one step before it gives up"),
        bind::choice("predictor", &s::predictor, {{"last", 0}, {"maximum-order", 1}, {"variable-order", 2}, {"cutoff-order", 3}},
                     "first guess of the stages: the last value (0), or an extrapolation of one of three kinds (1 to 3)"),
        krylov_vectors_option<s>(),
    }};
    return table;
}

solver_info description(const variant& v)
{
    solver_info i = library_info(v.name, v.title, "ARKStepCreate");
    i.lowest_order = i.highest_order = v.order;
    i.implicit = i.takes_band = i.takes_sparse = i.takes_krylov = v.implicit;
    if (v.implicit) i.options = with_iteration(own_options(), library_krylov_options());
    i.locally_extrapolated = true;
    i.reference = "D. R. Reynolds et al.: ARKODE: a flexible IVP solver infrastructure for one-step methods, ACM TOMS 49 (2023) 19";
    return i;
}

class arkode_stepper final : public stepper {
public:
    arkode_stepper(const variant& v, boundary& b, const segment& part, const solve_options& o, std::vector<double>& y)
        : stepper(y.size()),
          y_(y, in_context()),
          tend_(part.tend),
          implicit_(v.implicit),
          memory_(ARKStepCreate(v.implicit ? nullptr : rhs, v.implicit ? rhs : nullptr, part.t0, y_, in_context()))
    {
        ARKStepSetErrHandlerFn(memory_, remember_error, &b);
        ARKStepSetUserData(memory_, &b);
        ARKStepSetOrder(memory_, v.order);
        ARKStepWFtolerances(memory_, error_weights);
        ARKStepSetMaxNumSteps(memory_, -1);
        ARKStepSetMaxHnilWarns(memory_, -1);
        ARKStepSetStopTime(memory_, part.tend);
        if (o.h0) ARKStepSetInitStep(memory_, *o.h0);
        if (std::isfinite(o.hmax)) ARKStepSetMaxStep(memory_, o.hmax);
        if (!v.implicit) return;
        const settings set = own_options().read(o.special);
        system_.emplace(b.e, o, whose(set.our_algebra), in_context(), set.krylov_vectors);
        refuse_impossible_differences(b.e, o, whose(set.our_algebra), system_->path(), system_->reads_jacobian());
        b.system = &*system_;
        ARKStepSetLinearSolver(memory_, system_->solver(), system_->matrix());
        if (system_->has_preconditioner())
            ARKStepSetPreconditioner(memory_, set_up_preconditioner, precondition);
        else if (system_->path() != algebra::krylov && uses_exact_jacobian(b.e, o))
            ARKStepSetJacFn(memory_, jacobian);
        if (system_->multiplies_by_duals()) ARKStepSetJacTimes(memory_, nullptr, product);
        ARKStepSetNonlinConvCoef(memory_, set.newton_coef);
        ARKStepSetMaxNonlinIters(memory_, set.newton_max);
        ARKStepSetMaxErrTestFails(memory_, set.error_fails);
        ARKStepSetPredictorMethod(memory_, set.predictor);
    }

    int step(double& t) override { return ARKStepEvolve(memory_, tend_, y_, &t, ARK_ONE_STEP); }
    [[nodiscard]] bool reached_end(int flag) const override { return flag == ARK_TSTOP_RETURN; }
    [[nodiscard]] outcome outcome_of(int flag) const override
    {
        switch (flag) {
        case ARK_TOO_MUCH_WORK: return outcome::too_many_steps;
        case ARK_TOO_MUCH_ACC:
        case ARK_TOO_CLOSE: return outcome::step_too_small;
        case ARK_ERR_FAILURE: return outcome::error_test_failed;
        case ARK_LSETUP_FAIL:
        case ARK_LSOLVE_FAIL: return outcome::singular_matrix;
        case ARK_RHSFUNC_FAIL:
        case ARK_FIRST_RHSFUNC_ERR:
        case ARK_REPTD_RHSFUNC_ERR:
        case ARK_UNREC_RHSFUNC_ERR: return outcome::nonfinite;
        case ARK_MEM_FAIL: return outcome::out_of_memory;
        default: return implicit_ ? outcome::newton_failed : outcome::error_test_failed;
        }
    }
    [[nodiscard]] claims counted() const override
    {
        claims c;
        long explicit_part = 0;
        long implicit_part = 0;
        ARKStepGetNumSteps(memory_, &c.steps);
        ARKStepGetNumErrTestFails(memory_, &c.error_failures);
        ARKStepGetNumRhsEvals(memory_, &explicit_part, &implicit_part);
        c.evaluations = explicit_part + implicit_part;
        if (!system_) return c;
        ARKStepGetNumStepSolveFails(memory_, &c.convergence_failures);
        ARKStepGetNumNonlinSolvIters(memory_, &c.iterations);
        ARKStepGetNumLinSolvSetups(memory_, &c.setups);
        ARKStepGetNumJacEvals(memory_, &c.jacobians);
        ARKStepGetNumLinRhsEvals(memory_, &c.difference_evaluations);
        if (system_->path() == algebra::krylov) {
            ARKStepGetNumLinIters(memory_, &c.krylov_iterations);
            ARKStepGetNumLinConvFails(memory_, &c.krylov_failures);
        }
        return c;
    }

private:
    bool solution_at(double t, N_Vector out) const override { return ARKStepGetDky(memory_, t, 0, out) == ARK_SUCCESS; }
    bool local_error(N_Vector out) const override { return ARKStepGetEstLocalErrors(memory_, out) == ARK_SUCCESS; }
    bool weights(N_Vector out) const override { return ARKStepGetErrWeights(memory_, out) == ARK_SUCCESS; }

    vector y_;
    double tend_;
    bool implicit_;
    std::optional<linear_system> system_;
    integrator_memory<ARKStepFree> memory_;
};

std::unique_ptr<const solver> make(const variant& v) { return make_library_solver<arkode_stepper>(v, description(v)); }

} // namespace

std::unique_ptr<const solver> make_arkode() { return make({"arkode", "ARKODE (ESDIRK 4)", 4, true}); }
std::unique_ptr<const solver> make_arkode_3() { return make({"arkode-3", "ARKODE (ESDIRK 3)", 3, true}); }
std::unique_ptr<const solver> make_arkode_5() { return make({"arkode-5", "ARKODE (ESDIRK 5)", 5, true}); }
std::unique_ptr<const solver> make_arkode_erk() { return make({"arkode-erk", "ARKODE (explicit, order 5)", 5, false}); }

} // namespace ivp::sundials
