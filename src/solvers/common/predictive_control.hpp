// Step-size control of the one-step codes: h_new = h / quotient, with the predictive part of Gustafsson.
#ifndef IVP_SOLVERS_COMMON_PREDICTIVE_CONTROL_HPP
#define IVP_SOLVERS_COMMON_PREDICTIVE_CONTROL_HPP

#include <algorithm>

namespace ivp::solvers {

/// Limits of h / h_new.
template <class R>
struct quotient_limits {
    R smallest;
    R largest;
    [[nodiscard]] R operator()(const R& q) const { return std::max(smallest, std::min(largest, q)); }
};

/// Remembers the last accepted step; where the error grows from step to step, it asks for a smaller one than the classical rule.
template <class R>
class predictive_control {
public:
    /// The quotient for the step after this accepted one. root: e^(1/k), k the order of the estimate. active: false uses the classical
    /// quotient alone, but remembers the step all the same. The square of the error is known before the error is: the next step waits for it.
    template <class Root>
    R after_accepted(const R& h, const R& error, const R& error_squared, const R& classical, const R& safety, const quotient_limits<R>& limits,
                     bool active, Root root)
    {
        R quotient = classical;
        if (active && has_previous_) {
            const R predicted = (h_previous_ / h) * root(error_squared / error_previous_) / safety;
            quotient = std::max(quotient, limits(predicted));
        }
        h_previous_ = h;
        error_previous_ = std::max(R(1) / R(100), error);
        has_previous_ = true;
        return quotient;
    }

private:
    bool has_previous_ = false;
    R h_previous_{};
    R error_previous_{};
};

} // namespace ivp::solvers

#endif
