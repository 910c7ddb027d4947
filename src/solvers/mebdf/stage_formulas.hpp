// The passes over the history that a step of the modified extended BDF consists of; all for one order, which the compiler knows.
#ifndef IVP_SOLVERS_MEBDF_STAGE_FORMULAS_HPP
#define IVP_SOLVERS_MEBDF_STAGE_FORMULAS_HPP

#include "backward_differences.hpp"
#include "coefficients.hpp"
#include "solvers/common/lanes.hpp"

namespace ivp::solvers::mebdf {

/// Sums over the components of squares divided by the weights.
struct weighted_squares {
    double change = 0; ///< of ∇^{q+1}
    double top = 0;    ///< of ∇^q
    double below = 0;  ///< of ∇^{q−1}
};

/// rhs = y_n + Σ a_j ∇^j y_n, and (where predicted is not null) the sum of all differences.
template <int Q>
void first_stage(const backward_differences& past, int groups, double* rhs, double* predicted)
{
    constexpr const formula& f = formulas[Q];
    for (int g = 0; g < groups; ++g) {
        lanes value = load(past.nabla(0), g);
        lanes sum = value;
        for (int j = 1; j < Q; ++j) {
            const lanes d = load(past.nabla(j), g);
            value += d;
            sum += f.a[j] * d;
        }
        store(rhs, g, sum);
        if (predicted != nullptr) store(predicted, g, value + load(past.nabla(Q), g));
    }
}

/// With the differences that belong to y at the next point: rhs and predicted value of the point behind it, and the sums of the error test.
template <int Q>
weighted_squares second_stage(const backward_differences& past, int groups, const double* y, const double* inverse_weights, double* rhs,
                              double* predicted)
{
    constexpr const formula& f = formulas[Q];
    lanes change{};
    lanes top{};
    lanes below{};
    for (int g = 0; g < groups; ++g) {
        const lanes w = load(inverse_weights, g);
        lanes d = load(y, g);
        lanes value = d;
        lanes sum = d;
        for (int j = 1; j < Q; ++j) {
            d -= load(past.nabla(j - 1), g);
            value += d;
            sum += f.a[j] * d;
        }
        const lanes q_below = d * w;
        d -= load(past.nabla(Q - 1), g);
        const lanes q_top = d * w;
        const lanes q_change = (d - load(past.nabla(Q), g)) * w;
        change += q_change * q_change;
        top += q_top * q_top;
        below += q_below * q_below;
        store(rhs, g, sum);
        store(predicted, g, value + d);
    }
    return {sum_of(change), sum_of(top), sum_of(below)};
}

/// rhs of the extended formula; the slopes are those of the first two stages.
template <int Q>
void third_stage(const backward_differences& past, int groups, double h, const double* slope, const double* slope_ahead, double* rhs)
{
    constexpr const formula& f = formulas[Q];
    const double own = h * (f.b1 - f.b);
    const double ahead = h * f.b2;
    for (int g = 0; g < groups; ++g) {
        lanes sum = ahead * load(slope_ahead, g) + own * load(slope, g) + load(past.nabla(0), g);
        for (int j = 1; j < Q; ++j) sum += f.extended[j] * load(past.nabla(j), g);
        store(rhs, g, sum);
    }
}

/// The three passes of one order.
struct stage_passes {
    void (*first)(const backward_differences&, int, double*, double*);
    weighted_squares (*second)(const backward_differences&, int, const double*, const double*, double*, double*);
    void (*third)(const backward_differences&, int, double, const double*, const double*, double*);
};

template <int Q>
inline constexpr stage_passes passes_of{&first_stage<Q>, &second_stage<Q>, &third_stage<Q>};

/// Index: the order; there is no order 0.
inline constexpr std::array<stage_passes, highest_bdf_order + 1> passes{
    {{}, passes_of<1>, passes_of<2>, passes_of<3>, passes_of<4>, passes_of<5>, passes_of<6>, passes_of<7>}};

} // namespace ivp::solvers::mebdf

#endif
