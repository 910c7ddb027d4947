// What every name of a document stands for, and whether everything is used as what it is.
#include "text/parser.hpp"

#include "base/text.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::text {

namespace {

constexpr int deepest = 800; ///< expressions in each other, those of 'let' and 'constant' included

enum class type : std::uint8_t { number, condition };

/// What may occur in an expression.
struct allowed {
    bool varying = true; ///< t, states, and what is made of them
    bool derivatives = true;
    std::string_view where; ///< "a constant": for messages
};

class binder {
public:
    binder(document& d, fault_list& faults)
        : d_(d), faults_(faults), declared_(d.symbols.size(), -1), progress_(d.declarations.size()), height_(d.declarations.size())
    {
        for (std::size_t s = 0; s < d.symbols.size(); ++s) {
            if (d.symbols[s] == "i") d.symbol_i = static_cast<int>(s);
            if (d.symbols[s] == "j") d.symbol_j = static_cast<int>(s);
        }
    }

    void run()
    {
        declare();
        for (std::size_t k = 0; k < d_.declarations.size() && !faults_.full(); ++k) bind_declaration(static_cast<int>(k));
        for (auto& q : d_.equations) bind_equation(q);
        for (auto& r : d_.requirements)
            guarded([&] {
                const scope inside(*this, r.loops);
                expect(r.condition, type::condition, {true, false, "a requirement"});
            });
        for (auto& r : d_.reactions) guarded([&] { bind_reaction(r); });
        if (d_.interval) {
            constant(d_.interval->from, "an interval");
            constant(d_.interval->to, "an interval");
        }
        for (const auto& b : d_.breaks) constant(b.value, "'break at'");
        for (const auto& [name, v] : d_.tolerances) constant(v.value, "a tolerance");
        for (const auto* list : {&d_.indices, &d_.references})
            for (const auto& a : *list) guarded([&] { state(a.target); });
        for (const auto& a : d_.indices) constant(a.value, "an index");
        for (const auto& a : d_.initials) bind_initial(a);
        for (const expr e : d_.outputs) guarded([&] { output(e); });
    }

private:
    template <class Work>
    void guarded(Work work)
    {
        if (faults_.full()) return;
        const std::size_t before = indices_.size();
        try {
            work();
        } catch (const not_understood&) {
            depth_ = 0;
            indices_.resize(before);
        }
    }

    expression& at(expr e) { return d_.expressions[static_cast<std::size_t>(e)]; }

    void declare()
    {
        for (std::size_t k = 0; k < d_.declarations.size(); ++k) {
            auto& first = declared_[static_cast<std::size_t>(d_.declarations[k].symbol)];
            if (first < 0)
                first = static_cast<int>(k);
            else
                faults_.add(d_.declarations[k].at, "'" + d_.symbol(d_.declarations[k].symbol) + "' is declared twice; the first time in line " +
                                                       std::to_string(d_.text.position(d_.declared(first).at).first));
        }
    }

    // ---- Names of indices ----

    struct scope {
        scope(binder& b, loop_head& loops) : b_(b), before_(b.indices_.size())
        {
            for (auto& v : loops.variables) {
                b.expect(v.from, type::number, {false, false, "a range"});
                b.expect(v.to, type::number, {false, false, "a range"});
                b.indices_.push_back(v.symbol);
            }
            if (loops.condition != no_expr) b.expect(loops.condition, type::condition, {false, false, "the condition of a range"});
        }
        /// i and j of an array.
        scope(binder& b, std::size_t dims) : b_(b), before_(b.indices_.size())
        {
            for (std::size_t k = 0; k < dims; ++k)
                if (const int s = k == 0 ? b.d_.symbol_i : b.d_.symbol_j; s >= 0) b.indices_.push_back(s);
        }
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
        ~scope() { b_.indices_.resize(before_); }
        binder& b_;
        std::size_t before_;
    };

    // ---- Statements ----

