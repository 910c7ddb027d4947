// Models of other formats: BioNetGen networks and SBML give the trajectories that their formats say.
#include "allocation_counter.hpp"
#include "text/import/import.hpp"
#include "text/import/xml.hpp"
#include "text/outputs.hpp"
#include "text/text_problem.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace ivp {

namespace {

constexpr double tolerance = 1e-9;

/// States and outputs at a time, by name.
std::map<std::string, double> at_time(const problem& p, double t)
{
    run_settings s;
    s.rtol = 1e-11;
    s.atol = {1e-13};
    s.tend = t;
    s.repeat = 1;
    const run_record r = measure_run(p, *open_solver("radau5"), s);
    EXPECT_EQ(r.outcome, outcome::success) << r.message;
    std::map<std::string, double> all;
    for (std::size_t i = 0; i < r.y.size(); ++i) all[p.info().component_names[i]] = r.y[i];
    if (const has_outputs* const o = outputs_of(p)) {
        std::vector<double> values(o->output_names().size());
        EXPECT_TRUE(o->outputs(t, r.y.data(), values.data()));
        for (std::size_t k = 0; k < values.size(); ++k) all[o->output_names()[k]] = values[k];
    }
    return all;
}

problem from_net(const std::string& text, const std::map<std::string, std::string>& set = {})
{
    return text_problem("model.net as a text", text::text_from_net("model.net", text), set);
}

std::string sbml(const std::string& model, const std::string& level = R"(level="3" version="1")")
{
    return R"(<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml" )" +
           level + R"(><model id="m">)" + model + "</model></sbml>";
}

problem from_sbml(const std::string& model, const std::string& level = R"(level="3" version="1")")
{
    return text_problem("model.xml as a text", text::text_from_sbml("model.xml", sbml(model, level)), {});
}

// Pieces of SBML.
std::string math(const std::string& inner) { return R"(<math xmlns="http://www.w3.org/1998/Math/MathML">)" + inner + "</math>"; }
std::string ci(const std::string& id) { return "<ci> " + id + " </ci>"; }
std::string cn(const std::string& number) { return "<cn>" + number + "</cn>"; }
std::string applied(const std::string& f, const std::string& arguments) { return "<apply><" + f + "/>" + arguments + "</apply>"; }
std::string compartment(const std::string& attributes = R"(size="1" constant="true")")
{
    return R"(<listOfCompartments><compartment id="c" )" + attributes + "/></listOfCompartments>";
}
std::string species(const std::string& id, const std::string& attributes)
{
    return "<species id=\"" + id + R"(" compartment="c" )" + attributes + "/>";
}
std::string sbml_parameter(const std::string& id, const std::string& value, bool constant = true)
{
    return "<parameter id=\"" + id + "\" value=\"" + value + "\" constant=\"" + (constant ? "true" : "false") + "\"/>";
}
std::string reference(const std::string& id, const std::string& n = "1")
{
    return "<speciesReference species=\"" + id + "\" stoichiometry=\"" + n + R"(" constant="true"/>)";
}
std::string reaction(const std::string& id, const std::string& reactants, const std::string& products, const std::string& law,
                     const std::string& locals = "")
{
    return "<reaction id=\"" + id + R"(" reversible="false" fast="false">)" +
           (reactants.empty() ? "" : "<listOfReactants>" + reactants + "</listOfReactants>") +
           (products.empty() ? "" : "<listOfProducts>" + products + "</listOfProducts>") + "<kineticLaw>" + math(law) + locals +
           "</kineticLaw></reaction>";
}
std::string list(const std::string& name, const std::string& inner) { return "<listOf" + name + ">" + inner + "</listOf" + name + ">"; }

std::string refusal(const std::string& model, const std::string& level = R"(level="3" version="1")")
{
    try {
        (void)from_sbml(model, level);
    } catch (const bad_request& e) {
        return e.what();
    }
    return "nothing was refused";
}

std::string net_refusal(const std::string& text)
{
    try {
        (void)from_net(text);
    } catch (const bad_request& e) {
        return e.what();
    }
    return "nothing was refused";
}

void expect_in(const std::string& text, const std::string& part) { EXPECT_NE(text.find(part), std::string::npos) << text; }

