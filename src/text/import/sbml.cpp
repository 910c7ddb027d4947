// SBML, levels 2 and 3: compartments, species, parameters, rules, reactions, functions. What a text of ours does not have is refused by name.
//
// A symbol means in SBML what its kind says: the size of a compartment, the concentration of a species (its amount with hasOnlySubstanceUnits),
// the rate of a reaction. A species whose compartment changes is integrated as an amount.
#include "base/text.hpp"
#include "text/import/import.hpp"
#include "text/import/pieces.hpp"
#include "text/import/xml.hpp"
#include "text/source.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace ivp::text {

namespace {

using xml::element;

constexpr int deepest_mathematics = 150;

/// What becomes of a symbol in the text.
enum class role {
    constant, ///< a parameter or a constant
    let,      ///< an assignment rule, the rate of a reaction, a concentration from an amount
    state,
};

struct symbol {
    const element* from = nullptr;
    std::string id;
    std::string name; ///< in the text
    std::string kind; ///< compartment, species, parameter, reaction
    bool is_constant = false;
    ivp::text::role role = role::constant;
    // What determines it.
    const element* initial = nullptr;    ///< the mathematics of an initial assignment
    const element* assignment = nullptr; ///< ... of an assignment rule
    const element* rate = nullptr;       ///< ... of a rate rule
    bool algebraic = false;              ///< an algebraic rule
    bool reacts = false;                 ///< reactions change it
    // Species
    int compartment = -1;
    bool is_amount = false; ///< hasOnlySubstanceUnits
    bool boundary = false;
    bool amount_state = false; ///< the state is `amount`, the symbol a let
    std::string amount;
    std::string start; ///< name of the constant with its value at the start; empty: not asked for
    bool starting = false;
    std::string terms; ///< of its equation, from reactions that are written as equations
};

struct local_scope {
    std::map<std::string, piece, std::less<>> names; ///< local parameters, arguments of a function
    bool at_start = false;                           ///< symbols stand for their values at the start
    bool only_names = false;                         ///< a function: nothing but its arguments
};

class sbml_reader {
public:
    sbml_reader(const std::string& name, std::string content) : source_(name, std::move(content)), faults_(source_) {}

    std::string text()
    {
        std::string all;
        guarded([&] {
            root_ = xml::read(source_, faults_);
            all = model();
        });
        faults_.raise();
        return all;
    }

private:
    template <class Work>
    void guarded(Work work)
    {
        if (faults_.full()) return;
        try {
            work();
        } catch (const not_understood&) {
            depth_ = 0;
        }
    }

    [[noreturn]] void fail(const element& e, std::string_view what) { faults_.fail(e.at, what); }

    static std::string shown(std::string_view id) { return "'" + plain_line(id, 60) + "'"; }
    static std::string text_of(const element& e, std::string_view attribute)
    {
        const auto* const a = e.attribute(attribute);
        return a == nullptr ? std::string{} : *a;
    }
    const std::string& required(const element& e, std::string_view attribute)
    {
        const auto* const a = e.attribute(attribute);
        if (a == nullptr || a->empty()) fail(e, "'" + plain_line(e.name, 40) + "' without '" + std::string(attribute) + "' found; allowed: with it");
        return *a;
    }
    bool flag(const element& e, std::string_view attribute, bool standard)
    {
        const auto* const a = e.attribute(attribute);
        if (a == nullptr) return standard;
        if (*a == "true" || *a == "1") return true;
        if (*a == "false" || *a == "0") return false;
        fail(e, std::string(attribute) + "=" + shown(*a) + " found; allowed: true, false");
    }
    static std::string trimmed(std::string_view text)
    {
        constexpr std::string_view space = " \t\r\n";
        const auto first = text.find_first_not_of(space);
        if (first == std::string_view::npos) return {};
        return std::string(text.substr(first, text.find_last_not_of(space) - first + 1));
    }
    std::string number(const element& e, std::string_view given)
    {
        std::string text = trimmed(given);
        if (text.starts_with('+')) text.erase(0, 1);
        if (!parse_real(text) || text.size() > limits::number_length || text.find_first_not_of("0123456789.eE+-") != std::string::npos)
            fail(e, shown(text) + " found; allowed: a finite number");
        return text;
    }

    // ---- The model ----

