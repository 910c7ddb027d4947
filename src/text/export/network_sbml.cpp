// A text with reactions as SBML: species, reactions with their laws, parameters by name.
#include "base/escape.hpp"
#include "base/text.hpp"
#include "text/export/export.hpp"
#include "text/export/mathml.hpp"
#include "text/formula.hpp"
#include "text/import/import.hpp"
#include "text/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ivp::text {

namespace {

/// SBML does not have it.
struct no_such_thing {};

std::string_view math_comparison(char sign)
{
    switch (sign) {
    case '<': return "lt";
    case 'l': return "leq";
    case '>': return "gt";
    case 'g': return "geq";
    case '=': return "eq";
    default: return "neq";
    }
}

class network_writer {
public:
    explicit network_writer(const model& m) : m_(m), d_(*m.text) {}

    /// Throws no_such_thing.
    std::string lists()
    {
        refuse_what_sbml_lacks();
        for (const auto& s : d_.symbols) (void)free_.take(s);
        compartment_ = free_.take("compartment_1");
        for (const auto& d : d_.declarations) declare(d);
        for (std::size_t i = 0; i < m_.names.size(); ++i) state(i);
        for (const auto& r : m_.reactions) reaction(r);
        const auto list = [](std::string_view name, const std::string& content) {
            return content.empty() ? std::string{} : fmt::format("    <{0}>\n{1}    </{0}>\n", name, content);
        };
        return list("listOfCompartments",
                    fmt::format("      <compartment id=\"{}\" size=\"1\" spatialDimensions=\"3\" constant=\"true\"/>\n", compartment_)) +
               list("listOfSpecies", species_) + list("listOfParameters", parameters_) + list("listOfInitialAssignments", assignments_) +
               list("listOfRules", rules_) + list("listOfReactions", reactions_);
    }

private:
    void refuse_what_sbml_lacks() const
    {
        const bool arrays = std::ranges::any_of(d_.declarations, [](const declaration& d) { return !d.dims.empty() || d.what == meaning::table; });
        if (m_.form != form::ode || arrays || !d_.requirements.empty() || m_.reactions.empty()) throw no_such_thing{};
    }

    [[nodiscard]] const expression& at(expr e) const { return m_.code.expressions[static_cast<std::size_t>(e)]; }

    [[nodiscard]] piece math(expr e) const
    {
        const expression& x = at(e);
        const auto part = [&](std::size_t k) { return math(x.parts[k]); };
        const auto all_parts = [&] {
            std::string all;
            for (std::size_t k = 0; k < x.parts.size(); ++k) all += part(k).text;
            return all;
        };
        switch (x.kind) {
        case expr_kind::number: return math_dialect::as_cn(x.number);
        case expr_kind::name:
            if (x.means == meaning::time) return math_.time();
            if (x.means == meaning::pi) return piece::plain("<pi/>");
            if (!x.parts.empty() || x.means == meaning::index) throw no_such_thing{};
            return math_.part(d_.symbol(x.symbol));
        case expr_kind::negate: return math_.negative(part(0));
        case expr_kind::sum:
        case expr_kind::product: return chained(x);
        case expr_kind::power: return math_dialect::apply("power", all_parts());
        case expr_kind::compare: return math_dialect::apply(math_comparison(x.signs[0]), all_parts());
        case expr_kind::both: return math_dialect::apply("and", all_parts());
        case expr_kind::either: return math_dialect::apply("or", all_parts());
        case expr_kind::no: return math_dialect::apply("not", all_parts());
        case expr_kind::choice: return math_dialect::either(part(0), part(1), part(2));
        case expr_kind::call: return call(x);
        default: throw no_such_thing{};
        }
    }

    [[nodiscard]] piece chained(const expression& x) const
    {
        const bool is_sum = x.kind == expr_kind::sum;
        piece all = math(x.parts[0]);
        if (x.signs[0] == '-') all = math_.negative(std::move(all));
        if (x.signs[0] == '/') all = math_.divided(piece::plain("<cn>1</cn>"), std::move(all));
        for (std::size_t k = 1; k < x.parts.size(); ++k) {
            piece next = math(x.parts[k]);
            all = x.signs[k] == '-'   ? math_.subtracted(std::move(all), std::move(next))
                  : x.signs[k] == '/' ? math_.divided(std::move(all), std::move(next))
                  : is_sum            ? math_.added(std::move(all), std::move(next))
                                      : math_.multiplied(std::move(all), std::move(next));
        }
        return all;
    }

