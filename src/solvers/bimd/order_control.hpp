// order_control: order and step size of the next block, after one was accepted.
#ifndef IVP_SOLVERS_BIMD_ORDER_CONTROL_HPP
#define IVP_SOLVERS_BIMD_ORDER_CONTROL_HPP

#include "block.hpp"
#include "coefficients.hpp"
#include "control.hpp"
#include "error_estimate.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::solvers::bimd_method {

/// Limits of the step ratio.
constexpr double shrink = 0.12;
constexpr double growth = 10;

/// x^(1/(k+1)): the step ratio for which an estimate of this level becomes x times as large.
inline double step_root(double x, int level) { return std::pow(x, 1.0 / (points[level] + 1)); }

struct order_settings {
    int lowest; ///< levels
    int highest;
    int index;
    bool is_dae;
    double rtol;
    double tend;
};

/// An accepted block, as far as the choice of the next one depends on it.
struct finished_block {
    int level;
    double t; ///< its end
    block_report report;
    double error;      ///< norm of the estimate
    bool new_jacobian; ///< it was computed with matrices of its own
    bool new_factors;
    bool linear;
    bool after_failures;
};

struct block_plan {
    int level;
    double h;
    bool new_matrices = false; ///< the contraction shall be measured with matrices of the next block's own
};

class order_control {
public:
    order_control(const order_settings& s, const structure& jacobian, int n) : set_(s), contraction_(s.rtol)
    {
        const double size = n;
        const bool band = jacobian.kind == structure_kind::band;
        solve_cost_ = band ? 2 * size * (jacobian.lower + jacobian.upper) : 2 * size * size;
        factor_cost_ = band ? 2 * size * jacobian.lower * jacobian.upper : 2 * size * size * size / 3;
    }

    /// The next block is the first of its order.
    void begin_order()
    {
        contraction_before_ = 0;
        blocks_ = 0;
        troubled_blocks_ = 0;
        error_failed_ = false;
    }
    /// True: not the first one of this block.
    bool note_error_failure() { return std::exchange(error_failed_, true); }

    /// driven_by_time(): does f change more with time than along the solution? (evaluates f)
    template <class DrivenByTime>
    block_plan next(const finished_block& b, const block& values, error_estimate& error, DrivenByTime driven_by_time)
    {
        ++blocks_;
        const block_plan chosen = choose(b, values, error, driven_by_time);
        contraction_before_ = b.report.contraction;
        iterations_before_ = b.report.iterations;
        h_2_ = h_1_;
        h_1_ = b.report.h;
        return chosen;
    }

private:
    static constexpr double aim = 1.0 / 20; // the error a step size is chosen for
    static constexpr double aim_above = aim / 2;
    static constexpr int blocks_before_increase = 3;

    static bool is_steady(double step_ratio) { return step_ratio > 0.8 && step_ratio < 1.25; }
    static double gamma_of(int level)
    {
        return with_level(level, []<int L>() { return formula_of_level<L>.gamma; });
    }
    static double step_for(const finished_block& b, double error, double wanted, int level)
    {
        return error > 0 ? b.report.h * step_root(wanted / error, level) : growth * b.report.h;
    }
    [[nodiscard]] bool reaches_end(const finished_block& b, const block_plan& p) const { return b.t + points[p.level] * p.h >= set_.tend; }

    template <class DrivenByTime>
    block_plan choose(const finished_block& b, const block& values, error_estimate& error, DrivenByTime driven_by_time)
    {
        const block_plan same{b.level, step_for(b, b.error, aim, b.level)};
        if (error_failed_ && b.level > set_.lowest) {
            troubled_blocks_ = std::min(troubled_blocks_ + 1, 2);
            if (troubled_blocks_ > 1) return {b.level - 1, std::min(b.report.h, same.h) / 2};
        } else {
            troubled_blocks_ = 0;
        }
        error_failed_ = false;

        if (b.report.contraction > contraction_.too_slow[b.level]) return lower(b, same, values, error);
        if (b.after_failures || b.level >= set_.highest || blocks_ < blocks_before_increase || !is_steady(same.h / b.report.h) ||
            reaches_end(b, same))
            return same;
        return higher(b, same, error, driven_by_time);
    }

    // The iteration contracts slowly: a lower order makes it faster.
    block_plan lower(const finished_block& b, const block_plan& same, const block& values, error_estimate& error) const
    {
        if (b.level == set_.lowest || b.report.iterations <= set_.index + 2) return same;
        const double below = with_level(b.level, [&]<int L>() { return error.template lower_order<L>(values, b.report.h, b.report.stiff); });
        double h = below > 0 ? step_for(b, below, aim, b.level - 1) : same.h;
        if (b.report.stiff && set_.index <= 1 && h < same.h) return same;
        if (!b.report.stiff) h = std::min(h, same.h);
        return {b.level - 1, h};
    }

