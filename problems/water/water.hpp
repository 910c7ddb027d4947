// Water tube system: flow and pressure in a network of 18 tubes during 17 hours (DAE, 49 equations, index 2).
//
//   for the tube from node i to node j, with A = pi d^2/4, R = |phi| d/(nu A):
//     (rho l/A) phi' = p_i - p_j - lambda rho l phi^2/(A^2 d)   if R > R_crit  (turbulent)
//     (rho l/A) phi' = p_i - p_j - 32 nu rho l phi/(A d^2)      otherwise      (laminar)
//     0 = 1/sqrt(lambda) - 1.74 + 2 log10(2k/d + 18.7/(max(R, R_crit) sqrt(lambda)))
//   for the node n:
//     (B/(rho g)) p_n' = sum of the flows into n              n = 5, 8  (buffers)
//                    0 = sum of the flows into n              otherwise
//
//   y = (18 flows phi, 18 resistances lambda, 13 pressures p5, p8, p1, p2, p3, p4, p6, p7, p9, ..., p13)
//   0 <= t <= 61200,   phi(0) = 0,   lambda(0) = 0.0475194..., the value of R_crit,   p(0) = 1e5 + rho g = 109800
//
// Difficult because the friction of a tube jumps where its flow becomes turbulent, because the index is 2, and because pressures and
// flows differ by eight powers of ten (vector tolerances).
// Origin: CWI, B. Koren, Paragon Decision Technology; H. Schlichting, Boundary-Layer Theory. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_WATER_HPP
#define IVP_PROBLEMS_WATER_HPP

#include "water/network.hpp"

#include <ivp/problem_of.hpp>

#include <array>
#include <string>

namespace ivp::problems {

template <class R>
struct water {
    static constexpr const auto& network = water_network;
    static constexpr int tubes = static_cast<int>(network.size());
    static constexpr int nodes = 13;
    static constexpr int dimension = 2 * tubes + nodes;

    /// The node of each pressure; the two buffers come first, because the variables are ordered by index.
    static constexpr std::array<int, nodes> node_of_pressure = {5, 8, 1, 2, 3, 4, 6, 7, 9, 10, 11, 12, 13};

    /// Where the pressure, and the balance, of a node stands in y.
    static constexpr std::array<int, nodes + 1> pressure_of_node = [] {
        std::array<int, nodes + 1> place{};
        for (int k = 0; k < nodes; ++k) place[node_of_pressure[k]] = 2 * tubes + k;
        return place;
    }();

    R R_crit, hour;
    R V, C;              ///< inertia of the water in a tube, capacity of a buffer
    R reynolds_per_flow; ///< d/(nu A)
    R turbulent, laminar;
    R roughness; ///< 2k/d
    R smooth, smooth_crit;
    R offset;
    R p0, lambda0;

    explicit water(const parameter_values& p) : R_crit(p.get<R>("R_crit")), hour(3600)
    {
        using std::acos;
        const R nu = p.get<R>("nu"), g = p.get<R>("g"), rho = p.get<R>("rho"), l = p.get<R>("l"), d = p.get<R>("d");
        const R A = acos(R(-1)) * d * d / 4;
        V = rho * l / A;
        C = p.get<R>("B") / (rho * g);
        reynolds_per_flow = d / (nu * A);
        turbulent = rho * l / (A * A * d);
        laminar = 32 * nu * rho * l / (A * d * d);
        roughness = 2 * p.get<R>("k") / d;
        smooth = decimal("18.7").in<R>();
        smooth_crit = smooth / R_crit;
        offset = decimal("1.74").in<R>();
        p0 = R(100000) + rho * g;
        lambda0 = resistance_at_rest();
    }

    template <class T>
    evaluation f(const T& t, const T* y, T* out) const
    {
        using std::abs, std::cos, std::exp, std::log10, std::sqrt;
        for (int k = 0; k < tubes; ++k)
            if (y[tubes + k] < 0) return evaluation::refused;

        for (int k = 2 * tubes; k < dimension; ++k) out[k] = T(0);
        const T th = t / hour;
        const T source = 1 - cos(exp(-th) - 1);
        out[pressure_of_node[1]] = source / 200;
        out[pressure_of_node[13]] = source / 80;
        out[pressure_of_node[10]] = -th * th * (3 * th * th - 92 * th + 720) / 1000000;

        for (int k = 0; k < tubes; ++k) {
            const int from = pressure_of_node[network[k].from];
            const int to = pressure_of_node[network[k].to];
            const T& phi = y[k];
            const T& lambda = y[tubes + k];
            const T reynolds = abs(phi) * reynolds_per_flow;
            const T root = sqrt(lambda);
            piecewise(
                [&] {
                    if (reynolds > R_crit) {
                        out[k] = y[from] - y[to] - turbulent * lambda * phi * phi;
                        out[tubes + k] = 1 / root - offset + 2 * log10(roughness + smooth / (reynolds * root));
                    } else {
                        out[k] = y[from] - y[to] - laminar * phi;
                        out[tubes + k] = 1 / root - offset + 2 * log10(roughness + smooth / (R_crit * root));
                    }
                },
                out[k], out[tubes + k]);
            out[from] -= phi;
            out[to] += phi;
        }
        return evaluation::ok;
    }

