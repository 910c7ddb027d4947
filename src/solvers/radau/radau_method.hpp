// radau_method: a Radau IIA method in the precision R, in the transformed form that the Newton iteration works on.
#ifndef IVP_SRC_SOLVERS_RADAU_RADAU_METHOD_HPP
#define IVP_SRC_SOLVERS_RADAU_RADAU_METHOD_HPP

#include "radau_tables.hpp"

#include <ivp/scalar.hpp>

#include <array>
#include <cassert>
#include <cstddef>
#include <tuple>

namespace ivp::solvers {

constexpr int most_radau_stages = 7;

/// S stages, order 2S − 1; A^-1 = T diag(gamma, [alpha −beta; beta alpha], …) T^-1.
template <class R, int S>
struct radau_method {
    static_assert(S == 1 || S == 3 || S == 5 || S == 7);
    static constexpr int pairs = (S - 1) / 2;

    std::array<R, S> c; ///< nodes
    std::array<R, S> e; ///< error estimate: minus the derivative at the start of the polynomial through 0 and the stage increments
    R gamma;
    std::array<R, pairs> alpha;
    std::array<R, pairs> beta;
    std::array<std::array<R, S>, S> t; ///< its last row is (t, 1, 0, 1, 0, …)
    std::array<std::array<R, S>, S> t_inverse;
    /// For divided differences over the points 1, c_{S−1}, …, c_1, 0: [k − 1][j − 1] is 1/(x_k − x_{k−j}).
    std::array<std::array<R, S>, S> inverse_distance;

    static const radau_method& get()
    {
        static const radau_method method = read(radau_tables::of<S>);
        return method;
    }

private:
    template <std::size_t N>
    static std::array<R, N> numbers(const std::array<const char*, N>& text)
    {
        std::array<R, N> values{};
        for (std::size_t i = 0; i < N; ++i) values[i] = decimal(text[i]).in<R>();
        return values;
    }
    [[gnu::noinline]] static radau_method read(const radau_tables::table<S>& table)
    {
        radau_method m{numbers(table.c), numbers(table.e), decimal(table.gamma).in<R>(), numbers(table.alpha), numbers(table.beta), {}, {}, {}};
        for (int i = 0; i < S; ++i) {
            m.t[i] = numbers(table.t[i]);
            m.t_inverse[i] = numbers(table.t_inverse[i]);
        }
        const auto point = [&m](int k) { return k == S ? R(0) : m.c[S - 1 - k]; };
        for (int k = 1; k <= S; ++k)
            for (int j = 1; j <= k; ++j) m.inverse_distance[k - 1][j - 1] = R(1) / (point(k) - point(k - j));
        return m;
    }
};

/// f.operator()<S>() for the number of stages that is known at run time only.
template <class F>
decltype(auto) with_stages(int stages, F&& f)
{
    switch (stages) {
    case 3: return f.template operator()<3>();
    case 5: return f.template operator()<5>();
    case 7: return f.template operator()<7>();
    default: break;
    }
    assert(stages == 1);
    return f.template operator()<1>();
}

/// The methods that an integrator uses, read before its first step. To ask for them anew in every pass over the components is noticed in a step with
/// few equations.
template <class R>
class radau_methods {
public:
    radau_methods(int least_stages, int most_stages)
    {
        for (int s = least_stages; s <= most_stages; s += 2)
            with_stages(s, [&]<int S>() { std::get<const radau_method<R, S>*>(methods_) = &radau_method<R, S>::get(); });
    }

    template <int S>
    [[nodiscard]] const radau_method<R, S>& with() const
    {
        return *std::get<const radau_method<R, S>*>(methods_);
    }

private:
    std::tuple<const radau_method<R, 1>*, const radau_method<R, 3>*, const radau_method<R, 5>*, const radau_method<R, 7>*> methods_{};
};

} // namespace ivp::solvers

#endif
