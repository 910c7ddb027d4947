// The electric circuits: amplifier, ring modulator, NAND gate, adder, charge pump.
#include "schematics.hpp"
#include "symbols.hpp"

#include <map>

namespace ivp::schematics {

namespace {

using p = drawn_point;

schematic amplifier()
{
    constexpr double top = 30;
    constexpr double upper = 105;
    constexpr double middle = 150;
    constexpr double lower = 200;
    constexpr double bottom = 275;
    drawing d(560, 305);
    d.line({{150, top}, {430, top}}, ink::bold).symbol({442, top + 4}, "U_b", anchor::start);
    const auto to_ground = [&d](double x) { ground(d, {x, bottom}); };
    source(d, {40, bottom}, {40, middle}, "U_e(t)", side::right);
    to_ground(40);
    resistor(d, {40, middle}, {105, middle}, "R_0", side::left);
    capacitor(d, {105, middle}, {160, middle}, "C_1", side::left);
    node(d, {105, middle}, "1", {0, 17});
    resistor(d, {160, middle}, {160, top}, "R_2", side::left);
    resistor(d, {160, middle}, {160, bottom}, "R_1");
    to_ground(160);
    node(d, {160, middle}, "2", {8, 17});

    /// One stage: its transistor, with the gate at `x`, and what hangs at drain and source.
    const auto stage = [&](double x, const char* up, const char* down, const char* beside, const char* drain, const char* source_node) {
        const p at{x + 52, middle};
        d.line({{x, middle}, {x + 26, middle}});
        transistor(d, at, "");
        d.line({{at.x, middle - 24}, {at.x, upper}}).line({{at.x, middle + 24}, {at.x, lower}});
        resistor(d, {at.x, upper}, {at.x, top}, up, side::left);
        resistor(d, {at.x, lower}, {at.x, bottom}, down);
        to_ground(at.x);
        d.line({{at.x, lower}, {at.x + 42, lower}});
        capacitor(d, {at.x + 42, lower}, {at.x + 42, bottom}, beside, side::left);
        to_ground(at.x + 42);
        node(d, {at.x, upper}, drain, {-8, 4});
        node(d, {at.x, lower}, source_node, {-8, 4});
        return at.x;
    };
    const double first = stage(160, "R_4", "R_3", "C_2", "4", "3");
    capacitor(d, {first, upper}, {320, upper}, "C_3", side::left);
    d.line({{320, upper}, {320, middle}});
    resistor(d, {320, upper}, {320, top}, "R_6", side::left);
    resistor(d, {320, middle}, {320, bottom}, "R_5");
    to_ground(320);
    node(d, {320, middle}, "5", {8, 17});
    const double second = stage(320, "R_8", "R_7", "C_4", "7", "6");
    capacitor(d, {second, upper}, {490, upper}, "C_5", side::left);
    resistor(d, {490, upper}, {490, bottom}, "R_9", side::left);
    to_ground(490);
    node(d, {490, upper}, "8, output", {8, 4});
    return {std::move(d), "Two transistors amplify the signal U_e in two stages. The unknowns are the voltages of the eight numbered nodes."};
}

schematic ring_modulator()
{
    constexpr double high = 70;
    constexpr double tap = 150;
    constexpr double low = 230;
    drawing d(890, 342);
    // One transformer with its signal, at the left or mirrored at the right. x: its distance from the outer end.
    const auto transformer = [&](bool mirrored) {
        const auto x = [mirrored](double v) { return mirrored ? 890 - v : v; };
        const auto beside = mirrored ? side::left : side::right;
        const auto above = mirrored ? side::right : side::left;
        if (mirrored) {
            resistor(d, {x(30), low}, {x(30), high}, "R_c", side::right);
            d.line({{x(30), high}, {x(95), high}});
        } else {
            source(d, {x(30), low}, {x(30), high}, "U_in1", side::right);
            resistor(d, {x(30), high}, {x(95), high}, "R_i", above);
        }
        resistor(d, {x(95), high}, {x(150), high}, "R_g1", above);
        inductor(d, {x(150), high}, {x(210), high}, "L_s1", mirrored ? side::left : side::right);
        d.line({{x(210), high}, {x(290), high}}).line({{x(30), low}, {x(290), low}});
        capacitor(d, {x(210), high}, {x(210), low}, "C", beside);
        resistor(d, {x(250), high}, {x(250), low}, "R", beside);
        inductor(d, {x(290), high}, {x(290), low}, "L_h", beside);
        node(d, {x(210), high}, mirrored ? "y_2, output" : "y_1", {0, -9});
        // Two halves of the second winding, each with its own resistance and capacitance.
        d.line({{x(303), high + 8}, {x(303), low - 8}}, ink::quiet).line({{x(307), high + 8}, {x(307), low - 8}}, ink::quiet);
        inductor(d, {x(320), high}, {x(320), tap}, "", side::right);
        inductor(d, {x(320), tap}, {x(320), low}, "", side::right);
        const double split = 355;
        inductor(d, {x(320), high}, {x(split + 10), high}, "", side::right);
        d.symbol({x(345), high - 12}, "L_s2");
        inductor(d, {x(320), low}, {x(split + 10), low}, "", side::right);
        d.symbol({x(345), low + 20}, "L_s3");
        resistor(d, {x(split + 10), high}, {x(400), high}, "", above);
        d.symbol({x(383), high + 18}, "R_g2");
        resistor(d, {x(split + 10), low}, {x(400), low}, "", above);
        d.symbol({x(383), low - 10}, "R_g3");
        d.line({{x(320), tap}, {x(400), tap}});
        capacitor(d, {x(400), high}, {x(400), tap}, "C_s", beside);
        capacitor(d, {x(400), tap}, {x(400), low}, "C_s", beside);
        node(d, {x(400), high}, mirrored ? "y_5" : "y_3", {0, -9});
        node(d, {x(400), low}, mirrored ? "y_6" : "y_4", {0, 19});
        joint(d, {x(335), tap});
        return x(400);
    };
    const double left = transformer(false);
    const double right = transformer(true);
    diode(d, {left, high}, {right, high}, "D_1", side::left);
    diode(d, {left, low}, {right, low}, "D_2", side::right);
    // The diagonals cross without touching; each has its diode before the crossing.
    const p centre{(left + right) / 2, tap};
    diode(d, {right, high}, centre, "", side::right);
    diode(d, {right, low}, centre, "", side::right);
    d.line({centre, {left, low}}).line({centre, {left, high}});
    d.symbol({445, 100}, "D_3").symbol({445, 208}, "D_4");
    // The other signal between the middles of the two windings.
    d.line({{335, tap}, {335, 300}}).line({{555, tap}, {555, 300}});
    source(d, {335, 300}, {425, 300}, "U_in2", side::right);
    d.line({{455, 285}, {425, 285}, {425, 315}, {455, 315}}).line({{525, 285}, {555, 285}, {555, 315}, {525, 315}});
    resistor(d, {455, 285}, {525, 285}, "", side::right);
    capacitor(d, {455, 315}, {525, 315}, "", side::right);
    d.symbol({490, 275}, "R_p").symbol({503, 333}, "C_p, y_7", anchor::start);
    return {
        std::move(d),
        "Four diodes in a ring, opened and closed by the fast signal U_in2, multiply it with the slow signal U_in1. The voltages y_1 to y_7 at the "
        "capacitors and the currents through the inductances are the unknowns."};
}

schematic nand_gate()
{
    constexpr double x = 190;
    drawing d(380, 370);
    d.line({{x - 40, 25}, {x + 40, 25}}, ink::bold).symbol({x + 50, 29}, "V_DD", anchor::start);
    const auto md = transistor(d, {x, 75}, "MD");
    d.line({{x, 25}, md.drain}).line({md.source, {x, 125}});
    d.line({md.gate, {x - 45, 75}, {x - 45, 125}, {x, 125}});
    const auto me1 = transistor(d, {x, 175}, "ME1");
    d.line({{x, 125}, me1.drain}).line({me1.source, {x, 225}});
    const auto me2 = transistor(d, {x, 275}, "ME2");
    d.line({{x, 225}, me2.drain}).line({me2.source, {x, 320}});
    ground(d, {x, 320});
    const auto input = [&d](drawn_point gate, const char* name) {
        d.line({gate, gate - p{70, 0}});
        source(d, gate + p{-70, 60}, gate - p{70, 0}, name, side::left);
        ground(d, gate + p{-70, 60});
    };
    input(me1.gate, "V_1(t)");
    input(me2.gate, "V_2(t)");
    d.line({{x, 125}, {x + 110, 125}});
    capacitor(d, {x + 80, 125}, {x + 80, 175}, "C_5", side::left);
    ground(d, {x + 80, 175});
    d.line({{x, 225}, {x + 80, 225}});
    capacitor(d, {x + 80, 225}, {x + 80, 275}, "C_10", side::left);
    ground(d, {x + 80, 275});
    node(d, {x, 125}, "5", {8, -6});
    node(d, {x, 225}, "10", {8, -6});
    d.symbol({x + 116, 129}, "output", anchor::start);
    return {
        std::move(d),
        "The depletion transistor MD pulls node 5 up; ME1 and ME2 pull it down if both inputs are high. The model of each transistor has four inner "
        "nodes: 1 to 4, 6 to 9, 11 to 14."};
}

schematic charge_pump()
{
    drawing d(400, 220);
    const p at{210, 90};
    // A transistor on its side: gate above, source at the left, drain at the right.
    d.line({at + p{-11, -16}, at + p{11, -16}}, ink::bold).line({at + p{-14, -11}, at + p{14, -11}}, ink::bold);
    d.line({at + p{0, -16}, at + p{0, -45}});
    d.line({at + p{-9, -11}, at + p{-9, 0}, {110, 90}}).line({at + p{9, -11}, at + p{9, 0}, {310, 90}});
    d.line({at + p{0, -45}, {60, 45}, {60, 80}});
    source(d, {60, 140}, {60, 80}, "", side::left);
    d.symbol({62, 172}, "V_in(t)");
    ground(d, {60, 140});
    capacitor(d, {110, 90}, {110, 150}, "C_S, Y_S", side::left);
    ground(d, {110, 150});
    capacitor(d, {310, 90}, {310, 150}, "C_D, Y_D", side::left);
    ground(d, {310, 150});
    node(d, at + p{0, -45}, "U_1", {6, -6});
    node(d, {110, 90}, "U_2", {0, -9});
    node(d, {310, 90}, "U_3", {0, -9});
    d.symbol(at + p{20, -20}, "Y_T1", anchor::start, ink::quiet).symbol(at + p{-22, 16}, "Y_T2", anchor::middle, ink::quiet);
    d.symbol(at + p{26, 16}, "Y_T3", anchor::middle, ink::quiet);
    d.arrow({32, 128}, {32, 92}, ink::accent).symbol({24, 114}, "I", anchor::end, ink::accent);
    return {std::move(d), "A pulse at the gate of a transistor moves charge to and from two capacitors. The unknowns are the charges Y, the voltages "
                          "U of three nodes and "
                          "the current I through the source."};
}

schematic adding_unit()
{
    struct box {
        const char* name;
        int first;
        p at;
        std::vector<const char*> inputs;
        const char* output;
        const char* result;
    };
    const std::vector<box> boxes{
        {"NOR", 1, {110, 12}, {"V1", "V2"}, "5", ""},
        {"ANDOI", 14, {235, 74}, {"5", "V1", "V2"}, "18", ""},
        {"NOR", 32, {360, 30}, {"18", "CIN"}, "36", ""},
        {"ANDOI", 45, {485, 50}, {"36", "CIN", "18"}, "49", "sum, bit 0"},
        {"ANDOI", 63, {360, 130}, {"5", "CIN", "18"}, "67", ""},
        {"NOR", 81, {110, 200}, {"V3", "V4"}, "85", ""},
        {"ANDOI", 94, {235, 264}, {"85", "V3", "V4"}, "98", ""},
        {"NAND", 112, {485, 160}, {"67", "98"}, "116", ""},
        {"ORANI", 126, {610, 140}, {"116", "67", "98"}, "130", "sum, bit 1"},
        {"ANDOI and three", 144, {580, 260}, {"85", "5", "98", "18", "CIN"}, "148", "carry"},
    };
    constexpr double width = 64;
    constexpr double height = 46;
    drawing d(800, 330);
    std::map<std::string_view, p> outputs{{"V1", {30, 80}}, {"V2", {30, 105}}, {"CIN", {30, 160}}, {"V3", {30, 270}}, {"V4", {30, 295}}};
    for (const auto& [name, at] : outputs) d.text(at + p{-6, 4}, name, anchor::end);
    const auto width_of = [](const box& b) { return b.inputs.size() > 3 ? 122.0 : width; };
    for (const auto& b : boxes) outputs[b.output] = b.at + p{width_of(b), height / 2};
    for (const auto& b : boxes) {
        for (std::size_t k = 0; k < b.inputs.size(); ++k) {
            const p from = outputs.at(b.inputs[k]);
            const p to = b.at + p{0, height * static_cast<double>(k + 1) / static_cast<double>(b.inputs.size() + 1)};
            const p half = 0.5 * (from + to);
            d.curve(from, {half.x, from.y}, half, ink::quiet).curve(half, {half.x, to.y}, to, ink::quiet);
        }
    }
    for (const auto& b : boxes) {
        const double w = width_of(b);
        d.polygon({b.at, b.at + p{w, 0}, b.at + p{w, height}, b.at + p{0, height}}, ink::plain, fill::shade);
        d.text(b.at + p{w / 2, 20}, b.name).text(b.at + p{w / 2, 36}, std::to_string(b.first), anchor::middle, ink::quiet);
        const p out = outputs.at(b.output);
        d.circle(out, 3, ink::accent, fill::solid).text(out + p{5, -6}, b.output, anchor::start, ink::accent);
        if (b.result[0] != 0) d.arrow(out + p{3, 0}, out + p{34, 0}, ink::accent).text(out + p{38, 4}, b.result, anchor::start);
    }
    return {
        std::move(d),
        "Ten gates, each with the number of its first node, and three more transistors add two numbers of two bits and the carry CIN. V1 and V3 are "
        "the inverted bits of one number, V2 and V4 those of the other. Blue: the node at the output of each gate."};
}

} // namespace

std::optional<schematic> circuit(std::string_view id)
{
    if (id == "transamp") return amplifier();
    if (id == "ringmod") return ring_modulator();
    if (id == "nand") return nand_gate();
    if (id == "pump") return charge_pump();
    if (id == "tba") return adding_unit();
    return std::nullopt;
}

} // namespace ivp::schematics
