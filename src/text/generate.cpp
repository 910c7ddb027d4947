#include "text/generate.hpp"

#include <algorithm>
#include <vector>

namespace ivp::text {

namespace {

std::string text_of(long n) { return std::to_string(n); }

class generator {
public:
    explicit generator(const program& p) : p_(p), in_array_(static_cast<std::size_t>(p.slots), 0)
    {
        for (const auto& [first, count] : p.arrays) std::fill(in_array_.begin() + first, in_array_.begin() + first + count, char{1});
    }

    std::string run()
    {
        for (const auto& s : p_.steps) {
            if (s.what == step::kind::straight)
                straight(s.number);
            else if (s.what == step::kind::loop)
                loop_over(p_.loops[static_cast<std::size_t>(s.number)]);
            else
                line("if (!" + condition_of(s.number) + ") return 1;");
        }
        return std::move(out_);
    }

private:
    void line(const std::string& text) { out_ += std::string(depth_ * 4, ' ') + text + "\n"; }

    static std::string constant(int k) { return "k[" + text_of(k) + "]"; }
    std::string slot(int s) const { return in_array_[static_cast<std::size_t>(s)] != 0 ? "work[" + text_of(s) + "]" : "v" + text_of(s); }
    std::string operand(int x) const { return x >= 0 ? slot(x) : constant(~x); }
    /// What begins the statement that gives a slot its value.
    std::string to(int s) const
    {
        if (s < 0) return "out[" + text_of(~s) + "] = ";
        return in_array_[static_cast<std::size_t>(s)] != 0 ? slot(s) + " = " : "const T v" + text_of(s) + " = ";
    }

    // ---- Straight code ----

    void straight(int number)
    {
        if (number < 0) return;
        const region& r = p_.regions[static_cast<std::size_t>(number)];
        for (const auto& g : r.groups) {
            const int* w = r.words.data() + g.first;
            for (int m = 0; m < g.count; ++m) w = instruction(g.op, w);
        }
    }

    const int* instruction(opcode op, const int* w)
    {
        switch (op) {
        case opcode::load_time: line(to(w[0]) + "*t;"); return w + 1;
        case opcode::load_state: line(to(w[0]) + "y[" + text_of(w[1]) + "];"); return w + 2;
        case opcode::load_rate: line(to(w[0]) + "yp[" + text_of(w[1]) + "];"); return w + 2;
        case opcode::weighted_sum: return weighted_sum(w);
        case opcode::scale: line(to(w[0]) + constant(w[1]) + " * " + slot(w[2]) + ";"); return w + 3;
        case opcode::multiply: line(to(w[0]) + slot(w[1]) + " * " + slot(w[2]) + ";"); return w + 3;
        case opcode::scale_two: line(to(w[0]) + constant(w[1]) + " * " + slot(w[2]) + " * " + slot(w[3]) + ";"); return w + 4;
        case opcode::multiply_all: {
            std::string product = w[2] < 0 ? "T(" + operand(w[2]) + ")" : operand(w[2]);
            for (int m = 1; m < w[1]; ++m) product += " * " + operand(w[2 + m]);
            line(to(w[0]) + product + ";");
            return w + 2 + w[1];
        }
        case opcode::divide: line(to(w[0]) + operand(w[1]) + " / " + operand(w[2]) + ";"); return w + 3;
        case opcode::whole_power: line(to(w[0]) + "whole_power(" + slot(w[1]) + ", " + text_of(w[2]) + ");"); return w + 3;
        case opcode::unary: line(to(w[0]) + called(static_cast<function>(w[2]), slot(w[1])) + ";"); return w + 3;
        case opcode::binary: line(to(w[0]) + called(static_cast<function>(w[3]), operand(w[1]), operand(w[2]), w[2] < 0) + ";"); return w + 4;
        case opcode::table: line(to(w[0]) + table(w[2], slot(w[1])) + ";"); return w + 3;
        case opcode::choose: choose(w); return w + 6;
        case opcode::add_up:
            line("T v" + text_of(w[0]) + " = work[" + text_of(w[1]) + "];");
            line("for (long i = 1; i < " + text_of(w[2]) + "; ++i) v" + text_of(w[0]) + " = v" + text_of(w[0]) + " + work[" + text_of(w[1]) +
                 " + i];");
            return w + 3;
        case opcode::store: line("out[" + text_of(w[0]) + "] = " + (w[1] < 0 ? "T(" + operand(w[1]) + ")" : operand(w[1])) + ";"); return w + 2;
        }
        return w;
    }

