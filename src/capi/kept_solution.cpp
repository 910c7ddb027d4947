#include "kept_solution.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ivp::capi {

namespace {

constexpr int points_of_a_cubic = 4;
constexpr int most_points = 24;

/// In [0, 1], both ends among them.
double chebyshev_point(int k, int count) { return 0.5 - 0.5 * std::cos(std::numbers::pi * k / (count - 1)); }

} // namespace

kept_solution::kept_solution(const problem& p, const solver_info& solver, bool dense)
    : problem_(&p),
      solver_(solver.name),
      n_(static_cast<std::size_t>(p.n())),
      dense_(dense),
      points_(std::clamp(solver.highest_order + 1, points_of_a_cubic, most_points))
{
    t_.push_back(p.info().t0.value());
    y_ = p.in<double>().initial_values();
}

observer_answer kept_solution::on_step(const accepted_step& step)
{
    if (dense_) keep_inside(step);
    t_.push_back(step.t);
    y_.insert(y_.end(), step.y.begin(), step.y.end());
    return observer_answer::go_on;
}

void kept_solution::keep_inside(const accepted_step& step)
{
    const std::size_t first = inside_.size();
    if (step.between == nullptr) {
        const bool sampled = sample_cubic(step);
        pieces_.push_back({first, sampled ? points_of_a_cubic : 0});
        return;
    }
    // The ends are known: y goes through the points of the steps, also where the method's own polynomial misses them by a rounding error.
    inside_.resize(first + n_ * static_cast<std::size_t>(points_ - 2));
    for (int k = 1; k < points_ - 1; ++k)
        step.between->evaluate(step.t_old + chebyshev_point(k, points_) * (step.t - step.t_old),
                               inside_.data() + first + n_ * static_cast<std::size_t>(k - 1));
    pieces_.push_back({first, points_});
}

bool kept_solution::sample_cubic(const accepted_step& step)
{
    if (problem_->info().form != form::ode) return false;
    std::vector<double> slope_0(n_);
    std::vector<double> slope_1(n_);
    const double* const y_0 = y_.data() + y_.size() - n_;
    const auto& f = problem_->in<double>();
    if (f.f(step.t_old, y_0, slope_0.data()) != evaluation::ok || f.f(step.t, step.y.data(), slope_1.data()) != evaluation::ok) return false;
    const double h = step.t - step.t_old;
    for (int k = 1; k < points_of_a_cubic - 1; ++k) {
        const double s = chebyshev_point(k, points_of_a_cubic);
        for (std::size_t i = 0; i < n_; ++i)
            inside_.push_back((1 + 2 * s) * (1 - s) * (1 - s) * y_0[i] + s * s * (3 - 2 * s) * step.y[i] +
                              h * s * (1 - s) * ((1 - s) * slope_0[i] - s * slope_1[i]));
    }
    return true;
}

void kept_solution::copy_points(double* t, double* y) const
{
    std::copy(t_.begin(), t_.end(), t);
    std::copy(y_.begin(), y_.end(), y);
}

void kept_solution::evaluate(std::span<const double> t, double* y) const
{
    if (!dense_) throw bad_request("the run kept the ends of its steps only; use IVP_KEEP_DENSE for times between them");
    for (const double at : t)
        if (!(at >= t_.front() && at <= t_.back()))
            throw bad_request("t: " + to_text(at) + " given; allowed: times from " + to_text(t_.front()) + " to " + to_text(t_.back()) +
                              ", where the run ended");
    for (const double at : t) {
        const auto right = std::lower_bound(t_.begin(), t_.end(), at); // the end of the step, which a restart may have left
        const auto k = static_cast<std::size_t>(right - t_.begin());
        if (*right == at)
            std::copy_n(y_.data() + k * n_, n_, y);
        else
            evaluate_inside(k - 1, at, y);
        y += n_;
    }
}

void kept_solution::evaluate_inside(std::size_t k, double t, double* y) const
{
    const piece& p = pieces_[k];
    if (p.count == 0) throw bad_request(solver_ + " has no dense output for this problem: y is known at the ends of its steps only");
    const double s = (t - t_[k]) / (t_[k + 1] - t_[k]);
    const auto values = [&](int j) {
        if (j == 0) return y_.data() + k * n_;
        if (j == p.count - 1) return y_.data() + (k + 1) * n_;
        return inside_.data() + p.first + n_ * static_cast<std::size_t>(j - 1);
    };
    std::fill_n(y, n_, 0.0);
    double sum = 0;
    for (int j = 0; j < p.count; ++j) { // the second barycentric formula
        const double distance = s - chebyshev_point(j, p.count);
        if (distance == 0) {
            std::copy_n(values(j), n_, y);
            return;
        }
        const double weight = (j % 2 == 0 ? 1.0 : -1.0) * (j == 0 || j == p.count - 1 ? 0.5 : 1.0) / distance;
        sum += weight;
        for (std::size_t i = 0; i < n_; ++i) y[i] += weight * values(j)[i];
    }
    for (std::size_t i = 0; i < n_; ++i) y[i] /= sum;
}

} // namespace ivp::capi
