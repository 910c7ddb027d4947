// backward_differences: the past of a method with constant steps, ∇^0 y … ∇^q y at the last point, and one difference more.
#ifndef IVP_SOLVERS_MEBDF_BACKWARD_DIFFERENCES_HPP
#define IVP_SOLVERS_MEBDF_BACKWARD_DIFFERENCES_HPP

#include "coefficients.hpp"
#include "simd/components.hpp"

#include <algorithm>
#include <array>

namespace ivp::solvers::mebdf {

class backward_differences {
public:
    backward_differences(int n, work_memory& memory) : n_(n), nabla_(n, columns, memory) {}

    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] const double* nabla(int j) const { return nabla_[j]; }

    /// n entries each.
    void start(const double* y, const double* yp, double h)
    {
        std::copy_n(y, n_, nabla_[0]);
        set_first(yp, h);
    }

    /// The first differences alone, for a restart with order 1: from a slope, or of longer or shorter steps.
    void set_first(const double* yp, double h)
    {
        for (int i = 0; i < n_; ++i) nabla_[1][i] = h * yp[i];
    }
    void scale_first(double ratio)
    {
        simd::for_components<double>(n_, [&](auto at) { at(nabla_[1]) *= ratio; });
    }

    /// Moves on to a new point: new differences up to order + 1. y: padded.
    void append(const double* y, int order)
    {
        simd::for_components<double>(n_, [&](auto at) {
            value difference = at(y);
            for (int j = 0; j <= order; ++j) {
                const value before = at(nabla_[j]);
                at(nabla_[j]) = difference;
                difference -= before;
            }
            at(nabla_[order + 1]) = difference;
        });
    }

    /// The differences of the same polynomial of degree `order` for steps ratio times as long: ∇_r = 1 − (1 − ∇)^r, expanded in powers of ∇.
    void rescale(double ratio, int order)
    {
        std::array<std::array<double, columns>, columns> power{}; // power[j][m]: coefficient of ∇^m in ∇_r^j
        double binomial = 1;
        for (int m = 1; m <= order; ++m) {
            binomial *= (m - 1 - ratio) / m; // (−1)^m times r over m
            power[1][m] = -binomial;
        }
        for (int j = 2; j <= order; ++j)
            for (int m = j; m <= order; ++m)
                for (int k = 1; k <= m - j + 1; ++k) power[j][m] += power[1][k] * power[j - 1][m - k];
        simd::for_components<double>(n_, [&](auto at) {
            for (int j = 1; j <= order; ++j) {
                value sum{};
                for (int m = j; m <= order; ++m) sum += power[j][m] * at(nabla_[m]);
                at(nabla_[j]) = sum; // the rows that follow do not need the old one
            }
        });
    }

    /// The polynomial of the differences up to `degree` at s steps from the last point (s <= 0: behind it). n entries.
    void interpolate(double s, int degree, double* y) const
    {
        for (int i = 0; i < n_; ++i) y[i] = nabla_[0][i];
        double factor = 1;
        for (int j = 1; j <= degree; ++j) {
            factor *= (s + (j - 1)) / j;
            for (int i = 0; i < n_; ++i) y[i] += factor * nabla_[j][i];
        }
    }

private:
    using value = simd::pack<double>;
    static constexpr int columns = highest_bdf_order + 2;

    int n_;
    simd::padded_vectors<double, columns> nabla_;
};

} // namespace ivp::solvers::mebdf

#endif
