// DOPRI5: explicit Runge-Kutta method of order 5(4), after the code of Hairer and Wanner. Method and counters: dopri5.md.
#include "solvers/solvers.hpp"

#include "dopri5_coefficients.hpp"
#include "dormand_prince.hpp"
#include "solvers/common/solver_of.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace ivp::solvers {

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
        double sum = 0;
        simd::for_many_components<double>(s.n, [&](auto at) {
            const simd::pack<double> difference = stage_sum<error, 0>::at(s.k, at) * s.h;
            at(estimate) = difference;
            const simd::pack<double> scaled = difference / at(scale);
            add_in_order(sum, scaled * scaled);
        });
        return std::sqrt(sum / s.n);
    }

    static evaluation finish_dense(const equations<double>& /*eq*/, const explicit_step& s, double* const* /*slopes*/, double* /*trial*/,
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

solver_info description()
{
    solver_info i = explicit_description("dopri5", "DOPRI5", 5);
    i.error_norm = "root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)";
    i.reference = "E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I, section II.5; code of 1996";
    i.options = own_options().describe();
    return i;
}

solve_result integrate(evaluator& e, const segment& s, const solve_options& options, step_observer* observer)
{
    return dormand_prince<method>(own_options().read(options.special), e, s, options, observer).run();
}

} // namespace

std::unique_ptr<const solver> make_dopri5() { return make_solver(description(), dopri5_files::chapter, integrate); }

} // namespace ivp::solvers
