#include "text/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::text {

int lowering::value(expr e, const index_values& env)
{
    const auto outer = std::exchange(env_, env);
    const int operand = lower(e);
    env_ = outer;
    return operand;
}

int lowering::lower(expr e)
{
    spend(e);
    if (!at(e).depends) return constant_operand(constant(e));
    const std::vector<expr> parts = at(e).parts;
    switch (at(e).kind) {
    case expr_kind::name:
    case expr_kind::derivative: return lower_name(e);
    case expr_kind::negate: {
        std::vector<std::pair<int, int>> terms;
        add_term(terms, true, parts[0]);
        return weighted(terms);
    }
    case expr_kind::sum: return lower_sum(e);
    case expr_kind::product: return lower_product(e);
    case expr_kind::power: return lower_power(parts[0], parts[1]);
    case expr_kind::call: return lower_call(e);
    case expr_kind::choice: return lower_choice(e);
    case expr_kind::total: return lower_total(e);
    default: throw no_value{at(e).at, "a number was expected here"};
    }
}

int lowering::state_number(expr name, index_values& env)
{
    const expression& x = at(name);
    const declaration& n = d_.declared(x.target);
    const placement& p = placed_[static_cast<std::size_t>(x.target)];
    long place_of = p.first;
    for (std::size_t dim = 0; dim < x.parts.size(); ++dim) {
        const long i = evaluate_.whole(x.parts[dim], env);
        const auto [from, to] = p.s.range[dim];
        evaluate_.check_range(x.at, n, dim, i, from, to);
        place_of += (i - from) * p.step[dim];
    }
    return static_cast<int>(place_of);
}

int lowering::lower_name(expr e)
{
    const expression x = at(e);
    if (x.means == meaning::time) {
        p_.uses_time = true;
        return emit(opcode::load_time, {});
    }
    if (x.means == meaning::state) return emit(x.kind == expr_kind::derivative ? opcode::load_rate : opcode::load_state, {state_number(e, env_)});
    // A 'let': its expression, once for each region.
    const declaration& n = d_.declared(x.target);
    key k{-1, x.target};
    index_values own;
    const placement& p = placed_[static_cast<std::size_t>(x.target)];
    for (std::size_t dim = 0; dim < x.parts.size(); ++dim) {
        const long i = evaluate_.whole(x.parts[dim], env_);
        evaluate_.check_range(x.at, n, dim, i, p.s.range[dim].first, p.s.range[dim].second);
        own.emplace_back(dim == 0 ? d_.symbol_i : d_.symbol_j, i);
        k.push_back(static_cast<int>(i));
    }
    if (const auto it = known_.find(k); it != known_.end()) return it->second;
    // What several branches may need is computed once, before them; a value that nobody takes does no harm.
    if (regions_.size() > 1 && uses_of_let(x.target) > 1) return at_the_top(k, n.value, own);
    const int operand = value(n.value, own);
    if (known_.emplace(k, operand).second && regions_.size() > 1) regions_.back().added.push_back(k);
    return operand;
}

int lowering::uses_of_let(int declaration_number)
{
    if (let_uses_.empty()) {
        let_uses_.assign(d_.declarations.size(), 0);
        for (const auto& e : d_.expressions)
            if (e.kind == expr_kind::name && e.means == meaning::let) ++let_uses_[static_cast<std::size_t>(e.target)];
    }
    return let_uses_[static_cast<std::size_t>(declaration_number)];
}

