// Transistor amplifier: eight node voltages of a two-stage amplifier (DAE, index 1, stiff, driven by a sine).
//
//   M y' = f(t, y),   M = blocks (-C1 C1; C1 -C1), -C2, (-C3 C3; C3 -C3), -C4, (-C5 C5; C5 -C5),   rank 5
//
//   f1 = (y1 - Ue(t))/R0                                           f5 = y5 (1/R5 + 1/R6) - Ub/R6 - (alpha - 1) g(y5 - y6)
//   f2 = y2 (1/R1 + 1/R2) - Ub/R2 - (alpha - 1) g(y2 - y3)         f6 = y6/R7 - g(y5 - y6)
//   f3 = y3/R3 - g(y2 - y3)                                        f7 = (y7 - Ub)/R8 + alpha g(y5 - y6)
//   f4 = (y4 - Ub)/R4 + alpha g(y2 - y3)                           f8 = y8/R9
//   g(x) = beta (exp(x/UF) - 1),   Ue(t) = 0.1 sin(200 pi t)
//
//   0 <= t <= 0.2,   y(0) = (0, 3, 3, 6, 3, 3, 6, 0)
//
// Difficult because the exponentials of the transistors switch in each of the twenty periods, and overflow if a solver strays;
// the algebraic equations are hidden: they are the sums of the rows 1+2, 4+5 and 7+8.
// Origin: K. Glashoff, H. J. Oberle; P. Rentrop, M. Roche, G. Steinebach, Numer. Math. 55 (1989) 545-563. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_TRANSAMP_HPP
#define IVP_PROBLEMS_TRANSAMP_HPP

#include <ivp/problem_of.hpp>

#include <array>
#include <string>

namespace ivp::problems {

template <class R>
struct transamp {
    static constexpr int largest_exponent = 300; ///< beyond it the exponential is of no use, long before it overflows

    R Ub, UF, alpha, beta, amplitude, omega;
    std::array<R, 10> G; ///< conductances: G[k] = 1/R_k
    std::array<R, 6> C;  ///< C[1] .. C[5]

    explicit transamp(const parameter_values& p)
        : Ub(p.get<R>("Ub")), UF(p.get<R>("UF")), alpha(p.get<R>("alpha")), beta(p.get<R>("beta")), amplitude(p.get<R>("amplitude")), C{}
    {
        using std::acos;
        omega = 2 * acos(R(-1)) * p.get<R>("frequency");
        for (int k = 0; k <= 9; ++k) G[k] = R(1) / p.get<R>(numbered("R", k));
        for (int k = 1; k <= 5; ++k) C[k] = p.get<R>(numbered("C", k));
    }

    template <class T>
    evaluation f(const T& t, const T* y, T* out) const
    {
        using std::exp, std::sin;
        const T x1 = (y[1] - y[2]) / UF;
        const T x2 = (y[4] - y[5]) / UF;
        if (x1 > largest_exponent || x2 > largest_exponent) return evaluation::refused;

        const T Ue = amplitude * sin(omega * t);
        const T g1 = beta * (exp(x1) - 1); // source currents of the two transistors
        const T g2 = beta * (exp(x2) - 1);

        out[0] = G[0] * (y[0] - Ue);
        out[1] = (G[1] + G[2]) * y[1] - G[2] * Ub - (alpha - 1) * g1;
        out[2] = G[3] * y[2] - g1;
        out[3] = G[4] * (y[3] - Ub) + alpha * g1;
        out[4] = (G[5] + G[6]) * y[4] - G[6] * Ub - (alpha - 1) * g2;
        out[5] = G[7] * y[5] - g2;
        out[6] = G[8] * (y[6] - Ub) + alpha * g2;
        out[7] = G[9] * y[7];
        return evaluation::ok;
    }

    mass_matrix<R> mass() const
    {
        auto m = mass_matrix<R>::band(8, 1, 1);
        const auto between = [&m](int i, const R& c) { // a capacitor between the nodes i and i + 1
            m.set(i, i, -c);
            m.set(i, i + 1, c);
            m.set(i + 1, i, c);
            m.set(i + 1, i + 1, -c);
        };
        between(0, C[1]);
        m.set(2, 2, -C[2]);
        between(3, C[3]);
        m.set(5, 5, -C[4]);
        between(6, C[5]);
        return m;
    }

    void initial(R* y) const
    {
        y[0] = R(0);
        y[1] = y[2] = Ub * (G[2] / (G[1] + G[2]));
        y[3] = Ub;
        y[4] = y[5] = Ub * (G[6] / (G[5] + G[6]));
        y[6] = Ub;
        y[7] = R(0);
    }

    /// At the start no current flows through C1, C3, C5 (f1 = f4 = f7 = 0), so both ends of each move alike: y1' = y2', y4' = y5',
    /// y7' = y8'. How fast, the derivatives of the algebraic equations f1 + f2 = 0, f4 + f5 = 0, f7 + f8 = 0 tell.
    void initial_derivative(R* yp) const
    {
        std::array<R, 8> y;
        initial(y.data());
        const R slope = beta / UF; // g'(0)

        yp[2] = -G[3] * y[2] / C[2];
        yp[0] = yp[1] = (G[0] * amplitude * omega + (1 - alpha) * slope * yp[2]) / (G[0] + G[1] + G[2] + (1 - alpha) * slope);
        yp[5] = -G[7] * y[5] / C[4];
        yp[3] = yp[4] = ((1 - alpha) * slope * yp[5] - alpha * slope * (yp[1] - yp[2])) / (G[4] + G[5] + G[6] + (1 - alpha) * slope);
        yp[6] = yp[7] = -alpha * slope * (yp[4] - yp[5]) / (G[8] + G[9]);
    }

    static std::string numbered(std::string name, int k) { return name += std::to_string(k); }

    static std::vector<parameter> parameters()
    {
        std::vector<parameter> list = {
            {"Ub", 6, 0, 100, "operating voltage [V]"},
            {"UF", "0.026", "1e-3", 1, "voltage that scales the exponent of the transistors [V]"},
            {"alpha", "0.99", 0, 1, "share of the source current that reaches the drain [-]"},
            {"beta", "1e-6", 0, "1e-2", "saturation current of the transistors [A]"},
            {"amplitude", "0.1", 0, 10, "amplitude of the input signal [V]"},
            {"frequency", 100, 0, "1e6", "frequency of the input signal [Hz]"},
            {"R0", 1000, 1, "1e9", "resistance R0, at the input [Ohm]"},
        };
        for (int k = 1; k <= 9; ++k) {
            const std::string name = numbered("R", k);
            list.push_back({name, 9000, 1, "1e9", "resistance " + name + " [Ohm]"});
        }
        for (int k = 1; k <= 5; ++k) {
            const std::string name = numbered("C", k);
            list.push_back({name, decimal(std::to_string(k) + "e-6"), "1e-15", 1, "capacitance " + name + " [F]"});
        }
        return list;
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "transamp";
        i.title = "Transistor amplifier";
        i.form = form::dae;
        i.n = 8;
        i.t0 = 0;
        i.tend = "0.2";
        i.highest_index = 1;
        i.jacobian_structure = structure::band(2, 1);
        i.component_names = {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8"};
        i.pictured = {1, 8};
        i.quantity_of_interest = "the voltages at all eight nodes at the end, above all the amplified signal U8";
        i.contributor = "K. Glashoff, H. J. Oberle, P. Rentrop (test set: CWI, 1996)";
        i.tags = {"circuits", "stiff", "small", "index-1", "oscillating", "domain"};
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 8, .ladder_last = 40, .atol_per_rtol = 1, .h0_per_rtol = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
