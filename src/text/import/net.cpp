// BioNetGen networks: blocks of lines, species by number, expressions in the syntax of muParser.
#include "base/text.hpp"
#include "text/import/import.hpp"
#include "text/import/pieces.hpp"
#include "text/source.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ivp::text {

namespace {

constexpr int deepest_brackets = 100;
constexpr std::string_view blank = " \t\r";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A part of the file that knows its place.
struct part {
    std::string_view text;
    place at = 0;

    [[nodiscard]] bool empty() const { return text.empty(); }
    void skip_blanks()
    {
        const auto n = std::min(text.find_first_not_of(blank), text.size());
        drop(n);
        const auto last = text.find_last_not_of(blank);
        text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
    }
    void drop(std::size_t n)
    {
        text.remove_prefix(n);
        at += static_cast<place>(n);
    }
    /// What is before the next blank.
    part word()
    {
        skip_blanks();
        const part w{text.substr(0, text.find_first_of(blank)), at};
        drop(w.text.size());
        skip_blanks();
        return w;
    }
};

std::optional<long> whole(std::string_view text)
{
    constexpr std::size_t most_digits = 9;
    if (text.empty() || text.size() > most_digits || !std::ranges::all_of(text, is_digit)) return std::nullopt;
    return std::stol(std::string(text));
}

enum class meaning_in_net { parameter, function, group };

struct known_name {
    meaning_in_net what;
    std::string name; ///< in the text
};

class expression_reader {
public:
    expression_reader(part p, const std::unordered_map<std::string, known_name>& names, bool varying, fault_list& faults, room_for_formulas& room)
        : p_(p), names_(names), varying_(varying), faults_(faults), room_(room)
    {}

    piece run()
    {
        if (p_.empty()) faults_.fail(p_.at, "the end of the line found; allowed here: an expression");
        piece all = either();
        if (!p_.empty())
            faults_.fail(p_.at, "'" + plain_line(p_.text.substr(0, 1)) + "' found; allowed here: an operator or the end of the expression");
        return all;
    }

private:
    struct level {
        explicit level(expression_reader& r) : r_(r)
        {
            if (++r_.depth_ > deepest_brackets) r_.faults_.fail(r_.p_.at, "more than " + std::to_string(deepest_brackets) + " nested brackets");
        }
        level(const level&) = delete;
        level& operator=(const level&) = delete;
        ~level() { --r_.depth_; }
        expression_reader& r_;
    };

    bool take(std::string_view sign)
    {
        p_.skip_blanks();
        if (!p_.text.starts_with(sign)) return false;
        p_.drop(sign.size());
        p_.skip_blanks();
        return true;
    }
    /// The one that was taken, or '\0'.
    char take_one_of(char one, char other)
    {
        for (const char sign : {one, other})
            if (take({&sign, 1})) return sign;
        return '\0';
    }
    void expect(std::string_view sign)
    {
        if (!take(sign))
            faults_.fail(p_.at, "'" + plain_line(p_.text.substr(0, 1)) + "' found; allowed here: an operator or '" + std::string(sign) + "'");
    }

