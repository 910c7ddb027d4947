// DOP853: explicit Runge-Kutta method of order 8(5,3), after the code of Hairer and Wanner. Method and counters: dop853.md.
#include "solvers/solvers.hpp"

#include "dop853_coefficients.hpp"
#include "dormand_prince.hpp"
#include "solvers/common/solver_of.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace ivp::solvers {

namespace {

struct method : dop853_coefficients {
    static constexpr int all_stages = dense_stages;
    static constexpr bool slope_before_test = false;
    static constexpr int order = 8;
    static constexpr double stability_limit = 6.1;
    static constexpr int dense_terms = 4;

    static double exponent(double beta) { return 1.0 / 8.0 - beta * 0.2; }

    // |h| S5 / sqrt(n (S5 + 0.01 S3)): behaves like h^8, where the estimate of order 5 alone would be too pessimistic.
    static double error_norm(const explicit_step& s, const double* scale, double* estimate)
    {
        constexpr const auto& third = third_order_weights;
        double fifth_sum = 0;
        double third_sum = 0;
        using value = simd::pack<double>;
        simd::for_many_components<double>(s.n, [&](auto at) {
            const value increment = stage_sum<a, stages>::at(s.k, at);
            const value to_third = increment - third[0] * at(s.k[0]) - third[8] * at(s.k[8]) - third[11] * at(s.k[11]);
            const value to_fifth = stage_sum<fifth_order_error, 0>::at(s.k, at);
            at(estimate) = s.h * to_fifth;
            const value third_scaled = to_third / at(scale);
            const value fifth_scaled = to_fifth / at(scale);
            add_in_order(third_sum, third_scaled * third_scaled);
            add_in_order(fifth_sum, fifth_scaled * fifth_scaled);
        });
        double denominator = fifth_sum + 0.01 * third_sum;
        if (denominator <= 0) denominator = 1;
        return s.h * fifth_sum * std::sqrt(1.0 / (s.n * denominator));
    }

    static evaluation finish_dense(const equations<double>& eq, const explicit_step& s, double* const* slopes, double* trial,
                                   const std::array<double*, dense_terms>& r)
    {
        evaluation e = dense_stage<stages + 1>(eq, s, slopes, trial);
        if (e == evaluation::ok) e = dense_stage<stages + 2>(eq, s, slopes, trial);
        if (e == evaluation::ok) e = dense_stage<stages + 3>(eq, s, slopes, trial);
        if (e == evaluation::ok) dense_coefficients(s, r, std::make_integer_sequence<int, dense_terms>{});
        return e;
    }

private:
    template <int Stage>
    static evaluation dense_stage(const equations<double>& eq, const explicit_step& s, double* const* slopes, double* trial)
    {
        stage_sum<a, Stage>::advance(s.n, s.y_old, s.h, s.k, trial);
        return eq.f(s.t + c[Stage] * s.h, trial, slopes[Stage]);
    }
    template <int... J>
    static void dense_coefficients(const explicit_step& s, const std::array<double*, dense_terms>& r, std::integer_sequence<int, J...> /*terms*/)
    {
        for (int i = 0; i < s.n; ++i) ((r[J][i] = s.h * stage_sum<dense, J>::at(s.k, i)), ...);
    }
};

const option_table<dormand_prince_settings>& own_options()
{
    static const auto table = dormand_prince_options(6, 0.333, 0);
    return table;
}

solver_info description()
{
    solver_info i = explicit_description("dop853", "DOP853", 8);
    i.error_norm = "E5 E5/sqrt(E5^2 + 0.01 E3^2), where E5, E3 are root mean squares of the differences to formulas of order 5 and 3, "
                   "divided by atol + rtol max(|y_old|, |y|); the reported estimate is that of order 5";
    i.reference = "E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I, section II.10; code of 2009";
    i.options = own_options().describe();
    return i;
}

solve_result integrate(evaluator& e, const segment& s, const solve_options& options, step_observer* observer)
{
    return dormand_prince<method>(own_options().read(options.special), e, s, options, observer).run();
}

} // namespace

std::unique_ptr<const solver> make_dop853() { return make_solver(description(), dop853_files::chapter, integrate); }

} // namespace ivp::solvers
