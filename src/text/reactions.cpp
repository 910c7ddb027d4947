#include "reactions.hpp"

#include "export/formula_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace ivp::text {

namespace {

constexpr std::size_t most_species = 24;
constexpr std::size_t most_labelled = 24;
constexpr std::size_t most_terms = 400;
constexpr const char* several_ways = "+ …";
constexpr double negligible = 1e-10; // of the sum of what was added: left over by rounding

/// Exponents by component, sorted; nothing: a constant.
using product = std::vector<std::pair<int, double>>;
struct coefficient {
    double value = 0;
    double size = 0; ///< of all that was added up
};
using polynomial = std::map<product, coefficient>;

product times(const product& a, const product& b)
{
    product c = a;
    for (const auto& [component, exponent] : b) {
        const auto at = std::ranges::find(c, component, &std::pair<int, double>::first);
        if (at == c.end())
            c.emplace_back(component, exponent);
        else
            at->second += exponent;
    }
    std::ranges::sort(c);
    return c;
}

polynomial sum(const polynomial& a, const polynomial& b, double factor)
{
    polynomial c = a;
    for (const auto& [p, x] : b) {
        auto& at = c[p];
        at.value += factor * x.value;
        at.size += std::abs(factor) * x.size;
    }
    return c;
}

polynomial constant(double value) { return {{{}, {value, std::abs(value)}}}; }

class reader {
public:
    reader(const formula_graph& g, double t) : t_(t)
    {
        for (const auto& n : g.nodes) known_.push_back(value(n));
    }
    [[nodiscard]] const std::optional<polynomial>& operator[](int node) const { return known_[static_cast<std::size_t>(node)]; }

private:
    static std::optional<double> number(const polynomial& p)
    {
        if (p.empty()) return 0;
        if (p.size() == 1 && p.begin()->first.empty()) return p.begin()->second.value;
        return std::nullopt;
    }

    /// A power of a product alone.
    static std::optional<polynomial> power(const polynomial& p, double exponent)
    {
        if (p.size() != 1 || !(p.begin()->second.value > 0)) return std::nullopt;
        product raised = p.begin()->first;
        for (auto& [component, e] : raised) e *= exponent;
        const double c = std::pow(p.begin()->second.value, exponent);
        return polynomial{{raised, {c, c}}};
    }

    std::optional<polynomial> value(const formula_node& n)
    {
        const double c = value_of(n.c);
        if (n.what == operation::constant) return constant(c);
        if (n.what == operation::time) return constant(t_);
        if (n.what == operation::variable) return polynomial{{{{n.a, 1.0}}, {1, 1}}};
        if (n.what == operation::derivative) return std::nullopt;
        const auto a = (*this)[n.a];
        if (!a) return std::nullopt;
        const auto b = n.b >= 0 ? (*this)[n.b] : polynomial{};
        if (!b) return std::nullopt;
        switch (n.what) {
        case operation::add: return sum(*a, *b, 1);
        case operation::subtract: return sum(*a, *b, -1);
        case operation::shift: return sum(*a, constant(c), 1);
        case operation::scale: return sum({}, *a, c);
        case operation::multiply: {
            polynomial all;
            if (a->size() * b->size() > most_terms) return std::nullopt;
            for (const auto& [p, x] : *a)
                for (const auto& [q, y] : *b) {
                    auto& at = all[times(p, q)];
                    at.value += x.value * y.value;
                    at.size += x.size * y.size;
                }
            return all;
        }
        case operation::divide: {
            const auto by = power(*b, -1);
            if (!by) return std::nullopt;
            polynomial all;
            for (const auto& [p, x] : *a)
                all[times(p, by->begin()->first)] = {x.value * by->begin()->second.value, x.size * by->begin()->second.value};
            return all;
        }
        case operation::over: {
            const auto by = power(*a, -1);
            return by ? std::optional(sum({}, *by, c)) : std::nullopt;
        }
        case operation::sqrt: return power(*a, 0.5);
        case operation::power: return power(*a, c);
        default: break;
        }
        const auto x = number(*a); // other functions, of time alone
        if (!x) return std::nullopt;
        switch (n.what) {
        case operation::exp: return constant(std::exp(*x));
        case operation::log: return constant(std::log(*x));
        case operation::sin: return constant(std::sin(*x));
        case operation::cos: return constant(std::cos(*x));
        default: return std::nullopt;
        }
    }

