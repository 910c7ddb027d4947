#include "text/formula.hpp"

#include <array>
#include <string_view>

namespace ivp::text {

namespace {

/// How tightly an expression binds: what stands inside another that binds more tightly needs brackets.
enum strength { condition_strength, sum_strength, product_strength, sign_strength, power_strength, whole };

strength strength_of(const expression& x)
{
    switch (x.kind) {
    case expr_kind::sum: return sum_strength;
    case expr_kind::product: return product_strength;
    case expr_kind::negate: return sign_strength;
    case expr_kind::power: return power_strength;
    case expr_kind::compare:
    case expr_kind::both:
    case expr_kind::either:
    case expr_kind::no:
    case expr_kind::choice: return condition_strength;
    default: return whole;
    }
}

class writer {
public:
    writer(const model& m, const index_values& env, bool tex) : m_(m), d_(*m.text), env_(env), tex_(tex) {}

    std::string text(expr e) const
    {
        const expression& x = m_.code.expressions[static_cast<std::size_t>(e)];
        switch (x.kind) {
        case expr_kind::number: return number(x.number);
        case expr_kind::name: return name(x);
        case expr_kind::derivative: return name(x) + "'";
        case expr_kind::negate: return "-" + inside(x.parts[0], sign_strength);
        case expr_kind::sum: {
            std::string out;
            for (std::size_t k = 0; k < x.parts.size(); ++k) {
                if (k > 0 || x.signs[k] == '-') out += x.signs[k] == '-' ? (k > 0 ? " - " : "-") : " + ";
                out += inside(x.parts[k], k == 0 ? sum_strength : product_strength);
            }
            return out;
        }
        case expr_kind::product: return product(x);
        case expr_kind::power:
            if (tex_) return inside(x.parts[0], whole) + "^{" + text(x.parts[1]) + "}";
            return inside(x.parts[0], whole) + "^" + inside(x.parts[1], sign_strength);
        case expr_kind::compare: return inside(x.parts[0], sum_strength) + comparison(x.signs[0]) + inside(x.parts[1], sum_strength);
        case expr_kind::both: return joined(x, word("and"));
        case expr_kind::either: return joined(x, word("or"));
        case expr_kind::no: return word("not") + inside(x.parts[0], sum_strength);
        case expr_kind::choice: return "(" + word("if") + text(x.parts[0]) + word("then") + text(x.parts[1]) + word("else") + text(x.parts[2]) + ")";
        case expr_kind::call: return call(x);
        case expr_kind::total: return total(x);
        case expr_kind::list: return "(...)";
        }
        return {};
    }

private:
    std::string word(std::string_view w) const
    {
        if (tex_) return "\\;\\text{" + std::string(w) + "}\\;";
        return " " + std::string(w) + " ";
    }

    std::string number(std::string_view digits) const
    {
        const auto mark = digits.find_first_of("eEdD");
        if (!tex_ || mark == std::string_view::npos) return std::string(digits);
        const std::string_view before = digits.substr(0, mark);
        std::string_view exponent = digits.substr(mark + 1);
        if (exponent.starts_with('+')) exponent.remove_prefix(1);
        return (before == "1" ? std::string() : std::string(before) + " \\cdot ") + "10^{" + std::string(exponent) + "}";
    }

    std::string name(const expression& x) const
    {
        if (x.means == meaning::index)
            if (const long* v = find_index(env_, x.symbol)) return std::to_string(*v);
        std::string out = d_.symbol(x.symbol);
        if (tex_) out = out == "pi" ? "\\pi" : name_tex(out);
        if (x.parts.empty()) return out;
        out += tex_ ? "_{" : "[";
        for (std::size_t k = 0; k < x.parts.size(); ++k) out += (k > 0 ? "," : "") + text(x.parts[k]);
        return out + (tex_ ? "}" : "]");
    }

    std::string inside(expr e, strength outer) const
    {
        const expression& x = m_.code.expressions[static_cast<std::size_t>(e)];
        std::string out = text(e);
        if (strength_of(x) >= outer || x.kind == expr_kind::choice) return out;
        return tex_ ? "\\left(" + out + "\\right)" : "(" + out + ")";
    }

