#include "text/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::text {

namespace {

constexpr long shortest_loop = 8;        ///< shorter ranges are written out
constexpr long longest_inner_total = 16; ///< a sum inside a loop that is written out
constexpr std::size_t most_kinks = 10000;

no_value too_large() { return {0, "this model takes more than " + std::to_string(limits::operations) + " operations when it is written out"}; }

int code_of(function f) { return static_cast<int>(f); }

} // namespace

lowering::lowering(model& m, constant_values<double>& evaluate, std::vector<placement>& placed)
    : m_(m), p_(m.code), d_(*m.text), evaluate_(evaluate), placed_(placed)
{
    recipe_of_constant_ = {-1, -1};
    open();
}

// ---- Expressions that are made ----

expr lowering::make(expr_kind kind, place at, std::vector<expr> parts, std::string signs)
{
    expression e;
    e.kind = kind;
    e.at = at;
    for (const expr p : parts) e.depends = e.depends || this->at(p).depends;
    e.parts = std::move(parts);
    e.signs = std::move(signs);
    p_.expressions.push_back(std::move(e));
    return static_cast<expr>(p_.expressions.size()) - 1;
}

expr lowering::make_number(place at, std::string_view digits)
{
    const expr e = make(expr_kind::number, at, {});
    p_.texts.emplace_back(digits);
    p_.expressions.back().number = p_.texts.back();
    return e;
}

bool lowering::has_derivative(expr e)
{
    if (has_derivative_.size() < p_.expressions.size()) has_derivative_.resize(p_.expressions.size(), -1);
    auto& known = has_derivative_[static_cast<std::size_t>(e)];
    if (known >= 0) return known != 0;
    const expression x = at(e);
    bool found = x.kind == expr_kind::derivative;
    if (x.kind == expr_kind::name && x.means == meaning::let) found = has_derivative(d_.declared(x.target).value);
    for (const expr p : x.parts) found = found || (x.depends && has_derivative(p));
    has_derivative_[static_cast<std::size_t>(e)] = found ? 1 : 0;
    return found;
}

void lowering::spend(expr e)
{
    if (++spent_ > limits::operations) throw no_value{at(e).at, too_large().why};
}

// ---- Constants ----

void lowering::append_key(expr e, std::string& text)
{
    const expression& x = at(e);
    text += static_cast<char>('A' + static_cast<int>(x.kind));
    switch (x.kind) {
    case expr_kind::number: text += x.number; break;
    case expr_kind::name:
        if (x.means == meaning::index) {
            if (const long* v = find_index(env_, x.symbol))
                text += std::to_string(*v);
            else
                (text += '$') += std::to_string(x.symbol);
        } else {
            text += std::to_string(x.symbol);
        }
        break;
    case expr_kind::call: ((text += std::to_string(code_of(x.callee))) += '.') += std::to_string(x.symbol); break;
    case expr_kind::total: // its own indices have no value here; two sums are the same only if they are the same expression
        ((text += '#') += std::to_string(e));
        for (const auto& [symbol, v] : env_) (((text += ' ') += std::to_string(symbol)) += '=') += std::to_string(v);
        return;
    default: text += x.signs; break;
    }
    text += '(';
    for (const expr p : x.parts) append_key(p, text);
    text += ')';
}

int lowering::constant(expr e, bool negative)
{
    std::string name(negative ? "-" : "+");
    append_key(e, name);
    if (name == "+A1()") return plus_one;
    if (name == "-A1()") return minus_one;
    const auto [it, is_new] = constants_.try_emplace(std::move(name), p_.constants);
    if (is_new) {
        spend(e);
        recipe r;
        r.e = e;
        r.negative = negative;
        r.env = env_;
        r.first = p_.constants++;
        (void)evaluate_.value(e, env_); // faults come now
        recipe_of_constant_.push_back(static_cast<int>(p_.recipes.size()));
        p_.recipes.push_back(std::move(r));
    }
    return it->second;
}

