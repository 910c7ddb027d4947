// make_solver: a solver of the platform from its description, its chapter and the function that integrates one segment.
#ifndef IVP_SOLVERS_COMMON_SOLVER_OF_HPP
#define IVP_SOLVERS_COMMON_SOLVER_OF_HPP

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

using segment_integration = solve_result (*)(evaluator&, const segment&, const solve_options&, step_observer*);

class solver_of final : public solver {
public:
    solver_of(const solver_info& info, const ivp::chapter& text, segment_integration integrate) : info_(info), text_(text), integrate_(integrate) {}

    [[nodiscard]] const solver_info& info() const override { return info_; }
    [[nodiscard]] ivp::chapter chapter() const override { return text_; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        return integrate_(e, s, options, observer);
    }

private:
    const solver_info& info_;
    ivp::chapter text_;
    segment_integration integrate_;
};

/// info stays where it is and must outlive the solver.
inline std::unique_ptr<const solver> make_solver(const solver_info& info, const ivp::chapter& text, segment_integration integrate)
{
    return std::make_unique<solver_of>(info, text, integrate);
}

/// The function of an Integrator that is made for one segment.
template <class Integrator>
solve_result integrate_with(evaluator& e, const segment& s, const solve_options& options, step_observer* observer)
{
    return Integrator(e, s, options, observer).run();
}

} // namespace ivp::solvers

#endif
