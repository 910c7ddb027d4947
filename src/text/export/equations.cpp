// Exports to formats of equations: texts of ours, SBML, LaTeX. Branches are conditions inside the equations.
#include "base/escape.hpp"
#include "base/text.hpp"
#include "text/export/mathml.hpp"
#include "text/export/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ivp::text {

namespace {

bool refuses(const formula_branch& b) { return b.refused || std::ranges::any_of(b.parts, refuses); }

/// A formula whose domain is said by conditions before everything else.
struct formula_in_domain {
    formula_graph graph;     ///< rows n, n + 1, ... are the conditions
    std::vector<bool> below; ///< of each condition: it must be below zero; else not
};

formula_in_domain with_domain_apart(const exported_problem& x, std::string_view language)
{
    formula_in_domain all{x.graph, {}};
    formula_branch top = x.graph.top;
    std::vector<std::pair<int, int>> conditions;
    std::vector<std::pair<int, int>> rows = top.rows;
    while (!top.parts.empty() && (top.parts[0].refused || top.parts[1].refused)) {
        all.below.push_back(top.parts[1].refused);
        conditions.emplace_back(x.p.n() + static_cast<int>(conditions.size()), top.condition);
        formula_branch next = top.parts[top.parts[1].refused ? 0 : 1];
        top = std::move(next);
        rows.insert(rows.end(), top.rows.begin(), top.rows.end());
    }
    if (refuses(top))
        throw bad_request(
            "--to " + std::string(language) +
            ": the formula refuses arguments on one of its branches, which this format cannot express; allowed: c, c++, fortran, python, julia");
    top.rows = std::move(rows);
    top.rows.insert(top.rows.end(), conditions.begin(), conditions.end());
    all.graph.top = std::move(top);
    return all;
}

/// Names that the components have in a text or in SBML.
std::vector<std::string> state_names(const exported_problem& x, fresh_names& free)
{
    std::vector<std::string> names;
    for (int i = 0; i < x.p.n(); ++i)
        names.push_back(
            free.take(x.p.info().component_names.empty() ? "y" + std::to_string(i + 1) : x.p.info().component_names[static_cast<std::size_t>(i)]));
    return names;
}

// NOLINTBEGIN(modernize-use-nodiscard): a table of words; the class that it fills has the attributes
class text_dialect final : public dialect {
public:
    explicit text_dialect(std::vector<std::string> names) : names_(std::move(names)) {}
    std::string number(const quad& c) const override { return exact_text(c); }
    piece variable(int i) const override { return piece::plain(names_[static_cast<std::size_t>(i)]); }
    piece derivative(int i) const override { return piece::plain(names_[static_cast<std::size_t>(i)] + "'"); }
    piece raised(piece a, const quad& exponent) const override { return power(std::move(a), constant(exponent)); }

private:
    std::vector<std::string> names_;
};

class tex_dialect final : public dialect {
public:
    explicit tex_dialect(int n) : n_(n) {}
    /// Wider than half a line of an article: the two sides of a sum then fit on one.
    bool is_long(const piece& p) const override
    {
        constexpr int widest = 36; // letters
        int width = 0;
        for (std::size_t k = 0; k < p.text.size(); ++k) {
            const char c = p.text[k];
            if (c == '\\') { // a command is as wide as a letter; a space or \left as nothing
                const auto name = std::string_view(p.text).substr(k + 1, 4);
                while (k + 1 < p.text.size() && std::isalpha(static_cast<unsigned char>(p.text[k + 1])) != 0) ++k;
                if (!name.starts_with("left") && !name.starts_with("righ") && !name.starts_with(",")) ++width;
            } else if (c != '{' && c != '}' && c != '_' && c != '^' && c != ' ') {
                ++width;
            }
        }
        return width > widest;
    }
    std::string number(const quad& c) const override
    {
        std::string text = to_text(value_of(c));
        const auto mark = text.find_first_of("eE");
        if (mark == std::string::npos) return text;
        return text.substr(0, mark) + " \\cdot 10^{" + std::to_string(std::stoi(text.substr(mark + 1))) + "}";
    }
    piece variable(int i) const override { return piece::plain(n_ == 1 ? "y" : "y_{" + std::to_string(i + 1) + "}"); }
    piece derivative(int i) const override { return piece::plain(variable(i).text + "'"); }
    piece raised(piece a, const quad& exponent) const override
    {
        return {inside(std::move(a), binding::whole) + "^{" + number(exponent) + "}", binding::power, false};
    }
    piece chosen(piece condition, piece below, piece other) const override
    {
        return piece::plain("\\begin{cases} " + below.text + " & \\text{if } " + condition.text + " < 0 \\\\ " + other.text +
                            " & \\text{otherwise} \\end{cases}");
    }
    piece divided(piece a, piece b) const override { return {"\\frac{" + a.text + "}{" + b.text + "}", binding::product, false}; }
    piece called(std::string_view name, piece a) const override
    {
        if (name == "sqrt") return piece::plain("\\sqrt{" + a.text + "}");
        if (name == "floor") return piece::plain("\\left\\lfloor " + a.text + " \\right\\rfloor");
        const std::string f = name == "asin" ? "arcsin" : name == "acos" ? "arccos" : name == "atan" ? "arctan" : std::string(name);
        return piece::plain("\\" + f + "\\left(" + a.text + "\\right)");
    }
    piece multiplied(piece a, piece b) const override
    {
        const bool number_behind = b.text.find_first_of("0123456789") == 0;
        std::string right = inside(std::move(b), binding::sign);
        if (right.starts_with('-')) right = "(" + right + ")";
        return {inside(std::move(a), binding::product) + (number_behind ? " \\cdot " : "\\, ") + right, binding::product, false};
    }

private:
    int n_;
};
// NOLINTEND(modernize-use-nodiscard)

/// w1, w2, ..., free of the names of the states.
std::function<std::string()> part_names(fresh_names& free)
{
    return [&free, k = 0]() mutable { return free.take("w" + std::to_string(++k)); };
}

} // namespace