int lowering::number_constant(std::string_view text, bool negative) { return constant(make_number(0, text), negative); }

int lowering::negated_constant(int k)
{
    if (k == plus_one) return minus_one;
    if (k == minus_one) return plus_one;
    const recipe r = p_.recipes[static_cast<std::size_t>(recipe_of_constant_[static_cast<std::size_t>(k)])];
    const auto outer = std::exchange(env_, r.env);
    const int negative = constant(r.e, !r.negative);
    env_ = outer;
    return negative;
}

// ---- Straight code ----

void lowering::open()
{
    regions_.emplace_back();
    regions_.back().id = next_region_++;
}

int lowering::slot_level(int slot) const
{
    return slot_region_[static_cast<std::size_t>(slot)] == regions_.back().id ? slot_level_[static_cast<std::size_t>(slot)] : 0;
}

int lowering::emit(opcode op, std::vector<int> words)
{
    key k{static_cast<int>(op)};
    k.insert(k.end(), words.begin(), words.end());
    if (const auto it = known_.find(k); it != known_.end()) return it->second;
    ++p_.operations;
    if (++spent_ > limits::operations) throw too_large();
    int level = 0;
    if (op == opcode::choose)
        level = regions_.back().deepest + 1; // its branches may use anything
    else
        for_each_operand(op, words.data(), words.size(), [&](int operand) {
            if (operand >= 0) level = std::max(level, slot_level(operand) + 1);
        });
    if (op == opcode::weighted_sum) p_.operations += words[0];
    auto& here = regions_.back();
    here.deepest = std::max(here.deepest, level);
    const int slot = p_.slots++;
    slot_level_.push_back(level);
    slot_region_.push_back(here.id);
    words.insert(words.begin(), slot);
    here.nodes.push_back({op, level, std::move(words)});
    known_.emplace(k, slot);
    if (regions_.size() > 1) here.added.push_back(std::move(k));
    return slot;
}

region lowering::packed(std::vector<pending>& nodes)
{
    std::stable_sort(nodes.begin(), nodes.end(), [](const pending& a, const pending& b) {
        return a.level != b.level ? a.level < b.level : static_cast<int>(a.op) < static_cast<int>(b.op);
    });
    region r;
    for (const auto& n : nodes) {
        if (r.groups.empty() || r.groups.back().op != n.op) r.groups.push_back({n.op, 0, static_cast<int>(r.words.size())});
        ++r.groups.back().count;
        r.words.insert(r.words.end(), n.words.begin(), n.words.end());
    }
    return r;
}

int lowering::close()
{
    open_region r = std::move(regions_.back());
    regions_.pop_back();
    for (const auto& k : r.added) known_.erase(k);
    if (r.nodes.empty()) return -1;
    p_.regions.push_back(packed(r.nodes));
    return static_cast<int>(p_.regions.size()) - 1;
}

