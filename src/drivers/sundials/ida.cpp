// IDA of SUNDIALS: BDF (1 to 5) with fixed leading coefficient for G(t, y, y') = 0, the descendant of DASSL.
#include "drivers/sundials.hpp"

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
};

const option_table<settings>& own_options()
{
    using s = settings;
    static const option_table<s> table{{
        algebra_option<s>(),
        bind::whole("max_order", &s::max_order, 1, 5, "highest order"),
        bind::flag("any_index", &s::any_index, "problems of index 2 and 3 are tried, their variables of index 2 and 3 left out of the error test"),
        bind::flag("calc_ic", &s::calc_ic, "IDACalcIC corrects y' and the algebraic components of y before each segment"),
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
    i.options = own_options().describe();
    return i;
}

/// M y' − f where the problem is not written as G.
int residual(realtype t, N_Vector y, N_Vector yp, N_Vector out, void* data)
{
    auto& b = *static_cast<boundary*>(data);
    if (b.e.problem().info().form == form::ide) return answer_of(b.e.g(t, values(y), values(yp), values(out)));
    const evaluation e = b.e.f(t, values(y), b.work.data());
    if (e != evaluation::ok) return answer_of(e);
    b.e.mass().multiply(values(yp), values(out));
    for (int i = 0; i < b.e.n(); ++i) values(out)[i] -= b.work[i];
    return proceed;
}

/// dG/dy + c dG/dy'
int iteration_matrix(realtype t, realtype c, N_Vector y, N_Vector yp, N_Vector /*r*/, SUNMatrix out, void* data, N_Vector /*w1*/, N_Vector /*w2*/,
                     N_Vector /*w3*/)
{
    auto& b = *static_cast<boundary*>(data);
    const matrix_view<double>& j = b.system->values();
    if (b.e.problem().info().form == form::ide) {
        const evaluation e = b.e.partials(t, values(y), values(yp), 1, c, j);
        if (e == evaluation::ok) b.system->store(out);
        return answer_of(e);
    }
    const evaluation e = b.e.jacobian(t, values(y), j);
    if (e != evaluation::ok) return answer_of(e);
    std::transform(j.data, j.data + j.size(), j.data, [](double v) { return -v; });
    const auto& m = b.e.mass();
    const int n = b.e.n();
    for (int k = 0; k < n; ++k)
        for (int i = std::max(0, k - m.upper()); i <= std::min(n - 1, k + m.lower()); ++i)
            if (const int p = j.position(i, k); p >= 0) j.data[p] += c * m.at(i, k);
    b.system->store(out);
    return proceed;
}

class ida_stepper final : public stepper {
public:
    ida_stepper(const settings& set, boundary& b, const segment& part, const solve_options& o, std::vector<double>& y, std::vector<double>& yp)
        : stepper(y.size()),
          y_(y, in_context()),
          yp_(yp, in_context()),
          tend_(part.tend),
          id_values_(y.size(), 1.0),
          id_(id_values_, in_context()),
          system_(b.e.problem(), o.algebra, whose(set.our_algebra), in_context()),
          memory_(IDACreate(in_context()))
    {
        refuse_impossible_differences(b.e, o, whose(set.our_algebra), system_.path());
        b.system = &system_;
        b.work.resize(y.size());
        IDASetErrHandlerFn(memory_, remember_error, &b);
        IDASetUserData(memory_, &b);
        IDAInit(memory_, residual, part.t0, y_, yp_);
        IDAWFtolerances(memory_, error_weights);
        IDASetMaxOrd(memory_, set.max_order);
        IDASetMaxNumSteps(memory_, -1);
        IDASetStopTime(memory_, part.tend);
        if (o.h0) IDASetInitStep(memory_, *o.h0);
        if (std::isfinite(o.hmax)) IDASetMaxStep(memory_, o.hmax);
        IDASetLinearSolver(memory_, system_.solver(), system_.matrix());
        if (uses_exact_jacobian(b.e, o)) IDASetJacFn(memory_, iteration_matrix);
        mark_algebraic(b.e, set.calc_ic);
        if (set.calc_ic) correction_ = IDACalcIC(memory_, IDA_YA_YDP_INIT, part.t0 + first_output(o, part));
        if (correction_ == IDA_SUCCESS && set.calc_ic) IDAGetConsistentIC(memory_, y_, yp_);
    }

    [[nodiscard]] std::string path() const { return std::string(label(system_.path())); }

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
        return c;
    }

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

    vector y_;
    vector yp_;
    double tend_;
    std::vector<double> id_values_;
    vector id_;
    linear_system system_;
    integrator_memory<IDAFree> memory_;
    int correction_ = IDA_SUCCESS;
};

class ida final : public solver {
public:
    [[nodiscard]] const solver_info& info() const override { return info_; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& part, const solve_options& o, step_observer* observer) const override
    {
        boundary b{e, o.tolerance};
        std::vector<double> y(part.y.begin(), part.y.end());
        std::vector<double> yp(part.yp.begin(), part.yp.end());
        ida_stepper s(own_options().read(o.special), b, part, o, y, yp);
        solve_result r = step_to_end(s, b, part, y, observer);
        r.algebra = s.path();
        settle_counts(s.counted(), e, uses_exact_jacobian(e, o), r);
        std::copy(yp.begin(), yp.end(), part.yp.begin());
        return r;
    }

private:
    solver_info info_ = description();
};

} // namespace

std::unique_ptr<const solver> make_ida() { return std::make_unique<ida>(); }

} // namespace ivp::sundials