    const int* weighted_sum(const int* w)
    {
        const int n = w[1];
        std::string sum;
        for (int m = 0; m < n; ++m) {
            const int c = w[2 + 2 * m];
            const int x = w[3 + 2 * m];
            if (m == 0) {
                sum = x < 0 ? "T(" + constant(c) + ")" : c == plus_one ? slot(x) : c == minus_one ? "-" + slot(x) : constant(c) + " * " + slot(x);
                continue;
            }
            if (x < 0)
                sum += " + " + constant(c);
            else if (c == plus_one)
                sum += " + " + slot(x);
            else if (c == minus_one)
                sum += " - " + slot(x);
            else
                sum += " + " + constant(c) + " * " + slot(x);
        }
        line(to(w[0]) + sum + ";");
        return w + 2 + 2 * n;
    }

    static std::string called(function f, const std::string& x)
    {
        if (f == function::floor) return "floor_of(" + x + ")";
        if (f == function::sign) return "sign_of(" + x + ")";
        return std::string(name_of(f)) + "(" + x + ")";
    }
    /// As `applied` of execute.hpp: a power with a constant exponent is differentiated as one.
    static std::string called(function f, const std::string& a, const std::string& b, bool constant_b)
    {
        switch (f) {
        case function::min: return "smaller(T(" + a + "), T(" + b + "))";
        case function::max: return "larger(T(" + a + "), T(" + b + "))";
        case function::mod: return "remainder_of(T(" + a + "), T(" + b + "))";
        case function::pow: return constant_b ? "pow(" + a + ", " + b + ")" : "pow(T(" + a + "), T(" + b + "))";
        default: return "atan2(T(" + a + "), T(" + b + "))";
        }
    }
    std::string table(int number, const std::string& x) const
    {
        const auto& t = p_.tables[static_cast<std::size_t>(number)];
        return "table_value(k + " + text_of(p_.constants + t.first) + ", " + text_of(t.points) + ", " + x + ")";
    }

    void choose(const int* w)
    {
        const std::string name = "v" + text_of(w[0]);
        line("T " + name + ";");
        line("if " + condition_of(w[1]) + " {");
        branch(w[2], name + " = " + (w[4] < 0 ? "T(" + operand(w[4]) + ")" : operand(w[4])) + ";");
        line("} else {");
        branch(w[3], name + " = " + (w[5] < 0 ? "T(" + operand(w[5]) + ")" : operand(w[5])) + ";");
        line("}");
    }
    void branch(int number, const std::string& last)
    {
        ++depth_;
        straight(number);
        line(last);
        --depth_;
    }

    static std::string sign_text(char sign)
    {
        switch (sign) {
        case '<': return " < ";
        case 'l': return " <= ";
        case '>': return " > ";
        case 'g': return " >= ";
        case '=': return " == ";
        default: return " != ";
        }
    }

    static std::string compared(char sign, const std::string& a, const std::string& b)
    {
        if (sign == '!') return "(!(T(" + a + ") == T(" + b + ")))";
        return "(T(" + a + ")" + sign_text(sign) + "T(" + b + "))";
    }

    /// In brackets. What a part needs that is not always computed stands in a function of its own.
    std::string condition_of(int number)
    {
        const auto& c = p_.conditions[static_cast<std::size_t>(number)];
        switch (c.sign) {
        case 'c': return c.a != 0 ? "(true)" : "(false)";
        case '&': return "(" + condition_of(c.a) + " && " + condition_of(c.b) + ")";
        case '|': return "(" + condition_of(c.a) + " || " + condition_of(c.b) + ")";
        case '~': return "(!" + condition_of(c.a) + ")";
        default: break;
        }
        const std::string plain = compared(c.sign, operand(c.a), operand(c.b));
        if (c.before < 0) return plain;
        return in_function([&] { straight(c.before); }, plain);
    }

    template <class Work>
    std::string in_function(Work work, const std::string& result)
    {
        std::string outside = std::move(out_);
        out_.clear();
        ++depth_;
        work();
        line("return " + result + ";");
        --depth_;
        std::string inside = std::move(out_);
        out_ = std::move(outside);
        return "([&]() -> bool {\n" + inside + std::string(depth_ * 4, ' ') + "}())";
    }

    // ---- Loops ----

    static std::string place_text(const reference_to& r)
    {
        std::string at = text_of(r.first);
        if (r.outer != 0) at += " + " + text_of(r.outer) + " * o";
        if (r.inner != 0) at += " + " + text_of(r.inner) + " * i";
        return at;
    }
    std::string element(const reference_to& r) const
    {
        switch (r.in) {
        case space::constants: return "k[" + place_text(r) + "]";
        case space::states: return "y[" + place_text(r) + "]";
        case space::rates: return "yp[" + place_text(r) + "]";
        case space::rows: return "out[" + place_text(r) + "]";
        case space::slots: return in_array_[static_cast<std::size_t>(r.first)] == 0 ? "v" + text_of(r.first) : "work[" + place_text(r) + "]";
        default: return "b" + text_of(r.first);
        }
    }
    std::string value(const reference_to& r) const { return r.in == space::constants ? "T(" + element(r) + ")" : element(r); }

