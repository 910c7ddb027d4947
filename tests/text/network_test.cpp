// Reaction schemes: the sets of the recipe, and conservation laws.
#include "text/model.hpp"
#include "text/network.hpp"
#include "text/text_problem.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace ivp::text {

namespace {

network_description described(const std::string& reactions)
{
    const auto path = std::filesystem::temp_directory_path() / ("ivp-network-" + std::to_string(getpid()) + ".ivp");
    std::ofstream(path) << "interval 0 .. 1\n" << reactions;
    const auto n = network_of(path.string(), {});
    std::filesystem::remove(path);
    return n;
}

std::vector<std::string> laws(const network_description& n)
{
    std::vector<std::string> all;
    for (std::size_t k = 0; k < n.laws.size(); ++k) all.push_back(law_text(n, k));
    std::ranges::sort(all);
    return all;
}

} // namespace

TEST(Network, HiresHasTenNodesInTwoParts)
{
    const auto n = network_of(std::string(IVP_EXAMPLES_DIR) + "/hires.ivp", {});
    EXPECT_EQ(n.species.size(), 8U);
    EXPECT_EQ(n.nodes, (std::vector<std::string>{"Pr", "Pfr", "PrX", "PfrX", "PrX_", "PfrX_", "PfrX_ + E", "PfrX_E", "E", "PrX_ + E"}));
    ASSERT_EQ(n.parts.size(), 2U);
    EXPECT_EQ(n.parts[0], (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(n.parts[1], (std::vector<int>{6, 7, 8, 9}));
    // The last row: only what becomes PrX_ + E; no k+ (the printed matrix has one).
    EXPECT_EQ(n.matrix[9], (std::map<int, std::string>{{7, "k2"}}));
    EXPECT_EQ(n.matrix[7], (std::map<int, std::string>{{6, "kplus"}, {7, "-kminus - kstar - k2"}}));
    EXPECT_EQ(n.matrix[0], (std::map<int, std::string>{{0, "-k1"}, {1, "k2"}, {2, "k6"}}));
    EXPECT_EQ(n.sources, (std::map<int, std::string>{{0, "oks"}}));
    EXPECT_EQ(laws(n), std::vector<std::string>{"PfrX_E + E"});
    EXPECT_NE(network_text(n).find("Transition matrix M (10 x 10)"), std::string::npos);
    EXPECT_NE(network_svg(n).find("PrX_ + E"), std::string::npos);
}

TEST(Network, ConservationLawsAreExact)
{
    EXPECT_EQ(laws(described("species A = 1, B = 0, C = 0\nA -> B ; 1\nB + B -> C + B ; 2\nB + C -> A + C ; 3\n")),
              std::vector<std::string>{"A + B + C"});
    // Water from hydrogen and oxygen: atoms of each.
    EXPECT_EQ(laws(described("species H2 = 1, O2 = 1, H2O = 0\n2 H2 + O2 -> 2 H2O ; 1\n")), (std::vector<std::string>{"2 O2 + H2O", "H2 + H2O"}));
    EXPECT_TRUE(laws(described("species A = 1\nA -> ; 1\n")).empty());
    EXPECT_EQ(laws(described("species A = 1, B = 1\nA -> 0.3 B ; 1\n")), std::vector<std::string>{"3 A + 10 B"});
    // An equation beside the reactions breaks what they keep.
    EXPECT_TRUE(laws(described("species A = 1, B = 1\nA -> B ; 1\nA' = 1\n")).empty());
    EXPECT_EQ(laws(described("species A = 1, B = 0\nfixed X = 2\nA + X -> B ; 1\n")), std::vector<std::string>{"A + B"});
}

TEST(Network, NodesDoNotDependOnTheOrder)
{
    const auto n = described("species A = 1, B = 0\nA + B -> B + A ; 1\nA + A -> 2 B ; 2\n2 A -> B + B ; 3\n");
    EXPECT_EQ(n.nodes, (std::vector<std::string>{"A + B", "2 A", "2 B"}));
    EXPECT_EQ(n.matrix[2].at(1), "2 + 3");
}

TEST(Network, ALargeOneHasAsManyOperationsMoreAsReactions)
{
    // What reading and evaluating it cost; bench/models has the times.
    const auto size = [](int species) {
        std::string text = "interval 0 .. 1\n";
        for (int s = 0; s < species; ++s) text += "species S" + std::to_string(s) + " = 1\n";
        for (int r = 0; r < 5 * species; ++r) // every species meets others, near and far
            text += "S" + std::to_string(r % species) + " + S" + std::to_string((7L * r + 1) % species) + " -> S" +
                    std::to_string((13L * r + 2) % species) + " ; " + std::to_string(1 + r % 17) + "\n";
        const auto d = read_document("large.ivp", text);
        const auto m = build_model(d, parameter_values(parameters_of(*d), {}));
        EXPECT_EQ(m->n, species);
        EXPECT_EQ(m->reactions.size(), 5U * static_cast<std::size_t>(species));
        const auto& p = m->code;
        return std::array{static_cast<double>(p.operations), static_cast<double>(p.slots), static_cast<double>(p.expressions.size()),
                          static_cast<double>(p.recipes.size() + 1)};
    };
    const auto small = size(500);
    const auto large = size(2000);
    for (std::size_t k = 0; k < small.size(); ++k) EXPECT_LE(large[k], 4.1 * small[k]) << k;
}

TEST(Network, RefusesATextWithoutReactions) { EXPECT_THROW(described("state x = 1\nx' = 1\n"), bad_request); }

} // namespace ivp::text
