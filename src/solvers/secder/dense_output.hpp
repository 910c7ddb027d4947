// Dense output of SECDER: y(t) = y_{n+1} + ∫ p, where p is the polynomial behind the corrector, through f at the k + 1 newest points and y'' at the
// last one. It meets both ends of the step and has the order of the formula.
#ifndef IVP_SOLVERS_SECDER_DENSE_OUTPUT_HPP
#define IVP_SOLVERS_SECDER_DENSE_OUTPUT_HPP

#include "slope_history.hpp"

#include <ivp/solver.hpp>

#include <array>
#include <vector>

namespace ivp::solvers {

template <class Real>
class secder_dense_output final : public interpolant {
public:
    explicit secder_dense_output(int n) : coefficient_(static_cast<std::size_t>(n) * terms) {}

    /// history: slopes before the step; all stay as they are until the next begin().
    void begin(int k, Real t, Real h, const Real* y, const Real* slope, const Real* second, const slope_history<Real>& history)
    {
        k_ = k;
        t_ = t;
        h_ = h;
        y_ = y;
        slope_ = slope;
        second_ = second;
        history_ = &history;
        ready_ = false;
    }

    void evaluate(double t, double* y) const override
    {
        if (!ready_) prepare();
        const double s = (t - t_) / h_;
        const std::size_t n = coefficient_.size() / terms;
        for (std::size_t i = 0; i < n; ++i) {
            const double* const c = coefficient_.data() + i * terms;
            double value = c[k_ + 1];
            for (int j = k_; j >= 0; --j) value = c[j] + s * value;
            y[i] = y_[i] + h_ * s * value;
        }
    }

private:
    static constexpr int terms = slope_history<Real>::length + 1; // of p at the highest order

    // Coefficients of ∫ p, divided by s, in powers of s = (t − t_{n+1})/h, from divided differences over the nodes 0, 0, −1, …, −k.
    void prepare() const
    {
        ready_ = true;
        const auto node = [](int j) { return j == 0 ? 0.0 : 1.0 - j; };
        const int last = k_ + 1;
        const std::size_t n = coefficient_.size() / terms;
        for (std::size_t i = 0; i < n; ++i) {
            std::array<double, terms> d;
            for (int j = last; j >= 2; --j) d[j] = history_->slope(j - 2)[i];
            d[0] = d[1] = slope_[i];
            for (int level = 1; level <= last; ++level)
                for (int j = last; j >= level; --j) d[j] = level == 1 && j == 1 ? h_ * second_[i] : (d[j] - d[j - 1]) / (node(j) - node(j - level));
            std::array<double, terms> p{};
            p[0] = d[last];
            for (int j = last - 1; j >= 0; --j) { // p := d_j + (s − node_j) p
                for (int m = last; m >= 1; --m) p[m] = p[m - 1] - node(j) * p[m];
                p[0] = d[j] - node(j) * p[0];
            }
            for (int m = 0; m <= last; ++m) coefficient_[i * terms + m] = p[m] / (m + 1);
        }
    }

    int k_ = 1;
    double t_ = 0; // end of the step
    double h_ = 1;
    const Real* y_ = nullptr;
    const Real* slope_ = nullptr;
    const Real* second_ = nullptr;
    const slope_history<Real>* history_ = nullptr;
    mutable bool ready_ = false;
    mutable std::vector<double> coefficient_;
};

} // namespace ivp::solvers

#endif
