// Solvers of Boost.odeint: its controlled steppers, driven step by step. The library counts nothing itself; we count what it asks for.
#include "drivers/drivers.hpp"

#include "steppers.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>

namespace ivp::odeint {

namespace {

solver_info description(const char* name, const char* title, int lowest_order, int highest_order)
{
    solver_info i;
    i.name = name;
    i.title = title;
    i.version = boost_version();
    i.origin = "driver";
    i.library = "Boost.odeint " + i.version + ": headers, compiled with this build";
    i.forms = {form::ode};
    i.lowest_order = lowest_order;
    i.highest_order = highest_order;
    i.implicit = false;
    i.needs_h0 = true;
    i.takes_zero_rtol = true;
    i.takes_vector_tolerance = false;
    i.locally_extrapolated = true;
    i.error_norm = "largest component of the estimate divided by rtol |y| + atol";
    i.reference = "K. Ahnert, M. Mulansky: Odeint - solving ordinary differential equations in C++, AIP Conf. Proc. 1389 (2011) 1586-1589";
    return i;
}

/// Remembers why a formula could not be evaluated.
class counted_formulas final : public formulas {
public:
    explicit counted_formulas(evaluator& e) : e_(e) {}

    bool f(double t, const double* y, double* out) override { return noted(e_.f(t, y, out)); }
    bool jacobian(double t, const double* y, double* columns, double* dfdt) override
    {
        const int n = e_.n();
        if (!noted(e_.jacobian(t, y, {structure_kind::full, n, 0, 0, n, nullptr, columns}))) return false;
        if (!noted(e_.time_derivative(t, y, nullptr, dfdt))) return false;
        // What follows in a step of rosenbrock4: one matrix, six systems.
        ++e_.count().lu;
        ++e_.count().real_factorisations;
        e_.count().solve += 6;
        return true;
    }
    [[nodiscard]] evaluation last() const { return last_; }

private:
    bool noted(evaluation e)
    {
        last_ = e;
        return e == evaluation::ok;
    }
    evaluator& e_;
    evaluation last_ = evaluation::ok;
};

class odeint_solver final : public solver {
public:
    using maker = std::unique_ptr<stepper> (*)(const start&);
    odeint_solver(solver_info info, maker make) : info_(std::move(info)), make_(make) {}

    [[nodiscard]] const solver_info& info() const override { return info_; }

    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& o, step_observer* observer) const override
    {
        counted_formulas system(e);
        const auto method = make_({system, s.y.data(), s.y.size(), o.tolerance.absolute(0), o.tolerance.relative(0)});
        const std::span<const double> y(method->y(), s.y.size());
        solve_result r;
        r.algebra = info_.implicit ? "dense" : "";
        double t = s.t0;
        double h = o.h0.value();
        while (t < s.tend && r.outcome == outcome::success) {
            const double tried = std::min({h, o.hmax, s.tend - t});
            const bool last = tried == s.tend - t;
            if (r.steps == s.max_steps)
                r.outcome = outcome::too_many_steps;
            else if (!(t + tried > t))
                r.outcome = system.last() == evaluation::nonfinite ? outcome::nonfinite : outcome::step_too_small;
            if (r.outcome != outcome::success) break;
            ++r.steps;
            const double t_old = t;
            h = tried;
            const attempt result = method->try_step(t, h);
            if (result == attempt::not_evaluated && system.last() == evaluation::stopped) r.outcome = e.stop_reason().value();
            if (result == attempt::not_evaluated) h = refusal_cut * tried;
            if (result == attempt::rejected) ++r.error_rejections;
            if (result != attempt::accepted) continue;
            ++r.accepted;
            if (last) t = s.tend;
            if (observer == nullptr) continue;
            const accepted_step seen{.t_old = t_old, .t = t, .h = t - t_old, .y = y};
            if (observer->on_step(seen) == observer_answer::stop && t < s.tend) r.outcome = outcome::stopped_by_observer;
        }
        if (const auto place = e.last_nonfinite(); r.outcome == outcome::nonfinite && place)
            r.message = "component " + std::to_string(place->component + 1) + " is not finite at t = " + to_text(place->t);
        std::copy(y.begin(), y.end(), s.y.begin());
        r.t = t;
        return r;
    }

private:
    static constexpr double refusal_cut = 0.25;

    solver_info info_;
    maker make_;
};

} // namespace

std::unique_ptr<const solver> make_rosenbrock4()
{
    solver_info i = description("odeint-rosenbrock4", "Boost.odeint rosenbrock4", 4, 4);
    i.implicit = true;
    i.needs_exact_jacobian = true;
    i.error_norm = "root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)";
    i.lu_unit = "one real matrix";
    return std::make_unique<odeint_solver>(std::move(i), new_rosenbrock4);
}

std::unique_ptr<const solver> make_dopri5()
{
    return std::make_unique<odeint_solver>(description("odeint-dopri5", "Boost.odeint runge_kutta_dopri5", 5, 5), new_dopri5);
}

std::unique_ptr<const solver> make_bulirsch_stoer()
{
    return std::make_unique<odeint_solver>(description("odeint-bulirsch-stoer", "Boost.odeint bulirsch_stoer", 4, 16), new_bulirsch_stoer);
}

} // namespace ivp::odeint
