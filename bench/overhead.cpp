// What the platform adds to an evaluation: through the type-erased problem with its counters, and through the plug-in boundary as a solver meets it.
// Compared with a direct call of the same formula: of calls that do not wait for each other, of a chain in which each argument needs the result
// before it, and of Jacobians.
#include "drivers/plugin.hpp"

#include <ivp/catalog.hpp>
#include <ivp/evaluator.hpp>
#include <ivp/plugin.h>

#include <hires/hires.hpp>
#include <medakzo/medakzo.hpp>
#include <pollu/pollu.hpp>
#include <vdpol/vdpol.hpp>

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t calls_per_solve = 20000;

/// As the option of the probe numbers them.
enum class kind { independent_f, chain_of_f, jacobian };
constexpr std::array<const char*, 3> kind_names{"f, independent", "f, in a chain", "Jacobian"};

/// What may be added to n components or entries, in ns.
double allowed(kind k, double n) { return (k == kind::jacobian ? 10 : 3) + 0.3 * n; }

/// A formula that can be evaluated in all the ways compared here.
struct subject {
    std::string name;
    ivp::problem problem;
    /// One call of each kind, compiled around the formula.
    std::function<void(benchmark::State&, kind)> direct;

    [[nodiscard]] double entries(kind k) const
    {
        const auto& s = problem.info().jacobian_structure;
        const double n = problem.n();
        return k != kind::jacobian ? n : n * (s.kind == ivp::structure_kind::band ? s.lower + s.upper + 1 : n);
    }
};

ivp::matrix_view<double> view_of(const ivp::problem& p, std::vector<double>& values)
{
    const auto& s = p.info().jacobian_structure;
    const int n = p.n();
    const bool band = s.kind == ivp::structure_kind::band;
    const int ld = band ? s.lower + s.upper + 1 : n;
    values.assign(static_cast<std::size_t>(ld) * n, 0.0);
    return {band ? s.kind : ivp::structure_kind::full, n, band ? s.lower : 0, band ? s.upper : 0, ld, nullptr, values.data()};
}

/// Of the probe. The library stays open until the program ends.
template <class Function>
Function* symbol(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(dlopen(IVP_PROBE, RTLD_NOW), name));
}

/// f(y, out) again and again, as the probe does it.
template <class Call>
void repeat(benchmark::State& state, kind k, const std::vector<double>& start, const Call& f)
{
    std::vector<double> y = start;
    std::vector<double> out(y.size());
    const auto n = static_cast<int>(y.size());
    auto* const next_argument = symbol<void(int, const double*, const double*, double*)>("overhead_next_argument");
    if (k == kind::independent_f) {
        for (auto _ : state) {
            f(y.data(), out.data());
            benchmark::ClobberMemory();
        }
        return;
    }
    for (auto _ : state) {
        f(y.data(), out.data());
        next_argument(n, start.data(), out.data(), y.data());
        benchmark::ClobberMemory();
    }
}

template <class Formula>
[[gnu::noinline]] void call_directly(const Formula& formula, double t, const double* y, double* out)
{
    (void)formula.f(t, y, out);
}

template <class Call>
void repeat_jacobian(benchmark::State& state, const ivp::problem& p, const Call& jacobian)
{
    const auto y = p.in<double>().initial_values();
    std::vector<double> values;
    const auto view = view_of(p, values);
    for (auto _ : state) {
        jacobian(y.data(), view);
        benchmark::ClobberMemory();
    }
}

void direct_jacobian(benchmark::State& state, const ivp::problem& p)
{
    const auto& e = p.in<double>();
    const auto work = e.make_scratch_for(p.finest_iteration_structure());
    repeat_jacobian(state, p, [&, t = p.info().t0.value()](const double* y, const ivp::matrix_view<double>& out) {
        benchmark::DoNotOptimize(e.jacobian(t, y, *work, out));
    });
}

template <template <class> class P>
subject own(const std::string& id)
{
    const ivp::problem p = ivp::open_problem(id);
    const auto formula = std::make_shared<const P<double>>(p.parameters());
    return {id, p, [formula, p](benchmark::State& state, kind k) {
                if (k == kind::jacobian) return direct_jacobian(state, p);
                repeat(state, k, p.in<double>().initial_values(),
                       [&, t = p.info().t0.value()](const double* y, double* out) { call_directly(*formula, t, y, out); });
            }};
}

subject foreign(const std::string& path)
{
    const ivp::problem p = ivp::load_plugin_problem(path);
    auto* const open = symbol<decltype(ivp_problem_open)>("ivp_problem_open");
    struct {
        ivp_problem value{};
        char room[4096]{};
    } table;
    open(&table.value);
    return {p.id(), p, [table, p](benchmark::State& state, kind k) {
                if (k == kind::jacobian)
                    return repeat_jacobian(state, p, [&](const double* y, const ivp::matrix_view<double>& out) {
                        benchmark::DoNotOptimize(table.value.jacobian(nullptr, 0.0, y, out.data));
                    });
                repeat(state, k, p.in<double>().initial_values(),
                       [&](const double* y, double* out) { benchmark::DoNotOptimize(table.value.f(nullptr, 0.0, y, out)); });
            }};
}

