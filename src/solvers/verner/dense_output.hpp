// Dense output of DVERK, of order 5: the pair itself has none, so it is built up in three stages from further evaluations of f.
//
//   cubic H through values and slopes at both ends;
//   with the slope at H(1/3):  H + s²(1−s)² A;
//   with slopes at its values in 1/3 and 2/3:  H + s²(1−s)² (A + (s − 1/2) B).
//
// The evaluations are made for the observer alone, when it first asks in a step, and are not counted.
#ifndef IVP_SRC_SOLVERS_VERNER_DENSE_OUTPUT_HPP
#define IVP_SRC_SOLVERS_VERNER_DENSE_OUTPUT_HPP

#include "dverk_integrator.hpp"

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <algorithm>
#include <vector>

namespace ivp::solvers {

class dverk_dense_output final : public interpolant {
public:
    dverk_dense_output(const equations<double>& eq, int n)
        : equations_(eq), difference_(n), bend_(n), twist_(n), a_(n), b_(n), value_(n), first_(n), second_(n)
    {}
    /// y: at the end of the step. Both stay valid until the next begin().
    void begin(const dverk_integrator::last_step& s, const double* y)
    {
        step_ = s;
        y_ = y;
        ready_ = false;
    }
    void evaluate(double t, double* y) const override
    {
        if (!ready_) prepare();
        place((t - step_.t_old) / step_.h, y);
    }

private:
    static constexpr double third = 1.0 / 3;
    static constexpr double two_thirds = 2.0 / 3;

    void prepare() const
    {
        ready_ = true;
        std::fill(a_.begin(), a_.end(), 0.0);
        std::fill(b_.begin(), b_.end(), 0.0);
        const int n = static_cast<int>(a_.size());
        const bool known = step_.slope != nullptr || equations_.f(step_.t, y_, value_.data()) == evaluation::ok;
        const double* const slope = step_.slope != nullptr ? step_.slope : value_.data();
        for (int i = 0; i < n; ++i) {
            difference_[i] = y_[i] - step_.y_old[i];
            bend_[i] = step_.h * step_.slope_old[i] - difference_[i];
            twist_[i] = known ? difference_[i] - step_.h * slope[i] - bend_[i] : 0;
        }
        // Outside the domain what has been found so far has to do.
        if (!known || !slope_inside(third, first_)) return;
        for (int i = 0; i < n; ++i) a_[i] = 27.0 / 4 * (step_.h * first_[i] - cubic_slope_at_third(i));
        if (!slope_inside(third, first_) || !slope_inside(two_thirds, second_)) return;
        for (int i = 0; i < n; ++i) {
            const double r1 = step_.h * first_[i] - cubic_slope_at_third(i);
            const double r2 = step_.h * second_[i] - cubic_slope_at_two_thirds(i);
            a_[i] = 27.0 / 8 * (r1 - r2);
            b_[i] = 81.0 / 4 * (r1 + r2);
        }
    }

    [[nodiscard]] double cubic_slope_at_third(int i) const { return difference_[i] + (bend_[i] + twist_[i]) / 3; }
    [[nodiscard]] double cubic_slope_at_two_thirds(int i) const { return difference_[i] - bend_[i] / 3; }

    bool slope_inside(double s, std::vector<double>& out) const
    {
        place(s, value_.data());
        return equations_.f(step_.t_old + s * step_.h, value_.data(), out.data()) == evaluation::ok;
    }

    void place(double s, double* y) const
    {
        const double r = 1 - s;
        for (std::size_t i = 0; i < a_.size(); ++i)
            y[i] = step_.y_old[i] + s * (difference_[i] + r * (bend_[i] + s * (twist_[i] + r * (a_[i] + (s - 0.5) * b_[i]))));
    }

    const equations<double>& equations_;
    dverk_integrator::last_step step_{};
    const double* y_ = nullptr;
    mutable bool ready_ = false;
    mutable std::vector<double> difference_, bend_, twist_, a_, b_;
    mutable std::vector<double> value_, first_, second_;
};

} // namespace ivp::solvers

#endif
