// Charge pump: one MOS transistor that moves charge between two capacitors (DAE, 9 equations, index 2, stiff, not smooth).
//
//   y = (Y_T1, Y_S, Y_T2, Y_D, Y_T3, U1, U2, U3, I): charges at gate, capacitor S, source, capacitor D and drain, three voltages, a current
//
//   y1' = -y9                 0 = -y6 + Vin(t)           0 = y3 - QS(v)
//   y2' + y3' = 0             0 = y1 - QG(v)             0 = y4 - CD y8
//   y4' + y5' = 0             0 = y2 - CS y7             0 = y5 - QD(v)             v = (y6, y6 - y7, y6 - y8)
//
//   Charges, with v2 >= v3 (else the two exchange their roles), VFB = UT0 - gamma sqrt(Phi) - Phi, UBS = v2 - v1 and
//   UTE = UT0 + gamma (sqrt(Phi - UBS) - sqrt(Phi)):
//     v1 <= VFB            QG = Cox (v1 - VFB),                                        QS = QD = 0
//     v1 > VFB, v2 <= UTE  QG = Cox gamma (sqrt((gamma/2)^2 + v1 - VFB) - gamma/2),    QS = QD = 0
//     v1 > VFB, v2 > UTE   QG = Cox (2/3 H + gamma sqrt(Phi - UBS)),                   QS = QD = -Cox H/3
//                          H = a + b - a b/(a + b),   a = v2 - UTE,   b = max(v3 - UTE, 0)
//   Vin: trapezoids of 20 V with a period of 120 ns; up from 50 to 60 ns, down from 110 to 120 ns
//
//   0 <= t <= 1.2e-6 s,   y(0) = (QG(0), 0, QS(0), 0, QD(0), 0, 0, 0, 0),   y'(0) = 0
//
// Difficult because the derivatives of the charges jump where the transistor opens and closes (Vin = 0.2 V, twice a period), and with them
// the current, a variable of index 2; and because charges of 1e-13 stand beside voltages of 20.
// Origin: M. Guenther, G. Denk, U. Feldmann (1995). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_PUMP_HPP
#define IVP_PROBLEMS_PUMP_HPP

#include <ivp/problem_of.hpp>

#include <cmath>
#include <string>

namespace ivp::problems {

template <class R>
struct pump {
    // The input in ns: low until `rise`, then `ramp` to come up, high until `fall`, then `ramp` to come down.
    static constexpr int period = 120, rise = 50, fall = 110, ramp = 10, periods = 10;
    static constexpr int nanoseconds = 1000000000; ///< in a second

    /// Charges at the three terminals of the transistor.
    template <class T>
    struct charges {
        T gate, source, drain;
    };

    R Cox, UT0, gamma, Phi, CS, CD, Vhigh;
    R sqrt_Phi, VFB;
    R slope; ///< of the input [V/ns]

    explicit pump(const parameter_values& p)
        : Cox(p.get<R>("Cox")),
          UT0(p.get<R>("UT0")),
          gamma(p.get<R>("gamma")),
          Phi(p.get<R>("Phi")),
          CS(p.get<R>("CS")),
          CD(p.get<R>("CD")),
          Vhigh(p.get<R>("Vhigh"))
    {
        using std::sqrt;
        sqrt_Phi = sqrt(Phi);
        VFB = UT0 - gamma * sqrt_Phi - Phi;
        slope = Vhigh / ramp;
    }

    template <class T>
    evaluation f(const T& t, const T* y, T* out) const
    {
        charges<T> Q{};
        const T v2 = y[5] - y[6];
        const T v3 = y[5] - y[7];
        // Below, source and drain exchange their roles; their charges are equal.
        const auto charge = [&] { return v2 < v3 ? transistor(y[5], v3, v2, Q) : transistor(y[5], v2, v3, Q); };
        if (piecewise(charge, Q.gate, Q.source, Q.drain) != evaluation::ok) return evaluation::refused;

        out[0] = -y[8];
        out[1] = T(0);
        out[2] = T(0);
        out[3] = input(t) - y[5];
        out[4] = y[0] - Q.gate;
        out[5] = y[1] - CS * y[6];
        out[6] = y[2] - Q.source;
        out[7] = y[3] - CD * y[7];
        out[8] = y[4] - Q.drain;
        return evaluation::ok;
    }

    /// The charges that belong to the voltages between gate and bulk (v1), gate and source (v2), gate and drain (v3 <= v2). Refused below a bulk
    /// voltage for which the threshold has no value.
    template <class T>
    evaluation transistor(const T& v1, const T& v2, const T& v3, charges<T>& Q) const
    {
        using std::sqrt;
        Q.source = T(0);
        if (v1 <= VFB) { // holes at the surface
            Q.gate = Cox * (v1 - VFB);
        } else {
            const T bulk = Phi - (v2 - v1);
            if (bulk < 0) return evaluation::refused;
            const T root = sqrt(bulk);
            const T a = v2 - (UT0 + gamma * (root - sqrt_Phi));
            if (a <= 0) { // depleted: no channel
                Q.gate = Cox * gamma * (sqrt(gamma * gamma / 4 + (v1 - VFB)) - gamma / 2);
            } else { // a channel, as far as the drain if b > 0
                const T b = a + (v3 - v2);
                const T H = b <= 0 ? a : T(a + b - a * b / (a + b));
                Q.gate = Cox * (2 * H / 3 + gamma * root);
                Q.source = -Cox * H / 3;
            }
        }
        Q.drain = Q.source;
        return evaluation::ok;
    }