    std::string model()
    {
        if (root_.name != "sbml") fail(root_, "the element '" + plain_line(root_.name, 40) + "' found; allowed: sbml");
        const std::string level = text_of(root_, "level");
        if (level != "2" && level != "3") fail(root_, "SBML of level " + shown(level) + " is refused; allowed: level 2 and 3");
        for (const auto& [name, value] : root_.attributes)
            if (name.ends_with(":required") && value == "true")
                fail(root_, "the package " + shown(name.substr(0, name.find(':'))) +
                                " of SBML is refused; allowed: core SBML, and packages that are not required");
        const element* const m = root_.child("model");
        if (m == nullptr) fail(root_, "no model found; allowed: sbml with a model");
        model_ = m;
        refuse_events();
        functions();
        collect("compartment", "listOfCompartments");
        collect("species", "listOfSpecies");
        collect("parameter", "listOfParameters");
        collect("reaction", "listOfReactions");
        for (auto& s : symbols_) guarded([&] { describe(s); });
        rules();
        initial_assignments();
        reacting_species();
        if (!faults_.empty()) return {};
        assign_roles();
        algebraic_variables();
        if (!faults_.empty()) return {};
        return written();
    }

    void refuse_events()
    {
        for (const auto& e : model_->children_of("listOfEvents")) {
            if (e.name != "event") continue;
            const std::string id = text_of(e, "id");
            faults_.add(e.at, "the event " + (id.empty() ? std::string("without an id") : shown(id)) +
                                  " is refused; allowed: models without events (write an event at a known time as a piecewise function of time)");
        }
    }

    void functions()
    {
        for (const auto& f : model_->children_of("listOfFunctionDefinitions"))
            if (f.name == "functionDefinition")
                guarded([&] {
                    const element* lambda = mathematics_of(f);
                    while (lambda != nullptr && lambda->name == "semantics" && !lambda->children.empty()) lambda = &lambda->children.front();
                    if (lambda == nullptr || lambda->name != "lambda" || lambda->children.empty())
                        fail(f, "a function without 'lambda' found; allowed: a lambda with arguments and a formula");
                    functions_[required(f, "id")] = lambda;
                });
    }

    const element* mathematics_of(const element& e)
    {
        const element* const math = e.child("math");
        if (math == nullptr || math->children.empty()) fail(e, "'" + plain_line(e.name, 40) + "' without a formula found; allowed: with 'math'");
        return &math->children.front();
    }

    void collect(const std::string& kind, std::string_view list)
    {
        for (const auto& e : model_->children_of(list)) {
            if (e.name != kind) continue;
            guarded([&] {
                symbol s;
                s.from = &e;
                s.id = required(e, "id");
                s.kind = kind;
                if (!number_of_.try_emplace(s.id, static_cast<int>(symbols_.size())).second)
                    fail(e, "the id " + shown(s.id) + " is used twice; allowed: once");
                s.name = free_.take(s.id);
                symbols_.push_back(std::move(s));
            });
        }
    }

    symbol* find(const std::string& id)
    {
        const auto it = number_of_.find(id);
        return it == number_of_.end() ? nullptr : &symbols_[static_cast<std::size_t>(it->second)];
    }
    symbol& needed(const element& e, const std::string& id, std::string_view kind)
    {
        symbol* const s = find(id);
        if (s == nullptr || (!kind.empty() && s->kind != kind))
            fail(e, "the " + std::string(kind.empty() ? "symbol" : kind) + " " + shown(id) + " is not declared; allowed: what the model lists");
        return *s;
    }

    void describe(symbol& s)
    {
        const element& e = *s.from;
        if (s.kind == "reaction") {
            if (flag(e, "fast", false)) fail(e, "the fast reaction " + shown(s.id) + " is refused; allowed: reactions with a rate");
            return;
        }
        s.is_constant = flag(e, "constant", s.kind != "species");
        if (s.kind != "species") return;
        const symbol& c = needed(e, required(e, "compartment"), "compartment");
        s.compartment = number_of_.at(c.id);
        s.boundary = flag(e, "boundaryCondition", false);
        s.is_amount = flag(e, "hasOnlySubstanceUnits", false) || text_of(*c.from, "spatialDimensions") == "0";
    }

    void rules()
    {
        for (const auto& r : model_->children_of("listOfRules"))
            guarded([&] {
                if (r.name == "algebraicRule") {
                    algebraic_rules_.push_back(&r);
                    return;
                }
                if (r.name != "assignmentRule" && r.name != "rateRule") return;
                const std::string& variable = required(r, "variable");
                if (symbol* const s = find(variable); s == nullptr || s->kind == "reaction")
                    fail(r, "a rule for " + shown(variable) + " is refused; allowed: rules for compartments, species and parameters");
                symbol& s = needed(r, variable, "");
                if (s.is_constant) fail(r, "a rule for " + shown(variable) + " found, which is constant; allowed: constant=\"false\"");
                if (s.assignment != nullptr || s.rate != nullptr) fail(r, "a second rule for " + shown(variable) + " found; allowed: one");
                (r.name == "rateRule" ? s.rate : s.assignment) = mathematics_of(r);
            });
    }

