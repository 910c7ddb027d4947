#include "text/lowering.hpp"

#include "base/text.hpp"
#include "text/formula.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ivp::text {

std::optional<billionths> billionths::from_text(std::string_view text)
{
    // Digits, at most one point, perhaps an exponent: as the lexer reads numbers.
    const auto mark = text.find_first_of("eEdD");
    std::string digits;
    long decimals = 0;
    bool behind = false;
    for (const char c : text.substr(0, mark)) {
        if (c == '.') {
            behind = true;
            continue;
        }
        digits += c;
        if (behind) ++decimals;
    }
    if (mark != std::string_view::npos) {
        const auto exponent = parse_real(text.substr(mark + 1));
        if (!exponent || std::abs(*exponent) > 300) return std::nullopt;
        decimals -= static_cast<long>(*exponent);
    }
    while (digits.size() > 1 && digits.back() == '0' && decimals > 0) {
        digits.pop_back();
        --decimals;
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    if (decimals > 9 || decimals < -9) return std::nullopt;
    digits.append(static_cast<std::size_t>(9 - decimals), '0');
    if (digits.size() > 18) return std::nullopt;
    return billionths{std::stoll(digits)};
}

std::string billionths::text() const
{
    const std::int64_t size = std::abs(n);
    std::string out = (n < 0 ? "-" : "") + std::to_string(size / unit);
    if (size % unit == 0) return out;
    std::string part = std::to_string(unit + size % unit).substr(1);
    part.erase(part.find_last_not_of('0') + 1);
    return out + "." + part;
}

namespace {

class builder {
public:
    explicit builder(model& m, fault_list& faults)
        : m_(m),
          d_(*m.text),
          faults_(faults),
          placed_(d_.declarations.size()),
          is_placed_(d_.declarations.size(), 0),
          evaluate_(d_, m.code.expressions, m.parameters),
          lower_(m, evaluate_, placed_)
    {}

    void run()
    {
        place_states();
        read_interval();
        if (!faults_.empty()) return;
        read_breaks();
        index_ordering();
        start_values();
        resolve_reactions();
        sort_equations();
        if (!faults_.empty()) return;
        decide_form();
        if (!faults_.empty()) return;
        m_.code.rows = m_.n;
        for (const auto& r : d_.requirements) requirement_code(r);
        equation_code();
        guarded(0, [&] { lower_.finish(); });
        output_code();
        std::ranges::sort(m_.kinks, {}, &decimal::value);
    }

private:
    using affected = std::vector<std::pair<int, index_values>>; ///< rows, and the indices of the equation for each

    const expression& at(expr e) const { return m_.code.expressions[static_cast<std::size_t>(e)]; }
    const std::string& name_of_symbol(int s) const { return d_.symbol(s); }

    template <class Work>
    void guarded(place where, Work work)
    {
        if (faults_.full()) return;
        try {
            work();
        } catch (const no_value& e) {
            faults_.add(e.at == 0 ? where : e.at, e.why);
        } catch (const not_understood&) {}
    }

    // ---- Declarations ----

    void place_states()
    {
        long n = 0;
        for (std::size_t k = 0; k < d_.declarations.size(); ++k) {
            const declaration& x = d_.declarations[k];
            if (x.what == meaning::parameter || x.what == meaning::table) continue;
            guarded(x.at, [&] { placed_[k].s = evaluate_.shape_of(x); });
            if (x.what == meaning::constant && x.value != no_expr && at(x.value).kind == expr_kind::list) check_list(x, placed_[k].s);
        }
        for (std::size_t k = 0; k < d_.declarations.size() && faults_.empty(); ++k) {
            const declaration& x = d_.declarations[k];
            if (x.what != meaning::state || is_placed_[k] != 0) continue;
            std::vector<std::size_t> together{k};
            if (x.group >= 0)
                for (std::size_t other = k + 1; other < d_.declarations.size(); ++other)
                    if (d_.declarations[other].what == meaning::state && d_.declarations[other].group == x.group) together.push_back(other);
            const long count = placed_[k].s.count();
            for (const auto other : together)
                if (placed_[other].s.count() != count)
                    return faults_.add(d_.declarations[other].at, "'" + name_of_symbol(d_.declarations[other].symbol) + "' has " +
                                                                      counted(static_cast<std::uint64_t>(placed_[other].s.count()), "element") +
                                                                      ", '" + name_of_symbol(x.symbol) + "' has " + std::to_string(count) +
                                                                      "; allowed: interleaved states of equal size");
            const auto stride = static_cast<int>(together.size());
            for (std::size_t m = 0; m < together.size(); ++m) {
                auto& p = placed_[together[m]];
                p.first = static_cast<int>(n + static_cast<long>(m));
                if (p.s.range.size() == 1) p.step = {stride};
                if (p.s.range.size() == 2) p.step = {stride * static_cast<int>(p.s.range[1].second - p.s.range[1].first + 1), stride};
                is_placed_[together[m]] = 1;
            }
            n += count * stride;
            if (n > limits::elements)
                return faults_.add(x.at, "the states have together more than " + std::to_string(limits::elements) + " elements; allowed: at most " +
                                             std::to_string(limits::elements));
        }
        if (n == 0 && faults_.empty()) faults_.add(0, "no state found; allowed: at least one 'state' or 'species'");
        m_.n = static_cast<int>(n);
        name_states();
    }

    void check_list(const declaration& x, const shape& s)
    {
        const auto values = at(x.value).parts.size();
        if (static_cast<long>(values) != s.count())
            faults_.add(at(x.value).at, counted(values, "value") + " found for " + counted(static_cast<std::uint64_t>(s.count()), "element"));
    }

    template <class Visit>
    void for_each_element(std::size_t k, Visit visit)
    {
        const auto& p = placed_[k];
        if (p.s.range.empty()) return visit(index_values{}, p.first);
        const auto [from, to] = p.s.range[0];
        for (long i = from; i <= to; ++i) {
            const long row = p.first + (i - from) * p.step[0];
            if (p.s.range.size() == 1) {
                visit(index_values{{d_.symbol_i, i}}, static_cast<int>(row));
                continue;
            }
            const auto [first, last] = p.s.range[1];
            for (long j = first; j <= last; ++j)
                visit(index_values{{d_.symbol_i, i}, {d_.symbol_j, j}}, static_cast<int>(row + (j - first) * p.step[1]));
        }
    }

    void name_states()
    {
        if (!faults_.empty()) return;
        m_.names.resize(static_cast<std::size_t>(m_.n));
        m_.declaration_of.resize(m_.names.size());
        m_.indices_of.resize(m_.names.size());
        for (std::size_t k = 0; k < d_.declarations.size(); ++k) {
            if (d_.declarations[k].what != meaning::state) continue;
            for_each_element(k, [&](const index_values& env, int row) {
                std::string name = name_of_symbol(d_.declarations[k].symbol);
                for (std::size_t dim = 0; dim < env.size(); ++dim) name += (dim == 0 ? "[" : ",") + std::to_string(env[dim].second);
                if (!env.empty()) name += "]";
                m_.names[static_cast<std::size_t>(row)] = std::move(name);
                m_.declaration_of[static_cast<std::size_t>(row)] = static_cast<int>(k);
                m_.indices_of[static_cast<std::size_t>(row)] = env;
            });
        }
    }

    void start_values()
    {
        m_.start.resize(static_cast<std::size_t>(m_.n));
        for (std::size_t k = 0; k < d_.declarations.size(); ++k) {
            const declaration& x = d_.declarations[k];
            if (x.what != meaning::state) continue;
            guarded(x.at, [&] {
                for_each_element(k, [&](const index_values& env, int row) {
                    index_values copy = env;
                    if (!std::isfinite(evaluate_.value(x.value, copy)))
                        throw no_value{at(x.value).at, "the initial value of " + m_.names[static_cast<std::size_t>(row)] + " is not a finite number"};
                    m_.start[static_cast<std::size_t>(row)] = {x.value, false, env};
                });
            });
        }
        for (const auto& a : d_.initials)
            guarded(a.at, [&] {
                const auto set = [&](int row, const index_values& env) {
                    index_values copy = env;
                    (void)evaluate_.value(a.value, copy);
                    m_.start_rates.emplace_back(row, constant_expression{a.value, false, env});
                };
                const expression& x = at(a.target);
                if (x.parts.empty() && !d_.declared(x.target).dims.empty())
                    for_each_element(static_cast<std::size_t>(x.target), [&](const index_values& env, int row) { set(row, env); });
                else {
                    index_values none;
                    set(lower_.state_number(a.target, none), {});
                }
            });
    }

    // ---- Times ----

    decimal exact(expr e)
    {
        const expression& x = at(e);
        if (x.kind == expr_kind::number) return decimal(std::string(x.number));
        if (x.kind == expr_kind::negate && at(x.parts[0]).kind == expr_kind::number) return decimal("-" + std::string(at(x.parts[0]).number));
        if (x.kind == expr_kind::name && x.means == meaning::parameter) return m_.parameters.exact(name_of_symbol(x.symbol));
        constant_values<quad> in_quad(d_, m_.code.expressions, m_.parameters);
        index_values none;
        const quad v = in_quad.value(e, none);
        const double rounded = value_of(v);
        if (!std::isfinite(rounded)) throw no_value{x.at, "the value is not a finite number"};
        return quad(rounded) == v ? decimal(rounded) : decimal(to_text(v, 34));
    }

    void read_interval()
    {
        if (!d_.interval) return faults_.add(0, "no interval found; allowed: a line such as 'interval 0 .. 10'");
        guarded(d_.interval_at, [&] {
            m_.t0 = exact(d_.interval->from);
            m_.tend = exact(d_.interval->to);
            if (!(m_.t0.value() < m_.tend.value()))
                faults_.add(d_.interval_at,
                            "the interval goes from " + m_.t0.text() + " to " + m_.tend.text() + "; allowed: from a smaller to a larger time");
        });
    }

    void read_breaks()
    {
        for (const auto& b : d_.breaks)
            guarded(b.at, [&] {
                const decimal t = exact(b.value);
                if (!(m_.t0.value() < t.value() && t.value() < m_.tend.value()))
                    return faults_.add(b.at, "a break at " + t.text() + " found; allowed: times between " + m_.t0.text() + " and " + m_.tend.text());
                m_.breaks.push_back(t);
                if (lower_.kinks_seen.insert(t.value()).second) m_.kinks.push_back(t);
            });
        std::ranges::sort(m_.breaks, {}, &decimal::value);
        const auto same = [](const decimal& a, const decimal& b) { return a.value() == b.value(); };
        m_.breaks.erase(std::unique(m_.breaks.begin(), m_.breaks.end(), same), m_.breaks.end());
    }

    void index_ordering()
    {
        for (const auto& a : d_.indices)
            guarded(a.at, [&] {
                index_values none;
                const long k = evaluate_.whole(a.value, none);
                if (k < 1 || k > 3) throw no_value{at(a.value).at, "the index " + std::to_string(k) + " found; allowed: 1, 2, 3"};
                m_.index.resize(static_cast<std::size_t>(m_.n), 1);
                const expression& x = at(a.target);
                if (x.parts.empty() && !d_.declared(x.target).dims.empty())
                    for_each_element(static_cast<std::size_t>(x.target),
                                     [&](const index_values&, int row) { m_.index[static_cast<std::size_t>(row)] = static_cast<int>(k); });
                else
                    m_.index[static_cast<std::size_t>(lower_.state_number(a.target, none))] = static_cast<int>(k);
                m_.highest_index = std::max(m_.highest_index, static_cast<int>(k));
            });
        if (const auto falls = std::ranges::is_sorted_until(m_.index); falls != m_.index.end())
            faults_.add(d_.indices.front().at,
                        "'" + m_.names[static_cast<std::size_t>(falls - m_.index.begin())] + "' of index " + std::to_string(*falls) +
                            " comes after a state of a higher index; allowed: states declared in the order of their index 1, 2, 3");
    }

    // ---- Reactions ----

    network_reaction::part resolved(const reaction::side& s, index_values& env)
    {
        network_reaction::part p{-1, s.species, {billionths::unit}, env};
        if (!s.coefficient.empty()) {
            const auto c = billionths::from_text(s.coefficient);
            if (!c || c->n <= 0)
                throw no_value{at(s.species).at, "the coefficient " + std::string(s.coefficient) +
                                                     " found; allowed: numbers above 0 with at most nine digits before and "
                                                     "nine after the point"};
            p.coefficient = *c;
        }
        if (at(s.species).means == meaning::state)
            p.state = lower_.state_number(s.species, env);
        else
            p.state = -1 - at(s.species).target;
        return p;
    }

    void resolve_reactions()
    {
        for (const auto& r : d_.reactions)
            guarded(r.at, [&] {
                index_values env;
                evaluate_.for_each(r.loops, env, [&] {
                    network_reaction forward;
                    forward.at = r.at;
                    forward.law = r.law;
                    forward.text = r.text;
                    forward.env = env;
                    for (const auto& s : r.reactants) forward.reactants.push_back(resolved(s, env));
                    for (const auto& s : r.products) forward.products.push_back(resolved(s, env));
                    forward.constant = r.forward;
                    network_reaction back = forward;
                    if (r.reversible) {
                        std::swap(back.reactants, back.products);
                        back.constant = r.backward;
                        back.backward = true;
                    }
                    add_reaction(std::move(forward));
                    if (r.reversible) add_reaction(std::move(back));
                });
            });
    }

    void add_reaction(network_reaction r)
    {
        std::map<int, std::int64_t> net;
        std::vector<int> order;
        const auto count = [&](const network_reaction::part& p, int sign) {
            if (p.state < 0) return;
            if (net.emplace(p.state, 0).second) order.push_back(p.state);
            net[p.state] += sign * p.coefficient.n;
            if (p.state >= 0) in_reaction_.resize(static_cast<std::size_t>(m_.n), 0), in_reaction_[static_cast<std::size_t>(p.state)] = 1;
        };
        for (const auto& p : r.reactants) count(p, -1);
        for (const auto& p : r.products) count(p, 1);
        for (const int s : order)
            if (net[s] != 0) r.net.emplace_back(s, billionths{net[s]});
        r.rate = r.law ? r.constant : mass_action(r);
        m_.reactions.push_back(std::move(r));
    }

    /// The constant times the concentrations, each as often as its coefficient says.
    expr mass_action(const network_reaction& r)
    {
        std::vector<expr> parts{r.constant};
        for (const auto& p : r.reactants) {
            if (p.coefficient.n % billionths::unit == 0 && p.coefficient.n / billionths::unit <= 4) {
                for (std::int64_t k = 0; k < p.coefficient.n / billionths::unit; ++k) parts.push_back(p.name);
                continue;
            }
            const expr exponent = lower_.make_number(r.at, p.coefficient.text());
            parts.push_back(lower_.make(expr_kind::power, r.at, {p.name, exponent}));
        }
        if (parts.size() == 1) return r.constant;
        std::string signs(parts.size(), '*');
        return lower_.make(expr_kind::product, r.at, std::move(parts), std::move(signs));
    }

    // ---- Which equation belongs to which row ----

    [[nodiscard]] bool is_explicit(const equation& q) { return at(q.left).kind == expr_kind::derivative && !lower_.has_derivative(q.right); }

    void sort_equations()
    {
        in_reaction_.resize(static_cast<std::size_t>(m_.n), 0);
        rows_.resize(d_.equations.size());
        std::vector<int> owner(static_cast<std::size_t>(m_.n), -1);
        std::vector<std::pair<std::size_t, index_values>> others;
        long all = 0;
        for (std::size_t k = 0; k < d_.equations.size(); ++k) {
            const equation& q = d_.equations[k];
            const bool plain = is_explicit(q);
            guarded(q.at, [&] {
                index_values env;
                evaluate_.for_each(q.loops, env, [&] {
                    if (++all > limits::elements) throw no_value{q.at, "more than " + std::to_string(limits::elements) + " equations"};
                    if (!plain) return others.emplace_back(k, env), void();
                    const int row = lower_.state_number(q.left, env);
                    if (auto& mine = owner[static_cast<std::size_t>(row)]; mine < 0)
                        mine = static_cast<int>(k);
                    else
                        throw no_value{q.at, "a second equation for " + m_.names[static_cast<std::size_t>(row)] + "' found; the first is in line " +
                                                 std::to_string(d_.text.position(d_.equations[static_cast<std::size_t>(mine)].at).first)};
                    rows_[k].emplace_back(row, env);
                });
            });
        }
        if (!faults_.empty()) return;
        std::vector<int> open;
        for (int row = 0; row < m_.n; ++row)
            if (owner[static_cast<std::size_t>(row)] < 0 && in_reaction_[static_cast<std::size_t>(row)] == 0) open.push_back(row);
        if (open.size() != others.size()) return wrong_number(open, others.size());
        m_.is_algebraic.assign(static_cast<std::size_t>(m_.n), 0);
        m_.explicit_row.assign(static_cast<std::size_t>(m_.n), 1);
        m_.has_equation.assign(static_cast<std::size_t>(m_.n), 1);
        for (std::size_t i = 0; i < owner.size(); ++i)
            if (owner[i] < 0 && in_reaction_[i] != 0) m_.has_equation[i] = 0;
        for (const int row : open) m_.explicit_row[static_cast<std::size_t>(row)] = 0;
        for (std::size_t k = 0; k < open.size(); ++k) rows_[others[k].first].emplace_back(open[k], others[k].second);
    }

    void wrong_number(const std::vector<int>& open, std::size_t equations)
    {
        std::vector<std::string> names;
        for (const int row : open) {
            if (names.size() == 10) {
                names.emplace_back("...");
                break;
            }
            names.push_back(m_.names[static_cast<std::size_t>(row)]);
        }
        if (equations == 0) {
            const declaration& x = d_.declared(m_.declaration_of[static_cast<std::size_t>(open.front())]);
            return faults_.add(x.at,
                               "no equation for " + joined(names, ", ") + "; allowed: one for each state, such as " + names.front() + "' = ...");
        }
        place last = 0;
        for (std::size_t k = 0; k < d_.equations.size(); ++k)
            if (!is_explicit(d_.equations[k])) last = d_.equations[k].at;
        faults_.add(last, counted(equations, "equation") + " of the form 0 = ... or with several derivatives found, but " +
                              counted(open.size(), "state") + " without an equation of the form x' = ..." +
                              (names.empty() ? std::string{} : ": " + joined(names, ", ")) + "; allowed: as many equations as states");
    }

    // ---- Form ----

    bool is_zero(expr e) const { return at(e).kind == expr_kind::number && parse_real(at(e).number) == 0.0; }

    struct linear_parts {
        bool constant = true; ///< all coefficients of derivatives are
        std::vector<std::pair<expr, constant_expression>> derivatives{};
        std::vector<std::pair<bool, expr>> rest{}; ///< minus, expression
    };

    /// sign * factors * e, with e a sum that may contain derivatives.
    void collect(expr e, bool minus, const std::vector<std::pair<char, expr>>& factors, linear_parts& to)
    {
        const expression x = at(e);
        const auto product_with = [&](expr last) -> expr {
            if (factors.empty()) return last;
            std::vector<expr> parts;
            std::string signs;
            // A divisor cannot stand first.
            for (const auto& [sign, f] : factors)
                if (sign == '*') parts.push_back(f), signs += '*';
            if (last != no_expr) parts.push_back(last), signs += '*';
            if (parts.empty()) parts.push_back(lower_.make_number(x.at, "1")), signs += '*';
            for (const auto& [sign, f] : factors)
                if (sign == '/') parts.push_back(f), signs += '/';
            return parts.size() == 1 ? parts[0] : lower_.make(expr_kind::product, x.at, std::move(parts), std::move(signs));
        };
        if (!lower_.has_derivative(e)) {
            to.rest.emplace_back(minus, product_with(e));
            return;
        }
        switch (x.kind) {
        case expr_kind::derivative: {
            const expr c = factors.empty() ? lower_.make_number(x.at, "1") : product_with(no_expr);
            if (at(c).depends) to.constant = false;
            to.derivatives.emplace_back(e, constant_expression{c, minus, {}});
            return;
        }
        case expr_kind::negate: return collect(x.parts[0], !minus, factors, to);
        case expr_kind::sum:
            for (std::size_t k = 0; k < x.parts.size(); ++k) collect(x.parts[k], minus != (x.signs[k] == '-'), factors, to);
            return;
        case expr_kind::product: {
            auto more = factors;
            expr inner = no_expr;
            for (std::size_t k = 0; k < x.parts.size(); ++k) {
                if (!lower_.has_derivative(x.parts[k])) {
                    more.emplace_back(x.signs[k], x.parts[k]);
                } else if (inner != no_expr || x.signs[k] == '/') {
                    to.constant = false;
                    return;
                } else {
                    inner = x.parts[k];
                }
            }
            return collect(inner, minus, more, to);
        }
        default: to.constant = false;
        }
    }

    void decide_form()
    {
        parts_.resize(d_.equations.size());
        bool has_rows = false;
        for (std::size_t k = 0; k < d_.equations.size(); ++k) {
            const equation q = d_.equations[k];
            if (is_explicit(q)) continue;
            has_rows = true;
            auto& p = parts_[k];
            collect(q.left, false, {}, p);
            linear_parts right;
            collect(q.right, false, {}, right);
            for (auto& [e, c] : right.derivatives) p.derivatives.emplace_back(e, constant_expression{c.e, !c.negative, {}});
            p.constant = p.constant && right.constant;
            p.rest_right = std::move(right.rest);
            // A derivative behind "0 =" asks for the implicit form in words.
            if (!p.constant || (is_zero(q.left) && !p.derivatives.empty())) m_.form = form::ide;
        }
        if (m_.form != form::ide) m_.form = has_rows ? form::dae : form::ode;
        if (m_.form == form::ode) {
            if (!m_.index.empty() && m_.highest_index > 1)
                faults_.add(d_.indices.front().at, "an index above 1 found in a system of differential equations; allowed: with algebraic equations");
            m_.index.clear();
            m_.highest_index = 0;
        } else {
            m_.highest_index = std::max(m_.highest_index, 1);
        }
        if (m_.form == form::dae) mass_rows();
    }

    void mass_rows()
    {
        for (std::size_t k = 0; k < d_.equations.size(); ++k) {
            const equation& q = d_.equations[k];
            const bool plain = is_explicit(q);
            guarded(q.at, [&] {
                for (auto& [row, env] : rows_[k]) {
                    if (plain) continue;
                    m_.is_algebraic[static_cast<std::size_t>(row)] = parts_[k].derivatives.empty() ? 1 : 0;
                    for (const auto& [derivative, c] : parts_[k].derivatives) {
                        (void)evaluate_.value(c.e, env);
                        m_.mass.push_back({row, lower_.state_number(derivative, env), {c.e, c.negative, env}});
                    }
                    is_other_.insert(row);
                }
            });
        }
        const expr one = lower_.make_number(0, "1");
        for (int row = 0; row < m_.n; ++row)
            if (!is_other_.contains(row)) m_.mass.push_back({row, row, {one, false, {}}});
    }

    // ---- Code ----

    void requirement_code(const requirement& r)
    {
        guarded(r.at, [&] {
            if (!r.loops.variables.empty()) {
                try {
                    return lower_.loop_requirement(r.loops, r.condition);
                } catch (const no_loop&) {}
            }
            index_values env;
            evaluate_.for_each(r.loops, env, [&] { lower_.require(r.condition, env); });
        });
    }

    /// What stands on the right of M y' = ... , or G of an IDE.
    expr right_of(std::size_t k)
    {
        const equation q = d_.equations[k];
        if (m_.form == form::ide) {
            if (is_zero(q.left)) return q.right;
            return lower_.make(expr_kind::sum, q.at, {q.left, q.right}, "+-");
        }
        if (is_explicit(q)) return q.right;
        const auto& p = parts_[k];
        std::vector<expr> parts;
        std::string signs;
        for (const auto& [minus, e] : p.rest_right) parts.push_back(e), signs += minus ? '-' : '+';
        for (const auto& [minus, e] : p.rest)
            if (!is_zero(e)) parts.push_back(e), signs += minus ? '+' : '-';
        if (parts.empty()) return lower_.make_number(q.at, "0");
        if (parts.size() == 1 && signs == "+") return parts[0];
        return lower_.make(expr_kind::sum, q.at, std::move(parts), std::move(signs));
    }

    void equation_code()
    {
        m_.row_expression.assign(static_cast<std::size_t>(m_.n), no_expr);
        m_.row_state.assign(static_cast<std::size_t>(m_.n), -1);
        std::vector<std::vector<std::pair<int, int>>> terms(static_cast<std::size_t>(m_.n)); // of rows with reactions
        std::vector<char> is_done(static_cast<std::size_t>(m_.n), 0);
        for (std::size_t k = 0; k < d_.equations.size(); ++k) {
            const equation q = d_.equations[k];
            guarded(q.at, [&] {
                const expr right = right_of(k);
                if (loop_code(k, right)) {
                    for (const auto& [row, env] : rows_[k]) is_done[static_cast<std::size_t>(row)] = 1;
                    return;
                }
                for (const auto& [row, env] : rows_[k]) {
                    const auto r = static_cast<std::size_t>(row);
                    const bool joins_reactions = in_reaction_[r] != 0 && is_explicit(q);
                    const int operand = lower_.value(joins_reactions ? q.right : right, env);
                    if (joins_reactions) {
                        terms[r].emplace_back(operand < 0 ? ~operand : plus_one, operand < 0 ? -1 : operand);
                        continue;
                    }
                    m_.row_expression[r] = right;
                    if (at(right).kind == expr_kind::name && at(right).means == meaning::state) {
                        index_values copy = env;
                        m_.row_state[r] = lower_.state_number(right, copy);
                    }
                    lower_.store(row, operand);
                    is_done[r] = 1;
                }
            });
        }
        reaction_code(terms);
        for (int row = 0; row < m_.n && faults_.empty(); ++row)
            if (is_done[static_cast<std::size_t>(row)] == 0) finish_row(row, terms[static_cast<std::size_t>(row)]);
    }

    /// A program of its own: a run does not pay for it.
    void output_code()
    {
        if (d_.outputs.empty() || !faults_.empty()) return;
        model side(m_.text, m_.parameters);
        side.t0 = m_.t0;
        side.tend = m_.tend;
        side.breaks = m_.breaks;
        side.code.expressions = m_.code.expressions;
        constant_values<double> evaluate(d_, side.code.expressions, m_.parameters);
        lowering lower(side, evaluate, placed_);
        std::set<std::string> named;
        for (const expr e : d_.outputs) {
            const expression x = at(e);
            if (x.parts.empty() && !d_.declared(x.target).dims.empty()) continue; // all elements: only pictured
            guarded(x.at, [&] {
                std::string name = formula_text(m_, e, {});
                std::erase(name, ' ');
                if (!named.insert(name).second) return;
                lower.store(static_cast<int>(m_.output_names.size()), lower.value(e, {}));
                m_.output_names.push_back(std::move(name));
            });
        }
        guarded(0, [&] { lower.finish(); });
        side.code.rows = static_cast<int>(m_.output_names.size());
        m_.output_code = std::move(side.code);
    }

    void reaction_code(std::vector<std::vector<std::pair<int, int>>>& terms)
    {
        for (const auto& r : m_.reactions)
            guarded(r.at, [&] {
                if (r.net.empty()) return;
                const int operand = lower_.value(r.rate, r.env);
                for (const auto& [state, net] : r.net) {
                    auto& to = terms[static_cast<std::size_t>(state)];
                    const int c = coefficient(net);
                    if (operand >= 0)
                        to.emplace_back(c, operand);
                    else if (c == plus_one)
                        to.emplace_back(~operand, -1);
                    else // a constant source of more than one: the product is a constant of its own
                        to.emplace_back(source_constant(r, net), -1);
                }
            });
    }

    int coefficient(const billionths& net)
    {
        const auto [it, is_new] = coefficients_.try_emplace(net.n, 0);
        if (!is_new) return it->second;
        const std::string text = net.text();
        return it->second = text.front() == '-' ? lower_.number_constant(text.substr(1), true) : lower_.number_constant(text, false);
    }

    int source_constant(const network_reaction& r, const billionths& net)
    {
        const std::string text = net.text();
        const bool minus = text.front() == '-';
        const expr number = lower_.make_number(r.at, minus ? text.substr(1) : text);
        const expr all = lower_.make(expr_kind::product, r.at, {number, r.rate}, "**");
        const int operand = lower_.value(minus ? lower_.make(expr_kind::negate, r.at, {all}) : all, r.env);
        return ~operand;
    }

    /// A species: the sum of what its equation and its reactions give.
    void finish_row(int row, const std::vector<std::pair<int, int>>& terms)
    {
        const int change = terms.empty() ? constant_operand(lower_.number_constant("0", false)) : lower_.weighted(terms);
        if (m_.form != form::ide) return lower_.store(row, change);
        // G = y' - f
        const int rate = lower_.rate_of(row);
        lower_.store(row, lower_.weighted(change < 0 ? std::vector<std::pair<int, int>>{{plus_one, rate}, {lower_.minus(~change), -1}}
                                                     : std::vector<std::pair<int, int>>{{plus_one, rate}, {minus_one, change}}));
    }

    /// False: it has to be written out.
    bool loop_code(std::size_t k, expr right)
    {
        const equation& q = d_.equations[k];
        const auto& rows = rows_[k];
        if (q.loops.variables.empty() || rows.size() < 8) return false;
        if (std::ranges::any_of(rows, [&](const auto& r) { return in_reaction_[static_cast<std::size_t>(r.first)] != 0; })) return false;
        try {
            reference_to to{space::rows, 0, 0, 0};
            if (is_explicit(q)) {
                to = lower_.element(q.loops, q.left, space::rows);
            } else {
                if (q.loops.variables.size() != 1) return false;
                to.first = rows[0].first;
                to.inner = rows[1].first - rows[0].first;
                for (std::size_t m = 0; m < rows.size(); ++m)
                    if (rows[m].first != to.first + static_cast<int>(m) * to.inner) return false;
            }
            lower_.loop_equation(q.loops, right, to);
            return true;
        } catch (const no_loop&) {
            return false;
        }
    }

    struct equation_parts : linear_parts {
        std::vector<std::pair<bool, expr>> rest_right{};
    };

    model& m_;
    const document& d_;
    fault_list& faults_;
    std::vector<placement> placed_;
    std::vector<char> is_placed_;
    constant_values<double> evaluate_;
    lowering lower_;
    std::vector<affected> rows_; ///< of each equation
    std::vector<equation_parts> parts_;
    std::vector<char> in_reaction_; ///< states
    std::unordered_map<std::int64_t, int> coefficients_;
    std::set<int> is_other_; ///< rows that are not x' = ...
};

} // namespace

std::vector<parameter> parameters_of(const document& d)
{
    std::vector<parameter> all;
    for (const auto& n : d.declarations) {
        if (n.what != meaning::parameter) continue;
        parameter p;
        p.name = d.symbol(n.symbol);
        p.value = decimal(n.number);
        p.whole = n.whole;
        p.meaning = plain_line(n.text, 200);
        const bool small = n.whole && p.value.value() >= 1;
        p.min = n.least_number.empty() ? decimal(small ? "1" : n.whole ? "-1e9" : "-1e300") : decimal(n.least_number);
        p.max = n.most_number.empty() ? decimal(n.whole ? "1e9" : "1e300") : decimal(n.most_number);
        all.push_back(std::move(p));
    }
    return all;
}

std::shared_ptr<const model> build_model(std::shared_ptr<const document> d, const parameter_values& parameters)
{
    auto m = std::make_shared<model>(d, parameters);
    m->code.expressions = d->expressions;
    fault_list faults(d->text);
    try {
        builder(*m, faults).run();
    } catch (const no_value& e) {
        faults.add(e.at, e.why);
    }
    faults.raise();
    return m;
}

} // namespace ivp::text
