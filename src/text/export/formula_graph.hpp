// The formula of a problem, read off its tape: what is computed, each thing once, with the branches of the formula as conditions.
#ifndef IVP_SRC_TEXT_EXPORT_FORMULA_GRAPH_HPP
#define IVP_SRC_TEXT_EXPORT_FORMULA_GRAPH_HPP

#include <ivp/recorder.hpp>

#include <map>
#include <tuple>
#include <vector>

namespace ivp::text {

struct formula_node {
    operation what = operation::constant;
    int a = -1;
    int b = -1;
    quad c = 0;
    int condition = -1; ///< of a choice: below zero, it is a, else b

    /// t, y, y' or a number: the operand is no node.
    [[nodiscard]] bool is_input() const
    {
        return what == operation::constant || what == operation::time || what == operation::variable || what == operation::derivative;
    }
};

/// A straight part of the formula, and what follows it: nothing, or two parts of which one is taken.
struct formula_branch {
    std::vector<std::pair<int, int>> rows; ///< row and node: known here, whatever is decided below
    int condition = -1;                    ///< node: below zero, the first part is taken
    bool refused = false;                  ///< the argument is outside the domain
    std::vector<formula_branch> parts;     ///< none or two
};

struct formula_graph {
    std::vector<formula_node> nodes; ///< operands come before
    formula_branch top;

    /// Throws bad_request: the formula cannot be read, has too many branches, or is not the same everywhere.
    static formula_graph of(const problem& p);
    /// How often each node is an operand, a row or a condition; 0: it is not needed.
    [[nodiscard]] std::vector<int> uses() const;
    /// The node and what it is made of whatever its choices are; what is refused by wanted(k), and what only that needs, is left out.
    template <class Wanted>
    void visit_operands(int node, Wanted wanted) const
    {
        std::vector<int> open{node};
        std::vector<char> seen(nodes.size(), 0);
        while (!open.empty()) {
            const auto k = static_cast<std::size_t>(open.back());
            open.pop_back();
            if (seen[k] != 0) continue;
            seen[k] = 1;
            if (!wanted(static_cast<int>(k)) || nodes[k].is_input()) continue;
            if (nodes[k].what == operation::choose) {
                open.push_back(nodes[k].condition);
                continue;
            }
            for (const int o : {nodes[k].a, nodes[k].b})
                if (o >= 0) open.push_back(o);
        }
    }
    /// The rows at a point, in double; false: outside the domain.
    bool evaluate(double t, const double* y, const double* yp, double* out) const;
};

} // namespace ivp::text

#endif