    [[nodiscard]] piece call(const expression& x) const
    {
        const piece a = math(x.parts[0]);
        const auto second = [&] { return math(x.parts[1]); };
        const auto compare = [](std::string_view sign, const piece& l, const piece& r) { return math_dialect::apply(sign, l.text + r.text); };
        const piece zero = piece::plain("<cn>0</cn>");
        switch (x.callee) {
        case function::abs: return math_dialect::apply("abs", a.text);
        case function::floor: return math_dialect::apply("floor", a.text);
        case function::log10: return math_dialect::apply("log", "<logbase><cn>10</cn></logbase>" + a.text);
        case function::sign:
            return math_dialect::either(compare("gt", a, zero), piece::plain("<cn>1</cn>"),
                                        math_dialect::either(compare("lt", a, zero), piece::plain("<cn>-1</cn>"), zero));
        case function::min: return math_dialect::either(compare("lt", second(), a), second(), a);
        case function::max: return math_dialect::either(compare("lt", a, second()), second(), a);
        case function::mod: return math_.subtracted(a, math_.multiplied(second(), math_dialect::apply("floor", math_.divided(a, second()).text)));
        case function::pow: return math_dialect::apply("power", a.text + second().text);
        case function::atan2:
        case function::table: throw no_such_thing{};
        default: return math_.called(name_of(x.callee), a);
        }
    }

    /// The value as an attribute if it is a number, else an initial assignment.
    std::string value(std::string_view attribute, const std::string& id, expr e, bool negative)
    {
        const expression& x = at(e);
        const bool minus = x.kind == expr_kind::negate && at(x.parts[0]).kind == expr_kind::number;
        if (x.kind == expr_kind::number || minus) {
            std::string digits((minus ? at(x.parts[0]) : x).number);
            std::ranges::replace_if(
                digits, [](char c) { return c == 'd' || c == 'D'; }, 'e'); // 1d-3, as Fortran has it
            return fmt::format(" {}=\"{}{}\"", attribute, minus != negative ? "-" : "", digits);
        }
        piece formula = math(e);
        if (negative) formula = math_.negative(std::move(formula));
        assignments_ += fmt::format("      <initialAssignment symbol=\"{}\">{}</initialAssignment>\n", id, math_element(formula));
        return {};
    }

    static std::string named(std::string_view text) { return text.empty() ? "" : " name=\"" + html_escaped(text) + "\""; }

    void add_species(const std::string& id, std::string_view text, expr start, bool negative, bool fixed)
    {
        species_ += fmt::format("      <species id=\"{}\"{} compartment=\"{}\"{} hasOnlySubstanceUnits=\"true\" boundaryCondition=\"{}\" "
                                "constant=\"{}\"/>\n",
                                id, named(text), compartment_, value("initialAmount", id, start, negative), fixed, fixed);
        is_species_.insert(id);
    }

    void declare(const declaration& d)
    {
        const std::string& id = d_.symbol(d.symbol);
        if (d.what == meaning::parameter)
            parameters_ +=
                fmt::format("      <parameter id=\"{}\"{} value=\"{}\" constant=\"true\"/>\n", id, named(d.text), m_.parameters.exact(id).text());
        if (d.what == meaning::constant)
            parameters_ += fmt::format("      <parameter id=\"{}\"{}{} constant=\"true\"/>\n", id, named(d.text), value("value", id, d.value, false));
        if (d.what == meaning::fixed) add_species(id, d.text, d.value, false, true);
        if (d.what == meaning::let) {
            parameters_ += fmt::format("      <parameter id=\"{}\"{} constant=\"false\"/>\n", id, named(d.text));
            rules_ += fmt::format("      <assignmentRule variable=\"{}\">{}</assignmentRule>\n", id, math_element(math(d.value)));
        }
    }