    piece either()
    {
        const level l(*this);
        std::vector<piece> parts{both()};
        while (take("||")) parts.push_back(both());
        return parts.size() == 1 ? std::move(parts[0]) : joined_conditions("or", std::move(parts));
    }
    piece both()
    {
        std::vector<piece> parts{compared()};
        while (take("&&")) parts.push_back(compared());
        return parts.size() == 1 ? std::move(parts[0]) : joined_conditions("and", std::move(parts));
    }
    piece compared()
    {
        piece left = sum();
        for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"})
            if (take(sign)) return comparison(std::move(left), sign, sum());
        return left;
    }
    piece sum()
    {
        piece first = product();
        char sign = take_one_of('+', '-');
        if (sign == '\0') return first;
        chain all(chain::kind::sum, std::move(first));
        for (; sign != '\0'; sign = take_one_of('+', '-')) all.add(sign, product());
        return std::move(all).done();
    }
    piece product()
    {
        piece first = signed_value();
        char sign = take_one_of('*', '/');
        if (sign == '\0') return first;
        chain all(chain::kind::product, std::move(first));
        for (; sign != '\0'; sign = take_one_of('*', '/')) all.add(sign, signed_value());
        return std::move(all).done();
    }
    piece signed_value()
    {
        const level l(*this);
        const place at = p_.at;
        return room_.kept(at, signed_value_here());
    }
    piece signed_value_here()
    {
        if (take("-")) return negated(signed_value());
        if (take("+")) return signed_value();
        if (!p_.text.starts_with("!=") && take("!")) return no_condition(signed_value());
        piece base = primary();
        if (take("^")) return power(std::move(base), signed_value());
        return base;
    }
    piece primary()
    {
        p_.skip_blanks();
        if (take("(")) {
            piece inner = either();
            expect(")");
            return inner;
        }
        if (p_.empty()) faults_.fail(p_.at, "the end of the expression found; allowed here: a number, a name or '('");
        const char c = p_.text.front();
        if (is_digit(c) || c == '.') return number();
        if (is_letter(c)) return named();
        faults_.fail(p_.at, "'" + plain_line(p_.text.substr(0, 1)) + "' found; allowed here: a number, a name or '('");
    }
    piece number()
    {
        std::size_t end = 0;
        const auto digits = [&] {
            while (end < p_.text.size() && is_digit(p_.text[end])) ++end;
        };
        digits();
        if (end < p_.text.size() && p_.text[end] == '.') ++end, digits();
        if (end < p_.text.size() && (p_.text[end] == 'e' || p_.text[end] == 'E')) {
            std::size_t exponent = end + 1;
            if (exponent < p_.text.size() && (p_.text[exponent] == '+' || p_.text[exponent] == '-')) ++exponent;
            if (exponent < p_.text.size() && is_digit(p_.text[exponent])) end = exponent, digits();
        }
        const std::string text(p_.text.substr(0, end));
        if (text.size() > limits::number_length || !parse_real(text)) faults_.fail(p_.at, "'" + plain_line(text, 40) + "' found; allowed: a number");
        p_.drop(end);
        return piece::plain(text);
    }

    std::vector<piece> arguments()
    {
        std::vector<piece> all;
        if (take(")")) return all;
        do all.push_back(either());
        while (take(","));
        expect(")");
        return all;
    }

    piece named()
    {
        const place at = p_.at;
        std::size_t end = 0;
        while (end < p_.text.size() && (is_letter(p_.text[end]) || is_digit(p_.text[end]))) ++end;
        const std::string name(p_.text.substr(0, end));
        p_.drop(end);
        const auto known = names_.find(name);
        const bool is_call = take("(");
        if (known != names_.end()) {
            if (is_call && !arguments().empty())
                faults_.fail(at, "'" + name + "' with arguments found; allowed: functions without arguments (local functions are refused)");
            if (!varying_ && known->second.what != meaning_in_net::parameter)
                faults_.fail(at, "'" + name + "' changes with time and was found in a parameter or an initial concentration; allowed: parameters");
            return piece::plain(known->second.name);
        }
        if (name == "_pi" || name == "pi") return piece::plain("pi");
        if (name == "_e") return piece::plain("exp(1)");
        if (name == "time") {
            if (is_call && !arguments().empty()) faults_.fail(at, "time with arguments found; allowed: time()");
            if (!varying_) faults_.fail(at, "the time found in a parameter or an initial concentration; allowed: parameters");
            return piece::plain("t");
        }
        if (!is_call) faults_.fail(at, "unknown name '" + plain_line(name, 60) + "'; allowed: parameters, functions and groups of this file");
        return called(name, at, arguments());
    }

    piece called(const std::string& name, place at, std::vector<piece> given)
    {
        constexpr std::array<std::string_view, 13> same{"exp",  "sqrt", "sin",  "cos",  "tan", "asin", "acos",
                                                        "atan", "sinh", "cosh", "tanh", "abs", "log10"};
        const auto wants = [&](std::size_t n) {
            if (given.size() != n)
                faults_.fail(at, "'" + plain_line(name, 60) + "' has " + counted(given.size(), "argument") + "; allowed: " + std::to_string(n));
        };
        if (std::ranges::find(same, name) != same.end()) return wants(1), call(name, std::move(given));
        if (name == "ln") return wants(1), call("log", std::move(given));
        if (name == "sign") return wants(1), call("sign", std::move(given));
        if (name == "if") return wants(3), choice(std::move(given[0]), std::move(given[1]), std::move(given[2]));
        if ((name == "min" || name == "max") && !given.empty()) return given.size() == 1 ? std::move(given[0]) : call(name, std::move(given));
        if (name == "sum" && !given.empty()) return sum_of(std::move(given));
        if (name == "avg" && !given.empty()) {
            const auto n = std::to_string(given.size());
            return quotient(sum_of(std::move(given)), piece::plain(n));
        }
        if (given.size() == 1)
            if (piece other = other_function(name, given[0]); !other.text.empty()) return other;
        faults_.fail(at,
                     "the function '" + plain_line(name, 60) +
                         "' is refused; allowed: exp ln log2 log10 sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh abs sign min max "
                         "sum avg if time, and functions of this file");
    }