    /// Laminar or turbulent: what the equations can depend on.
    static structure pattern()
    {
        std::vector<std::vector<int>> columns(dimension);
        for (int k = 0; k < tubes; ++k) {
            const int from = pressure_of_node[network[k].from];
            const int to = pressure_of_node[network[k].to];
            columns[k] = {k, tubes + k, from, to};
            columns[tubes + k] = {k, tubes + k};
            columns[from].push_back(k);
            columns[to].push_back(k);
        }
        return structure::sparse(std::move(columns));
    }

    mass_matrix<R> mass() const
    {
        std::vector<R> diagonal(dimension, R(0));
        std::fill(diagonal.begin(), diagonal.begin() + tubes, V);
        diagonal[pressure_of_node[5]] = diagonal[pressure_of_node[8]] = C;
        return mass_matrix<R>::diagonal(std::move(diagonal));
    }

    void initial(R* y) const
    {
        std::fill(y, y + tubes, R(0));
        std::fill(y + tubes, y + 2 * tubes, lambda0);
        std::fill(y + 2 * tubes, y + dimension, p0);
    }

    void initial_derivative(R* yp) const { std::fill(yp, yp + dimension, R(0)); }

    /// The resistance that belongs to R_crit: Newton's method for x = 1/sqrt(lambda). The function is concave and increases, so that the
    /// iteration rises from 0 to the root.
    R resistance_at_rest() const
    {
        using std::log, std::log10;
        R x(0);
        for (int iteration = 0; iteration < 50; ++iteration) {
            const R argument = roughness + smooth_crit * x;
            x = x - (x - offset + 2 * log10(argument)) / (1 + 2 * smooth_crit / (argument * log(R(10))));
        }
        return 1 / (x * x);
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"nu", "1.31e-6", "1e-9", 1, "kinematic viscosity of water [m^2/s]"},
            {"g", "9.8", "0.1", 100, "gravitational acceleration [m/s^2]"},
            {"rho", 1000, 1, "1e5", "density of water [kg/m^3]"},
            {"R_crit", 2300, 100, "1e6", "Reynolds number at which the flow becomes turbulent [-]"},
            {"l", 1000, "0.1", "1e6", "length of each tube [m]"},
            {"k", "2e-4", "1e-9", "0.1", "roughness of the walls [m]"},
            {"d", 1, "0.01", 100, "diameter of each tube [m]"},
            {"B", 200, "1e-3", "1e6", "area of each buffer [m^2]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "water";
        i.title = "Water tube system";
        i.form = form::dae;
        i.n = dimension;
        i.t0 = 0;
        i.tend = 61200;
        i.highest_index = 2;
        i.jacobian_structure = pattern();
        i.index.assign(2 * tubes + 2, 1);
        i.index.resize(dimension, 2);
        for (const std::string quantity : {"phi_", "lambda_"})
            for (const auto& [from, to] : network) i.component_names.push_back(quantity + std::to_string(from) + "," + std::to_string(to));
        for (const int node : node_of_pressure) i.component_names.push_back("p_" + std::to_string(node));
        i.quantity_of_interest = "the flow and the resistance in all tubes and the pressure at all nodes at the end";
        i.contributor = "parallel-IVP-algorithm group of CWI, B. Koren, Paragon Decision Technology (test set: after 1998)";
        i.tags = {"fluids", "non-stiff", "medium", "index-2", "domain"};
        i.protocol = {.ladder_start = 4,
                      .ladder_per_decade = 4,
                      .ladder_last = 24,
                      .atol_per_rtol = 1,
                      .h0_per_rtol = 1,
                      .published_jacobian = jacobian_source::differences,
                      .vector_rule = tolerances_of_components};
        return i;
    }

    /// The pressures are about a million times as large as everything else.
    static tolerances tolerances_of_components(double rtol, double atol)
    {
        tolerances tolerance(rtol, atol);
        tolerance.atol.assign(2 * tubes, atol);
        tolerance.atol.resize(dimension, 1e6 * atol);
        return tolerance;
    }
};

} // namespace ivp::problems

#endif
