// NAND gate: fourteen node voltages of three MOS transistors (IDE, stiff, driven by two pulses).
//
//   G(t, y, y') = C(y) y' - f(t, y) = 0,   written as the sum of the currents at each node.
//
//   Each transistor has four inner nodes: s (gate-source), d (gate-drain), bs (bulk-source), bd (bulk-drain). With the voltages
//   G, D, S at its gate, drain and source
//     node s:    CGS (ys' - G') + (ys - S)/RGS + i_DS                        i_DS = i_DS(yd - ys, G - ys, ybs - S, G - yd, ybd - D)
//     node d:    CGD (yd' - G') + (yd - D)/RGD - i_DS
//     node bs:   c(ybs - S) (ybs' - S') + (ybs - VBB)/RBS - i_B(ybs - S)
//     node bd:   c(ybd - D) (ybd' - D') + (ybd - VBB)/RBD - i_B(ybd - D)
//
//     transistor   inner nodes       gate    drain   source
//     MD           1, 2, 3, 4        y5      VDD     y5        depletion type
//     ME1          6, 7, 8, 9        V1(t)   y5      y10       enhancement type
//     ME2          11, 12, 13, 14    V2(t)   y10     0         enhancement type
//
//   The nodes 5 and 10 collect what reaches them, and are loaded with C5 and C10.
//
//   0 <= t <= 80 ns,   y1 = y2 = y5 = y7 = 5, y3 = y4 = y8 = y9 = y13 = y14 = -2.5, y6 = y10 = y12 = 3.62385, y11 = 0,   y'(0) = 0
//
// Difficult because the capacitances depend on the voltages, so that no constant mass matrix exists, and because the inputs have a
// kink every 5 ns and the transistors switch in between.
// Origin: M. Guenther and P. Rentrop (1996); transistor model of H. Shichman and D. A. Hodges (1968). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_NAND_HPP
#define IVP_PROBLEMS_NAND_HPP

#include "common/pn_junction.hpp"

#include <ivp/problem_of.hpp>

#include <string>

namespace ivp::problems {

template <class R>
struct nand {
    /// What distinguishes the enhancement (E) from the depletion (D) type.
    struct mosfet {
        R UT0, beta, beta_reverse, gamma, delta, Phi;

        mosfet(const parameter_values& p, const std::string& type)
            : UT0(p.get<R>(type + "_UT0")),
              beta(p.get<R>(type + "_beta")),
              beta_reverse(p.get<R>(type + "_beta_reverse")),
              gamma(p.get<R>(type + "_gamma")),
              delta(p.get<R>(type + "_delta")),
              Phi(p.get<R>(type + "_Phi"))
        {}
    };

    /// A voltage and its derivative.
    template <class T>
    struct signal {
        T U, dU;
    };

    /// The currents that a transistor sends to the nodes its terminals are connected to.
    template <class T>
    struct terminals {
        T gate, drain, source;
    };

    R VBB, VDD, C5, C10, RGS, RGD, RBS, RBD, CGS, CGD, C0, phiB, iS, UT, U10;
    mosfet D, E;

    explicit nand(const parameter_values& p)
        : VBB(p.get<R>("VBB")),
          VDD(p.get<R>("VDD")),
          C5(p.get<R>("C5")),
          C10(p.get<R>("C10")),
          RGS(p.get<R>("RGS")),
          RGD(p.get<R>("RGD")),
          RBS(p.get<R>("RBS")),
          RBD(p.get<R>("RBD")),
          CGS(p.get<R>("CGS")),
          CGD(p.get<R>("CGD")),
          C0(p.get<R>("C0")),
          phiB(p.get<R>("phiB")),
          iS(p.get<R>("iS")),
          UT(p.get<R>("UT")),
          U10(p.get<R>("U10")),
          D(p, "D"),
          E(p, "E")
    {}

    template <class T>
    evaluation g(const T& t, const T* y, const T* yp, T* out) const
    {
        const signal<T> ground{T(0), T(0)};
        const signal<T> supply{T(VDD), T(0)};
        const signal<T> node5{y[4], yp[4]};
        const signal<T> node10{y[9], yp[9]};

        terminals<T> MD, ME1, ME2;
        if (transistor(D, node5, supply, node5, y, yp, out, MD) != evaluation::ok) return evaluation::refused;
        if (transistor(E, input(t, 20, 5), node5, node10, y + 5, yp + 5, out + 5, ME1) != evaluation::ok) return evaluation::refused;
        if (transistor(E, input(t, 40, 15), node10, ground, y + 10, yp + 10, out + 10, ME2) != evaluation::ok) return evaluation::refused;

        out[4] = C5 * node5.dU - MD.gate - MD.source - ME1.drain;
        out[9] = C10 * node10.dU - ME1.source - ME2.drain;
        return evaluation::ok;
    }

