// What one block of equidistant points consists of: times, values, slopes; the weights its errors are measured by; its linear systems.
#ifndef IVP_SOLVERS_GAMD_BLOCK_HPP
#define IVP_SOLVERS_GAMD_BLOCK_HPP

#include "coefficients.hpp"
#include "simd/components.hpp"
#include "solvers/common/iteration_matrix.hpp"
#include "solvers/common/weights.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <array>
#include <limits>

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

inline int equations_of(int order)
{
    return with_order(order, []<int P>() { return block_method<P>::equations; });
}

/// One vector for each point.
using point_vectors = simd::padded_vectors<double, most_points>;

struct block {
    block(int n, work_memory& memory) : y(n, most_points, memory), f(n, most_points, memory) {}
    std::array<double, most_points> t{};
    point_vectors y; ///< y[0]: where the block starts
    point_vectors f; ///< at these values
};

/// 1 / (atol + rtol |y|); components of index 2 and 3 count min(1, h c) and min(1, h² c²) times, where c falls with the order.
class block_weights : public weights {
public:
    using weights::weights;

    void update(const double* y, double h, int order)
    {
        constexpr std::array<double, 4> step_factor{1, 0.1, 0.01, 0.001};
        const double hc = h * step_factor[(order - lowest_order) / 2];
        weights::update(y);
        weigh_higher_index([&](double inverse, int index, int /*i*/) { return inverse * std::min(1.0, index == 2 ? hc : hc * hc); });
    }
};

/// M − h λ J, one real matrix for all equations of a block. It is kept as M/(h λ) − J.
class block_matrix : public iteration_matrix {
public:
    block_matrix(evaluator& e, const solve_options& o) : iteration_matrix(e, o, {.eliminates_chain = true}), e_(e) {}

    [[nodiscard]] evaluation evaluate(double t, const double* y, const double* f)
    {
        order_ = 0;
        return linearise(t, y, f, root_increment<double>{std::numeric_limits<double>::epsilon()});
    }

    /// Does nothing where the factors of this Jacobian are those of the same step size and order. False: singular.
    [[nodiscard]] bool factor(double h, int order)
    {
        if (h == h_ && order == order_) return true;
        h_ = h;
        order_ = order;
        scale_ = 1 / (h * with_order(order, []<int P>() { return splitting<P>::diagonal; }));
        if (!iteration_matrix::factor(scale_)) {
            order_ = 0;
            return false;
        }
        return true;
    }

    /// A right-hand side must be multiplied by this before it is given to solve().
    [[nodiscard]] double scale() const { return scale_; }
    simd::just_written<double> solve(double* b)
    {
        ++e_.count().solve;
        return iteration_matrix::solve(b);
    }

private:
    evaluator& e_;
    double h_ = 0;  // that the factors belong to
    int order_ = 0; // the same; 0: there are none
    double scale_ = 0;
};

} // namespace ivp::solvers::gamd_method

#endif
