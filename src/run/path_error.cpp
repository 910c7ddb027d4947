#include "path_error.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <cmath>

namespace ivp {

namespace {

constexpr int checked_times = 100;
constexpr double finest = 1e-13;

std::vector<double> times_of(const problem& p)
{
    const auto& i = p.info();
    const double t0 = i.t0.value();
    const double length = i.tend.value() - t0;
    std::vector<double> times;
    for (int k = 1; k <= checked_times; ++k) {
        const double s = static_cast<double>(k) / checked_times;
        times.push_back(t0 + length * (i.logarithmic_time ? std::pow(1e-12, 1 - s) : s));
    }
    times.back() = i.tend.value();
    return times;
}

/// Values at the given times, by the solver's own interpolant.
class path_observer final : public step_observer {
public:
    path_observer(const std::vector<double>& times, int n) : times_(times), n_(static_cast<std::size_t>(n)) {}

    observer_answer on_step(const accepted_step& step) override
    {
        for (; values_.size() < times_.size() && times_[values_.size()] <= step.t;) {
            const double t = times_[values_.size()];
            std::vector<double> y(step.y.begin(), step.y.end());
            if (t < step.t) {
                if (step.between == nullptr) {
                    blind_ = true;
                    return observer_answer::go_on;
                }
                step.between->evaluate(t, y.data());
            }
            y.resize(n_); // of an IDE written as a DAE the derivatives do not count
            values_.push_back(std::move(y));
        }
        return observer_answer::go_on;
    }
    [[nodiscard]] bool complete() const { return !blind_ && values_.size() == times_.size(); }
    [[nodiscard]] const std::vector<std::vector<double>>& values() const { return values_; }

private:
    const std::vector<double>& times_;
    std::size_t n_;
    std::vector<std::vector<double>> values_;
    bool blind_ = false;
};

path_errors mixed_errors(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& reference, const tolerances& tolerance)
{
    path_errors found;
    double squares = 0;
    double count = 0;
    for (std::size_t k = 0; k < reference.size(); ++k)
        for (std::size_t i = 0; i < reference[k].size(); ++i) {
            const double rtol = tolerance.relative(static_cast<int>(i));
            const double scale = rtol > 0 ? tolerance.absolute(static_cast<int>(i)) / rtol + std::abs(reference[k][i]) : 1;
            const double error = std::abs(a[k][i] - reference[k][i]) / scale;
            found.largest = std::max(found.largest, error);
            squares += error * error;
            ++count;
        }
    found.root_mean_square = count > 0 ? std::sqrt(squares / count) : 0;
    return found;
}

path_accuracy in_digits(const path_errors& e) { return {digits_of(e.largest), digits_of(e.root_mean_square)}; }

std::optional<std::vector<std::vector<double>>> reference_course(const problem& p, const std::vector<double>& times, double rtol)
{
    const auto s = open_solver("radau");
    const problem dae = p.as_dae();
    if (s->info().refusal(dae)) return std::nullopt;
    run_settings settings;
    settings.rtol = rtol;
    settings.repeat = 1;
    settings.max_steps = 200'000;
    // Short steps: the interpolant is of lower order than the steps themselves.
    settings.hmax = (p.info().tend.value() - p.info().t0.value()) / (p.info().logarithmic_time ? 1 : 4 * checked_times);
    path_observer observer(times, p.n());
    const run_record r = measure_run(dae, *s, settings, &observer);
    if (r.outcome != outcome::success || !observer.complete()) return std::nullopt;
    return observer.values();
}

} // namespace

std::optional<path_reference> make_path_reference(const problem& p)
{
    path_reference reference;
    reference.t = times_of(p);
    const auto fine = reference_course(p, reference.t, finest);
    const auto coarse = reference_course(p, reference.t, 10 * finest);
    if (!fine || !coarse) return std::nullopt;
    reference.y = *fine;
    reference.agreement = mixed_errors(*coarse, *fine, tolerances(1, 1));
    return reference;
}

std::optional<path_accuracy> path_digits(const problem& p, const solver& s, const run_settings& settings, const path_reference& reference)
{
    run_settings once = settings;
    once.repeat = 1;
    once.min_time_s.reset();
    path_observer observer(reference.t, static_cast<int>(reference.y.front().size()));
    const run_record r = measure_run(p, s, once, &observer);
    if (r.outcome != outcome::success || !observer.complete()) return std::nullopt;
    tolerances t;
    t.rtol = r.rtol;
    t.atol = r.atol;
    const path_accuracy digits = in_digits(mixed_errors(observer.values(), reference.y, t));
    return std::isfinite(digits.worst) && std::isfinite(digits.root_mean_square) ? std::optional(digits) : std::nullopt;
}

path_accuracy reach_of(const path_reference& reference) { return in_digits(reference.agreement); }

} // namespace ivp