    /// The four inner nodes of one transistor: y, yp and out point to the first of them.
    template <class T>
    evaluation transistor(const mosfet& m, const signal<T>& gate, const signal<T>& drain, const signal<T>& source, const T* y, const T* yp, T* out,
                          terminals<T>& to) const
    {
        const T U_BS = y[2] - source.U;
        const T U_BD = y[3] - drain.U;
        if (m.Phi - U_BS < 0 || m.Phi - U_BD < 0) return evaluation::refused;

        const T channel = i_DS(m, y[1] - y[0], gate.U - y[0], U_BS, gate.U - y[1], U_BD);
        const T gate_source = CGS * (yp[0] - gate.dU);
        const T gate_drain = CGD * (yp[1] - gate.dU);
        const T into_source = (y[0] - source.U) / RGS;
        const T into_drain = (y[1] - drain.U) / RGD;
        const T bulk_source = c(U_BS) * (yp[2] - source.dU) - i_B(U_BS);
        const T bulk_drain = c(U_BD) * (yp[3] - drain.dU) - i_B(U_BD);

        out[0] = gate_source + into_source + channel;
        out[1] = gate_drain + into_drain - channel;
        out[2] = bulk_source + (y[2] - VBB) / RBS;
        out[3] = bulk_drain + (y[3] - VBB) / RBD;

        to.gate = gate_source + gate_drain;
        to.drain = into_drain + bulk_drain;
        to.source = into_source + bulk_source;
        return evaluation::ok;
    }

    /// Capacitance of a pn-junction between bulk and source or drain.
    template <class T>
    T c(const T& U) const
    {
        return junction_capacitance(C0, phiB, U);
    }

    /// Current through the diode between bulk and source or drain.
    template <class T>
    T i_B(const T& U) const
    {
        return junction_current(iS, UT, U);
    }

    /// Current through the channel. Where the voltage is reversed, source and drain exchange their roles.
    template <class T>
    T i_DS(const mosfet& m, const T& U_DS, const T& U_GS, const T& U_BS, const T& U_GD, const T& U_BD) const
    {
        // NOTE: U_DS = 0 (where the current is 0) goes with U_DS > 0, so that the derivative there is the slope of the curve.
        return piecewise([&]() -> T {
            if (U_DS >= 0) return channel_current(m, m.beta, U_DS, U_GS, U_BS);
            return -channel_current(m, m.beta_reverse, T(-U_DS), U_GD, U_BD);
        });
    }

    /// The model of Shichman and Hodges for U_DS >= 0: closed, saturated, linear.
    template <class T>
    T channel_current(const mosfet& m, const R& beta, const T& U_DS, const T& U_GS, const T& U_BS) const
    {
        using std::sqrt;
        const T U_TE = m.UT0 + m.gamma * (sqrt(m.Phi - U_BS) - sqrt(m.Phi));
        const T excess = U_GS - U_TE;
        if (excess <= 0) return T(0);
        if (excess <= U_DS) return -beta * (1 + m.delta * U_DS) * excess * excess;
        return -beta * U_DS * (1 + m.delta * U_DS) * (2 * excess - U_DS);
    }

    /// A pulse that repeats with the period: 0 until `rise`, then up by 1 V/ns to 5 V, down again in the last 5 ns.
    template <class T>
    signal<T> input(const T& t, int period, int rise) const
    {
        const T begun = t - period * periods_before(t, period);
        signal<T> in;
        piecewise(
            [&] {
                const T m = begun < 0 ? T(begun + period) : begun; // an extended-precision t just below a multiple, rounded up to it
                in = m <= rise         ? signal<T>{T(0), T(0)}
                     : m <= rise + 5   ? signal<T>{m - rise, T(1)}
                     : m <= period - 5 ? signal<T>{T(5), T(0)}
                                       : signal<T>{period - m, T(-1)};
            },
            in.U, in.dU);
        return in;
    }

