#include "text/export/export.hpp"

#include "base/labels.hpp"
#include "base/text.hpp"
#include "text/export/writer.hpp"

#include <algorithm>
#include <cmath>

namespace ivp::text {

namespace {

std::string_view name_of_operation(operation o)
{
    switch (o) {
    case operation::exp: return "exp";
    case operation::log: return "log";
    case operation::sqrt: return "sqrt";
    case operation::sin: return "sin";
    case operation::cos: return "cos";
    case operation::sinh: return "sinh";
    case operation::cosh: return "cosh";
    case operation::atan: return "atan";
    case operation::asin: return "asin";
    case operation::acos: return "acos";
    case operation::tanh: return "tanh";
    case operation::floor: return "floor";
    default: return {};
    }
}

/// What a node computes, from the texts of its operands.
piece expression_of(const formula_node& n, const std::vector<piece>& text, const dialect& d)
{
    const auto at = [&](int k) { return text[static_cast<std::size_t>(k)]; };
    switch (n.what) {
    case operation::constant: return d.constant(n.c);
    case operation::time: return d.time();
    case operation::variable: return d.variable(n.a);
    case operation::derivative: return d.derivative(n.a);
    case operation::add: return d.added(at(n.a), at(n.b));
    case operation::subtract: return d.subtracted(at(n.a), at(n.b));
    case operation::multiply: return d.multiplied(at(n.a), at(n.b));
    case operation::divide: return d.divided(at(n.a), at(n.b));
    case operation::shift: return value_of(n.c) < 0 ? d.subtracted(at(n.a), d.constant(-n.c)) : d.added(at(n.a), d.constant(n.c));
    case operation::scale: return n.c == quad(-1) ? d.negative(at(n.a)) : d.multiplied(d.constant(n.c), at(n.a));
    case operation::over: return d.divided(d.constant(n.c), at(n.a));
    case operation::power: return d.raised(at(n.a), n.c);
    case operation::choose: return d.chosen(at(n.condition), at(n.a), at(n.b));
    default: return d.called(name_of_operation(n.what), at(n.a));
    }
}

/// Statements of the body of a function.
class body_writer {
public:
    body_writer(const formula_graph& g, const statement_dialect& d, int indent)
        : g_(g), d_(d), uses_(g.uses()), text_(g.nodes.size()), is_written_(g.nodes.size(), 0), indent_(indent)
    {}

    statements run()
    {
        branch(g_.top);
        return std::move(done_);
    }

private:
    void line(const std::string& text)
    {
        if (!text.empty()) done_.text += std::string(static_cast<std::size_t>(indent_) * 4, ' ') + text + "\n";
    }

    /// Writes what a node needs by name, and answers the expression. Operands come before, so that no recursion is needed.
    std::string expression(int node)
    {
        std::vector<int> needed;
        g_.visit_operands(node, [&](int k) {
            if (is_written_[static_cast<std::size_t>(k)] != 0) return false;
            needed.push_back(k);
            return true;
        });
        std::ranges::sort(needed);
        for (const int k : needed) {
            if (is_written_[static_cast<std::size_t>(k)] != 0) continue; // meanwhile, for a choice
            g_.nodes[static_cast<std::size_t>(k)].what == operation::choose ? write_choice(k) : write(k, k == node);
        }
        return text_[static_cast<std::size_t>(node)].text;
    }

    void write(int k, bool is_asked)
    {
        const auto at = static_cast<std::size_t>(k);
        piece p = expression_of(g_.nodes[at], text_, d_);
        if (!g_.nodes[at].is_input() && (uses_[at] > 1 || (!is_asked && d_.is_long(p)))) {
            const std::string name = next_part();
            line(d_.assign_part(name, p.text));
            p = d_.part(name);
        }
        know(k, std::move(p));
    }

    std::string next_part()
    {
        done_.parts.push_back("w" + std::to_string(done_.parts.size() + 1));
        return done_.parts.back();
    }

    void know(int k, piece p)
    {
        text_[static_cast<std::size_t>(k)] = std::move(p);
        is_written_[static_cast<std::size_t>(k)] = 1;
        written_.push_back(k);
    }

    /// Each side computes what it alone needs: the other may not be able to.
    void write_choice(int k)
    {
        const auto& n = g_.nodes[static_cast<std::size_t>(k)];
        const auto needs = [this](int node) {
            std::vector<int> all;
            g_.visit_operands(node, [&](int o) {
                if (is_written_[static_cast<std::size_t>(o)] != 0) return false;
                all.push_back(o);
                return true;
            });
            std::ranges::sort(all);
            return all;
        };
        const auto below = needs(n.a);
        const auto other = needs(n.b);
        std::vector<int> both;
        std::ranges::set_intersection(below, other, std::back_inserter(both));
        for (const int o : both) (void)expression(o);
        const std::string name = next_part();
        line(d_.declare_part(name));
        line(d_.if_below_zero(text_[static_cast<std::size_t>(n.condition)].text));
        side([&] { line(d_.assign_declared(name, expression(n.a))); });
        line(d_.otherwise());
        side([&] { line(d_.assign_declared(name, expression(n.b))); });
        line(d_.end_if());
        know(k, d_.part(name));
    }

    void branch(const formula_branch& b)
    {
        if (b.refused) return line(d_.refuse());
        for (const auto& [row, node] : b.rows) {
            const std::string value = expression(node);
            line(d_.assign_row(row, value));
        }
        if (b.parts.empty()) return;
        const std::string condition = expression(b.condition);
        if (b.parts[0].refused || b.parts[1].refused) { // the domain is left at once; what follows is no deeper than before
            const std::size_t outside = b.parts[0].refused ? 0 : 1;
            line(outside == 0 ? d_.if_below_zero(condition) : d_.if_not_below_zero(condition));
            side([&] { branch(b.parts[outside]); });
            line(d_.end_if());
            return branch(b.parts[1 - outside]);
        }
        line(d_.if_below_zero(condition));
        side([&] { branch(b.parts[0]); });
        line(d_.otherwise());
        side([&] { branch(b.parts[1]); });
        line(d_.end_if());
    }