    void initial_assignments()
    {
        for (const auto& a : model_->children_of("listOfInitialAssignments"))
            if (a.name == "initialAssignment")
                guarded([&] {
                    const std::string& id = required(a, "symbol");
                    symbol* const s = find(id);
                    if (s == nullptr || s->kind == "reaction")
                        fail(a, "an initial assignment to " + shown(id) + " is refused; allowed: to compartments, species and parameters");
                    if (s->assignment != nullptr)
                        fail(a, "an initial assignment to " + shown(id) + " found, which has an assignment rule; allowed: one of them");
                    s->initial = mathematics_of(a);
                });
    }

    static std::vector<std::pair<const element*, int>> sides(const element& reaction)
    {
        std::vector<std::pair<const element*, int>> all;
        for (const auto& r : reaction.children_of("listOfReactants"))
            if (r.name == "speciesReference") all.emplace_back(&r, -1);
        for (const auto& r : reaction.children_of("listOfProducts"))
            if (r.name == "speciesReference") all.emplace_back(&r, 1);
        return all;
    }

    void reacting_species()
    {
        for (const auto& s : symbols_) {
            if (s.kind != "reaction") continue;
            for (const auto& [reference, sign] : sides(*s.from))
                guarded([&, r = reference] {
                    symbol& x = needed(*r, required(*r, "species"), "species");
                    if (x.boundary) return;
                    if (x.is_constant)
                        fail(*r, "the constant species " + shown(x.id) + " is changed by a reaction; allowed: with boundaryCondition=\"true\"");
                    if (x.assignment != nullptr || x.rate != nullptr)
                        fail(*r, "the species " + shown(x.id) + " has a rule and is changed by a reaction; allowed: one of them");
                    x.reacts = true;
                });
        }
    }

    void assign_roles()
    {
        for (auto& s : symbols_) {
            if (s.kind == "reaction" || s.assignment != nullptr) s.role = role::let;
            if (s.rate != nullptr) s.role = role::state;
        }
        for (auto& s : symbols_) {
            if (!s.reacts) continue;
            const symbol& c = symbols_[static_cast<std::size_t>(s.compartment)];
            s.amount_state = !s.is_amount && (c.rate != nullptr || c.assignment != nullptr);
            s.role = s.amount_state ? role::let : role::state;
            if (s.amount_state) s.amount = free_.take(s.id + "_amount");
        }
    }

    // ---- Algebraic rules ----

    void symbols_in(const element& e, std::set<int>& found)
    {
        if (e.name == "ci")
            if (const auto it = number_of_.find(trimmed(e.text)); it != number_of_.end()) found.insert(it->second);
        for (const auto& c : e.children) symbols_in(c, found);
    }
    /// ... also behind assignment rules and rates.
    std::set<int> all_symbols_in(const element& e)
    {
        std::set<int> found;
        symbols_in(e, found);
        std::vector<int> open(found.begin(), found.end());
        while (!open.empty()) {
            const symbol& s = symbols_[static_cast<std::size_t>(open.back())];
            open.pop_back();
            std::set<int> more;
            if (s.assignment != nullptr) symbols_in(*s.assignment, more);
            if (s.kind == "reaction") symbols_in(*s.from, more);
            for (const int k : more)
                if (found.insert(k).second) open.push_back(k);
        }
        return found;
    }

