// make_solver: a solver of the platform from its description, its chapter and the function that integrates one segment; and what descriptions share.
#ifndef IVP_SOLVERS_COMMON_SOLVER_OF_HPP
#define IVP_SOLVERS_COMMON_SOLVER_OF_HPP

#include "linalg/krylov_options.hpp"

#include <ivp/error.hpp>
#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <memory>
#include <string>
#include <utility>

namespace ivp::solvers {

using segment_integration = solve_result (*)(evaluator&, const segment&, const solve_options&, step_observer*);

class solver_of final : public solver {
public:
    solver_of(solver_info info, const ivp::chapter& text, segment_integration integrate) : info_(std::move(info)), text_(text), integrate_(integrate)
    {}

    [[nodiscard]] const solver_info& info() const override { return info_; }
    [[nodiscard]] ivp::chapter chapter() const override { return text_; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        return integrate_(e, s, options, observer);
    }

private:
    solver_info info_;
    ivp::chapter text_;
    segment_integration integrate_;
};

inline std::unique_ptr<const solver> make_solver(solver_info info, const ivp::chapter& text, segment_integration integrate)
{
    if (info.takes_krylov)
        for (auto& option : krylov_options().describe()) info.options.push_back(std::move(option));
    return std::make_unique<solver_of>(std::move(info), text, integrate);
}

inline solver_info own_description(const char* name, const char* title, int lowest_order, int highest_order)
{
    solver_info i;
    i.name = name;
    i.title = title;
    i.version = "1.0";
    i.lowest_order = lowest_order;
    i.highest_order = highest_order;
    i.gives_error_estimate = true;
    return i;
}
/// A pair of explicit formulas, the better of which goes on.
inline solver_info explicit_description(const char* name, const char* title, int order)
{
    solver_info i = own_description(name, title, order, order);
    i.forms = {form::ode};
    i.implicit = false;
    i.takes_zero_rtol = true;
    i.locally_extrapolated = true;
    return i;
}
/// For M y' = f(t, y) with matrices of every structure.
inline solver_info implicit_description(const char* name, const char* title, int lowest_order, int highest_order)
{
    solver_info i = own_description(name, title, lowest_order, highest_order);
    i.forms = {form::ode, form::dae};
    i.highest_index = 3;
    i.takes_band = true;
    i.takes_sparse = true;
    i.takes_krylov = true;
    return i;
}

/// The settings as read from the options, where these are not each right but wrong together.
template <class Settings>
Settings with_orders_checked(Settings s)
{
    if (s.min_order > s.max_order)
        throw bad_request("option 'min_order': " + std::to_string(s.min_order) + " given; allowed: at most max_order, " +
                          std::to_string(s.max_order));
    return s;
}

/// The function of an Integrator that is made for one segment.
template <class Integrator>
solve_result integrate_with(evaluator& e, const segment& s, const solve_options& options, step_observer* observer)
{
    return Integrator(e, s, options, observer).run();
}

} // namespace ivp::solvers

#endif