    void state(std::size_t i)
    {
        const auto& d = d_.declared(m_.declaration_of[i]);
        const auto& start = m_.start[i];
        const bool in_reaction = std::ranges::any_of(m_.reactions, [&](const network_reaction& r) {
            return std::ranges::any_of(r.net, [&](const auto& change) { return change.first == static_cast<int>(i); });
        });
        if (m_.has_equation[i] == 0) return add_species(m_.names[i], d.text, start.e, start.negative, false);
        if (in_reaction || m_.row_expression[i] < 0) throw no_such_thing{}; // an equation beside reactions
        parameters_ += fmt::format("      <parameter id=\"{}\"{}{} constant=\"false\"/>\n", m_.names[i], named(d.text),
                                   value("value", m_.names[i], start.e, start.negative));
        rules_ += fmt::format("      <rateRule variable=\"{}\">{}</rateRule>\n", m_.names[i], math_element(math(m_.row_expression[i])));
    }

    /// Species that a law names, for the list of modifiers.
    void collect_species(expr e, std::set<std::string>& names) const
    {
        const expression& x = at(e);
        if (x.kind == expr_kind::name && is_species_.contains(d_.symbol(x.symbol))) names.insert(d_.symbol(x.symbol));
        for (const expr part : x.parts) collect_species(part, names);
    }

    void reaction(const network_reaction& r)
    {
        const std::string id = free_.take(r.text.empty() ? fmt::format("r{}", ++unnamed_) : std::string(r.text));
        std::set<std::string> modifiers;
        collect_species(r.rate, modifiers);
        const auto side = [&](std::string_view list, const std::vector<network_reaction::part>& parts) {
            std::string all;
            for (const auto& part : parts) {
                const std::string name = part.state >= 0 ? m_.names[static_cast<std::size_t>(part.state)] : formula_text(m_, part.name, part.env);
                modifiers.erase(name);
                all += fmt::format("          <speciesReference species=\"{}\" stoichiometry=\"{}\" constant=\"true\"/>\n", name,
                                   part.coefficient.text());
            }
            return all.empty() ? all : fmt::format("        <{0}>\n{1}        </{0}>\n", list, all);
        };
        reactions_ += fmt::format("      <reaction id=\"{}\"{} reversible=\"false\" fast=\"false\">\n", id, named(r.text));
        reactions_ += side("listOfReactants", r.reactants) + side("listOfProducts", r.products);
        if (!modifiers.empty()) {
            reactions_ += "        <listOfModifiers>\n";
            for (const auto& m : modifiers) reactions_ += fmt::format("          <modifierSpeciesReference species=\"{}\"/>\n", m);
            reactions_ += "        </listOfModifiers>\n";
        }
        reactions_ += "        <kineticLaw>" + math_element(math(r.rate)) + "</kineticLaw>\n      </reaction>\n";
    }

    const model& m_;
    const document& d_;
    math_dialect math_;
    fresh_names free_;
    std::string compartment_, species_, parameters_, assignments_, rules_, reactions_;
    std::set<std::string> is_species_;
    int unnamed_ = 0;
};

} // namespace

std::string sbml_file(const std::vector<std::string>& head, const std::string& name, const problem_info& info, const std::string& lists)
{
    std::string all = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    for (std::string text : head) {
        for (auto at = text.find("--"); at != std::string::npos; at = text.find("--", at)) text.replace(at, 2, "- -"); // not allowed in a comment
        all += "<!-- " + html_escaped(text) + " -->\n";
    }
    all += "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\">\n  <model id=\"" + name + "\" name=\"" +
           html_escaped(plain_line(info.title, 200)) + "\">\n";
    all += "    <annotation><interval xmlns=\"urn:ivp\" from=\"" + info.t0.text() + "\" to=\"" + info.tend.text() + "\"/></annotation>\n";
    return all + lists + "  </model>\n</sbml>\n";
}

std::optional<std::string> network_in_sbml(const problem& p, const std::string& path, const std::map<std::string, std::string>& parameters,
                                           const std::string& command)
{
    auto [name, content] = text_of_model(path);
    const auto d = read_document(name, std::move(content));
    const auto m = build_model(d, parameter_values(parameters_of(*d), parameters));
    try {
        const std::string lists = network_writer(*m).lists();
        exported_problem x{p, {}, {}, command, p.in<double>().initial_values(), {}, {}};
        fresh_names names;
        return sbml_file(x.head(), names.take(p.id()), p.info(), lists);
    } catch (const no_such_thing&) {
        return std::nullopt;
    }
}

} // namespace ivp::text