    std::string product(const expression& x) const
    {
        if (!tex_) {
            std::string out = inside(x.parts[0], product_strength);
            for (std::size_t k = 1; k < x.parts.size(); ++k) out += x.signs[k] + inside(x.parts[k], sign_strength);
            return out;
        }
        std::string above;
        std::string below;
        for (std::size_t k = 0; k < x.parts.size(); ++k) {
            std::string& to = x.signs[k] == '/' ? below : above;
            if (!to.empty()) to += "\\, ";
            to += inside(x.parts[k], x.signs[k] == '/' && below.empty() ? sum_strength : sign_strength);
        }
        return below.empty() ? above : "\\frac{" + above + "}{" + below + "}";
    }

    std::string comparison(char sign) const
    {
        switch (sign) {
        case '<': return " < ";
        case 'l': return tex_ ? " \\le " : " <= ";
        case '>': return " > ";
        case 'g': return tex_ ? " \\ge " : " >= ";
        case '=': return tex_ ? " = " : " == ";
        default: return tex_ ? " \\ne " : " != ";
        }
    }

    std::string joined(const expression& x, const std::string& between) const
    {
        std::string out;
        for (std::size_t k = 0; k < x.parts.size(); ++k) out += (k > 0 ? between : "") + inside(x.parts[k], condition_strength);
        return out;
    }

    std::string call(const expression& x) const
    {
        if (tex_ && x.callee == function::sqrt) return "\\sqrt{" + text(x.parts[0]) + "}";
        std::string f = x.callee == function::table ? d_.symbol(x.symbol) : std::string(name_of(x.callee));
        if (tex_) {
            constexpr std::array<std::string_view, 10> known{"exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "min", "max"};
            bool found = false;
            for (const auto& k : known) found = found || f == k;
            f = found ? "\\" + f : name_tex(f);
        }
        std::string out = f + (tex_ ? "\\left(" : "(");
        for (std::size_t k = 0; k < x.parts.size(); ++k) out += (k > 0 ? ", " : "") + text(x.parts[k]);
        return out + (tex_ ? "\\right)" : ")");
    }

    std::string total(const expression& x) const
    {
        std::string ranges;
        for (const auto& v : x.loops.variables)
            ranges +=
                (ranges.empty() ? "" : ", ") + d_.symbol(v.symbol) + (tex_ ? " = " : " in ") + text(v.from) + (tex_ ? "\\ldots " : "..") + text(v.to);
        if (x.loops.condition != no_expr) ranges += ", " + text(x.loops.condition);
        if (tex_) return "\\sum_{" + ranges + "} " + inside(x.parts[0], product_strength);
        return "sum(" + ranges + " : " + text(x.parts[0]) + ")";
    }

    const model& m_;
    const document& d_;
    const index_values& env_;
    bool tex_;
};

std::string side_text(const model& m, const std::vector<network_reaction::part>& parts)
{
    std::string out;
    for (const auto& p : parts) {
        if (!out.empty()) out += " + ";
        if (p.coefficient.n != billionths::unit) out += p.coefficient.text() + " ";
        out += p.state >= 0 ? m.names[static_cast<std::size_t>(p.state)] : formula_text(m, p.name, p.env);
    }
    return out;
}

} // namespace

std::string name_tex(std::string_view name)
{
    std::string letters(name);
    std::string digits;
    while (letters.size() > 1 && letters.back() >= '0' && letters.back() <= '9') {
        digits.insert(digits.begin(), letters.back());
        letters.pop_back();
    }
    std::string escaped;
    for (const char c : letters) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
    std::string out = letters.size() == 1 ? escaped : "\\mathrm{" + escaped + "}";
    return digits.empty() ? out : out + "_{" + digits + "}";
}

std::string formula_text(const model& m, expr e, const index_values& env) { return writer(m, env, false).text(e); }
std::string formula_tex(const model& m, expr e, const index_values& env) { return writer(m, env, true).text(e); }

std::string reaction_text(const model& m, const network_reaction& r)
{
    const std::string left = side_text(m, r.reactants);
    const std::string right = side_text(m, r.products);
    return left + (left.empty() ? "-> " : " ->") + (right.empty() || left.empty() ? "" : " ") + right;
}

} // namespace ivp::text
