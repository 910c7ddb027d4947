// nordsieck: the scaled derivatives z_j = h^j y^(j) / j! of a multistep method's interpolating polynomial.
#ifndef IVP_SRC_SOLVERS_VODE_NORDSIECK_HPP
#define IVP_SRC_SOLVERS_VODE_NORDSIECK_HPP

#include "solvers/common/lanes.hpp"

#include <array>
#include <cassert>
#include <utility>
#include <vector>

namespace ivp::solvers {

class nordsieck {
public:
    static constexpr int highest_order = 12;

    nordsieck(int n, int max_order) : groups_(groups_of(n))
    {
        assert(max_order <= highest_order);
        rows_.reserve(max_order + 1);
        for (int j = 0; j <= max_order; ++j) rows_.emplace_back(n);
        for (int j = 0; j <= max_order; ++j) row_[j] = rows_[j].data();
    }

    [[nodiscard]] double* row(int j) { return row_[j]; }
    [[nodiscard]] const double* row(int j) const { return row_[j]; }
    [[nodiscard]] int groups() const { return groups_; }

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
            double* const z = row_[j];
            const int groups = groups_;
            for (int g = 0; g < groups; ++g) store(z, g, load(z, g) * power);
        }
    }

    /// z_j += c_j e for j = first … last
    void add_multiples(int first, int last, const double* c, const double* e)
    {
        const int groups = groups_;
        for (int g = 0; g < groups; ++g) {
            const lanes correction = load(e, g);
            for (int j = first; j <= last; ++j) store(row_[j], g, load(row_[j], g) + c[j] * correction);
        }
    }

    /// The polynomial at s steps from the point it belongs to (s <= 0: behind it).
    void evaluate(int q, double s, int n, double* y) const
    {
        for (int i = 0; i < n; ++i) {
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
        const int groups = groups_;
        const auto row = row_;
        for (int g = 0; g < groups; ++g) {
            lanes z[Q + 1]; // NOLINT(modernize-avoid-c-arrays): std::array drops the attribute of lanes
            for (int j = 0; j <= Q; ++j) z[j] = load(row[j], g);
            for (int k = Q; k >= 1; --k)
                for (int j = k - 1; j < Q; ++j) z[j] = Forward ? z[j] + z[j + 1] : z[j] - z[j + 1];
            for (int j = 0; j < Q; ++j) store(row[j], g, z[j]);
        }
    }
    using shifter = void (nordsieck::*)();
    template <bool Forward, int... Q>
    static constexpr std::array<shifter, sizeof...(Q)> shifters(std::integer_sequence<int, Q...> /*orders*/)
    {
        return {&nordsieck::shift<Q, Forward>...};
    }
    static const std::array<shifter, highest_order + 1> predictors;
    static const std::array<shifter, highest_order + 1> retractors;

    int groups_;
    std::vector<lane_vector> rows_;
    std::array<double*, highest_order + 1> row_{};
};

inline constexpr std::array<nordsieck::shifter, nordsieck::highest_order + 1> nordsieck::predictors =
    nordsieck::shifters<true>(std::make_integer_sequence<int, nordsieck::highest_order + 1>{});
inline constexpr std::array<nordsieck::shifter, nordsieck::highest_order + 1> nordsieck::retractors =
    nordsieck::shifters<false>(std::make_integer_sequence<int, nordsieck::highest_order + 1>{});

} // namespace ivp::solvers

#endif