    /// Height of what it is made of.
    int bind_declaration(int k)
    {
        auto& state_of = progress_[static_cast<std::size_t>(k)];
        if (state_of == done) return height_[static_cast<std::size_t>(k)];
        state_of = begun;
        const auto outer_indices = std::exchange(indices_, {});
        guarded([&] {
            const declaration n = d_.declared(k);
            for (const auto& r : n.dims) {
                constant(r.from, "a range");
                constant(r.to, "a range");
            }
            for (const auto& [x, y] : n.points) {
                constant(x, "a table");
                constant(y, "a table");
            }
            if (n.what == meaning::parameter) check_parameter(n);
            if (n.what == meaning::table && n.points.size() < 2) faults_.fail(n.at, "a table with one point found; allowed: two points or more");
            if (n.value == no_expr) return;
            const scope inside(*this, n.dims.size());
            allowed what{n.what == meaning::let, n.what == meaning::let,
                         n.what == meaning::state   ? "an initial value"
                         : n.what == meaning::fixed ? "a fixed species"
                                                    : "a constant"};
            if (at(n.value).kind == expr_kind::list) {
                if (n.what != meaning::constant || n.dims.size() != 1)
                    faults_.fail(at(n.value).at,
                                 "a list of values found; allowed: for a constant with one index, such as constant k[1..3] = (1, 2, 3)");
                for (const expr e : std::vector(at(n.value).parts)) expect(e, type::number, what);
                return;
            }
            height_[static_cast<std::size_t>(k)] = expect(n.value, type::number, what);
        });
        indices_ = outer_indices;
        state_of = done;
        return height_[static_cast<std::size_t>(k)];
    }

    void check_parameter(const declaration& n)
    {
        const double value = decimal(n.number).value();
        const double least = n.least_number.empty() ? value : decimal(n.least_number).value();
        const double most = n.most_number.empty() ? value : decimal(n.most_number).value();
        if (n.whole && value != std::floor(value)) faults_.fail(n.at, "the default " + n.number + " found; allowed: a whole number");
        if (least > most)
            faults_.fail(n.at, "the range " + n.least_number + " .. " + n.most_number + " found; allowed: from a smaller to a larger number");
        if (value < least || value > most)
            faults_.fail(n.at, "the default " + n.number + " is outside the range " + n.least_number + " .. " + n.most_number);
    }

    void bind_equation(equation& q)
    {
        guarded([&] {
            const scope inside(*this, q.loops);
            expect(q.left, type::number, {true, true, ""});
            expect(q.right, type::number, {true, true, ""});
        });
    }

    void bind_reaction(reaction& r)
    {
        const scope inside(*this, r.loops);
        for (const auto* side : {&r.reactants, &r.products})
            for (const auto& s : *side) {
                bind(s.species, {true, false, "a reaction"});
                const auto what = at(s.species).means;
                if (what != meaning::state && what != meaning::fixed)
                    faults_.fail(at(s.species).at,
                                 "'" + d_.symbol(at(s.species).symbol) + "' is not a species; allowed: states, species and fixed species");
            }
        for (const expr e : {r.forward, r.backward})
            if (e != no_expr) expect(e, type::number, {true, false, "a rate"});
    }

    void bind_initial(const assignment& a)
    {
        guarded([&] {
            state(a.target);
            const auto& n = d_.declared(at(a.target).target);
            const scope inside(*this, at(a.target).parts.empty() ? n.dims.size() : 0);
            expect(a.value, type::number, {false, false, "an initial value"});
        });
    }

    void constant(expr e, std::string_view where)
    {
        guarded([&] { expect(e, type::number, {false, false, where}); });
    }

    void state(expr e)
    {
        bind(e, {true, true, ""}, true);
        if (at(e).means != meaning::state)
            faults_.fail(at(e).at, "'" + d_.symbol(at(e).symbol) + "' is not a state; allowed: " + some_names(meaning::state));
    }

    void output(expr e)
    {
        bind(e, {true, false, "an output"}, true);
        const bool is_let = at(e).means == meaning::let && (d_.declared(at(e).target).dims.empty() || !at(e).parts.empty());
        if (at(e).means != meaning::state && !is_let)
            faults_.fail(at(e).at, "'" + d_.symbol(at(e).symbol) + "' is not an output; allowed: states, and what 'let' declares");
    }

    // ---- Expressions ----

