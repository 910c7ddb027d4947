#include "assess.hpp"
#include "run/left_out.hpp"
#include "truth.hpp"

#include <ivp/run.hpp>

#include <algorithm>
#include <array>

namespace ivp::detest {

namespace {

/// Hands the steps of an observer to a sink.
class sink_observer final : public step_observer {
public:
    sink_observer(step_sink& sink, double tol, bound_kind kind) : sink_(sink), tol_(tol), kind_(kind) {}
    observer_answer on_step(const accepted_step& step) override
    {
        return sink_.after_step(step.t, step.y, bound_of(step), step.error_estimate) ? observer_answer::go_on : observer_answer::stop;
    }

private:
    [[nodiscard]] double bound_of(const accepted_step& step) const
    {
        if (kind_ == bound_kind::tolerance || step.error_weights.empty()) return tol_;
        return step.error_bound * *std::min_element(step.error_weights.begin(), step.error_weights.end());
    }

    step_sink& sink_;
    double tol_;
    bound_kind kind_;
};

run_settings settings_of(const assessed_problem& p, double tol, std::optional<double> h0, const solver_request& request)
{
    const solver_info& info = request.solver->info();
    run_settings settings;
    settings.rtol = info.takes_zero_rtol ? 0 : tol;
    settings.atol = {tol};
    settings.same_atol = true; // an unweighted control is asked for
    settings.hmax = p.h_max;
    if (info.takes_h0) settings.h0 = h0;
    if (info.needs_h0 && !h0) settings.h0 = 1e-3 * tol * (p.tend() - p.t0());
    if (request.max_steps) settings.max_steps = *request.max_steps;
    settings.jacobian = request.jacobian;
    settings.special = request.special;
    settings.timeout_s = request.timeout_s;
    settings.repeat = 1;
    return settings;
}

class solver_method final : public method {
public:
    explicit solver_method(solver_request r) : request_(std::move(r)) {}
    [[nodiscard]] std::string name() const override { return request_.solver->info().name; }
    [[nodiscard]] bool extrapolated() const override { return request_.solver->info().locally_extrapolated; }

    method_run integrate(const assessed_problem& p, double tol, std::optional<double> h0, step_sink* sink) override
    {
        run_settings settings = settings_of(p, tol, h0, request_);
        if (sink != nullptr && settings.timeout_s) *settings.timeout_s *= 2;
        prepared_run run(p.problem, *request_.solver, settings);
        std::optional<sink_observer> observer;
        if (sink != nullptr) observer.emplace(*sink, tol, request_.bound);
        run.sample(observer ? &*observer : nullptr);
        const run_record r = run.record();

        method_run m;
        m.outcome = r.outcome;
        m.message = r.message;
        m.t = r.t_end_reached;
        m.y = r.y;
        m.count.f = r.nfev;
        m.count.f_jacobian = r.nfev_jac;
        m.count.jacobian = r.njac;
        m.count.lu = r.nlu;
        m.seconds = r.cpu_s;
        // How wrong an answer is, the statistics tell; only one that was never touched, or computed from nothing, is none.
        const bool evaluated = r.nfev + r.nfev_jac + r.njac > 0;
        if (m.outcome == outcome::wrong_answer && evaluated && m.y != p.problem.in<double>().initial_values()) {
            m.outcome = outcome::success;
            m.message.clear();
        }
        return m;
    }

private:
    solver_request request_;
};

} // namespace

std::map<std::string, double> options_of_1986(const solver_info& s)
{
    if (s.name == "dverk") return {{"check_end", 0}};
    if (s.name == "secder") return {{"hmin", 1e-12}};
    return {};
}

std::string error_control_of(const solver_info& s)
{
    return s.takes_zero_rtol ? "absolute, atol = TOL" : "mixed, rtol = atol = TOL (" + s.name + " needs rtol > 0)";
}

std::vector<std::string> faults_of(const assessed_problem& p, const solver_request& request, const assessment_settings& settings)
{
    std::vector<std::string> faults;
    if (auto why = truth_refusal(p.problem, settings); !why.empty()) faults.push_back(std::move(why));
    for (const double tol : settings.tolerances) {
        const run_settings run = settings_of(p, settings.working(tol), p.h_begin, request);
        for (auto& why : reasons_to_leave_out(request.solver->info(), p.problem, run, std::array{run.rtol}))
            if (std::ranges::find(faults, why) == faults.end()) faults.push_back(std::move(why));
    }
    return faults;
}

std::unique_ptr<method> make_solver_method(const solver_request& request) { return std::make_unique<solver_method>(request); }

} // namespace ivp::detest
