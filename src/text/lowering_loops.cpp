#include "text/lowering.hpp"

#include <algorithm>
#include <utility>

namespace ivp::text {

namespace {

constexpr long shortest_loop = 8; ///< shorter ranges are written out

} // namespace

void open_loop::begin_equation()
{
    added.clear();
    bodies = l.bodies.size();
    instructions = l.bodies[0].size();
    conditions = l.conditions.size();
    temporaries = l.temporaries;
}

void open_loop::take_back()
{
    for (const auto& k : added) known.erase(k);
    l.bodies.resize(bodies);
    l.bodies[0].resize(instructions); // the other bodies are branches of equations before
    l.conditions.resize(conditions);
    l.temporaries = temporaries;
    stack.assign(1, 0);
}

bool lowering::uses_loop(expr e) const
{
    const expression& x = at(e);
    if (x.kind == expr_kind::name && x.means == meaning::index)
        return find_index(env_, x.symbol) == nullptr &&
               std::ranges::any_of(loop_->head.variables, [&](const loop_variable& v) { return v.symbol == x.symbol; });
    if (std::ranges::any_of(x.parts, [&](expr p) { return uses_loop(p); })) return true;
    return std::ranges::any_of(x.loops.variables, [&](const loop_variable& v) { return uses_loop(v.from) || uses_loop(v.to); }) ||
           (x.loops.condition != no_expr && uses_loop(x.loops.condition));
}

lowering::affine lowering::affine_here(expr e)
{
    if (!uses_loop(e)) return {evaluate_.whole(e, env_), 0, 0};
    const expression x = at(e);
    switch (x.kind) {
    case expr_kind::name: {
        const auto& variables = loop_->head.variables;
        if (x.symbol == variables.back().symbol) return {loop_->range.back().first, 0, 1};
        return {loop_->range.front().first, 1, 0};
    }
    case expr_kind::negate: {
        const affine a = affine_here(x.parts[0]);
        return {-a.constant, -a.outer, -a.inner};
    }
    case expr_kind::sum: {
        affine all;
        for (std::size_t k = 0; k < x.parts.size(); ++k) {
            const affine a = affine_here(x.parts[k]);
            const long s = x.signs[k] == '-' ? -1 : 1;
            all = {all.constant + s * a.constant, all.outer + s * a.outer, all.inner + s * a.inner};
        }
        return all;
    }
    case expr_kind::product: {
        affine all{1, 0, 0};
        for (std::size_t k = 0; k < x.parts.size(); ++k) {
            if (x.signs[k] == '/') throw no_loop{};
            const affine a = affine_here(x.parts[k]);
            const bool both_vary = (a.outer != 0 || a.inner != 0) && (all.outer != 0 || all.inner != 0);
            if (both_vary) throw no_loop{};
            all = {all.constant * a.constant, all.constant * a.outer + all.outer * a.constant, all.constant * a.inner + all.inner * a.constant};
        }
        return all;
    }
    default: throw no_loop{};
    }
}

reference_to lowering::element(const loop_head& loops, expr name, space in)
{
    env_.clear();
    begin_loop(loops);
    loop_ = &*equations_loop_;
    try {
        const reference_to r = block_name(name, in);
        loop_ = nullptr;
        return r;
    } catch (...) {
        loop_ = nullptr;
        throw;
    }
}

/// Equations with the same range as those before share their loop.
void lowering::begin_loop(const loop_head& loops)
{
    if (loops.condition != no_expr || loops.variables.empty() || loops.variables.size() > 2) throw no_loop{};
    std::vector<std::pair<long, long>> range;
    double count = 1;
    index_values none;
    for (const auto& v : loops.variables) {
        // A range that depends on the index before it is no rectangle.
        if (range.size() == 1) {
            const auto uses_outer = [&](auto&& self, expr e) -> bool {
                const expression& x = at(e);
                if (x.kind == expr_kind::name && x.symbol == loops.variables[0].symbol) return true;
                return std::ranges::any_of(x.parts, [&](expr p) { return self(self, p); });
            };
            if (uses_outer(uses_outer, v.from) || uses_outer(uses_outer, v.to)) throw no_loop{};
        }
        range.emplace_back(evaluate_.whole(v.from, none), evaluate_.whole(v.to, none));
        count *= static_cast<double>(range.back().second - range.back().first + 1);
    }
    if (count < shortest_loop || range.back().second < range.back().first || range.front().second < range.front().first) throw no_loop{};
    if (equations_loop_) {
        const bool same = equations_loop_->range == range && equations_loop_->l.requirement < 0 &&
                          std::ranges::equal(equations_loop_->head.variables, loops.variables, {}, &loop_variable::symbol, &loop_variable::symbol);
        if (same) return;
        finish_loop();
    }
    equations_loop_.emplace();
    auto& l = *equations_loop_;
    l.head = loops;
    l.range = range;
    l.l.inner = range.back().second - range.back().first + 1;
    l.l.outer = range.size() == 2 ? range.front().second - range.front().first + 1 : 1;
    l.l.bodies.emplace_back();
}

void lowering::loop_equation(const loop_head& loops, expr right, const reference_to& rows)
{
    env_.clear();
    begin_loop(loops);
    loop_ = &*equations_loop_;
    loop_->begin_equation();
    try {
        const reference_to r = block(right);
        loop_ = nullptr;
        equations_loop_->results.emplace_back(r, rows);
    } catch (...) {
        loop_ = nullptr;
        env_.clear();
        equations_loop_->take_back();
        throw;
    }
}

void lowering::loop_requirement(const loop_head& loops, expr e)
{
    env_.clear();
    finish_loop();
    begin_loop(loops);
    loop_ = &*equations_loop_;
    try {
        const int c = block_condition_of(e, false);
        loop_ = nullptr;
        equations_loop_->l.requirement = c;
        finish_loop();
    } catch (...) {
        loop_ = nullptr;
        equations_loop_.reset();
        throw;
    }
}

void lowering::finish_loop()
{
    if (!equations_loop_) return;
    auto l = std::move(*equations_loop_);
    equations_loop_.reset();
    end_loop(l);
}

lowering::loop_aside::loop_aside(lowering& of)
    : of_(of), is_written_(of.loop_ != nullptr), kept_(std::exchange(of.equations_loop_, std::nullopt)), env_(of.env_)
{
    of_.loop_ = nullptr;
}

lowering::loop_aside::~loop_aside()
{
    of_.equations_loop_ = std::move(kept_);
    of_.loop_ = is_written_ ? &*of_.equations_loop_ : nullptr;
    of_.env_ = std::move(env_);
}

void lowering::end_loop(open_loop& l)
{
    if (l.results.empty() && l.l.requirement < 0) return;
    auto& body = l.l.bodies[0];
    constexpr std::size_t nowhere = -1;
    struct temporary {
        int uses = 0;
        std::size_t writer = nowhere; ///< in the first body
    };
    std::vector<temporary> temporaries(static_cast<std::size_t>(l.l.temporaries));
    const auto used = [&](const reference_to& r) {
        if (r.in == space::block) ++temporaries[static_cast<std::size_t>(r.first)].uses;
    };
    for (const auto& other : l.l.bodies)
        for (const auto& x : other) used(x.a), used(x.b), used(x.c);
    for (const auto& c : l.l.conditions) used(c.a), used(c.b);
    for (const auto& [from, to] : l.results) used(from);
    for (std::size_t k = 0; k < body.size(); ++k)
        if (body[k].to.in == space::block) temporaries[static_cast<std::size_t>(body[k].to.first)].writer = k;
    for (const auto& [from, to] : l.results) {
        const temporary t = from.in == space::block ? temporaries[static_cast<std::size_t>(from.first)] : temporary{};
        if (t.uses == 1 && t.writer != nowhere) {
            body[t.writer].to = to;
        } else {
            block_instruction copy;
            copy.to = to;
            copy.a = from;
            body.push_back(copy);
        }
    }
    flush();
    p_.temporaries = std::max(p_.temporaries, l.l.temporaries);
    p_.loops.push_back(std::move(l.l));
    p_.steps.push_back({step::kind::loop, static_cast<int>(p_.loops.size()) - 1});
}

reference_to lowering::block_emit(block_opcode op, const reference_to& a, const reference_to& b, const reference_to& c, int number)
{
    key k{static_cast<int>(op), number};
    for (const auto* r : {&a, &b, &c}) k.insert(k.end(), {static_cast<int>(r->in), r->first, r->inner, r->outer});
    if (const auto it = loop_->known.find(k); it != loop_->known.end()) return {space::block, it->second, 1, 0};
    block_instruction x;
    x.op = op;
    x.a = a;
    x.b = b;
    x.c = c;
    x.number = number;
    x.to = {space::block, loop_->l.temporaries++, 1, 0};
    loop_->l.bodies[static_cast<std::size_t>(loop_->stack.back())].push_back(x);
    if (loop_->stack.size() == 1) { // what a branch computes is not known outside of it
        loop_->known.emplace(k, x.to.first);
        loop_->added.push_back(std::move(k));
    }
    ++p_.operations;
    if (++spent_ > limits::operations) throw too_large();
    return x.to;
}

reference_to lowering::constant_reference(expr e, bool negative)
{
    if (!uses_loop(e)) return {space::constants, constant(e, negative), 0, 0};
    std::string name(negative ? "*-" : "*+");
    append_key(e, name);
    for (const auto& v : loop_->head.variables) (name += '$') += std::to_string(v.symbol);
    for (const auto& [from, to] : loop_->range) (((name += ' ') += std::to_string(from)) += "..") += std::to_string(to);
    const auto [it, is_new] = constants_.try_emplace(std::move(name), p_.constants);
    const int inner = static_cast<int>(loop_->l.inner);
    if (is_new) {
        recipe r;
        r.e = e;
        r.negative = negative;
        r.env = env_;
        r.over = loop_->head;
        r.first = p_.constants;
        r.count = loop_->l.inner * loop_->l.outer;
        spent_ += r.count;
        if (spent_ > limits::operations) throw too_large();
        p_.constants += static_cast<int>(r.count);
        recipe_of_constant_.resize(static_cast<std::size_t>(p_.constants), -1);
        index_values env = env_; // faults come now
        evaluate_.for_each(r.over, env, [&] { (void)evaluate_.value(e, env); });
        p_.recipes.push_back(std::move(r));
    }
    return {space::constants, it->second, 1, inner};
}

/// What does not differ from element to element; it may begin loops of its own.
reference_to lowering::hoisted(expr e)
{
    const loop_aside mine(*this);
    const int operand = lower(e);
    finish_loop();
    if (operand < 0) return {space::constants, ~operand, 0, 0};
    return {space::slots, operand, 0, 0};
}

reference_to lowering::block_name(expr e, space in)
{
    const expression x = at(e);
    const declaration& n = d_.declared(x.target);
    int first = 0;
    const placement& p = placed_[static_cast<std::size_t>(x.target)];
    std::vector<int> steps = p.step;
    if (x.means == meaning::let) {
        first = array_of_let(x.target);
        in = space::slots;
        steps.assign(1, 1);
        if (p.s.range.size() == 2) steps = {static_cast<int>(p.s.range[1].second - p.s.range[1].first + 1), 1};
    } else {
        first = p.first;
    }
    reference_to r{in, first, 0, 0};
    for (std::size_t dim = 0; dim < x.parts.size(); ++dim) {
        const affine a = affine_here(x.parts[dim]);
        const auto [from, to] = p.s.range[dim];
        for (const long o : {0L, loop_->l.outer - 1})
            for (const long i : {0L, loop_->l.inner - 1}) evaluate_.check_range(x.at, n, dim, a.constant + o * a.outer + i * a.inner, from, to);
        r.first += static_cast<int>((a.constant - from) * steps[dim]);
        r.inner += static_cast<int>(a.inner * steps[dim]);
        r.outer += static_cast<int>(a.outer * steps[dim]);
    }
    return r;
}

/// All elements of a 'let' in slots next to each other.
int lowering::array_of_let(int number)
{
    if (const auto it = let_arrays_.find(number); it != let_arrays_.end()) return it->second;
    const declaration& n = d_.declared(number);
    const shape& s = placed_[static_cast<std::size_t>(number)].s;
    const auto count = static_cast<int>(s.count());
    const int base = new_array(count);
    let_arrays_[number] = base;
    loop_head head;
    for (std::size_t dim = 0; dim < n.dims.size(); ++dim)
        head.variables.push_back({dim == 0 ? d_.symbol_i : d_.symbol_j, n.at, n.dims[dim].from, n.dims[dim].to});
    const loop_aside mine(*this);
    env_.clear();
    // An index that the expression does not name has no symbol: the elements are equal, and written out.
    const bool has_symbols = std::ranges::none_of(head.variables, [](const loop_variable& v) { return v.symbol < 0; });
    try {
        if (!has_symbols) throw no_loop{};
        const int row_length = n.dims.size() == 2 ? static_cast<int>(s.range[1].second - s.range[1].first + 1) : 0;
        loop_equation(head, n.value, {space::slots, base, 1, row_length});
        finish_loop();
    } catch (const no_loop&) {
        equations_loop_.reset();
        write_out(n.value, s, base);
    }
    return base;
}

/// Every element by itself, in slots next to each other.
void lowering::write_out(expr e, const shape& s, int first_slot)
{
    std::vector<pending> copies;
    index_values env;
    const auto all = [&](auto&& self, std::size_t dim) -> void {
        if (dim == s.range.size()) {
            const int operand = value(e, env);
            const int to = first_slot + static_cast<int>(copies.size());
            copies.push_back(
                {opcode::weighted_sum, 0, operand < 0 ? std::vector<int>{to, 1, ~operand, -1} : std::vector<int>{to, 1, plus_one, operand}});
            return;
        }
        for (long k = s.range[dim].first; k <= s.range[dim].second; ++k) {
            env.emplace_back(dim == 0 ? d_.symbol_i : d_.symbol_j, k);
            self(self, dim + 1);
            env.pop_back();
        }
    };
    all(all, 0);
    auto& top = regions_.front();
    for (auto& c : copies) {
        c.level = top.deepest + 1;
        top.nodes.push_back(std::move(c));
    }
    flush();
}

} // namespace ivp::text
