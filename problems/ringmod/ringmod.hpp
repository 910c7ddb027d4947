// Ring modulator: four diodes mix a low and a high frequency (ODE, 15 equations, stiff and highly oscillatory, driven by two sines).
//
//   C y1'  = y8 - y10/2 + y11/2 + y14 - y1/R                 Lh y8'   = -y1
//   C y2'  = y9 - y12/2 + y13/2 + y15 - y2/R                 Lh y9'   = -y2
//   Cs y3' = y10 - q(UD1) + q(UD4)                           Ls2 y10' =  y1/2 - y3 - Rg2 y10
//   Cs y4' = -y11 + q(UD2) - q(UD3)                          Ls3 y11' = -y1/2 + y4 - Rg3 y11
//   Cs y5' = y12 + q(UD1) - q(UD3)                           Ls2 y12' =  y2/2 - y5 - Rg2 y12
//   Cs y6' = -y13 - q(UD2) + q(UD4)                          Ls3 y13' = -y2/2 + y6 - Rg3 y13
//   Cp y7' = -y7/Rp + q(UD1) + q(UD2) - q(UD3) - q(UD4)      Ls1 y14' = -y1 + Uin1(t) - (Ri + Rg1) y14
//                                                            Ls1 y15' = -y2 - (Rc + Rg1) y15
//   UD1 =  y3 - y5 - y7 - Uin2(t)      UD3 =  y4 + y5 + y7 + Uin2(t)      q(U) = gamma (exp(delta U) - 1)
//   UD2 = -y4 + y6 - y7 - Uin2(t)      UD4 = -y3 - y6 + y7 + Uin2(t)
//   Uin1(t) = 0.5 sin(2000 pi t),   Uin2(t) = 2 sin(20000 pi t)
//
//   0 <= t <= 1e-3,   y(0) = 0
//
// Difficult because the tiny capacitances Cs make the voltages at blocked diodes ring with 5 MHz: some ten thousand steps for every
// solver. The exponentials overflow if a solver strays.
// Origin: E. H. Horneber (1976); W. Kampowski, P. Rentrop, W. Schmidt, Surveys Math. Ind. 2 (1992) 23-65. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_RINGMOD_HPP
#define IVP_PROBLEMS_RINGMOD_HPP

#include <ivp/problem_of.hpp>

namespace ivp::problems {

template <class R>
struct ringmod {
    static constexpr int largest_exponent = 300; ///< beyond it the exponential is of no use, long before it overflows

    R by_C, by_Cs, by_Cp, by_Lh, by_Ls1, by_Ls2, by_Ls3, by_R, by_Rp; ///< reciprocals
    R Rg2, Rg3, source1, source2;                                     ///< source1 = Ri + Rg1, source2 = Rc + Rg1
    R gamma, delta, amplitude1, omega1, amplitude2, omega2;

    explicit ringmod(const parameter_values& p)
        : by_C(R(1) / p.get<R>("C")),
          by_Cs(R(1) / p.get<R>("Cs")),
          by_Cp(R(1) / p.get<R>("Cp")),
          by_Lh(R(1) / p.get<R>("Lh")),
          by_Ls1(R(1) / p.get<R>("Ls1")),
          by_Ls2(R(1) / p.get<R>("Ls2")),
          by_Ls3(R(1) / p.get<R>("Ls3")),
          by_R(R(1) / p.get<R>("R")),
          by_Rp(R(1) / p.get<R>("Rp")),
          Rg2(p.get<R>("Rg2")),
          Rg3(p.get<R>("Rg3")),
          source1(p.get<R>("Ri") + p.get<R>("Rg1")),
          source2(p.get<R>("Rc") + p.get<R>("Rg1")),
          gamma(p.get<R>("gamma")),
          delta(p.get<R>("delta")),
          amplitude1(p.get<R>("amplitude1")),
          amplitude2(p.get<R>("amplitude2"))
    {
        using std::acos;
        const R pi = acos(R(-1));
        omega1 = 2 * pi * p.get<R>("frequency1");
        omega2 = 2 * pi * p.get<R>("frequency2");
    }

