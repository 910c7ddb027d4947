// Direct elimination of large sparse matrices: our fronts beside KLU, on the matrices c I − J of the Brusselator in two dimensions.
//
// DESCRIPTION: CPU time of one factorisation and one solve, the smallest of interleaved repetitions; what each way keeps in memory, measured in a
// process of its own. `large_matrices [N ...]`: grids of N x N points, 2 N^2 unknowns.
#include "base/cpu_time.hpp"
#include "base/memory.hpp"
#include "linalg/linear_path.hpp"

#include <fmt/format.h>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace ivp;

structure pattern(int N)
{
    const int points = N * N;
    std::vector<std::vector<int>> columns(2 * static_cast<std::size_t>(points));
    for (int field = 0; field < 2; ++field)
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i) {
                const auto at = [&](int k, int l) { return field * points + (l + N) % N * N + (k + N) % N; };
                const int here = at(i, j);
                columns[here] = {here, at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1), (here + points) % (2 * points)};
            }
    return structure::sparse(std::move(columns));
}

struct matrices {
    explicit matrices(int N) : n(2 * N * N), j(algebra::sparse, pattern(N), n), m(mass_matrix<double>::identity(n))
    {
        const sparsity& s = *j.view().pattern;
        const double diffusion = 0.1 * N * N;
        for (int k = 0; k < n; ++k)
            for (int p = s.column_start[k]; p < s.column_start[k + 1]; ++p) {
                const int i = s.row[p];
                const bool same_point = std::abs(i - k) == n / 2;
                const double u = 1 + 0.3 * (k % 7);
                j.view().data[p] = i == k ? -4 * diffusion - u : same_point ? (i < k ? u * u : 3.4 - u) : diffusion;
            }
    }
    int n;
    jacobian_matrix<double> j;
    mass_matrix<double> m;
};

struct way {
    const char* name;
    std::unique_ptr<linear_path<double>> (*make)(const path_request<double>&);
};
constexpr std::array<way, 2> ways{{{"fronts", make_frontal_path}, {"KLU", make_klu_path}}};

struct times {
    double factor = std::numeric_limits<double>::infinity();
    double again = std::numeric_limits<double>::infinity(); ///< a factorisation with the order and the pivots that it has
    double solve = std::numeric_limits<double>::infinity();
};

double seconds(const std::function<void()>& work)
{
    const double begin = process_cpu_seconds();
    work();
    return process_cpu_seconds() - begin;
}

/// Mebibytes that `work` adds to the peak of a process that does nothing else.
double added_memory(const std::function<void()>& work)
{
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return 0;
    const pid_t child = fork();
    if (child == 0) {
        malloc_trim(0); // what was freed before the fork would serve a second time, unseen
        forget_peak_memory();
        const double before = peak_memory().value_or(0);
        work();
        const double added = (peak_memory().value_or(0) - before) / (1 << 20);
        if (write(ends[1], &added, sizeof added) != sizeof added) _exit(1);
        _exit(0);
    }
    close(ends[1]);
    double added = 0;
    if (read(ends[0], &added, sizeof added) != sizeof added) added = 0;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return added;
}

void measure(int N, int rounds)
{
    const matrices a(N);
    std::array<std::array<double, ways.size()>, 2> memory{};
    for (const bool timed : {false, true}) // memory first: what this process has given back would serve its children
        for (const bool complex : {false, true}) {
            const path_request<double> request{a.j.view(), {&a.m, {}}, complex ? 0 : 1, complex ? 1 : 0};
            std::array<times, ways.size()> best;
            const auto factor = [&](linear_path<double>& p, double c) {
                if (!(complex ? p.factor_complex(0, {c, 1.1 * c}) : p.factor_real(0, c))) std::abort();
            };
            const auto solve = [&](const linear_path<double>& p, std::vector<double>& re, std::vector<double>& im) {
                if (complex)
                    p.solve_complex(0, re.data(), im.data());
                else
                    p.solve_real(0, re.data());
            };
            if (!timed) {
                for (std::size_t w = 0; w < ways.size(); ++w)
                    memory[complex ? 1 : 0][w] = added_memory([&] {
                        const auto path = ways[w].make(request);
                        factor(*path, 100);
                        std::vector<double> re(a.n, 1.0), im(a.n, 1.0);
                        solve(*path, re, im);
                    });
                continue;
            }
            for (int round = 0; round < rounds; ++round)
                for (std::size_t w = 0; w < ways.size(); ++w) {
                    std::unique_ptr<linear_path<double>> path;
                    best[w].factor = std::min(best[w].factor, seconds([&] {
                                                  path = ways[w].make(request);
                                                  factor(*path, 100);
                                              }));
                    best[w].again = std::min(best[w].again, seconds([&] { factor(*path, 50); }));
                    std::vector<double> re(a.n, 1.0), im(a.n, 1.0);
                    best[w].solve = std::min(best[w].solve, seconds([&] { solve(*path, re, im); }));
                }
            for (std::size_t w = 0; w < ways.size(); ++w)
                fmt::print("{:>7} {:8} {:7} {:12.1f} {:12.1f} {:12.2f} {:10.1f}\n", a.n, complex ? "complex" : "real", ways[w].name,
                           1e3 * best[w].factor, 1e3 * best[w].again, 1e3 * best[w].solve, memory[complex ? 1 : 0][w]);
            fmt::print("{:>7} {:8} {:7} {:12.2f} {:12.2f} {:12.2f} {:10.2f}\n", "", "", "ratio", best[0].factor / best[1].factor,
                       best[0].again / best[1].again, best[0].solve / best[1].solve, memory[complex ? 1 : 0][0] / memory[complex ? 1 : 0][1]);
        }
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<int> sizes;
    for (int k = 1; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
    if (sizes.empty()) sizes = {71, 224};
    fmt::print("{:>7} {:8} {:7} {:>12} {:>12} {:>12} {:>10}\n", "n", "", "", "first [ms]", "again [ms]", "solve [ms]", "MiB");
    for (const int N : sizes) measure(N, N < 100 ? 7 : 1);
}
