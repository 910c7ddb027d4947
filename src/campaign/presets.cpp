// The plans that come with the program.
#include "plan.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace ivp {

namespace {

struct preset {
    std::string_view name;
    std::string_view text;
};

constexpr auto quick = R"toml(# One problem of every kind with one solver of every family: does everything work? Under a minute.
timeout = 2
rtol = [1e-4, 1e-7]

[[runs]]
problems = ["hires", "rober", "vdpol", "medakzo", "plei", "chemakzo_dae", "transamp", "caraxis", "nand"]
solvers = ["radau5", "radau", "pside", "rodas", "dassl", "vode", "bimd", "gamd", "mebdfi", "cvode", "ida"]

[[runs]]
problems = ["plei"]
solvers = ["dopri5", "dop853", "vode-adams", "cvode-adams", "arkode-erk"]
)toml";

// The tolerances are those of the published tables of run characteristics.
constexpr auto standard =
    R"toml(# All problems with our solvers and SUNDIALS at the published tolerances, with the published choice of Jacobians. Under half an hour on two cores.
timeout = 20
jacobian = "original"
solvers = ["own", "libraries", "-explicit"]

[[runs]]
problems = ["hires", "pollu", "plei", "vdpol", "vdpolm", "orego", "rober", "e5", "chemakzo_ode", "chemakzo_dae", "caraxis"]
rtol = [1e-4, 1e-7, 1e-10]

[[runs]]
problems = ["ringmod", "medakzo", "beam", "andrews", "transamp", "nand"]
rtol = [1e-4, 1e-7]

[[runs]]
problems = ["water"]
rtol = [1e-4, 1e-7, 1e-10]

[[runs]]
problems = ["crank"]
rtol = [1e-4, 1e-6, 1e-8]

[[runs]]
problems = ["emep"]
rtol = [1e-2, 1e-4, 1e-6]

[[runs]]
problems = ["fekete"]
rtol = [1e-2, 1e-3, 1e-4]

[[runs]]
problems = ["wheel"]
rtol = [1e-4, 1e-5, 1e-6]

[[runs]]
problems = ["pump"]
rtol = [1e-1, 1e-3, 1e-5, 1e-7]

[[runs]]
problems = ["tba"]
rtol = [1e-2, 1e-4]

# Explicit solvers: one problem is for them, the others show what they do when it is not.
[[runs]]
problems = ["plei"]
solvers = ["explicit"]
jacobian = "exact"
rtol = [1e-4, 1e-7, 1e-10]

[[runs]]
problems = ["hires", "pollu", "ringmod", "medakzo", "emep", "beam", "vdpol", "vdpolm", "orego", "rober", "e5", "chemakzo_ode"]
solvers = ["explicit"]
jacobian = "exact"
rtol = [1e-4, 1e-7]
timeout = 4
)toml";

constexpr auto full = R"toml(# Work against precision: the whole ladder of every problem. About 50 minutes on two cores.
timeout = 60

[[runs]]
problems = ["hires", "pollu", "ringmod", "medakzo", "emep", "plei", "beam", "vdpol", "vdpolm", "orego", "rober", "e5", "chemakzo_ode",
            "chemakzo_dae", "andrews", "transamp", "pump", "tba", "caraxis", "fekete", "crank", "water", "nand", "wheel"]
solvers = ["own", "libraries", "-explicit"]
rtol = "ladder"

[[runs]]
problems = ["plei"]
solvers = ["explicit"]
rtol = "ladder"
)toml";

constexpr std::array presets{preset{"quick", quick}, preset{"standard", standard}, preset{"full", full}};

} // namespace

std::vector<std::string> preset_names()
{
    std::vector<std::string> names;
    for (const auto& p : presets) names.emplace_back(p.name);
    return names;
}

std::string_view preset_text(std::string_view name)
{
    const auto* const p = std::find_if(presets.begin(), presets.end(), [name](const preset& x) { return x.name == name; });
    if (p == presets.end())
        throw bad_request("--preset: '" + std::string(name) + "' given; allowed: " + joined(preset_names(), ", ") +
                          nearest_name_hint(name, preset_names()));
    return p->text;
}

} // namespace ivp
