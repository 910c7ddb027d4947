// A solver that exists already becomes a plug-in of ivp. sdirk/ is the solver, unchanged; this file is all that ivp needs.
//
// The four questions of every wrapper, and what this one answers:
//   - The solver's right-hand side returns nothing, but an evaluation can fail. IVP_REFUSED and IVP_NONFINITE become NaN: the solver's own error test
//     rejects the step. IVP_STOP leaves the solver as an exception.
//   - The solver calls one function for steps and for differences. The wrapper overrides jacobian(), so it knows when differences are formed.
//   - The solver has its own step control. The wrapper hands over tolerances and the first step, and reports each accepted step.
//   - The solver has no limit on its steps. Each step begins with a Jacobian: there the wrapper ends a run that has made all it may make.
#include "sdirk/integrator.hpp"

#include <ivp/plugin.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <new>

namespace {

/// The run must end: thrown through the solver, caught in ivp_solver_solve. No exception may leave the plug-in.
struct run_ends {
    int outcome;
};

class wrapped final : public sdirk::integrator {
public:
    explicit wrapped(const ivp_task& task)
        : integrator([this](double t, const double* y, double* out) { evaluate_counted(t, y, out); }, task.n, task.rtol[0], task.atol[0]),
          task_(task),
          host_(*task.callbacks)
    {}

    std::int64_t accepted_steps() const { return accepted_; }
    double time() const { return t_; }

protected:
    void jacobian(double t, const double* y, double* out) override
    {
        if (static_cast<std::uint64_t>(steps()) > task_.max_steps) throw run_ends{IVP_TOO_MANY_STEPS};
        if (task_.exact_jacobian != 0) {
            if (host_.jacobian(task_.host, t, y, out, task_.n) == IVP_STOP) throw run_ends{IVP_STOPPED};
            return;
        }
        differences_ = true;
        integrator::jacobian(t, y, out);
        differences_ = false;
        host_.jacobian_by_differences(task_.host);
    }

    void before_factorisation() override { host_.factorised(task_.host, 1, 0); }

    void accepted(double t_old, double t, const double* y, double error) override
    {
        const ivp_step step = {IVP_VERSIONED(ivp_step), t_old, t, t - t_old, y, 1, error, nullptr, nullptr, nullptr, nullptr};
        ++accepted_;
        t_ = t;
        std::copy(y, y + task_.n, task_.y);
        if (host_.accepted_step(task_.host, &step) == IVP_STOP) throw run_ends{IVP_STOPPED};
    }

private:
    void evaluate_counted(double t, const double* y, double* out)
    {
        const int answer = differences_ ? host_.f_difference(task_.host, t, y, out) : host_.f(task_.host, t, y, out);
        if (answer == IVP_STOP) throw run_ends{IVP_STOPPED};
        if (answer != IVP_OK) std::fill(out, out + task_.n, std::numeric_limits<double>::quiet_NaN());
    }

    const ivp_task& task_;
    const ivp_callbacks& host_;
    bool differences_ = false;
    std::int64_t accepted_ = 0;
    double t_ = task_.t0;
};

} // namespace

void ivp_solver_describe(ivp_solver_description* out)
{
    out->version = IVP_PLUGIN_VERSION; // the host has set all else to zero
    out->size = sizeof *out;
    out->name = "sdirk";
    out->title = "SDIRK";
    out->solver_version = "1.0";
    out->language = "C++";
    out->error_norm = "maximum of |estimate| / (atol + rtol |y|)";
    out->lu_unit = "one real matrix";
    out->reference = "R. Alexander, SIAM J. Numer. Anal. 14 (1977) 1006-1021";
    out->forms = IVP_ODE;
    out->flags = IVP_IMPLICIT | IVP_NEEDS_H0;
    out->lowest_order = 2;
    out->highest_order = 2;
}

void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    try {
        wrapped solver(*task);
        const auto ended = [&](int outcome) {
            result->outcome = outcome;
            result->t = solver.time();
            result->steps = std::min<std::int64_t>(solver.steps(), static_cast<std::int64_t>(task->max_steps)); // the last one may not have begun
            result->accepted = solver.accepted_steps();
        };
        try {
            std::vector<double> y(task->y, task->y + task->n);
            solver.integrate(task->t0, task->tend, y.data(), task->h0);
            ended(IVP_SUCCESS);
        } catch (const run_ends& why) {
            ended(why.outcome);
        } catch (const sdirk::step_too_small& why) {
            ended(IVP_STEP_TOO_SMALL);
            std::snprintf(result->message, IVP_MESSAGE_SIZE, "%s", why.what());
        }
    } catch (const std::bad_alloc&) {
        result->outcome = IVP_OUT_OF_MEMORY;
    }
}
