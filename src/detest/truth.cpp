#include "truth.hpp"

#include "quad_truth.hpp"
#include "solvers/secder/secder_integrator.hpp"
#include "solvers/verner/dverk_integrator.hpp"

#include <ivp/evaluator.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ivp::detest {

namespace {

constexpr double longest_step = 1.1; // of a true solution, in lengths of the step it judges
constexpr int most_rescues = 1000;   // of a run; one that needs more is likely to fail, and must not take longer than all others together

/// Evaluations that a true solution may take.
struct work_limits {
    std::uint64_t first; ///< to the first point
    std::uint64_t more;  ///< to each further one
    std::uint64_t local; ///< of a local solution
};

/// Beyond the original a step may cost ten times as much before its truth is given up.
work_limits limits_of(const assessment_settings& s)
{
    work_limits l = s.set == problem_set::nonstiff ? work_limits{200, 200, 200} : work_limits{1000, 100, 500};
    if (s.as_1986) return l;
    constexpr std::uint64_t patience = 10;
    return {l.first * patience, l.more * patience, l.local * patience};
}

/// True solutions are computed in double, also for a solver in single precision, if nothing else is asked for.
double roundoff_of(const assessment_settings& s) { return s.single_truth ? s.roundoff : std::min(s.roundoff, 2.22e-16); }

solvers::machine_constants machine_of(const assessment_settings& s) { return {roundoff_of(s), s.underflow}; }

/// Real: the precision that the integrator calculates in.
template <class Integrator, class Real>
class classic_truth : public truth {
public:
    [[nodiscard]] std::span<const double> global_solution() const override { return solution_; }

    true_point advance(double t, double tolerance) override
    {
        Integrator& g = global();
        if (!started_) {
            g.control_error(tolerance);
            g.limits().max_calls = limits_.first;
            g.start(t0_, rounded(solution_));
            started_ = true;
        }
        prepare(g, t, t - g.t());
        const auto status = g.advance(static_cast<Real>(t));
        g.limits().max_calls = g.calls() + limits_.more;
        std::copy(g.y().begin(), g.y().end(), solution_.begin());
        return {static_cast<int>(status), g.t()};
    }

    true_point local(double t0, std::span<const double> y0, double t, double tolerance, std::span<double> y) override
    {
        Integrator& l = local_integrator();
        l.control_error(tolerance);
        prepare(l, t, t - t0);
        l.limits().h0 = first_local_step();
        l.limits().max_calls = limits_.local;
        l.start(static_cast<Real>(t0), rounded(y0));
        const auto status = l.advance(static_cast<Real>(t));
        std::copy(l.y().begin(), l.y().end(), y.begin());
        return {static_cast<int>(status), l.t()};
    }

protected:
    classic_truth(const problem& p, const assessment_settings& s)
        : evaluator_(p),
          roundoff_(roundoff_of(s)),
          limits_(limits_of(s)),
          t0_(static_cast<Real>(p.info().t0.value())),
          solution_(p.in<double>().initial_values()),
          rounded_(solution_.size())
    {}
    virtual Integrator& global() = 0;
    virtual Integrator& local_integrator() = 0;
    [[nodiscard]] virtual double smallest_step(double t) const = 0;
    [[nodiscard]] virtual double first_local_step() const = 0;

    evaluator evaluator_;
    double roundoff_;
    bool started_ = false;

private:
    void prepare(Integrator& i, double t, double length)
    {
        i.limits().hmax = longest_step * length;
        i.limits().hmin = smallest_step(t);
    }

    std::span<const Real> rounded(std::span<const double> y)
    {
        std::transform(y.begin(), y.end(), rounded_.begin(), [](double v) { return static_cast<Real>(v); });
        return rounded_;
    }

    work_limits limits_;
    Real t0_;
    std::vector<double> solution_; // the global one
    std::vector<Real> rounded_;    // where an integration begins
};

template <class Real>
class dverk_truth final : public classic_truth<solvers::basic_dverk_integrator<Real>, Real> {
    using integrator = solvers::basic_dverk_integrator<Real>;
    using base = classic_truth<integrator, Real>;

public:
    dverk_truth(const problem& p, const assessment_settings& s)
        : base(p, s), global_(base::evaluator_, machine_of(s)), local_(base::evaluator_, machine_of(s))
    {}

private:
    integrator& global() override { return global_; }
    integrator& local_integrator() override { return local_; }
    [[nodiscard]] double smallest_step(double t) const override { return 10 * std::max(1e-30, base::roundoff_ * std::abs(t)); }
    [[nodiscard]] double first_local_step() const override { return base::started_ ? 0.8 * global_.step_size() : 0; }