std::string in_our_text(const exported_problem& x)
{
    const auto [graph, below] = with_domain_apart(x, "ivp");
    const auto& info = x.p.info();
    fresh_names free;
    const auto names = state_names(x, free);
    const text_dialect d(names);
    std::string all;
    for (const auto& l : x.head()) all += "# " + l + "\n";
    fresh_names ids;
    all += "problem " + ids.take(info.id) + " \"" + quoted_text(info.title) + "\"\n";
    all += "interval " + info.t0.text() + " .. " + info.tend.text() + "\n";
    const auto start = x.p.in<quad>().initial_values();
    for (std::size_t i = 0; i < names.size(); ++i) {
        all += "state " + names[i] + " = " + exact_text(start[i]);
        if (!info.component_names.empty() && info.component_names[i] != names[i]) all += " \"" + quoted_text(info.component_names[i]) + "\"";
        all += "\n";
    }
    std::string equations;
    const auto rows = rows_of(graph, d, info.n + static_cast<int>(below.size()), part_names(free),
                              [&](const std::string& name, const piece& value) { equations += "let " + name + " = " + value.text + "\n"; });
    std::vector<std::string> left(names.size());
    if (info.form == form::dae) {
        for (const auto& [i, j, v] : x.mass) {
            std::string& l = left[static_cast<std::size_t>(i)];
            const std::string size = to_text(std::abs(v));
            l += l.empty() ? (v < 0 ? "-" : "") : v < 0 ? " - " : " + ";
            l += (size == "1" ? "" : exact_text(abs(x.p.in<quad>().mass().at(i, j))) + "*") + names[static_cast<std::size_t>(j)] + "'";
        }
        for (auto& l : left)
            if (l.empty()) l = "0";
    }
    if (info.form == form::ode)
        for (std::size_t i = 0; i < left.size(); ++i) left[i] = names[i] + "'";
    if (info.form == form::ide) std::ranges::fill(left, "0");
    for (std::size_t k = 0; k < below.size(); ++k)
        equations += "require " + comparison(rows[names.size() + k], below[k] ? "<" : ">=", piece::plain("0")).text + "\n";
    for (std::size_t i = 0; i < names.size(); ++i) equations += left[i] + " = " + as_number(rows[i]).text + "\n";
    all += equations;
    if (info.form == form::ide)
        for (std::size_t i = 0; i < names.size(); ++i) all += "initial " + names[i] + "' = " + to_text(x.yp0[i]) + "\n";
    if (info.highest_index > 1)
        for (std::size_t i = 0; i < names.size(); ++i)
            if (info.index_of(static_cast<int>(i)) > 1)
                all += "index " + names[i] + " = " + std::to_string(info.index_of(static_cast<int>(i))) + "\n";
    for (const auto& b : info.breakpoints) all += "break at " + b.text() + "\n";
    if (x.has_reference() && !x.p.reference()->absolute_digits)
        for (std::size_t i = 0; i < names.size(); ++i)
            all += fmt::format("reference {} = {} digits {}\n", names[i], x.p.reference()->value[i].text(),
                               to_text(std::floor(std::max(0.0, x.p.reference()->digits[i]))));
    return all;
}