    double t_;
    std::vector<std::optional<polynomial>> known_;
};

/// The rows of the only branch that takes its argument; none: there are several.
std::optional<std::map<int, int>> rows_of(const formula_branch& b)
{
    std::map<int, int> rows(b.rows.begin(), b.rows.end());
    const formula_branch* only = nullptr;
    for (const auto& part : b.parts) {
        if (part.refused) continue;
        if (only != nullptr) return std::nullopt;
        only = &part;
    }
    if (only == nullptr) return rows;
    const auto deeper = rows_of(*only);
    if (!deeper) return std::nullopt;
    rows.insert(deeper->begin(), deeper->end());
    return rows;
}

std::string count_text(double exponent) { return exponent == 1 ? "" : exponent == 0.5 ? "½ " : fmt::format("{:g} ", exponent); }

} // namespace

std::optional<species_graph> species_graph_of(const problem& p)
{
    if (p.info().form == form::ide || static_cast<std::size_t>(p.n()) > most_species) return std::nullopt;
    std::optional<formula_graph> g;
    try {
        g = formula_graph::of(p);
    } catch (const bad_request&) {
        return std::nullopt;
    }
    const auto rows = rows_of(g->top);
    if (!rows) return std::nullopt;
    const reader read(*g, (p.info().t0.value() + p.info().tend.value()) / 2);
    species_graph graph;
    for (int i = 0; i < p.n(); ++i)
        graph.nodes.push_back(p.info().component_names.empty() ? fmt::format("y{}", i + 1) : p.info().component_names[static_cast<std::size_t>(i)]);
    std::map<product, std::pair<std::vector<int>, std::vector<int>>> turnover; // who loses and who gains by each product
    const auto& mass = p.in<double>().mass();
    for (const auto& [row, node] : *rows) {
        if (mass.at(row, row) == 0) continue; // an equation that holds at all times moves nothing
        if (!read[node]) return std::nullopt;
        for (const auto& [terms, c] : *read[node]) {
            if (!(std::abs(c.value) > negligible * c.size)) continue;
            auto& [losers, winners] = turnover[terms];
            (c.value < 0 ? losers : winners).push_back(row);
        }
    }
    const auto add = [&](int from, int to, const product& terms, bool makes) {
        std::string partners;
        for (const auto& [component, exponent] : terms)
            if (component != from || exponent > 1) {
                const double others = component == from ? exponent - 1 : exponent;
                partners += "+ " + count_text(others) + graph.nodes[static_cast<std::size_t>(component)] + " ";
            }
        if (!partners.empty()) partners.pop_back();
        const auto again = std::ranges::find_if(graph.arrows, [&](const graph_arrow& a) { return a.from == from && a.to == to && a.makes == makes; });
        if (again == graph.arrows.end())
            graph.arrows.push_back({from, to, partners, makes});
        else if (again->label.empty() || partners.empty())
            again->label.clear(); // one of the ways needs no partner
        else if (again->label != partners)
            again->label = several_ways;
    };
    for (const auto& [terms, sides] : turnover) {
        const auto& [losers, winners] = sides;
        if (!losers.empty()) {
            for (const int from : losers) {
                for (const int to : winners) add(from, to, terms, false);
                if (winners.empty()) add(from, -1, terms, false);
            }
        } else if (terms.empty()) {
            for (const int to : winners) add(-1, to, terms, false);
        } else {
            for (const auto& [from, exponent] : terms)
                for (const int to : winners)
                    if (from != to) add(from, to, terms, true);
        }
    }
    if (graph.arrows.empty()) return std::nullopt;
    // Among so many arrows nobody could tell which label belongs to which.
    if (graph.arrows.size() > most_labelled)
        for (auto& a : graph.arrows) a.label.clear();
    return graph;
}