    int expect(expr e, type wanted, const allowed& what)
    {
        const int height = bind(e, what);
        if (type_of(e) == wanted) return height;
        if (at(e).kind == expr_kind::list) faults_.fail(at(e).at, "a list of values found; allowed here: one expression");
        faults_.fail(at(e).at, wanted == type::number
                                   ? "a condition found; allowed here: a number (if ... then ... else ... makes one of a condition)"
                                   : "a number found; allowed here: a condition such as t <= 5");
    }

    [[nodiscard]] type type_of(expr e) const
    {
        switch (d_.at(e).kind) {
        case expr_kind::compare:
        case expr_kind::both:
        case expr_kind::either:
        case expr_kind::no:
        case expr_kind::list: return type::condition;
        default: return type::number;
        }
    }

    /// whole_array: a name without indices may stand for all elements.
    int bind(expr e, const allowed& what, bool whole_array = false)
    {
        if (++depth_ > deepest) faults_.fail(at(e).at, "more than " + std::to_string(deepest) + " nested expressions");
        int height = 0;
        const auto part = [&](std::size_t k, type t) { height = std::max(height, expect(at(e).parts[k], t, what)); };
        switch (at(e).kind) {
        case expr_kind::number: break;
        case expr_kind::name:
        case expr_kind::derivative: height = bind_name(e, what, whole_array); break;
        case expr_kind::call: bind_callee(e); [[fallthrough]];
        case expr_kind::negate:
        case expr_kind::sum:
        case expr_kind::product:
        case expr_kind::power:
        case expr_kind::compare:
            for (std::size_t k = 0; k < at(e).parts.size(); ++k) part(k, type::number);
            break;
        case expr_kind::both:
        case expr_kind::either:
        case expr_kind::no:
            for (std::size_t k = 0; k < at(e).parts.size(); ++k) part(k, type::condition);
            break;
        case expr_kind::choice:
            part(0, type::condition);
            part(1, type::number);
            part(2, type::number);
            break;
        case expr_kind::total: {
            loop_head loops = at(e).loops;
            const scope inside(*this, loops);
            part(0, type::number);
            break;
        }
        case expr_kind::list: break; // refused by who finds it
        }
        if (at(e).kind != expr_kind::name && at(e).kind != expr_kind::derivative) {
            bool depends = false;
            for (const expr p : at(e).parts) depends = depends || at(p).depends;
            at(e).depends = depends;
        }
        if (++height > deepest) faults_.fail(at(e).at, "more than " + std::to_string(deepest) + " nested expressions, those of 'let' included");
        --depth_;
        return height;
    }

    int bind_name(expr e, const allowed& what, bool whole_array)
    {
        const std::string& name = d_.symbol(at(e).symbol);
        int height = 0;
        for (const expr p : std::vector(at(e).parts)) expect(p, type::number, {false, false, "an index"});
        if (std::ranges::find(indices_, at(e).symbol) != indices_.end()) {
            at(e).means = meaning::index;
            at(e).target = at(e).symbol;
            if (!at(e).parts.empty()) faults_.fail(at(e).at, "'" + name + "' is an index here and has no indices itself");
            if (at(e).kind == expr_kind::derivative) faults_.fail(at(e).at, "'" + name + "' is an index here and has no derivative");
            return height;
        }
        if (name == "t" || name == "pi") {
            at(e).means = name == "t" ? meaning::time : meaning::pi;
            at(e).depends = name == "t";
            if (!at(e).parts.empty()) faults_.fail(at(e).at, "'" + name + "' has no indices");
            if (at(e).kind == expr_kind::derivative) faults_.fail(at(e).at, "'" + name + "' has no derivative; allowed: derivatives of states");
            if (name == "t" && !what.varying)
                faults_.fail(at(e).at, "the time t found in " + std::string(what.where) + "; allowed: parameters and constants");
            return height;
        }
        const int target = declared_[static_cast<std::size_t>(at(e).symbol)];
        if (target < 0) unknown(e, name);
        const declaration& n = d_.declared(target);
        at(e).means = n.what;
        at(e).target = target;
        if (n.what == meaning::table) faults_.fail(at(e).at, "'" + name + "' is a table; allowed: " + name + "(x)");
        if (at(e).parts.size() != n.dims.size() && !(whole_array && at(e).parts.empty()))
            faults_.fail(at(e).at, "'" + name + "' has " +
                                       (n.dims.empty()       ? "no indices"
                                        : n.dims.size() == 1 ? "one index"
                                                             : "two indices") +
                                       "; " + std::to_string(at(e).parts.size()) + " given");
        if (at(e).kind == expr_kind::derivative && n.what != meaning::state)
            faults_.fail(at(e).at, "'" + name + "' is not a state and has no derivative; allowed: derivatives of states");
        if (n.what == meaning::state) {
            at(e).depends = true;
            if (!what.varying)
                faults_.fail(at(e).at, "the state '" + name + "' found in " + std::string(what.where) + "; allowed: parameters and constants");
        }
        if (at(e).kind == expr_kind::derivative && !what.derivatives)
            faults_.fail(at(e).at, "a derivative found in " + std::string(what.where) + "; allowed: in equations and 'let'");
        if (n.what == meaning::let || n.what == meaning::constant || n.what == meaning::fixed) {
            if (progress_[static_cast<std::size_t>(target)] == begun)
                faults_.fail(at(e).at, "'" + name + "' is defined by itself; allowed: no circle among 'let' and 'constant'");
            const int depth = depth_;
            height = bind_declaration(target);
            depth_ = depth;
            at(e).depends = n.what == meaning::let && n.value != no_expr && d_.at(d_.declared(target).value).depends;
            if (n.what == meaning::let && !what.varying && at(e).depends)
                faults_.fail(at(e).at, "'" + name + "' changes with t or a state and was found in " + std::string(what.where) +
                                           "; allowed: parameters and constants");
        }
        return height;
    }

