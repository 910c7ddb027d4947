#include "commands.hpp"

#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "reading.hpp"
#include "run/behaviour.hpp"
#include "text/network.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

namespace ivp::cli {

namespace {

struct network_arguments : command {
    network_arguments()
        : command("network", "Explain a reaction scheme: species, nodes, transition matrix, sources, conservation laws, stiffness",
                  "The nodes are the complexes on either side of a reaction. With psi_j the product of the concentrations in node j, and Y the "
                  "composition "
                  "of the nodes, c' = Y (M psi(c) + tau). Exact elimination finds the conservation laws; a run checks them along the solution.")
    {}

    text file = word("file", "Text or model with reactions (./mine.ivp, ./model.net, ./model.xml)", "a text with reactions (./mine.ivp)");
    texts set = list("--set", a_parameter);
    optional_text graph = option("--graph", "Write the graph to this file (.svg)");
    yes_or_no force = flag("--force", "Replace the file of --graph even if ivp did not write it");
    text format = option("--format", "text, json", "text");
};

constexpr int most_species_for_stiffness = 1500; ///< the Jacobian is a full matrix here
constexpr std::uint64_t most_steps_of_watch = 200000;

/// Largest size of an eigenvalue of df/dy at the start, by powers of the matrix; none where it cannot be evaluated.
std::optional<double> spectral_radius(const problem& p)
{
    const int n = p.n();
    if (n > most_species_for_stiffness || p.info().form == form::ide) return std::nullopt;
    const auto& e = p.in<double>();
    const auto y = e.initial_values();
    std::vector<double> values(static_cast<std::size_t>(n) * n);
    const matrix_view<double> jacobian{structure_kind::full, n, 0, 0, n, nullptr, values.data()};
    const auto work = e.make_scratch();
    if (e.jacobian(p.info().t0.value(), y.data(), *work, jacobian) != evaluation::ok) return std::nullopt;
    std::vector<double> v(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) v[i] = 1 + 0.37 * std::sin(1.0 + i);
    double growth = 0;
    constexpr int rounds = 200;
    constexpr int counted_rounds = 50; // their mean: a pair of complex eigenvalues turns the vector
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> next(v.size(), 0.0);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) next[i] += values[i + static_cast<std::size_t>(j) * n] * v[j];
        const double size = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
        const double before = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
        if (!(size > 0) || !std::isfinite(size)) return size == 0 ? std::optional(0.0) : std::nullopt;
        if (round >= rounds - counted_rounds) growth += std::log(size / before) / counted_rounds;
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = next[i] / size;
    }
    return std::exp(growth);
}

struct watched {
    std::string outcome;
    double rtol = 0;
    double reached = 0;
    std::vector<double> drift;                    ///< of each law, relative to the sum of sizes
    std::vector<std::pair<int, double>> negative; ///< species and its least value
};

/// The conservation laws and the signs of the concentrations along the solution.
watched watch(const problem& p, const text::network_description& n)
{
    constexpr int points = 200;
    const double t0 = p.info().t0.value();
    const double length = p.info().tend.value() - t0;
    std::vector<double> times;
    for (int k = 1; k <= points; ++k) times.push_back(t0 + length * k / points);
    for (int k = 1; k <= 60; ++k) times.push_back(t0 + length * std::pow(10.0, -k / 5.0)); // what happens early
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    std::vector<int> all(static_cast<std::size_t>(p.n()));
    std::iota(all.begin(), all.end(), 0);
    const auto course = course_of_solution(p, *open_solver("radau5"), times, all, most_steps_of_watch);
    watched w;
    w.outcome = label(course.run.outcome);
    w.rtol = course.run.rtol_asked;
    w.reached = course.t.empty() ? t0 : course.t.back();
    const auto y0 = p.in<double>().initial_values();
    for (const auto& law : n.laws) {
        double start = 0;
        for (const auto& [state, weight] : law) start += static_cast<double>(weight) * y0[static_cast<std::size_t>(state)];
        double worst = 0;
        for (std::size_t k = 0; k < course.t.size(); ++k) {
            double now = 0;
            double size = 0;
            for (const auto& [state, weight] : law) {
                const double term = static_cast<double>(weight) * course.y[static_cast<std::size_t>(state)][k];
                now += term;
                size += std::abs(term);
            }
            if (size > 0) worst = std::max(worst, std::abs(now - start) / size);
        }
        w.drift.push_back(worst);
    }
    for (int i = 0; i < p.n(); ++i) {
        const auto& values = course.y[static_cast<std::size_t>(i)];
        if (values.empty()) continue;
        const double least = *std::ranges::min_element(values);
        if (least < 0) w.negative.emplace_back(i, least);
    }
    std::ranges::sort(w.negative, {}, &std::pair<int, double>::second);
    return w;
}

std::string watch_text(const watched& w, const text::network_description& n)
{
    std::string out = fmt::format("\nAlong the solution (radau5, rtol {}; {}, up to t = {}):\n", to_text(w.rtol), w.outcome, to_text(w.reached));
    for (std::size_t k = 0; k < w.drift.size(); ++k)
        out += fmt::format("  {} changes by {:.1e} of its terms\n", cut(text::law_text(n, k), 80), w.drift[k]);
    if (w.negative.empty()) return out + "  no concentration becomes negative\n";
    constexpr std::size_t shown = 10;
    for (std::size_t k = 0; k < std::min(shown, w.negative.size()); ++k)
        out += fmt::format("  {} becomes negative: {:.2e}\n", n.species[static_cast<std::size_t>(w.negative[k].first)], w.negative[k].second);
    if (w.negative.size() > shown) out += fmt::format("  and {} more\n", w.negative.size() - shown);
    return out;
}

void write_graph(const std::string& path, const text::network_description& n, bool force)
{
    constexpr file_mark mark{"<title>Reaction network</title>", 400};
    output_file file(path, "--graph", mark, force);
    file.stream() << text::network_svg(n);
    file.commit();
}

int network(const network_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json"});
    const auto parameters = read.pairs("--set", a.set);
    if (is_foreign(a.file) || !names_a_file(a.file)) read.fault("network: '" + a.file + "' given; allowed: a text (./mine.ivp)");
    read.raise();
    const auto n = text::network_of(a.file, parameters);
    const problem p = open_problem(a.file, parameters);
    if (a.graph) write_graph(*a.graph, n, a.force);
    const auto radius = spectral_radius(p);
    const double length = p.info().tend.value() - p.info().t0.value();
    const watched w = watch(p, n);
    if (format == text_format::json) {
        auto j = read_json(text::network_json(n));
        j["spectral_radius"] = radius ? json(*radius) : json();
        j["stiffness"] = radius ? json(*radius * length) : json();
        j["watch"] = {{"outcome", w.outcome}, {"rtol", w.rtol}, {"t", w.reached}, {"drift", w.drift}, {"negative", json::array()}};
        for (const auto& [state, least] : w.negative)
            j["watch"]["negative"].push_back({{"species", n.species[static_cast<std::size_t>(state)]}, {"least", least}});
        std::cout << j.dump() << '\n';
        return done;
    }
    std::cout << text::network_text(n);
    std::cout << "\nStiffness at t0:\n";
    if (radius)
        std::cout << fmt::format("  largest eigenvalue of the Jacobian: {:.3g}; times the length of the interval: {:.3g}\n", *radius,
                                 *radius * length);
    else
        std::cout << "  not computed\n";
    std::cout << watch_text(w, n);
    return done;
}

} // namespace

std::unique_ptr<command> network_command() { return make_command(network); }

} // namespace ivp::cli
