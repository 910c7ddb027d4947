// What the rules of src/simd are worth: each beside the way without it, in the same run.
#include "simd/components.hpp"

#include <ivp/work_memory.hpp>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using ivp::simd::for_components;
using ivp::simd::just_written;
using ivp::simd::padded_vector;

/// Writes as f does: number by number, each from a calculation of its own.
[[gnu::noinline]] void write_one_by_one(int n, const double* y, double* out)
{
    volatile double* const v = out;
    for (int i = 0; i < n; ++i) v[i] = 1.5 * y[i];
}

/// A stage: f is evaluated and used at once; the next one waits for it.
template <bool OneByOne>
void reading_what_f_wrote(benchmark::State& state)
{
    const int n = static_cast<int>(state.range(0));
    padded_vector<double> y(n), f(n);
    for (int i = 0; i < n; ++i) y[i] = 1;
    for ([[maybe_unused]] auto _ : state) {
        write_one_by_one(n, y.data(), f.data());
        for_components<double>(n, [&](auto at) {
            if constexpr (OneByOne)
                at(y) = 0.5 * at(y) + 1e-9 * at(just_written(f));
            else
                at(y) = 0.5 * at(y) + 1e-9 * at(f);
        });
        benchmark::ClobberMemory();
    }
}
BENCHMARK_TEMPLATE(reading_what_f_wrote, false)->Name("f just written, read as packs")->Arg(3)->Arg(8)->Arg(20);
BENCHMARK_TEMPLATE(reading_what_f_wrote, true)->Name("f just written, read one by one")->Arg(3)->Arg(8)->Arg(20);

/// The sum of a stage of an explicit code, of many equations: the last of five slopes has just been written.
template <bool ManyComponents>
void summing_what_f_wrote(benchmark::State& state)
{
    const int n = static_cast<int>(state.range(0));
    ivp::simd::padded_vectors<double, 6> k(n);
    const auto v = k.first();
    const auto formula = [&](auto at) {
        at(v[5]) = 0.1 * at(v[0]) + 0.2 * at(v[1]) + 0.3 * at(v[2]) + 0.4 * at(v[3]) + 0.5 * at(just_written(v[4]));
    };
    for ([[maybe_unused]] auto _ : state) {
        write_one_by_one(n, v[5], v[4]);
        if constexpr (ManyComponents)
            ivp::simd::for_many_components<double>(n, formula);
        else
            for_components<double>(n, formula);
        benchmark::ClobberMemory();
    }
}
BENCHMARK_TEMPLATE(summing_what_f_wrote, false)->Name("sum with f just written, for_components")->Arg(8)->Arg(20)->Arg(80)->Arg(400);
BENCHMARK_TEMPLATE(summing_what_f_wrote, true)->Name("sum with f just written, for_many_components")->Arg(8)->Arg(20)->Arg(80)->Arg(400);

void sum_of_five_padded(benchmark::State& state)
{
    const int n = static_cast<int>(state.range(0));
    ivp::simd::padded_vectors<double, 6> k(n);
    const auto v = k.first();
    for ([[maybe_unused]] auto _ : state) {
        for_components<double>(n, [&](auto at) { at(v[5]) = 0.1 * at(v[0]) + 0.2 * at(v[1]) + 0.3 * at(v[2]) + 0.4 * at(v[3]) + 0.5 * at(v[4]); });
        benchmark::ClobberMemory();
    }
}
void sum_of_five_plain(benchmark::State& state)
{
    const int n = static_cast<int>(state.range(0));
    std::vector<std::vector<double>> k(6, std::vector<double>(n));
    const double* const a = k[0].data();
    const double* const b = k[1].data();
    const double* const c = k[2].data();
    const double* const d = k[3].data();
    const double* const e = k[4].data();
    double* const out = k[5].data();
    for ([[maybe_unused]] auto _ : state) {
        for (int i = 0; i < n; ++i) out[i] = 0.1 * a[i] + 0.2 * b[i] + 0.3 * c[i] + 0.4 * d[i] + 0.5 * e[i];
        benchmark::ClobberMemory();
    }
}
BENCHMARK(sum_of_five_plain)->Name("sum of five vectors, plain loop")->Arg(3)->Arg(8)->Arg(20);
BENCHMARK(sum_of_five_padded)->Name("sum of five vectors, padded")->Arg(3)->Arg(8)->Arg(20);

void memory_for_each(benchmark::State& state)
{
    for ([[maybe_unused]] auto _ : state)
        for (int k = 0; k < 12; ++k) {
            padded_vector<double> v(8);
            benchmark::DoNotOptimize(v.data());
        }
}
void memory_for_all(benchmark::State& state)
{
    for ([[maybe_unused]] auto _ : state) {
        ivp::work_memory memory;
        for (int k = 0; k < 12; ++k) {
            padded_vector<double> v(8, memory);
            benchmark::DoNotOptimize(v.data());
        }
    }
}
BENCHMARK(memory_for_each)->Name("twelve vectors, a block for each");
BENCHMARK(memory_for_all)->Name("twelve vectors, one block");

} // namespace

BENCHMARK_MAIN();
