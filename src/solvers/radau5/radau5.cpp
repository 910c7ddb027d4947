// RADAU5: three-stage Radau IIA, order 5, after the code of Hairer and Wanner. Method and counters: chapter.md.
#include <ivp/solvers/radau5.hpp>

#include "../common/radau_integrator.hpp"

namespace ivp::solvers {

namespace radau5_files {
extern const ivp::chapter chapter;
} // namespace radau5_files

namespace {

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i;
        i.name = "radau5";
        i.title = "RADAU5";
        i.version = "1.0";
        i.forms = {form::ode, form::dae};
        i.highest_index = 3;
        i.lowest_order = 5;
        i.highest_order = 5;
        i.needs_h0 = true;
        i.takes_band = true;
        i.takes_sparse = true;
        i.gives_error_estimate = true;
        i.locally_extrapolated = true;
        i.error_norm = "root mean square of the estimate divided by atol + rtol |y| (transformed tolerances; index 2, 3: times h, h^2)";
        i.lu_unit = "one real and one complex matrix together";
        i.reference = "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, section IV.8; code of 1996";
        i.options = common_radau_options();
        i.options.push_back({"fnewt", 0, 0, 1, "Newton stops below this fraction of the tolerance; 0: chosen from rtol"});
        return i;
    }();
    return info;
}

class radau5 final : public solver {
public:
    [[nodiscard]] const solver_info& info() const override { return description(); }
    [[nodiscard]] ivp::chapter chapter() const override { return radau5_files::chapter; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        radau_settings settings = common_radau_settings(options, info());
        settings.newton_tolerance = options.option(info(), "fnewt");
        return integrate_radau(radau_request<double>{e, s.t0, s.tend, s.y, s.max_steps, options, settings, observer});
    }
};

} // namespace

std::unique_ptr<const solver> make_radau5() { return std::make_unique<radau5>(); }

} // namespace ivp::solvers
