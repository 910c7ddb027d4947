// DVERK: Verner's pair of orders 6 and 5, after the code of Hull, Enright and Jackson. Method and counters: dverk.md.
#include "solvers/dverk.hpp"

#include "dense_output.hpp"
#include "dverk_integrator.hpp"
#include "solvers/common/communication_options.hpp"
#include "solvers/common/solver_of.hpp"

#include <vector>

namespace ivp::solvers {

namespace dverk_files {
extern const ivp::chapter chapter;
} // namespace dverk_files

namespace {

struct settings : communication_settings {
    bool check_end = true;
};

const option_table<settings>& own_options()
{
    static const auto table = communication_options<settings>().with({
        bind::flag("check_end", &settings::check_end,
                   "f at the end of a step is evaluated before the step is accepted, so that a refusal cuts the step; no: when the next one begins, "
                   "as in the "
                   "original, and a refusal ends the run"),
    });
    return table;
}

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i;
        i.name = "dverk";
        i.title = "DVERK";
        i.version = "1.0";
        i.forms = {form::ode};
        i.lowest_order = 6;
        i.highest_order = 6;
        i.implicit = false;
        i.takes_zero_rtol = true;
        i.takes_zero_atol = true;
        i.gives_error_estimate = true;
        i.locally_extrapolated = true;
        i.error_norm = "largest component of the estimate divided by max(atol, rtol |y_old|), in units of the tolerance";
        i.reference = "T. E. Hull, W. H. Enright, K. R. Jackson: User's guide for DVERK, Report 100, University of Toronto (1976)";
        i.options = own_options().describe();
        return i;
    }();
    return info;
}

class dverk_run {
public:
    dverk_run(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : segment_(s),
          observer_(observer),
          integrator_(e, {}, own_options().read(o.special).check_end),
          between_(e.problem().in<double>(), observer != nullptr ? e.n() : 0),
          estimate_(e.n()),
          ending_(e)
    {
        integrator_.control_error(o.tolerance);
        integrator_.limits() = own_options().read(o.special).limits(o);
        integrator_.start(s.t0, s.y);
    }

    solve_result run()
    {
        while (integrator_.t() != segment_.tend && !ending_.ended()) {
            if (integrator_.accepted() + integrator_.rejected() >= segment_.max_steps) {
                ending_.end(outcome::too_many_steps);
                break;
            }
            const trial seen = integrator_.attempt(segment_.tend);
            if (seen == trial::accepted) report();
            if (seen != trial::accepted) ending_.note_cut(cut_reason(integrator_.last_refusal(), false), integrator_.last_refusal());
            if (seen == trial::failed) end_as(integrator_, ending_);
        }
        std::copy(integrator_.y().begin(), integrator_.y().end(), segment_.y.begin());
        solve_result result;
        result.t = integrator_.t();
        result.accepted = integrator_.accepted();
        result.steps = result.accepted + integrator_.rejected();
        result.error_rejections = integrator_.rejected();
        ending_.write_to(result);
        return result;
    }

private:
    void report()
    {
        if (observer_ == nullptr) return;
        const auto step = integrator_.last();
        between_.begin(step, integrator_.y().data());
        for (std::size_t i = 0; i < estimate_.size(); ++i) estimate_[i] = -step.h * step.difference[i];
        const accepted_step seen{step.t_old,      step.t,    step.h,           integrator_.y(), integrator_.tol(),
                                 step.error_norm, estimate_, step.error_scale, &between_};
        if (observer_->on_step(seen) == observer_answer::stop && step.t != segment_.tend) ending_.end(outcome::stopped_by_observer);
    }

    const segment& segment_;
    step_observer* observer_;
    dverk_integrator integrator_;
    dverk_dense_output between_;
    std::vector<double> estimate_;
    run_ending<double> ending_;
};

} // namespace

std::unique_ptr<const solver> make_dverk() { return make_solver(description(), dverk_files::chapter, integrate_with<dverk_run>); }

} // namespace ivp::solvers
