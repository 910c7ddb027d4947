#include "quantities.hpp"

#include <algorithm>
#include <array>

namespace ivp {

namespace {

/// The unit of the components from this one (counted from 1) on.
struct component_unit {
    int from;
    std::string_view unit;
};

struct problem_units {
    std::string_view problem;
    std::string_view time;
    std::array<component_unit, 6> components;
};

// As the chapters have them; what a chapter leaves open has no unit here.
constexpr std::array units_of_problems{
    problem_units{"hires", "s", {{{1, "mol"}}}},
    problem_units{"pollu", "min", {{{1, "ppm"}}}},
    problem_units{"rober", "s", {}},
    problem_units{"chemakzo_ode", "min", {{{1, "mol/l"}}}},
    problem_units{"chemakzo_dae", "min", {{{1, "mol/l"}}}},
    problem_units{"emep", "s", {{{1, "1/cm³"}}}},
    problem_units{"ringmod", "s", {{{1, "V"}, {8, "A"}}}},
    problem_units{"transamp", "s", {{{1, "V"}}}},
    problem_units{"pump", "s", {{{1, "C"}, {6, "V"}, {9, "A"}}}},
    problem_units{"nand", "ns", {{{1, "V"}}}},
    problem_units{"tba", "", {{{176, "V"}}}},
    problem_units{"andrews", "s", {{{1, "rad"}, {8, "rad/s"}, {15, "rad/s²"}, {22, "N"}}}},
    problem_units{"caraxis", "s", {{{1, "m"}, {5, "m/s"}, {9, ""}}}},
    problem_units{"crank", "s", {{{1, "rad"}, {3, "m"}, {8, "rad/s"}, {10, "m/s"}, {15, ""}}}},
    problem_units{"wheel", "s", {{{1, "m"}, {4, "rad"}, {6, "m/s"}, {9, "rad/s"}, {12, ""}}}},
    problem_units{"beam", "", {{{1, "rad"}, {41, ""}}}},
    problem_units{"water", "s", {{{1, "m³/s"}, {19, ""}, {37, "N/m²"}}}},
};

const problem_units* units_of(const problem& p)
{
    if (p.info().origin != "own") return nullptr;
    const auto* const found = std::ranges::find(units_of_problems, p.id(), &problem_units::problem);
    return found == units_of_problems.end() ? nullptr : found;
}

} // namespace

std::string_view unit_of_time(const problem& p)
{
    const auto* const units = units_of(p);
    return units == nullptr ? "" : units->time;
}

std::string_view unit_of_component(const problem& p, int component)
{
    const auto* const units = units_of(p);
    std::string_view unit;
    if (units != nullptr)
        for (const auto& c : units->components)
            if (c.from > 0 && component + 1 >= c.from) unit = c.unit;
    return unit;
}

} // namespace ivp
