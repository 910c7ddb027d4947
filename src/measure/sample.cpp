#include <ivp/measure/sample.hpp>

#include <ivp/measure/run.hpp>

#include <algorithm>

namespace ivp {

namespace {

class sampler final : public step_observer {
public:
    sampler(const problem& p, std::span<const double> times, std::span<const int> components)
        : times_(times), components_(components), before_(p.in<double>().initial_values()), at_(before_), y_(components.size())
    {
        take_until(p.info().t0.value(), [this](double /*t*/) { return before_.data(); });
    }

    observer_answer on_step(const accepted_step& step) override
    {
        take_until(step.t, [&](double t) {
            if (step.between != nullptr) {
                step.between->evaluate(t, at_.data());
            } else { // without an interpolant a straight line must do
                const double s = (t - step.t_old) / (step.t - step.t_old);
                for (std::size_t i = 0; i < at_.size(); ++i) at_[i] = before_[i] + s * (step.y[i] - before_[i]);
            }
            return at_.data();
        });
        std::copy(step.y.begin(), step.y.end(), before_.begin());
        return observer_answer::go_on;
    }

    [[nodiscard]] std::vector<double> reached() const { return {times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(next_)}; }
    std::vector<std::vector<double>> take_courses() { return std::move(y_); }

private:
    template <class Value>
    void take_until(double t, Value value)
    {
        for (; next_ < times_.size() && times_[next_] <= t; ++next_) {
            const double* y = value(times_[next_]);
            for (std::size_t k = 0; k < components_.size(); ++k) y_[k].push_back(y[components_[k]]);
        }
    }

    std::span<const double> times_;
    std::span<const int> components_;
    std::size_t next_ = 0;
    std::vector<double> before_;
    std::vector<double> at_;
    std::vector<std::vector<double>> y_;
};

} // namespace

sampled_solution sample_solution(const problem& p, const solver& s, std::span<const double> times, std::span<const int> components, double seconds)
{
    constexpr double finest = 1e-5; // enough for a picture
    sampler observer(p, times, components);
    run_settings settings;
    settings.rtol = std::max(finest, p.info().protocol.ladder_rtol(p.info().protocol.ladder_per_decade));
    settings.repeat = 1;
    settings.timeout_s = seconds;
    sampled_solution result;
    result.run = measure_run(p, s, settings, &observer);
    result.t = observer.reached();
    result.y = observer.take_courses();
    return result;
}

} // namespace ivp
