// SECDER: second derivative multistep formulas of orders 3 to 9, after the code of Addison and Enright. Method and counters: secder.md.
#include "solvers/solvers.hpp"

#include "secder_integrator.hpp"
#include "solvers/common/communication_options.hpp"
#include "solvers/common/solver_of.hpp"

namespace ivp::solvers {

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

constexpr int lowest_order = 3;

solver_info description()
{
    solver_info i = own_description("secder", "SECDER", lowest_order, 9);
    i.forms = {form::ode};
    i.takes_zero_rtol = true;
    i.takes_zero_atol = true;
    i.error_norm = "largest component of the estimate divided by max(atol, rtol |y_old|), in units of the tolerance";
    i.lu_unit = "one real matrix, also one found to be singular";
    i.reference = "C. A. Addison: Implementing a stiff method based upon the second derivative formulas, Report 130/79, University of Toronto (1979)";
    i.options = own_options().describe();
    return i;
}

class secder_run : integration {
public:
    secder_run(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : integration(e, s, o, observer), integrator_(e, settings_from(o), o)
    {
        integrator_.control_error(o.tolerance);
        integrator_.limits() = own_options().read(o.special).limits(o);
        integrator_.start(s.t0, s.y);
    }

    solve_result run()
    {
        solve_result result = integrate_segment(integrator_, segment_, ending_, [this] { report(); });
        result.algebra = std::string(label(algebra::dense));
        result.extra["error_rejections"] = static_cast<double>(result.error_rejections);
        result.extra["iteration_failures"] = static_cast<double>(integrator_.iteration_failures());
        return result;
    }

private:
    static secder_settings settings_from(const solve_options& o)
    {
        secder_settings set;
        const int order = own_options().read(o.special).max_order;
        set.max_order = order >= lowest_order ? order : 0;
        return set;
    }

    void report()
    {
        if (observer_ == nullptr) return;
        const auto step = integrator_.last();
        const accepted_step seen{step.t_old,      step.t,        step.h,           integrator_.y(), integrator_.tol(),
                                 step.error_norm, step.estimate, step.error_scale, step.between};
        show(seen, step.t == tend_);
    }

    secder_integrator integrator_;
};

} // namespace

std::unique_ptr<const solver> make_secder() { return make_solver(description(), secder_files::chapter, integrate_with<secder_run>); }

} // namespace ivp::solvers
