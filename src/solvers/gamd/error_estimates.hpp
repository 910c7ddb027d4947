// error_estimates: of a block that has been solved, at its own order and at the next higher and lower one.
//
// Each estimate starts from a defect r_i for every equation; (M − h λ J) d_i = M d_{i−1} − r_i carries it through the block, and the largest
// norm of the d_i counts.
#ifndef IVP_SOLVERS_GAMD_ERROR_ESTIMATES_HPP
#define IVP_SOLVERS_GAMD_ERROR_ESTIMATES_HPP

#include "block.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace ivp::solvers::gamd_method {

class error_estimates {
public:
    explicit error_estimates(evaluator& e)
        : mass_(e.mass()),
          groups_(groups_of(e.n())),
          with_mass_(mass_.kind() != mass_kind::identity),
          defect_(e.n()),
          at_end_(e.n()),
          error_(e.n()),
          product_(e.n())
    {}

    double same_order(int order, const block& b, double h, iteration_matrix& matrix, const block_weights& weights)
    {
        return with_order(order, [&]<int P>() {
            make_defects<P>(b, h);
            return carried_through(block_method<P>::equations, at_end_.data(), matrix, weights);
        });
    }
    /// y* − y at the end of the block, as same_order() saw it.
    [[nodiscard]] const double* at_end() const { return at_end_.data(); }

    /// After same_order(), whose defects it uses up.
    double higher_order(int order, iteration_matrix& matrix, const block_weights& weights)
    {
        return with_order(order, [&]<int P>() {
            if constexpr (P < highest_order) {
                raise_defects<P>();
                return carried_through(block_method<P>::equations, error_.data(), matrix, weights);
            }
            return 0.0;
        });
    }
    double lower_order(int order, const block& b, double h, iteration_matrix& matrix, const block_weights& weights)
    {
        return with_order(order, [&]<int P>() {
            if constexpr (P > lowest_order) {
                make_lower_defects<P>(b, h);
                return carried_through(block_method<P>::equations, error_.data(), matrix, weights);
            }
            return 0.0;
        });
    }

private:
    static constexpr double smallest = 1e-15; // limits the growth

    double carried_through(int equations, double* d, iteration_matrix& matrix, const block_weights& weights)
    {
        const double scale = matrix.scale();
        double largest = smallest;
        for (int i = 1; i <= equations; ++i) {
            const double* const r = defect_[i];
            const double* before = d;
            if (i > 1 && with_mass_) {
                mass_.multiply(d, product_.data());
                before = product_.data();
            }
            for (int g = 0; g < groups_; ++g) group(d, g) = scale * (i == 1 ? -group(r, g) : group(before, g) - group(r, g));
            matrix.solve(d);
            lanes squares{};
            for (int g = 0; g < groups_; ++g) {
                const lanes weighted = group(d, g) * group(weights.inverse(), g);
                squares += weighted * weighted;
            }
            const double norm = weights.norm_from(squares);
            if (!(norm < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
            largest = std::max(largest, norm);
        }
        return largest;
    }

    // What the equations miss against the polynomial through all points of the block.
    template <int P>
    void make_defects(const block& b, double h)
    {
        using method = block_method<P>;
        for (int g = 0; g < groups_; ++g) {
            if constexpr (method::points % 2 == 0) { // the rows are odd about the middle of the block, and about that of each row
                constexpr int half = method::points / 2;
                std::array<lanes, half> odd;
                for (int j = 0; j < half; ++j) odd[j] = group(b.f[j], g) - group(b.f[method::points - 1 - j], g);
                unrolled<half - 1>([&]<int I>() {
                    lanes sum{};
                    unrolled<half>([&]<int J>() { sum += method::defect[I][J] * odd[J]; });
                    group(defect_[I + 1], g) = h * sum;
                    group(defect_[method::equations - I], g) = -h * sum;
                });
                group(defect_[half], g) = group(defect_[half - 1], g);
            } else {
                unrolled<method::equations>([&]<int I>() {
                    lanes sum{};
                    unrolled<method::points>([&]<int J>() { sum += method::defect[I][J] * group(b.f[J], g); });
                    group(defect_[I + 1], g) = h * sum;
                });
            }
        }
    }

    // Divided by their error constants the defects are samples of one derivative; second differences of these are the next but one.
    template <int P>
    void raise_defects()
    {
        using method = block_method<P>;
        constexpr int equations = method::equations;
        for (int g = 0; g < groups_; ++g) {
            std::array<lanes, equations> derivative;
            unrolled<equations>([&]<int I>() { derivative[I] = group(defect_[I + 1], g) / method::error_constants[I]; });
            unrolled<equations>([&]<int I>() {
                constexpr int a = std::clamp(I - 1, 0, equations - 3);
                constexpr double c = error_constant(P + 2, I + 1).value();
                group(defect_[I + 1], g) = (-derivative[a] + 2.0 * derivative[a + 1] - derivative[a + 2]) * c;
            });
        }
    }

    // What the formulas of the order below would miss against those of this one: every window is a block of that order.
    template <int P>
    void make_lower_defects(const block& b, double h)
    {
        using method = block_method<P>;
        using lower = block_method<P - 2>;
        static_assert(lower::points == P);
        for (int g = 0; g < groups_; ++g)
            unrolled<method::equations>([&]<int I>() {
                constexpr int start = method::window_start(I + 1);
                lanes sum{};
                unrolled<P>([&]<int J>() { sum += lower::defect[I - start][J] * group(b.f[start + J], g); });
                // NOTE: at order 9 the second half has the opposite sign in Iavernaro and Mazzia's code. It decides when the order falls to 7, so
                // their runs are reproduced only with it.
                group(defect_[I + 1], g) = (P == 9 && start > 0 ? -h : h) * sum;
            });
    }

    const mass_matrix<double>& mass_;
    int groups_;
    bool with_mass_;
    point_vectors defect_; // of equation i at i
    lane_vector at_end_, error_, product_;
};

} // namespace ivp::solvers::gamd_method

#endif
