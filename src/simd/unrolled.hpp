// unrolled: a loop that is written out, whose counter is a constant.
#ifndef IVP_SRC_SIMD_UNROLLED_HPP
#define IVP_SRC_SIMD_UNROLLED_HPP

#include <ivp/pack.hpp>

namespace ivp::simd {

inline namespace IVP_SIMD_SET {

/// A number that the compiler knows, handed over as an argument.
template <int K>
struct constant {
    static constexpr int value = K;
    IVP_ALWAYS_INLINE constexpr operator int() const { return K; } // NOLINT(google-explicit-constructor)
};

/// f(constant<First>), …, f(constant<Last − 1>)
///
/// NOTE: f must become part of the function around: as a function of its own it would get what it works on through memory. Compilers see to it
/// if that function is short. A long one says so itself, by [[gnu::flatten]]; here the attribute serves functions of no other one.
template <int First, int Last, class F>
[[gnu::always_inline, gnu::flatten]] inline void unrolled(const F& f)
{
    if constexpr (First < Last) {
        f(constant<First>{});
        unrolled<First + 1, Last>(f);
    }
}
template <int N, class F>
[[gnu::always_inline, gnu::flatten]] inline void unrolled(const F& f)
{
    unrolled<0, N>(f);
}

} // namespace IVP_SIMD_SET

} // namespace ivp::simd

#endif