/// What has been written so far comes before what follows.
void lowering::flush()
{
    auto& top = regions_.front();
    if (!top.nodes.empty()) {
        p_.regions.push_back(packed(top.nodes));
        p_.steps.push_back({step::kind::straight, static_cast<int>(p_.regions.size()) - 1});
    }
    top.nodes.clear();
    top.id = next_region_++;
    top.deepest = 0;
}

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
    for (const auto& r : inner)
        for (const auto& x : r.added)
            if (const auto it = known_.find(x); it != known_.end()) {
                hidden.emplace_back(x, it->second);
                known_.erase(it);
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
        terms.emplace_back(constant(e, minus), -1);
        return;
    }
    // A constant times a value is one term.
    if (const expression x = at(e); x.kind == expr_kind::product && x.signs.find('/', 1) == std::string::npos) {
        const auto varying = std::ranges::count_if(x.parts, [&](expr p) { return at(p).depends; });
        const bool last_varies = at(x.parts.back()).depends;
        if (varying == 1 && (last_varies || x.parts.size() == 2)) {
            const expr factor = last_varies ? x.parts.back() : x.parts.front();
            expr rest = last_varies ? x.parts.front() : x.parts.back();
            if (x.parts.size() > 2) {
                rest = make(expr_kind::product, x.at, {x.parts.begin(), x.parts.end() - 1}, x.signs.substr(0, x.parts.size() - 1));
            }
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
    std::size_t k = 0;
    while (k < parts.size() && !at(parts[k]).depends) ++k;
    if (k > 1) {
        const expr rest = make(expr_kind::sum, at(e).at, {parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k)}, signs.substr(0, k));
        terms.emplace_back(constant(rest), -1);
    } else {
        k = 0;
    }
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
    std::size_t k = 0;
    while (k < parts.size() && !at(parts[k]).depends) ++k;
    if (k > 1)
        run.push_back(constant_operand(
            constant(make(expr_kind::product, at(e).at, {parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k)}, signs.substr(0, k)))));
    else
        k = 0;
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
            const auto before = equations_loop_ ? std::optional(std::move(*equations_loop_)) : std::nullopt;
            equations_loop_.reset();
            const int count = static_cast<int>(last - first + 1);
            const int base = new_array(count);
            bool done = true;
            try {
                loop_equation(loops, body, {space::slots, base, 1, 0});
                auto mine = std::move(*equations_loop_);
                equations_loop_.reset();
                end_loop(mine);
            } catch (const no_loop&) {
                done = false;
            }
            equations_loop_ = before;
            if (done) return emit(opcode::add_up, {base, count});
        }
    }
    std::vector<std::pair<int, int>> terms;
    evaluate_.for_each(loops, env_, [&] { add_term(terms, false, body); });
    if (terms.empty()) return constant_operand(constant(make_number(at(e).at, "0")));
    return weighted(terms);
}

void lowering::store(int row, int operand) { stores_.push_back({opcode::store, 0, {row, operand}}); }

void lowering::require(expr e, const index_values& env)
{
    const auto outer = std::exchange(env_, env);
    const int c = lower_condition(e, false);
    env_ = outer;
    flush();
    p_.steps.push_back({step::kind::requirement, c});
}

void lowering::finish()
{
    if (equations_loop_) {
        auto l = std::move(*equations_loop_);
        equations_loop_.reset();
        end_loop(l);
    }
    auto& top = regions_.front();
    const std::vector<char> elsewhere = used_elsewhere();
    std::vector<int> uses(static_cast<std::size_t>(p_.slots), 0);
    const auto count = [&](int x) {
        if (x >= 0) ++uses[static_cast<std::size_t>(x)];
    };
    for (const auto& n : top.nodes) for_each_operand(n.op, n.words.data() + 1, n.words.size() - 1, count);
    for (const auto& s : stores_) count(s.words[1]);
    // A sum that is the value of one row only is written there at once.
    std::unordered_map<int, int> row_of;
    for (const auto& s : stores_)
        if (const int x = s.words[1]; x >= 0 && uses[static_cast<std::size_t>(x)] == 1 && elsewhere[static_cast<std::size_t>(x)] == 0)
            row_of[x] = s.words[0];
    std::set<int> at_once;
    for (auto& n : top.nodes)
        if (const auto it = row_of.find(n.words[0]); it != row_of.end() && n.op == opcode::weighted_sum) {
            n.words[0] = ~it->second;
            at_once.insert(it->second);
        }
    const int last = top.deepest + 1;
    for (auto& s : stores_) {
        if (at_once.contains(s.words[0])) continue;
        s.level = last;
        top.nodes.push_back(std::move(s));
    }
    flush();
}

