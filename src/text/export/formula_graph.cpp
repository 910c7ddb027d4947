#include "text/export/formula_graph.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace ivp::text {

namespace {

constexpr std::size_t most_leaves = 256;
constexpr std::size_t most_decisions = 100; ///< one after the other
constexpr std::size_t most_nodes = 2'000'000;

class graph_builder {
public:
    graph_builder(const problem& p, const recordable& formula) : p_(p), formula_(formula)
    {
        y_ = p.in<quad>().initial_values();
        if (p.info().form == form::ide) yp_ = p.in<quad>().initial_derivatives(), yp_.resize(y_.size(), quad(0));
    }

    formula_graph run()
    {
        leaf_or_choice all = explore({});
        hoist(all);
        graph_.top = branch_of(all, {});
        return std::move(graph_);
    }

private:
    struct leaf_or_choice {
        bool refused = false;
        std::vector<int> rows; ///< of a leaf; of a choice: -1 where its parts differ
        int condition = -1;
        std::vector<leaf_or_choice> parts;
    };

    int node(const formula_node& n)
    {
        const auto key = std::tuple(static_cast<int>(n.what), n.a, n.b, n.condition, value_of(n.c), value_of(n.c - quad(value_of(n.c))));
        const auto [it, is_new] = known_.try_emplace(key, static_cast<int>(graph_.nodes.size()));
        if (is_new) {
            if (graph_.nodes.size() >= most_nodes)
                throw bad_request("the formula of " + p_.id() + " is too long to be exported: more than " + std::to_string(most_nodes) +
                                  " operations");
            graph_.nodes.push_back(n);
        }
        return it->second;
    }

    /// Numbers of the tape's entries in the graph.
    std::vector<int> taken_over(const tape& t)
    {
        std::vector<int> at(t.entries.size());
        for (std::size_t k = 0; k < t.entries.size(); ++k) {
            const auto& e = t.entries[k];
            if (e.what == operation::sides) continue; // a part of the choice that follows
            formula_node n{e.what, e.a, e.b, e.c};
            if (e.what == operation::choose) {
                const auto& sides = t.entries[static_cast<std::size_t>(e.b)];
                n.condition = at[static_cast<std::size_t>(e.a)];
                n.a = at[static_cast<std::size_t>(sides.a)];
                n.b = at[static_cast<std::size_t>(sides.b)];
            } else if (!n.is_input()) {
                n.a = at[static_cast<std::size_t>(e.a)];
                // The second operand of these is for their derivatives.
                const bool of_one = e.what == operation::atan || e.what == operation::asin || e.what == operation::acos;
                n.b = e.b < 0 || of_one ? -1 : at[static_cast<std::size_t>(e.b)];
            }
            at[k] = node(n);
        }
        return at;
    }

    [[noreturn]] void too_many_branches() const
    {
        throw bad_request("the formula of " + p_.id() + " has more than " + std::to_string(most_leaves) +
                          " branches; allowed for an export: at most " + std::to_string(most_leaves));
    }

    leaf_or_choice explore(const std::vector<bool>& sides)
    {
        if (sides.size() > most_decisions) too_many_branches(); // a loop that goes on as long as a comparison holds has no end here
        tape t;
        t.whole = true;
        const evaluation answer = formula_.record(p_.info().t0.in<quad>(), y_.data(), yp_.empty() ? nullptr : yp_.data(), sides, t);
        const auto at = taken_over(t);
        leaf_or_choice here;
        if (t.decisions.size() > sides.size()) {
            here.condition = at[static_cast<std::size_t>(t.decisions[sides.size()].difference)];
            for (const bool negative : {true, false}) {
                auto deeper = sides;
                deeper.push_back(negative);
                here.parts.push_back(explore(deeper));
            }
            return here;
        }
        if (++leaves_ > most_leaves) too_many_branches();
        here.refused = answer == evaluation::refused;
        if (!here.refused)
            for (const int o : t.output) here.rows.push_back(at[static_cast<std::size_t>(o)]);
        return here;
    }