const std::string decay = "begin parameters\n    1 k 2  # Constant\n    2 half k/2  # ConstantExpression\nend parameters\n"
                          "begin species\n    1 A(b~0!1).B(a!1) 3\n    2 C() 0\n    3 $D() 5\nend species\n";

} // namespace

// ---- BioNetGen ----

TEST(Net, ParametersSpeciesReactionsAndGroups)
{
    const problem p = from_net(decay + "begin reactions\n 1 1 2 half #_R1\nend reactions\nbegin groups\n 1 Both 1,2*2\nend groups\n");
    const auto y = at_time(p, 1);
    EXPECT_NEAR(y.at("s1"), 3 * std::exp(-1), tolerance);
    EXPECT_NEAR(y.at("Both"), 3 * std::exp(-1) + 2 * 3 * (1 - std::exp(-1)), tolerance);
    EXPECT_EQ(p.n(), 2); // what is fixed does not change
    const auto faster = at_time(from_net(decay + "begin reactions\n 1 1 2 half\nend reactions\n", {{"k", "4"}}), 1);
    EXPECT_NEAR(faster.at("s1"), 3 * std::exp(-2), tolerance);
}

TEST(Net, FactorsFixedSpeciesAndSources)
{
    // 2 A -> C with 0.5 k: A' = -2 (0.5 k) A^2; 0 -> C; C -> 0; fixed D takes part and stays.
    const auto y = at_time(from_net(decay + "begin reactions\n 1 1,1 2 0.5*k\nend reactions\n"), 1);
    EXPECT_NEAR(y.at("s1"), 3 / (1 + 2.0 * 3), tolerance);
    const auto source = at_time(from_net(decay + "begin reactions\n 1 0 2 k\n 2 2 0 k\nend reactions\n"), 1);
    EXPECT_NEAR(source.at("s2"), 1 - std::exp(-2), tolerance);
    const auto fixed = at_time(from_net(decay + "begin reactions\n 1 3 3,2 k\nend reactions\n"), 1);
    EXPECT_NEAR(fixed.at("s2"), 10, tolerance);
}

TEST(Net, FunctionsOfGroupsAndTime)
{
    const std::string functions = "begin functions\n 1 f() if(Total>1,k*exp(ln(2)),0)\n 2 g() f()*time()\nend functions\n";
    const auto y = at_time(from_net(decay + functions + "begin reactions\n 1 0 2 g\nend reactions\nbegin groups\n 1 Total 1\nend groups\n"), 2);
    EXPECT_NEAR(y.at("s2"), 8, tolerance); // 4 t from 0 to 2
}

TEST(Net, SaturationAndMichaelisMenten)
{
    const auto rate_at_start = [](const std::string& law) {
        const problem p = from_net(
            "begin parameters\n1 k 2\n2 K 4\nend parameters\nbegin species\n1 S() 3\n2 E() 5\n3 P() 0\nend species\nbegin reactions\n1 1,2 3,2 " +
            law + "\nend reactions\n");
        const auto y = p.in<double>().initial_values();
        std::vector<double> out(y.size());
        (void)p.in<double>().f(0, y.data(), out.data());
        return out[2];
    };
    EXPECT_NEAR(rate_at_start("k"), 2 * 3 * 5, 1e-14);
    EXPECT_NEAR(rate_at_start("Sat k K"), 2.0 * 3 * 5 / (4 + 3), 1e-14);
    EXPECT_NEAR(rate_at_start("0.5*Sat k K"), 0.5 * 2 * 3 * 5 / (4 + 3), 1e-14);
    // Free substrate: S^2 + (K + E - S0) S - K S0 = 0 with K = 4, E = 5, S0 = 3.
    const double free = (-6 + std::sqrt(36.0 + 48)) / 2;
    EXPECT_NEAR(rate_at_start("MM k K"), 2 * 5 * free / (4 + free), 1e-13);
}

