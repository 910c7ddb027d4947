// The choice of algebra: what dense, sparse and frontal elimination cost, as formulas fitted to measured times, and whether the choice is the best.
//
// DESCRIPTION: the matrices are Jacobians of the catalog at several sizes, and grids. CPU time, the smallest of interleaved repetitions. The fits are
// printed in the form in which src/linalg/shifted_lu.cpp has them (nanoseconds), with the largest ratio of a measured time and its formula. The
// second table has every problem of the catalog whose matrix is not full, at its size and at larger ones: for the mixes of work of the methods, the
// time with the algebra that choose_algebra() takes beside the best one. The last line names the worst. The exit code is 1 if it is above 1.2.
#include "sparse_systems.hpp"

#include "base/cpu_time.hpp"
#include "linalg/front_tree.hpp"
#include "linalg/linear_path.hpp"
#include "linalg/sparse_order.hpp"

#include <ivp/catalog.hpp>

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
    double order = 0; ///< an order of pivots that a run makes again and again
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

/// The matrix of a problem near its start, with all that a path may want.
struct catalog_matrix {
    explicit catalog_matrix(const problem& p) : s(p.finest_iteration_structure()), m(mass_of(p)), n(p.n())
    {
        if (s.kind == structure_kind::full) return;
        const jacobian_matrix<double> j(s.kind == structure_kind::band ? algebra::band : algebra::sparse, s, n);
        const auto& eq = p.in<double>();
        auto y = eq.initial_values();
        for (int i = 0; i < n; ++i) y[i] += 1e-3 * (1 + i % 7) * std::max(1e-3, std::abs(y[i])); // fewer entries vanish than at the start
        const double t = p.info().t0.value();
        if (p.info().form == form::ide) {
            std::vector<double> slope = eq.initial_derivatives();
            slope.resize(n);
            (void)eq.partials(t, y.data(), slope.data(), -1.0, -real_shift, *eq.make_scratch(), j.view());
        } else {
            (void)eq.jacobian(t, y.data(), *eq.make_scratch(), j.view());
        }
        for (int c = 0; c < n; ++c) {
            const auto add = [&](int r) { entries.push_back({r, c, j.view().at(r, c)}); };
            if (s.kind == structure_kind::band)
                for (int r = std::max(0, c - s.upper); r <= std::min(n - 1, c + s.lower); ++r) add(r);
            else
                for (int k = s.pattern->column_start[c]; k < s.pattern->column_start[c + 1]; ++k) add(s.pattern->row[k]);
        }
    }
    /// That of an IDE is in J already.
    static mass_matrix<double> mass_of(const problem& p)
    {
        return p.info().form == form::ide ? mass_matrix<double>::diagonal(std::vector<double>(p.n(), 0.0)) : p.in<double>().mass();
    }
    [[nodiscard]] jacobian_matrix<double> jacobian(algebra path) const
    {
        jacobian_matrix<double> j(path, s, n);
        for (const auto& e : entries) j.view().set(e.row, e.column, e.value);
        return j;
    }
    struct entry {
        int row;
        int column;
        double value;
    };
    structure s;
    mass_matrix<double> m;
    int n;
    std::vector<entry> entries;
};

/// Every problem of the catalog, and those with a size at larger ones.
std::vector<std::pair<std::string, std::map<std::string, std::string>>> catalog_cases()
{
    std::vector<std::pair<std::string, std::map<std::string, std::string>>> all;
    for (const auto& id : problem_ids()) {
        all.push_back({id, {}});
        for (const auto& p : problem_parameters(id))
            if (p.name == "N" && p.whole)
                for (const int factor : {2, 4, 8})
                    if (factor * p.value.value() <= p.max.value())
                        all.push_back({id, {{"N", std::to_string(static_cast<int>(factor * p.value.value()))}}});
    }
    return all;
}

