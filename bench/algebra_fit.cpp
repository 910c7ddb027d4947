// The choice of algebra: what dense, sparse and frontal elimination cost, as formulas fitted to measured times. Whether the choice is the best is
// seen in whole runs (algebra_runs.py).
//
// DESCRIPTION: the matrices are Jacobians of the catalog at several sizes, and grids. CPU time, the smallest of interleaved repetitions. The fits are
// printed in the form in which src/linalg/shifted_lu.cpp and sparse_cost.hpp have them (nanoseconds), with the largest ratio of a measured time and
// its formula.
#include "sparse_systems.hpp"

#include "base/cpu_time.hpp"
#include "linalg/front_tree.hpp"
#include "linalg/linear_path.hpp"
#include "linalg/sparse_cost.hpp"
#include "linalg/sparse_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ivp::bench {
namespace {

/// Nanoseconds of one call: as many calls as take a millisecond, the fastest of the rounds.
double nanoseconds(const std::function<void()>& work)
{
    constexpr double enough = 1e-3;
    constexpr int rounds = 5;
    double best = std::numeric_limits<double>::infinity();
    int calls = 1;
    for (int round = 0; round < rounds;) {
        const double begin = process_cpu_seconds();
        for (int k = 0; k < calls; ++k) work();
        const double taken = process_cpu_seconds() - begin;
        if (taken < enough && calls < 1 << 20) {
            calls *= 2;
            continue;
        }
        best = std::min(best, taken / calls);
        ++round;
    }
    return 1e9 * best;
}

struct measured {
    double factor = 0;
    double solve = 0;
};

measured measure(const sparse_matrix& a, algebra path, number_kind numbers)
{
    const auto j = a.jacobian(path);
    own_system x(a.n, numbers, j, a.m);
    if (!x.factor()) return {std::nan(""), std::nan("")};
    return {nanoseconds([&] { (void)x.factor(); }), nanoseconds([&] { x.solve(); })};
}

/// Coefficients that bring the relative errors of Σ c_k x_k near 0, none of them negative.
std::vector<double> fit(const std::vector<std::vector<double>>& x, const std::vector<double>& y)
{
    const std::size_t terms = x.front().size();
    std::vector<double> c(terms, 0.0);
    for (int sweep = 0; sweep < 20000; ++sweep) // one coefficient after the other
        for (std::size_t k = 0; k < terms; ++k) {
            double above = 0;
            double below = 0;
            for (std::size_t i = 0; i < y.size(); ++i) {
                double rest = 1;
                for (std::size_t m = 0; m < terms; ++m)
                    if (m != k) rest -= c[m] * x[i][m] / y[i];
                above += rest * x[i][k] / y[i];
                below += x[i][k] / y[i] * (x[i][k] / y[i]);
            }
            c[k] = std::max(0.0, above / below);
        }
    return c;
}

void print_fit(const std::string& what, const std::vector<std::string>& names, const std::vector<std::vector<double>>& x,
               const std::vector<double>& y)
{
    if (y.empty()) return;
    const auto c = fit(x, y);
    double worst = 1;
    for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < c.size(); ++k) sum += c[k] * x[i][k];
        worst = std::max({worst, sum / y[i], y[i] / sum});
    }
    std::string text;
    for (std::size_t k = 0; k < c.size(); ++k) text += fmt::format("{}{:.4g} {}", k == 0 ? "" : " + ", c[k], names[k]);
    fmt::print("{:28} = {}   (largest ratio {:.2f}, {} times)\n", what, text, worst, y.size());
}

struct samples {
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    void add(std::vector<double> terms, double time)
    {
        if (!std::isfinite(time)) return;
        x.push_back(std::move(terms));
        y.push_back(time);
    }
};

struct matrix_case {
    std::string name;
    sparse_matrix a;
};

