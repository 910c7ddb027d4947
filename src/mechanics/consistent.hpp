// Consistent initial values of a constrained mechanical system: 0 = phi, 0 = phi', 0 = phi'' and M w = f + s G^T lambda.
#ifndef IVP_SRC_MECHANICS_CONSISTENT_HPP
#define IVP_SRC_MECHANICS_CONSISTENT_HPP

#include <ivp/mechanics.hpp>

#include <vector>

namespace ivp {

/// (q, v, w, lambda) that satisfy all conditions to the rounding of R; the start that was given is in `given`, with lambda 0 unless the choice says
/// otherwise. Throws bad_request as mechanical_system does.
template <class R>
struct consistent_state {
    std::vector<R> given;
    std::vector<R> state;
};
template <class R>
consistent_state<R> make_consistent(const mechanics_info& info, const mechanical_functions<R>& functions, const start_choice& choice);

/// The names of (q, v, w, lambda).
std::vector<std::string> state_names(const mechanics_info& info);

/// M^-1 by columns; empty where M has none (or is so near to it that rounding decides).
template <class R>
std::vector<R> inverse(const std::vector<R>& m, int n);

} // namespace ivp

#endif