drawing graph_drawing(const std::vector<std::string>& nodes, const std::vector<std::vector<int>>& parts, const std::vector<graph_arrow>& arrows)
{
    constexpr double margin = 75;
    // Labels between the nodes need room.
    const double node_distance = std::ranges::any_of(arrows, [](const graph_arrow& a) { return !a.label.empty(); }) ? 135 : 110;
    std::vector<drawn_point> at(nodes.size());
    double left = 0;
    double height = 0;
    for (const auto& part : parts) {
        const double count = static_cast<double>(part.size());
        const double radius = part.size() < 2 ? 0 : std::max(60.0, count * node_distance / (2 * std::numbers::pi));
        const double size = 2 * (radius + margin);
        for (std::size_t k = 0; k < part.size(); ++k) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(k) / count - std::numbers::pi / 2;
            at[static_cast<std::size_t>(part[k])] = {left + size / 2 + radius * std::cos(angle), radius * std::sin(angle)};
        }
        left += size;
        height = std::max(height, size);
    }
    for (auto& p : at) p.y += height / 2;
    drawing d(left, height);
    for (const auto& t : arrows) {
        if (t.from == t.to) continue;
        const bool source = t.from < 0;
        const bool sink = t.to < 0;
        const drawn_point node = at[static_cast<std::size_t>(source ? t.to : t.from)];
        // Away from the middle of its circle; what enters and what leaves do not meet.
        drawn_point middle;
        for (const auto& part : parts) {
            if (std::ranges::find(part, source ? t.to : t.from) == part.end()) continue;
            drawn_point total;
            for (const int k : part) total = total + at[static_cast<std::size_t>(k)];
            middle = part.size() > 1 ? (1 / static_cast<double>(part.size())) * total : node + drawn_point{0, 1};
        }
        const drawn_point away = direction(middle, node);
        const drawn_point outside = node + 62 * away + (source ? 16.0 : -16.0) * turned(away);
        const drawn_point a = source ? outside : at[static_cast<std::size_t>(t.from)];
        const drawn_point b = sink ? outside : at[static_cast<std::size_t>(t.to)];
        const double length = std::max(1.0, std::hypot(b.x - a.x, b.y - a.y));
        const drawn_point along = direction(a, b);
        // Words are wide and low: an arrow keeps more distance at their sides.
        const double gap = std::min(12 + 12 * std::abs(along.x), length / 3);
        const double side = source || sink ? 0 : 12; // there and back are two arrows
        const drawn_point control = 0.5 * (a + b) + 2 * side * turned(along);
        const drawn_point label = 0.5 * (a + b) + 1.25 * side * turned(along);
        d.curved_arrow(a + (source ? 0 : gap) * along, control, b - (sink ? 0 : gap) * along, t.makes ? ink::dashed : ink::quiet);
        if (t.label.empty()) continue;
        // Beside the arrow; if one of its ends is outside, behind that end.
        const drawn_point out = source || sink ? away : turned(along);
        const drawn_point at_label = source || sink ? outside + 10 * away : label;
        d.text(at_label + drawn_point{0, 4}, t.label, std::abs(out.x) < 0.5 ? anchor::middle : out.x > 0 ? anchor::start : anchor::end, ink::quiet);
    }
    for (std::size_t k = 0; k < at.size(); ++k) d.text(at[k] + drawn_point{0, 4}, nodes[k]);
    return d;
}

drawing graph_drawing(const species_graph& g)
{
    std::vector<int> order(g.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto total = [&] {
        std::vector<int> position(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
        const int n = static_cast<int>(order.size());
        double length = 0;
        for (const auto& a : g.arrows) {
            if (a.from < 0 || a.to < 0) continue;
            const int steps = std::abs(position[static_cast<std::size_t>(a.from)] - position[static_cast<std::size_t>(a.to)]);
            length += std::sin(std::numbers::pi * std::min(steps, n - steps) / n);
        }
        return length;
    };
    for (bool better = true; better;) {
        better = false;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (std::size_t k = i + 1; k < order.size(); ++k) {
                const double before = total();
                std::swap(order[i], order[k]);
                if (total() < before - 1e-9)
                    better = true;
                else
                    std::swap(order[i], order[k]);
            }
    }
    return graph_drawing(g.nodes, {order}, g.arrows);
}

} // namespace ivp::text
