#include "text/parser.hpp"

#include "base/text.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ivp::text {

namespace {

using kind = token_kind;

constexpr std::array<std::string_view, 22> function_names{"sqrt", "exp",  "log", "log10", "sin",   "cos", "tan", "asin",  "acos", "atan", "sinh",
                                                          "cosh", "tanh", "abs", "sign",  "floor", "min", "max", "atan2", "mod",  "pow",  "table"};

constexpr std::array<std::string_view, 34> keywords{
    "problem",   "parameter", "constant",  "interval", "state", "species", "fixed", "let",         "index", "require", "break", "at",
    "tolerance", "output",    "reference", "initial",  "table", "for",     "in",    "sum",         "if",    "then",    "else",  "not",
    "and",       "or",        "whole",     "digits",   "rate",  "linear",  "cubic", "interleaved", "t",     "pi"};

/// Words of other modelling languages that ask for something this format does not have.
struct refused_word {
    std::string_view word;
    std::string_view why;
};
constexpr std::array refused_words{
    refused_word{"delay", "delays are refused: the right-hand side takes the states at the time t only"},
    refused_word{"history", "delays are refused: the right-hand side takes the states at the time t only"},
    refused_word{"event", "events are refused: use a condition (if ... then ... else ...) and 'break at' for known times"},
    refused_word{"when", "events are refused: use a condition (if ... then ... else ...) and 'break at' for known times"},
    refused_word{"reinit", "events are refused: use a condition (if ... then ... else ...) and 'break at' for known times"},
    refused_word{"random", "random numbers are refused: a problem gives the same numbers each time"},
    refused_word{"rand", "random numbers are refused: a problem gives the same numbers each time"},
    refused_word{"noise", "random numbers are refused: a problem gives the same numbers each time"},
};

std::optional<std::string_view> refusal_of(std::string_view word)
{
    const auto* const it = std::ranges::find(refused_words, word, &refused_word::word);
    if (it == refused_words.end()) return std::nullopt;
    return it->why;
}

std::optional<function> function_from(std::string_view name)
{
    const auto* const it = std::ranges::find(function_names, name);
    if (it == function_names.end() || name == "table") return std::nullopt;
    return static_cast<function>(it - function_names.begin());
}

class parser {
public:
    parser(document& d, const words& w, fault_list& faults) : d_(d), tokens_(w.tokens), faults_(faults) {}

    void run()
    {
        while (here().kind != kind::end && !faults_.full()) {
            if (take(kind::end_of_line)) continue;
            const std::size_t begin = at_;
            try {
                statement();
                if (here().kind != kind::end_of_line) unexpected("the end of the statement");
            } catch (const not_understood&) {
                leave_out(begin);
            }
        }
    }

private:
    // ---- Words ----

    [[nodiscard]] const token& here() const { return tokens_[at_]; }
    [[nodiscard]] const token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
    [[nodiscard]] bool is_word(std::string_view w) const { return here().kind == kind::name && here().text == w; }
    bool take(kind k)
    {
        if (here().kind != k) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view w)
    {
        if (!is_word(w)) return false;
        ++at_;
        return true;
    }
    /// What is named in a statement that is not understood may be declared by it: no second fault for the same reason.
    void leave_out(std::size_t begin)
    {
        while (here().kind != kind::end_of_line && here().kind != kind::end) ++at_;
        for (std::size_t k = begin; k < at_; ++k)
            if (tokens_[k].kind == kind::name) d_.excused.insert(symbol_of(tokens_[k].text));
    }
    [[noreturn]] void unexpected(std::string_view allowed)
    {
        faults_.fail(here().at, described(here()) + " found; allowed here: " + std::string(allowed));
    }
    void expect(kind k, std::string_view allowed)
    {
        if (!take(k)) unexpected(allowed);
    }
    void expect_word(std::string_view w)
    {
        if (!take_word(w)) unexpected("'" + std::string(w) + "'");
    }
    std::string_view optional_text()
    {
        if (here().kind != kind::text) return {};
        return tokens_[at_++].text;
    }

    int symbol_of(std::string_view name)
    {
        const auto [it, is_new] = symbols_.try_emplace(name, static_cast<int>(d_.symbols.size()));
        if (is_new) d_.symbols.emplace_back(name);
        return it->second;
    }

