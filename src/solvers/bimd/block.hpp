// block: the values of y and f at the points of one block, the blended iteration that finds them, and the polynomial through them.
#ifndef IVP_SOLVERS_BIMD_BLOCK_HPP
#define IVP_SOLVERS_BIMD_BLOCK_HPP

#include "block_matrix.hpp"
#include "coefficients.hpp"
#include "mass_product.hpp"
#include "point_vectors.hpp"

#include <ivp/solver.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ivp::solvers::bimd_method {

/// The polynomial through the k + 1 points of an accepted block, as divided differences with unit distance.
class block_polynomial {
public:
    block_polynomial(int n, work_memory& memory) : n_(n), differences_(n, most_points + 1, memory) {}

    /// y: at the points 0 … k.
    void set(const point_vectors& y, int k)
    {
        k_ = k;
        simd::for_components<double>(n_, [&](auto at) {
            std::array<simd::pack<double>, most_points + 1> d;
            for (int j = 0; j <= k; ++j) d[j] = at(y[j]);
            for (int j = 1; j <= k; ++j)
                for (int l = k; l >= j; --l) d[l] = (d[l] - d[l - 1]) / static_cast<double>(j);
            for (int j = 0; j <= k; ++j) at(differences_[j]) = d[j];
        });
    }

    /// The value at a distance behind the end of the block, counted in points.
    [[nodiscard]] simd::pack<double> value(simd::components<double> at, double behind) const
    {
        double s = behind;
        simd::pack<double> sum = at(differences_[k_]);
        for (int j = k_ - 1; j >= 0; --j) {
            s += 1.0;
            sum = sum * s + at(differences_[j]);
        }
        return sum;
    }
    /// The same for a vector that is not padded.
    void evaluate(double behind, double* y) const
    {
        for (int i = 0; i < n_; ++i) {
            double s = behind;
            double sum = differences_[k_][i];
            for (int j = k_ - 1; j >= 0; --j) {
                s += 1.0;
                sum = sum * s + differences_[j][i];
            }
            y[i] = sum;
        }
    }

private:
    int n_;
    int k_ = 0;
    point_vectors differences_;
};

class dense_output final : public interpolant {
public:
    dense_output(const block_polynomial& polynomial, double t, double h) : polynomial_(polynomial), t_(t), h_(h) {}
    void evaluate(double t, double* y) const override { polynomial_.evaluate((t - t_) / h_, y); }

private:
    const block_polynomial& polynomial_;
    double t_; // end of the block
    double h_;
};

class block {
public:
    /// memory: none, or the work_memory for the vectors.
    template <class... Memory>
    explicit block(const mass_product& mass, Memory&... memory)
        : mass_(mass), n_(mass.n()), y_(n_, most_points + 1, memory...), f_(n_, most_points + 1, memory...), z_(n_, most_points, memory...)
    {}

    /// Point 0 is the beginning.
    [[nodiscard]] double* y(int j) { return y_[j]; }
    [[nodiscard]] const double* y(int j) const { return y_[j]; }
    [[nodiscard]] double* f(int j) { return f_[j]; }
    [[nodiscard]] const double* f(int j) const { return f_[j]; }
    [[nodiscard]] const point_vectors& values() const { return y_; }

    void start_constant(int k)
    {
        for (int j = 1; j <= k; ++j) simd::for_components<double>(n_, [&](auto at) { at(y_[j]) = at(y_[0]); });
    }
    /// ratio: of the step size to that of the polynomial's block.
    void start_from(const block_polynomial& polynomial, int k, double ratio)
    {
        for (int j = 1; j <= k; ++j) simd::for_components<double>(n_, [&](auto at) { at(y_[j]) = polynomial.value(at, j * ratio); });
    }

    /// One blended iteration, from the values of f at the present points; the largest norm of the change at one point, not finite where it fails.
    ///
    /// With θ = (M − h γ J)^-1 the residual r_1 of the first form gets the weight θ M, r_2 of the second one the rest, and θ is the
    /// approximate inverse: Y ← Y − θ (M (θ M (r_1 − r_2) + r_2)), where M stands before the part with y alone.
    template <int Level>
    double iterate(double h, const block_matrix& matrix, const double* inverse_weights)
    {
        if (mass_.is_identity())
            first_residual<Level>(h);
        else
            first_residual_with_mass<Level>(h);
        constexpr int k = points[Level];
        matrix.solve(z_, k);
        if (mass_.is_identity())
            second_residual<Level>(h, matrix.scale());
        else
            second_residual_with_mass<Level>(h, matrix.scale());
        matrix.solve(z_, k);

        double largest = 0;
        for (int j = 0; j < k; ++j) {
            value squares{};
            simd::for_components<double>(n_, [&](auto at) {
                const value change = matrix.scale() * at(z_[j]);
                at(y_[j + 1]) -= change;
                const value weighted = change * at(inverse_weights);
                squares += weighted * weighted;
            });
            const double sum = sum_of(squares);
            if (!(sum <= largest)) largest = sum; // keeps NaN
            if (!std::isfinite(largest)) break;
        }
        return std::sqrt(largest / n_);
    }