    /// Each rule must determine a variable that nothing else does: then the system is of index 1, if it is solvable at all.
    void algebraic_variables()
    {
        std::vector<std::vector<int>> open; // of each rule
        std::set<int> all;
        for (const auto* rule : algebraic_rules_)
            guarded([&] {
                std::vector<int> mine;
                for (const int k : all_symbols_in(*mathematics_of(*rule))) {
                    const symbol& s = symbols_[static_cast<std::size_t>(k)];
                    if (s.kind == "reaction" || s.is_constant || s.assignment != nullptr || s.rate != nullptr || s.reacts) continue;
                    mine.push_back(k);
                    all.insert(k);
                }
                if (mine.empty())
                    fail(*rule, "an algebraic rule whose variables are all determined by rules or reactions is refused (an index above 1); allowed: "
                                "one that determines "
                                "a variable of its own");
                open.push_back(std::move(mine));
            });
        if (!faults_.empty() || algebraic_rules_.empty()) return;
        std::map<int, std::size_t> rule_of;
        const std::function<bool(std::size_t, std::set<int>&)> place_rule = [&](std::size_t r, std::set<int>& tried) {
            for (const int k : open[r]) {
                if (!tried.insert(k).second) continue;
                const auto it = rule_of.find(k);
                if (it != rule_of.end() && !place_rule(it->second, tried)) continue;
                rule_of[k] = r;
                return true;
            }
            return false;
        };
        for (std::size_t r = 0; r < open.size(); ++r) {
            std::set<int> tried;
            if (!place_rule(r, tried))
                faults_.add(algebraic_rules_[r]->at, "an algebraic rule without a variable of its own is refused (an index above 1, or a "
                                                     "contradiction); allowed: one variable for each rule");
        }
        for (const int k : all) {
            symbol& s = symbols_[static_cast<std::size_t>(k)];
            if (!rule_of.contains(k)) {
                faults_.add(algebraic_rules_.front()->at, "the algebraic rules have more variables than rules: " + shown(s.id) +
                                                              " is not determined; allowed: constant=\"true\" for what does not change");
                continue;
            }
            s.algebraic = true;
            s.role = role::state;
        }
    }

    // ---- Mathematics ----

    piece symbol_piece(const element& e, const local_scope& scope)
    {
        const std::string id = trimmed(e.text);
        if (const auto it = scope.names.find(id); it != scope.names.end()) return it->second;
        if (scope.only_names) fail(e, shown(id) + " found in a function; allowed: its arguments");
        symbol* const s = find(id);
        if (s == nullptr) fail(e, "unknown symbol " + shown(id) + "; allowed: compartments, species, parameters and reactions of the model");
        if (!scope.at_start || s->role == role::constant) return piece::plain(s->name);
        return piece::plain(start_of(*s));
    }

    /// The constant that has the symbol's value at the start.
    std::string start_of(symbol& s)
    {
        if (!s.start.empty()) return s.start;
        s.start = free_.take(s.name + "_start"); // first: what is defined by itself is found when the text is read
        local_scope at_start;
        at_start.at_start = true;
        std::string value;
        if (s.kind == "reaction") {
            value = as_number(rate_of(s, at_start)).text;
        } else if (s.assignment != nullptr) {
            value = as_number(formula(*s.assignment, at_start)).text;
        } else {
            value = initial_value(s);
        }
        starts_ += "constant " + s.start + " = " + value + "\n";
        return s.start;
    }

    /// What the symbol means, at the start.
    std::string initial_value(symbol& s)
    {
        const element& e = *s.from;
        local_scope at_start;
        at_start.at_start = true;
        if (s.initial != nullptr) return as_number(formula(*s.initial, at_start)).text;
        if (s.kind == "compartment") {
            if (const auto* const size = e.attribute("size")) return number(e, *size);
            return "1";
        }
        if (s.kind == "parameter") {
            if (const auto* const value = e.attribute("value")) return number(e, *value);
            if (s.algebraic) return "0";
            fail(e, "the parameter " + shown(s.id) + " has no value; allowed: a value, an initial assignment or a rule");
        }
        symbol& c = symbols_[static_cast<std::size_t>(s.compartment)];
        const std::string size = c.role == role::constant ? c.name : start_of(c);
        if (const auto* const concentration = e.attribute("initialConcentration"))
            return s.is_amount ? product_of({piece::number(number(e, *concentration)), piece::plain(size)}).text : number(e, *concentration);
        if (const auto* const amount = e.attribute("initialAmount"))
            return s.is_amount ? number(e, *amount) : quotient(piece::number(number(e, *amount)), piece::plain(size)).text;
        if (s.algebraic) return "0";
        fail(e, "the species " + shown(s.id) +
                    " has no value at the start; allowed: initialAmount, initialConcentration, an initial assignment or a rule");
    }

    piece rate_of(symbol& reaction, local_scope scope)
    {
        const element* const law = reaction.from->child("kineticLaw");
        if (law == nullptr) fail(*reaction.from, "the reaction " + shown(reaction.id) + " has no kineticLaw; allowed: with one");
        for (const auto& [id, name] : local_parameters(reaction, *law)) scope.names[id] = piece::plain(name);
        return formula(*mathematics_of(*law), scope);
    }

    const std::vector<std::pair<std::string, std::string>>& local_parameters(const symbol& reaction, const element& law)
    {
        const auto [it, is_new] = locals_.try_emplace(reaction.id);
        if (is_new)
            for (const char* list : {"listOfParameters", "listOfLocalParameters"})
                for (const auto& p : law.children_of(list)) {
                    if (p.name != "parameter" && p.name != "localParameter") continue;
                    const std::string& id = required(p, "id");
                    if (p.attribute("value") == nullptr) fail(p, "the local parameter " + shown(id) + " has no value; allowed: a value");
                    const std::string name = free_.take(reaction.id + "_" + id);
                    parameters_ += "parameter " + name + " = " + number(p, text_of(p, "value")) + description(p) + "\n";
                    it->second.emplace_back(id, name);
                }
        return it->second;
    }

