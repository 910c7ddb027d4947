// The reactions of the EMEP problem, read by the compiler from their chemical equations into tables of indices.
#ifndef IVP_PROBLEMS_EMEP_NETWORK_HPP
#define IVP_PROBLEMS_EMEP_NETWORK_HPP

#include "emep_data.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

namespace ivp::problems::emep_data {

enum class kind { emission, unimolecular, bimolecular, by_light, with_water, helped_by_water };

/// What a reaction does to a species: thousandths of molecules made (or used up) each time it takes place.
struct share {
    int reaction = 0;
    int thousandths = 0;
};

struct network {
    struct reaction {
        kind what = kind::emission;
        int first = -1; ///< reactants
        int second = -1;
        int light = -1; ///< of a photolysis: which of the dj
    };

    std::array<reaction, reactions.size()> reaction_at{};
    std::array<share, 1000> share_at{};                ///< sorted by species
    std::array<int, species.size() + 1> first_share{}; ///< those of species i: first_share[i] .. first_share[i + 1] - 1
};

/// Position of the entry with this rate, or -1.
template <class Table>
constexpr int position(const Table& table, std::string_view rate)
{
    for (int i = 0; i < static_cast<int>(table.size()); ++i)
        if (table[i].rate == rate) return i;
    return -1;
}

constexpr int species_number(std::string_view name)
{
    for (int i = 0; i < static_cast<int>(species.size()); ++i)
        if (species[i] == name) return i;
    throw std::invalid_argument("unknown species"); // in a constant expression: an error of the compiler
}

/// "0.35" is 350.
constexpr int thousandths(std::string_view number)
{
    int value = 0;
    int decimals = -1;
    for (const char c : number) {
        if (c == '.') {
            decimals = 0;
            continue;
        }
        value = 10 * value + (c - '0');
        if (decimals >= 0) ++decimals;
    }
    for (int d = decimals < 0 ? 0 : decimals; d < 3; ++d) value *= 10;
    return value;
}

/// One species in an equation.
struct change {
    int species = 0;
    int thousandths = 0;
};
/// All species of one equation, each once.
struct changes {
    std::array<change, 16> entry{};
    int count = 0;

    constexpr void add(int i, int thousandths)
    {
        int k = 0;
        while (k < count && entry[k].species != i) ++k;
        if (k == count) entry[count++].species = i;
        entry[k].thousandths += thousandths;
    }
};

/// Reads an equation such as "NO + OP -> NO2"; the reactants also go to r.
constexpr changes read_equation(std::string_view text, network::reaction& r)
{
    changes c;
    bool left = true;
    int coefficient = 1000;
    while (!text.empty()) {
        const auto end = text.find(' ');
        const std::string_view word = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (word == "+") continue;
        if (word == "->") {
            left = false;
        } else if (word[0] >= '0' && word[0] <= '9') {
            coefficient = thousandths(word);
        } else {
            const int i = species_number(word);
            if (left) (r.first < 0 ? r.first : r.second) = i;
            c.add(i, left ? -1000 : coefficient);
            coefficient = 1000;
        }
    }
    return c;
}

constexpr network read_reactions()
{
    network net;
    std::array<changes, reactions.size()> all{};
    for (int n = 0; n < static_cast<int>(reactions.size()); ++n) {
        auto& r = net.reaction_at[n];
        all[n] = read_equation(reactions[n].equation, r);
        const std::string_view rate = reactions[n].rate;
        r.light = position(photolysis, rate);
        r.what = r.first < 0 ? kind::emission : r.second < 0 ? kind::unimolecular : kind::bimolecular;
        if (r.light >= 0) r.what = kind::by_light;
        if (rate == "rc8") r.what = kind::with_water;
        if (rate == "rc36") r.what = kind::helped_by_water;
    }

    // Sorted by species: count, then place.
    for (const auto& c : all)
        for (int k = 0; k < c.count; ++k)
            if (c.entry[k].thousandths != 0) ++net.first_share[c.entry[k].species + 1];
    for (int i = 0; i < static_cast<int>(species.size()); ++i) net.first_share[i + 1] += net.first_share[i];
    auto next = net.first_share;
    for (int n = 0; n < static_cast<int>(reactions.size()); ++n)
        for (int k = 0; k < all[n].count; ++k)
            if (const auto& c = all[n].entry[k]; c.thousandths != 0) net.share_at[next[c.species]++] = {n, c.thousandths};
    return net;
}

inline constexpr network the_network = read_reactions();

} // namespace ivp::problems::emep_data

#endif