    template <class DrivenByTime>
    block_plan higher(const finished_block& b, const block_plan& same, error_estimate& error, DrivenByTime driven_by_time) const
    {
        const double rho = b.report.contraction;
        const bool is_quadrature =
            error.stiff_norm() < 10 * unit_roundoff && !b.report.stiff && b.report.iterations < 3 && rho < 10 * unit_roundoff && !set_.is_dae;
        if (is_quadrature) return cheaper(b, same, recovered_plan(b, error), b.report.iterations, b.report.iterations);
        if (!b.report.stiff && contracts_fast_enough(b, same, driven_by_time)) {
            const block_plan above{b.level + 1, step_for(b, error.stiff_norm(), aim_above, b.level + 1)};
            if (reaches_end(b, above)) return same;
            const double slower = constants[above.level].contraction / constants[b.level].contraction;
            const block_plan chosen =
                cheaper(b, same, above, iterations_for(b, rho * (same.h / b.report.h)), iterations_for(b, rho * slower * (above.h / b.report.h)));
            if (chosen.level != b.level) return chosen;
        }
        return recover(b, same, error);
    }

    template <class DrivenByTime>
    [[nodiscard]] bool contracts_fast_enough(const finished_block& b, const block_plan& same, DrivenByTime driven_by_time) const
    {
        if (b.report.contraction < contraction_.fast_enough[b.level] || b.report.iterations <= set_.index) return true;
        if (set_.is_dae) return false;
        // Where step size and contraction stay as they are for reasons of time alone, the contraction says little.
        const bool stagnates = std::abs(same.h / b.report.h - 1) < 0.1 && std::abs(contraction_before_ / b.report.contraction - 1) < 0.1;
        return stagnates && driven_by_time();
    }

    // In stiff problems of reduced order the estimates of stiff components do not show what a higher order would gain; the differences of the
    // last blocks do.
    block_plan recover(const finished_block& b, const block_plan& same, error_estimate& error) const
    {
        const auto& now = constants[b.level];
        const double rho = b.report.contraction;
        const auto stays = [](double ratio) { return ratio > 0.95 && ratio < 1.05; };
        bool stagnates = stays(same.h / b.report.h);
        if (set_.index <= 1 || b.report.iterations > set_.index + 1 || iterations_before_ > set_.index + 1)
            stagnates = stagnates && stays(contraction_before_ / rho);
        if (!b.report.stiff && !(stagnates && now.recovery * error.stiff_norm() >= b.error)) return same;
        if (!is_steady(b.report.h / h_1_) || (b.level > 0 && !is_steady(h_1_ / h_2_))) return same;
        if (b.report.stiff && (!b.new_factors || !(b.new_jacobian || b.linear))) return {same.level, same.h, true};

        block_plan unchanged = same;
        if (!b.report.stiff) {
            const double gamma = gamma_of(b.level);
            unchanged.h = set_.is_dae ? step_for(b, error.main_norm_as_if_stiff(b.level, gamma), aim, b.level)
                                      : same.h * step_root(main_factor(b.level, gamma, 1) / stiff_factor(b.level, gamma, 1), b.level);
        }
        const block_plan above = recovered_plan(b, error);
        const double slower = constants[above.level].stiff_contraction / now.stiff_contraction;
        return cheaper(b, unchanged, above, iterations_for(b, rho / (unchanged.h / b.report.h)),
                       iterations_for(b, rho * (b.report.h / above.h) * slower));
    }
    block_plan recovered_plan(const finished_block& b, error_estimate& error) const
    {
        const double above = error.higher_order(b.level, gamma_of(b.level), b.report.h, h_1_, h_2_);
        return {b.level + 1, step_for(b, above, aim_above, b.level + 1)};
    }

    /// Iterations to expect if they contract with this rate.
    [[nodiscard]] double iterations_for(const finished_block& b, double rate) const
    {
        return std::max(static_cast<double>(set_.index), b.report.iterations * std::log(b.report.contraction) / std::log(rate));
    }
    /// The plan with less work for each unit of time; the higher order not in the last block.
    [[nodiscard]] block_plan cheaper(const finished_block& b, const block_plan& same, const block_plan& above, double iterations,
                                     double iterations_above) const
    {
        if (reaches_end(b, above)) return same;
        const auto work = [&](int level, double count) {
            return solve_cost_ * (2 * points[level] * count + constants[level].error_solves) + factor_cost_;
        };
        const double ratio = (same.h / above.h) * (static_cast<double>(points[same.level]) / points[above.level]) *
                             work(above.level, iterations_above) / work(same.level, iterations);
        return ratio < 1 ? above : same;
    }

    order_settings set_;
    contraction_limits contraction_;
    double solve_cost_;
    double factor_cost_;

    int blocks_ = 0;            // accepted at this order
    int troubled_blocks_ = 0;   // of these in a row, after a failed error test
    bool error_failed_ = false; // in this block
    // The blocks before this one.
    double contraction_before_ = 0;
    int iterations_before_ = 0;
    double h_1_ = 0;
    double h_2_ = 0;
};

} // namespace ivp::solvers::bimd_method

#endif