    piece formula(const element& e, const local_scope& scope)
    {
        if (++depth_ > deepest_mathematics) fail(e, "more than " + std::to_string(deepest_mathematics) + " nested formulas");
        piece p = room_.kept(e.at, formula_here(e, scope));
        --depth_;
        return p;
    }

    piece formula_here(const element& e, const local_scope& scope)
    {
        if (e.name == "cn") return constant(e);
        if (e.name == "ci") return symbol_piece(e, scope);
        if (e.name == "csymbol") return csymbol(e, scope);
        if (e.name == "apply") return applied(e, scope);
        if (e.name == "piecewise") return piecewise(e, scope);
        if (e.name == "semantics" && !e.children.empty()) return formula(e.children.front(), scope);
        if (e.name == "pi") return piece::plain("pi");
        if (e.name == "exponentiale") return piece::plain("exp(1)");
        if (e.name == "true") return {"0 == 0", binding::condition, true};
        if (e.name == "false") return {"0 != 0", binding::condition, true};
        fail(e,
             "'" + plain_line(e.name, 40) + "' in a formula is refused; allowed: cn, ci, csymbol, apply, piecewise, pi, exponentiale, true, false");
    }

    piece constant(const element& e)
    {
        const std::string type = text_of(e, "type");
        const element* const sep = e.child("sep");
        if (sep == nullptr) return piece::number(number(e, e.text));
        // "1.5<sep/>-3": the text on both sides stands together.
        const std::string_view whole = source_.text().substr(e.at);
        const std::string_view inner = whole.substr(whole.find('>') + 1, whole.find("</") - whole.find('>') - 1);
        const auto mark = inner.find('<');
        const auto behind = inner.find('>', mark);
        if (mark == std::string_view::npos || behind == std::string_view::npos) fail(e, "a number with 'sep' was expected here");
        const std::string first = number(e, inner.substr(0, mark));
        const std::string second = number(e, inner.substr(behind + 1));
        if (type == "e-notation") return piece::number(number(e, first + "e" + second));
        if (type == "rational") return quotient(piece::number(first), piece::number(second));
        fail(e, "a number of the type " + shown(type) + " is refused; allowed: real, integer, e-notation, rational");
    }

    piece csymbol(const element& e, const local_scope& scope)
    {
        const std::string url = text_of(e, "definitionURL");
        const auto is = [&](std::string_view what) { return url.ends_with(what); };
        if (is("/time")) {
            if (scope.only_names) fail(e, "the time found in a function; allowed: its arguments");
            return piece::plain(scope.at_start ? "0" : "t");
        }
        if (is("/avogadro")) return piece::plain("6.02214179e23");
        if (is("/delay")) fail(e, "a delay is refused; allowed: the values of symbols at the present time");
        fail(e, "the symbol " + shown(url.substr(url.rfind('/') == std::string::npos ? 0 : url.rfind('/') + 1)) +
                    " of SBML is refused; allowed: time, avogadro");
    }

    piece piecewise(const element& e, const local_scope& scope)
    {
        std::vector<std::pair<piece, piece>> pieces; // value, condition
        std::optional<piece> otherwise;
        for (const auto& c : e.children) {
            if (c.name == "piece" && c.children.size() == 2) {
                piece value = formula(c.children[0], scope);
                pieces.emplace_back(std::move(value), formula(c.children[1], scope));
            } else if (c.name == "otherwise" && c.children.size() == 1) {
                otherwise = formula(c.children[0], scope);
            } else {
                fail(c, "'" + plain_line(c.name, 40) + "' found in a piecewise function; allowed: piece with a value and a condition, otherwise");
            }
        }
        if (!otherwise) fail(e, "a piecewise function without 'otherwise' is refused: it has no value elsewhere; allowed: with 'otherwise'");
        piece all = std::move(*otherwise);
        for (auto it = pieces.rbegin(); it != pieces.rend(); ++it)
            all = room_.kept(e.at, choice(std::move(it->second), std::move(it->first), std::move(all)));
        return all;
    }

