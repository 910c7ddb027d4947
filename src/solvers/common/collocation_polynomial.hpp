// collocation_polynomial: the solution inside the last accepted step, for dense output and as predictor of the next step.
#ifndef IVP_SOLVERS_COMMON_COLLOCATION_POLYNOMIAL_HPP
#define IVP_SOLVERS_COMMON_COLLOCATION_POLYNOMIAL_HPP

#include "radau_method.hpp"

#include <ivp/model/observer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace ivp::solvers {

/// Newton's form over the points 1, c_{s−1}, …, c_1, 0 of the step. It is made from the increments of the stages, not from y plus these: adding y
/// would add rounding errors, which change the course of a tight integration.
template <class R>
class collocation_polynomial {
public:
    collocation_polynomial(int n, int most_stages) : n_(n), y_(n), coefficients_(static_cast<std::size_t>(n) * most_stages, R(0)) {}

    /// z: the increments of the stages over the step that ended at t with y.
    template <int S>
    void set(const R& t, const R& h, const R* y, const std::array<const R*, S>& z)
    {
        const auto& c = radau_method<R, S>::get().c;
        t_ = t;
        h_ = h;
        stages_ = S;
        std::copy(y, y + n_, y_.begin());
        std::array<R, S + 1> x; // the points, from the last to the first
        for (int k = 0; k < S; ++k) x[k] = c[S - 1 - k];
        x[S] = R(0);
        for (int i = 0; i < n_; ++i) {
            std::array<R, S> d; // d[k] belongs to x[k + 1]
            for (int k = 1; k < S; ++k) d[k - 1] = (z[S - 1 - k][i] - z[S - k][i]) / (x[k] - x[k - 1]);
            d[S - 1] = z[0][i] / x[S - 1];
            for (int order = 2; order <= S; ++order)
                for (int k = S; k >= order; --k) d[k - 1] = (d[k - 1] - d[k - 2]) / (x[k] - x[k - order]);
            for (int k = 0; k < S; ++k) coefficients_[static_cast<std::size_t>(k) * n_ + i] = d[k];
        }
    }

    [[nodiscard]] const R& step() const { return h_; }

    /// Difference of component i to the value at the end of the step, s step sizes behind it.
    ///
    /// NOTE: a method of another number of stages S takes the coefficients as if they belonged to its own nodes, which gives a polynomial that still
    /// has nearly the right slope. RADAU starts its iteration with it when the first step after a change of the order is repeated.
    template <int S>
    [[nodiscard]] R increment(int i, const R& s) const
    {
        const auto& c = radau_method<R, S>::get().c;
        const R* k = coefficients_.data() + i;
        R value = k[static_cast<std::size_t>(S - 1) * n_];
        for (int l = S - 2; l >= 0; --l) value = k[static_cast<std::size_t>(l) * n_] + (s - (c[S - 2 - l] - R(1))) * value;
        return s * value;
    }

    void evaluate(const R& t, R* y) const
    {
        const R s = (t - t_) / h_;
        with_stages(stages_, [&]<int S>() {
            for (int i = 0; i < n_; ++i) y[i] = y_[i] + increment<S>(i, s);
        });
    }

private:
    int n_;
    int stages_ = 0; // 0: no step yet
    R t_{};
    R h_{};
    std::vector<R> y_;
    std::vector<R> coefficients_;
};

/// What an observer sees of it.
class collocation_output final : public interpolant {
public:
    explicit collocation_output(const collocation_polynomial<double>& p) : polynomial_(p) {}
    void evaluate(double t, double* y) const override { polynomial_.evaluate(t, y); }

private:
    const collocation_polynomial<double>& polynomial_;
};

} // namespace ivp::solvers

#endif
