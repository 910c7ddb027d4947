// block: the values of y and f at the points of one block, the blended iteration that finds them, and the polynomial through them.
#ifndef IVP_SOLVERS_BIMD_BLOCK_HPP
#define IVP_SOLVERS_BIMD_BLOCK_HPP

#include "coefficients.hpp"
#include "columns.hpp"
#include "iteration_matrix.hpp"
#include "mass_product.hpp"

#include "solvers/common/lanes.hpp"

#include <ivp/solver.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ivp::solvers::bimd_method {

/// The polynomial through the k + 1 points of an accepted block, as divided differences with unit distance.
class block_polynomial {
public:
    explicit block_polynomial(int n) : groups_(groups_of(n)), differences_(n, most_points + 1) {}

    /// y: the columns 0 … k.
    void set(const columns& y, int k)
    {
        k_ = k;
        for (int g = 0; g < groups_; ++g) {
            std::array<lanes, most_points + 1> d;
            for (int j = 0; j <= k; ++j) d[j] = load(y[j], g);
            for (int j = 1; j <= k; ++j)
                for (int l = k; l >= j; --l) d[l] = (d[l] - d[l - 1]) / static_cast<double>(j);
            for (int j = 0; j <= k; ++j) store(differences_[j], g, d[j]);
        }
    }

    /// Group g of the value at a distance behind the end of the block, counted in points.
    [[nodiscard]] lanes value(int g, double behind) const
    {
        double s = behind;
        lanes sum = load(differences_[k_], g);
        for (int j = k_ - 1; j >= 0; --j) {
            s += 1.0;
            sum = sum * s + load(differences_[j], g);
        }
        return sum;
    }
    [[nodiscard]] int groups() const { return groups_; }

private:
    int groups_;
    int k_ = 0;
    columns differences_;
};

class dense_output final : public interpolant {
public:
    dense_output(const block_polynomial& polynomial, double t, double h, int n) : polynomial_(polynomial), t_(t), h_(h), n_(n) {}
    void evaluate(double t, double* y) const override
    {
        const double behind = (t - t_) / h_;
        for (int g = 0; g < polynomial_.groups(); ++g) {
            const lanes v = polynomial_.value(g, behind);
            for (int i = 0; i < std::min(lane_count, n_ - g * lane_count); ++i) y[g * lane_count + i] = v[i];
        }
    }

private:
    const block_polynomial& polynomial_;
    double t_; // end of the block
    double h_;
    int n_;
};

class block {
public:
    explicit block(const mass_product& mass)
        : mass_(mass), n_(mass.n()), groups_(groups_of(n_)), y_(n_, most_points + 1), f_(n_, most_points + 1), z_(n_, most_points)
    {}

    /// Point 0 is the beginning.
    [[nodiscard]] double* y(int j) { return y_[j]; }
    [[nodiscard]] const double* y(int j) const { return y_[j]; }
    [[nodiscard]] double* f(int j) { return f_[j]; }
    [[nodiscard]] const double* f(int j) const { return f_[j]; }
    [[nodiscard]] const columns& values() const { return y_; }

    void start_constant(int k)
    {
        for (int j = 1; j <= k; ++j)
            for (int g = 0; g < groups_; ++g) store(y_[j], g, load(y_[0], g));
    }
    /// ratio: of the step size to that of the polynomial's block.
    void start_from(const block_polynomial& polynomial, int k, double ratio)
    {
        for (int j = 1; j <= k; ++j)
            for (int g = 0; g < groups_; ++g) store(y_[j], g, polynomial.value(g, j * ratio));
    }

