#include "integrator.hpp"

#include <algorithm>
#include <cmath>

namespace sdirk {

namespace {

const double gamma = 1 - std::sqrt(0.5);

} // namespace

integrator::integrator(right_hand_side f, int n, double rtol, double atol)
    : f_(std::move(f)),
      n_(n),
      rtol_(rtol),
      atol_(atol),
      matrix_(n),
      jacobian_(static_cast<std::size_t>(n) * n),
      base_(n),
      trial_(n),
      slope_(n),
      k1_(n),
      k2_(n),
      new_y_(n)
{}

void integrator::jacobian(double t, const double* y, double* out)
{
    std::vector<double> moved(y, y + n_);
    evaluate(t, y, slope_.data());
    for (int j = 0; j < n_; ++j) {
        const double step = 1e-8 * std::max(std::abs(y[j]), 1e-5);
        moved[j] = y[j] + step;
        evaluate(t, moved.data(), trial_.data());
        for (int i = 0; i < n_; ++i) out[i + static_cast<std::size_t>(j) * n_] = (trial_[i] - slope_[i]) / step;
        moved[j] = y[j];
    }
}

/// k = f(t, base + h gamma k) by a Newton iteration with the matrix of this step.
bool integrator::stage(double t, double h, const double* base, double* k)
{
    for (int iteration = 0; iteration < 10; ++iteration) {
        for (int i = 0; i < n_; ++i) trial_[i] = base[i] + h * gamma * k[i];
        evaluate(t, trial_.data(), slope_.data());
        for (int i = 0; i < n_; ++i) slope_[i] -= k[i];
        matrix_.solve(slope_.data());
        double size = 0;
        for (int i = 0; i < n_; ++i) {
            k[i] += slope_[i];
            size = std::max(size, std::abs(h * slope_[i]) / (atol_ + rtol_ * std::abs(base[i])));
        }
        if (std::isnan(size)) return false;
        if (size < 0.01) return true;
    }
    return false;
}

void integrator::integrate(double t, double end, double* y, double h)
{
    evaluate(t, y, k1_.data());
    while (t < end) {
        h = std::min(h, end - t);
        if (t + h == t) throw step_too_small("the step is too small at t = " + std::to_string(t));
        ++steps_;
        jacobian(t, y, jacobian_.data());
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i) matrix_(i, j) = (i == j ? 1 : 0) - h * gamma * jacobian_[i + static_cast<std::size_t>(j) * n_];
        before_factorisation();
        double error = HUGE_VAL;
        if (matrix_.factor() && stage(t + gamma * h, h, y, k1_.data())) {
            for (int i = 0; i < n_; ++i) base_[i] = y[i] + h * (1 - gamma) * k1_[i];
            k2_ = k1_;
            if (stage(t + h, h, base_.data(), k2_.data())) {
                error = 0;
                for (int i = 0; i < n_; ++i) {
                    new_y_[i] = base_[i] + h * gamma * k2_[i];
                    slope_[i] = h * gamma * (k2_[i] - k1_[i]); // against the Euler step with k1; the matrix damps the stiff part
                }
                matrix_.solve(slope_.data());
                for (int i = 0; i < n_; ++i)
                    error = std::max(error, std::abs(slope_[i]) / (atol_ + rtol_ * std::max(std::abs(y[i]), std::abs(new_y_[i]))));
            }
        }
        if (error <= 1) {
            accepted(t, t + h < end ? t + h : end, new_y_.data(), error);
            t = t + h < end ? t + h : end;
            std::copy(new_y_.begin(), new_y_.end(), y);
            k1_ = k2_;
        }
        h *= std::isfinite(error) ? std::clamp(0.9 / std::sqrt(std::max(error, 1e-10)), 0.2, 4.0) : 0.25;
    }
}

} // namespace sdirk
