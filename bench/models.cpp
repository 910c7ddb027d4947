// Time of f of models as text, compiled and as a list of instructions, in units of the built-in problems; and how reading grows with a network.
//   models [folder of the examples]
#include "text/text_problem.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds of one evaluation: the least of many batches, which take turns so that all meet the same machine.
std::array<double, 3> times(const std::array<const ivp::problem*, 3>& problems)
{
    std::array<double, 3> least{1e9, 1e9, 1e9};
    const int n = problems[0]->n();
    const auto start = problems[0]->in<double>().initial_values();
    std::vector<double> out(static_cast<std::size_t>(n));
    const double t = 0.5 * (problems[0]->info().t0.value() + problems[0]->info().tend.value());
    const int calls = std::max(10, 200000 / (n * 10));
    for (int round = 0; round < 300; ++round)
        for (std::size_t k = 0; k < problems.size(); ++k) {
            const auto& e = problems[k]->in<double>();
            const double begin = now();
            for (int m = 0; m < calls; ++m) (void)e.f(t, start.data(), out.data());
            least[k] = std::min(least[k], (now() - begin) / calls);
        }
    return least;
}

std::string network(int species, int reactions)
{
    std::mt19937 random(1);
    std::string text = "interval 0 .. 1\n";
    for (int s = 0; s < species; ++s) text += fmt::format("species S{} = 1\n", s);
    std::uniform_int_distribution<int> any(0, species - 1);
    for (int r = 0; r < reactions; ++r)
        text += fmt::format("S{} + S{} -> S{} + S{} ; {}\n", any(random), any(random), any(random), any(random), 0.5 + r % 17);
    return text;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string folder = argc > 1 ? argv[1] : "examples/08_models_in_text";
    fmt::print("{:<16}{:>14}{:>14}{:>14}{:>12}{:>12}\n", "problem", "built-in [ns]", "compiled [ns]", "list [ns]", "compiled", "list");
    const std::vector<std::pair<std::string, std::map<std::string, std::string>>> subjects{
        {"hires", {}}, {"pollu", {}}, {"emep", {}}, {"medakzo", {{"N", "2000"}}}, {"chemakzo_dae", {}}, {"plei", {}}, {"transamp", {}}};
    for (const auto& [id, parameters] : subjects) {
        const std::string file = folder + "/" + id + ".ivp";
        const ivp::problem own = ivp::open_problem(id, parameters);
        const ivp::problem compiled = ivp::load_text_problem(file, parameters, ivp::text_evaluation::compiled);
        const ivp::problem list = ivp::load_text_problem(file, parameters);
        const auto t = times({&own, &compiled, &list});
        fmt::print("{:<16}{:>14.1f}{:>14.1f}{:>14.1f}{:>12.2f}{:>12.2f}\n", id, t[0] * 1e9, t[1] * 1e9, t[2] * 1e9, t[1] / t[0], t[2] / t[0]);
    }
    for (const int reactions : {2500, 5000, 10000, 20000, 40000}) {
        const std::string text = network(reactions / 5, reactions);
        const std::clock_t begin = std::clock();
        const ivp::problem p = ivp::text_problem("network", text);
        fmt::print("{} species, {} reactions: read in {:.3f} s of CPU time\n", p.n(), reactions,
                   static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
}
