// tracer: a number that remembers which inputs it was computed from (sparsity of a Jacobian).
//
// NOTE: the dependence is structural (0 * y depends on y), but a branch is followed by value: entries that only the other branch
// would have are not seen. A problem with branches declares its structure; tracing then checks the declaration.
#ifndef IVP_SCALAR_TRACER_HPP
#define IVP_SCALAR_TRACER_HPP

#include <ivp/scalar/value_of.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp {

struct tracer {
    double v = 0;
    std::vector<int> inputs; ///< sorted, unique

    tracer() = default;
    template <class A, class = std::enable_if_t<std::is_constructible_v<double, A>>>
    tracer(const A& a) : v(static_cast<double>(a)) // NOLINT(google-explicit-constructor): a constant depends on nothing
    {}
    tracer(double value, std::vector<int> from) : v(value), inputs(std::move(from)) {}

    static tracer input(double value, int index) { return {value, {index}}; }

    static std::vector<int> join(const std::vector<int>& a, const std::vector<int>& b)
    {
        std::vector<int> both;
        both.reserve(a.size() + b.size());
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        return both;
    }

    friend tracer operator+(const tracer& a, const tracer& b) { return {a.v + b.v, join(a.inputs, b.inputs)}; }
    friend tracer operator-(const tracer& a, const tracer& b) { return {a.v - b.v, join(a.inputs, b.inputs)}; }
    friend tracer operator*(const tracer& a, const tracer& b) { return {a.v * b.v, join(a.inputs, b.inputs)}; }
    friend tracer operator/(const tracer& a, const tracer& b) { return {a.v / b.v, join(a.inputs, b.inputs)}; }
    friend tracer operator-(const tracer& a) { return {-a.v, a.inputs}; }
    friend tracer operator+(const tracer& a) { return a; }
    tracer& operator+=(const tracer& b) { return *this = *this + b; }
    tracer& operator-=(const tracer& b) { return *this = *this - b; }
    tracer& operator*=(const tracer& b) { return *this = *this * b; }
    tracer& operator/=(const tracer& b) { return *this = *this / b; }

    friend bool operator==(const tracer& a, const tracer& b) { return a.v == b.v; }
    friend bool operator<(const tracer& a, const tracer& b) { return a.v < b.v; }
    friend bool operator>(const tracer& a, const tracer& b) { return a.v > b.v; }
    friend bool operator<=(const tracer& a, const tracer& b) { return a.v <= b.v; }
    friend bool operator>=(const tracer& a, const tracer& b) { return a.v >= b.v; }
};

#define IVP_TRACER_FUNCTION(name) \
    inline tracer name(const tracer& a) { return {std::name(a.v), a.inputs}; }
IVP_TRACER_FUNCTION(exp)
IVP_TRACER_FUNCTION(log)
IVP_TRACER_FUNCTION(log10)
IVP_TRACER_FUNCTION(sqrt)
IVP_TRACER_FUNCTION(sin)
IVP_TRACER_FUNCTION(cos)
IVP_TRACER_FUNCTION(tan)
IVP_TRACER_FUNCTION(asin)
IVP_TRACER_FUNCTION(acos)
IVP_TRACER_FUNCTION(atan)
IVP_TRACER_FUNCTION(sinh)
IVP_TRACER_FUNCTION(cosh)
IVP_TRACER_FUNCTION(tanh)
IVP_TRACER_FUNCTION(abs)
IVP_TRACER_FUNCTION(fabs)
#undef IVP_TRACER_FUNCTION

inline tracer atan2(const tracer& a, const tracer& b) { return {std::atan2(a.v, b.v), tracer::join(a.inputs, b.inputs)}; }
inline tracer pow(const tracer& a, const tracer& b) { return {std::pow(a.v, b.v), tracer::join(a.inputs, b.inputs)}; }

inline double value_of(const tracer& a) { return a.v; }

} // namespace ivp

#endif
