#include "solve_quad.hpp"

#include "solvers/radau/radau_integrator.hpp"
#include "solvers/solvers.hpp"

#include <ivp/error.hpp>
#include <ivp/evaluator.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ivp {

namespace {

constexpr double smallest_quad_rtol = 1e-30;

std::vector<std::string> faults_of(const problem& p, const tolerances& tol, const quad_settings& s)
{
    std::vector<std::string> faults;
    if (!p.has_quad()) faults.push_back("'" + p.id() + "' cannot be evaluated in quadruple precision");
    const auto fits = [&](const std::vector<double>& v) { return v.size() == 1 || v.size() == static_cast<std::size_t>(p.n()); };
    const auto within = [](const std::vector<double>& v, double least) {
        return std::all_of(v.begin(), v.end(), [least](double x) { return std::isfinite(x) && x >= least; });
    };
    if (!fits(tol.rtol) || !fits(tol.atol)) faults.push_back("tolerances: allowed: 1 value or " + std::to_string(p.n()) + " (one per component)");
    if (!within(tol.rtol, smallest_quad_rtol)) faults.push_back("rtol: allowed: numbers from " + to_text(smallest_quad_rtol));
    if (!within(tol.atol, std::numeric_limits<double>::min())) faults.emplace_back("atol: allowed: numbers above 0");
    if (s.order != 0 && s.order != 5 && s.order != 9 && s.order != 13)
        faults.push_back("order: " + std::to_string(s.order) + " given; allowed: 5, 9, 13, or 0 for a variable one");
    if (s.h0 && !(*s.h0 > 0 && std::isfinite(*s.h0))) faults.push_back("h0: " + to_text(*s.h0) + " given; allowed: a number above 0");
    if (s.tend && !(s.tend->value() > p.info().t0.value()))
        faults.push_back("tend: " + s.tend->text() + " given; allowed: a time after t0 = " + p.info().t0.text());
    if (s.timeout_s && !(*s.timeout_s > 0)) faults.push_back("timeout: " + to_text(*s.timeout_s) + " given; allowed: seconds above 0");
    return faults;
}

} // namespace

quad_solution solve_quad(const problem& p, const tolerances& tolerance, const quad_settings& settings)
{
    if (auto faults = faults_of(p, tolerance, settings); !faults.empty()) throw bad_request(std::move(faults));
    const problem restarted = p.as_dae().with_all_restarts();
    if (const auto why = solvers::make_radau()->info().refusal(restarted)) throw bad_request(*why);

    solve_options options;
    options.tolerance = tolerance;
    // An IDE as DAE has further unknowns; their tolerances are those of the last given component.
    for (std::vector<double>* v : {&options.tolerance.rtol, &options.tolerance.atol})
        if (v->size() > 1) v->resize(restarted.n(), v->back());
    options.h0 = settings.h0.value_or(restarted.info().protocol.h0(1e-10));
    options.algebra = settings.algebra;
    solvers::radau_settings method;
    method.newton_tolerance_of_last = true;
    method.least_stages = settings.order == 0 ? 3 : (settings.order + 1) / 2;
    method.most_stages = settings.order == 0 ? 7 : method.least_stages;

    basic_evaluator<quad> e(restarted);
    if (settings.timeout_s) e.set_time_limit(*settings.timeout_s);
    const decimal tend = settings.tend.value_or(restarted.info().tend);
    std::vector<quad> stops;
    for (const auto& b : restarted.info().breakpoints)
        if (b.value() > restarted.info().t0.value() && b.value() < tend.value()) stops.push_back(b.in<quad>());
    stops.push_back(tend.in<quad>());

    quad_solution s;
    s.y = restarted.in<quad>().initial_values();
    quad t = restarted.info().t0.in<quad>();
    int order = 0;
    for (const quad& stop : stops) {
        method.start_stages = order > 0 ? (order + 1) / 2 : method.least_stages;
        const solve_result part = solvers::integrate_radau(
            solvers::radau_request<quad>{e, t, stop, s.y, settings.max_steps - std::min(settings.max_steps, s.steps), options, method});
        s.outcome = part.outcome;
        s.message = part.message;
        s.t = part.t;
        s.steps += part.steps;
        s.accepted += part.accepted;
        order = part.order;
        if (s.outcome != outcome::success) break;
        t = stop;
    }
    s.y.resize(p.n());
    s.count = e.total();
    return s;
}

} // namespace ivp
