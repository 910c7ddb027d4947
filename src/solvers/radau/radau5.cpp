// RADAU5: three-stage Radau IIA, order 5, after the code of Hairer and Wanner. Method and counters: radau5.md.
#include "solvers/radau5.hpp"

#include "radau_integrator.hpp"
#include "solvers/common/solver_of.hpp"

namespace ivp::solvers {

namespace radau5_files {
extern const ivp::chapter chapter;
} // namespace radau5_files

namespace {

const option_table<radau_settings>& options_of_radau5()
{
    static const auto table = common_radau_options().with({
        bind::real("fnewt", &radau_settings::newton_tolerance, 0, 1, "Newton stops below this fraction of the tolerance; 0: chosen from rtol"),
    });
    return table;
}

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i = common_radau_description();
        i.name = "radau5";
        i.title = "RADAU5";
        i.highest_order = 5;
        i.error_norm = "root mean square of the estimate divided by atol + rtol |y| (transformed tolerances; index 2, 3: times h, h^2)";
        i.lu_unit = "one real and one complex matrix together";
        i.reference = "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, section IV.8; code of 1996";
        i.options = options_of_radau5().describe();
        return i;
    }();
    return info;
}

solve_result integrate(evaluator& e, const segment& s, const solve_options& options, step_observer* observer)
{
    const radau_settings settings = options_of_radau5().read(options.special);
    return integrate_radau(radau_request<double>{e, s.t0, s.tend, s.y, s.max_steps, options, settings, observer});
}

} // namespace

std::unique_ptr<const solver> make_radau5() { return make_solver(description(), radau5_files::chapter, integrate); }

} // namespace ivp::solvers
