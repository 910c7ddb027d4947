// CVODE of SUNDIALS: variable-coefficient BDF (1 to 5) and Adams (1 to 12), the descendant of VODE.
#include "drivers/drivers.hpp"

#include "library.hpp"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cmath>
#include <memory>
#include <type_traits>

namespace ivp::sundials {

namespace {

struct settings {
    bool our_algebra = false;
    int max_order = 0;
    int krylov_vectors = 5;
};

int highest_order(int method) { return method == CV_BDF ? 5 : 12; }

const option_table<settings>& own_options(int method)
{
    const auto table_of = [](int which) {
        std::vector<bound_option<settings>> rows;
        if (which == CV_BDF) {
            rows.push_back(algebra_option<settings>());
            rows.push_back(krylov_vectors_option<settings>());
        }
        rows.push_back(bind::whole("max_order", &settings::max_order, 1, highest_order(which), "highest order"));
        return option_table<settings>(rows, {.max_order = highest_order(which)});
    };
    static const auto bdf = table_of(CV_BDF);
    static const auto adams = table_of(CV_ADAMS);
    return method == CV_BDF ? bdf : adams;
}

solver_info description(int method)
{
    const bool bdf = method == CV_BDF;
    solver_info i = library_info(bdf ? "cvode" : "cvode-adams", bdf ? "CVODE" : "CVODE (Adams)", "CVodeCreate");
    i.lowest_order = 1;
    i.highest_order = highest_order(method);
    i.implicit = bdf;
    i.takes_band = i.takes_sparse = i.takes_krylov = bdf;
    i.options = bdf ? with_iteration(own_options(method), library_krylov_options()) : own_options(method).describe();
    i.reference = "A. C. Hindmarsh et al.: SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, ACM TOMS 31 (2005) 363-396";
    return i;
}

class cvode_stepper final : public stepper {
public:
    cvode_stepper(int method, boundary& b, const segment& part, const solve_options& o, std::vector<double>& y)
        : stepper(y.size()), y_(y, in_context()), tend_(part.tend), memory_(CVodeCreate(method, in_context()))
    {
        CVodeSetErrHandlerFn(memory_, remember_error, &b);
        CVodeInit(memory_, rhs, part.t0, y_);
        CVodeSetUserData(memory_, &b);
        CVodeWFtolerances(memory_, error_weights);
        const settings set = own_options(method).read(o.special);
        CVodeSetMaxOrd(memory_, set.max_order);
        CVodeSetMaxNumSteps(memory_, -1);
        CVodeSetMaxHnilWarns(memory_, -1);
        CVodeSetStopTime(memory_, part.tend);
        if (o.h0) CVodeSetInitStep(memory_, *o.h0);
        if (std::isfinite(o.hmax)) CVodeSetMaxStep(memory_, o.hmax);
        if (method == CV_ADAMS) {
            nonlinear_.reset(SUNNonlinSol_FixedPoint(y_, 0, in_context()));
            CVodeSetNonlinearSolver(memory_, nonlinear_.get());
            return;
        }
        system_.emplace(b.e, o, whose(set.our_algebra), in_context(), set.krylov_vectors);
        refuse_impossible_differences(b.e, o, whose(set.our_algebra), system_->path(), system_->reads_jacobian());
        b.system = &*system_;
        CVodeSetLinearSolver(memory_, system_->solver(), system_->matrix());
        if (system_->has_preconditioner())
            CVodeSetPreconditioner(memory_, set_up_preconditioner, precondition);
        else if (system_->path() != algebra::krylov && uses_exact_jacobian(b.e, o))
            CVodeSetJacFn(memory_, jacobian);
        if (system_->multiplies_by_duals()) CVodeSetJacTimes(memory_, nullptr, product);
    }

    int step(double& t) override { return CVode(memory_, tend_, y_, &t, CV_ONE_STEP); }
    [[nodiscard]] bool reached_end(int flag) const override { return flag == CV_TSTOP_RETURN; }
    [[nodiscard]] outcome outcome_of(int flag) const override
    {
        switch (flag) {
        case CV_TOO_MUCH_WORK: return outcome::too_many_steps;
        case CV_TOO_MUCH_ACC:
        case CV_TOO_CLOSE: return outcome::step_too_small;
        case CV_ERR_FAILURE: return outcome::error_test_failed;
        case CV_LSETUP_FAIL:
        case CV_LSOLVE_FAIL: return outcome::singular_matrix;
        case CV_RHSFUNC_FAIL:
        case CV_FIRST_RHSFUNC_ERR:
        case CV_REPTD_RHSFUNC_ERR:
        case CV_UNREC_RHSFUNC_ERR: return outcome::nonfinite;
        case CV_MEM_FAIL: return outcome::out_of_memory;
        default: return outcome::newton_failed;
        }
    }
    [[nodiscard]] claims counted() const override
    {
        claims c;
        CVodeGetNumSteps(memory_, &c.steps);
        CVodeGetNumErrTestFails(memory_, &c.error_failures);
        CVodeGetNumStepSolveFails(memory_, &c.convergence_failures);
        CVodeGetNumRhsEvals(memory_, &c.evaluations);
        CVodeGetNumNonlinSolvIters(memory_, &c.iterations);
        if (!system_) return c;
        CVodeGetNumLinSolvSetups(memory_, &c.setups);
        CVodeGetNumJacEvals(memory_, &c.jacobians);
        CVodeGetNumLinRhsEvals(memory_, &c.difference_evaluations);
        if (system_->path() == algebra::krylov) {
            CVodeGetNumLinIters(memory_, &c.krylov_iterations);
            CVodeGetNumLinConvFails(memory_, &c.krylov_failures);
        }
        return c;
    }

private:
    bool solution_at(double t, N_Vector out) const override { return CVodeGetDky(memory_, t, 0, out) == CV_SUCCESS; }
    bool local_error(N_Vector out) const override { return CVodeGetEstLocalErrors(memory_, out) == CV_SUCCESS; }
    bool weights(N_Vector out) const override { return CVodeGetErrWeights(memory_, out) == CV_SUCCESS; }

    vector y_;
    double tend_;
    std::optional<linear_system> system_;
    struct nonlinear_free {
        void operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
    };
    std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, nonlinear_free> nonlinear_;
    integrator_memory<CVodeFree> memory_;
};

} // namespace

std::unique_ptr<const solver> make_cvode() { return make_library_solver<cvode_stepper>(CV_BDF, description(CV_BDF)); }
std::unique_ptr<const solver> make_cvode_adams() { return make_library_solver<cvode_stepper>(CV_ADAMS, description(CV_ADAMS)); }

} // namespace ivp::sundials
