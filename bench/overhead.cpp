// What the platform adds to an evaluation of f: through the type-erased problem with its counters, through the plug-in boundary as a solver
// meets it, and through that of a foreign problem. Compared with a direct call of the same formula.
#include <hires/hires.hpp>
#include <medakzo/medakzo.hpp>
#include <pollu/pollu.hpp>
#include <vdpol/vdpol.hpp>

#include <ivp/catalog/catalog.hpp>
#include <ivp/drivers/plugin.hpp>
#include <ivp/model/evaluator.hpp>
#include <ivp/plugin.h>

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

// Of a formula with up to 20 components; looking for infinities grows with their number.
constexpr double allowed_ns = 5;
constexpr double allowed_plugin_ns = 15;
constexpr int small = 20;
constexpr std::uint64_t calls_per_solve = 1000;

/// In a solver an evaluation waits for what the one before it gave. So does the next one here: its argument is where the result says.
const double* next_argument(const std::vector<double>& y, const std::vector<double>& out)
{
    constexpr double never = 1.2345e-67;
    return y.data() + (out[0] == never ? 1 : 0);
}

/// A formula that can be evaluated in all the ways compared here.
struct subject {
    std::string name;
    ivp::problem problem;
    std::vector<double> y;
    std::function<void(benchmark::State&)> direct;
};

template <class Formula>
[[gnu::noinline]] void call_directly(const Formula& formula, double t, const double* y, double* out)
{
    (void)formula.f(t, y, out);
}

template <template <class> class P>
subject own(const std::string& id)
{
    const ivp::problem p = ivp::open_problem(id);
    const auto y = p.in<double>().initial_values();
    const auto formula = std::make_shared<const P<double>>(p.parameters());
    return {id, p, y, [formula, y, t = p.info().t0.value()](benchmark::State& state) {
                std::vector<double> out(y.size());
                for (auto _ : state) {
                    call_directly(*formula, t, next_argument(y, out), out.data());
                    benchmark::ClobberMemory();
                }
            }};
}

/// The library stays open until the program ends.
subject foreign(const std::string& path)
{
    const ivp::problem p = ivp::load_plugin_problem(path);
    auto* const open = reinterpret_cast<decltype(&ivp_problem_open)>(dlsym(dlopen(path.c_str(), RTLD_NOW), "ivp_problem_open"));
    struct {
        ivp_problem value{};
        char room[4096]{};
    } table;
    open(&table.value);
    const auto y = p.in<double>().initial_values();
    return {p.id(), p, y, [f = table.value.f, y](benchmark::State& state) {
                std::vector<double> out(y.size());
                for (auto _ : state) {
                    benchmark::DoNotOptimize(f(nullptr, 0.0, next_argument(y, out), out.data()));
                    benchmark::ClobberMemory();
                }
            }};
}

void time_evaluator(benchmark::State& state, const subject& s)
{
    ivp::evaluator e(s.problem);
    std::vector<double> out(s.y.size());
    const double t = s.problem.info().t0.value();
    for (auto _ : state) {
        benchmark::DoNotOptimize(e.f(t, next_argument(s.y, out), out.data()));
        benchmark::ClobberMemory();
    }
}

/// The time of a whole solve, which makes this many calls.
void time_callback(benchmark::State& state, const subject& s, const ivp::solver& probe)
{
    ivp::evaluator e(s.problem);
    std::vector<double> y = s.y;
    std::vector<double> yp(y.size());
    ivp::solve_options options;
    options.tolerance = ivp::tolerances(1e-4, 1e-4);
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

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> words{argv[0], "--benchmark_min_time=0.02", "--benchmark_repetitions=15", "--benchmark_enable_random_interleaving=true"};
    words.insert(words.end(), argv + 1, argv + argc);
    std::vector<char*> arguments;
    for (std::string& w : words) arguments.push_back(w.data());
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

    const auto probe = ivp::load_plugin_solver(IVP_PROBE);
    const std::vector<subject> subjects{own<ivp::problems::vdpol>("vdpol"), own<ivp::problems::hires>("hires"), own<ivp::problems::pollu>("pollu"),
                                        own<ivp::problems::medakzo>("medakzo"), foreign(IVP_PROBE)};
    for (const subject& s : subjects) {
        benchmark::RegisterBenchmark((s.name + " direct").c_str(), s.direct);
        benchmark::RegisterBenchmark((s.name + " evaluator").c_str(), [&s](benchmark::State& state) { time_evaluator(state, s); });
        benchmark::RegisterBenchmark((s.name + " callback").c_str(), [&s, &probe](benchmark::State& state) { time_callback(state, s, *probe); });
    }
    smallest_times best;
    benchmark::RunSpecifiedBenchmarks(&best);

    bool kept = true;
    fmt::print("ns per evaluation of f\n{:<12} {:>4} {:>8} {:>11} {:>7} {:>9} {:>17} {:>7} {:>9}\n", "problem", "n", "direct", "evaluator", "more",
               "allowed", "plug-in solver", "more", "allowed");
    for (const subject& s : subjects) {
        const double direct = best.of(s.name + " direct");
        const double evaluator = best.of(s.name + " evaluator");
        const double callback = best.of(s.name + " callback") / calls_per_solve;
        const bool judged = s.problem.n() <= small;
        const double limit = s.name == "vdpol-in-c" ? allowed_plugin_ns : allowed_ns; // a foreign problem is behind the boundary itself
        kept = kept && (!judged || (evaluator - direct <= limit && callback - direct <= allowed_plugin_ns));
        fmt::print("{:<12} {:>4} {:>8.1f} {:>11.1f} {:>7.1f} {:>9} {:>17.1f} {:>7.1f} {:>9}\n", s.name, s.problem.n(), direct, evaluator,
                   evaluator - direct, judged ? fmt::format("{:g}", limit) : "-", callback, callback - direct,
                   judged ? fmt::format("{:g}", allowed_plugin_ns) : "-");
    }
    return kept ? 0 : 1;
}