    part p_;
    const std::unordered_map<std::string, known_name>& names_;
    bool varying_;
    fault_list& faults_;
    room_for_formulas& room_;
    int depth_ = 0;
};

class net_reader {
public:
    net_reader(const std::string& name, std::string content) : source_(name, joined_lines(std::move(content))), faults_(source_) {}

    std::string text()
    {
        read_lines();
        if (faults_.empty() && species_.empty()) faults_.add(0, "no species found; allowed: a network with a block 'begin species'");
        declare();
        std::string all = faults_.empty() ? written() : std::string{};
        faults_.raise();
        return all;
    }

private:
    struct line {
        part rest;
        std::string_view remark; ///< behind '#'
        part whole{};            ///< with its number
    };
    struct named_line {
        part name;
        part value;
        std::string_view remark;
        std::string text; ///< name in the text
    };
    struct species_line {
        part pattern;
        part value;
        bool fixed = false;
        bool reacts = false;
        std::string text;
    };

    /// A line that ends in '\' goes on in the next one; places stay what they are.
    static std::string joined_lines(std::string content)
    {
        for (std::size_t k = content.find('\\'); k != std::string::npos; k = content.find('\\', k + 1)) {
            std::size_t end = content.find_first_not_of(blank, k + 1);
            if (end == std::string::npos || content[end] != '\n') continue;
            std::fill(content.begin() + static_cast<std::ptrdiff_t>(k), content.begin() + static_cast<std::ptrdiff_t>(end) + 1, ' ');
        }
        return content;
    }

    template <class Work>
    void guarded(Work work)
    {
        if (faults_.full()) return;
        try {
            work();
        } catch (const not_understood&) {}
    }

    // ---- Lines ----

    void read_lines()
    {
        const std::string_view all = source_.text();
        for (std::size_t at = 0; at < all.size() && !faults_.full();) {
            const std::size_t end = std::min(all.find('\n', at), all.size());
            line l{{all.substr(at, end - at), static_cast<place>(at)}, {}, {}};
            if (const auto mark = l.rest.text.find('#'); mark != std::string_view::npos) {
                l.remark = l.rest.text.substr(mark + 1);
                l.rest.text = l.rest.text.substr(0, mark);
            }
            l.rest.skip_blanks();
            if (!l.rest.empty()) guarded([&] { take(l); });
            at = end + 1;
        }
        if (!block_.empty())
            faults_.add(block_at_, "the block '" + plain_line(block_, 60) + "' has no end; allowed: a line 'end " + plain_line(block_, 60) + "'");
    }

    void take(line l)
    {
        part p = l.rest;
        const part first = p.word();
        if (first.text == "begin" || first.text == "end") return edge(first, p);
        if (block_.empty()) return outside(first);
        if (block_ == "parameters") return add_named(l, parameters_);
        if (block_ == "functions") return add_named(l, functions_);
        if (block_ == "groups") return add_named(l, groups_);
        if (block_ == "species" || block_ == "seed species") return add_species(l);
        if (block_ == "reactions") reactions_.push_back({unnumbered(l.rest), l.remark, l.rest});
    }

    void edge(const part& word, part p)
    {
        std::string block;
        const place at = p.at;
        while (!p.empty()) block += (block.empty() ? "" : " ") + std::string(p.word().text);
        if (block == "model") return;
        if (word.text == "end") {
            if (block != block_)
                faults_.add(word.at, "'end " + plain_line(block, 60) +
                                         "' found; allowed here: " + (block_.empty() ? "'begin ...'" : "'end " + plain_line(block_, 60) + "'"));
            block_.clear();
            return;
        }
        if (!block_.empty())
            faults_.add(word.at,
                        "'begin' found inside the block '" + plain_line(block_, 60) + "'; allowed: 'end " + plain_line(block_, 60) + "' first");
        constexpr std::array<std::string_view, 12> known{"parameters",     "functions",    "groups",          "species",
                                                         "seed species",   "reactions",    "observables",     "molecule types",
                                                         "reaction rules", "compartments", "energy patterns", "population maps"};
        if (std::ranges::find(known, block) == known.end())
            faults_.add(at, "the block '" + plain_line(block, 60) + "' found; allowed: parameters, functions, species, reactions, groups");
        block_ = block;
        block_at_ = word.at;
    }

