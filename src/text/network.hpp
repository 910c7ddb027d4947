// Reaction schemes: the sets S, N, M and tau of the recipe, conservation laws, the graph.
//
// The nodes N are the complexes that stand on either side of a reaction. With psi_j(c) the product of the concentrations in node j and Y its
// composition, mass action is c' = Y (M psi(c) + tau): M_ij is the rate constant of j -> i, the diagonal what leaves j, tau the sources.
#ifndef IVP_SRC_TEXT_NETWORK_HPP
#define IVP_SRC_TEXT_NETWORK_HPP

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ivp::text {

struct network_description {
    struct transition {
        int from; ///< node; -1: a source
        int to;   ///< node; -1: a sink
        std::string rate;
        bool mass_action;
        std::string text; ///< "A + B -> C"
    };
    std::vector<std::string> species; ///< S
    std::vector<std::string> nodes;   ///< N
    std::vector<transition> transitions;
    std::vector<std::vector<int>> parts;            ///< nodes that are connected, each part by itself
    std::vector<std::map<int, std::string>> matrix; ///< rows of M
    std::map<int, std::string> sources;             ///< tau, by node
    /// Weights of the states, whole numbers without a common factor: the weighted sum does not change.
    std::vector<std::vector<std::pair<int, std::int64_t>>> laws;
    bool laws_known = true; ///< false: the numbers of the elimination grew too large
    bool has_other_equations = false;
};

/// Throws bad_request: faults of the text, and a text without reactions.
network_description network_of(const std::string& path, const std::map<std::string, std::string>& parameters);

/// "2 A + B" with a law's weights.
std::string law_text(const network_description& n, std::size_t law);

/// The sets, M and tau, parts and laws, as lines of text.
std::string network_text(const network_description& n);
std::string network_json(const network_description& n);
/// The graph: nodes of each part on a circle, an arrow for each transition.
std::string network_svg(const network_description& n);

} // namespace ivp::text

#endif
