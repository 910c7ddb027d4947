// Two-bit adding unit: 39 MOS transistors that add two numbers of two bits and a carry (DAE, 350 equations, index 1, stiff).
//
//   y' = f(t, x),   0 = y - g(x):   175 charges y, 175 node voltages x, the unknowns in the order (y, x)
//
//   A transistor with the inner nodes k, k+1, k+2, k+3 and the voltages G, S, D at gate, source and drain adds to f
//     node k:     -(x_k - S)/RGS - i + CGS G'       (G' for an input only)       node S:  -(S - x_k)/RGS - i_B(x_{k+2} - S)
//     node k+1:   -(x_{k+1} - D)/RGD + i + CGD G'   (G' for an input only)       node D:  -(D - x_{k+1})/RGD - i_B(x_{k+3} - D)
//     node k+2:   -(x_{k+2} - VBB)/RBS + i_B(x_{k+2} - S)
//     node k+3:   -(x_{k+3} - VBB)/RBD + i_B(x_{k+3} - D)                        i = i_DS(x_{k+1} - x_k, G - x_k, x_{k+2} - S, G - x_{k+1}, x_{k+3} -
//     D)
//   and to g the charges of the capacitors between gate and k, gate and k+1, k+2 and S, k+3 and D.
//
//   Gates: NOR, NAND, ANDOI = not(a or (b and c)), ORANI = not(a and (b or c)), wired as in the constructor.
//
//   0 <= t <= 320,   x(0): tba_data.hpp,   y(0) = g(x(0)),   y'(0) = 0
//
// Difficult because the inputs have a kink every 5 time units, the transistors switch in between, and square roots of the threshold must
// not become imaginary; and by its size, of which dense linear algebra takes no advantage.
// Origin: M. Guenther, VDI Fortschrittberichte 168 (1995); transistor model of H. Shichman and D. A. Hodges (1968). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_TBA_HPP
#define IVP_PROBLEMS_TBA_HPP

#include "common/pn_junction.hpp"

#include <ivp/problem_of.hpp>

#include "tba_data.hpp"

#include <array>
#include <cmath>
#include <string>

namespace ivp::problems {

template <class R>
struct tba {
    static constexpr int nodes = 175, transistors = 39, inputs = 5;
    static constexpr int S0 = 49, S1 = 130, C = 148; ///< outputs, counted from 1

    /// What a terminal is connected to: a node (counted from 1), a constant voltage or an input signal.
    enum special : int { ground = 0, supply = -1, V1 = -2, V2 = -3, V3 = -4, V4 = -5, CIN = -6 };

    enum type { depletion, enhancement, two_in_series, three_in_series };

    struct mosfet {
        R UT0, gamma, Phi, beta, sqrt_Phi;
    };

    struct transistor {
        type kind;
        int k; ///< first inner node
        int gate, source, drain;
        int bulk_drain_reference; ///< the charge of node k+3 is c(x_{k+3} - D) times the voltage between k+3 and this
    };

    template <class T>
    struct signal {
        T U, dU;
    };

    R VDD, VBB, GGS, GGD, GBS, GBD; // resistances as conductances
    R CGS, CGD, C0, COUT, phiB, delta, iS, UT;
    std::array<mosfet, 4> model;
    std::array<transistor, transistors> circuit;

