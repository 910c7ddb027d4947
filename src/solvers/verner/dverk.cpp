// DVERK: Verner's pair of orders 6 and 5, after the code of Hull, Enright and Jackson. Method and counters: dverk.md.
#include "solvers/solvers.hpp"

#include "dense_output.hpp"
#include "dverk_integrator.hpp"
#include "solvers/common/communication_options.hpp"
#include "solvers/common/solver_of.hpp"

#include <vector>

namespace ivp::solvers {

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

solver_info description()
{
    solver_info i = explicit_description("dverk", "DVERK", 6);
    i.takes_zero_atol = true;
    i.error_norm = "largest component of the estimate divided by max(atol, rtol |y_old|), in units of the tolerance";
    i.reference = "T. E. Hull, W. H. Enright, K. R. Jackson: User's guide for DVERK, Report 100, University of Toronto (1976)";
    i.options = own_options().describe();
    return i;
}

class dverk_run : integration {
public:
    dverk_run(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : integration(e, s, o, observer),
          integrator_(e, {}, own_options().read(o.special).check_end),
          between_(e.problem().in<double>(), observer != nullptr ? e.n() : 0),
          estimate_(e.n())
    {
        integrator_.control_error(o.tolerance);
        integrator_.limits() = own_options().read(o.special).limits(o);
        integrator_.start(s.t0, s.y);
    }

    solve_result run()
    {
        return integrate_segment(integrator_, segment_, ending_, [this] { report(); });
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
        show(seen, step.t == tend_);
    }

    dverk_integrator integrator_;
    dverk_dense_output between_;
    std::vector<double> estimate_;
};

} // namespace

std::unique_ptr<const solver> make_dverk() { return make_solver(description(), dverk_files::chapter, integrate_with<dverk_run>); }

} // namespace ivp::solvers