    void outside(const part& word)
    {
        const auto name = word.text.substr(0, word.text.find_first_of("( ;"));
        constexpr std::array<std::string_view, 6> harmless{"version",      "substanceUnits",   "setOption",
                                                           "setModelName", "generate_network", "writeNetwork"};
        if (std::ranges::find(harmless, name) != harmless.end()) return;
        faults_.fail(word.at, "'" + plain_line(name, 60) +
                                  "' found outside a block; allowed: blocks 'begin parameters' ... 'end parameters' (actions are refused: "
                                  "the network is read as it is)");
    }

    /// Without the number at the beginning, if there is one.
    static part unnumbered(part p)
    {
        part rest = p;
        const part first = rest.word();
        return whole(first.text) && !rest.empty() ? rest : p;
    }

    void add_named(const line& l, std::vector<named_line>& to)
    {
        part value = unnumbered(l.rest);
        std::size_t end = 0;
        while (end < value.text.size() && (is_letter(value.text[end]) || is_digit(value.text[end]))) ++end;
        const part name{value.text.substr(0, end), value.at};
        if (end == 0 || is_digit(value.text.front()))
            faults_.fail(value.at, "'" + plain_line(value.text, 40) + "' found; allowed: a name and its value");
        value.drop(end);
        value.skip_blanks();
        if (&to == &functions_) {
            if (!value.text.starts_with('('))
                faults_.fail(value.at, "'" + std::string(name.text) + "' without brackets found; allowed: name() and its expression");
            value.drop(1);
            value.skip_blanks();
            if (!value.text.starts_with(')'))
                faults_.fail(value.at, "the function '" + plain_line(name.text, 60) +
                                           "' has arguments, which is refused; allowed: functions without arguments");
            value.drop(1);
            value.skip_blanks();
        }
        if (value.text.starts_with('=') && !value.text.starts_with("==")) value.drop(1), value.skip_blanks();
        to.push_back({name, value, l.remark, {}});
    }

    void add_species(const line& l)
    {
        part rest = unnumbered(l.rest);
        const part pattern = rest.word();
        if (rest.empty())
            faults_.fail(pattern.at,
                         "the species '" + plain_line(pattern.text, 60) + "' has no concentration; allowed: a number or an expression after it");
        const auto colons = pattern.text.find("::");
        const std::string_view inner = colons == std::string_view::npos ? pattern.text : pattern.text.substr(colons + 2);
        species_.push_back({pattern, rest, pattern.text.starts_with('$') || inner.starts_with('$'), false, {}});
    }

    // ---- Names ----

    void declare()
    {
        // A group may have the name of a parameter, which the name means in expressions then.
        const auto all = [&](std::vector<named_line>& lines, meaning_in_net what) {
            for (auto& n : lines) {
                n.text = free_.take(n.name.text);
                const auto [it, is_new] = names_.try_emplace(std::string(n.name.text), known_name{what, n.text});
                if (!is_new && (it->second.what == what || what != meaning_in_net::group))
                    faults_.add(n.name.at, "'" + plain_line(n.name.text, 60) +
                                               "' is declared twice; allowed: one parameter or function of a name, and one group");
            }
        };
        all(parameters_, meaning_in_net::parameter);
        all(functions_, meaning_in_net::function);
        all(groups_, meaning_in_net::group);
        // s1, s2, ... as BioNetGen numbers them, unless something else has such a name.
        for (std::size_t k = 0; k < species_.size(); ++k) species_[k].text = free_.take("s" + std::to_string(k + 1));
    }

    piece expression(const part& p, bool varying) { return expression_reader(p, names_, varying, faults_, room_).run(); }

