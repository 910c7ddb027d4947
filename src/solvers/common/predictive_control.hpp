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
    /// The quotient for the step after this one, if it is accepted. root: e^(1/k), k the order of the estimate. active: false is the classical
    /// quotient alone.
    ///
    /// NOTE: roots and divisions wait for each other, a hundred cycles in a row. A code asks for the quotient before it evaluates f at the end of
    /// the step: f does not need it, and both run at the same time. The square of the error may be known before the error is.
    template <class Root>
    [[nodiscard]] R quotient(const R& h, const R& error_squared, const R& classical, const R& safety, const quotient_limits<R>& limits, bool active,
                             Root root) const
    {
        if (!active || !has_previous_) return classical;
        const R predicted = (h_previous_ / h) * root(error_squared / error_previous_) / safety;
        return std::max(classical, limits(predicted));
    }
    void remember_accepted(const R& h, const R& error)
    {
        h_previous_ = h;
        error_previous_ = std::max(R(1) / R(100), error);
        has_previous_ = true;
    }

private:
    bool has_previous_ = false;
    R h_previous_{};
    R error_previous_{};
};

} // namespace ivp::solvers

#endif
