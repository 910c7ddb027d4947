// Time of the sparse factorisation on the patterns of the test set, beside KLU and the dense path: one real and one complex matrix.
//
//   sparse_bench --benchmark_filter=emep
#include <ivp/catalog/catalog.hpp>
#include <ivp/linalg/shifted_lu.hpp>
#include <ivp/model/problem.hpp>

#include <benchmark/benchmark.h>
#ifdef IVP_HAS_KLU
#include <klu.h>
#endif

#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace ivp {
namespace {

const std::array real_ones{7.5};
const std::array complex_ones{complex_shift<double>{5.5, 6.25}};

/// A matrix c M − J: pattern, numbers, M.
struct linear_system {
    structure s;
    std::vector<double> values; ///< of J, in the order of the pattern
    mass_matrix<double> m;
    int n;
};

/// The Jacobian of a problem near its start, where fewer entries vanish than at it.
linear_system of_problem(const std::string& id)
{
    const problem p = open_problem(id);
    const auto& eq = p.in<double>();
    linear_system a{p.finest_iteration_structure(), {}, eq.mass(), p.n()};
    const jacobian_matrix<double> j(algebra::sparse, a.s, a.n);
    auto y = eq.initial_values();
    for (int i = 0; i < a.n; ++i) y[i] += 1e-3 * (1 + i % 7) * std::max(1e-3, std::abs(y[i]));
    (void)eq.jacobian(p.info().t0.value(), y.data(), *eq.make_scratch(), j.view());
    a.values.assign(j.view().data, j.view().data + j.view().size());
    return a;
}

/// The five-point formula on a grid of rows × columns points.
linear_system of_grid(int rows, int columns)
{
    const int n = rows * columns;
    std::vector<std::vector<int>> of(n);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const int k = r * columns + c;
            of[k].push_back(k);
            if (r > 0) of[k].push_back(k - columns);
            if (r + 1 < rows) of[k].push_back(k + columns);
            if (c > 0) of[k].push_back(k - 1);
            if (c + 1 < columns) of[k].push_back(k + 1);
        }
    linear_system a{structure::sparse(of), {}, mass_matrix<double>::identity(n), n};
    const sparsity& s = *a.s.pattern;
    for (int j = 0; j < n; ++j)
        for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) a.values.push_back(s.row[p] == j ? -4.0 : 1.0);
    return a;
}

void write(const linear_system& a, const jacobian_matrix<double>& j)
{
    const sparsity& s = *a.s.pattern;
    for (int c = 0; c < a.n; ++c)
        for (int p = s.column_start[c]; p < s.column_start[c + 1]; ++p) j.view().set(s.row[p], c, a.values[p]);
}

void ours(benchmark::State& state, const linear_system& a, algebra path, bool solve)
{
    const jacobian_matrix<double> j(path, a.s, a.n);
    write(a, j);
    counters count;
    shifted_lu<double> lu(j, a.m, 1, 1, count);
    if (!lu.factor(real_ones, complex_ones)) return state.SkipWithError("singular");
    std::array<std::vector<double>, 3> b;
    for (auto& v : b) v.assign(a.n, 1.0);
    for (auto _ : state) {
        if (solve) {
            for (auto& v : b) std::fill(v.begin(), v.end(), 1.0);
            lu.solve_all(std::array{b[0].data(), b[1].data(), b[2].data()});
            benchmark::DoNotOptimize(b[0][0]);
        } else {
            benchmark::DoNotOptimize(lu.factor(real_ones, complex_ones));
        }
    }
    state.counters["reorderings"] = lu.events().reorderings;
    state.counters["dense"] = lu.events().dense_factorisations;
}

#ifdef IVP_HAS_KLU
// The numbers are in place already; assembling them is not counted against KLU.
void klu(benchmark::State& state, const linear_system& a, bool solve)
{
    const sparsity& s = *a.s.pattern;
    std::vector<int> start = s.column_start;
    std::vector<int> row = s.row;
    std::vector<double> real(s.entries());
    std::vector<double> both(2 * static_cast<std::size_t>(s.entries()));
    for (int j = 0; j < a.n; ++j)
        for (int p = start[j]; p < start[j + 1]; ++p) {
            const double m = a.m.at(row[p], j);
            real[p] = real_ones[0] * m - a.values[p];
            both[2 * p] = complex_ones[0].re * m - a.values[p];
            both[2 * p + 1] = complex_ones[0].im * m;
        }
    klu_common common;
    klu_defaults(&common);
    klu_symbolic* const symbolic = klu_analyze(a.n, start.data(), row.data(), &common);
    klu_numeric* r = klu_factor(start.data(), row.data(), real.data(), symbolic, &common);
    klu_numeric* z = klu_z_factor(start.data(), row.data(), both.data(), symbolic, &common);
    std::vector<double> x(a.n);
    std::vector<double> xz(2 * static_cast<std::size_t>(a.n));
    if (r == nullptr || z == nullptr) return state.SkipWithError("singular");
    for (auto _ : state) {
        if (solve) {
            std::fill(x.begin(), x.end(), 1.0);
            std::fill(xz.begin(), xz.end(), 1.0);
            klu_solve(symbolic, r, a.n, 1, x.data(), &common);
            klu_z_solve(symbolic, z, a.n, 1, xz.data(), &common);
            benchmark::DoNotOptimize(x[0]);
        } else {
            klu_refactor(start.data(), row.data(), real.data(), symbolic, r, &common);
            klu_z_refactor(start.data(), row.data(), both.data(), symbolic, z, &common);
        }
    }
    klu_free_numeric(&r, &common);
    klu_z_free_numeric(&z, &common);
    klu_symbolic* done = symbolic;
    klu_free_symbolic(&done, &common);
}
#endif

void setup(benchmark::State& state, const linear_system& a)
{
    const jacobian_matrix<double> j(algebra::sparse, a.s, a.n);
    counters count;
    for (auto _ : state) benchmark::DoNotOptimize(shifted_lu<double>(j, a.m, 1, 1, count));
}

} // namespace
} // namespace ivp

int main(int argc, char** argv)
{
    using namespace ivp;
    std::vector<std::pair<std::string, linear_system>> systems;
    for (const char* id : {"hires", "ringmod", "pollu", "andrews", "crank", "water", "emep", "beam", "fekete", "tba"})
        systems.emplace_back(id, of_problem(id));
    for (const auto& [rows, columns] : {std::pair{14, 25}, std::pair{40, 40}, std::pair{100, 100}})
        systems.emplace_back("grid_" + std::to_string(rows) + "x" + std::to_string(columns), of_grid(rows, columns));
    for (const auto& [name, a] : systems) {
        for (const bool solve : {false, true}) {
            const std::string what = name + (solve ? "/solve" : "/factor");
            benchmark::RegisterBenchmark((what + "/sparse").c_str(), ours, a, algebra::sparse, solve);
            if (a.n <= 400) benchmark::RegisterBenchmark((what + "/dense").c_str(), ours, a, algebra::dense, solve);
#ifdef IVP_HAS_KLU
            benchmark::RegisterBenchmark((what + "/klu").c_str(), klu, a, solve);
#endif
        }
        benchmark::RegisterBenchmark((name + "/set-up").c_str(), setup, a);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