    /// A name that something can be called by.
    const token& new_name(std::string_view what)
    {
        if (here().kind != kind::name) unexpected(std::string(what));
        if (is_reserved(here().text)) faults_.fail(here().at, "'" + std::string(here().text) + "' is a word of the language and cannot be a name");
        if (const auto why = refusal_of(here().text)) faults_.fail(here().at, *why);
        return tokens_[at_++];
    }

    std::string signed_number(std::string_view what)
    {
        std::string text = take(kind::minus) ? "-" : "";
        if (text.empty()) take(kind::plus);
        if (here().kind != kind::number) unexpected(what);
        return text += tokens_[at_++].text;
    }

    // ---- Expressions ----

    struct level {
        explicit level(parser& p) : p_(p)
        {
            if (++p_.depth_ > limits::depth)
                p_.faults_.fail(p_.here().at, "more than " + std::to_string(limits::depth) + " nested brackets, powers or conditions");
        }
        level(const level&) = delete;
        level& operator=(const level&) = delete;
        ~level() { --p_.depth_; }
        parser& p_;
    };

    expr make(expr_kind k, place at, std::vector<expr> parts = {}, std::string signs = {})
    {
        expression e;
        e.kind = k;
        e.at = at;
        e.parts = std::move(parts);
        e.signs = std::move(signs);
        d_.expressions.push_back(std::move(e));
        return static_cast<expr>(d_.expressions.size()) - 1;
    }

    expr expression_here()
    {
        const level l(*this);
        if (is_word("if")) return choice();
        return either();
    }

    expr choice()
    {
        const place at = tokens_[at_++].at;
        const expr condition = either();
        expect_word("then");
        const expr yes = expression_here();
        expect_word("else");
        const expr no = expression_here();
        return make(expr_kind::choice, at, {condition, yes, no});
    }

    expr joined_by(std::string_view word, expr_kind k, expr (parser::*part)())
    {
        const place at = here().at;
        std::vector<expr> parts{(this->*part)()};
        while (take_word(word)) parts.push_back((this->*part)());
        return parts.size() == 1 ? parts[0] : make(k, at, std::move(parts));
    }
    expr either() { return joined_by("or", expr_kind::either, &parser::both); }
    expr both() { return joined_by("and", expr_kind::both, &parser::negation); }
    expr negation()
    {
        const level l(*this);
        const place at = here().at;
        if (take_word("not")) return make(expr_kind::no, at, {negation()});
        return comparison();
    }

    expr comparison()
    {
        const expr left = sum();
        const char sign = comparison_sign();
        if (sign == 0) return left;
        const place at = tokens_[at_++].at;
        const expr right = sum();
        if (comparison_sign() != 0) faults_.fail(here().at, described(here()) + " found after another comparison; allowed: a < b and b < c");
        return make(expr_kind::compare, at, {left, right}, std::string(1, sign));
    }
    [[nodiscard]] char comparison_sign() const
    {
        switch (here().kind) {
        case kind::less: return '<';
        case kind::less_equal: return 'l';
        case kind::greater: return '>';
        case kind::greater_equal: return 'g';
        case kind::equal: return '=';
        case kind::unequal: return '!';
        default: return 0;
        }
    }

    expr sum()
    {
        const place at = here().at;
        std::vector<expr> parts{product()};
        std::string signs = "+";
        while (here().kind == kind::plus || here().kind == kind::minus) {
            signs += here().kind == kind::plus ? '+' : '-';
            ++at_;
            parts.push_back(product());
        }
        return parts.size() == 1 ? parts[0] : make(expr_kind::sum, at, std::move(parts), std::move(signs));
    }

    expr product()
    {
        const place at = here().at;
        std::vector<expr> parts{negated()};
        std::string signs = "*";
        while (here().kind == kind::times || here().kind == kind::divide) {
            signs += here().kind == kind::times ? '*' : '/';
            ++at_;
            parts.push_back(negated());
        }
        return parts.size() == 1 ? parts[0] : make(expr_kind::product, at, std::move(parts), std::move(signs));
    }

