// Time of the sparse factorisation on the patterns of the test set and on grids, beside KLU and the dense path: one real and one complex matrix.
//
//   sparse_bench --benchmark_filter=emep
#include "sparse_systems.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

namespace ivp::bench {
namespace {

void measure(benchmark::State& state, timed_system& x, bool solve)
{
    if (!x.factor()) return state.SkipWithError("singular");
    for (auto _ : state)
        if (solve)
            x.solve();
        else
            benchmark::DoNotOptimize(x.factor());
}

void ours(benchmark::State& state, const sparse_matrix& a, algebra path, bool solve)
{
    const auto j = a.jacobian(path);
    own_system x(a.n, number_kind::pair, j, a.m);
    measure(state, x, solve);
    state.counters["reorderings"] = x.events().reorderings;
    state.counters["dense"] = x.events().dense_factorisations;
}

void klu(benchmark::State& state, const sparse_matrix& a, bool solve)
{
    const auto x = make_klu_system(a, number_kind::pair);
    if (x == nullptr) return state.SkipWithError("built without KLU");
    measure(state, *x, solve);
}

void setup(benchmark::State& state, const sparse_matrix& a)
{
    const jacobian_matrix<double> j(algebra::sparse, a.s, a.n);
    counters count;
    for (auto _ : state) benchmark::DoNotOptimize(shifted_lu<double>(j, a.m, 1, 1, count));
}

} // namespace
} // namespace ivp::bench

int main(int argc, char** argv)
{
    using namespace ivp;
    using namespace ivp::bench;
    std::vector<std::pair<std::string, sparse_matrix>> systems;
    for (const char* id : {"hires", "ringmod", "pollu", "andrews", "crank", "water", "emep", "beam", "fekete", "tba"})
        systems.emplace_back(id, of_problem(id));
    for (const auto& [rows, columns] : {std::pair{14, 25}, std::pair{40, 40}, std::pair{100, 100}})
        systems.emplace_back("grid_" + std::to_string(rows) + "x" + std::to_string(columns), of_grid(rows, columns));
    for (const auto& [name, a] : systems) {
        for (const bool solve : {false, true}) {
            const std::string what = name + (solve ? "/solve" : "/factor");
            benchmark::RegisterBenchmark((what + "/sparse").c_str(), ours, a, algebra::sparse, solve);
            if (a.n <= 400) benchmark::RegisterBenchmark((what + "/dense").c_str(), ours, a, algebra::dense, solve);
            benchmark::RegisterBenchmark((what + "/klu").c_str(), klu, a, solve);
        }
        benchmark::RegisterBenchmark((name + "/set-up").c_str(), setup, a);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