    /// The input voltage.
    template <class T>
    T input(const T& t) const
    {
        const T ns = nanoseconds * t;
        const T tau = ns - period * periods_before(ns, period);
        return piecewise([&]() -> T {
            if (tau <= rise) return T(0);
            if (tau <= rise + ramp) return slope * (tau - rise);
            if (tau <= fall) return T(Vhigh);
            return slope * (period - tau);
        });
    }

    mass_matrix<R> mass() const
    {
        auto m = mass_matrix<R>::band(9, 0, 2);
        m.set(0, 0, R(1));
        m.set(1, 1, R(1));
        m.set(1, 2, R(1));
        m.set(2, 3, R(1));
        m.set(2, 4, R(1));
        return m;
    }

    /// No voltage anywhere.
    void initial(R* y) const
    {
        charges<R> Q{};
        (void)transistor(R(0), R(0), R(0), Q);
        std::fill(y, y + 9, R(0));
        y[0] = Q.gate;
        y[2] = Q.source;
        y[4] = Q.drain;
    }

    void initial_derivative(R* yp) const { std::fill(yp, yp + 9, R(0)); }

    static std::vector<parameter> parameters()
    {
        return {
            {"Cox", "4e-12", "1e-18", "1e-3", "capacitance of the gate's oxide [F]"},
            {"UT0", "0.2", -10, 10, "threshold voltage at bulk voltage 0 [V]"},
            {"gamma", "0.035", "1e-6", 10, "influence of the bulk voltage on the threshold [V^(1/2)]"},
            {"Phi", "1.01", "1e-6", 10, "surface potential [V]"},
            {"CS", "1.6e-12", "1e-18", "1e-3", "capacitance at the source [F]"},
            {"CD", "0.4e-12", "1e-18", "1e-3", "capacitance at the drain [F]"},
            {"Vhigh", 20, 0, "1e3", "upper voltage of the input [V]"},
        };
    }

    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "pump";
        i.title = "Charge pump";
        i.form = form::dae;
        i.n = 9;
        i.t0 = 0;
        i.tend = "1.2e-6";
        i.highest_index = 2;
        i.index = {1, 1, 1, 1, 1, 1, 1, 1, 2};
        kinks(p, i);
        i.component_names = {"YT1", "YS", "YT2", "YD", "YT3", "U1", "U2", "U3", "I"};
        i.pictured = {1, 9};
        i.quantity_of_interest = "the charge at the gate of the transistor at the end";
        i.contributor = "M. Guenther, G. Denk, U. Feldmann (test set: CWI, 1996)";
        i.tags = {"circuits", "stiff", "small", "index-2", "breakpoints", "domain"};
        i.accuracy.excluded = {2, 3, 4, 5, 6, 7, 8, 9};
        i.protocol = {.ladder_start = 1, .ladder_per_decade = 2, .ladder_last = 14, .atol_per_rtol = 1, .fixed_h0 = 1e-6};
        i.protocol.vector_rule = [](double rtol, double atol) {
            tolerances t;
            t.rtol.assign(9, rtol);
            t.atol.assign(9, atol);
            std::fill(t.atol.begin(), t.atol.begin() + 5, 1e-6 * atol); // charges
            return t;
        };
        return i;
    }

    /// Restarts at the kinks of the input. The charges have kinks too, where the input passes the threshold: no voltage but the input's is
    /// there yet (or any more), so that the times are known.
    static void kinks(const parameter_values& p, problem_info& i)
    {
        const double UT0 = p.get<double>("UT0");
        const double Vhigh = p.get<double>("Vhigh");
        const bool opens = 0 < UT0 && UT0 < Vhigh;
        const double lag = opens ? ramp * UT0 / Vhigh : 0;
        const auto at = [](double ns) { return decimal(to_text(std::round(ns * 1e9) / 1e9) + "e-9"); };
        for (int k = 0; k < periods; ++k) {
            const int start = period * k;
            for (const int tau : {rise, rise + ramp, fall, period})
                if (start + tau < period * periods) i.breakpoints.push_back(at(start + tau));
            i.discontinuities.push_back(at(start + rise));
            if (opens) i.discontinuities.push_back(at(start + rise + lag));
            i.discontinuities.push_back(at(start + rise + ramp));
            i.discontinuities.push_back(at(start + fall));
            if (opens) i.discontinuities.push_back(at(start + period - lag));
            if (k + 1 < periods) i.discontinuities.push_back(at(start + period));
        }
    }
};

} // namespace ivp::problems

#endif
