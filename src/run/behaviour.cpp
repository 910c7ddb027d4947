#include "behaviour.hpp"

#include "base/json.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

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

solution_course course_of_solution(const problem& p, const solver& s, std::span<const double> times, std::span<const int> components,
                                   std::uint64_t max_steps)
{
    constexpr double finest = 1e-5; // enough for a picture, but not where errors grow by orders of magnitude
    constexpr double finest_of_chaos = 1e-7;
    const bool chaotic = std::ranges::find(p.info().tags, "chaotic") != p.info().tags.end();
    sampler observer(p, times, components);
    run_settings settings;
    settings.rtol = chaotic ? finest_of_chaos : std::max(finest, p.info().protocol.ladder_rtol(p.info().protocol.ladder_per_decade));
    settings.repeat = 1;
    settings.max_steps = max_steps;
    solution_course result;
    result.run = measure_run(p, s, settings, &observer);
    result.t = observer.reached();
    result.y = observer.take_courses();
    return result;
}

std::optional<behaviour> behaviour_of(const problem& stored, int points, std::span<const int> components)
{
    constexpr std::uint64_t patience = 50'000; // steps: seconds for the largest problems
    const auto& i = stored.info();
    behaviour b;
    b.logarithmic_time = i.logarithmic_time;
    b.components.assign(components.begin(), components.end());
    if (b.components.empty())
        for (const int k : i.pictured) b.components.push_back(k - 1);
    if (b.components.empty())
        for (int k = 0; k < std::min(2, stored.n()); ++k) b.components.push_back(k);

    const double t0 = i.t0.value();
    const double length = i.tend.value() - t0;
    constexpr double first = 1e-12; // of the interval, on a logarithmic axis
    std::vector<double> times(static_cast<std::size_t>(points));
    for (int k = 0; k < points; ++k) {
        const double s = static_cast<double>(k) / (points - 1);
        times[static_cast<std::size_t>(k)] = t0 + length * (i.logarithmic_time ? std::pow(first, 1 - s) : s);
    }
    times.back() = i.tend.value();
    if (!components.empty() && !i.logarithmic_time) {
        constexpr double beginning = 0.02; // of the interval
        const int more = points / 5;
        for (int k = 1; k <= more; ++k) times.push_back(t0 + beginning * length * k / more);
        std::ranges::sort(times);
        times.erase(std::unique(times.begin(), times.end()), times.end());
    }

    const problem p = stored.as_dae(); // a Runge-Kutta method takes no IDE as it is
    constexpr int large = 200;         // from here on complex matrices take most of the time, ten times that of VODE
    for (const std::string_view name : {"vode", "radau5", "bimd", "mebdfdae", "dop853"}) {
        if (name == "vode" && p.n() < large) continue;
        const auto s = open_solver(std::string(name));
        if (s->info().refusal(p)) continue;
        solution_course seen = course_of_solution(p, *s, times, b.components, patience);
        if (seen.run.outcome != outcome::success || seen.t.size() != times.size()) continue;
        b.solver = name;
        b.rtol = seen.run.rtol.front();
        b.t = std::move(seen.t);
        b.y = std::move(seen.y);
        return b;
    }
    return std::nullopt;
}

std::string to_json(const behaviour& b)
{
    const json j{{"solver", b.solver}, {"rtol", b.rtol}, {"log", b.logarithmic_time}, {"components", b.components}, {"t", b.t}, {"y", b.y}};
    return j.dump();
}

behaviour behaviour_from_json(std::string_view text)
{
    const auto j = read_json(text);
    behaviour b;
    b.solver = j.at("solver").get<std::string>();
    b.rtol = j.at("rtol").get<double>();
    b.logarithmic_time = j.at("log").get<bool>();
    b.components = j.at("components").get<std::vector<int>>();
    b.t = j.at("t").get<std::vector<double>>();
    for (const auto& course : j.at("y")) { // null: not finite
        std::vector<double> values;
        for (const auto& v : course) values.push_back(v.is_null() ? std::numeric_limits<double>::quiet_NaN() : v.get<double>());
        b.y.push_back(std::move(values));
    }
    return b;
}

} // namespace ivp