    /// What both sides of a choice have in common belongs before it.
    static void hoist(leaf_or_choice& x)
    {
        if (x.parts.empty()) return;
        for (auto& p : x.parts) hoist(p);
        const auto& a = x.parts[0];
        const auto& b = x.parts[1];
        if (a.refused && b.refused) {
            x = leaf_or_choice{true, {}, -1, {}};
            return;
        }
        x.rows = a.refused ? b.rows : a.rows;
        if (!a.refused && !b.refused)
            for (std::size_t k = 0; k < x.rows.size(); ++k)
                if (a.rows[k] != b.rows[k]) x.rows[k] = -1;
        const bool same = !a.refused && !b.refused && a.parts.empty() && b.parts.empty() && a.rows == b.rows;
        if (same) x = leaf_or_choice(a);
    }

    formula_branch branch_of(const leaf_or_choice& x, std::vector<char> known)
    {
        formula_branch b;
        b.refused = x.refused;
        known.resize(std::max(known.size(), x.rows.size()), 0);
        // Rows before a choice that may refuse its argument are computed only where it does not.
        const bool may_refuse = !x.parts.empty() && refuses(x);
        if (!may_refuse)
            for (std::size_t k = 0; k < x.rows.size(); ++k)
                if (x.rows[k] >= 0 && known[k] == 0) b.rows.emplace_back(static_cast<int>(k), x.rows[k]), known[k] = 1;
        b.condition = x.condition;
        for (const auto& p : x.parts) b.parts.push_back(branch_of(p, known));
        return b;
    }
    static bool refuses(const leaf_or_choice& x) { return x.refused || std::ranges::any_of(x.parts, refuses); }

    const problem& p_;
    const recordable& formula_;
    std::vector<quad> y_, yp_;
    formula_graph graph_;
    std::map<std::tuple<int, int, int, int, double, double>, int> known_;
    std::size_t leaves_ = 0;
};

double value_at(const formula_node& n, double t, const double* y, const double* yp, const std::vector<double>& v)
{
    const auto at = [&v](int k) { return v[static_cast<std::size_t>(k)]; };
    const double c = value_of(n.c);
    switch (n.what) {
    case operation::constant: return c;
    case operation::time: return t;
    case operation::variable: return y[n.a];
    case operation::derivative: return yp[n.a];
    case operation::add: return at(n.a) + at(n.b);
    case operation::subtract: return at(n.a) - at(n.b);
    case operation::multiply: return at(n.a) * at(n.b);
    case operation::divide: return at(n.a) / at(n.b);
    case operation::shift: return at(n.a) + c;
    case operation::scale: return c * at(n.a);
    case operation::over: return c / at(n.a);
    case operation::exp: return std::exp(at(n.a));
    case operation::log: return std::log(at(n.a));
    case operation::sqrt: return std::sqrt(at(n.a));
    case operation::sin: return std::sin(at(n.a));
    case operation::cos: return std::cos(at(n.a));
    case operation::sinh: return std::sinh(at(n.a));
    case operation::cosh: return std::cosh(at(n.a));
    case operation::atan: return std::atan(at(n.a));
    case operation::asin: return std::asin(at(n.a));
    case operation::acos: return std::acos(at(n.a));
    case operation::power: return std::pow(at(n.a), c);
    case operation::tanh: return std::tanh(at(n.a));
    case operation::floor: return std::floor(at(n.a));
    case operation::choose: return at(at(n.condition) < 0 ? n.a : n.b);
    case operation::sides: break;
    }
    return 0;
}

/// The formula that was read must be the problem's everywhere: some functions are recorded as they are near one point only.
void compare_with_problem(const problem& p, const formula_graph& g)
{
    const auto& e = p.in<double>();
    const auto y0 = e.initial_values();
    const bool is_ide = p.info().form == form::ide;
    auto yp = e.initial_derivatives();
    yp.resize(y0.size(), 0.0);
    const double t0 = p.info().t0.value();
    const double length = p.info().tend.value() - t0;
    constexpr int points = 25;
    std::uint64_t random = 12345;
    const auto next = [&random] { // between -1 and 1
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(random >> 11U) / static_cast<double>(1ULL << 52U) - 1;
    };
    struct point {
        double t;
        std::vector<double> y, yp, theirs;
        evaluation answer;
        double size = 0;
    };
    std::vector<point> all;
    double largest = 0; // a start that is consistent gives nothing but rounding
    for (int k = 0; k < points; ++k) {
        point x{t0, y0, yp, std::vector<double>(y0.size()), evaluation::ok};
        const double away = k == 0 ? 0 : std::pow(10.0, -8 + 8.0 * k / points);
        for (auto& v : x.y) v += away * next() * (std::abs(v) + 1e-3);
        for (auto& v : x.yp) v += away * next() * (std::abs(v) + 1e-3);
        if (k > 0) x.t += length * (next() + 1) / 2;
        x.answer = is_ide ? e.g(x.t, x.y.data(), x.yp.data(), x.theirs.data()) : e.f(x.t, x.y.data(), x.theirs.data());
        if (x.answer == evaluation::ok)
            for (const double v : x.theirs) x.size = std::max(x.size, std::isfinite(v) ? std::abs(v) : 0);
        largest = std::max(largest, x.size);
        all.push_back(std::move(x));
    }
    std::vector<double> ours(y0.size());
    for (const auto& x : all) {
        const bool inside = g.evaluate(x.t, x.y.data(), x.yp.data(), ours.data());
        bool same = inside == (x.answer != evaluation::refused);
        for (std::size_t i = 0; same && inside && x.answer == evaluation::ok && i < ours.size(); ++i)
            same = std::isfinite(ours[i]) && std::abs(ours[i] - x.theirs[i]) <= 1e-8 * x.size + 1e-12 * largest + 1e-300;
        if (!same)
            throw bad_request(
                "the formula of " + p.id() +
                " cannot be written as one expression for all arguments: it has functions or comparisons that are recorded near the start only");
    }
}

} // namespace

