// SECDER: second derivative multistep formulas of orders 3 to 9, after the code of Addison and Enright. Method and counters: secder.md.
#include "solvers/secder.hpp"

#include "secder_integrator.hpp"
#include "solvers/common/communication_options.hpp"
#include "solvers/common/solver_of.hpp"

namespace ivp::solvers {

namespace secder_files {
extern const ivp::chapter chapter;
} // namespace secder_files

namespace {

struct settings : communication_settings {
    int max_order = 0;
};

const option_table<settings>& own_options()
{
    static const auto table = communication_options<settings>().with({
        bind::whole("max_order", &settings::max_order, 0, 9, "highest order, 3 to 9; below 3: from the tolerance"),
    });
    return table;
}

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i;
        i.name = "secder";
        i.title = "SECDER";
        i.version = "1.0";
        i.forms = {form::ode};
        i.lowest_order = 3;
        i.highest_order = 9;
        i.takes_zero_rtol = true;
        i.takes_zero_atol = true;
        i.gives_error_estimate = true;
        i.error_norm = "largest component of the estimate divided by max(atol, rtol |y_old|), in units of the tolerance";
        i.lu_unit = "one real matrix, also one found to be singular";
        i.reference =
            "C. A. Addison: Implementing a stiff method based upon the second derivative formulas, Report 130/79, University of Toronto (1979)";
        i.options = own_options().describe();
        return i;
    }();
    return info;
}

class secder_run {
public:
    secder_run(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : segment_(s), observer_(observer), integrator_(e, settings_from(o), o), ending_(e)
    {
        integrator_.control_error(o.tolerance);
        integrator_.limits() = own_options().read(o.special).limits(o);
        integrator_.start(s.t0, s.y);
    }

    solve_result run()
    {
        std::uint64_t iteration_failures = 0;
        while (integrator_.t() != segment_.tend && !ending_.ended()) {
            if (integrator_.accepted() + integrator_.rejected() >= segment_.max_steps) {
                ending_.end(outcome::too_many_steps);
                break;
            }
            const trial seen = integrator_.attempt(segment_.tend);
            if (seen == trial::accepted) report();
            const bool iteration_failed = integrator_.iteration_failures() != iteration_failures;
            iteration_failures = integrator_.iteration_failures();
            if (seen != trial::accepted) ending_.note_cut(cut_reason(integrator_.last_refusal(), iteration_failed), integrator_.last_refusal());
            if (seen == trial::failed) end_as(integrator_, ending_);
        }
        std::copy(integrator_.y().begin(), integrator_.y().end(), segment_.y.begin());
        solve_result result;
        result.t = integrator_.t();
        result.accepted = integrator_.accepted();
        result.steps = result.accepted + integrator_.rejected();
        result.error_rejections = integrator_.rejected() - iteration_failures;
        result.algebra = std::string(label(algebra::dense));
        result.extra["error_rejections"] = static_cast<double>(result.error_rejections);
        result.extra["iteration_failures"] = static_cast<double>(iteration_failures);
        ending_.write_to(result);
        return result;
    }

private:
    static secder_settings settings_from(const solve_options& o)
    {
        secder_settings set;
        const int order = own_options().read(o.special).max_order;
        set.max_order = order >= description().lowest_order ? order : 0;
        return set;
    }

    void report()
    {
        if (observer_ == nullptr) return;
        const auto step = integrator_.last();
        const accepted_step seen{step.t_old,      step.t,        step.h,           integrator_.y(), integrator_.tol(),
                                 step.error_norm, step.estimate, step.error_scale, step.between};
        if (observer_->on_step(seen) == observer_answer::stop && step.t != segment_.tend) ending_.end(outcome::stopped_by_observer);
    }

    const segment& segment_;
    step_observer* observer_;
    secder_integrator integrator_;
    run_ending<double> ending_;
};

} // namespace

std::unique_ptr<const solver> make_secder() { return make_solver(description(), secder_files::chapter, integrate_with<secder_run>); }

} // namespace ivp::solvers
