// A solver that does what a test tells it, for tests of the measuring around it.
#ifndef IVP_TESTS_MEASURE_SCRIPTED_SOLVER_HPP
#define IVP_TESTS_MEASURE_SCRIPTED_SOLVER_HPP

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <ctime>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace ivp {

/// A solver that does what a test tells it.
class scripted_solver final : public solver {
public:
    using script = std::function<solve_result(evaluator&, const segment&, const solve_options&, step_observer*)>;
    explicit scripted_solver(script s) : script_(std::move(s))
    {
        info_.name = "scripted";
        info_.version = "1";
        info_.forms = {form::ode, form::dae};
        info_.highest_index = 3;
        info_.takes_zero_rtol = true;
        info_.takes_zero_atol = true;
    }
    [[nodiscard]] const solver_info& info() const override { return info_; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& o, step_observer* w) const override
    {
        if (evaluates_) { // no run is a success without
            std::vector<double> out(s.y.size());
            (void)e.f(s.t0, s.y.data(), out.data());
        }
        return script_(e, s, o, w);
    }
    solver_info info_;
    bool evaluates_ = true; ///< once at the start of every segment

private:
    script script_;
};

inline solve_result reached(const segment& s)
{
    solve_result r;
    r.t = s.tend;
    r.steps = 3;
    r.accepted = 2;
    return r;
}

inline void copy_reference(const problem& p, std::span<double> y)
{
    for (int i = 0; i < p.n(); ++i) y[i] = p.reference()->value[i].value();
}

/// CPU time: other work on the machine must not count.
inline void burn_cpu(double seconds)
{
    const std::clock_t begin = std::clock();
    while (static_cast<double>(std::clock() - begin) < seconds * CLOCKS_PER_SEC) {}
}

} // namespace ivp

#endif