    piece applied(const element& e, const local_scope& scope)
    {
        if (e.children.empty()) fail(e, "an 'apply' without an operator found; allowed: an operator and its arguments");
        const element& head = e.children.front();
        const element* degree = nullptr;
        std::vector<const element*> parts;
        for (std::size_t k = 1; k < e.children.size(); ++k) {
            const element& c = e.children[k];
            if (c.name == "degree" || c.name == "logbase")
                degree = c.children.empty() ? nullptr : &c.children.front();
            else
                parts.push_back(&c);
        }
        if (head.name == "csymbol") csymbol_called(head);
        std::vector<piece> given;
        for (const auto* p : parts) given.push_back(formula(*p, scope));
        if (head.name == "ci") return user_function(head, std::move(given));
        const std::string& f = head.name;
        const auto wants = [&](std::size_t n) {
            if (given.size() != n)
                fail(e, "'" + plain_line(f, 40) + "' with " + counted(given.size(), "argument") + " found; allowed: " + std::to_string(n));
        };
        if (f == "plus") return sum_of(std::move(given));
        if (f == "times") return product_of(std::move(given));
        if (f == "minus" && given.size() == 1) return negated(std::move(given[0]));
        if (f == "minus") return wants(2), difference(std::move(given[0]), std::move(given[1]));
        if (f == "divide") return wants(2), quotient(std::move(given[0]), std::move(given[1]));
        if (f == "power") return wants(2), power(std::move(given[0]), std::move(given[1]));
        if (f == "root") {
            wants(1);
            if (degree == nullptr) return call("sqrt", std::move(given));
            const piece n = formula(*degree, scope);
            return n.text == "2" ? call("sqrt", std::move(given)) : power(std::move(given[0]), quotient(piece::plain("1"), n));
        }
        if (f == "ln") return wants(1), call("log", std::move(given));
        if (f == "log") {
            wants(1);
            if (degree == nullptr) return call("log10", std::move(given));
            const piece base = formula(*degree, scope);
            if (base.text == "10") return call("log10", std::move(given));
            return quotient(call("log", std::move(given)), call("log", {base}));
        }
        constexpr std::array<std::string_view, 6> same{"exp", "abs", "floor", "sin", "cos", "tan"};
        if (std::ranges::find(same, f) != same.end()) return wants(1), call(f, std::move(given));
        constexpr std::array<std::string_view, 3> hyperbolic{"sinh", "cosh", "tanh"};
        if (std::ranges::find(hyperbolic, f) != hyperbolic.end()) return wants(1), call(f, std::move(given));
        if (f.starts_with("arc")) {
            wants(1);
            const std::string ours = "a" + f.substr(3);
            if (ours == "asin" || ours == "acos" || ours == "atan") return call(ours, std::move(given));
            if (piece other = other_function(ours, given[0]); !other.text.empty()) return other;
        }
        if ((f == "min" || f == "max") && !given.empty()) return given.size() == 1 ? std::move(given[0]) : call(f, std::move(given));
        if (f == "quotient") return wants(2), call("floor", {quotient(std::move(given[0]), std::move(given[1]))});
        if (piece relation = related(e, f, given); !relation.text.empty()) return relation;
        if (given.size() == 1)
            if (piece other = other_function(f, given[0]); !other.text.empty()) return other;
        fail(head,
             "the operator '" + plain_line(f, 40) +
                 "' is refused; allowed: arithmetic, powers, roots, exp, ln, log, trigonometric and hyperbolic functions, abs, floor, ceiling, min, "
                 "max, comparisons, and, or, xor, not, and functions of the model");
    }

    piece related(const element& e, const std::string& f, const std::vector<piece>& given)
    {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 6> comparisons{
            {{"eq", "=="}, {"neq", "!="}, {"gt", ">"}, {"lt", "<"}, {"geq", ">="}, {"leq", "<="}}};
        for (const auto& [name, sign] : comparisons) {
            if (f != name) continue;
            if (given.size() < 2) fail(e, "'" + f + "' with " + counted(given.size(), "argument") + " found; allowed: two or more");
            std::vector<piece> all;
            for (std::size_t k = 1; k < given.size(); ++k) all.push_back(comparison(given[k - 1], sign, given[k]));
            return all.size() == 1 ? std::move(all[0]) : joined_conditions("and", std::move(all));
        }
        if (f == "not" && given.size() == 1) return no_condition(given[0]);
        if ((f == "and" || f == "or") && !given.empty()) return given.size() == 1 ? as_condition(given[0]) : joined_conditions(f, given);
        if (f == "xor" && given.size() == 2) {
            const piece& a = given[0];
            const piece& b = given[1];
            return joined_conditions("or", {joined_conditions("and", {a, no_condition(b)}), joined_conditions("and", {no_condition(a), b})});
        }
        return {};
    }