    expr negated()
    {
        const level l(*this);
        const place at = here().at;
        if (take(kind::minus)) return make(expr_kind::negate, at, {negated()});
        if (take(kind::plus)) return negated();
        return power();
    }

    expr power()
    {
        const expr base = primary();
        const place at = here().at;
        if (!take(kind::power)) return base;
        return make(expr_kind::power, at, {base, negated()});
    }

    expr primary()
    {
        const token& t = here();
        if (t.kind == kind::number) {
            ++at_;
            const expr e = make(expr_kind::number, t.at);
            d_.expressions.back().number = t.text;
            return e;
        }
        if (t.kind == kind::open) return bracketed();
        if (t.kind == kind::name) return named();
        unexpected("a number, a name or '('");
    }

    expr bracketed()
    {
        const level l(*this);
        const place at = tokens_[at_++].at;
        const expr first = expression_here();
        if (here().kind != kind::comma) {
            expect(kind::close, "')' or an operator");
            return first;
        }
        std::vector<expr> parts{first};
        while (take(kind::comma)) parts.push_back(expression_here());
        expect(kind::close, "',' or ')'");
        return make(expr_kind::list, at, std::move(parts));
    }

    expr named()
    {
        const token& t = here();
        if (t.text == "sum") return total();
        if (const auto f = function_from(t.text)) return call(*f);
        if (const auto why = refusal_of(t.text); why && ahead().kind == kind::open) faults_.fail(t.at, *why);
        if (t.text != "t" && t.text != "pi" && is_reserved(t.text)) unexpected("a number, a name or '('");
        if (ahead().kind == kind::open) return call(function::table);
        return plain_name();
    }

    /// Of a state, a constant …, perhaps with indices, perhaps a derivative.
    expr plain_name()
    {
        const token& t = tokens_[at_++];
        std::vector<expr> indices;
        if (take(kind::open_index)) {
            do indices.push_back(sum());
            while (take(kind::comma));
            expect(kind::close_index, "',' or ']'");
        }
        const bool derivative = take(kind::prime);
        if (derivative && here().kind == kind::prime)
            faults_.fail(here().at, "a second derivative found; allowed: first derivatives, with a state for each");
        const expr e = make(derivative ? expr_kind::derivative : expr_kind::name, t.at, std::move(indices));
        d_.expressions.back().symbol = symbol_of(t.text);
        return e;
    }

    expr call(function f)
    {
        const token& t = tokens_[at_++];
        const level l(*this);
        expect(kind::open, "'(' and the argument of " + std::string(t.text));
        std::vector<expr> parts{expression_here()};
        while (take(kind::comma)) parts.push_back(expression_here());
        expect(kind::close, "',' or ')'");
        const auto wanted = static_cast<std::size_t>(arguments_of(f));
        const bool of_many = f == function::min || f == function::max;
        if (of_many ? parts.size() < 2 : parts.size() != wanted)
            faults_.fail(t.at, "'" + std::string(t.text) + "' has " + counted(parts.size(), "argument") +
                                   "; allowed: " + (of_many ? "two or more" : std::to_string(wanted)));
        // min(a, b, c) is min(min(a, b), c)
        expr all = parts[0];
        if (parts.size() == 1) all = make(expr_kind::call, t.at, {parts[0]});
        for (std::size_t k = 1; k < parts.size(); ++k) {
            all = make(expr_kind::call, t.at, {all, parts[k]});
            d_.expressions.back().callee = f;
        }
        d_.expressions.back().callee = f;
        d_.expressions.back().symbol = symbol_of(t.text);
        return all;
    }

    expr total()
    {
        const level l(*this);
        const place at = tokens_[at_++].at;
        expect(kind::open, "'(' as in sum(i in 1..N : u[i])");
        loop_head loops = heads();
        expect(kind::colon, "':' and what is to be added");
        const expr body = expression_here();
        expect(kind::close, "')'");
        const expr e = make(expr_kind::total, at, {body});
        d_.expressions.back().loops = std::move(loops);
        return e;
    }

