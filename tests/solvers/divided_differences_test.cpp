// The formulas behind DASSL, tested on their own: exactness on irregular grids, order at equal steps, and that a failed step leaves no trace.
#include "solvers/dassl/divided_differences.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace ivp::solvers {

namespace {

constexpr int width = simd::pack<double>::width;

double power(double t, int degree) { return std::pow(t, degree); }

/// Steps through given values: the correction is what brings the prediction to them.
struct follower {
    divided_differences history;
    double t = 0;
    alignas(simd::pack<double>) std::array<double, width> y{}, yp{}, correction{};

    follower(int max_order, double t0, double h0, double y0, double yp0) : history(width, max_order), t(t0)
    {
        alignas(simd::pack<double>) const std::array<double, width> value{y0, y0, y0, y0};
        alignas(simd::pack<double>) const std::array<double, width> slope{yp0, yp0, yp0, yp0};
        history.start(value.data(), slope.data(), h0);
    }
    void predict(double h, int order)
    {
        history.begin_step(h, order);
        history.predict(y.data(), yp.data());
    }
    void accept(double h, double value)
    {
        for (int i = 0; i < width; ++i) correction[i] = value - y[i];
        history.accept(h, correction.data());
        t += h;
    }
};

constexpr std::array irregular{0.1, 0.13, 0.08, 0.08, 0.08, 0.2, 0.11, 0.09, 0.17, 0.17};

constexpr std::array bdf_leading{1.0, 1.5, 11.0 / 6, 25.0 / 12, 137.0 / 60};

} // namespace

TEST(divided_differences, extrapolate_polynomials_exactly_on_irregular_grids)
{
    for (int order = 1; order <= divided_differences::highest_order; ++order) {
        follower f(order, 1.0, irregular[0], power(1.0, order), order * power(1.0, order - 1));
        int k = 1;
        for (std::size_t step = 0; step < irregular.size(); ++step) {
            const double h = irregular[step];
            f.predict(h, k);
            const double exact = power(f.t + h, order);
            // A history of k + 1 true points is needed for degree k; the first is made of y and y' at one point.
            if (static_cast<int>(step) > order) {
                EXPECT_NEAR(f.y[0], exact, 1e-12) << "order " << order << ", step " << step;
                EXPECT_NEAR(f.yp[0], order * power(f.t + h, order - 1), 1e-10);
            }
            f.accept(h, exact);
            k = std::min(k + 1, order);
            if (static_cast<int>(step) > order) {
                alignas(simd::pack<double>) std::array<double, width> value{}, derivative{};
                f.history.interpolate(-0.4 * h, value.data(), derivative.data());
                EXPECT_NEAR(value[1], power(f.t - 0.4 * h, order), 1e-12);
                EXPECT_NEAR(derivative[1], order * power(f.t - 0.4 * h, order - 1), 1e-10);
            }
        }
    }
}

// y' = y'_predicted + c (y − y_predicted) is the BDF formula at equal steps: exact for degree k, and of order k + 1 in one step.
TEST(divided_differences, give_the_bdf_of_each_order)
{
    for (int order = 1; order <= divided_differences::highest_order; ++order) {
        std::vector<double> errors;
        for (const double h : {0.1, 0.05}) {
            follower f(order, 0.0, h, 1.0, 1.0);
            for (int step = 0, k = 1; step < 12; ++step, k = std::min(k + 1, order)) {
                f.predict(h, k);
                const double exact = std::exp(f.t + h);
                if (step == 11) {
                    EXPECT_NEAR(f.history.leading() * h, bdf_leading[order - 1], 1e-15);
                    EXPECT_NEAR(f.history.error_constant(), 1.0 / (order + 1), 1e-12) << "at equal steps the constant of the BDF";
                    const double slope = f.yp[0] + f.history.leading() * (exact - f.y[0]);
                    errors.push_back(std::abs(slope - exact) / exact);
                }
                f.accept(h, exact);
            }
        }
        const double measured = std::log2(errors[0] / errors[1]);
        EXPECT_NEAR(measured, order, 0.2) << "order " << order;
    }
}

TEST(divided_differences, a_withdrawn_step_leaves_no_trace)
{
    follower straight(5, 1.0, 0.1, std::exp(1.0), std::exp(1.0));
    follower stumbling(5, 1.0, 0.1, std::exp(1.0), std::exp(1.0));
    for (int step = 0, k = 1; step < 10; ++step, k = std::min(k + 1, 5)) {
        const double h = irregular[step];
        if (step > 0) {
            stumbling.predict(0.7 * h, k);
            stumbling.history.withdraw(0.7 * h);
            stumbling.predict(1.9 * h, k);
            stumbling.history.withdraw(1.9 * h);
        }
        straight.predict(h, k);
        stumbling.predict(h, k);
        EXPECT_NEAR(stumbling.y[2], straight.y[2], 1e-13);
        EXPECT_NEAR(stumbling.yp[2], straight.yp[2], 1e-11);
        EXPECT_NEAR(stumbling.history.error_constant(), straight.history.error_constant(), 1e-13);
        straight.accept(h, std::exp(straight.t + h));
        stumbling.accept(h, std::exp(stumbling.t + h));
    }
}

} // namespace ivp::solvers