    template <class Write>
    void side(const Write& write_side)
    {
        const std::size_t known = written_.size();
        const std::size_t before = done_.text.size();
        ++indent_;
        write_side();
        if (done_.text.size() == before) line(d_.nothing());
        --indent_;
        for (std::size_t k = known; k < written_.size(); ++k) is_written_[static_cast<std::size_t>(written_[k])] = 0; // unknown on the other side
        written_.resize(known);
    }

    const formula_graph& g_;
    const statement_dialect& d_;
    std::vector<int> uses_;
    std::vector<piece> text_;
    std::vector<char> is_written_;
    std::vector<int> written_;
    int indent_;
    statements done_;
};

piece row_of(const formula_branch& b, int i, const std::vector<piece>& text, const dialect& d)
{
    for (const auto& [row, node] : b.rows)
        if (row == i) return text[static_cast<std::size_t>(node)];
    if (b.parts.empty()) return d.constant(0);
    return d.chosen(text[static_cast<std::size_t>(b.condition)], row_of(b.parts[0], i, text, d), row_of(b.parts[1], i, text, d));
}

std::string equation_text(const exported_problem& x)
{
    switch (x.p.info().form) {
    case form::ode: return "y' = f(t, y)";
    case form::dae: return "M y' = f(t, y)";
    default: return "g(t, y, y') = 0";
    }
}

} // namespace

/// The shortest decimal that is this number, in quadruple precision.
std::string exact_text(const quad& c)
{
    const double rounded = value_of(c);
    if (quad(rounded) == c && std::isfinite(rounded))
        if (std::string text = to_text(rounded); decimal(text).in<quad>() == c) return text;
    for (const int digits : {2, 3, 4, 5, 6, 8, 10, 12, 15, 17, 20, 25, 30, 34})
        if (std::string text = to_text(c, digits); decimal(text).in<quad>() == c) return text;
    return to_text(c, 36);
}

statements statements_of(const formula_graph& g, const statement_dialect& d, int indent) { return body_writer(g, d, indent).run(); }

std::vector<piece> rows_of(const formula_graph& g, const dialect& d, int n, const std::function<std::string()>& next_name,
                           const std::function<void(const std::string& name, const piece& value)>& define)
{
    const std::vector<int> uses = g.uses();
    std::vector<piece> text(g.nodes.size());
    for (std::size_t k = 0; k < g.nodes.size(); ++k) {
        if (uses[k] == 0) continue;
        text[k] = expression_of(g.nodes[k], text, d);
        if (g.nodes[k].is_input() || (uses[k] == 1 && !d.is_long(text[k]))) continue;
        const std::string name = next_name();
        define(name, text[k]);
        text[k] = d.part(name);
    }
    std::vector<piece> all;
    for (int i = 0; i < n; ++i) all.push_back(row_of(g.top, i, text, d));
    return all;
}

std::vector<std::string> exported_problem::head() const
{
    const exported_problem& x = *this;
    const auto& i = x.p.info();
    std::vector<std::string> lines;
    lines.push_back(plain_line(i.title, 200) + ": " + equation_text(x) + ", " + counted(static_cast<std::uint64_t>(i.n), "equation") + ", t from " +
                    i.t0.text() + " to " + i.tend.text());
    for (const auto& [parameter, value] : x.p.parameters().changed()) lines.push_back("with " + parameter + " = " + value);
    if (i.highest_index > 1) {
        std::string index;
        for (int k = 0; k < i.n; ++k) index += (k > 0 ? " " : "") + std::to_string(i.index_of(k));
        lines.push_back("Index of the variables: " + index);
    }
    if (!i.breakpoints.empty()) {
        std::string times;
        for (const auto& b : i.breakpoints) times += (times.empty() ? "" : ", ") + b.text();
        lines.push_back("Solvers are restarted at t = " + times);
    }
    if (x.has_reference()) lines.push_back("Reference at the end: " + plain_line(x.p.reference()->source, 200));
    lines.push_back("Written by: " + plain_line(x.command, 300));
    return lines;
}

std::optional<export_language> export_language_from_label(std::string_view text)
{
    return enum_labels<export_language, 8>{{"c", "c++", "fortran", "python", "julia", "latex", "sbml", "ivp"}}.find(text);
}

std::string exported(const problem& p, export_language to, const std::string& command)
{
    exported_problem x{p, formula_graph::of(p), {}, command, p.in<double>().initial_values(), p.in<double>().initial_derivatives(), {}};
    fresh_names names;
    x.name = names.take(p.id());
    if (x.is_ide()) x.yp0.resize(x.y0.size(), 0.0);
    if (p.info().form == form::dae)
        p.in<double>().mass().for_each_entry([&x](int i, int j, double v) {
            if (v != 0) x.mass.emplace_back(i, j, v);
        });
    switch (to) {
    case export_language::c: return in_c(x, false);
    case export_language::cpp: return in_c(x, true);
    case export_language::fortran: return in_fortran(x);
    case export_language::python: return in_python(x, false);
    case export_language::julia: return in_python(x, true);
    case export_language::latex: return in_latex(x);
    case export_language::sbml: return in_sbml(x);
    case export_language::ivp: return in_our_text(x);
    }
    return {};
}

} // namespace ivp::text