    /// "i in 1..N, j in 1..M, i != j"
    loop_head heads()
    {
        loop_head head;
        do {
            if (here().kind == kind::name && ahead().kind == kind::name && ahead().text == "in") {
                if (head.condition != no_expr) faults_.fail(here().at, "a variable found after the condition; allowed: variables first");
                if (head.variables.size() == 3) faults_.fail(here().at, "a fourth variable found; allowed: at most three");
                const token& t = new_name("the name of an index");
                ++at_;
                loop_variable v{symbol_of(t.text), t.at, sum(), no_expr};
                expect(kind::range, "'..' as in 1..N");
                v.to = sum();
                head.variables.push_back(v);
            } else {
                if (head.variables.empty()) unexpected("a range such as i in 1..N");
                if (head.condition != no_expr) faults_.fail(here().at, "a second condition found; allowed: one, with 'and' between its parts");
                head.condition = either();
            }
        } while (take(kind::comma));
        return head;
    }

    // ---- Statements ----

    void statement()
    {
        if (here().kind == kind::name) {
            using rule = void (parser::*)();
            static const std::unordered_map<std::string_view, rule> rules{
                {"problem", &parser::problem_statement},
                {"parameter", &parser::parameters},
                {"constant", &parser::constants},
                {"fixed", &parser::fixed},
                {"interval", &parser::interval},
                {"state", &parser::states},
                {"species", &parser::species},
                {"let", &parser::lets},
                {"index", &parser::indices},
                {"require", &parser::require},
                {"break", &parser::breaks},
                {"tolerance", &parser::tolerances},
                {"output", &parser::outputs},
                {"reference", &parser::references},
                {"initial", &parser::initials},
                {"table", &parser::table},
                {"for", &parser::loop},
            };
            if (const auto it = rules.find(here().text); it != rules.end()) {
                ++at_;
                return (this->*it->second)();
            }
            if (const auto why = refusal_of(here().text); why && ahead().kind != kind::equals && ahead().kind != kind::prime)
                faults_.fail(here().at, *why);
        }
        repeatable();
    }

    /// What a 'for' can stand before.
    void repeatable()
    {
        if (take_word("require")) return require();
        if (take_word("for")) return loop();
        if (is_reaction()) return reaction_statement();
        equation_statement();
    }

    [[nodiscard]] bool is_reaction() const
    {
        for (std::size_t k = at_; tokens_[k].kind != kind::end_of_line && tokens_[k].kind != kind::end; ++k)
            if (tokens_[k].kind == kind::arrow || tokens_[k].kind == kind::double_arrow) return true;
        return false;
    }

    void loop()
    {
        const level l(*this);
        const place at = here().at;
        loop_head outer = std::move(loops_);
        loops_ = heads();
        if (!outer.variables.empty()) {
            if (outer.condition != no_expr && loops_.condition != no_expr)
                loops_.condition = make(expr_kind::both, at, {outer.condition, loops_.condition});
            else if (outer.condition != no_expr)
                loops_.condition = outer.condition;
            loops_.variables.insert(loops_.variables.begin(), outer.variables.begin(), outer.variables.end());
            if (loops_.variables.size() > 3) faults_.fail(at, "more than three variables; allowed: at most three");
        }
        const auto finish = [this] { loops_ = {}; };
        try {
            expect(kind::colon, "':' and a statement");
            repeatable();
        } catch (const not_understood&) {
            finish();
            throw;
        }
        finish();
    }

    void once(bool already, place at, std::string_view what)
    {
        if (already) faults_.fail(at, "a second '" + std::string(what) + "' found; allowed: one");
    }

    void problem_statement()
    {
        const place at = tokens_[at_ - 1].at;
        once(!d_.id.empty(), at, "problem");
        if (here().kind != kind::name) unexpected("the name of the problem");
        d_.problem_at = here().at;
        d_.id = tokens_[at_++].text;
        d_.title = optional_text();
    }

    declaration declared(meaning what)
    {
        const token& t = new_name("a name");
        declaration n;
        n.what = what;
        n.symbol = symbol_of(t.text);
        n.at = t.at;
        if (take(kind::open_index)) {
            do {
                dimension range{sum(), no_expr};
                expect(kind::range, "'..' as in 1..N");
                range.to = sum();
                n.dims.push_back(range);
            } while (take(kind::comma));
            if (n.dims.size() > 2) faults_.fail(t.at, "'" + std::string(t.text) + "' has more than two dimensions; allowed: one or two");
            expect(kind::close_index, "']'");
        }
        return n;
    }

