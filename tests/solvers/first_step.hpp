// The first step of a solver on y' = 6 t + 2, y(0) = 1, with h = 0.01: what it tells an observer can be compared with numbers known beforehand.
#ifndef IVP_TESTS_SOLVERS_FIRST_STEP_HPP
#define IVP_TESTS_SOLVERS_FIRST_STEP_HPP

#include "model/test_problem.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>
#include <ivp/solver.hpp>

namespace ivp::testing_support {

struct first_step final : step_observer {
    static constexpr double h = 0.01;
    accepted_step step; ///< its vectors are no longer there
    double estimate = 0;
    double weight = 0;
    double y = 0;
    double middle = 0; ///< of the interpolant

    explicit first_step(const char* solver)
    {
        const problem p = plain_problem({1}, 1, [](double t, const double*, double* out) {
            out[0] = 6 * t + 2;
            return evaluation::ok;
        });
        run_settings s;
        s.rtol = 1e-3;
        s.atol = {1};
        s.h0 = h;
        s.repeat = 1;
        (void)measure_run(p, *open_solver(solver), s, this);
    }
    observer_answer on_step(const accepted_step& s) override
    {
        step = s;
        estimate = s.error_estimate[0];
        weight = s.error_weights[0];
        y = s.y[0];
        s.between->evaluate(h / 2, &middle);
        return observer_answer::stop;
    }
};

} // namespace ivp::testing_support

#endif
