// newton_control: when the simplified Newton iteration of the Radau codes has converged, and when it is hopeless.
#ifndef IVP_SRC_SOLVERS_RADAU_NEWTON_CONTROL_HPP
#define IVP_SRC_SOLVERS_RADAU_NEWTON_CONTROL_HPP

#include <algorithm>
#include <cmath>

namespace ivp::solvers {

enum class newton_verdict {
    go_on,
    converged, ///< the remaining error is estimated to be below the tolerance of the iteration
    diverges,
    slow, ///< it would not be done within the limit: the step is to be multiplied by step_factor()
};

template <class R>
class newton_control {
public:
    explicit newton_control(const R& smallest) : smallest_(smallest) {}

    /// Before the first iteration of a step. start: the rate of contraction that is reported if one iteration suffices.
    void begin(int limit, const R& tolerance, const R& start)
    {
        raise(); // where the last step has not done it
        limit_ = limit;
        tolerance_ = tolerance;
        contraction_ = start;
        iterations_ = 0;
        raised_ = false;
    }
    [[nodiscard]] bool may_iterate() const { return iterations_ < limit_; }

    /// norm: of the update that this iteration has found.
    [[gnu::always_inline]] newton_verdict after_iteration(R norm)
    {
        using std::sqrt;
        ++iterations_;
        if (iterations_ > 1 && iterations_ < limit_) {
            const R ratio = norm / previous_norm_;
            contraction_ = iterations_ == 2 ? ratio : R(sqrt(ratio * previous_ratio_));
            previous_ratio_ = ratio;
            if (!(contraction_ < R(0.99))) return newton_verdict::diverges;
            eta_ = contraction_ / (R(1) - contraction_);
            raised_ = true;
            // NOTE: asked first without the division, which most iterations then do not wait for
            if (eta_ * norm >= tolerance_ && too_slow(norm)) return newton_verdict::slow;
        }
        previous_norm_ = std::max(norm, smallest_);
        if (norm != norm) return newton_verdict::diverges;
        // NOTE: eta^0.8 >= eta, so a first update that is too large for eta needs no power, and the second iteration replaces eta.
        if (!raised_ && (eta_ >= R(1) || eta_ * norm <= tolerance_)) raise_now();
        return eta_ * norm <= tolerance_ ? newton_verdict::converged : newton_verdict::go_on;
    }

    [[nodiscard]] int iterations() const { return iterations_; }
    [[nodiscard]] const R& contraction() const { return contraction_; }
    [[nodiscard]] const R& step_factor() const { return step_factor_; }

private:
    /// Whether the error will not be below the tolerance after the last allowed iteration.
    [[gnu::noinline]] bool too_slow(const R& norm)
    {
        using std::pow;
        const int left = limit_ - 1 - iterations_;
        R predicted = eta_ * norm / tolerance_;
        for (int k = 0; k < left && predicted >= R(1); ++k) predicted *= contraction_;
        if (predicted < R(1)) return false;
        step_factor_ = R(0.8) * pow(std::clamp(predicted, R(1e-4), R(20)), R(-1) / (R(4) + R(left)));
        return true;
    }

    // The estimate of the last step is trusted less in a new one.
    void raise()
    {
        if (!raised_) raise_now();
    }
    [[gnu::noinline]] void raise_now()
    {
        using std::pow;
        eta_ = pow(std::max(eta_, smallest_), R(0.8));
        raised_ = true;
    }

    R smallest_; // floor of norms and of eta
    R tolerance_{};
    R eta_ = R(1); // contraction/(1 − contraction), kept from step to step
    R contraction_ = R(0);
    R previous_norm_{};
    R previous_ratio_{};
    R step_factor_{};
    int limit_ = 0;
    int iterations_ = 0;
    bool raised_ = true; // false: eta is still that of the last step
};

} // namespace ivp::solvers

#endif