int run(int largest)
{
    std::vector<matrix_case> cases;
    for (const char* id : {"pollu", "ringmod", "andrews", "emep", "water", "tba"}) cases.push_back({id, of_problem(id)});
    for (const int N : {5, 10, 20, 40, 80, 160})
        if (8 * N <= largest) cases.push_back({"fekete N=" + std::to_string(N), of_problem("fekete", {{"N", std::to_string(N)}})});
    for (const int side : {8, 16, 30, 60, 100}) cases.push_back({fmt::format("grid {}x{}", side, side), of_grid(side, side)});

    std::map<std::string, samples> fits;
    fmt::print("{:16} {:>6} {:>9} {:>10} {:>11} | {:>10} {:>10} {:>9} | {:>10} {:>10} {:>9}\n", "nanoseconds", "n", "entries", "updates",
               "front mults", "dense LU", "sparse LU", "ratio", "dense x", "sparse x", "chosen");
    for (const auto& [name, a] : cases) {
        const sparsity& s = *a.s.pattern;
        const front_tree tree(s);
        std::vector<char> diagonal(s.row.size(), 0);
        for (int j = 0; j < s.n; ++j)
            if (const int p = s.find(j, j); p >= 0) diagonal[p] = 1;
        const auto order = order_by_values(s, typical_values(s, diagonal), 0.1, 2e7);
        for (const number_kind numbers : {number_kind::real, number_kind::pair}) {
            const bool pair = numbers == number_kind::pair;
            const bool by_fronts = order.updates >= most_updates_by_lists(s, pair);
            const double n = a.n;
            const measured dense = n <= largest ? measure(a, algebra::dense, numbers) : measured{std::nan(""), std::nan("")};
            const measured sparse = measure(a, algebra::sparse, numbers);
            const std::string kind = pair ? "pair" : "real";
            if (n > 64) {
                fits["1 dense LU " + kind].add({n * n * n, n * n, n}, dense.factor);
                fits["2 dense solve " + kind].add({n * n, n, 1}, dense.solve);
            }
            if (by_fronts) {
                fits["5 fronts LU " + kind].add({tree.multiplications, static_cast<double>(tree.factor_size), n}, sparse.factor);
                fits["6 fronts solve " + kind].add({static_cast<double>(tree.factor_size), n}, sparse.solve);
            } else {
                fits["3 sparse LU " + kind].add({order.updates, std::max(0.0, order.updates - 1e5), order.entries, n}, sparse.factor);
                fits["4 sparse solve " + kind].add({order.entries, n}, sparse.solve);
            }
            const linear_work work{.complex_matrices = pair ? 1 : 0, .solves = pair ? 3.0 : 6.0};
            const algebra chosen = choose_algebra(algebra::automatic, a.s, a.n, work);
            const auto total = [&](const measured& m) { return m.factor + work.solves * m.solve; };
            const double ratio = total(chosen == algebra::dense ? dense : sparse) / std::min(total(dense), total(sparse));
            fmt::print("{:16} {:6} {:9} {:10.3g} {:11.3g} | {:10.4g} {:10.4g} {:9.2f} | {:10.4g} {:10.4g} {:>9} {:5.2f}\n", name + (pair ? " *" : ""),
                       a.n, s.entries(), order.updates, tree.multiplications, dense.factor, sparse.factor, sparse.factor / dense.factor, dense.solve,
                       sparse.solve, label(chosen), ratio);
        }
    }
    fmt::print("\n* one real and one complex matrix together; the last column: time with the chosen algebra beside the best, LU and solves\n\n");
    const std::map<char, std::vector<std::string>> names{{'1', {"n^3", "n^2", "n"}},
                                                         {'2', {"n^2", "n", ""}},
                                                         {'3', {"updates", "(updates - 1e5)+", "entries", "n"}},
                                                         {'4', {"entries", "n"}},
                                                         {'5', {"multiplications", "factors", "n"}},
                                                         {'6', {"factors", "n"}}};
    for (const auto& [what, samples] : fits) print_fit(what.substr(2), names.at(what.front()), samples.x, samples.y);
    return 0;
}

} // namespace
} // namespace ivp::bench

int main(int argc, char** argv) { return ivp::bench::run(argc > 1 ? std::atoi(argv[1]) : 1300); }
