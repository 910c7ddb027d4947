// integration: what every integrator of one segment has and does alike.
#ifndef IVP_SOLVERS_COMMON_INTEGRATION_HPP
#define IVP_SOLVERS_COMMON_INTEGRATION_HPP

#include "run_ending.hpp"

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>
#include <ivp/work_memory.hpp>

#include <span>
#include <string>
#include <utility>

namespace ivp::solvers {

class integration {
protected:
    integration(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : e_(e), segment_(s), options_(o), observer_(observer), n_(e.n()), ending_(e), t_(s.t0), tend_(s.tend)
    {}

    [[nodiscard]] std::span<const double> components(const double* v) const { return {v, static_cast<std::size_t>(n_)}; }

    /// The observer, which must be there, may end the run with any step but the last.
    void show(const accepted_step& step, bool last)
    {
        if (observer_->on_step(step) == observer_answer::stop && !last) ending_.end(outcome::stopped_by_observer);
    }

    /// What the solver answers, with its own numbers in `extra`.
    [[nodiscard]] solve_result finished(std::string algebra)
    {
        result_.t = t_;
        result_.algebra = std::move(algebra);
        result_.extra["error_rejections"] = static_cast<double>(result_.error_rejections);
        ending_.write_to(result_);
        return std::move(result_);
    }
    [[nodiscard]] solve_result finished(algebra path) { return finished(std::string(label(path))); }

    evaluator& e_;
    const segment& segment_;
    const solve_options& options_;
    step_observer* observer_;
    int n_;
    run_ending<double> ending_;
    solve_result result_;
    double t_;
    double tend_;
    work_memory memory_; ///< of the vectors: one block for all costs a short run less than one for each
};

} // namespace ivp::solvers

#endif