    template <class T>
    evaluation f(const T& t, const T* y, T* dydt) const
    {
        using std::exp, std::sin;
        const T Uin1 = amplitude1 * sin(omega1 * t);
        const T Uin2 = amplitude2 * sin(omega2 * t);
        const T x1 = delta * (y[2] - y[4] - y[6] - Uin2);
        const T x2 = delta * (-y[3] + y[5] - y[6] - Uin2);
        const T x3 = delta * (y[3] + y[4] + y[6] + Uin2);
        const T x4 = delta * (-y[2] - y[5] + y[6] + Uin2);
        if (x1 > largest_exponent || x2 > largest_exponent || x3 > largest_exponent || x4 > largest_exponent) return evaluation::refused;

        const T q1 = gamma * (exp(x1) - 1); // currents through the four diodes
        const T q2 = gamma * (exp(x2) - 1);
        const T q3 = gamma * (exp(x3) - 1);
        const T q4 = gamma * (exp(x4) - 1);

        dydt[0] = by_C * (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - by_R * y[0]);
        dydt[1] = by_C * (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - by_R * y[1]);
        dydt[2] = by_Cs * (y[9] - q1 + q4);
        dydt[3] = by_Cs * (-y[10] + q2 - q3);
        dydt[4] = by_Cs * (y[11] + q1 - q3);
        dydt[5] = by_Cs * (-y[12] - q2 + q4);
        dydt[6] = by_Cp * (-by_Rp * y[6] + q1 + q2 - q3 - q4);
        dydt[7] = -by_Lh * y[0];
        dydt[8] = -by_Lh * y[1];
        dydt[9] = by_Ls2 * (0.5 * y[0] - y[2] - Rg2 * y[9]);
        dydt[10] = by_Ls3 * (-0.5 * y[0] + y[3] - Rg3 * y[10]);
        dydt[11] = by_Ls2 * (0.5 * y[1] - y[4] - Rg2 * y[11]);
        dydt[12] = by_Ls3 * (-0.5 * y[1] + y[5] - Rg3 * y[12]);
        dydt[13] = by_Ls1 * (-y[0] + Uin1 - source1 * y[13]);
        dydt[14] = by_Ls1 * (-y[1] - source2 * y[14]);
        return evaluation::ok;
    }

    void initial(R* y) const { std::fill(y, y + 15, R(0)); }

    static std::vector<parameter> parameters()
    {
        return {
            {"C", "1.6e-8", "1e-15", 1, "capacitances beside the two transformers [F]"},
            {"Cs", "2e-12", "1e-15", 1, "parasitic capacitances at the four diodes [F]"},
            {"Cp", "1e-8", "1e-15", 1, "capacitance at the high-frequency input [F]"},
            {"Lh", "4.45", "1e-9", "1e3", "main inductances of the transformers [H]"},
            {"Ls1", "0.002", "1e-9", "1e3", "leakage inductances towards the low-frequency input and the output [H]"},
            {"Ls2", "5e-4", "1e-9", "1e3", "leakage inductances towards the diodes, first half of the windings [H]"},
            {"Ls3", "5e-4", "1e-9", "1e3", "leakage inductances towards the diodes, second half of the windings [H]"},
            {"gamma", "40.67286402e-9", 0, "1e-2", "saturation current of the diodes [A]"},
            {"delta", "17.7493332", 0, "1e3", "exponent of the diodes [1/V]"},
            {"R", 25000, "1e-3", "1e9", "loss resistances of the transformers [Ohm]"},
            {"Rp", 50, "1e-3", "1e9", "resistance at the high-frequency input [Ohm]"},
            {"Rg1", "36.3", 0, "1e9", "resistance of the windings with Ls1 [Ohm]"},
            {"Rg2", "17.3", 0, "1e9", "resistance of the windings with Ls2 [Ohm]"},
            {"Rg3", "17.3", 0, "1e9", "resistance of the windings with Ls3 [Ohm]"},
            {"Ri", 50, 0, "1e9", "resistance of the low-frequency source [Ohm]"},
            {"Rc", 600, 0, "1e9", "resistance at the output [Ohm]"},
            {"amplitude1", "0.5", 0, 10, "amplitude of the low-frequency input Uin1 [V]"},
            {"frequency1", 1000, 0, "1e9", "frequency of Uin1 [Hz]"},
            {"amplitude2", 2, 0, 10, "amplitude of the high-frequency input Uin2 [V]"},
            {"frequency2", 10000, 0, "1e9", "frequency of Uin2 [Hz]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "ringmod";
        i.title = "Ring modulator";
        i.form = form::ode;
        i.n = 15;
        i.t0 = 0;
        i.tend = "1e-3";
        i.component_names = {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8"};
        i.quantity_of_interest = "all voltages and currents after one period of the low frequency, above all the mixed signal U2";
        i.contributor = "E. H. Horneber, W. Kampowski, P. Rentrop, W. Schmidt (test set: CWI, 1996)";
        i.tags = {"circuits", "stiff", "small", "oscillating", "domain"};
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