    species_line& species(const part& number)
    {
        const auto k = whole(number.text);
        if (!k || *k < 1 || *k > static_cast<long>(species_.size()))
            faults_.fail(number.at,
                         "the species '" + plain_line(number.text, 40) + "' found; allowed: numbers from 1 to " + std::to_string(species_.size()));
        return species_[static_cast<std::size_t>(*k) - 1];
    }

    template <class Visit>
    void for_each_in_list(part list, Visit visit)
    {
        while (!list.empty()) {
            const part one{list.text.substr(0, list.text.find(',')), list.at};
            visit(one);
            list.drop(std::min(one.text.size() + 1, list.text.size()));
        }
    }

    // ---- The text ----

    std::string written()
    {
        std::string parameters, constants, functions, groups, reactions;
        for (const auto& n : parameters_) guarded([&] { write_parameter(n, parameters, constants); });
        for (const auto& n : functions_) guarded([&] { functions += "let " + n.text + " = " + as_number(expression(n.value, true)).text + "\n"; });
        std::vector<std::string> outputs;
        for (const auto& n : groups_)
            guarded([&] {
                groups += "let " + n.text + " = " + group(n) + "\n";
                outputs.push_back(n.text);
            });
        for (const auto& r : reactions_) guarded([&] { reactions += reaction(r); });
        std::string species;
        std::string still;
        for (const auto& s : species_)
            guarded([&] {
                species += (s.fixed ? "fixed " : "species ") + s.text + " = " + as_number(expression(s.value, false)).text + " \"" +
                           quoted_text(s.pattern.text) + "\"\n";
                if (!s.fixed && !s.reacts) still += s.text + "' = 0\n";
            });
        const std::string stem = std::filesystem::path(source_.name()).stem().string();
        fresh_names id;
        std::string all = "problem " + id.take(stem) + " \"" + quoted_text(stem) + " (BioNetGen)\"\n";
        all += "interval " + std::string(imported_interval) + " # the file has none\n";
        all += parameters + constants + species + functions + groups + still + reactions;
        if (!outputs.empty()) all += "output " + joined(outputs, ", ") + "\n";
        return all + "---\nRead from a network of BioNetGen. The species have the numbers that the file gives them. The file has no interval: "
                     "`--tend` sets the end of a run.\n";
    }

    void write_parameter(const named_line& n, std::string& parameters, std::string& constants)
    {
        const std::string text(n.value.text);
        if (parse_real(text) && text.size() <= limits::number_length && text.find_first_not_of("0123456789.eE+-") == std::string::npos)
            parameters += "parameter " + n.text + " = " + text + "\n";
        else
            constants += "constant " + n.text + " = " + as_number(expression(n.value, false)).text + "\n";
    }

    std::string group(const named_line& n)
    {
        std::string all;
        for_each_in_list(n.value, [&](const part& one) {
            part number = one;
            std::string factor;
            if (const auto star = one.text.find('*'); star != std::string_view::npos) {
                factor = std::string(one.text.substr(0, star));
                if (!parse_real(factor) || factor.starts_with('-'))
                    faults_.fail(one.at, "the weight '" + plain_line(factor, 40) + "' found; allowed: a number from 0");
                number.drop(star + 1);
                factor += "*";
            }
            all += (all.empty() ? "" : " + ") + factor + species(number).text;
        });
        return all.empty() ? "0" : all;
    }

    std::string side(const part& list, std::vector<const species_line*>& all)
    {
        if (list.text == "0") return {};
        for_each_in_list(list, [&](const part& one) {
            species_line& s = species(one);
            s.reacts = true;
            all.push_back(&s);
        });
        std::string text;
        for (std::size_t k = 0; k < all.size();) {
            std::size_t same = k;
            while (same < all.size() && all[same] == all[k]) ++same;
            text += (k == 0 ? "" : " + ") + (same - k > 1 ? std::to_string(same - k) + " " : std::string{}) + all[k]->text;
            k = same;
        }
        return text;
    }

    std::string reaction(const line& l)
    {
        part p = l.rest;
        part left = p.word();
        part right = p.word();
        if (p.empty()) { // a line without a number: the first word was one of its own
            p = l.whole;
            left = p.word();
            right = p.word();
        }
        if (p.empty()) faults_.fail(left.at, "a reaction without a rate found; allowed: reactants, products and the rate, such as 1,2 3 k1");
        std::vector<const species_line*> reactants;
        std::vector<const species_line*> products;
        std::string text = side(left, reactants);
        text += (text.empty() ? "-> " : " -> ") + side(right, products);
        if (reactants.empty() && products.empty()) return {};
        text += " ; " + rate(p, reactants);
        part label{l.remark, 0};
        label.skip_blanks();
        if (!label.empty()) text += " \"" + quoted_text(label.text, 60) + "\"";
        return text + "\n";
    }

