// The conditions for the order of a Runge-Kutta method: one for each rooted tree.
//
// For a tree with subtrees t_1 … t_m:  phi_i(t) = prod_k sum_j a_ij phi_j(t_k),  gamma(t) = order(t) prod_k gamma(t_k);  the condition is
// sum_i b_i phi_i(t) = 1/gamma(t). With s^order(t)/gamma(t) on the right it is the one for dense output at s.
#ifndef IVP_TESTS_SOLVERS_ORDER_CONDITIONS_HPP
#define IVP_TESTS_SOLVERS_ORDER_CONDITIONS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace ivp::testing_support {

class order_conditions {
public:
    using matrix = std::vector<std::vector<double>>;

    /// a: one row for each stage, of any length up to their number.
    order_conditions(const matrix& a, int highest_order)
    {
        trees_.push_back({1, 1, std::vector<long double>(a.size(), 1)});
        for (int order = 2; order <= highest_order; ++order)
            for (const auto& subtrees : forests(order - 1, trees_.size())) trees_.push_back(join(a, order, subtrees));
    }

    [[nodiscard]] std::size_t count() const { return trees_.size(); }

    /// Largest violation over all trees from one order to another, of the weights b at s (1: the end of the step).
    [[nodiscard]] double violation(const std::vector<double>& b, int from, int to, double s = 1) const
    {
        long double largest = 0;
        for (const tree& t : trees_) {
            if (t.order < from || t.order > to) continue;
            long double sum = -std::pow(static_cast<long double>(s), t.order) / t.gamma;
            for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * t.phi[i];
            largest = std::max(largest, std::abs(sum));
        }
        return static_cast<double>(largest);
    }

private:
    struct tree {
        int order;
        long double gamma;
        std::vector<long double> phi;
    };

    // All sets of earlier trees, with repetition, whose orders add up to this; by numbers of trees below `limit`, in falling order.
    [[nodiscard]] std::vector<std::vector<std::size_t>> forests(int order, std::size_t limit) const
    {
        if (order == 0) return {{}};
        std::vector<std::vector<std::size_t>> found;
        for (std::size_t largest = 0; largest < limit; ++largest) {
            if (trees_[largest].order > order) continue;
            for (auto rest : forests(order - trees_[largest].order, largest + 1)) {
                rest.insert(rest.begin(), largest);
                found.push_back(std::move(rest));
            }
        }
        return found;
    }

    [[nodiscard]] tree join(const matrix& a, int order, const std::vector<std::size_t>& subtrees) const
    {
        tree t{order, static_cast<long double>(order), std::vector<long double>(a.size(), 1)};
        for (const std::size_t k : subtrees) {
            t.gamma *= trees_[k].gamma;
            for (std::size_t i = 0; i < a.size(); ++i) {
                long double sum = 0;
                for (std::size_t j = 0; j < a[i].size(); ++j) sum += a[i][j] * trees_[k].phi[j];
                t.phi[i] *= sum;
            }
        }
        return t;
    }

    std::vector<tree> trees_;
};

} // namespace ivp::testing_support

#endif
