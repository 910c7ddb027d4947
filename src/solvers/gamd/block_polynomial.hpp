// block_polynomial: the polynomial through all points of a block, by backward differences at its last point. It predicts the next block and is the
// dense output.
#ifndef IVP_SOLVERS_GAMD_BLOCK_POLYNOMIAL_HPP
#define IVP_SOLVERS_GAMD_BLOCK_POLYNOMIAL_HPP

#include "block.hpp"

#include <ivp/solver.hpp>

#include <array>

namespace ivp::solvers::gamd_method {

class block_polynomial final : public interpolant {
public:
    block_polynomial(int n, work_memory& memory) : n_(n), difference_(n, most_points, memory) {}

    void set(int order, const block& b, double h)
    {
        h_ = h;
        with_order(order, [&]<int P>() {
            degree_ = block_method<P>::equations;
            t_end_ = b.t[degree_];
            simd::for_components<double>(n_, [&](auto at) {
                std::array<simd::pack<double>, block_method<P>::points> d;
                for (int k = 0; k < block_method<P>::points; ++k) d[k] = at(b.y[block_method<P>::equations - k]);
                for (int k = 1; k < block_method<P>::points; ++k)
                    for (int l = block_method<P>::equations; l >= k; --l) d[l] = d[l - 1] - d[l];
                for (int k = 0; k < block_method<P>::points; ++k) at(difference_[k]) = d[k];
            });
        });
    }

    [[nodiscard]] int degree() const { return degree_; }
    [[nodiscard]] double step() const { return h_; }

    /// y = value s step sizes behind the end of the block, of the polynomial through its last `degree` + 1 points.
    void value(double s, int degree, double* y) const
    {
        std::array<double, most_points> factor{};
        for (int m = 1; m <= degree; ++m) factor[m] = (s + (m - 1)) / m;
        simd::for_components<double>(n_, [&](auto at) {
            simd::pack<double> v = at(difference_[degree]);
            for (int m = degree; m > 0; --m) v = v * factor[m] + at(difference_[m - 1]);
            at(y) = v;
        });
    }

    /// As value(), for a vector that is not padded.
    void evaluate(double t, double* y) const override
    {
        const double s = (t - t_end_) / h_;
        for (int i = 0; i < n_; ++i) {
            double v = difference_[degree_][i];
            for (int m = degree_; m > 0; --m) v = v * ((s + (m - 1)) / m) + difference_[m - 1][i];
            y[i] = v;
        }
    }

private:
    int n_;
    int degree_ = 0;
    double h_ = 1;
    double t_end_ = 0;
    point_vectors difference_; // of every order
};

} // namespace ivp::solvers::gamd_method

#endif