    void loop_over(const loop& l)
    {
        l_ = &l;
        line("for (long o = 0; o < " + text_of(l.outer) + "; ++o)");
        line("for (long i = 0; i < " + text_of(l.inner) + "; ++i) {");
        ++depth_;
        body(l.body);
        if (l.requirement >= 0) line("if (!" + block_condition_text(l.requirement) + ") return 1;");
        --depth_;
        line("}");
    }

    void body(int number)
    {
        if (number < 0) return;
        for (const auto& x : l_->bodies[static_cast<std::size_t>(number)]) block_line(x);
    }

    void block_line(const block_instruction& x)
    {
        if (x.op == block_opcode::choose) return choose(x);
        const std::string a = element(x.a);
        const std::string b = element(x.b);
        std::string right;
        switch (x.op) {
        case block_opcode::copy: right = value(x.a); break;
        case block_opcode::add: right = a + " + " + b; break;
        case block_opcode::subtract: right = a + " - " + b; break;
        case block_opcode::multiply: right = a + " * " + b; break;
        case block_opcode::divide: right = a + " / " + b; break;
        case block_opcode::add_scaled: right = a + " + " + element(x.c) + " * " + b; break;
        case block_opcode::whole_power: right = "whole_power(" + a + ", " + text_of(x.number) + ")"; break;
        case block_opcode::unary: right = called(static_cast<function>(x.number), a); break;
        case block_opcode::binary: right = called(static_cast<function>(x.number), a, b, x.b.in == space::constants); break;
        case block_opcode::table: right = table(x.number, a); break;
        case block_opcode::choose: break;
        }
        line((x.to.in == space::block ? "const T " : "") + element(x.to) + " = " + right + ";");
    }

    void choose(const block_instruction& x)
    {
        const std::string name = element(x.to);
        if (x.to.in == space::block) line("T " + name + ";");
        line("if " + block_condition_text(x.number) + " {");
        ++depth_;
        body(x.yes);
        line(name + " = " + value(x.a) + ";");
        --depth_;
        line("} else {");
        ++depth_;
        body(x.no);
        line(name + " = " + value(x.b) + ";");
        --depth_;
        line("}");
    }

    std::string block_condition_text(int number)
    {
        const auto& c = l_->conditions[static_cast<std::size_t>(number)];
        switch (c.sign) {
        case '&': return "(" + block_condition_text(c.first) + " && " + block_condition_text(c.second) + ")";
        case '|': return "(" + block_condition_text(c.first) + " || " + block_condition_text(c.second) + ")";
        case '~': return "(!" + block_condition_text(c.first) + ")";
        default: break;
        }
        const std::string plain = compared(c.sign, element(c.a), element(c.b));
        if (c.before < 0) return plain;
        return in_function([&] { body(c.before); }, plain);
    }

    const program& p_;
    std::vector<char> in_array_;
    std::string out_;
    std::size_t depth_ = 1;
    const loop* l_ = nullptr;
};

} // namespace

std::string generated(const program& p)
{
    std::string text = "#include <array>\n#include <cmath>\n#include <type_traits>\n\n"
                       "namespace ivp {\ninline double value_of(double a) { return a; }\n} // namespace ivp\n\n";
    text += arithmetic;
    text +=
        "\nnamespace {\n\nusing namespace ivp;\nusing namespace ivp::text;\nusing number = dual<double, 4>;\n"
        "using std::sqrt, std::exp, std::log, std::log10, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh;\n"
        "using std::tanh, std::abs, std::atan2, std::pow;\n\n"
        "template <class T>\n[[gnu::always_inline]] inline int evaluate([[maybe_unused]] const double* __restrict k, [[maybe_unused]] const T* t, "
        "[[maybe_unused]] const T* __restrict y,\n"
        "    [[maybe_unused]] const T* __restrict yp, [[maybe_unused]] T* __restrict out, [[maybe_unused]] T* __restrict work)\n{\n";
    text += generator(p).run();
    text += "    return 0;\n}\n\n} // namespace\n\n";
    for (const auto& [name, type] : {std::pair{name_in_double, "double"}, std::pair{name_in_dual, "number"}}) {
        const std::string t(type);
        text += "extern \"C\" int " + std::string(name) + "(const double* k, const " + t + "* t, const " + t + "* y, const " + t + "* yp, " + t +
                "* out, " + t + "* work)\n{\n    return evaluate<" + t + ">(k, t, y, yp, out, work);\n}\n";
    }
    return text;
}

} // namespace ivp::text