/// One that costs as much as many factorisations, and that elimination by lists of indices needs; fronts need one for all.
bool has_large_order(const sparsity& s, number_kind numbers)
{
    std::vector<char> diagonal(s.row.size(), 0);
    for (int j = 0; j < s.n; ++j)
        if (const int p = s.find(j, j); p >= 0) diagonal[p] = 1;
    const bool by_lists = s.n <= (numbers == number_kind::pair ? 4000 : 1000);
    return by_lists && !order_by_values(s, typical_values(s, diagonal), 0.1, 1e5).complete(s.n);
}

/// Answers the largest ratio.
double compare_on_catalog(int largest)
{
    struct mix {
        const char* name;
        number_kind numbers;
        linear_work work;
    };
    // As the solvers state it: iteration_matrix, RADAU5, MEBDFDAE.
    const std::array<mix, 3> mixes{{{"6 solves", number_kind::real, {}},
                                    {"30 solves", number_kind::real, {.solves = 30}},
                                    {"with a complex matrix, 3 solves", number_kind::pair, {.complex_matrices = 1, .solves = 3}}}};
    constexpr int largest_structured = 40000;
    double worst = 1;
    std::string where = "none";
    int full = 0;
    fmt::print("\n{:28} {:>6} {:24} {:32} {:>12} {:>12} {:>8} {:>6}\n", "nanoseconds", "n", "structure", "for each factorisation", "dense",
               "structured", "chosen", "ratio");
    for (const auto& [id, parameters] : catalog_cases()) {
        const problem p = open_problem(id, parameters);
        if (p.n() > largest_structured) continue;
        const catalog_matrix a(p);
        if (a.s.kind == structure_kind::full) {
            ++full;
            continue;
        }
        std::map<number_kind, std::array<measured, 2>> taken; // dense, structured
        for (const auto& [name, numbers, work] : mixes) {
            if (!taken.contains(numbers)) {
                const auto of = [&, kind = numbers](algebra path) {
                    const auto j = a.jacobian(path);
                    own_system x(a.n, kind, j, a.m);
                    if (!x.factor()) return measured{std::nan(""), std::nan("")};
                    measured m{nanoseconds([&] { (void)x.factor(); }), nanoseconds([&] { x.solve(); })};
                    if (path == algebra::sparse && has_large_order(*a.s.pattern, kind)) m.order = nanoseconds([&] { own_system(a.n, kind, j, a.m); });
                    return m;
                };
                taken[numbers] = {a.n <= largest ? of(algebra::dense) : measured{HUGE_VAL, HUGE_VAL},
                                  of(a.s.kind == structure_kind::band ? algebra::band : algebra::sparse)};
            }
            // On fekete every third matrix needs a new order, every twelfth if there are complex ones (src/linalg/shifted_lu.cpp).
            const double share = numbers == number_kind::pair ? 1.0 / 12 : 1.0 / 3;
            const auto total = [&, solves = work.solves](const measured& m) { return m.factor + solves * m.solve + share * m.order; };
            const double dense = total(taken[numbers][0]);
            const double structured = total(taken[numbers][1]);
            const algebra chosen = choose_algebra(algebra::automatic, a.s, a.n, work);
            const double ratio = (chosen == algebra::dense ? dense : structured) / std::min(dense, structured);
            const std::string text = id + (parameters.empty() ? "" : " N=" + parameters.at("N"));
            fmt::print("{:28} {:6} {:24} {:32} {:12.4g} {:12.4g} {:>8} {:6.2f}\n", text, a.n, a.s.describe(), name, dense, structured, label(chosen),
                       ratio);
            if (ratio > worst) {
                worst = ratio;
                where = text + ", " + name;
            }
        }
    }
    fmt::print("{} problems have a full matrix. The worst choice: {:.2f} ({}).\n", full, worst, where);
    return worst;
}

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
            const bool by_fronts = a.n > (pair ? 4000 : 1000) || !order.complete(a.n);
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
    return compare_on_catalog(largest) <= 1.2 ? 0 : 1;
}

} // namespace
} // namespace ivp::bench

int main(int argc, char** argv) { return ivp::bench::run(argc > 1 ? std::atoi(argv[1]) : 1300); }