TEST(Net, FaultsHaveTheirPlace)
{
    expect_in(net_refusal(decay + "begin reactions\n 1 1 2 Hill k k 2\nend reactions\n"), "model.net:11:8: the rate law 'Hill' is refused");
    expect_in(net_refusal(decay + "begin reactions\n 1 1 9 k\nend reactions\n"),
              "model.net:11:6: the species '9' found; allowed: numbers from 1 to 3");
    expect_in(net_refusal(decay + "begin reactions\n 1 1 2 kk\nend reactions\n"), "unknown name 'kk'");
    expect_in(net_refusal(decay + "begin functions\n 1 f(x) x\nend functions\n"), "the function 'f' has arguments, which is refused");
    expect_in(net_refusal(decay + "setConcentration(\"C()\",5)\n"), "actions are refused");
    expect_in(net_refusal(decay + "begin groups\n"), "the block 'groups' has no end");
    expect_in(net_refusal(decay + "begin parameters\n 1 q mratio(1,2,3)\nend parameters\n"), "the function 'mratio' is refused");
    expect_in(net_refusal(""), "no species found");
}

TEST(Net, FunctionsOfFunctionsAreBounded)
{
    const auto nested = [](int deep) {
        std::string x = "k";
        for (int d = 0; d < deep; ++d) x = "asinh(" + x + ")";
        return "begin parameters\n k 2\n a " + x + "\nend parameters\nbegin species\n 1 A() a\nend species\n";
    };
    EXPECT_EQ(net_refusal(nested(3)), "nothing was refused");
    expect_in(net_refusal(nested(40)), "model.net:3:");
    expect_in(net_refusal(nested(40)), "a formula that is too long when functions are written out; allowed: at most 1048576 characters");
    // Each formula is short enough, all together are not.
    std::string many = "begin parameters\n k 2\n";
    for (int k = 0; k < 3000; ++k)
        many += " a" + std::to_string(k) + " " + std::string(8 * 10, ' ') + [] {
            std::string x = "k";
            for (int d = 0; d < 10; ++d) x = "asinh(" + x + ")";
            return x;
        }() + "\n";
    expect_in(net_refusal(many + "end parameters\nbegin species\n 1 A() k\nend species\n"), "formulas that are together too long");
}

TEST(Net, NamesThatATextCannotHave)
{
    const problem p = from_net("begin parameters\n1 rate 2\n2 t 3\n3 s1 1\nend parameters\nbegin species\n1 A() t\nend species\nbegin reactions\n1 1 "
                               "0 rate\nend reactions\nbegin groups\n1 s2 1\n2 delay 1\nend groups\n");
    const auto y = at_time(p, 1);
    EXPECT_NEAR(y.at("s1_"), 3 * std::exp(-2), tolerance);
    EXPECT_NEAR(y.at("delay_"), 3 * std::exp(-2), tolerance);
}

// ---- SBML: one construct each ----

TEST(Sbml, ReactionWithGlobalParameter)
{
    const auto y =
        at_time(from_sbml(compartment() + list("Species", species("A", R"(initialConcentration="4")") + species("B", R"(initialConcentration="0")")) +
                          list("Parameters", sbml_parameter("k", "0.5")) +
                          list("Reactions", reaction("r", reference("A"), reference("B", "2"), applied("times", ci("k") + ci("A") + ci("c"))))),
                2);
    EXPECT_NEAR(y.at("A"), 4 * std::exp(-1), tolerance);
    EXPECT_NEAR(y.at("B"), 8 * (1 - std::exp(-1)), tolerance);
}

TEST(Sbml, CompartmentSizes)
{
    // The law is an amount per time: in a volume of 2 the concentration falls with k/2.
    const auto y =
        at_time(from_sbml(compartment(R"(size="2" constant="true")") +
                          list("Species", species("A", R"(initialAmount="6")") + species("B", R"(initialAmount="0" hasOnlySubstanceUnits="true")")) +
                          list("Parameters", sbml_parameter("k", "3")) +
                          list("Reactions", reaction("r", reference("A"), reference("B"), applied("times", ci("k") + ci("A"))))),
                1);
    EXPECT_NEAR(y.at("A"), 3 * std::exp(-1.5), tolerance);       // a concentration
    EXPECT_NEAR(y.at("B"), 6 * (1 - std::exp(-1.5)), tolerance); // an amount
}