    void initial(R* y) const
    {
        y[0] = y[1] = y[4] = y[6] = VDD;
        y[2] = y[3] = y[7] = y[8] = y[12] = y[13] = VBB;
        y[5] = y[9] = y[11] = U10;
        y[10] = R(0);
    }

    void initial_derivative(R* yp) const { std::fill(yp, yp + 14, R(0)); }

    static std::vector<parameter> parameters()
    {
        return {
            {"VBB", "-2.5", -20, 0, "bulk voltage [V]"},
            {"VDD", 5, 0, 20, "supply voltage [V]"},
            {"C5", "0.5e-4", 0, 1, "load capacitance of node 5, the output [nF]"},
            {"C10", "0.5e-4", 0, 1, "load capacitance of node 10 [nF]"},
            {"RGS", 4, "1e-3", "1e6", "resistance at the source [Ohm]"},
            {"RGD", 4, "1e-3", "1e6", "resistance at the drain [Ohm]"},
            {"RBS", 10, "1e-3", "1e6", "resistance between bulk and source [Ohm]"},
            {"RBD", 10, "1e-3", "1e6", "resistance between bulk and drain [Ohm]"},
            {"CGS", "0.6e-4", "1e-9", 1, "capacitance between gate and source [nF]"},
            {"CGD", "0.6e-4", "1e-9", 1, "capacitance between gate and drain [nF]"},
            {"C0", "0.24e-4", "1e-9", 1, "capacitance of the pn-junctions at voltage 0 [nF]"},
            {"phiB", "0.87", "0.01", 10, "built-in voltage of the pn-junctions [V]"},
            {"iS", "1e-14", 0, "1e-3", "saturation current of the diodes [A]"},
            {"UT", "25.85", "1e-3", "1e3", "voltage that scales the exponent of the diodes [V]"},
            {"U10", "3.62385", -20, 20, "initial voltage of node 10, which no current reaches [V]"},
            {"E_UT0", "0.2", -10, 10, "threshold voltage, enhancement type [V]"},
            {"E_beta", "1.748e-3", 0, 1, "transconductance, enhancement type [A/V^2]"},
            {"E_beta_reverse", "1.748e-4", 0, 1, "transconductance at reversed voltage, enhancement type [A/V^2]"},
            {"E_gamma", "0.035", 0, 10, "influence of the bulk voltage on the threshold, enhancement type [V^(1/2)]"},
            {"E_delta", "0.02", 0, 10, "channel length modulation, enhancement type [1/V]"},
            {"E_Phi", "1.01", 0, 10, "surface potential, enhancement type [V]"},
            {"D_UT0", "-2.43", -10, 10, "threshold voltage, depletion type [V]"},
            {"D_beta", "5.35e-4", 0, 1, "transconductance, depletion type [A/V^2]"},
            {"D_beta_reverse", "5.35e-4", 0, 1, "transconductance at reversed voltage, depletion type [A/V^2]"},
            {"D_gamma", "0.2", 0, 10, "influence of the bulk voltage on the threshold, depletion type [V^(1/2)]"},
            {"D_delta", "0.02", 0, 10, "channel length modulation, depletion type [1/V]"},
            {"D_Phi", "1.28", 0, 10, "surface potential, depletion type [V]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "nand";
        i.title = "NAND gate";
        i.form = form::ide;
        i.n = 14;
        i.t0 = 0;
        i.tend = 80;
        i.highest_index = 1;
        for (int t = 5; t <= 75; t += 5) i.breakpoints.emplace_back(t);
        i.discontinuities = i.breakpoints;
        i.component_names = {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8", "U9", "U10", "U11", "U12", "U13", "U14"};
        i.pictured = {5, 10};
        i.quantity_of_interest = "the voltage at node 5, the output of the gate, at the end";
        i.contributor = "M. Guenther, P. Rentrop (test set: CWI, 1996)";
        i.tags = {"circuits", "stiff", "small", "index-1", "breakpoints", "domain"};
        i.accuracy.excluded = {1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14};
        i.protocol = {.ladder_start = 4,
                      .ladder_per_decade = 8,
                      .ladder_last = 64,
                      .atol_per_rtol = 1,
                      .h0_per_rtol = 1,
                      .published_jacobian = jacobian_source::differences};
        return i;
    }
};

} // namespace ivp::problems

#endif