    /// out = h times the highest difference of f over the points of a level, which may be lower than that of the block.
    template <int Level>
    void highest_difference(double h, double* out) const
    {
        constexpr const formula& m = formula_of_level<Level>;
        simd::for_components<double>(n_, [&](auto at) {
            value sum = m.highest_difference[0] * at(f_[0]);
            for (int j = 1; j <= m.k; ++j) sum += m.highest_difference[j] * at(f_[j]);
            at(out) = h * sum;
        });
    }

    /// The end of this block is the beginning of the next.
    void advance(int k)
    {
        simd::for_components<double>(n_, [&](auto at) {
            at(y_[0]) = at(y_[k]);
            at(f_[0]) = at(f_[k]);
        });
    }

private:
    using value = simd::pack<double>;
    using here = simd::components<double>;

    /// start + Σ factor_j x_j over the points 0 … K, and the same without a start.
    template <int K>
    static value combine(const point_factors& factor, const std::array<value, K + 1>& x)
    {
        value sum = x[0] * factor[0];
        for (int j = 1; j <= K; ++j) sum += x[j] * factor[j];
        return sum;
    }
    template <int K>
    static value combine_onto(value sum, const point_factors& factor, const std::array<value, K + 1>& x)
    {
        for (int j = 0; j <= K; ++j) sum += x[j] * factor[j];
        return sum;
    }
    template <int K>
    static std::array<value, K + 1> gather(const point_vectors& from, here at)
    {
        std::array<value, K + 1> x;
        for (int j = 0; j <= K; ++j) x[j] = at(from[j]);
        return x;
    }

    template <int Level>
    void first_residual(double h)
    {
        constexpr const formula& m = formula_of_level<Level>;
        simd::for_components<double>(n_, [&](auto at) {
            const auto y = gather<m.k>(y_, at);
            const auto f = gather<m.k>(f_, at);
            for (int j = 0; j < m.k; ++j) at(z_[j]) = combine<m.k>(m.difference_y[j], y) - h * combine<m.k>(m.difference_f[j], f);
        });
    }
    template <int Level>
    void second_residual(double h, double scale)
    {
        constexpr const formula& m = formula_of_level<Level>;
        simd::for_components<double>(n_, [&](auto at) {
            const auto y = gather<m.k>(y_, at);
            for (int j = 0; j < m.k; ++j) at(z_[j]) = combine_onto<m.k>(scale * at(z_[j]), m.second_y[j], y) - second_slope<Level>(j, at, h);
        });
    }

    template <int Level>
    void first_residual_with_mass(double h)
    {
        constexpr const formula& m = formula_of_level<Level>;
        simd::for_components<double>(n_, [&](auto at) {
            const auto y = gather<m.k>(y_, at);
            for (int j = 0; j < m.k; ++j) at(z_[j]) = combine<m.k>(m.difference_y[j], y);
        });
        mass_.multiply(z_, m.k);
        simd::for_components<double>(n_, [&](auto at) {
            const auto f = gather<m.k>(f_, at);
            for (int j = 0; j < m.k; ++j) at(z_[j]) -= h * combine<m.k>(m.difference_f[j], f);
        });
    }
    template <int Level>
    void second_residual_with_mass(double h, double scale)
    {
        constexpr const formula& m = formula_of_level<Level>;
        simd::for_components<double>(n_, [&](auto at) {
            const auto y = gather<m.k>(y_, at);
            for (int j = 0; j < m.k; ++j) at(z_[j]) = combine_onto<m.k>(scale * at(z_[j]), m.second_y[j], y);
        });
        mass_.multiply(z_, m.k);
        for (int j = 0; j < m.k; ++j) simd::for_components<double>(n_, [&](auto at) { at(z_[j]) -= second_slope<Level>(j, at, h); });
    }
    template <int Level>
    [[nodiscard]] value second_slope(int j, here at, double h) const
    {
        constexpr const formula& m = formula_of_level<Level>;
        return h * (at(f_[0]) * m.second_f0[j] + at(f_[j + 1]) * m.gamma);
    }

    const mass_product& mass_;
    int n_;
    point_vectors y_, f_, z_;
};

} // namespace ivp::solvers::bimd_method

#endif