TEST(Sbml, BoundaryAndConstantSpecies)
{
    const auto y =
        at_time(from_sbml(compartment() +
                          list("Species", species("S", R"(initialConcentration="3" boundaryCondition="true" constant="false")") +
                                              species("K", R"(initialConcentration="2" boundaryCondition="true" constant="true")") +
                                              species("P", R"(initialConcentration="1")")) +
                          list("Reactions", reaction("r", reference("S") + reference("K"), reference("P"), applied("times", ci("S") + ci("K"))))),
                2);
    EXPECT_NEAR(y.at("P"), 1 + 12, tolerance);
    EXPECT_EQ(y.size(), 1U);
}

TEST(Sbml, LocalParametersHideGlobalOnes)
{
    const std::string locals = "<listOfLocalParameters><localParameter id=\"k\" value=\"1\"/></listOfLocalParameters>";
    const auto y =
        at_time(from_sbml(compartment() + list("Species", species("A", R"(initialConcentration="1")") + species("B", R"(initialConcentration="1")")) +
                          list("Parameters", sbml_parameter("k", "5")) +
                          list("Reactions", reaction("r1", reference("A"), "", applied("times", ci("k") + ci("A")), locals) +
                                                reaction("r2", reference("B"), "", applied("times", ci("k") + ci("B"))))),
                1);
    EXPECT_NEAR(y.at("A"), std::exp(-1), tolerance);
    EXPECT_NEAR(y.at("B"), std::exp(-5), tolerance);
    // Level 2 writes them as parameters.
    const std::string old = "<listOfParameters><parameter id=\"k\" value=\"1\"/></listOfParameters>";
    const auto level2 =
        at_time(from_sbml(compartment(R"(size="1")") + list("Species", species("A", R"(initialConcentration="1")")) +
                              list("Reactions", reaction("r1", "<speciesReference species=\"A\"/>", "", applied("times", ci("k") + ci("A")), old)),
                          R"(level="2" version="4")"),
                1);
    EXPECT_NEAR(level2.at("A"), std::exp(-1), tolerance);
}

TEST(Sbml, AssignmentRule)
{
    const auto y = at_time(
        from_sbml(list("Parameters", sbml_parameter("x", "2", false) + sbml_parameter("twice", "0", false)) +
                  list("Rules", "<rateRule variable=\"x\">" + math(applied("minus", ci("twice"))) + "</rateRule><assignmentRule variable=\"twice\">" +
                                    math(applied("times", cn("2") + ci("x"))) + "</assignmentRule>")),
        1);
    EXPECT_NEAR(y.at("x"), 2 * std::exp(-2), tolerance);
    EXPECT_NEAR(y.at("twice"), 4 * std::exp(-2), tolerance);
}

TEST(Sbml, RateRuleOfACompartment)
{
    // The volume grows, nothing reacts away: amount 6 in a volume 2 + t.
    const auto y = at_time(
        from_sbml(compartment(R"(size="2" constant="false")") +
                  list("Species", species("A", R"(initialConcentration="3")") + species("B", R"(initialAmount="0" hasOnlySubstanceUnits="true")")) +
                  list("Rules", "<rateRule variable=\"c\">" + math(cn("1")) + "</rateRule>") +
                  list("Reactions", reaction("r", reference("A"), reference("B"), ci("A")))),
        1);
    // a' = -a/(2 + t): a = 12/(2 + t)
    EXPECT_NEAR(y.at("c"), 3, tolerance);
    EXPECT_NEAR(y.at("A_amount"), 4, tolerance);
    EXPECT_NEAR(y.at("A"), 4.0 / 3, tolerance);
    EXPECT_NEAR(y.at("B"), 2, tolerance);
}

