// IDA of SUNDIALS: BDF (1 to 5) with fixed leading coefficient for G(t, y, y') = 0, the descendant of DASSL.
#include "drivers/drivers.hpp"

#include "drivers/common/implicit_form.hpp"
#include "library.hpp"

#include <ida/ida.h>
#include <ida/ida_ls.h>

#include <algorithm>
#include <cmath>

namespace ivp::sundials {

namespace {

struct settings {
    bool our_algebra = false;
    int max_order = 5;
    bool any_index = false; ///< solver_info::index_option: the platform reads it
    bool calc_ic = false;
    int krylov_vectors = 5;
};

const option_table<settings>& own_options()
{
    using s = settings;
    static const option_table<s> table{{
        algebra_option<s>(),
        bind::whole("max_order", &s::max_order, 1, 5, "highest order"),
        bind::flag("any_index", &s::any_index, "problems of index 2 and 3 are tried, their variables of index 2 and 3 left out of the error test"),
        bind::flag("calc_ic", &s::calc_ic, "IDACalcIC corrects y' and the algebraic components of y before each segment"),
        krylov_vectors_option<s>(),
    }};
    return table;
}

solver_info description()
{
    solver_info i = library_info("ida", "IDA", "IDACreate");
    i.forms = {form::ode, form::dae, form::ide};
    i.highest_index = 1;
    i.index_option = "any_index";
    i.lowest_order = 1;
    i.highest_order = 5;
    i.needs_initial_derivative = true;
    i.reference = "A. C. Hindmarsh et al.: SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, ACM TOMS 31 (2005) 363-396";
    i.options = with_iteration(own_options(), preconditioner_options());
    return i;
}

int residual(realtype t, N_Vector y, N_Vector yp, N_Vector out, void* data)
{
    auto& b = *static_cast<boundary*>(data);
    return answer_of(residual_of(b.e, t, values(y), values(yp), b.work.data(), values(out)));
}

/// dG/dy + c dG/dy'
int iteration_matrix(realtype t, realtype c, N_Vector y, N_Vector yp, N_Vector /*r*/, SUNMatrix out, void* data, N_Vector /*w1*/, N_Vector /*w2*/,
                     N_Vector /*w3*/)
{
    auto& b = *static_cast<boundary*>(data);
    const evaluation e = partials_of(b.e, t, values(y), values(yp), c, b.system->values());
    if (e == evaluation::ok) b.system->store(out);
    return answer_of(e);
}

int set_up_preconditioner(realtype t, N_Vector y, N_Vector yp, N_Vector /*r*/, realtype c, void* data)
{
    auto& b = *static_cast<boundary*>(data);
    if (!b.system->preconditioner_needs_jacobian())
        return b.system->set_up_own_preconditioner(t, values(y), c, 1, false) ? proceed : try_smaller_step;
    const evaluation e = partials_of(b.e, t, values(y), values(yp), c, b.system->values());
    if (e != evaluation::ok) return answer_of(e);
    return b.system->set_up_preconditioner(0, -1) ? proceed : try_smaller_step; // the whole matrix is where J is kept
}

int precondition(realtype /*t*/, N_Vector /*y*/, N_Vector /*yp*/, N_Vector /*r*/, N_Vector b, N_Vector x, realtype /*c*/, realtype /*delta*/,
                 void* data)
{
    return static_cast<boundary*>(data)->system->precondition(values(b), values(x)) ? proceed : try_smaller_step;
}

class ida_stepper final : public stepper {
public:
    ida_stepper(const option_table<settings>* table, boundary& b, const segment& part, const solve_options& o, std::vector<double>& y)
        : stepper(y.size()),
          set_(table->read(o.special)),
          y_(y, in_context()),
          yp_values_(part.yp.begin(), part.yp.end()),
          yp_(yp_values_, in_context()),
          tend_(part.tend),
          id_values_(y.size(), 1.0),
          id_(id_values_, in_context()),
          system_(b.e, o, whose(set_.our_algebra), in_context(), set_.krylov_vectors),
          memory_(IDACreate(in_context()))
    {
        refuse_impossible_differences(b.e, o, whose(set_.our_algebra), system_.path(), system_.reads_jacobian());
        b.system = &system_;
        b.work.resize(y.size());
        IDASetErrHandlerFn(memory_, remember_error, &b);
        IDASetUserData(memory_, &b);
        IDAInit(memory_, residual, part.t0, y_, yp_);
        IDAWFtolerances(memory_, error_weights);
        IDASetMaxOrd(memory_, set_.max_order);
        IDASetMaxNumSteps(memory_, -1);
        IDASetStopTime(memory_, part.tend);
        if (o.h0) IDASetInitStep(memory_, *o.h0);
        if (std::isfinite(o.hmax)) IDASetMaxStep(memory_, o.hmax);
        IDASetLinearSolver(memory_, system_.solver(), system_.matrix());
        if (system_.has_preconditioner())
            IDASetPreconditioner(memory_, set_up_preconditioner, precondition);
        else if (system_.path() != algebra::krylov && uses_exact_jacobian(b.e, o))
            IDASetJacFn(memory_, iteration_matrix);
        mark_algebraic(b.e, set_.calc_ic);
        if (set_.calc_ic) correction_ = IDACalcIC(memory_, IDA_YA_YDP_INIT, part.t0 + first_output(o, part));
        if (correction_ == IDA_SUCCESS && set_.calc_ic) IDAGetConsistentIC(memory_, y_, yp_);
    }