    void add(declaration n) { d_.declarations.push_back(std::move(n)); }

    void parameters()
    {
        do {
            declaration n = declared(meaning::parameter);
            if (!n.dims.empty()) faults_.fail(n.at, "a parameter has no indices; allowed: 'constant' for an array");
            expect(kind::equals, "'=' and a number");
            n.number = signed_number("a number, the default of the parameter");
            for (bool more = true; more;) {
                more = false;
                if (take_word("in")) {
                    n.least_number = signed_number("a number, the lower limit");
                    expect(kind::range, "'..' as in 1 .. 1e6");
                    n.most_number = signed_number("a number, the upper limit");
                    more = true;
                }
                if (take_word("whole")) n.whole = more = true;
            }
            n.text = optional_text();
            add(std::move(n));
        } while (take(kind::comma));
    }

    void valued(meaning what, std::string_view example, bool species = false, int group = -1)
    {
        do {
            declaration n = declared(what);
            n.species = species;
            n.group = group;
            expect(kind::equals, example);
            n.value = expression_here();
            n.text = optional_text();
            add(std::move(n));
        } while (take(kind::comma));
    }
    void constants() { valued(meaning::constant, "'=' and its value"); }
    void fixed() { valued(meaning::fixed, "'=' and its value"); }
    void lets() { valued(meaning::let, "'=' and an expression"); }
    void species() { valued(meaning::state, "'=' and its initial value", true); }
    void states()
    {
        const bool interleaved = take_word("interleaved");
        valued(meaning::state, "'=' and its initial value", false, interleaved ? groups_++ : -1);
    }

    void table()
    {
        const token& t = new_name("the name of the table");
        declaration n;
        n.what = meaning::table;
        n.symbol = symbol_of(t.text);
        n.at = t.at;
        expect(kind::equals, "'=' and points such as (0, 0), (1, 0.02)");
        do {
            expect(kind::open, "a point such as (1, 0.02)");
            const expr x = sum();
            expect(kind::comma, "','");
            n.points.emplace_back(x, sum());
            expect(kind::close, "')'");
        } while (take(kind::comma));
        if (take_word("cubic"))
            n.cubic = true;
        else
            take_word("linear");
        n.text = optional_text();
        add(std::move(n));
    }

    void interval()
    {
        const place at = tokens_[at_ - 1].at;
        once(d_.interval.has_value(), at, "interval");
        dimension range{sum(), no_expr};
        expect(kind::range, "'..' as in 0 .. 10");
        range.to = sum();
        d_.interval = range;
        d_.interval_at = at;
    }

    void require()
    {
        const place at = here().at;
        d_.requirements.push_back({at, loops_, either()});
    }

    void breaks()
    {
        expect_word("at");
        do {
            const place at = here().at;
            d_.breaks.push_back({at, sum()});
        } while (take(kind::comma));
    }

    void tolerances()
    {
        do {
            const token& t = here();
            if (t.kind != kind::name || (t.text != "rtol" && t.text != "atol" && t.text != "h0")) unexpected("rtol, atol or h0");
            ++at_;
            once(d_.tolerances.contains(std::string(t.text)), t.at, t.text);
            expect(kind::equals, "'='");
            const place at = here().at;
            const expr value = sum(); // first: what is not understood leaves nothing behind
            d_.tolerances[std::string(t.text)] = {at, value};
        } while (take(kind::comma));
    }

    expr state_name()
    {
        if (here().kind != kind::name) unexpected("the name of a state");
        return plain_name();
    }

    void indices()
    {
        do {
            assignment a{here().at, state_name(), no_expr, {}, {}};
            expect(kind::equals, "'=' and 1, 2 or 3");
            a.value = sum();
            d_.indices.push_back(std::move(a));
        } while (take(kind::comma));
    }