    void bind_callee(expr e)
    {
        if (at(e).callee != function::table) return;
        const std::string& name = d_.symbol(at(e).symbol);
        const int target = declared_[static_cast<std::size_t>(at(e).symbol)];
        if (target >= 0 && d_.declared(target).what == meaning::state)
            faults_.fail(at(e).at, "'" + name + "' is a state: a delay " + name + "(t - 1) is refused, and a product needs a '*'");
        if (target >= 0 && d_.declared(target).what == meaning::table) {
            at(e).target = target;
            return;
        }
        if (target >= 0) faults_.fail(at(e).at, "'" + name + "' is not a function; a product needs a '*'");
        if (d_.excused.contains(at(e).symbol)) throw not_understood{};
        std::vector<std::string> known;
        for (int f = 0; f < static_cast<int>(function::table); ++f) known.emplace_back(name_of(static_cast<function>(f)));
        for (const auto& n : d_.declarations)
            if (n.what == meaning::table) known.push_back(d_.symbol(n.symbol));
        faults_.fail(at(e).at, "unknown function '" + name + "'; allowed: " + joined(known, ", ") + nearest_name_hint(name, known));
    }

    [[noreturn]] void unknown(expr e, const std::string& name)
    {
        if (d_.excused.contains(at(e).symbol)) throw not_understood{};
        std::vector<std::string> known;
        if (d_.declarations.size() < 1000)
            for (const auto& n : d_.declarations) known.push_back(d_.symbol(n.symbol));
        faults_.fail(at(e).at, "unknown name '" + name + "'; allowed: what a state, species, parameter, constant, fixed or let declares" +
                                   nearest_name_hint(name, known));
    }

    [[nodiscard]] std::string some_names(meaning what) const
    {
        std::vector<std::string> names;
        for (const auto& n : d_.declarations) {
            if (n.what != what) continue;
            if (names.size() == 10) {
                names.emplace_back("...");
                break;
            }
            names.push_back(d_.symbol(n.symbol));
        }
        return names.empty() ? "none is declared" : joined(names, ", ");
    }

    enum progress : std::uint8_t { open, begun, done };

    document& d_;
    fault_list& faults_;
    std::vector<int> declared_; ///< by symbol
    std::vector<progress> progress_;
    std::vector<int> height_;
    std::vector<int> indices_; ///< symbols that are indices here
    int depth_ = 0;
};

} // namespace

void bind_names(document& d, fault_list& faults) { binder(d, faults).run(); }

} // namespace ivp::text
