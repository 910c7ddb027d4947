// derivatives: f, its Jacobian and df/dt as SECDER needs them: y'' = J f + df/dt, and the iteration matrix I − h β J − h² γ J².
#ifndef IVP_SOLVERS_SECDER_DERIVATIVES_HPP
#define IVP_SOLVERS_SECDER_DERIVATIVES_HPP

#include "linalg/matrix_lu.hpp"
#include "solvers/common/iteration_matrix.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ivp::solvers {

class secder_derivatives {
public:
    secder_derivatives(evaluator& e, const solve_options& o, double roundoff)
        : e_(e),
          n_(e.n()),
          roundoff_(roundoff),
          autonomous_(e.problem().info().autonomous()),
          linearised_(e, o, algebra::dense, structure::full()),
          by_rows_(static_cast<std::size_t>(n_) * n_),
          lu_(n_, e.count()),
          time_derivative_(n_)
    {}

    /// J and df/dt at (t, y), where f = slope. towards: differences in t go this way. work is overwritten.
    evaluation linearise(double t, const double* y, const double* slope, double towards, double* work)
    {
        const root_increment<double> increment{roundoff_};
        const evaluation e = linearised_.linearise(t, y, slope, increment);
        if (e != evaluation::ok || autonomous_) return e;
        if (!linearised_.by_differences()) return e_.time_derivative(t, y, nullptr, time_derivative_.data());
        const double delta = std::copysign(increment(t), towards);
        const evaluation at_other_time = e_.f_for_jacobian(t + delta, y, work);
        for (int i = 0; i < n_; ++i) time_derivative_[i] = (work[i] - slope[i]) / delta;
        return at_other_time;
    }

    /// out = J slope + df/dt
    void second(const double* slope, double* out) const
    {
        if (n_ <= few) {
            // The same sums, one after the other: shorter than the beginning of a loop over columns.
            const matrix_view<double> j_of = linearised_.jacobian();
            for (int i = 0; i < n_; ++i) {
                double sum = 0;
                for (int j = 0; j < n_; ++j) sum += j_of.data[i + static_cast<std::ptrdiff_t>(j) * j_of.ld] * slope[j];
                out[i] = sum;
            }
        } else {
            std::fill(out, out + n_, 0.0);
            for (int j = 0; j < n_; ++j) {
                const double* const column = jacobian_column(j);
                for (int i = 0; i < n_; ++i) out[i] += column[i] * slope[j];
            }
        }
        if (autonomous_) return;
        for (int i = 0; i < n_; ++i) out[i] += time_derivative_[i];
    }

    /// Factors I − a J − b J²; false: singular, or so near to it that a pivot vanishes beside 1.
    [[nodiscard]] bool factor(double a, double b)
    {
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i) by_rows_[static_cast<std::size_t>(i) * n_ + j] = jacobian_column(j)[i];
        for (int i = 0; i < n_; ++i) {
            double* const out = lu_.row(i);
            const double* const of_i = jacobian_row(i);
            std::fill(out, out + n_, 0.0);
            for (int m = 0; m < n_; ++m) {
                if (of_i[m] == 0) continue;
                const double* const of_m = jacobian_row(m);
                for (int j = 0; j < n_; ++j) out[j] += of_i[m] * of_m[j];
            }
            for (int j = 0; j < n_; ++j) out[j] *= -b;
            // NOTE: where 1 is lost in the rounding of J², a singular J would make the whole matrix singular.
            if (out[i] == out[i] + 1) out[i] *= 1 - 10 * roundoff_;
            const double diagonal = (of_i[i] * -a + 1) + out[i];
            for (int j = 0; j < n_; ++j) out[j] = of_i[j] * -a + out[j];
            out[i] = diagonal;
        }
        if (!lu_.factor()) return false;
        if (n_ == 1) return true;
        for (int k = 0; k < n_; ++k)
            if (1 + std::abs(lu_.pivot(k)) == 1) return false;
        return true;
    }

    void solve(double* b)
    {
        lu_.solve(b);
        ++e_.count().solve;
    }

private:
    static constexpr int few = 8;

    [[nodiscard]] const double* jacobian_column(int j) const
    {
        return linearised_.jacobian().data + static_cast<std::ptrdiff_t>(j) * linearised_.jacobian().ld;
    }

    [[nodiscard]] const double* jacobian_row(int i) const { return by_rows_.data() + static_cast<std::ptrdiff_t>(i) * n_; }

    evaluator& e_;
    int n_;
    double roundoff_;
    bool autonomous_;
    linearisation linearised_;
    std::vector<double> by_rows_; // J, for its square
    matrix_lu lu_;
    std::vector<double> time_derivative_;
};

} // namespace ivp::solvers

#endif
