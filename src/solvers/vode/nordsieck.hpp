// nordsieck: the scaled derivatives z_j = h^j y^(j) / j! of a multistep method's interpolating polynomial.
#ifndef IVP_SRC_SOLVERS_VODE_NORDSIECK_HPP
#define IVP_SRC_SOLVERS_VODE_NORDSIECK_HPP

#include "simd/components.hpp"

#include <array>
#include <cassert>
#include <utility>

namespace ivp::solvers {

class nordsieck {
public:
    static constexpr int highest_order = 12;

    template <class... Memory>
    nordsieck(int n, int max_order, Memory&... memory) : n_(n), row_(n, max_order + 1, memory...)
    {
        assert(max_order <= highest_order);
    }

    [[nodiscard]] double* row(int j) { return row_[j]; }
    [[nodiscard]] const double* row(int j) const { return row_[j]; }

    /// The polynomial of degree q moved on by one step: multiplication with Pascal's triangle.
    void predict(int q) { (this->*predictors[q])(); }
    /// Takes predict back (not bit by bit).
    void retract(int q) { (this->*retractors[q])(); }

    /// For a step eta times as long.
    void rescale(int q, double eta)
    {
        double power = 1;
        for (int j = 1; j <= q; ++j) {
            power *= eta;
            simd::for_components<double>(n_, [&](auto at) { at(row_[j]) *= power; });
        }
    }

    /// z_j += c_j e for j = first … last
    void add_multiples(int first, int last, const double* c, const double* e)
    {
        simd::for_components<double>(n_, [&](auto at) {
            const simd::pack<double> correction = at(e);
            for (int j = first; j <= last; ++j) at(row_[j]) += c[j] * correction;
        });
    }

    /// The polynomial at s steps from the point it belongs to (s <= 0: behind it).
    void evaluate(int q, double s, double* y) const
    {
        for (int i = 0; i < n_; ++i) {
            double value = row_[q][i];
            for (int j = q - 1; j >= 0; --j) value = row_[j][i] + s * value;
            y[i] = value;
        }
    }

private:
    // With the order known to the compiler a component's derivatives stay in registers.
    template <int Q, bool Forward>
    void shift()
    {
        const auto row = row_.first<Q + 1>();
        simd::for_components<double>(n_, [&](auto at) {
            std::array<simd::pack<double>, Q + 1> z;
            for (int j = 0; j <= Q; ++j) z[j] = at(row[j]);
            for (int k = Q; k >= 1; --k)
                for (int j = k - 1; j < Q; ++j) z[j] = Forward ? z[j] + z[j + 1] : z[j] - z[j + 1];
            for (int j = 0; j < Q; ++j) at(row[j]) = z[j];
        });
    }
    using shifter = void (nordsieck::*)();
    template <bool Forward, int... Q>
    static constexpr std::array<shifter, sizeof...(Q)> shifters(std::integer_sequence<int, Q...> /*orders*/)
    {
        return {&nordsieck::shift<Q, Forward>...};
    }
    static const std::array<shifter, highest_order + 1> predictors;
    static const std::array<shifter, highest_order + 1> retractors;

    int n_;
    simd::padded_vectors<double, highest_order + 1> row_;
};

inline constexpr std::array<nordsieck::shifter, nordsieck::highest_order + 1> nordsieck::predictors =
    nordsieck::shifters<true>(std::make_integer_sequence<int, nordsieck::highest_order + 1>{});
inline constexpr std::array<nordsieck::shifter, nordsieck::highest_order + 1> nordsieck::retractors =
    nordsieck::shifters<false>(std::make_integer_sequence<int, nordsieck::highest_order + 1>{});

} // namespace ivp::solvers

#endif
