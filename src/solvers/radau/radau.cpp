// RADAU: Radau IIA of variable order 5, 9, 13, after the code of Hairer and Wanner. Method and counters: radau.md.
#include "solvers/radau.hpp"

#include "radau_integrator.hpp"
#include "solvers/common/solver_of.hpp"

#include <ivp/error.hpp>

#include <string>
#include <vector>

namespace ivp::solvers {

namespace radau_files {
extern const ivp::chapter chapter;
} // namespace radau_files

namespace {

const option_table<radau_settings>& options_of_radau()
{
    using s = radau_settings;
    static const auto table = [] {
        s defaults;
        defaults.newton_tolerance_of_last = true;
        defaults.most_stages = 7;
        defaults.start_stages = 0;
        return common_radau_options().with(
            {
                bind::one_of("min_stages", &s::least_stages, {1, 3, 5, 7}, "smallest number of stages; the order is twice that minus one"),
                bind::one_of("max_stages", &s::most_stages, {1, 3, 5, 7}, "largest number of stages; equal to min_stages: the order is fixed"),
                bind::one_of("start_stages", &s::start_stages, {0, 1, 3, 5, 7}, "number of stages of the first step; 0: the smallest"),
                bind::real("order_up", &s::order_up, 0, 1, "the order rises while Newton's iteration contracts faster than this"),
                bind::real("order_down", &s::order_down, 0, 10, "the order falls when Newton's iteration contracts slower than this"),
                bind::real("ratio_down", &s::ratio_down, 0, 1, "the order rises only at step ratios between ratio_down and ratio_up"),
                bind::real("ratio_up", &s::ratio_up, 1, 100, "see ratio_down"),
            },
            defaults);
    }();
    return table;
}

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i = common_radau_description();
        i.name = "radau";
        i.title = "RADAU";
        i.highest_order = 13;
        i.error_norm = "root mean square of the estimate divided by atol + rtol |y| (tolerances transformed for the order; index 2, 3: times h, h^2)";
        i.lu_unit = "the real and all complex matrices of a step together";
        i.reference = "E. Hairer, G. Wanner: Stiff differential equations solved by Radau methods, J. Comput. Appl. Math. 111 (1999) 93-111";
        i.options = options_of_radau().describe();
        return i;
    }();
    return info;
}

/// order: of the segment before this one, 0: none
radau_settings settings_of(const solve_options& o, int order)
{
    radau_settings s = options_of_radau().read(o.special);
    std::vector<std::string> faults;
    if (s.start_stages == 0) s.start_stages = order > 0 ? (order + 1) / 2 : s.least_stages;
    if (s.least_stages > s.most_stages)
        faults.push_back("option 'min_stages': " + std::to_string(s.least_stages) + " given; allowed: at most max_stages, " +
                         std::to_string(s.most_stages));
    if (faults.empty() && (s.start_stages < s.least_stages || s.start_stages > s.most_stages))
        faults.push_back("option 'start_stages': " + std::to_string(s.start_stages) + " given; allowed: from min_stages, " +
                         std::to_string(s.least_stages) + ", to max_stages, " + std::to_string(s.most_stages));
    if (!faults.empty()) throw bad_request(std::move(faults));
    return s;
}

solve_result integrate(evaluator& e, const segment& s, const solve_options& options, step_observer* observer)
{
    return integrate_radau(radau_request<double>{e, s.t0, s.tend, s.y, s.max_steps, options, settings_of(options, s.order), observer});
}

} // namespace

std::unique_ptr<const solver> make_radau() { return make_solver(description(), radau_files::chapter, integrate); }

} // namespace ivp::solvers
