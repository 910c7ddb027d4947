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
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ivp::solvers {

/// J v at one point, without the entries of J.
template <class R>
class product_at_point {
public:
    product_at_point() = default;
    product_at_point(const product_at_point&) = delete;
    product_at_point& operator=(const product_at_point&) = delete;
    virtual ~product_at_point() = default;
    virtual evaluation linearise(const R& t, const R* y) = 0;
    virtual bool multiply(std::span<const R* const> v, std::span<R* const> out) = 0;
};

/// Exact: one evaluation of f on dual numbers.
template <class R>
class dual_product final : public product_at_point<R> {
public:
    explicit dual_product(basic_evaluator<R>& e) : e_(e), y_(e.n()) {}

    evaluation linearise(const R& t, const R* y) override
    {
        t_ = t;
        std::copy_n(y, y_.size(), y_.begin());
        return evaluation::ok;
    }
    bool multiply(std::span<const R* const> v, std::span<R* const> out) override { return e_.products(t_, y_.data(), v, out) == evaluation::ok; }

private:
    basic_evaluator<R>& e_;
    R t_{};
    std::vector<R> y_;
};

/// By one further evaluation of f, disturbed in the direction of v.
template <class R>
class difference_product final : public product_at_point<R> {
public:
    explicit difference_product(basic_evaluator<R>& e) : e_(e), y_(e.n()), f_(e.n()), disturbed_(e.n()) {}

    evaluation linearise(const R& t, const R* y) override
    {
        t_ = t;
        std::copy_n(y, y_.size(), y_.begin());
        size_ = length(y);
        return e_.f_for_jacobian(t, y, f_.data());
    }
    bool multiply(std::span<const R* const> v, std::span<R* const> out) override
    {
        for (std::size_t k = 0; k < v.size(); ++k)
            if (!multiply(v[k], out[k])) return false;
        return true;
    }

private:
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

/// Where J belongs to.
template <class R>
struct linearisation_point {
    R t{};
    std::vector<R> y;
    std::uint64_t number = 0; ///< counts the points
};

/// The problem's own preconditioner, at the point of J.
template <class R>
class preconditioner_at_point final : public given_preconditioner<R> {
public:
    preconditioner_at_point(std::unique_ptr<own_preconditioner<R>> own, const linearisation_point<R>& at) : own_(std::move(own)), at_(at) {}

    bool factor(const R& c) override
    {
        const bool same_point = set_up_at_ == at_.number;
        set_up_at_ = 0; // whatever comes of it
        if (!own_->set_up(at_.t, at_.y.data(), c, same_point)) return false;
        set_up_at_ = at_.number;
        return true;
    }
    bool solve(const R* b, R* x) override { return own_->solve(b, x); }

private:
    std::unique_ptr<own_preconditioner<R>> own_;
    const linearisation_point<R>& at_;
    std::uint64_t set_up_at_ = 0;
};

template <class R>
class krylov_setup {
public:
    /// one_point: the iteration is around one J, M is constant, and one thread solves. constant_mass: M is constant. Throws bad_request if products
    /// or a preconditioner are asked for that need it.
    krylov_setup(basic_evaluator<R>& e, const solve_options& o, algebra path, bool one_point, bool constant_mass, shifted_lu<R>& lu)
    {
        if (path != algebra::krylov) return;
        const preconditioning choice = krylov_options().read(o.special);
        lu.set_preconditioning(choice);
        const bool by_matrix = choice.products == preconditioning::by_matrix;
        if (!by_matrix && !one_point)
            throw bad_request(std::string("option 'products': ") + (choice.products == preconditioning::by_duals ? "duals" : "differences") +
                              " given; allowed for this solver and this form of the problem: matrix");
        if (choice.kind == preconditioning::user && !constant_mass)
            throw bad_request("option 'preconditioner': user given; allowed for equations G(t, y, y') = 0: ilu0, block-jacobi, none");
        require_of_problem(choice, e);
        needs_jacobian_ = by_matrix || choice.kind == preconditioning::ilu0 || choice.kind == preconditioning::block_jacobi;
        if (choice.kind == preconditioning::user) {
            point_ = std::make_unique<linearisation_point<R>>();
            point_->y.resize(e.n());
            lu.set_preconditioner([&e, at = point_.get()] { return std::make_unique<preconditioner_at_point<R>>(e.make_preconditioner(), *at); });
        }
        if (by_matrix) return;
        if (choice.products == preconditioning::by_duals)
            product_ = std::make_unique<dual_product<R>>(e);
        else
            product_ = std::make_unique<difference_product<R>>(e);
        lu.set_product([of = product_.get()](std::span<const R* const> v, std::span<R* const> out) { return of->multiply(v, out); });
    }

    /// False: nobody reads the entries of J.
    [[nodiscard]] bool needs_jacobian() const { return needs_jacobian_; }
    /// The point of the products and of the preconditioner. It is that of J, which has been evaluated before if it is needed.
    [[nodiscard]] evaluation linearise(const R& t, const R* y)
    {
        if (point_) {
            point_->t = t;
            std::copy_n(y, point_->y.size(), point_->y.begin());
            ++point_->number;
        }
        return product_ ? product_->linearise(t, y) : evaluation::ok;
    }

private:
    bool needs_jacobian_ = true;
    std::unique_ptr<linearisation_point<R>> point_;
    std::unique_ptr<product_at_point<R>> product_;
};

} // namespace ivp::solvers

#endif