    integrator global_, local_;
};

template <class Real>
class secder_truth final : public classic_truth<solvers::basic_secder_integrator<Real>, Real> {
    using integrator = solvers::basic_secder_integrator<Real>;
    using base = classic_truth<integrator, Real>;

public:
    secder_truth(const problem& p, const assessment_settings& s)
        : base(p, s), settings_{0, s.as_1986, machine_of(s)}, global_(base::evaluator_, settings_), local_(base::evaluator_, settings_)
    {}

private:
    integrator& global() override { return global_; }
    integrator& local_integrator() override { return local_; }
    [[nodiscard]] double smallest_step(double /*t*/) const override { return 0; }
    [[nodiscard]] double first_local_step() const override { return 0; }

    solvers::secder_settings settings_;
    integrator global_, local_;
};

/// The classic truth; what it cannot follow, in quadruple precision.
class rescued_truth final : public truth {
public:
    rescued_truth(std::unique_ptr<truth> classic, const problem& p) : classic_(std::move(classic)), quad_(p), global_(p.in<double>().initial_values())
    {
        reached_ = p.info().t0.value();
    }

    true_point advance(double t, double tolerance) override
    {
        if (!in_quad_) {
            const true_point point = classic_->advance(t, tolerance);
            if (point.flag > 0) {
                const auto y = classic_->global_solution();
                std::copy(y.begin(), y.end(), global_.begin());
                reached_ = t;
                return point;
            }
            in_quad_ = true;
            quad_.start(reached_, global_);
        }
        if (rescues_ >= most_rescues) return {truth_out_of_work, reached_};
        ++rescues_;
        const true_point point = quad_.advance(t, tolerance);
        const auto y = quad_.global_solution();
        std::copy(y.begin(), y.end(), global_.begin());
        if (point.flag > 0) reached_ = t;
        return point;
    }
    [[nodiscard]] std::span<const double> global_solution() const override { return global_; }

    true_point local(double t0, std::span<const double> y0, double t, double tolerance, std::span<double> y) override
    {
        const true_point point = classic_->local(t0, y0, t, tolerance, y);
        if (point.flag > 0 || rescues_ >= most_rescues) return point;
        ++rescues_;
        return quad_.local(t0, y0, t, tolerance, y);
    }
    [[nodiscard]] int rescues() const override { return rescues_; }

private:
    std::unique_ptr<truth> classic_;
    quad_truth quad_;
    std::vector<double> global_;
    double reached_ = 0;
    bool in_quad_ = false;
    int rescues_ = 0;
};

template <class Real>
std::unique_ptr<truth> make_classic(const problem& p, const assessment_settings& s)
{
    if (s.set == problem_set::nonstiff) return std::make_unique<dverk_truth<Real>>(p, s);
    return std::make_unique<secder_truth<Real>>(p, s);
}

} // namespace

std::unique_ptr<truth> make_truth(const problem& p, const assessment_settings& s)
{
    if (s.replaced.make_truth) return s.replaced.make_truth(p);
    if (s.truth == truth_kind::quad) return std::make_unique<quad_truth>(p);
    auto classic = s.single_truth ? make_classic<float>(p, s) : make_classic<double>(p, s);
    if (s.as_1986 || !p.has_quad()) return classic;
    return std::make_unique<rescued_truth>(std::move(classic), p);
}

std::string truth_refusal(const problem& p, const assessment_settings& s)
{
    if (s.level < 2) return {};
    const bool ode = p.info().form == form::ode;
    if (s.truth == truth_kind::quad && !p.has_quad())
        return "truth: quad given, but '" + p.id() + "' cannot be evaluated in quadruple precision; allowed: classic" +
               (ode ? "" : " for an ODE; this problem at level 1");
    if (s.truth == truth_kind::classic && !ode)
        return "truth: classic given, but '" + p.id() +
               "' is not an ODE, and DVERK and SECDER take nothing else; allowed: " + (p.has_quad() ? "quad, or level 1" : "level 1");
    if (s.level >= 3 && p.info().highest_index > 1)
        return "level: " + std::to_string(s.level) + " given, but '" + p.id() + "' has index " + std::to_string(p.info().highest_index) +
               ", and through a computed point, which satisfies the hidden constraints only nearly, there is no local solution; allowed: 1, 2";
    return {};
}

} // namespace ivp::detest