/// Slots that branches, conditions, loops and earlier straight code read.
std::vector<char> lowering::used_elsewhere() const
{
    std::vector<char> used(static_cast<std::size_t>(p_.slots), 0);
    const auto use = [&](int x) {
        if (x >= 0 && x < p_.slots) used[static_cast<std::size_t>(x)] = 1;
    };
    for (const auto& r : p_.regions)
        for (const int w : r.words) use(w); // too many rather than too few
    for (const auto& c : p_.conditions) use(c.a), use(c.b);
    for (const auto& n : regions_.front().nodes)
        if (n.op == opcode::choose) use(n.words[4]), use(n.words[5]);
    for (const auto& l : p_.loops) {
        for (const auto& body : l.bodies)
            for (const auto& x : body)
                for (const auto* r : {&x.a, &x.b, &x.c})
                    if (r->in == space::slots) use(r->first);
        for (const auto& c : l.conditions)
            for (const auto* r : {&c.a, &c.b})
                if (r->in == space::slots) use(r->first);
    }
    return used;
}

// ---- Kinks in t ----

bool lowering::depends_on_states(expr e)
{
    const expression x = at(e);
    if (!x.depends) return false;
    if (x.kind == expr_kind::derivative) return true;
    if (x.kind == expr_kind::name) {
        if (x.means == meaning::time) return false;
        return x.means == meaning::state || depends_on_states(d_.declared(x.target).value);
    }
    return std::ranges::any_of(x.parts, [&](expr p) { return depends_on_states(p); });
}

std::optional<lowering::line_in_time> lowering::line_in_t(expr e)
{
    if (!in_quad_) in_quad_.emplace(d_, p_.expressions, m_.parameters);
    const expression x = at(e);
    if (!x.depends) return line_in_time{quad(0), in_quad_->value(e, env_)};
    switch (x.kind) {
    case expr_kind::name:
        if (x.means == meaning::time) return line_in_time{quad(1), quad(0)};
        if (x.means == meaning::let && x.parts.empty()) {
            const auto outer = std::exchange(env_, {});
            const auto line = line_in_t(d_.declared(x.target).value);
            env_ = outer;
            return line;
        }
        return std::nullopt;
    case expr_kind::negate: {
        const auto a = line_in_t(x.parts[0]);
        if (!a) return std::nullopt;
        return line_in_time{-a->slope, -a->offset};
    }
    case expr_kind::sum: {
        line_in_time all{quad(0), quad(0)};
        for (std::size_t k = 0; k < x.parts.size(); ++k) {
            const auto a = line_in_t(x.parts[k]);
            if (!a) return std::nullopt;
            const quad s(x.signs[k] == '-' ? -1 : 1);
            all = {all.slope + s * a->slope, all.offset + s * a->offset};
        }
        return all;
    }
    case expr_kind::product: {
        line_in_time all{quad(0), quad(1)};
        for (std::size_t k = 0; k < x.parts.size(); ++k) {
            const auto a = line_in_t(x.parts[k]);
            if (!a) return std::nullopt;
            if (x.signs[k] == '/') {
                if (!(a->slope == quad(0))) return std::nullopt;
                all = {all.slope / a->offset, all.offset / a->offset};
            } else {
                if (!(a->slope == quad(0)) && !(all.slope == quad(0))) return std::nullopt;
                all = {all.slope * a->offset + all.offset * a->slope, all.offset * a->offset};
            }
        }
        return all;
    }
    default: return std::nullopt;
    }
}

void lowering::kink(const quad& t)
{
    const double v = value_of(t);
    if (!(v > m_.t0.value()) || !(v < m_.tend.value()) || kinks_seen.size() >= most_kinks) return;
    if (kinks_seen.insert(v).second) m_.kinks.emplace_back(quad(v) == t ? to_text(v) : to_text(t, 34));
}

