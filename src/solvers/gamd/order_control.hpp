// order_control: which order and step size follow a block.
#ifndef IVP_SOLVERS_GAMD_ORDER_CONTROL_HPP
#define IVP_SOLVERS_GAMD_ORDER_CONTROL_HPP

#include "block.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ivp::solvers::gamd_method {

struct order_range {
    int least;
    int most;
};

struct block_errors {
    double same;
    double higher; ///< used below the highest allowed order
    double lower;  ///< used above the lowest
};

struct next_block {
    int order;
    double quotient; ///< what the step size is divided by
};

/// An estimate at order p falls with the power p of the step size. Blocks are judged by the length they cover for the work they cost.
class order_control {
public:
    explicit order_control(const order_range& r) : range_(r) {}

    [[nodiscard]] const order_range& range() const { return range_; }

    [[nodiscard]] next_block after_accepted(int order, const block_errors& e) const
    {
        next_block best{order, quotient(safety_same, e.same, order)};
        double most = gain(best);
        const auto consider = [&](const next_block& other) {
            if (gain(other) <= most) return;
            best = other;
            most = gain(other);
        };
        if (order < range_.most) consider({order + 2, quotient(safety_higher, e.higher, order + 2)});
        if (order > range_.least) consider({order - 2, quotient(safety_lower, e.lower, order - 2)});
        return best;
    }
    [[nodiscard]] static double after_rejected(int order, double error) { return quotient(safety_rejected, error, order); }

private:
    static constexpr double safety_same = 18;
    static constexpr double safety_higher = 40;
    static constexpr double safety_lower = 20;
    static constexpr double safety_rejected = 15;
    static constexpr double smallest_quotient = 0.12;
    static constexpr double largest_quotient = 10;

    static double quotient(double safety, double error, int order)
    {
        return std::clamp(std::pow(safety * error, 1.0 / order), smallest_quotient, largest_quotient);
    }
    static double gain(const next_block& b)
    {
        constexpr std::array<double, 4> cost{1, 2.4, 4, 7.2};
        return equations_of(b.order) / (cost[(b.order - lowest_order) / 2] * b.quotient);
    }

    order_range range_;
};

} // namespace ivp::solvers::gamd_method

#endif
