// What one block of equidistant points consists of: times, values, slopes; the weights its errors are measured by; its linear systems.
#ifndef IVP_SOLVERS_GAMD_BLOCK_HPP
#define IVP_SOLVERS_GAMD_BLOCK_HPP

#include "coefficients.hpp"
#include "solvers/common/indexed_weights.hpp"
#include "solvers/common/newton_matrix.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace ivp::solvers::gamd_method {

constexpr int lowest_order = 3;
constexpr int highest_order = 9;

/// call.template operator()<Order>()
template <class Call>
decltype(auto) with_order(int order, Call&& call)
{
    switch (order) {
    case 3: return call.template operator()<3>();
    case 5: return call.template operator()<5>();
    case 7: return call.template operator()<7>();
    default: return call.template operator()<9>();
    }
}

/// call.template operator()<k>() for k = 0 … Count − 1
template <int Count, class Call>
constexpr void unrolled(Call&& call)
{
    [&]<int... K>(std::integer_sequence<int, K...> /*all*/) { (call.template operator()<K>(), ...); }
    (std::make_integer_sequence<int, Count>{});
}

inline int equations_of(int order)
{
    return with_order(order, []<int P>() { return block_method<P>::equations; });
}

/// One vector for each point, exchanged by pointers.
class point_vectors {
public:
    explicit point_vectors(int n, int count = most_points)
    {
        for (int k = 0; k < count; ++k) at_[k] = room_.emplace_back(n).data();
    }
    point_vectors(const point_vectors&) = delete;
    point_vectors& operator=(const point_vectors&) = delete;

    double* operator[](int k) const { return at_[k]; }
    void exchange(int k, int l) { std::swap(at_[k], at_[l]); }
    void exchange_with(point_vectors& other, int k) { std::swap(at_[k], other.at_[k]); }

private:
    std::vector<lane_vector> room_;
    std::array<double*, most_points> at_{};
};

struct block {
    explicit block(int n) : y(n), f(n) {}
    std::array<double, most_points> t{};
    point_vectors y; ///< y[0]: where the block starts
    point_vectors f; ///< at these values
};

/// 1 / (atol + rtol |y|); components of index 2 and 3 count min(1, h c) and min(1, h² c²) times, where c falls with the order.
class block_weights : public indexed_weights {
public:
    using indexed_weights::indexed_weights;

    void update(const double* y, double h, int order)
    {
        constexpr std::array<double, 4> step_factor{1, 0.1, 0.01, 0.001};
        const double hc = h * step_factor[(order - lowest_order) / 2];
        update_with(y, [&](int i) { return std::min(1.0, index_[i] == 2 ? hc : hc * hc); });
    }

    [[nodiscard]] double of(int i) const { return 1 / inverse_[i]; }
    /// Root of the mean of the squares that have been summed up.
    [[nodiscard]] double norm_from(const lanes& squares) const { return std::sqrt(sum_of(squares) / n_); }
};

/// M − h λ J, one real matrix for all equations of a block. It is kept as M/(h λ) − J.
class iteration_matrix : public newton_matrix {
public:
    iteration_matrix(evaluator& e, const solve_options& o)
        : newton_matrix(e, o, {.eliminated = e.problem().info().chain.m1}, reduction{e.problem().info().chain}), e_(e)
    {}

    [[nodiscard]] evaluation evaluate(double t, const double* y, const double* f)
    {
        order_ = 0;
        return linearise(t, y, f, [](double v) { return std::sqrt(std::numeric_limits<double>::epsilon() * std::max(1e-5, std::abs(v))); });
    }

    /// Does nothing where the factors of this Jacobian are those of the same step size and order. False: singular.
    [[nodiscard]] bool factor(double h, int order)
    {
        if (h == h_ && order == order_) return true;
        h_ = h;
        order_ = order;
        scale_ = 1 / (h * with_order(order, []<int P>() { return splitting<P>::diagonal; }));
        if (!newton_matrix::factor(scale_)) {
            order_ = 0;
            return false;
        }
        return true;
    }

    /// A right-hand side must be multiplied by this before it is given to solve().
    [[nodiscard]] double scale() const { return scale_; }
    /// b: whole groups.
    void solve(double* b)
    {
        ++e_.count().solve;
        newton_matrix::solve(b);
    }

private:
    evaluator& e_;
    double h_ = 0;  // that the factors belong to
    int order_ = 0; // the same; 0: there are none
    double scale_ = 0;
};

} // namespace ivp::solvers::gamd_method

#endif
