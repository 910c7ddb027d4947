#include "text/chapter.hpp"

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "text/formula.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ivp::text {

namespace {

constexpr std::size_t most_lines = 80; ///< of a table or of equations: more are counted, not shown

/// A cell of a table of Markdown.
std::string cell(std::string_view text)
{
    std::string out;
    for (const char c : plain_line(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
}

std::string left_out(std::size_t all) { return all > most_lines ? fmt::format("\n{} more are not shown.\n", all - most_lines) : std::string{}; }

std::string state_tex(const model& m, int state)
{
    const auto k = static_cast<std::size_t>(state);
    std::string name = name_tex(m.text->symbol(m.text->declared(m.declaration_of[k]).symbol));
    if (m.indices_of[k].empty()) return name;
    name += "_{";
    for (std::size_t dim = 0; dim < m.indices_of[k].size(); ++dim) name += (dim > 0 ? "," : "") + std::to_string(m.indices_of[k][dim].second);
    return name + "}";
}

std::string reactions_section(const model& m)
{
    if (m.reactions.empty()) return {};
    std::string text = "| reaction | rate |\n|---|---|\n";
    for (std::size_t k = 0; k < std::min(m.reactions.size(), most_lines); ++k) {
        const auto& r = m.reactions[k];
        text += fmt::format("| {} | ${}$ |\n", cell(reaction_text(m, r)), formula_tex(m, r.rate, r.env));
    }
    return text + left_out(m.reactions.size()) + "\n";
}

/// The differential equations that the reactions give.
std::string network_equations(const model& m)
{
    if (m.reactions.empty() || m.n > static_cast<int>(most_lines)) return {};
    std::string text;
    for (int i = 0; i < m.n; ++i) {
        std::string right;
        for (std::size_t r = 0; r < m.reactions.size(); ++r)
            for (const auto& [state, net] : m.reactions[r].net) {
                if (state != i) continue;
                const std::string size = billionths{std::abs(net.n)}.text();
                right += net.n < 0 ? (right.empty() ? "-" : " - ") : right.empty() ? "" : " + ";
                right += (size == "1" ? "" : size + "\\, ") + "r_{" + std::to_string(r + 1) + "}";
            }
        if (!right.empty())
            text += fmt::format("$${}' = {}{}$$\n\n", state_tex(m, i), right, m.has_equation[static_cast<std::size_t>(i)] != 0 ? " + \\ldots" : "");
    }
    return text.empty() ? text : "With $r_k$ the rate of the reaction in line $k$ of the table:\n\n" + text;
}

std::string written_equations(const model& m)
{
    const document& d = *m.text;
    std::string text;
    std::size_t lines = 0;
    const auto range = [&](const loop_head& loops) {
        std::string all;
        for (const auto& v : loops.variables)
            all += fmt::format(",\\quad {} = {}, \\ldots, {}", name_tex(d.symbol(v.symbol)), formula_tex(m, v.from, {}), formula_tex(m, v.to, {}));
        return all;
    };
    for (const auto& q : d.equations) {
        if (++lines > most_lines) continue;
        text += fmt::format("$${} = {}{}$$\n\n", formula_tex(m, q.left, {}), formula_tex(m, q.right, {}), range(q.loops));
    }
    text += left_out(d.equations.size());
    std::string lets;
    lines = 0;
    for (const auto& n : d.declarations) {
        if (n.what != meaning::let || ++lines > most_lines) continue;
        std::string index;
        if (!n.dims.empty()) index = n.dims.size() == 2 ? "_{i,j}" : "_{i}";
        lets += fmt::format("$${}{} = {}$$\n\n", name_tex(d.symbol(n.symbol)), index, formula_tex(m, n.value, {}));
    }
    if (!lets.empty()) text += "Here\n\n" + lets;
    return text;
}

std::string parameters_section(const model& m)
{
    std::string text;
    for (const auto& p : parameters_of(*m.text))
        text += fmt::format("| ${}$ | {} | {} |\n", name_tex(p.name), m.parameters.exact(p.name).text(), cell(p.meaning));
    return text.empty() ? text : "| parameter | value | meaning |\n|---|---|---|\n" + text + "\n";
}

} // namespace

std::string chapter_of(const model& m, const problem_info& info)
{
    const document& d = *m.text;
    std::string text = "# " + info.title + "\n\n";
    text += "## General information\n\n";
    const char* const kind = info.form == form::ode   ? "a system of ordinary differential equations"
                             : info.form == form::dae ? "a differential-algebraic system"
                                                      : "an implicit system";
    text += fmt::format("The problem is {} with {}, read from a text. ", kind, counted(static_cast<std::uint64_t>(info.n), "equation"));
    if (!m.reactions.empty()) text += fmt::format("It is made of {}. ", counted(m.reactions.size(), "reaction"));
    if (m.kinks_in_states) text += "Its formulas have conditions on states: the solution has kinks at times that are not known in advance. ";
    text += "\n\n";
    if (!info.quantity_of_interest.empty()) text += "Quantity of interest: " + info.quantity_of_interest + ".\n\n";
    if (!d.references.empty()) {
        text += "Reference values at the end point:\n\n";
        for (const auto& a : d.references)
            text += fmt::format("- {} = {}{}\n", formula_text(m, a.target, {}), a.number, a.digits.empty() ? "" : " (" + a.digits + " digits)");
        text += "\n";
    }
    text += "Fingerprint of the text (SHA-256): `" + sha256(d.text.text()) + "`\n\n";
    text += "## Mathematical description\n\n";
    text += reactions_section(m) + network_equations(m) + written_equations(m);
    text += fmt::format("The interval is from {} to {}.\n\n", m.t0.text(), m.tend.text());
    text += parameters_section(m);
    if (d.has_chapter && !d.chapter.empty()) {
        text += "## Origin of the problem\n\n";
        text += d.chapter;
        if (!text.ends_with('\n')) text += "\n";
    }
    return repaired_utf8(text);
}

} // namespace ivp::text
