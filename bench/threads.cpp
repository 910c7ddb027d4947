// What two threads are worth on large problems: one evaluation of f in pieces, and the real beside the complex matrix of RADAU5.
//
// DESCRIPTION: the Brusselator in two dimensions, N x N points, 2 N^2 equations. Time on the clock, the least of interleaved repetitions: a time that
// another process has lengthened does not count. `threads [N]`, default 224.
#include "base/thread_team.hpp"
#include "linalg/shifted_lu.hpp"

#include <ivp/catalog.hpp>
#include <ivp/evaluator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace ivp;

double seconds(const std::function<void()>& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void compare(const char* what, int repetitions, const std::function<void()>& alone, const std::function<void()>& together)
{
    std::array<double, 2> least;
    least.fill(std::numeric_limits<double>::infinity());
    for (int k = 0; k < repetitions; ++k) {
        least[0] = std::min(least[0], seconds(alone));
        least[1] = std::min(least[1], seconds(together));
    }
    fmt::print("{:<28} {:>10.3f} {:>10.3f} {:>9.2f}\n", what, 1e3 * least[0], 1e3 * least[1], least[0] / least[1]);
}

} // namespace

int main(int argc, char** argv)
{
    const std::string side = argc > 1 ? argv[1] : "224";
    const problem p = open_problem("brus2d", {{"N", side}});
    const std::vector<double> y = p.in<double>().initial_values();
    std::vector<double> out(y.size());
    fmt::print("{} equations\n{:<28} {:>10} {:>10} {:>9}\n", p.n(), "", "1 [ms]", "2 [ms]", "speed-up");

    evaluator one(p);
    evaluator two(p);
    two.use_threads(2);
    const auto evaluations = [&](evaluator& e) {
        for (int k = 0; k < 20; ++k) (void)e.f(2.0, y.data(), out.data());
    };
    compare(
        "20 evaluations of f", 200, [&] { evaluations(one); }, [&] { evaluations(two); });

    jacobian_matrix<double> j(algebra::sparse, p.finest_iteration_structure(), p.n());
    if (one.jacobian(0.0, y.data(), j.view()) != evaluation::ok) return EXIT_FAILURE;
    counters count;
    const auto mass = mass_matrix<double>::identity(p.n());
    shifted_lu<double> serial(j, mass, 1, 1, count);
    shifted_lu<double> shared(j, mass, 1, 1, count);
    shared.set_team(two.team());
    // The eigenvalues of RADAU5 for a step of 0.01.
    const std::array real{363.78};
    const std::array complex{complex_shift<double>{268.11, 305.04}};
    bool factored = true;
    const auto factor = [&](shifted_lu<double>& lu) { factored = lu.factor(real, complex) && factored; };
    compare(
        "real and complex factors", 10, [&] { factor(serial); }, [&] { factor(shared); });
    if (!factored) return EXIT_FAILURE;
    std::vector<double> a(y), b(y), c(y);
    const std::array right{a.data(), b.data(), c.data()};
    compare(
        "real and complex solves", 50, [&] { serial.solve_all(right); }, [&] { shared.solve_all(right); });
    return EXIT_SUCCESS;
}
