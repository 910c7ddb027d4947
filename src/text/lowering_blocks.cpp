#include "text/lowering.hpp"

#include <cmath>

namespace ivp::text {

reference_to lowering::block(expr e)
{
    spend(e);
    if (!at(e).depends) return constant_reference(e);
    if (!uses_loop(e)) return hoisted(e);
    const std::vector<expr> parts = at(e).parts;
    switch (at(e).kind) {
    case expr_kind::name: return block_name(e, space::states);
    case expr_kind::derivative: return block_name(e, space::rates);
    case expr_kind::negate: return block_emit(block_opcode::multiply, {space::constants, minus_one, 0, 0}, block(parts[0]));
    case expr_kind::sum: return block_sum(e);
    case expr_kind::product: return block_product(e);
    case expr_kind::power: return block_power(parts[0], parts[1]);
    case expr_kind::call: return block_call(e);
    case expr_kind::choice: return block_choice(e);
    case expr_kind::total: return block_total(e);
    default: throw no_value{at(e).at, "a number was expected here"};
    }
}

reference_to lowering::block_sum(expr e)
{
    const std::vector<expr> parts = at(e).parts;
    const std::string signs = at(e).signs;
    std::size_t k = constants_in_front(e);
    reference_to all;
    if (k > 0) all = constant_reference(front_of(e, k));
    for (; k < parts.size(); ++k) {
        bool minus = signs[k] == '-';
        expr part = parts[k];
        while (at(part).kind == expr_kind::negate) {
            minus = !minus;
            part = at(part).parts[0];
        }
        const bool first = all.in == space::none;
        if (!at(part).depends) {
            const reference_to c = constant_reference(part, minus);
            all = first ? c : block_emit(block_opcode::add, all, c);
            continue;
        }
        const expression x = at(part);
        if (x.kind == expr_kind::product && x.parts.size() == 2 && x.signs == "**" && at(x.parts[0]).depends != at(x.parts[1]).depends) {
            const bool constant_first = !at(x.parts[0]).depends;
            const reference_to c = constant_reference(x.parts[constant_first ? 0 : 1], minus);
            const reference_to b = block(x.parts[constant_first ? 1 : 0]);
            if (b.in == space::constants) throw no_loop{};
            all = first ? block_emit(block_opcode::multiply, c, b) : block_emit(block_opcode::add_scaled, all, b, c);
            continue;
        }
        const reference_to r = block(part);
        if (r.in == space::constants && (first || all.in == space::constants)) throw no_loop{};
        if (first)
            all = minus ? block_emit(block_opcode::multiply, {space::constants, minus_one, 0, 0}, r) : r;
        else
            all = block_emit(minus ? block_opcode::subtract : block_opcode::add, all, r);
    }
    return all;
}

reference_to lowering::block_product(expr e)
{
    const std::vector<expr> parts = at(e).parts;
    const std::string signs = at(e).signs;
    std::size_t k = constants_in_front(e);
    reference_to all;
    if (k > 0) all = constant_reference(front_of(e, k));
    for (; k < parts.size(); ++k) {
        const reference_to r = block(parts[k]);
        if (all.in == space::none) {
            all = r;
            continue;
        }
        if (all.in == space::constants && r.in == space::constants) throw no_loop{};
        all = block_emit(signs[k] == '/' ? block_opcode::divide : block_opcode::multiply, all, r);
    }
    return all;
}

reference_to lowering::block_power(expr base, expr exponent)
{
    if (!at(exponent).depends && !uses_loop(exponent)) {
        const double n = evaluate_.value(exponent, env_);
        const reference_to x = block(base);
        if (x.in == space::constants) throw no_loop{};
        if (n == std::floor(n) && std::abs(n) <= largest_whole_power && n != 0) {
            const int m = static_cast<int>(std::abs(n));
            if (n == 1) return x;
            const reference_to p = m == 1   ? x
                                   : m == 2 ? block_emit(block_opcode::multiply, x, x)
                                            : block_emit(block_opcode::whole_power, x, {}, {}, m);
            return n > 0 ? p : block_emit(block_opcode::divide, {space::constants, plus_one, 0, 0}, p);
        }
        if (n == 0.5) return block_emit(block_opcode::unary, x, {}, {}, code_of(function::sqrt));
        return block_emit(block_opcode::binary, x, constant_reference(exponent), {}, code_of(function::pow));
    }
    throw no_loop{}; // a power that differs from element to element is written out
}

reference_to lowering::block_call(expr e)
{
    const expression x = at(e);
    if (x.callee == function::pow) return block_power(x.parts[0], x.parts[1]);
    const reference_to a = block(x.parts[0]);
    if (x.callee == function::table) {
        if (a.in == space::constants) throw no_loop{};
        if (depends_on_states(x.parts[0]))
            m_.kinks_in_states = true;
        else
            throw no_loop{}; // each element has kinks of its own in t
        const int number = table_number(x.target);
        return block_emit(block_opcode::table, a, {}, {}, number);
    }
    if (arguments_of(x.callee) == 1) {
        if (a.in == space::constants) throw no_loop{};
        return block_emit(block_opcode::unary, a, {}, {}, code_of(x.callee));
    }
    const reference_to b = block(x.parts[1]);
    if (a.in == space::constants && b.in == space::constants) throw no_loop{};
    return block_emit(block_opcode::binary, a, b, {}, code_of(x.callee));
}

reference_to lowering::block_choice(expr e)
{
    const std::vector<expr> parts = at(e).parts;
    if (!at(parts[0]).depends) throw no_loop{}; // decided by the index
    const int condition = block_condition_of(parts[0], false);
    const auto body = [&](expr branch, int& number) {
        number = static_cast<int>(loop_->l.bodies.size());
        loop_->l.bodies.emplace_back();
        loop_->stack.push_back(number);
        const reference_to r = block(branch);
        loop_->stack.pop_back();
        return r;
    };
    int yes = 0;
    int no = 0;
    const reference_to a = body(parts[1], yes);
    const reference_to b = body(parts[2], no);
    block_instruction x;
    x.op = block_opcode::choose;
    x.a = a;
    x.b = b;
    x.number = condition;
    x.yes = yes;
    x.no = no;
    x.to = {space::block, loop_->l.temporaries++, 1, 0};
    loop_->l.bodies[static_cast<std::size_t>(loop_->stack.back())].push_back(x);
    return x.to;
}

int lowering::block_condition_of(expr e, bool lazy)
{
    const expression x = at(e);
    block_condition c;
    if (!x.depends) throw no_loop{};
    if (x.kind == expr_kind::both || x.kind == expr_kind::either) {
        int first = block_condition_of(x.parts[0], lazy);
        for (std::size_t k = 1; k < x.parts.size(); ++k) {
            block_condition both;
            both.sign = x.kind == expr_kind::both ? '&' : '|';
            both.first = first;
            both.second = block_condition_of(x.parts[k], true);
            loop_->l.conditions.push_back(both);
            first = static_cast<int>(loop_->l.conditions.size()) - 1;
        }
        return first;
    }
    if (x.kind == expr_kind::no) {
        c.sign = '~';
        c.first = block_condition_of(x.parts[0], lazy);
    } else {
        if (!depends_on_states(x.parts[0]) && !depends_on_states(x.parts[1]) && uses_loop(e)) throw no_loop{}; // kinks in t of each element
        if (lazy) {
            c.before = static_cast<int>(loop_->l.bodies.size());
            loop_->l.bodies.emplace_back();
            loop_->stack.push_back(c.before);
        }
        c.sign = located(x.signs[0], x.parts[0], x.parts[1]);
        c.a = block(x.parts[0]);
        c.b = block(x.parts[1]);
        if (lazy) loop_->stack.pop_back();
    }
    loop_->l.conditions.push_back(c);
    return static_cast<int>(loop_->l.conditions.size()) - 1;
}

reference_to lowering::block_total(expr e)
{
    const loop_head loops = at(e).loops;
    for (const auto& v : loops.variables)
        if (uses_loop(v.from) || uses_loop(v.to)) throw no_loop{};
    if (loops.condition != no_expr && uses_loop(loops.condition)) throw no_loop{};
    const expr body = at(e).parts[0];
    long count = 0;
    evaluate_.for_each(loops, env_, [&] { ++count; });
    if (count > longest_inner_total || count == 0) throw no_loop{};
    reference_to all;
    evaluate_.for_each(loops, env_, [&] {
        const reference_to r = block(body);
        if (r.in == space::constants) throw no_loop{};
        all = all.in == space::none ? r : block_emit(block_opcode::add, all, r);
    });
    return all;
}

} // namespace ivp::text
