// The reaction graph of a problem, read off its equations: which species becomes which.
//
// The right-hand sides of reactions by mass action are sums of products of concentrations. A product that is subtracted from one row and added to
// another moves substance from the first species to the second. Time, if the rates depend on it, is taken at the middle of the interval.
#ifndef IVP_SRC_TEXT_REACTIONS_HPP
#define IVP_SRC_TEXT_REACTIONS_HPP

#include "base/drawing.hpp"

#include <ivp/problem.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ivp::text {

struct graph_arrow {
    int from = -1;      ///< node; -1: from outside
    int to = -1;        ///< node; -1: leaves the system
    std::string label;  ///< rate, or the partners
    bool makes = false; ///< `from` is not used up
    bool operator==(const graph_arrow&) const = default;
};

struct species_graph {
    std::vector<std::string> nodes;
    std::vector<graph_arrow> arrows;
};

/// None if the equations are not sums of products (and square roots) of the unknowns, or are too many to be drawn.
std::optional<species_graph> species_graph_of(const problem& p);

/// The nodes of each part on a circle, an arrow for each transition.
drawing graph_drawing(const std::vector<std::string>& nodes, const std::vector<std::vector<int>>& parts, const std::vector<graph_arrow>& arrows);
/// All on one circle, in an order that keeps the arrows short.
drawing graph_drawing(const species_graph& g);

} // namespace ivp::text

#endif
