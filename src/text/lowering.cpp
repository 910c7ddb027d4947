#include "text/lowering.hpp"

#include <algorithm>
#include <utility>

namespace ivp::text {

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

void lowering::search(std::size_t steps)
{
    constexpr long fast = 10; ///< steps in the time of an operation
    searched_ += static_cast<long>(steps);
    if (searched_ > fast * limits::operations) throw too_large();
}

// ---- Sums and products that begin with constants ----

/// How many constants are one: none or at least two.
std::size_t lowering::constants_in_front(expr e) const
{
    const auto& parts = at(e).parts;
    const auto first = std::ranges::find_if(parts, [this](expr p) { return at(p).depends; });
    const auto count = static_cast<std::size_t>(first - parts.begin());
    return count > 1 ? count : 0;
}

/// They are one expression, made once, however often the sum or product is written out.
expr lowering::front_of(expr e, std::size_t parts)
{
    const auto [it, is_new] = fronts_.try_emplace(e, no_expr);
    if (is_new) {
        const expression& x = at(e);
        it->second = make(x.kind, x.at, {x.parts.begin(), x.parts.begin() + static_cast<std::ptrdiff_t>(parts)}, x.signs.substr(0, parts));
    }
    return it->second;
}

// ---- Constants ----

/// Whether it is the same whatever the indices are.
bool lowering::append_key(expr e, std::string& text)
{
    const expression& x = at(e);
    bool always = true;
    search(1);
    text += static_cast<char>('A' + static_cast<int>(x.kind));
    switch (x.kind) {
    case expr_kind::number: text += x.number; break;
    case expr_kind::name:
        if (x.means == meaning::index) {
            always = false;
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
        return false;
    default: text += x.signs; break;
    }
    text += '(';
    for (const expr p : x.parts) always = append_key(p, text) && always;
    text += ')';
    return always;
}

int lowering::constant(expr e, bool negative)
{
    const std::pair known(e, negative);
    if (const auto it = constant_of_.find(known); it != constant_of_.end()) return it->second;
    std::string name(negative ? "-" : "+");
    const bool always = append_key(e, name);
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
    if (always) constant_of_.emplace(known, it->second);
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
    finish_loop();
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

} // namespace ivp::text