    int step(double& t) override { return correction_ < 0 ? correction_ : IDASolve(memory_, tend_, &t, y_, yp_, IDA_ONE_STEP); }
    [[nodiscard]] bool reached_end(int flag) const override { return flag == IDA_TSTOP_RETURN; }
    [[nodiscard]] outcome outcome_of(int flag) const override
    {
        switch (flag) {
        case IDA_TOO_MUCH_WORK: return outcome::too_many_steps;
        case IDA_TOO_MUCH_ACC: return outcome::step_too_small;
        case IDA_ERR_FAIL: return outcome::error_test_failed;
        case IDA_LSETUP_FAIL:
        case IDA_LSOLVE_FAIL: return outcome::singular_matrix;
        case IDA_RES_FAIL:
        case IDA_REP_RES_ERR:
        case IDA_FIRST_RES_FAIL: return outcome::nonfinite;
        case IDA_MEM_FAIL: return outcome::out_of_memory;
        default: return outcome::newton_failed;
        }
    }
    [[nodiscard]] claims counted() const override
    {
        claims c;
        IDAGetNumSteps(memory_, &c.steps);
        IDAGetNumErrTestFails(memory_, &c.error_failures);
        IDAGetNumStepSolveFails(memory_, &c.convergence_failures);
        IDAGetNumResEvals(memory_, &c.evaluations);
        IDAGetNumNonlinSolvIters(memory_, &c.iterations);
        IDAGetNumLinSolvSetups(memory_, &c.setups);
        IDAGetNumJacEvals(memory_, &c.jacobians);
        IDAGetNumLinResEvals(memory_, &c.difference_evaluations);
        if (system_.path() == algebra::krylov) {
            IDAGetNumLinIters(memory_, &c.krylov_iterations);
            IDAGetNumLinConvFails(memory_, &c.krylov_failures);
        }
        return c;
    }
    void write_slope(const segment& part) const override { std::copy(yp_values_.begin(), yp_values_.end(), part.yp.begin()); }

private:
    bool solution_at(double t, N_Vector out) const override { return IDAGetDky(memory_, t, 0, out) == IDA_SUCCESS; }
    bool local_error(N_Vector out) const override { return IDAGetEstLocalErrors(memory_, out) == IDA_SUCCESS; }
    bool weights(N_Vector out) const override { return IDAGetErrWeights(memory_, out) == IDA_SUCCESS; }

    /// Which components are differential: for IDACalcIC those that M contains; for the error test all of index 1.
    void mark_algebraic(evaluator& e, bool for_start)
    {
        const problem_info& p = e.problem().info();
        const int n = e.n();
        if (for_start && p.form == form::dae)
            for (int j = 0; j < n; ++j) {
                bool appears = false;
                for (int i = 0; i < n; ++i) appears = appears || e.mass().at(i, j) != 0;
                id_values_[j] = appears ? 1 : 0;
            }
        for (int i = 0; i < n; ++i)
            if (p.index_of(i) > 1) id_values_[i] = 0;
        IDASetId(memory_, id_);
        if (p.highest_index > 1) IDASetSuppressAlg(memory_, SUNTRUE);
    }
    /// A time that tells IDACalcIC the direction and the scale.
    static double first_output(const solve_options& o, const segment& part) { return o.h0.value_or(1e-3 * (part.tend - part.t0)); }

    settings set_;
    vector y_;
    std::vector<double> yp_values_;
    vector yp_;
    double tend_;
    std::vector<double> id_values_;
    vector id_;
    linear_system system_;
    integrator_memory<IDAFree> memory_;
    int correction_ = IDA_SUCCESS;
};

} // namespace

std::unique_ptr<const solver> make_ida() { return make_library_solver<ida_stepper>(&own_options(), description()); }

} // namespace ivp::sundials