    void references()
    {
        do {
            assignment a{here().at, state_name(), no_expr, {}, {}};
            expect(kind::equals, "'=' and the value at the end point");
            a.number = signed_number("a number");
            if (take_word("digits")) {
                if (here().kind != kind::number) unexpected("the number of correct digits");
                a.digits = tokens_[at_++].text;
            }
            d_.references.push_back(std::move(a));
        } while (take(kind::comma));
    }

    void initials()
    {
        do {
            assignment a{here().at, state_name(), no_expr, {}, {}};
            if (d_.at(a.target).kind != expr_kind::derivative)
                faults_.fail(a.at, "'" + d_.symbol(d_.at(a.target).symbol) +
                                       "' without ' found; allowed: a derivative such as i' (a state has its initial "
                                       "value where it is declared)");
            expect(kind::equals, "'=' and a value");
            a.value = expression_here();
            d_.initials.push_back(std::move(a));
        } while (take(kind::comma));
    }

    void outputs()
    {
        do d_.outputs.push_back(state_name());
        while (take(kind::comma));
        if (const auto text = optional_text(); !text.empty()) d_.output_text = text;
    }

    void equation_statement()
    {
        equation q;
        q.at = here().at;
        q.loops = loops_;
        q.left = sum();
        expect(kind::equals, "'=' (an equation), '->' (a reaction) or an operator");
        q.right = expression_here();
        if (here().kind == kind::equals) faults_.fail(here().at, "a second '=' found; allowed: one in each equation, '==' in conditions");
        d_.equations.push_back(std::move(q));
    }

    std::vector<reaction::side> side()
    {
        std::vector<reaction::side> all;
        if (here().kind == kind::arrow || here().kind == kind::double_arrow || here().kind == kind::semicolon) return all;
        do {
            reaction::side s;
            if (here().kind == kind::number) {
                s.coefficient = tokens_[at_++].text;
                take(kind::times);
            }
            if (here().kind != kind::name) unexpected("a species, perhaps with a number before it");
            s.species = plain_name();
            if (d_.at(s.species).kind == expr_kind::derivative)
                faults_.fail(d_.at(s.species).at, "a derivative found in a reaction; allowed: species");
            all.push_back(s);
        } while (take(kind::plus));
        return all;
    }

    void reaction_statement()
    {
        reaction r;
        r.at = here().at;
        r.loops = loops_;
        r.reactants = side();
        if (take(kind::double_arrow))
            r.reversible = true;
        else
            expect(kind::arrow, "'+', '->' or '<=>'");
        r.products = side();
        expect(kind::semicolon, "'+', or ';' and the rate");
        if (take_word("rate")) {
            if (r.reversible) faults_.fail(tokens_[at_ - 1].at, "'rate' found with '<=>'; allowed: '->', or two constants: kf, kr");
            r.law = true;
        }
        r.forward = expression_here();
        if (r.reversible) {
            expect(kind::comma, "',' and the rate backward");
            r.backward = expression_here();
        }
        r.text = optional_text();
        if (r.reactants.empty() && r.products.empty()) faults_.fail(r.at, "a reaction without species found; allowed: at least one on one side");
        d_.reactions.push_back(std::move(r));
    }

    document& d_;
    const std::vector<token>& tokens_;
    fault_list& faults_;
    std::size_t at_ = 0;
    int depth_ = 0;
    int groups_ = 0;
    loop_head loops_; ///< of the 'for' before the statement
    std::unordered_map<std::string_view, int> symbols_;
};

} // namespace

std::string_view name_of(function f) { return function_names[static_cast<std::size_t>(f)]; }

bool is_reserved(std::string_view name)
{
    return std::ranges::find(keywords, name) != keywords.end() || std::ranges::find(function_names, name) != function_names.end();
}

bool is_refused(std::string_view name) { return refusal_of(name).has_value(); }

void parse(document& d, const words& w, fault_list& faults)
{
    d.chapter = w.chapter;
    d.has_chapter = w.has_chapter;
    parser(d, w, faults).run();
}

std::shared_ptr<const document> read_document(std::string name, std::string text)
{
    auto d = std::make_shared<document>(std::move(name), std::move(text));
    fault_list faults(d->text);
    const words w = split_into_words(d->text, faults);
    parse(*d, w, faults);
    bind_names(*d, faults);
    faults.raise();
    return d;
}

} // namespace ivp::text