    void csymbol_called(const element& head)
    {
        const std::string url = text_of(head, "definitionURL");
        if (url.ends_with("/delay")) fail(head, "a delay is refused; allowed: the values of symbols at the present time");
        fail(head, "the function " + shown(url.substr(url.rfind('/') == std::string::npos ? 0 : url.rfind('/') + 1)) +
                       " of SBML is refused; allowed: functions of the model");
    }

    piece user_function(const element& head, std::vector<piece> given)
    {
        const std::string id = trimmed(head.text);
        const auto it = functions_.find(id);
        if (it == functions_.end()) fail(head, "unknown function " + shown(id) + "; allowed: functions of the model");
        const auto& inside_lambda = it->second->children;
        local_scope scope;
        scope.only_names = true;
        std::size_t arguments = 0;
        for (const auto& c : inside_lambda) {
            if (c.name != "bvar") continue;
            if (c.children.empty()) fail(c, "an argument without a name found");
            if (arguments < given.size()) scope.names[trimmed(c.children.front().text)] = given[arguments];
            ++arguments;
        }
        if (arguments != given.size())
            fail(head, "the function " + shown(id) + " with " + counted(given.size(), "argument") + " found; allowed: " + std::to_string(arguments));
        const element& body = inside_lambda.back();
        if (body.name == "bvar") fail(*it->second, "the function " + shown(id) + " has no formula");
        return formula(body, scope);
    }

    // ---- The text ----

    static std::string description(const element& e)
    {
        const std::string name = text_of(e, "name");
        return name.empty() ? name : " \"" + quoted_text(name) + "\"";
    }

    std::string written()
    {
        std::string states, lets, equations, reactions;
        std::vector<std::string> outputs;
        for (auto& s : symbols_) guarded([&] { declare(s, states, lets, outputs); });
        for (auto& s : symbols_)
            if (s.kind == "reaction") guarded([&] { reactions += reaction(s); });
        for (auto& s : symbols_)
            guarded([&] {
                if (s.rate != nullptr) equations += s.name + "' = " + as_number(formula(*s.rate, {})).text + "\n";
                const std::string& state = s.amount_state ? s.amount : s.name;
                if (!s.terms.empty()) equations += state + "' = " + s.terms + "\n";
                if (s.reacts && s.terms.empty() && !in_statement_.contains(s.id)) equations += state + "' = 0\n";
            });
        for (const auto* rule : algebraic_rules_) guarded([&] { equations += "0 = " + as_number(formula(*mathematics_of(*rule), {})).text + "\n"; });
        if (states.empty() && faults_.empty())
            fail(*model_, "a model in which nothing changes found; allowed: at least one species with reactions, or a rule");
        const std::string id = text_of(*model_, "id").empty() ? std::filesystem::path(source_.name()).stem().string() : text_of(*model_, "id");
        const std::string title = text_of(*model_, "name").empty() ? id : text_of(*model_, "name");
        fresh_names ids;
        std::string all = "problem " + ids.take(id) + " \"" + quoted_text(title) + "\"\n" + interval() + parameters_ + starts_ + states + lets +
                          equations + reactions;
        if (!outputs.empty()) all += "output " + joined(outputs, ", ") + "\n";
        return all + "---\nRead from SBML of level " + text_of(root_, "level") + ", version " + quoted_text(text_of(root_, "version"), 8) + ".\n";
    }

    /// SBML has none; one that this tool wrote has it as an annotation.
    std::string interval()
    {
        const element* const note = model_->child("annotation");
        const element* const range = note == nullptr ? nullptr : note->child("interval");
        if (range != nullptr && range->attribute("from") != nullptr && range->attribute("to") != nullptr)
            return "interval " + number(*range, text_of(*range, "from")) + " .. " + number(*range, text_of(*range, "to")) + "\n";
        return "interval " + std::string(imported_interval) + " # the file has none\n";
    }

    void declare(symbol& s, std::string& states, std::string& lets, std::vector<std::string>& outputs)
    {
        const element& e = *s.from;
        if (s.kind == "reaction") {
            lets += "let " + s.name + " = " + as_number(rate_of(s, {})).text + description(e) + "\n";
            return;
        }
        if (s.assignment != nullptr) {
            lets += "let " + s.name + " = " + as_number(formula(*s.assignment, {})).text + description(e) + "\n";
            outputs.push_back(s.name);
            return;
        }
        if (s.amount_state) {
            symbol& c = symbols_[static_cast<std::size_t>(s.compartment)];
            const std::string size = c.role == role::constant ? c.name : start_of(c);
            states += "species " + s.amount + " = " + product_of({piece::plain(start_of(s)), piece::plain(size)}).text + " \"amount of " +
                      quoted_text(s.id) + "\"\n";
            lets += "let " + s.name + " = " + s.amount + "/" + c.name + description(e) + "\n";
            outputs.push_back(s.name);
            return;
        }
        const bool is_state = s.role == role::state;
        const std::string value = s.start.empty() ? initial_value(s) : s.start;
        if (is_state) {
            states += (s.kind == "species" ? "species " : "state ") + s.name + " = " + value + description(e) + "\n";
            return;
        }
        parameters_ += (parse_real(value) ? "parameter " : "constant ") + s.name + " = " + value + description(e) + "\n";
    }

