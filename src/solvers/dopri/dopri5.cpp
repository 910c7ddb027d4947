// DOPRI5: explicit Runge-Kutta method of order 5(4), after the code of Hairer and Wanner. Method and counters: dopri5.md.
#include "solvers/dopri5.hpp"

#include "dopri5_coefficients.hpp"
#include "dormand_prince.hpp"
#include "solvers/common/solver_of.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace ivp::solvers {

namespace dopri5_files {
extern const ivp::chapter chapter;
} // namespace dopri5_files

namespace {

struct method : dopri5_coefficients {
    static constexpr int all_stages = stages + 1;
    static constexpr bool slope_before_test = true;
    static constexpr int order = 5;
    static constexpr double stability_limit = 3.25;
    static constexpr int dense_terms = 1;

    static double exponent(double beta) { return 0.2 - beta * 0.75; }

    static double error_norm(const explicit_step& s, const double* scale, double* estimate)
    {
        fill(s.n, estimate, [&s](int i) { return stage_sum<error, 0>::at(s.k, i) * s.h; });
        return std::sqrt(sum_of_squares(s.n, [=](int i) { return estimate[i] / scale[i]; }) / s.n);
    }

    static evaluation finish_dense(const equations<double>& /*eq*/, const explicit_step& s, double* const* /*slopes*/, std::vector<double>& /*trial*/,
                                   const std::array<double*, dense_terms>& r)
    {
        for (int i = 0; i < s.n; ++i) r[0][i] = s.h * stage_sum<dense, 0>::at(s.k, i);
        return evaluation::ok;
    }
};

const option_table<dormand_prince_settings>& own_options()
{
    static const auto table = dormand_prince_options(10, 0.2, 0.04);
    return table;
}

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i;
        i.name = "dopri5";
        i.title = "DOPRI5";
        i.version = "1.0";
        i.forms = {form::ode};
        i.lowest_order = 5;
        i.highest_order = 5;
        i.implicit = false;
        i.takes_zero_rtol = true;
        i.gives_error_estimate = true;
        i.locally_extrapolated = true;
        i.error_norm = "root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)";
        i.reference = "E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I, section II.5; code of 1996";
        i.options = own_options().describe();
        return i;
    }();
    return info;
}

solve_result integrate(evaluator& e, const segment& s, const solve_options& options, step_observer* observer)
{
    return dormand_prince<method>(own_options().read(options.special), e, s, options, observer).run();
}

} // namespace

std::unique_ptr<const solver> make_dopri5() { return make_solver(description(), dopri5_files::chapter, integrate); }

} // namespace ivp::solvers