std::string in_sbml(const exported_problem& x)
{
    if (refuses(x.graph.top))
        throw bad_request(
            "--to sbml: the formula refuses arguments outside its domain, which SBML cannot express; allowed: c, c++, fortran, python, julia, ivp");
    const auto& info = x.p.info();
    if (info.form == form::ide || info.highest_index > 1)
        throw bad_request("--to sbml: " + info.id + " is " +
                          (info.form == form::ide ? "an implicit problem" : "a DAE of index " + std::to_string(info.highest_index)) +
                          ", which SBML cannot express; allowed: ODEs, and DAEs of index 1 with a diagonal mass matrix");
    std::vector<double> diagonal(x.y0.size(), info.form == form::dae ? 0.0 : 1.0);
    for (const auto& [i, j, v] : x.mass) {
        if (i != j)
            throw bad_request("--to sbml: the mass matrix of " + info.id +
                              " is not diagonal, which SBML cannot express; allowed: ODEs, and DAEs of index 1 with a diagonal mass matrix");
        diagonal[static_cast<std::size_t>(i)] = v;
    }
    fresh_names free;
    const auto names = state_names(x, free);
    std::string rules;
    std::string parts;
    const math_dialect d(names);
    const auto rows = rows_of(x.graph, d, info.n, part_names(free), [&](const std::string& name, const piece& value) {
        parts += "      <parameter id=\"" + name + "\" constant=\"false\"/>\n";
        rules += "      <assignmentRule variable=\"" + name + "\">" + math_element(value) + "</assignmentRule>\n";
    });
    std::string states;
    const auto start = x.p.in<quad>().initial_values();
    for (std::size_t i = 0; i < names.size(); ++i) {
        states += "      <parameter id=\"" + names[i] + "\" value=\"" + exact_text(start[i]) + "\" constant=\"false\"";
        if (!info.component_names.empty() && info.component_names[i] != names[i]) states += " name=\"" + html_escaped(info.component_names[i]) + "\"";
        states += "/>\n";
        std::string value = rows[i].text;
        if (diagonal[i] != 0 && diagonal[i] != 1)
            value = d.divided(piece::plain(value), d.constant(x.p.in<quad>().mass().at(static_cast<int>(i), static_cast<int>(i)))).text;
        rules += diagonal[i] == 0 ? "      <algebraicRule>" + math_element(piece::plain(value)) + "</algebraicRule>\n"
                                  : "      <rateRule variable=\"" + names[i] + "\">" + math_element(piece::plain(value)) + "</rateRule>\n";
    }
    return sbml_file(x.head(), x.name, info,
                     "    <listOfParameters>\n" + states + parts + "    </listOfParameters>\n    <listOfRules>\n" + rules + "    </listOfRules>\n");
}

std::string in_latex(const exported_problem& x)
{
    const auto [graph, below] = with_domain_apart(x, "latex");
    const auto& info = x.p.info();
    const tex_dialect d(info.n);
    std::string all;
    for (const auto& l : x.head()) all += "% " + l + "\n";
    all += "% Packages: amsmath\n\\allowdisplaybreaks\n\\begin{align*}\n";
    int parts = 0;
    const auto rows = rows_of(
        graph, d, info.n + static_cast<int>(below.size()), [&parts] { return "w_{" + std::to_string(++parts) + "}"; },
        [&all](const std::string& name, const piece& value) { all += name + " &= " + value.text + " \\\\\n"; });
    for (std::size_t i = 0; i < x.y0.size(); ++i) {
        std::string left;
        if (info.form == form::ode) left = d.derivative(static_cast<int>(i)).text;
        for (const auto& [row, column, v] : x.mass) {
            if (row != static_cast<int>(i)) continue;
            left += left.empty() ? (v < 0 ? "-" : "") : v < 0 ? " - " : " + ";
            left += (std::abs(v) == 1 ? "" : d.number(quad(std::abs(v))) + "\\, ") + d.derivative(column).text;
        }
        all += (left.empty() ? "0" : left) + " &= " + rows[i].text + (i + 1 < x.y0.size() ? " \\\\\n" : "\n");
    }
    all += "\\end{align*}\n";
    for (std::size_t k = 0; k < below.size(); ++k)
        all += std::string(k == 0 ? "where " : "and ") + "$" + rows[x.y0.size() + k].text + (below[k] ? " < 0$" : " \\ge 0$") + "\n";
    all += "with $t$ from $" + d.number(quad(info.t0.value())) + "$ to $" + d.number(quad(info.tend.value())) + "$ and\n\\begin{align*}\n";
    for (std::size_t i = 0; i < x.y0.size(); ++i)
        all += d.variable(static_cast<int>(i)).text + "(" + d.number(quad(info.t0.value())) + ") &= " + d.number(quad(x.y0[i])) +
               (x.has_reference() ? ", & " + d.variable(static_cast<int>(i)).text + "(" + d.number(quad(info.tend.value())) + ") &\\approx " +
                                        d.number(quad(x.reference(i)))
                                  : "") +
               (i + 1 < x.y0.size() ? " \\\\\n" : "\n");
    return all + "\\end{align*}\n";
}

} // namespace ivp::text
