// backward_differences: the past of a method with constant steps, ∇^0 y … ∇^q y at the last point, and one difference more.
#ifndef IVP_SOLVERS_MEBDF_BACKWARD_DIFFERENCES_HPP
#define IVP_SOLVERS_MEBDF_BACKWARD_DIFFERENCES_HPP

#include "coefficients.hpp"
#include "solvers/common/lanes.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace ivp::solvers::mebdf {

class backward_differences {
public:
    backward_differences(int n, work_memory& memory) : n_(n), groups_(groups_of(n))
    {
        for (int j = 0; j < columns; ++j) storage_.emplace_back(n, memory);
        for (int j = 0; j < columns; ++j) nabla_[j] = storage_[j].data();
    }
    backward_differences(const backward_differences&) = delete;
    backward_differences& operator=(const backward_differences&) = delete;

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
        for (int g = 0; g < groups_; ++g) store(nabla_[1], g, load(nabla_[1], g) * ratio);
    }

    /// Moves on to a new point: new differences up to order + 1. y: whole groups.
    void append(const double* y, int order)
    {
        for (int g = 0; g < groups_; ++g) {
            lanes difference = load(y, g);
            for (int j = 0; j <= order; ++j) {
                const lanes before = load(nabla_[j], g);
                store(nabla_[j], g, difference);
                difference -= before;
            }
            store(nabla_[order + 1], g, difference);
        }
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
        for (int g = 0; g < groups_; ++g) {
            for (int j = 1; j <= order; ++j) {
                lanes sum{};
                for (int m = j; m <= order; ++m) sum += power[j][m] * load(nabla_[m], g);
                store(nabla_[j], g, sum); // the rows that follow do not need the old one
            }
        }
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
    static constexpr int columns = highest_bdf_order + 2;

    int n_;
    int groups_;
    std::vector<lane_vector> storage_;
    std::array<double*, columns> nabla_{};
};

} // namespace ivp::solvers::mebdf

#endif