TEST(Sbml, InitialAssignment)
{
    // x = 2 k, y = x(0)^2 at the start; y' = -y, x' = 1.
    const auto y =
        at_time(from_sbml(list("Parameters", sbml_parameter("k", "3") + sbml_parameter("x", "0", false) + sbml_parameter("y", "0", false)) +
                          list("InitialAssignments", "<initialAssignment symbol=\"x\">" + math(applied("times", cn("2") + ci("k"))) +
                                                         "</initialAssignment><initialAssignment symbol=\"y\">" +
                                                         math(applied("power", ci("x") + cn("2"))) + "</initialAssignment>") +
                          list("Rules", "<rateRule variable=\"x\">" + math(cn("1")) + "</rateRule><rateRule variable=\"y\">" +
                                            math(applied("minus", ci("y"))) + "</rateRule>")),
                1);
    EXPECT_NEAR(y.at("x"), 7, tolerance);
    EXPECT_NEAR(y.at("y"), 36 * std::exp(-1), tolerance);
}

TEST(Sbml, FunctionDefinition)
{
    const std::string f =
        "<functionDefinition id=\"f\">" +
        math("<lambda><bvar>" + ci("a") + "</bvar><bvar>" + ci("b") + "</bvar>" + applied("minus", ci("a") + ci("b")) + "</lambda>") +
        "</functionDefinition>";
    // x' = f(1, f(x, 2)) = 1 - (x - 2) = 3 - x
    const auto y =
        at_time(from_sbml(list("FunctionDefinitions", f) + list("Parameters", sbml_parameter("x", "0", false)) +
                          list("Rules", "<rateRule variable=\"x\">" +
                                            math("<apply>" + ci("f") + cn("1") + "<apply>" + ci("f") + ci("x") + cn("2") + "</apply></apply>") +
                                            "</rateRule>")),
                1);
    EXPECT_NEAR(y.at("x"), 3 * (1 - std::exp(-1)), tolerance);
}

TEST(Sbml, FunctionsOfFunctionsAreBounded)
{
    // f0 is `last`, f1 = f0(f0(a) ...), f2 = f1(f1(a) ...): each doubles the work of the one before.
    const auto chain = [](const std::string& last, const std::string& twice, int deep) {
        const auto function = [](int k, const std::string& body) {
            return "<functionDefinition id=\"f" + std::to_string(k) + "\">" + math("<lambda><bvar>" + ci("a") + "</bvar>" + body + "</lambda>") +
                   "</functionDefinition>";
        };
        std::string all = function(0, last);
        for (int k = 1; k <= deep; ++k) {
            const std::string f = ci("f" + std::to_string(k - 1));
            all += function(k, twice == "inside" ? "<apply>" + f + "<apply>" + f + ci("a") + "</apply></apply>"
                                                 : applied("plus", "<apply>" + f + ci("a") + "</apply><apply>" + f + ci("a") + "</apply>"));
        }
        return list("FunctionDefinitions", all) + list("Parameters", sbml_parameter("x", "0", false)) +
               list("Rules", "<rateRule variable=\"x\">" + math("<apply>" + ci("f" + std::to_string(deep)) + ci("x") + "</apply>") + "</rateRule>");
    };
    EXPECT_EQ(refusal(chain(ci("a"), "beside", 5)), "nothing was refused");
    expect_in(refusal(chain(ci("a"), "beside", 60)), "a formula that is too long when functions are written out");
    EXPECT_EQ(refusal(chain(cn("1"), "inside", 5)), "nothing was refused");
    expect_in(refusal(chain(cn("1"), "inside", 60)), "formulas that are together too long");
}

TEST(Sbml, AlgebraicRuleOfIndexOne)
{
    // x' = -z, 0 = z - 2 x
    const std::string rules = "<rateRule variable=\"x\">" + math(applied("minus", ci("z"))) + "</rateRule><algebraicRule>" +
                              math(applied("minus", ci("z") + applied("times", cn("2") + ci("x")))) + "</algebraicRule>";
    const problem p = from_sbml(list("Parameters", sbml_parameter("x", "1", false) + sbml_parameter("z", "2", false)) + list("Rules", rules));
    EXPECT_EQ(p.info().form, form::dae);
    const auto y = at_time(p, 1);
    EXPECT_NEAR(y.at("x"), std::exp(-2), tolerance);
    EXPECT_NEAR(y.at("z"), 2 * std::exp(-2), tolerance);
}