    /// One blended iteration, from the values of f at the present points; the largest norm of the change at one point, not finite where it fails.
    ///
    /// With θ = (M − h γ J)^-1 the residual r_1 of the first form gets the weight θ M, r_2 of the second one the rest, and θ is the
    /// approximate inverse: Y ← Y − θ (M (θ M (r_1 − r_2) + r_2)), where M stands before the part with y alone.
    template <int Level>
    double iterate(double h, const iteration_matrix& matrix, const double* inverse_weights)
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
            lanes squares{};
            for (int g = 0; g < groups_; ++g) {
                const lanes change = matrix.scale() * load(z_[j], g);
                store(y_[j + 1], g, load(y_[j + 1], g) - change);
                const lanes weighted = change * load(inverse_weights, g);
                squares += weighted * weighted;
            }
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
        for (int g = 0; g < groups_; ++g) {
            lanes sum = m.highest_difference[0] * load(f_[0], g);
            for (int j = 1; j <= m.k; ++j) sum += m.highest_difference[j] * load(f_[j], g);
            store(out, g, h * sum);
        }
    }

    /// The end of this block is the beginning of the next.
    void advance(int k)
    {
        for (int g = 0; g < groups_; ++g) {
            store(y_[0], g, load(y_[k], g));
            store(f_[0], g, load(f_[k], g));
        }
    }

private:
    template <int K>
    static lanes combine(const point_factors& factor, const std::array<lanes, K + 1>& at)
    {
        lanes sum = at[0] * factor[0];
        for (int j = 1; j <= K; ++j) sum += at[j] * factor[j];
        return sum;
    }
    template <int K>
    static std::array<lanes, K + 1> gather(const columns& from, int g)
    {
        std::array<lanes, K + 1> at;
        for (int j = 0; j <= K; ++j) at[j] = load(from[j], g);
        return at;
    }

    template <int Level>
    void first_residual(double h)
    {
        constexpr const formula& m = formula_of_level<Level>;
        for (int g = 0; g < groups_; ++g) {
            const auto y = gather<m.k>(y_, g);
            const auto f = gather<m.k>(f_, g);
            for (int j = 0; j < m.k; ++j) store(z_[j], g, combine<m.k>(m.difference_y[j], y) - h * combine<m.k>(m.difference_f[j], f));
        }
    }
    template <int Level>
    void second_residual(double h, double scale)
    {
        constexpr const formula& m = formula_of_level<Level>;
        for (int g = 0; g < groups_; ++g) {
            const auto y = gather<m.k>(y_, g);
            for (int j = 0; j < m.k; ++j) store(z_[j], g, blended<m.k>(m.second_y[j], y, scale * load(z_[j], g)) - second_slope<Level>(j, g, h));
        }
    }

    template <int Level>
    void first_residual_with_mass(double h)
    {
        constexpr const formula& m = formula_of_level<Level>;
        for (int g = 0; g < groups_; ++g) {
            const auto y = gather<m.k>(y_, g);
            for (int j = 0; j < m.k; ++j) store(z_[j], g, combine<m.k>(m.difference_y[j], y));
        }
        mass_.multiply(z_, m.k);
        for (int g = 0; g < groups_; ++g) {
            const auto f = gather<m.k>(f_, g);
            for (int j = 0; j < m.k; ++j) store(z_[j], g, load(z_[j], g) - h * combine<m.k>(m.difference_f[j], f));
        }
    }
    template <int Level>
    void second_residual_with_mass(double h, double scale)
    {
        constexpr const formula& m = formula_of_level<Level>;
        for (int g = 0; g < groups_; ++g) {
            const auto y = gather<m.k>(y_, g);
            for (int j = 0; j < m.k; ++j) store(z_[j], g, blended<m.k>(m.second_y[j], y, scale * load(z_[j], g)));
        }
        mass_.multiply(z_, m.k);
        for (int j = 0; j < m.k; ++j)
            for (int g = 0; g < groups_; ++g) store(z_[j], g, load(z_[j], g) - second_slope<Level>(j, g, h));
    }
    template <int K>
    static lanes blended(const point_factors& factor, const std::array<lanes, K + 1>& at, lanes sum)
    {
        for (int j = 0; j <= K; ++j) sum += at[j] * factor[j];
        return sum;
    }
    template <int Level>
    [[nodiscard]] lanes second_slope(int j, int g, double h) const
    {
        constexpr const formula& m = formula_of_level<Level>;
        return h * (load(f_[0], g) * m.second_f0[j] + load(f_[j + 1], g) * m.gamma);
    }

    const mass_product& mass_;
    int n_;
    int groups_;
    columns y_, f_, z_;
};

} // namespace ivp::solvers::bimd_method

#endif
