// derivatives: f, its Jacobian and df/dt as SECDER needs them: y'' = J f + df/dt, and the iteration matrix I − h β J − h² γ J².
#ifndef IVP_SOLVERS_SECDER_DERIVATIVES_HPP
#define IVP_SOLVERS_SECDER_DERIVATIVES_HPP

#include "linalg/matrix_lu.hpp"
#include "solvers/common/iteration_matrix.hpp"
#include "solvers/common/working_precision.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace ivp::solvers {

template <class Real>
class secder_derivatives {
public:
    secder_derivatives(evaluator& e, const solve_options& o, Real roundoff)
        : e_(e),
          n_(e.n()),
          roundoff_(roundoff),
          autonomous_(e.problem().info().autonomous()),
          linearised_(e, o, algebra::dense, structure::full()),
          by_rows_(static_cast<std::size_t>(n_) * n_),
          lu_(n_, e.count()),
          point_(e),
          slope_(e),
          wide_(n_),
          time_derivative_(n_)
    {}

    /// J and df/dt at (t, y), where f = slope. towards: differences in t go this way.
    evaluation linearise(Real t, const Real* y, const Real* slope, Real towards)
    {
        const root_increment<double> increment{roundoff_};
        const double* const at = point_.widened(y);
        const evaluation e = linearised_.linearise(t, at, slope_.widened(slope), increment);
        if constexpr (!std::is_same_v<Real, double>) keep_rounded();
        if (e != evaluation::ok || autonomous_) return e;
        if (!linearised_.by_differences()) {
            const evaluation found = e_.time_derivative(t, at, nullptr, wide_.data());
            copy_rounded(wide_.data(), wide_.size(), time_derivative_.data());
            return found;
        }
        const double delta = std::copysign(increment(t), static_cast<double>(towards));
        const evaluation at_other_time = e_.f_for_jacobian(t + delta, at, wide_.data());
        for (int i = 0; i < n_; ++i) time_derivative_[i] = static_cast<Real>((wide_[i] - slope[i]) / delta);
        return at_other_time;
    }

    /// out = J slope + df/dt
    void second(const Real* slope, Real* out) const
    {
        if (n_ <= few) {
            // The same sums, one after the other: shorter than the beginning of a loop over columns.
            const Real* const first = jacobian_column(0);
            const std::ptrdiff_t ld = n_ > 1 ? jacobian_column(1) - first : 0;
            for (int i = 0; i < n_; ++i) {
                Real sum = 0;
                for (int j = 0; j < n_; ++j) sum += first[i + j * ld] * slope[j];
                out[i] = sum;
            }
        } else {
            std::fill(out, out + n_, Real(0));
            for (int j = 0; j < n_; ++j) {
                const Real* const column = jacobian_column(j);
                for (int i = 0; i < n_; ++i) out[i] += column[i] * slope[j];
            }
        }
        if (autonomous_) return;
        for (int i = 0; i < n_; ++i) out[i] += time_derivative_[i];
    }

    /// Factors I − a J − b J²; false: singular, or so near to it that a pivot vanishes beside 1.
    [[nodiscard]] bool factor(Real a, Real b)
    {
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i) by_rows_[static_cast<std::size_t>(i) * n_ + j] = jacobian_column(j)[i];
        for (int i = 0; i < n_; ++i) {
            Real* const out = lu_.row(i);
            const Real* const of_i = jacobian_row(i);
            std::fill(out, out + n_, Real(0));
            for (int m = 0; m < n_; ++m) {
                if (of_i[m] == 0) continue;
                const Real* const of_m = jacobian_row(m);
                for (int j = 0; j < n_; ++j) out[j] += of_i[m] * of_m[j];
            }
            for (int j = 0; j < n_; ++j) out[j] *= -b;
            // NOTE: where 1 is lost in the rounding of J², a singular J would make the whole matrix singular.
            if (out[i] == out[i] + 1) out[i] *= 1 - 10 * roundoff_;
            const Real diagonal = (of_i[i] * -a + 1) + out[i];
            for (int j = 0; j < n_; ++j) out[j] = of_i[j] * -a + out[j];
            out[i] = diagonal;
        }
        if (!lu_.factor()) return false;
        if (n_ == 1) return true;
        for (int k = 0; k < n_; ++k)
            if (1 + std::abs(lu_.pivot(k)) == 1) return false;
        return true;
    }

    void solve(Real* b)
    {
        lu_.solve(b);
        ++e_.count().solve;
    }

private:
    static constexpr int few = 8;

    [[nodiscard]] const Real* jacobian_column(int j) const
    {
        if constexpr (std::is_same_v<Real, double>)
            return linearised_.jacobian().data + static_cast<std::ptrdiff_t>(j) * linearised_.jacobian().ld;
        else
            return rounded_.data() + static_cast<std::ptrdiff_t>(j) * n_;
    }
    void keep_rounded()
    {
        const matrix_view<double> found = linearised_.jacobian();
        rounded_.resize(by_rows_.size());
        for (std::ptrdiff_t j = 0; j < n_; ++j) copy_rounded(found.data + j * found.ld, static_cast<std::size_t>(n_), rounded_.data() + j * n_);
    }

    [[nodiscard]] const Real* jacobian_row(int i) const { return by_rows_.data() + static_cast<std::ptrdiff_t>(i) * n_; }

    evaluator& e_;
    int n_;
    Real roundoff_;
    bool autonomous_;
    linearisation linearised_;
    std::vector<Real> by_rows_; // J, for its square
    std::vector<Real> rounded_; // J, for Real that is not double
    basic_matrix_lu<Real> lu_;
    working_precision<Real> point_, slope_;
    std::vector<double> wide_;
    std::vector<Real> time_derivative_;
};

} // namespace ivp::solvers

#endif