    explicit tba(const parameter_values& p)
        : VDD(p.get<R>("VDD")),
          VBB(p.get<R>("VBB")),
          GGS(R(1) / p.get<R>("RGS")),
          GGD(R(1) / p.get<R>("RGD")),
          GBS(R(1) / p.get<R>("RBS")),
          GBD(R(1) / p.get<R>("RBD")),
          CGS(p.get<R>("CGS")),
          CGD(p.get<R>("CGD")),
          C0(p.get<R>("C0")),
          COUT(p.get<R>("COUT")),
          phiB(p.get<R>("phiB")),
          delta(p.get<R>("delta")),
          iS(p.get<R>("iS")),
          UT(p.get<R>("UT"))
    {
        model[depletion] = model_of(p, "D", 1);
        model[enhancement] = model_of(p, "E", 1);
        model[two_in_series] = model_of(p, "E", 2);
        model[three_in_series] = model_of(p, "E", 3);

        transistor* end = circuit.data();
        NOR(end, 1, V1, V2);
        ANDOI(end, 14, 5, V2, V1);
        NOR(end, 32, 18, CIN);
        ANDOI(end, 45, 36, CIN, 18); // output S0 at 49
        ANDOI(end, 63, 5, CIN, 18);
        NOR(end, 81, V3, V4);
        ANDOI(end, 94, 85, V4, V3);
        NAND(end, 112, 67, 98);
        ORANI(end, 126, 116, 67, 98); // output S1 at 130
        ANDOI(end, 144, 85, 5, 98);   // output C at 148
        add(end, three_in_series, 162, 98, 166, 148);
        add(end, three_in_series, 167, 18, 171, 166);
        add(end, three_in_series, 172, CIN, ground, 171);
    }

    template <class T>
    evaluation f(const T& t, const T* y, T* out) const
    {
        const T* const x = y + nodes;
        T* const rest = out + nodes;
        charges(x, rest);
        for (int i = 0; i < nodes; ++i) rest[i] = y[i] - rest[i];
        return currents(t, x, out);
    }

    /// y' = f(t, x): the sum of the currents into each node.
    template <class T>
    evaluation currents(const T& t, const T* x, T* f) const
    {
        const std::array<signal<T>, inputs> in = {pulse(t, 0, 5, 20), pulse(t, 10, 15, 40), pulse(t, 30, 35, 80), pulse(t, 70, 75, 160),
                                                  pulse(t, 150, 155, 320)};
        const T zero(0);
        const T five(VDD);
        T nowhere(0); // what flows into ground and supply
        std::fill(f, f + nodes, T(0));
        for (const transistor& m : circuit) {
            const int k = m.k - 1;
            const bool driven = m.gate < 0;
            const T& G = driven ? in[V1 - m.gate].U : x[m.gate - 1];
            const T& S = m.source > 0 ? x[m.source - 1] : zero;
            const T& D = m.drain > 0 ? x[m.drain - 1] : five;
            const T U_BS = x[k + 2] - S;
            const T U_BD = x[k + 3] - D;

            T i;
            if (i_DS(model[m.kind], T(x[k + 1] - x[k]), T(G - x[k]), U_BS, T(G - x[k + 1]), U_BD, i) != evaluation::ok) return evaluation::refused;
            const T to_source = (x[k] - S) * GGS;
            const T to_drain = (x[k + 1] - D) * GGD;
            const T diode_source = i_B(U_BS);
            const T diode_drain = i_B(U_BD);

            f[k] = -to_source - i;
            f[k + 1] = i - to_drain;
            if (driven) {
                f[k] += CGS * in[V1 - m.gate].dU;
                f[k + 1] += CGD * in[V1 - m.gate].dU;
            }
            f[k + 2] = diode_source - (x[k + 2] - VBB) * GBS;
            f[k + 3] = diode_drain - (x[k + 3] - VBB) * GBD;
            (m.source > 0 ? f[m.source - 1] : nowhere) += to_source - diode_source;
            (m.drain > 0 ? f[m.drain - 1] : nowhere) += to_drain - diode_drain;
        }
        return evaluation::ok;
    }