int lowering::at_the_top(const key& k, expr e, const index_values& env)
{
    std::vector<open_region> inner(std::make_move_iterator(regions_.begin() + 1), std::make_move_iterator(regions_.end()));
    regions_.resize(1);
    std::vector<std::pair<key, int>> hidden; // known in the branches only
    for (const auto& r : inner) {
        search(r.added.size());
        for (const auto& x : r.added)
            if (const auto it = known_.find(x); it != known_.end()) {
                hidden.emplace_back(x, it->second);
                known_.erase(it);
            }
    }
    const int operand = value(e, env);
    known_.emplace(k, operand);
    for (const auto& [x, slot] : hidden) known_.emplace(x, slot);
    regions_.insert(regions_.end(), std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
    return operand;
}

void lowering::add_term(std::vector<std::pair<int, int>>& terms, bool minus, expr e)
{
    while (at(e).kind == expr_kind::negate) {
        minus = !minus;
        e = at(e).parts[0];
    }
    if (!at(e).depends) {
        spend(e);
        terms.emplace_back(constant(e, minus), -1);
        return;
    }
    // A constant times a value is one term.
    if (const expression x = at(e); x.kind == expr_kind::product && x.signs.find('/', 1) == std::string::npos) {
        const auto varying = std::ranges::count_if(x.parts, [&](expr p) { return at(p).depends; });
        const bool last_varies = at(x.parts.back()).depends;
        if (varying == 1 && (last_varies || x.parts.size() == 2)) {
            const expr factor = last_varies ? x.parts.back() : x.parts.front();
            const expr rest = x.parts.size() > 2 ? front_of(e, x.parts.size() - 1) : last_varies ? x.parts.front() : x.parts.back();
            if (const int operand = lower(factor); operand >= 0) {
                terms.emplace_back(constant(rest, minus), operand);
                return;
            }
        }
    }
    const int operand = lower(e);
    if (operand < 0)
        terms.emplace_back(minus ? negated_constant(~operand) : ~operand, -1);
    else
        terms.emplace_back(minus ? minus_one : plus_one, operand);
}

int lowering::weighted(const std::vector<std::pair<int, int>>& terms)
{
    if (terms.size() == 1 && terms[0].second < 0) return constant_operand(terms[0].first);
    if (terms.size() == 1 && terms[0].first == plus_one) return terms[0].second;
    std::vector<int> words{static_cast<int>(terms.size())};
    for (const auto& [c, x] : terms) {
        words.push_back(c);
        words.push_back(x);
    }
    return emit(opcode::weighted_sum, std::move(words));
}

int lowering::lower_sum(expr e)
{
    const std::vector<expr> parts = at(e).parts;
    const std::string signs = at(e).signs;
    std::vector<std::pair<int, int>> terms;
    std::size_t k = constants_in_front(e);
    if (k > 0) terms.emplace_back(constant(front_of(e, k)), -1);
    for (; k < parts.size(); ++k) add_term(terms, signs[k] == '-', parts[k]);
    return weighted(terms);
}

int lowering::multiplied(const std::vector<int>& operands)
{
    if (operands.size() == 1) return operands[0];
    const auto constants = std::ranges::count_if(operands, [](int x) { return x < 0; });
    if (operands.size() == 2 && constants == 0) return emit(opcode::multiply, operands);
    if (operands.size() == 2 && constants == 1) {
        const bool first = operands[0] < 0;
        const int k = ~operands[first ? 0 : 1];
        const int x = operands[first ? 1 : 0];
        if (k == plus_one) return x;
        return emit(opcode::scale, {k, x});
    }
    if (operands.size() == 3 && constants == 1 && operands[0] < 0) return emit(opcode::scale_two, {~operands[0], operands[1], operands[2]});
    std::vector<int> words{static_cast<int>(operands.size())};
    words.insert(words.end(), operands.begin(), operands.end());
    return emit(opcode::multiply_all, std::move(words));
}

/// A constant that a decided condition has left where an instruction wants a slot.
int lowering::in_slot(int operand) { return operand >= 0 ? operand : emit(opcode::weighted_sum, {1, ~operand, -1}); }

int lowering::divided(int a, int b)
{
    if (b == constant_operand(plus_one)) return a;
    return emit(opcode::divide, {b < 0 ? in_slot(a) : a, b});
}

int lowering::lower_product(expr e)
{
    const std::vector<expr> parts = at(e).parts;
    const std::string signs = at(e).signs;
    std::vector<int> run;
    std::size_t k = constants_in_front(e);
    if (k > 0) run.push_back(constant_operand(constant(front_of(e, k))));
    for (; k < parts.size(); ++k) {
        const int factor = lower(parts[k]);
        if (signs[k] == '/' && !run.empty()) {
            const int above = multiplied(run);
            run = {divided(above, factor)};
        } else {
            run.push_back(factor);
        }
    }
    return multiplied(run);
}

int lowering::lower_power(expr base, expr exponent)
{
    if (!at(exponent).depends) {
        const double n = evaluate_.value(exponent, env_);
        if (n == std::floor(n) && std::abs(n) <= largest_whole_power) {
            if (n == 0) return constant_operand(plus_one);
            const int x = in_slot(lower(base));
            if (n == 1) return x;
            const int m = static_cast<int>(std::abs(n));
            const int p = m == 1 ? x : m == 2 ? emit(opcode::multiply, {x, x}) : emit(opcode::whole_power, {x, m});
            return n > 0 ? p : divided(constant_operand(plus_one), p);
        }
        const int x = in_slot(lower(base));
        if (n == 0.5) return emit(opcode::unary, {x, code_of(function::sqrt)});
        return emit(opcode::binary, {x, constant_operand(constant(exponent)), code_of(function::pow)});
    }
    const int a = lower(base);
    const int b = lower(exponent);
    return emit(opcode::binary, {b < 0 ? in_slot(a) : a, b, code_of(function::pow)});
}

int lowering::table_number(int declaration_number)
{
    const auto [it, is_new] = table_number_.try_emplace(declaration_number, static_cast<int>(p_.tables.size()));
    if (is_new) {
        const int before = p_.tables.empty() ? 0 : p_.tables.back().first + table_size(p_.tables.back().points);
        p_.tables.push_back({declaration_number, static_cast<int>(d_.declared(declaration_number).points.size()), before});
        (void)evaluate_.table(declaration_number); // faults come now
    }
    return it->second;
}

int lowering::lower_call(expr e)
{
    const expression x = at(e);
    if (x.callee == function::pow) return lower_power(x.parts[0], x.parts[1]);
    const int a = lower(x.parts[0]);
    if (x.callee == function::table) {
        const int number = table_number(x.target);
        if (!depends_on_states(x.parts[0])) {
            if (const auto line = line_in_t(x.parts[0]); line && !(line->slope == quad(0)))
                for (const auto& [point, unused] : d_.declared(x.target).points) {
                    index_values none;
                    kink((in_quad_->value(point, none) - line->offset) / line->slope);
                }
        } else {
            m_.kinks_in_states = true;
        }
        return emit(opcode::table, {in_slot(a), number});
    }
    if (arguments_of(x.callee) == 1) return emit(opcode::unary, {in_slot(a), code_of(x.callee)});
    const int b = lower(x.parts[1]);
    return emit(opcode::binary, {b < 0 ? in_slot(a) : a, b, code_of(x.callee)});
}

int lowering::lower_choice(expr e)
{
    const std::vector<expr> parts = at(e).parts;
    if (!at(parts[0]).depends) return lower(evaluate_.truth(parts[0], env_) ? parts[1] : parts[2]);
    const int condition = lower_condition(parts[0], false);
    open();
    const int yes = lower(parts[1]);
    const int yes_region = close();
    open();
    const int no = lower(parts[2]);
    const int no_region = close();
    return emit(opcode::choose, {condition, yes_region, no_region, yes, no});
}

int lowering::lower_condition(expr e, bool lazy)
{
    const expression x = at(e);
    condition c;
    if (!x.depends) {
        c.a = evaluate_.truth(e, env_) ? 1 : 0;
    } else if (x.kind == expr_kind::both || x.kind == expr_kind::either) {
        int first = lower_condition(x.parts[0], lazy);
        for (std::size_t k = 1; k < x.parts.size(); ++k) {
            condition both;
            both.sign = x.kind == expr_kind::both ? '&' : '|';
            both.a = first;
            both.b = lower_condition(x.parts[k], true);
            p_.conditions.push_back(both);
            first = static_cast<int>(p_.conditions.size()) - 1;
        }
        return first;
    } else if (x.kind == expr_kind::no) {
        c.sign = '~';
        c.a = lower_condition(x.parts[0], lazy);
    } else {
        if (lazy) open();
        c.sign = located(x.signs[0], x.parts[0], x.parts[1]);
        c.a = lower(x.parts[0]);
        c.b = lower(x.parts[1]);
        if (lazy) c.before = close();
    }
    p_.conditions.push_back(c);
    return static_cast<int>(p_.conditions.size()) - 1;
}

/// Slots next to each other.
int lowering::new_array(int count)
{
    const int base = p_.slots;
    p_.slots += count;
    slot_level_.resize(static_cast<std::size_t>(p_.slots), 0);
    slot_region_.resize(static_cast<std::size_t>(p_.slots), -1);
    p_.arrays.emplace_back(base, count);
    return base;
}

int lowering::lower_total(expr e)
{
    const loop_head loops = at(e).loops;
    const expr body = at(e).parts[0];
    // A long sum at the top: all terms by a loop, then their sum.
    if (regions_.size() == 1 && loop_ == nullptr && loops.condition == no_expr && loops.variables.size() == 1) {
        const long first = evaluate_.whole(loops.variables[0].from, env_);
        const long last = evaluate_.whole(loops.variables[0].to, env_);
        if (last - first + 1 > 2 * longest_inner_total && env_.empty()) {
            const loop_aside others(*this);
            const int count = static_cast<int>(last - first + 1);
            const int base = new_array(count);
            bool done = true;
            try {
                loop_equation(loops, body, {space::slots, base, 1, 0});
                finish_loop();
            } catch (const no_loop&) {
                done = false;
            }
            if (done) return emit(opcode::add_up, {base, count});
        }
    }
    std::vector<std::pair<int, int>> terms;
    evaluate_.for_each(loops, env_, [&] { add_term(terms, false, body); });
    if (terms.empty()) return constant_operand(constant(make_number(at(e).at, "0")));
    return weighted(terms);
}

} // namespace ivp::text