formula_graph formula_graph::of(const problem& p)
{
    const auto* const formula = p.has_quad() ? dynamic_cast<const recordable*>(&p.in<quad>()) : nullptr;
    if (formula == nullptr)
        throw bad_request("the formula of '" + p.id() +
                          "' is unknown: the tool can only call it; allowed: problems of the catalog, texts and imported models");
    formula_graph g = graph_builder(p, *formula).run();
    compare_with_problem(p, g);
    return g;
}

std::vector<int> formula_graph::uses() const
{
    std::vector<int> count(nodes.size(), 0);
    const std::function<void(const formula_branch&)> results = [&](const formula_branch& b) {
        for (const auto& [row, node] : b.rows) ++count[static_cast<std::size_t>(node)];
        if (!b.parts.empty()) ++count[static_cast<std::size_t>(b.condition)];
        for (const auto& p : b.parts) results(p);
    };
    results(top);
    for (std::size_t k = nodes.size(); k-- > 0;) // operands come before
        if (count[k] > 0 && !nodes[k].is_input())
            for (const int o : {nodes[k].a, nodes[k].b, nodes[k].condition})
                if (o >= 0) ++count[static_cast<std::size_t>(o)];
    return count;
}

bool formula_graph::evaluate(double t, const double* y, const double* yp, double* out) const
{
    std::vector<double> v(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) v[k] = value_at(nodes[k], t, y, yp, v);
    const formula_branch* b = &top;
    while (true) {
        if (b->refused) return false;
        for (const auto& [row, node] : b->rows) out[row] = v[static_cast<std::size_t>(node)];
        if (b->parts.empty()) return true;
        b = &b->parts[v[static_cast<std::size_t>(b->condition)] < 0 ? 0 : 1];
    }
}

} // namespace ivp::text