    /// g(x): the charges of the capacitors at each node.
    template <class T>
    void charges(const T* x, T* g) const
    {
        const T zero(0);
        const T five(VDD);
        T nowhere(0);
        std::fill(g, g + nodes, T(0));
        for (const transistor& m : circuit) {
            const int k = m.k - 1;
            const T& S = m.source > 0 ? x[m.source - 1] : zero;
            const T& D = m.drain > 0 ? x[m.drain - 1] : five;
            const T& reference = m.bulk_drain_reference > 0 ? x[m.bulk_drain_reference - 1] : zero;

            if (m.gate < 0) { // the charge that follows the input is in f
                g[k] = CGS * x[k];
                g[k + 1] = CGD * x[k + 1];
            } else {
                const T& G = x[m.gate - 1];
                g[k] = CGS * (x[k] - G);
                g[k + 1] = CGD * (x[k + 1] - G);
                g[m.gate - 1] -= g[k] + g[k + 1];
            }
            const T source_charge = c(T(x[k + 2] - S)) * (x[k + 2] - S);
            const T drain_capacitance = c(T(x[k + 3] - D));
            g[k + 2] = source_charge;
            g[k + 3] = drain_capacitance * (x[k + 3] - reference);
            (m.source > 0 ? g[m.source - 1] : nowhere) -= source_charge;
            (m.drain > 0 ? g[m.drain - 1] : nowhere) -= drain_capacitance * (x[k + 3] - D);
        }
        for (const int output : {S0, S1, C}) g[output - 1] += COUT * x[output - 1];
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

    /// Current through the channel. Where the voltage is reversed, source and drain exchange their roles. Refused where the threshold that
    /// is needed has no value.
    template <class T>
    evaluation i_DS(const mosfet& m, const T& U_DS, const T& U_GS, const T& U_BS, const T& U_GD, const T& U_BD, T& i) const
    {
        // NOTE: U_DS = 0 (where the current is 0) goes with U_DS > 0, so that the derivative there is the slope of the curve.
        return piecewise(
            [&] {
                if (U_DS >= 0) return channel_current(m, U_DS, U_GS, U_BS, i);
                const evaluation answer = channel_current(m, T(-U_DS), U_GD, U_BD, i);
                i = -i;
                return answer;
            },
            i);
    }

    /// The model of Shichman and Hodges for U_DS >= 0: closed, saturated, linear.
    template <class T>
    evaluation channel_current(const mosfet& m, const T& U_DS, const T& U_GS, const T& U_BS, T& i) const
    {
        using std::sqrt;
        const T bulk = m.Phi - U_BS;
        if (bulk < 0) return evaluation::refused;
        const T excess = U_GS - (m.UT0 + m.gamma * (sqrt(bulk) - m.sqrt_Phi));
        if (excess <= 0)
            i = T(0);
        else if (excess <= U_DS)
            i = -m.beta * (1 + delta * U_DS) * excess * excess;
        else
            i = -m.beta * U_DS * (1 + delta * U_DS) * (2 * excess - U_DS);
        return evaluation::ok;
    }

    /// A trapezoid that repeats with the period: 0 until `delay`, up to 5 V in 5, `high` there, down again in 5.
    template <class T>
    signal<T> pulse(const T& t, int delay, int high, int period) const
    {
        const T m = t - period * periods_before(t, period);
        signal<T> in;
        piecewise(
            [&] {
                in = m <= delay               ? signal<T>{T(0), T(0)}
                     : m <= delay + 5         ? signal<T>{m - delay, T(1)}
                     : m <= delay + 5 + high  ? signal<T>{T(5), T(0)}
                     : m <= delay + 10 + high ? signal<T>{delay + 10 + high - m, T(-1)}
                                              : signal<T>{T(0), T(0)};
            },
            in.U, in.dU);
        return in;
    }

    void initial(R* y) const
    {
        for (int i = 0; i < nodes; ++i) y[nodes + i] = decimal(tba_data::initial_voltage[i]).in<R>();
        charges(y + nodes, y);
    }

    /// NOTE: the circuit is at rest at t = 0 itself. Right afterwards V1 begins to rise (chapter, Errata).
    void initial_derivative(R* yp) const { std::fill(yp, yp + 2 * nodes, R(0)); }

    static void add(transistor*& end, type kind, int k, int gate, int source, int drain)
    {
        // NOTE: the charge at the supply is c(x - VDD) x, not c(x - VDD) (x - VDD), in the problem as it was published (chapter, Errata).
        *end++ = {kind, k, gate, source, drain, drain > 0 ? drain : ground};
    }
    /// What every gate has: a depletion transistor that pulls the output, node i+4, up to the supply.
    static void pull_up(transistor*& end, int i) { add(end, depletion, i, i + 4, i + 4, supply); }
    static void NOR(transistor*& end, int i, int a, int b)
    {
        pull_up(end, i);
        add(end, enhancement, i + 5, a, ground, i + 4);
        add(end, enhancement, i + 9, b, ground, i + 4);
        end[-1].bulk_drain_reference = i + 14; // NOTE: not i + 4; so it was published (chapter, Errata)
    }
    static void NAND(transistor*& end, int i, int a, int b)
    {
        pull_up(end, i);
        add(end, two_in_series, i + 5, a, i + 9, i + 4);
        add(end, two_in_series, i + 10, b, ground, i + 9);
    }
    static void ANDOI(transistor*& end, int i, int a, int b, int c)
    {
        pull_up(end, i);
        add(end, enhancement, i + 5, a, ground, i + 4);
        add(end, two_in_series, i + 9, b, i + 13, i + 4);
        add(end, two_in_series, i + 14, c, ground, i + 13);
    }
    static void ORANI(transistor*& end, int i, int a, int b, int c)
    {
        pull_up(end, i);
        add(end, two_in_series, i + 5, a, i + 9, i + 4);
        add(end, two_in_series, i + 10, b, ground, i + 9);
        add(end, two_in_series, i + 14, c, ground, i + 9);
    }

    /// Which voltages each current and each charge depends on, in whatever state the transistors are.
    structure pattern() const
    {
        std::vector<std::vector<int>> columns(2 * nodes);
        const auto current = [&](int row, std::initializer_list<int> voltages) {
            for (const int node : voltages)
                if (row > 0 && node > 0) columns[row - 1].push_back(nodes + node - 1);
        };
        const auto charge = [&](int row, std::initializer_list<int> voltages) { current(row > 0 ? nodes + row : row, voltages); };
        for (const transistor& m : circuit) {
            const int gs = m.k, gd = m.k + 1, bs = m.k + 2, bd = m.k + 3;
            for (const int end : {gs, gd}) current(end, {gs, gd, bs, bd, m.gate, m.source, m.drain});
            current(bs, {bs, m.source});
            current(bd, {bd, m.drain});
            current(m.source, {m.source, gs, bs});
            current(m.drain, {m.drain, gd, bd});
            for (const int end : {gs, gd}) {
                charge(end, {end, m.gate});
                charge(m.gate, {end, m.gate});
            }
            charge(bs, {bs, m.source});
            charge(bd, {bd, m.drain, m.bulk_drain_reference});
            charge(m.source, {m.source, bs});
            charge(m.drain, {m.drain, bd});
        }
        for (const int output : {S0, S1, C}) charge(output, {output});
        for (int i = 0; i < nodes; ++i) columns[nodes + i].push_back(i);
        return structure::sparse(std::move(columns));
    }

    static mosfet model_of(const parameter_values& p, const std::string& name, int in_series)
    {
        using std::sqrt;
        const R Phi = p.get<R>(name + "_Phi");
        return {p.get<R>(name + "_UT0"), p.get<R>(name + "_gamma"), Phi, in_series * p.get<R>(name + "_beta"), sqrt(Phi)};
    }

    mass_matrix<R> mass() const
    {
        std::vector<R> d(2 * nodes, R(0));
        std::fill(d.begin(), d.begin() + nodes, R(1));
        return mass_matrix<R>::diagonal(std::move(d));
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"VDD", 5, 0, 20, "supply voltage [V]"},
            {"VBB", "-2.5", -20, 0, "bulk voltage [V]"},
            {"RGS", "8e-4", "1e-9", "1e3", "resistance at the source, scaled: 40/(1e4 5) [-]"},
            {"RGD", "8e-4", "1e-9", "1e3", "resistance at the drain, scaled: 40/(1e4 5) [-]"},
            {"RBS", "2e-3", "1e-9", "1e3", "resistance between bulk and source, scaled: 100/(1e4 5) [-]"},
            {"RBD", "2e-3", "1e-9", "1e3", "resistance between bulk and drain, scaled: 100/(1e4 5) [-]"},
            {"CGS", "0.6", "1e-6", "1e3", "capacitance between gate and source, scaled: 0.6e-4 1e4 [-]"},
            {"CGD", "0.6", "1e-6", "1e3", "capacitance between gate and drain, scaled: 0.6e-4 1e4 [-]"},
            {"C0", "0.24", "1e-6", "1e3", "capacitance of the pn-junctions at voltage 0, scaled: 0.24e-4 1e4 [-]"},
            {"COUT", 2, 0, "1e3", "load capacitance of the three outputs, scaled: 2e-4 1e4 [-]"},
            {"phiB", "0.87", "0.01", 10, "built-in voltage of the pn-junctions [V]"},
            {"delta", "0.02", 0, 10, "channel length modulation [1/V]"},
            {"iS", "5e-11", 0, "1e3", "saturation current of the diodes, scaled: 1e-15 1e4 5 [-]"},
            {"UT", "25.85", "1e-3", "1e3", "voltage that scales the exponent of the diodes [V]"},
            {"D_UT0", "-2.43", -10, 10, "threshold voltage, depletion type [V]"},
            {"D_gamma", "0.2", 0, 10, "influence of the bulk voltage on the threshold, depletion type [V^(1/2)]"},
            {"D_Phi", "1.28", 0, 10, "surface potential, depletion type [V]"},
            {"D_beta", "2.675", 0, "1e6", "transconductance, depletion type, scaled: 53.5e-6 1e4 5 [1/V^2]"},
            {"E_UT0", "0.2", -10, 10, "threshold voltage, enhancement type [V]"},
            {"E_gamma", "0.035", 0, 10, "influence of the bulk voltage on the threshold, enhancement type [V^(1/2)]"},
            {"E_Phi", "1.01", 0, 10, "surface potential, enhancement type [V]"},
            {"E_beta", "8.74", 0, "1e6",
             "transconductance, enhancement type, scaled: 4 43.7e-6 1e4 5; two and three in series: 2 and 3 times [1/V^2]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "tba";
        i.title = "Two-bit adding unit";
        i.form = form::dae;
        i.n = 2 * nodes;
        i.t0 = 0;
        i.tend = 320;
        i.highest_index = 1;
        i.jacobian_structure = tba(p).pattern();
        i.start_residual = 1e-8;              // the published voltages carry that many digits
        i.consistent_start = p.all_default(); // x(0) belongs to the published circuit
        for (int t = 5; t <= 315; t += 5) i.breakpoints.emplace_back(t);
        i.discontinuities = i.breakpoints;
        for (const char* quantity : {"Q", "U"})
            for (int k = 1; k <= nodes; ++k) i.component_names.push_back(quantity + std::to_string(k));
        i.pictured = {224, 305};
        i.quantity_of_interest = "the voltages at the three outputs, the nodes 49, 130 and 148, at the end";
        i.contributor = "M. Guenther (test set: CWI, 1996)";
        i.tags = {"circuits", "stiff", "large", "index-1", "breakpoints", "domain"};
        for (int k = 1; k <= 2 * nodes; ++k)
            if (k != nodes + S0 && k != nodes + S1 && k != nodes + C) i.accuracy.excluded.push_back(k);
        i.protocol = {.ladder_start = 2,
                      .ladder_per_decade = 8,
                      .ladder_last = 32,
                      .atol_per_rtol = 1,
                      .h0_per_rtol = 10,
                      .published_jacobian = jacobian_source::differences};
        return i;
    }
};

} // namespace ivp::problems

#endif
