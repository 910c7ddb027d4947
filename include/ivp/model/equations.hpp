// equations: what can be evaluated of a problem, in one precision. Everything that is not a number lives in problem_info.
#ifndef IVP_MODEL_EQUATIONS_HPP
#define IVP_MODEL_EQUATIONS_HPP

#include <ivp/model/mass_matrix.hpp>
#include <ivp/model/structure.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace ivp {

/// What an evaluation says of itself.
enum class evaluation {
    ok,
    refused,   ///< the argument is outside the domain of the formula (the original's IERR = -1): a solver cuts its step
    nonfinite, ///< the formula gave an infinity or NaN: to be treated like a refusal, and remembered
    stopped,   ///< the run must end now (time limit, stop request): a solver returns at once
};

/// Working memory of one user of the equations (they themselves are immutable and can be shared between threads).
struct scratch {
    virtual ~scratch() = default;
};

/// For each equation the sorted list of variables it depends on.
using dependencies = std::vector<std::vector<int>>;

/// y' = f(t, y) and M y' = f(t, y) through f; G(t, y, y') = 0 through g. A problem has one of the two.
template <class R>
class equations {
public:
    virtual ~equations() = default;

    [[nodiscard]] virtual std::vector<R> initial_values() const = 0;
    /// Empty where the problem comes without y0'.
    [[nodiscard]] virtual std::vector<R> initial_derivatives() const { return {}; }
    [[nodiscard]] virtual const mass_matrix<R>& mass() const = 0;

    virtual evaluation f(const R& t, const R* y, R* out) const = 0;
    virtual evaluation g(const R& t, const R* y, const R* yp, R* out) const = 0;

    [[nodiscard]] virtual bool has_exact_jacobian() const { return true; }
    [[nodiscard]] virtual std::unique_ptr<scratch> make_scratch() const { return std::make_unique<scratch>(); }
    /// For a caller who knows which entries a matrix can have: fewer derivative directions are needed then.
    [[nodiscard]] virtual std::unique_ptr<scratch> make_scratch_for(const structure& /*known*/) const { return make_scratch(); }

    /// All stored entries of out: df/dy.
    virtual evaluation jacobian(const R& t, const R* y, scratch& work, const matrix_view<R>& out) const = 0;
    /// The approximate Jacobian that the published runs used, where that is neither the exact one nor differences.
    [[nodiscard]] virtual bool has_published_jacobian() const { return false; }
    virtual evaluation published_jacobian(const R& t, const R* y, scratch& work, const matrix_view<R>& out) const
    {
        return jacobian(t, y, work, out);
    }
    /// a dG/dy + b dG/dy'
    virtual evaluation partials(const R& t, const R* y, const R* yp, const R& a, const R& b, scratch& work, const matrix_view<R>& out) const = 0;
    /// df/dt (yp null), or dG/dt at constant y and y'.
    virtual evaluation time_derivative(const R& t, const R* y, const R* yp, scratch& work, R* out) const = 0;
    /// Dependence on y (for an IDE on y and y' together) found by following the formula at one point; empty where it cannot be followed.
    [[nodiscard]] virtual dependencies trace(const R& /*t*/, const R* /*y*/, const R* /*yp*/) const { return {}; }
    /// The same through all branches of the formula, so that it holds everywhere; none where that cannot be made sure of.
    [[nodiscard]] virtual std::optional<dependencies> trace_all(const R& /*t*/, const R* /*y*/, const R* /*yp*/) const { return std::nullopt; }
};

} // namespace ivp

#endif