/// Notes the times at which a comparison changes. At a restart it takes the value of the segment ahead: the sign that does so.
char lowering::located(char sign, expr a, expr b)
{
    if (depends_on_states(a) || depends_on_states(b)) {
        m_.kinks_in_states = true;
        return sign;
    }
    const auto is_break = [&](const quad& t) { return std::ranges::any_of(m_.breaks, [&](const decimal& x) { return x.value() == value_of(t); }); };
    const auto left = line_in_t(a);
    const auto right = line_in_t(b);
    if (left && right) {
        const quad slope = left->slope - right->slope;
        if (slope == quad(0)) return sign;
        const quad t = (right->offset - left->offset) / slope;
        kink(t);
        if (!is_break(t)) return sign;
        if (slope > quad(0)) return sign == 'l' ? '<' : sign == '>' ? 'g' : sign;
        return sign == '<' ? 'l' : sign == 'g' ? '>' : sign;
    }
    // mod(line, period) compared with a constant
    const expression x = at(a);
    if (x.kind == expr_kind::name && x.means == meaning::let && x.parts.empty()) {
        const auto outer = std::exchange(env_, {});
        const char s = located(sign, d_.declared(x.target).value, b);
        env_ = outer;
        return s;
    }
    if (!right || !(right->slope == quad(0)) || x.kind != expr_kind::call || x.callee != function::mod) return sign;
    const auto line = line_in_t(x.parts[0]);
    const auto period = line_in_t(x.parts[1]);
    if (!line || !period || !(period->slope == quad(0)) || !(line->slope > quad(0)) || !(period->offset > quad(0))) return sign;
    const quad first = line->slope * m_.t0.in<quad>() + line->offset;
    const quad last = line->slope * m_.tend.in<quad>() + line->offset;
    if (value_of((last - first) / period->offset) > static_cast<double>(most_kinks)) return sign;
    bool at_break = false;
    for (quad turn = floor(first / period->offset); turn * period->offset <= last; turn += quad(1))
        for (const quad& within : {quad(0), right->offset}) {
            if (within < quad(0) || within >= period->offset) continue;
            const quad t = (turn * period->offset + within - line->offset) / line->slope;
            kink(t);
            at_break = at_break || is_break(t);
        }
    if (at_break) return sign == 'l' ? '<' : sign == '>' ? 'g' : sign;
    return sign;
}

// ---- Loops ----

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
        auto before = std::move(*equations_loop_);
        equations_loop_.reset();
        end_loop(before);
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
    const open_loop before = *equations_loop_;
    try {
        const reference_to r = block(right);
        loop_ = nullptr;
        equations_loop_->results.emplace_back(r, rows);
    } catch (...) {
        loop_ = nullptr;
        env_.clear();
        equations_loop_ = before;
        throw;
    }
}

void lowering::loop_requirement(const loop_head& loops, expr e)
{
    env_.clear();
    if (equations_loop_) {
        auto before = std::move(*equations_loop_);
        equations_loop_.reset();
        end_loop(before);
    }
    begin_loop(loops);
    loop_ = &*equations_loop_;
    try {
        const int c = block_condition_of(e, false);
        loop_ = nullptr;
        equations_loop_->l.requirement = c;
        auto l = std::move(*equations_loop_);
        equations_loop_.reset();
        end_loop(l);
    } catch (...) {
        loop_ = nullptr;
        equations_loop_.reset();
        throw;
    }
}