TEST(Sbml, PiecewiseInTime)
{
    const std::string time = R"(<csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time"> t </csymbol>)";
    const std::string law = "<piecewise><piece>" + cn("3") + applied("lt", time + cn("1")) + "</piece><piece><cn type=\"e-notation\">5<sep/>-1</cn>" +
                            applied("and", applied("geq", time + cn("1")) + applied("lt", time + cn("2"))) + "</piece><otherwise>" + cn("0") +
                            "</otherwise></piecewise>";
    const problem p =
        from_sbml(list("Parameters", sbml_parameter("x", "0", false)) + list("Rules", "<rateRule variable=\"x\">" + math(law) + "</rateRule>"));
    EXPECT_EQ(p.info().discontinuities.size(), 2U);
    EXPECT_NEAR(at_time(p, 5).at("x"), 3.5, 1e-6);
}

TEST(Sbml, WhatIsRefusedIsNamed)
{
    const std::string x = list("Parameters", sbml_parameter("x", "0", false));
    const auto rate = [&](const std::string& formula) { return x + list("Rules", "<rateRule variable=\"x\">" + math(formula) + "</rateRule>"); };
    expect_in(refusal(rate(cn("1")) + list("Events", "<event id=\"e1\"/>")), "the event 'e1' is refused");
    const std::string delay = R"(<csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/delay">delay</csymbol>)";
    expect_in(refusal(rate("<apply>" + delay + ci("x") + cn("1") + "</apply>")), "a delay is refused");
    expect_in(refusal(rate(cn("1")) + "", R"(level="1" version="2")"), "SBML of level '1' is refused");
    expect_in(refusal(rate(cn("1")), R"(level="3" version="1" comp:required="true")"), "the package 'comp' of SBML is refused");
    expect_in(refusal(x + list("Rules", "<rateRule variable=\"x\">" + math(cn("1")) + "</rateRule><algebraicRule>" +
                                            math(applied("minus", ci("x") + cn("1"))) + "</algebraicRule>")),
              "(an index above 1)");
    expect_in(refusal(rate(ci("unknown"))), "unknown symbol 'unknown'");
    expect_in(refusal(rate(applied("factorial", ci("x")))), "the operator 'factorial' is refused");
    expect_in(refusal(rate("<piecewise><piece>" + cn("1") + applied("lt", ci("x") + cn("1")) + "</piece></piecewise>")), "without 'otherwise'");
    expect_in(refusal(compartment() + list("Species", species("A", R"(initialAmount="1")")) +
                      list("Reactions", "<reaction id=\"r\" fast=\"true\"><listOfReactants>" + reference("A") + "</listOfReactants></reaction>")),
              "the fast reaction 'r' is refused");
    expect_in(refusal("</model>"), "model.xml:2:");
}

TEST(Sbml, XmlIsReadWithCare)
{
    const auto refused = [](const std::string& text) -> std::string {
        try {
            (void)text::text_from_sbml("model.xml", text);
        } catch (const bad_request& e) {
            return e.what();
        }
        return "nothing was refused";
    };
    expect_in(refused("<!DOCTYPE sbml [<!ENTITY a \"b\">]><sbml/>"), "a document type is refused");
    expect_in(refused("<sbml level=\"3\">&unknown;</sbml>"), "'&' found");
    expect_in(refused("<sbml level=\"3\"><model></sbml>"), "</sbml> found; allowed here: </model>");
    expect_in(refused("no xml"), "no element found");
    std::string deep;
    for (int k = 0; k < 1000; ++k) deep += "<a>";
    expect_in(refused(deep), "nested elements");
}

TEST(Sbml, XmlTakesNoMoreMemoryInsideOtherElements)
{
    const auto allocations = [](int deep) {
        const auto repeated = [](const std::string& word, int times) {
            std::string all;
            for (int k = 0; k < times; ++k) all += word;
            return all;
        };
        const text::source s("model.xml", repeated("<a>", deep) + repeated("<an-element-with-a-name-that-is-long/>", 2000) + repeated("</a>", deep));
        text::fault_list faults(s);
        const auto before = testing_support::allocations.load();
        const text::xml::element root = text::xml::read(s, faults);
        EXPECT_EQ(root.name, "a");
        return testing_support::allocations.load() - before;
    };
    EXPECT_LT(allocations(150), 2 * allocations(1));
}

} // namespace ivp