    /// What one unit of a reaction changes in the state of a species: "", "/c", "*f/c".
    std::string scale_of(const symbol& s)
    {
        std::string factor = text_of(*s.from, "conversionFactor");
        if (factor.empty()) factor = text_of(*model_, "conversionFactor");
        std::string scale;
        if (!factor.empty()) scale = "*" + needed(*s.from, factor, "parameter").name;
        if (!s.is_amount && !s.amount_state) scale += "/" + symbols_[static_cast<std::size_t>(s.compartment)].name;
        return scale;
    }

    struct change {
        symbol* species;
        bool product;
        std::string number; ///< plain: at most nine decimals, above 0
        piece factor;       ///< otherwise
    };

    std::vector<change> changes(symbol& r)
    {
        std::vector<change> all;
        for (const auto& [reference, sign] : sides(*r.from)) {
            symbol& x = needed(*reference, required(*reference, "species"), "species");
            if (!x.reacts) continue;
            change c{&x, sign > 0, {}, {}};
            if (const element* const math = reference->child("stoichiometryMath")) {
                c.factor = formula(*mathematics_of(*math), {});
            } else {
                const auto* const given = reference->attribute("stoichiometry");
                if (given == nullptr && text_of(root_, "level") == "3")
                    fail(*reference, "a species reference without a stoichiometry is refused; allowed: a number (rules and initial assignments for "
                                     "it are refused)");
                const std::string n = given == nullptr ? "1" : number(*reference, *given);
                const auto point = n.find('.');
                const bool plain = !n.starts_with('-') && n.find_first_of("eE") == std::string::npos && n.size() <= 9 &&
                                   (point == std::string::npos || n.size() - point <= 9);
                if (plain && *parse_real(n) == 0) continue;
                if (plain)
                    c.number = n;
                else
                    c.factor = piece::number(n);
            }
            all.push_back(std::move(c));
        }
        return all;
    }

    std::string reaction(symbol& r)
    {
        const auto all = changes(r);
        if (all.empty()) return {};
        const std::string scale = scale_of(*all.front().species);
        const bool statement = std::ranges::all_of(all, [&](const change& c) { return !c.number.empty() && scale_of(*c.species) == scale; });
        if (!statement) {
            for (const auto& c : all) {
                std::string term = c.number.empty() ? inside(c.factor, binding::sign) + "*" : c.number == "1" ? "" : c.number + "*";
                std::string& to = c.species->terms;
                term = (c.product ? (to.empty() ? "" : " + ") : (to.empty() ? "-" : " - ")) +
                       (term.starts_with('-') ? "(" + term.substr(0, term.size() - 1) + ")*" : term);
                to += term + r.name + scale_of(*c.species);
            }
            return {};
        }
        std::string left;
        std::string right;
        for (const auto& c : all) {
            std::string& side = c.product ? right : left;
            side += (side.empty() ? "" : " + ") + (c.number == "1" ? "" : c.number + " ") +
                    (c.species->amount_state ? c.species->amount : c.species->name);
            in_statement_.insert(c.species->id);
        }
        return left + (left.empty() ? "-> " : " -> ") + right + " ; rate " + r.name + scale + "\n";
    }

    source source_;
    fault_list faults_;
    element root_;
    const element* model_ = nullptr;
    std::vector<symbol> symbols_;
    std::unordered_map<std::string, int> number_of_;
    std::map<std::string, const element*, std::less<>> functions_;
    std::vector<const element*> algebraic_rules_;
    std::map<std::string, std::vector<std::pair<std::string, std::string>>, std::less<>> locals_;
    std::set<std::string> in_statement_;
    std::string parameters_, starts_;
    fresh_names free_;
    room_for_formulas room_{faults_};
    int depth_ = 0;
};

} // namespace

std::string text_from_sbml(const std::string& name, std::string content) { return sbml_reader(name, std::move(content)).text(); }

} // namespace ivp::text
