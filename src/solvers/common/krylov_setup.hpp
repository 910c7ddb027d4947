// krylov_setup: what the options of a solver ask of an iteration for its linear systems, handed to the shifted_lu that iterates.
#ifndef IVP_SOLVERS_COMMON_KRYLOV_SETUP_HPP
#define IVP_SOLVERS_COMMON_KRYLOV_SETUP_HPP

#include "linalg/krylov_options.hpp"
#include "linalg/shifted_lu.hpp"

#include <ivp/error.hpp>
#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace ivp::solvers {

/// J v at one point by one further evaluation of f, disturbed in the direction of v.
template <class R>
class difference_product {
public:
    explicit difference_product(basic_evaluator<R>& e) : e_(e), y_(e.n()), f_(e.n()), disturbed_(e.n()) {}

    evaluation linearise(const R& t, const R* y)
    {
        t_ = t;
        std::copy_n(y, y_.size(), y_.begin());
        size_ = length(y);
        return e_.f_for_jacobian(t, y, f_.data());
    }
    bool multiply(const R* v, R* out)
    {
        using std::sqrt;
        const R length_of_v = length(v);
        if (length_of_v == R(0)) {
            std::fill_n(out, y_.size(), R(0));
            return true;
        }
        // Half of the digits of a typical component.
        const R step = sqrt(std::numeric_limits<R>::epsilon()) * (size_ > R(0) ? size_ : R(1)) / length_of_v;
        for (std::size_t i = 0; i < y_.size(); ++i) disturbed_[i] = y_[i] + step * v[i];
        if (e_.f_for_jacobian(t_, disturbed_.data(), out) != evaluation::ok) return false;
        const R inverse = R(1) / step;
        for (std::size_t i = 0; i < y_.size(); ++i) out[i] = (out[i] - f_[i]) * inverse;
        return true;
    }

private:
    R length(const R* v) const
    {
        using std::sqrt;
        R sum(0);
        for (std::size_t i = 0; i < y_.size(); ++i) sum += v[i] * v[i];
        return R(sqrt(sum));
    }

    basic_evaluator<R>& e_;
    R t_{};
    R size_{}; ///< of y
    std::vector<R> y_, f_, disturbed_;
};

template <class R>
class krylov_setup {
public:
    /// one_point: the iteration is around one J, M is constant, and one thread solves. Throws bad_request if products are asked for that need it.
    krylov_setup(basic_evaluator<R>& e, const solve_options& o, algebra path, bool one_point, shifted_lu<R>& lu)
    {
        if (path != algebra::krylov) return;
        const preconditioning choice = krylov_options().read(o.special);
        lu.set_preconditioning(choice);
        if (choice.products != preconditioning::by_differences) return;
        if (!one_point) throw bad_request("option 'products': differences given; allowed for this solver and this form of the problem: matrix");
        needs_jacobian_ = choice.kind != preconditioning::none;
        product_ = std::make_unique<difference_product<R>>(e);
        lu.set_product([of = product_.get()](const R* v, R* out) { return of->multiply(v, out); });
    }

    /// False: nobody reads the entries of J.
    [[nodiscard]] bool needs_jacobian() const { return needs_jacobian_; }
    /// The point of the products. It is that of J, which has been evaluated before if it is needed.
    [[nodiscard]] evaluation linearise(const R& t, const R* y) { return product_ ? product_->linearise(t, y) : evaluation::ok; }

private:
    bool needs_jacobian_ = true;
    std::unique_ptr<difference_product<R>> product_;
};

} // namespace ivp::solvers

#endif
