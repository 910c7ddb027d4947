// The passes over the history that a step of the modified extended BDF consists of; all for one order, which the compiler knows.
#ifndef IVP_SOLVERS_MEBDF_STAGE_FORMULAS_HPP
#define IVP_SOLVERS_MEBDF_STAGE_FORMULAS_HPP

#include "backward_differences.hpp"
#include "coefficients.hpp"
#include "simd/components.hpp"

namespace ivp::solvers::mebdf {

/// Sums over the components of squares divided by the weights.
struct weighted_squares {
    double change = 0; ///< of ∇^{q+1}
    double top = 0;    ///< of ∇^q
    double below = 0;  ///< of ∇^{q−1}
};

using value = simd::pack<double>;

/// rhs = y_n + Σ a_j ∇^j y_n, and (where predicted is not null) the sum of all differences.
template <int Q>
void first_stage(const backward_differences& past, double* rhs, double* predicted)
{
    constexpr const formula& f = formulas[Q];
    simd::for_components<double>(past.n(), [&](auto at) {
        value extrapolated = at(past.nabla(0));
        value sum = extrapolated;
        for (int j = 1; j < Q; ++j) {
            const value d = at(past.nabla(j));
            extrapolated += d;
            sum += f.a[j] * d;
        }
        at(rhs) = sum;
        if (predicted != nullptr) at(predicted) = extrapolated + at(past.nabla(Q));
    });
}

/// With the differences that belong to y at the next point: rhs and predicted value of the point behind it, and the sums of the error test.
template <int Q>
weighted_squares second_stage(const backward_differences& past, const double* y, const double* inverse_weights, double* rhs, double* predicted)
{
    constexpr const formula& f = formulas[Q];
    value change{};
    value top{};
    value below{};
    simd::for_components<double>(past.n(), [&](auto at) {
        const value w = at(inverse_weights);
        value d = at(y);
        value extrapolated = d;
        value sum = d;
        for (int j = 1; j < Q; ++j) {
            d -= at(past.nabla(j - 1));
            extrapolated += d;
            sum += f.a[j] * d;
        }
        const value q_below = d * w;
        d -= at(past.nabla(Q - 1));
        const value q_top = d * w;
        const value q_change = (d - at(past.nabla(Q))) * w;
        change += q_change * q_change;
        top += q_top * q_top;
        below += q_below * q_below;
        at(rhs) = sum;
        at(predicted) = extrapolated + d;
    });
    return {sum_of(change), sum_of(top), sum_of(below)};
}

/// rhs of the extended formula; the slopes are those of the first two stages.
template <int Q>
void third_stage(const backward_differences& past, double h, const double* slope, const double* slope_ahead, double* rhs)
{
    constexpr const formula& f = formulas[Q];
    const double own = h * (f.b1 - f.b);
    const double ahead = h * f.b2;
    simd::for_components<double>(past.n(), [&](auto at) {
        value sum = ahead * at(slope_ahead) + own * at(slope) + at(past.nabla(0));
        for (int j = 1; j < Q; ++j) sum += f.extended[j] * at(past.nabla(j));
        at(rhs) = sum;
    });
}

/// The three passes of one order.
struct stage_passes {
    void (*first)(const backward_differences&, double*, double*);
    weighted_squares (*second)(const backward_differences&, const double*, const double*, double*, double*);
    void (*third)(const backward_differences&, double, const double*, const double*, double*);
};

template <int Q>
inline constexpr stage_passes passes_of{&first_stage<Q>, &second_stage<Q>, &third_stage<Q>};

/// Index: the order; there is no order 0.
inline constexpr std::array<stage_passes, highest_bdf_order + 1> passes{
    {{}, passes_of<1>, passes_of<2>, passes_of<3>, passes_of<4>, passes_of<5>, passes_of<6>, passes_of<7>}};

} // namespace ivp::solvers::mebdf

#endif
