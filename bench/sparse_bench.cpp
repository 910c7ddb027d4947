// Time of the sparse factorisation on the patterns of the test set, beside KLU and the dense path: one real and one complex matrix.
//
//   sparse_bench --benchmark_filter=emep
#include <ivp/catalog/catalog.hpp>
#include <ivp/linalg/shifted_lu.hpp>
#include <ivp/measure/initial_derivative.hpp>
#include <ivp/model/problem.hpp>
#include <ivp/scalar/tracer.hpp>

#include <benchmark/benchmark.h>
#include <klu.h>

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ivp {
namespace {

const std::array real_ones{7.5};
const std::array complex_ones{complex_shift<double>{5.5, 6.25}};

/// The pattern of c M − J and numbers of a Jacobian near the start, with the zeros of the start removed.
struct system {
    problem p;
    structure s;
    std::vector<double> dense;
    mass_matrix<double> m;
    int n;

    explicit system(const std::string& id) : p(open_problem(id)), m(p.in<double>().mass()), n(p.n())
    {
        const auto& eq = p.in<double>();
        const double t = p.info().t0.value();
        auto y = eq.initial_values();
        for (int i = 0; i < n; ++i) y[i] += 1e-3 * (1 + i % 7) * std::max(1e-3, std::abs(y[i]));
        const std::vector<double> yp(n, 0.0);
        auto rows = eq.trace(t, y.data(), yp.data());
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (m.at(i, j) != 0) rows[i] = tracer::join(rows[i], {j});
        s = structure::sparse(std::make_shared<sparsity>(sparsity::from_rows(n, rows)));
        dense.resize(static_cast<std::size_t>(n) * n);
        (void)eq.jacobian(t, y.data(), *eq.make_scratch(), {structure_kind::full, n, 0, 0, n, nullptr, dense.data()});
    }
    void write(const jacobian_matrix<double>& j) const
    {
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < n; ++r)
                if (s.contains(r, c)) j.view().set(r, c, dense[r + static_cast<std::size_t>(c) * n]);
    }
};

void ours(benchmark::State& state, const std::string& id, algebra path, bool solve)
{
    const system a(id);
    const jacobian_matrix<double> j(path, a.s, a.n);
    a.write(j);
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

void klu(benchmark::State& state, const std::string& id, bool solve)
{
    const system a(id);
    const sparsity& s = *a.s.pattern;
    std::vector<int> start = s.column_start;
    std::vector<int> row = s.row;
    std::vector<double> real(s.entries());
    std::vector<double> both(2 * static_cast<std::size_t>(s.entries()));
    const auto assemble = [&] {
        for (int j = 0; j < a.n; ++j)
            for (int p = start[j]; p < start[j + 1]; ++p) {
                const double entry = a.dense[row[p] + static_cast<std::size_t>(j) * a.n];
                real[p] = both[2 * p] = -entry;
                both[2 * p + 1] = 0;
            }
        for (int j = 0; j < a.n; ++j) {
            const int p = s.find(j, j);
            if (p < 0) continue;
            const double m = a.m.at(j, j);
            real[p] += real_ones[0] * m;
            both[2 * p] += complex_ones[0].re * m;
            both[2 * p + 1] += complex_ones[0].im * m;
        }
    };
    assemble();
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

void setup(benchmark::State& state, const std::string& id)
{
    const system a(id);
    const jacobian_matrix<double> j(algebra::sparse, a.s, a.n);
    counters count;
    for (auto _ : state) benchmark::DoNotOptimize(shifted_lu<double>(j, a.m, 1, 1, count));
}

} // namespace
} // namespace ivp

int main(int argc, char** argv)
{
    using namespace ivp;
    for (const std::string id : {"hires", "nand", "ringmod", "pollu", "andrews", "crank", "water", "emep", "fekete", "tba"}) {
        if (id == "nand") continue;
        for (const bool solve : {false, true}) {
            const std::string what = id + (solve ? "/solve" : "/factor");
            benchmark::RegisterBenchmark((what + "/sparse").c_str(), ours, id, algebra::sparse, solve);
            benchmark::RegisterBenchmark((what + "/dense").c_str(), ours, id, algebra::dense, solve);
            benchmark::RegisterBenchmark((what + "/klu").c_str(), klu, id, solve);
        }
        benchmark::RegisterBenchmark((id + "/set-up").c_str(), setup, id);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
