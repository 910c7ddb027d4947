// Times of one factorisation and one solve, ours beside those of LAPACK or KLU, as a table. How to run it and to read it: README.md.
#include "sparse_systems.hpp"
#include "systems.hpp"

#include "linalg/kernel_set.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace ivp::bench;

constexpr std::array all_numbers{number_kind::real, number_kind::complex, number_kind::pair};

std::vector<shape> eliminated_shapes()
{
    std::vector<shape> all;
    const auto add = [&all](int n, bool band, int lower, int upper) {
        for (const number_kind k : all_numbers) all.push_back({n, band, lower, upper, k});
    };
    for (int n = 2; n <= 16; ++n) add(n, false, 0, 0);
    for (const int n : {20, 24, 28, 32, 40, 66, 160, 350}) add(n, false, 0, 0);
    for (const int w : {1, 2, 20}) add(400, true, w, w);
    return all;
}

std::string name_of(const std::string& matrix, number_kind numbers)
{
    constexpr std::string_view kinds[] = {"real", "complex", "both"};
    return fmt::format("{} {}", matrix, kinds[static_cast<int>(numbers)]);
}
std::string name_of(const shape& s)
{
    return name_of(s.band ? fmt::format("band {},{} n={}", s.lower, s.upper, s.n) : fmt::format("dense n={}", s.n), s.numbers);
}

/// One row: our system and that of a library.
struct comparison {
    std::string name;
    std::string library;
    std::unique_ptr<timed_system> own;
    std::unique_ptr<timed_system> other;
};

/// Collects the smallest time of every measurement and prints them side by side.
class table_reporter final : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context& /*context*/) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override
    {
        for (const Run& r : runs) {
            if (r.run_type != Run::RT_Iteration || r.error_occurred) continue;
            const double ns = r.GetAdjustedCPUTime();
            const auto [it, fresh] = best_.try_emplace(r.run_name.function_name, ns);
            if (!fresh) it->second = std::min(it->second, ns);
        }
    }

    /// The largest ratio of the table.
    double print(const std::vector<comparison>& rows) const
    {
        fmt::print("{:<24} {:>11} {:>11} {:>6}   {:>11} {:>11} {:>6}   {}\n", "", "factor ns", "library", "ratio", "solve ns", "library", "ratio",
                   "library");
        double worst = 0;
        for (const comparison& r : rows) {
            const auto time = [&](const char* what) {
                const auto it = best_.find(fmt::format("{}/{}", r.name, what));
                return it == best_.end() ? 0.0 : it->second;
            };
            const double factor = time("factor");
            const double solve = time("solve");
            const double other_factor = time("library factor");
            const double other_solve = time("library solve");
            if (factor == 0 || solve == 0 || other_factor == 0 || other_solve == 0) continue; // not measured: a filter
            worst = std::max({worst, factor / other_factor, solve / other_solve});
            fmt::print("{:<24} {:>11.0f} {:>11.0f} {:>6.2f}   {:>11.0f} {:>11.0f} {:>6.2f}   {}\n", r.name, factor, other_factor,
                       factor / other_factor, solve, other_solve, solve / other_solve, r.library);
        }
        return worst;
    }

private:
    std::map<std::string, double> best_;
};

void time_factor(benchmark::State& state, timed_system& s)
{
    for (auto _ : state)
        if (!s.factor()) state.SkipWithError("singular");
}

void time_solve(benchmark::State& state, timed_system& s)
{
    if (!s.factor()) state.SkipWithError("singular");
    for (auto _ : state) s.solve();
}

std::string cpu_name()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown";
}

} // namespace

int main(int argc, char** argv)
{
    bool exchanges = false;
    std::vector<std::string> words{argv[0], "--benchmark_min_time=0.005", "--benchmark_repetitions=9", "--benchmark_enable_random_interleaving=true"};
    for (int i = 1; i < argc; ++i)
        if (std::string_view(argv[i]) == "--exchanges")
            exchanges = true;
        else
            words.emplace_back(argv[i]);
    std::vector<char*> arguments;
    for (std::string& w : words) arguments.push_back(w.data());
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

    const std::string lapack = one_lapack_thread();
    fmt::print("CPU      {}\nkernels  {}\nLAPACK   {}\nmatrices {}\n\n", cpu_name(), ivp::kernels::chosen_kernels().name, lapack,
               exchanges ? "random, rows are exchanged" : "random with enlarged diagonal, rows are hardly exchanged");

    std::vector<comparison> rows;
    std::vector<std::unique_ptr<random_jacobian>> jacobians;
    for (const shape& s : eliminated_shapes()) {
        jacobians.push_back(std::make_unique<random_jacobian>(s, exchanges));
        const auto& j = jacobians.back()->matrix();
        rows.push_back({name_of(s), "LAPACK", std::make_unique<own_system>(s.n, s.numbers, j, ivp::mass_matrix<double>::identity(s.n)),
                        std::make_unique<lapack_system>(s, j)});
    }
    std::vector<std::unique_ptr<ivp::jacobian_matrix<double>>> sparse_jacobians;
    for (const char* id : {"pollu", "emep", "tba"}) {
        const sparse_matrix a = of_problem(id);
        sparse_jacobians.push_back(std::make_unique<ivp::jacobian_matrix<double>>(a.jacobian(ivp::algebra::sparse)));
        for (const number_kind k : all_numbers)
            if (auto klu = make_klu_system(a, k))
                rows.push_back({name_of(fmt::format("sparse {} n={}", id, a.n), k), "KLU",
                                std::make_unique<own_system>(a.n, k, *sparse_jacobians.back(), a.m), std::move(klu)});
    }
    for (const comparison& r : rows) {
        const auto add = [&](timed_system* p, const std::string& prefix) {
            benchmark::RegisterBenchmark((r.name + "/" + prefix + "factor").c_str(), [p](benchmark::State& state) { time_factor(state, *p); });
            benchmark::RegisterBenchmark((r.name + "/" + prefix + "solve").c_str(), [p](benchmark::State& state) { time_solve(state, *p); });
        };
        add(r.own.get(), "");
        add(r.other.get(), "library ");
    }

    table_reporter table;
    benchmark::RunSpecifiedBenchmarks(&table);
    const double worst = table.print(rows);
    fmt::print("\nlargest ratio {:.2f} (required: at most 1.10)\n", worst);
    return worst <= 1.10 ? 0 : 1;
}