    /// "k", "2*k", "Sat k K", "MM k K"; the typed ones with a factor perhaps.
    std::string rate(part p, const std::vector<const species_line*>& reactants)
    {
        part rest = p;
        const part first = rest.word();
        const auto star = first.text.rfind('*');
        const part kind{star == std::string_view::npos ? first.text : first.text.substr(star + 1), first.at};
        const bool typed = kind.text == "Sat" || kind.text == "MM" || kind.text == "Hill" || kind.text == "Ele" || kind.text == "FunctionProduct";
        if (!typed || rest.empty()) return as_number(expression(p, true)).text;
        std::vector<piece> factors;
        if (star != std::string_view::npos) factors.push_back(expression({first.text.substr(0, star), first.at}, true));
        std::vector<piece> constants;
        while (!rest.empty()) constants.push_back(expression(rest.word(), true));
        if (kind.text == "Ele" && constants.size() == 1) {
            factors.push_back(constants[0]);
            return product_of(std::move(factors)).text;
        }
        if (kind.text == "Sat") return "rate " + saturation(kind, std::move(factors), constants, reactants);
        if (kind.text == "MM") return "rate " + michaelis_menten(kind, std::move(factors), constants, reactants);
        faults_.fail(kind.at, "the rate law '" + std::string(kind.text) +
                                  "' is refused; allowed: constants and expressions, Sat and MM, or the law as a function of this file");
    }

    /// k x1 x2 ... / ((K1 + x1)(K2 + x2) ...)
    std::string saturation(const part& kind, std::vector<piece> factors, const std::vector<piece>& constants,
                           const std::vector<const species_line*>& reactants)
    {
        if (constants.size() < 2 || constants.size() - 1 > reactants.size())
            faults_.fail(kind.at, "Sat with " + counted(constants.size(), "constant") + " and " + counted(reactants.size(), "reactant") +
                                      " found; allowed: one constant, and one more for each of the first reactants");
        factors.push_back(constants[0]);
        for (const auto* s : reactants) factors.push_back(piece::plain(s->text));
        piece all = product_of(std::move(factors));
        for (std::size_t k = 1; k < constants.size(); ++k)
            all = quotient(std::move(all), sum_of({constants[k], piece::plain(reactants[k - 1]->text)}));
        return all.text;
    }

    /// k E S / (K + S) with S the substrate that is not bound: S^2 + (K + E - S0) S = K S0.
    std::string michaelis_menten(const part& kind, std::vector<piece> factors, const std::vector<piece>& constants,
                                 const std::vector<const species_line*>& reactants)
    {
        if (constants.size() != 2 || reactants.size() != 2)
            faults_.fail(kind.at, "MM with " + counted(constants.size(), "constant") + " and " + counted(reactants.size(), "reactant") +
                                      " found; allowed: two constants (kcat, Km) and two reactants (substrate, enzyme)");
        const piece substrate = piece::plain(reactants[0]->text);
        const piece enzyme = piece::plain(reactants[1]->text);
        const piece b = difference(difference(substrate, constants[1]), enzyme);
        const piece root = call("sqrt", {sum_of({power(b, piece::plain("2")), product_of({piece::plain("4"), substrate, constants[1]})})});
        const piece open = product_of({piece::plain("0.5"), sum_of({b, root})});
        factors.push_back(constants[0]);
        factors.push_back(enzyme);
        factors.push_back(open);
        return quotient(product_of(std::move(factors)), sum_of({constants[1], open})).text;
    }

    source source_;
    fault_list faults_;
    std::string block_;
    place block_at_ = 0;
    std::vector<named_line> parameters_, functions_, groups_;
    std::vector<species_line> species_;
    std::vector<line> reactions_;
    std::unordered_map<std::string, known_name> names_;
    fresh_names free_;
    room_for_formulas room_{faults_};
};

} // namespace

std::string text_from_net(const std::string& name, std::string content) { return net_reader(name, std::move(content)).text(); }

} // namespace ivp::text
