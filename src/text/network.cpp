#include "text/network.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "text/formula.hpp"
#include "text/import/import.hpp"
#include "text/reactions.hpp"

#include <ivp/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

namespace ivp::text {

namespace {

using integer = __int128;
constexpr integer largest = static_cast<integer>(1) << 100U;
using sparse_row = std::map<int, integer>;

integer gcd_of(integer a, integer b)
{
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b != 0) {
        const integer r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/// False: a number is too large.
bool reduce(sparse_row& row)
{
    integer common = 0;
    for (const auto& [column, v] : row) {
        if (v > largest || v < -largest) return false;
        common = gcd_of(common, v);
    }
    if (common > 1)
        for (auto& [column, v] : row) v /= common;
    return true;
}

/// row := a row - b pivot, without what becomes zero.
void combine(sparse_row& row, integer a, const sparse_row& pivot, integer b)
{
    for (auto& [column, v] : row) v *= a;
    for (const auto& [column, v] : pivot) {
        const auto it = row.emplace(column, 0).first;
        it->second -= b * v;
        if (it->second == 0) row.erase(it);
    }
}

constexpr long most_entries = 20'000'000; ///< of all eliminations together

/// Weights w with w N = 0, N the net changes of the states (rows) in the reactions (columns): exact elimination of [N | identity].
/// None: the numbers grew too large, or the network is too large.
std::optional<std::vector<sparse_row>> left_null_space(std::vector<sparse_row> rows, int columns)
{
    const int n = static_cast<int>(rows.size());
    for (int i = 0; i < n; ++i) rows[static_cast<std::size_t>(i)][columns + i] = 1;
    std::vector<std::vector<int>> with(static_cast<std::size_t>(columns)); // rows that may have a column
    for (int i = 0; i < n; ++i)
        for (const auto& [column, v] : rows[static_cast<std::size_t>(i)])
            if (column < columns) with[static_cast<std::size_t>(column)].push_back(i);
    std::vector<char> used(static_cast<std::size_t>(n), 0);
    long work = 0;
    for (int c = 0; c < columns; ++c) {
        auto& candidates = with[static_cast<std::size_t>(c)];
        std::ranges::sort(candidates);
        candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
        std::erase_if(candidates, [&](int i) { return used[static_cast<std::size_t>(i)] != 0 || !rows[static_cast<std::size_t>(i)].contains(c); });
        if (candidates.empty()) continue;
        const int pivot = *std::ranges::min_element(candidates, {}, [&](int i) { return rows[static_cast<std::size_t>(i)].size(); });
        used[static_cast<std::size_t>(pivot)] = 1;
        const sparse_row& p = rows[static_cast<std::size_t>(pivot)];
        for (const int i : candidates) {
            if (i == pivot) continue;
            auto& row = rows[static_cast<std::size_t>(i)];
            const integer common = gcd_of(p.at(c), row.at(c));
            combine(row, p.at(c) / common, p, row.at(c) / common);
            if (!reduce(row)) return std::nullopt;
            work += static_cast<long>(row.size());
            if (work > most_entries) return std::nullopt;
            for (const auto& [column, v] : p)
                if (column < columns && column > c) with[static_cast<std::size_t>(column)].push_back(i);
        }
    }
    std::vector<sparse_row> laws;
    for (int i = 0; i < n; ++i) {
        if (used[static_cast<std::size_t>(i)] != 0) continue;
        sparse_row law;
        for (const auto& [column, v] : rows[static_cast<std::size_t>(i)]) law[column - columns] = v;
        if (!reduce(law)) return std::nullopt;
        if (law.begin()->second < 0)
            for (auto& [column, v] : law) v = -v;
        laws.push_back(std::move(law));
    }
    return laws;
}

/// A law with negative weights is exchanged for its sum with another one if that has none.
void prefer_positive(std::vector<sparse_row>& laws)
{
    const auto has_negative = [](const sparse_row& r) { return std::ranges::any_of(r, [](const auto& x) { return x.second < 0; }); };
    for (auto& law : laws) {
        if (!has_negative(law)) continue;
        for (const auto& other : laws) {
            if (&other == &law) continue;
            for (const int sign : {1, -1})
                for (const int factor : {1, 2, 3}) {
                    sparse_row sum = law;
                    combine(sum, sign, other, -factor);
                    if (has_negative(law) && !sum.empty() && reduce(sum) && !has_negative(sum)) law = sum;
                }
            if (!has_negative(law)) break;
        }
    }
}

class describer {
public:
    explicit describer(const model& m) : m_(m) {}

    network_description run()
    {
        n_.species = m_.names;
        for (const auto& r : m_.reactions) add(r);
        make_matrix();
        make_parts();
        find_laws();
        return std::move(n_);
    }

private:
    int node(const std::vector<network_reaction::part>& side)
    {
        if (side.empty()) return -1;
        // The same species on one side twice are one with a larger coefficient; the order does not matter.
        std::map<int, std::pair<std::string, std::int64_t>> parts;
        for (const auto& p : side) {
            auto& x = parts[p.state >= 0 ? p.state : m_.n - p.state];
            x.first = p.state >= 0 ? m_.names[static_cast<std::size_t>(p.state)] : formula_text(m_, p.name, p.env);
            x.second += p.coefficient.n;
        }
        std::string name;
        for (const auto& [state, x] : parts) {
            if (!name.empty()) name += " + ";
            if (x.second != billionths::unit) name += billionths{x.second}.text() + " ";
            name += x.first;
        }
        const auto [it, is_new] = number_.try_emplace(name, static_cast<int>(n_.nodes.size()));
        if (is_new) n_.nodes.push_back(name);
        return it->second;
    }

    void add(const network_reaction& r)
    {
        network_description::transition t;
        t.from = node(r.reactants);
        t.to = node(r.products);
        t.rate = formula_text(m_, r.constant, r.env);
        t.mass_action = !r.law;
        t.text = reaction_text(m_, r);
        n_.transitions.push_back(std::move(t));
    }

    static void add_to(std::string& sum, const std::string& term, bool minus)
    {
        const bool simple = term.find_first_of("+- ") == std::string::npos;
        if (sum.empty())
            sum = (minus ? "-" : "") + (simple || !minus ? term : "(" + term + ")");
        else
            sum += (minus ? " - " : " + ") + (simple ? term : "(" + term + ")");
    }

    void make_matrix()
    {
        n_.matrix.resize(n_.nodes.size());
        for (const auto& t : n_.transitions) {
            const std::string rate = t.mass_action ? t.rate : "[" + t.rate + "]";
            if (t.from < 0) {
                add_to(n_.sources[t.to], rate, false);
                continue;
            }
            add_to(n_.matrix[static_cast<std::size_t>(t.from)][t.from], rate, true);
            if (t.to >= 0) add_to(n_.matrix[static_cast<std::size_t>(t.to)][t.from], rate, false);
        }
    }

    void make_parts()
    {
        std::vector<int> root(n_.nodes.size());
        std::iota(root.begin(), root.end(), 0);
        const auto find = [&](int x) {
            while (root[static_cast<std::size_t>(x)] != x)
                x = root[static_cast<std::size_t>(x)] = root[static_cast<std::size_t>(root[static_cast<std::size_t>(x)])];
            return x;
        };
        for (const auto& t : n_.transitions)
            if (t.from >= 0 && t.to >= 0) root[static_cast<std::size_t>(std::max(find(t.from), find(t.to)))] = std::min(find(t.from), find(t.to));
        std::map<int, std::vector<int>> parts;
        for (int k = 0; k < static_cast<int>(n_.nodes.size()); ++k) parts[find(k)].push_back(k);
        for (auto& [first, nodes] : parts) n_.parts.push_back(std::move(nodes));
    }

    void find_laws()
    {
        std::vector<sparse_row> rows(static_cast<std::size_t>(m_.n));
        int column = 0;
        for (const auto& r : m_.reactions) {
            for (const auto& [state, net] : r.net) rows[static_cast<std::size_t>(state)][column] = net.n;
            ++column;
        }
        // A state whose equation has more than reactions can be part of no law.
        for (int i = 0; i < m_.n; ++i)
            if (m_.has_equation[static_cast<std::size_t>(i)] != 0) {
                rows[static_cast<std::size_t>(i)][column++] = 1;
                n_.has_other_equations = true;
            }
        auto laws = left_null_space(std::move(rows), column);
        n_.laws_known = laws.has_value();
        if (!laws) return;
        prefer_positive(*laws);
        for (const auto& law : *laws) {
            auto& to = n_.laws.emplace_back();
            for (const auto& [state, v] : law) {
                if (v > 1'000'000'000'000'000 || v < -1'000'000'000'000'000) n_.laws_known = false;
                to.emplace_back(state, static_cast<std::int64_t>(v));
            }
        }
        if (!n_.laws_known) n_.laws.clear();
    }

    const model& m_;
    network_description n_;
    std::map<std::string, int> number_;
};

std::string list_text(const std::vector<std::string>& words, const std::vector<int>& which)
{
    std::string out;
    for (const int k : which) out += (out.empty() ? "" : ", ") + words[static_cast<std::size_t>(k)];
    return out;
}

constexpr std::size_t widest_matrix = 14; ///< nodes of a matrix that is printed as one

std::string matrix_text(const network_description& n)
{
    const std::size_t size = n.nodes.size();
    std::vector<std::size_t> width(size, 1);
    for (std::size_t i = 0; i < size; ++i)
        for (const auto& [j, entry] : n.matrix[i]) width[static_cast<std::size_t>(j)] = std::max(width[static_cast<std::size_t>(j)], entry.size());
    std::string out;
    for (std::size_t i = 0; i < size; ++i) {
        out += "  [";
        for (std::size_t j = 0; j < size; ++j) {
            const auto it = n.matrix[i].find(static_cast<int>(j));
            out += fmt::format(" {:>{}}", it == n.matrix[i].end() ? "." : it->second, width[j]);
        }
        out += fmt::format(" ]   {}\n", n.nodes[i]);
    }
    return out;
}

} // namespace

network_description network_of(const std::string& path, const std::map<std::string, std::string>& parameters)
{
    auto [name, content] = text_of_model(path);
    const auto d = read_document(name, std::move(content));
    const auto m = build_model(d, parameter_values(parameters_of(*d), parameters));
    if (m->reactions.empty()) throw bad_request("'" + path + "' has no reactions; allowed: a text with at least one, such as A -> B ; k1");
    return describer(*m).run();
}

std::string law_text(const network_description& n, std::size_t law)
{
    std::string out;
    for (const auto& [state, weight] : n.laws[law]) {
        if (out.empty())
            out = weight < 0 ? "-" : "";
        else
            out += weight < 0 ? " - " : " + ";
        if (std::abs(weight) != 1) out += std::to_string(std::abs(weight)) + " ";
        out += n.species[static_cast<std::size_t>(state)];
    }
    return out;
}

std::string network_text(const network_description& n)
{
    std::vector<int> all(n.species.size());
    std::iota(all.begin(), all.end(), 0);
    std::string out = fmt::format("Species S ({}):\n  {}\n\n", n.species.size(), wrapped(list_text(n.species, all), 110, 2));
    out += fmt::format("Nodes N ({}):\n", n.nodes.size());
    for (std::size_t k = 0; k < n.nodes.size(); ++k) out += fmt::format("  {:>3}  {}\n", k + 1, n.nodes[k]);
    out += fmt::format("\nTransition matrix M ({0} x {0}); column j says what becomes of node j:\n", n.nodes.size());
    if (n.nodes.size() <= widest_matrix) {
        out += matrix_text(n);
    } else {
        for (std::size_t i = 0; i < n.nodes.size(); ++i)
            for (const auto& [j, entry] : n.matrix[i]) out += fmt::format("  M({}, {}) = {}\n", i + 1, j + 1, entry);
    }
    out += "\nSources tau:\n";
    for (const auto& [node, rate] : n.sources)
        out += fmt::format("  tau({}) = {}   into {}\n", node + 1, rate, n.nodes[static_cast<std::size_t>(node)]);
    if (n.sources.empty()) out += "  none\n";
    out += fmt::format("\nDisjoint parts ({}):\n", n.parts.size());
    for (std::size_t k = 0; k < n.parts.size(); ++k)
        out += fmt::format("  {:>3}  {{ {} }}\n", k + 1, wrapped(list_text(n.nodes, n.parts[k]), 110, 9));
    out += "\nConservation laws:\n";
    if (!n.laws_known)
        out += "  not found: the whole numbers of the elimination grow too large\n";
    else if (n.laws.empty())
        out += "  none\n";
    for (std::size_t k = 0; k < n.laws.size(); ++k) out += fmt::format("  {} = constant\n", wrapped(law_text(n, k), 110, 4));
    return out;
}

std::string network_json(const network_description& n)
{
    nlohmann::ordered_json j;
    j["species"] = n.species;
    j["nodes"] = n.nodes;
    j["transitions"] = nlohmann::ordered_json::array();
    for (const auto& t : n.transitions)
        j["transitions"].push_back({{"reaction", t.text},
                                    {"from", t.from < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(t.from + 1)},
                                    {"to", t.to < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(t.to + 1)},
                                    {"rate", t.rate},
                                    {"mass_action", t.mass_action}});
    j["matrix"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < n.matrix.size(); ++i)
        for (const auto& [k, entry] : n.matrix[i]) j["matrix"].push_back({{"row", i + 1}, {"column", k + 1}, {"value", entry}});
    j["sources"] = nlohmann::ordered_json::array();
    for (const auto& [node, rate] : n.sources) j["sources"].push_back({{"node", node + 1}, {"rate", rate}});
    j["parts"] = nlohmann::ordered_json::array();
    for (const auto& part : n.parts) {
        auto one = nlohmann::ordered_json::array();
        for (const int k : part) one.push_back(k + 1);
        j["parts"].push_back(one);
    }
    j["conservation_laws"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < n.laws.size(); ++k) j["conservation_laws"].push_back(law_text(n, k));
    j["laws_known"] = n.laws_known;
    return j.dump();
}

std::string network_svg(const network_description& n)
{
    std::vector<std::string> nodes;
    for (const auto& name : n.nodes) nodes.push_back(cut(name, 40));
    std::vector<graph_arrow> arrows;
    for (const auto& t : n.transitions) arrows.push_back({t.from, t.to, cut(t.rate, 24), false});
    return graph_drawing(nodes, n.parts, arrows).svg_file("Reaction network");
}

} // namespace ivp::text
