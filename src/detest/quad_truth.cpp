#include "quad_truth.hpp"

#include "solvers/radau/radau_integrator.hpp"

#include <algorithm>
#include <cmath>

namespace ivp::detest {

namespace {

constexpr double tighter = 1e-4; // than what a true solution is asked for
constexpr double smallest_tolerance = 1e-25;
constexpr std::uint64_t most_steps = 500; // one to twenty is usual; a solution that runs into a point where f jumps needs any number
constexpr int stages = 7;

/// A formula takes the values of one side at a jump itself; an integration that ends there must not see those of the other.
quad just_before(double kink) { return quad(kink) - quad(1e-30) * quad(std::max(1.0, std::abs(kink))); }

} // namespace

quad_truth::quad_truth(const problem& p)
    : problem_(p.as_dae()),
      evaluator_(problem_),
      t_(p.info().t0.value()),
      global_(problem_.in<quad>().initial_values()),
      before_(global_),
      local_(global_),
      shown_(p.in<double>().initial_values())
{
    for (const auto* list : {&p.info().breakpoints, &p.info().discontinuities})
        for (const auto& d : *list) kinks_.push_back(d.value());
    std::sort(kinks_.begin(), kinks_.end());
    kinks_.erase(std::unique(kinks_.begin(), kinks_.end()), kinks_.end());
}

void quad_truth::start(double t, std::span<const double> y)
{
    t_ = t;
    std::copy(y.begin(), y.end(), global_.begin());
}

true_point quad_truth::advance(double t, double tolerance)
{
    before_ = global_;
    const true_point reached = integrate(t_, t, tolerance, global_);
    t_ = reached.t;
    for (std::size_t i = 0; i < shown_.size(); ++i) shown_[i] = static_cast<double>(global_[i]);
    return reached;
}

true_point quad_truth::local(double t0, std::span<const double> y0, double t, double tolerance, std::span<double> y)
{
    local_ = before_;
    std::copy(y0.begin(), y0.end(), local_.begin());
    const true_point reached = integrate(t0, t, tolerance, local_);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(local_[i]);
    return reached;
}

true_point quad_truth::integrate(double t0, double t, double tolerance, std::vector<quad>& y)
{
    double size = 1;
    for (const quad& v : y) size = std::max(size, std::abs(static_cast<double>(v)));
    const double absolute = std::max(tighter * tolerance, smallest_tolerance * size);
    solve_options options;
    options.tolerance = tolerances(absolute / size, absolute); // nearly absolute: the method needs both
    solvers::radau_settings method;
    method.newton_tolerance_of_last = true;
    method.least_stages = method.most_stages = method.start_stages = stages;

    true_point reached{truth_good, t0};
    for (auto kink = std::upper_bound(kinks_.begin(), kinks_.end(), t0); reached.t < t; ++kink) {
        const bool at_kink = kink != kinks_.end() && *kink <= t;
        const double stop = at_kink ? *kink : t;
        options.h0 = stop - reached.t;
        const solve_result part = solvers::integrate_radau(
            solvers::radau_request<quad>{evaluator_, quad(reached.t), at_kink ? just_before(stop) : quad(stop), y, most_steps, options, method});
        reached.t = part.outcome == outcome::success ? stop : part.t;
        if (part.outcome == outcome::success) continue;
        reached.flag = part.outcome == outcome::too_many_steps ? truth_out_of_work : truth_step_too_small;
        break;
    }
    return reached;
}

} // namespace ivp::detest