void time_evaluator(benchmark::State& state, kind k, const subject& s)
{
    ivp::evaluator e(s.problem);
    const double t = s.problem.info().t0.value();
    if (k == kind::jacobian)
        repeat_jacobian(state, s.problem,
                        [&](const double* y, const ivp::matrix_view<double>& out) { benchmark::DoNotOptimize(e.jacobian(t, y, out)); });
    else
        repeat(state, k, s.problem.in<double>().initial_values(), [&](const double* y, double* out) { benchmark::DoNotOptimize(e.f(t, y, out)); });
}

/// The time of a whole solve, which makes this many calls.
void time_callback(benchmark::State& state, kind k, const subject& s, const ivp::solver& probe)
{
    ivp::evaluator e(s.problem);
    std::vector<double> y = s.problem.in<double>().initial_values();
    std::vector<double> yp(y.size());
    ivp::solve_options options;
    options.tolerance = ivp::tolerances(1e-4, 1e-4);
    options.special["kind"] = static_cast<double>(k);
    const ivp::segment whole{s.problem.info().t0.value(), s.problem.info().tend.value(), y, yp, calls_per_solve};
    for (auto _ : state) benchmark::DoNotOptimize(probe.solve(e, whole, options, nullptr).t);
}

/// Keeps the smallest time of each benchmark, in ns.
class smallest_times final : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context& /*context*/) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override
    {
        for (const Run& r : runs)
            if (r.run_type == Run::RT_Iteration && !r.error_occurred) {
                const double ns = r.cpu_accumulated_time / static_cast<double>(r.iterations) * 1e9;
                double& best = best_.try_emplace(r.run_name.function_name, std::numeric_limits<double>::infinity()).first->second;
                best = std::min(best, ns);
            }
    }
    [[nodiscard]] double of(const std::string& name) const { return best_.at(name); }

private:
    std::map<std::string, double> best_;
};

std::string label(const subject& s, kind k, const char* way) { return s.name + ", " + kind_names[static_cast<int>(k)] + ", " + way; }

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> words{argv[0], "--benchmark_min_time=0.01", "--benchmark_repetitions=15", "--benchmark_enable_random_interleaving=true"};
    words.insert(words.end(), argv + 1, argv + argc);
    std::vector<char*> arguments;
    for (std::string& w : words) arguments.push_back(w.data());
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

    const auto probe = ivp::load_plugin_solver(IVP_PROBE);
    const std::vector<subject> subjects{own<ivp::problems::vdpol>("vdpol"), own<ivp::problems::hires>("hires"), own<ivp::problems::pollu>("pollu"),
                                        own<ivp::problems::medakzo>("medakzo"), foreign(IVP_PROBE)};
    constexpr std::array kinds{kind::independent_f, kind::chain_of_f, kind::jacobian};
    for (const subject& s : subjects)
        for (const kind k : kinds) {
            benchmark::RegisterBenchmark(label(s, k, "direct").c_str(), [&s, k](benchmark::State& state) { s.direct(state, k); });
            benchmark::RegisterBenchmark(label(s, k, "evaluator").c_str(), [&s, k](benchmark::State& state) { time_evaluator(state, k, s); });
            benchmark::RegisterBenchmark(label(s, k, "plug-in").c_str(),
                                         [&s, k, &probe](benchmark::State& state) { time_callback(state, k, s, *probe); });
        }
    smallest_times best;
    benchmark::RunSpecifiedBenchmarks(&best);

    bool kept = true;
    fmt::print("ns per evaluation\n{:<12} {:<15} {:>6} {:>8} {:>10} {:>7} {:>15} {:>7} {:>8}\n", "problem", "what", "size", "direct", "evaluator",
               "more", "plug-in solver", "more", "allowed");
    for (const subject& s : subjects)
        for (const kind k : kinds) {
            const double direct = best.of(label(s, k, "direct"));
            const double evaluator = best.of(label(s, k, "evaluator"));
            const double callback = best.of(label(s, k, "plug-in")) / calls_per_solve;
            const double limit = allowed(k, s.entries(k));
            const bool keeps = evaluator - direct <= limit && callback - direct <= limit;
            kept = kept && keeps;
            fmt::print("{:<12} {:<15} {:>6} {:>8.1f} {:>10.1f} {:>7.1f} {:>15.1f} {:>7.1f} {:>8.1f}{}\n", s.name, kind_names[static_cast<int>(k)],
                       s.entries(k), direct, evaluator, evaluator - direct, callback, callback - direct, limit, keeps ? "" : "  exceeded");
        }
    return kept ? 0 : 1;
}