void lowering::end_loop(open_loop& l)
{
    if (l.results.empty() && l.l.requirement < 0) return;
    auto& body = l.l.bodies[0];
    const auto is = [](const reference_to& a, const reference_to& b) { return a.in == b.in && a.first == b.first; };
    for (const auto& [from, to] : l.results) {
        int uses = 0;
        for (const auto& other : l.l.bodies)
            for (const auto& x : other)
                for (const auto* r : {&x.a, &x.b, &x.c}) uses += r->in == space::block && is(*r, from) ? 1 : 0;
        for (const auto& c : l.l.conditions)
            for (const auto* r : {&c.a, &c.b}) uses += r->in == space::block && is(*r, from) ? 1 : 0;
        for (const auto& [other, unused] : l.results) uses += is(other, from) ? 1 : 0;
        const auto writer = from.in != space::block || uses != 1
                                ? body.end()
                                : std::ranges::find_if(body, [&](const block_instruction& x) { return is(x.to, from); });
        if (writer != body.end()) {
            writer->to = to;
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
    if (loop_->stack.size() == 1) loop_->known.emplace(std::move(k), x.to.first); // what a branch computes is not known outside of it
    ++p_.operations;
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

reference_to lowering::hoisted(expr e)
{
    open_loop* const mine = std::exchange(loop_, nullptr);
    std::optional<open_loop> kept;
    // What is hoisted may begin loops of its own.
    if (mine == &*equations_loop_) {
        kept = std::move(*equations_loop_);
        equations_loop_.reset();
    }
    int operand = 0;
    try {
        operand = lower(e);
        if (equations_loop_) {
            auto l = std::move(*equations_loop_);
            equations_loop_.reset();
            end_loop(l);
        }
    } catch (...) {
        if (kept) equations_loop_ = std::move(kept);
        loop_ = mine;
        throw;
    }
    if (kept) equations_loop_ = std::move(kept);
    loop_ = kept || equations_loop_ ? &*equations_loop_ : mine;
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
    open_loop* const mine = std::exchange(loop_, nullptr);
    const bool is_current = equations_loop_ && mine == &*equations_loop_;
    std::optional<open_loop> kept;
    if (equations_loop_) kept = std::move(*equations_loop_);
    equations_loop_.reset();
    const auto outer_env = std::exchange(env_, {});
    const auto restore = [&] {
        equations_loop_ = std::move(kept);
        loop_ = is_current ? &*equations_loop_ : mine;
        env_ = outer_env;
    };
    try {
        const int row_length = n.dims.size() == 2 ? static_cast<int>(s.range[1].second - s.range[1].first + 1) : 0;
        // An index that the expression does not name has no symbol: the elements are equal, and written out.
        if (std::ranges::any_of(head.variables, [](const loop_variable& v) { return v.symbol < 0; })) throw no_loop{};
        loop_equation(head, n.value, {space::slots, base, 1, row_length});
        auto l = std::move(*equations_loop_);
        equations_loop_.reset();
        end_loop(l);
    } catch (const no_loop&) {
        equations_loop_.reset();
        loop_ = nullptr;
        int next = base;
        std::vector<pending> copies;
        index_values env;
        const auto all = [&](auto&& self, std::size_t dim) -> void {
            if (dim == s.range.size()) {
                const int operand = value(n.value, env);
                copies.push_back({opcode::weighted_sum, regions_.front().deepest + 1,
                                  operand < 0 ? std::vector<int>{next, 1, ~operand, -1} : std::vector<int>{next, 1, plus_one, operand}});
                ++next;
                return;
            }
            for (long k = s.range[dim].first; k <= s.range[dim].second; ++k) {
                env.emplace_back(dim == 0 ? d_.symbol_i : d_.symbol_j, k);
                self(self, dim + 1);
                env.pop_back();
            }
        };
        try {
            all(all, 0);
        } catch (...) {
            restore();
            throw;
        }
        auto& top = regions_.front();
        for (auto& c : copies) {
            c.level = top.deepest + 1;
            top.nodes.push_back(std::move(c));
        }
        flush();
    } catch (...) {
        restore();
        throw;
    }
    restore();
    return base;
}

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
    std::size_t k = 0;
    while (k < parts.size() && !at(parts[k]).depends) ++k;
    reference_to all;
    if (k > 1)
        all = constant_reference(make(expr_kind::sum, at(e).at, {parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k)}, signs.substr(0, k)));
    else
        k = 0;
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
    std::size_t k = 0;
    while (k < parts.size() && !at(parts[k]).depends) ++k;
    reference_to all;
    if (k > 1)
        all = constant_reference(
            make(expr_kind::product, at(e).at, {parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k)}, signs.substr(0, k)));
    else
        k = 0;
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
