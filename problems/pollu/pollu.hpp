// Pollution problem: 25 reactions between 20 species of the polluted air (ODE, 20 equations, stiff, autonomous).
//
//   r1  = k1 y1          r6  = k6 y7 y6       r11 = k11 y13        r16 = k16 y4         r21 = k21 y19
//   r2  = k2 y2 y4       r7  = k7 y9          r12 = k12 y10 y2     r17 = k17 y4         r22 = k22 y19
//   r3  = k3 y5 y2       r8  = k8 y9 y6       r13 = k13 y14        r18 = k18 y16        r23 = k23 y1 y4
//   r4  = k4 y7          r9  = k9 y11 y2      r14 = k14 y1 y6      r19 = k19 y16        r24 = k24 y19 y1
//   r5  = k5 y7          r10 = k10 y11 y1     r15 = k15 y3         r20 = k20 y17 y6     r25 = k25 y20
//
//   y' = what the reactions produce and use up (see f)
//   0 <= t <= 60,   y(0) = 0 except y2 = 0.2, y4 = 0.04, y7 = 0.1, y8 = 0.3, y9 = 0.01, y17 = 0.007
//
// Difficult because the rate constants span 15 powers of ten and seven components end between 4e-18 and 2e-6.
// Origin: J. G. Verwer, SIAM J. Sci. Comput. 15 (1994) 1243-1259. Chapter: chapter.md.
#ifndef IVP_PROBLEMS_POLLU_HPP
#define IVP_PROBLEMS_POLLU_HPP

#include <ivp/problem_of.hpp>

#include <array>
#include <string>

namespace ivp::problems {

template <class R>
struct pollu {
    std::array<R, 26> k; ///< k[1] .. k[25]
    R no, o3, hcho, co, ald, so2;

    explicit pollu(const parameter_values& p)
        : k{}, no(p.get<R>("NO")), o3(p.get<R>("O3")), hcho(p.get<R>("HCHO")), co(p.get<R>("CO")), ald(p.get<R>("ALD")), so2(p.get<R>("SO2"))
    {
        for (int j = 1; j <= 25; ++j) k[j] = p.get<R>("k" + std::to_string(j));
    }

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T r1 = k[1] * y[0];
        const T r2 = k[2] * y[1] * y[3];
        const T r3 = k[3] * y[4] * y[1];
        const T r4 = k[4] * y[6];
        const T r5 = k[5] * y[6];
        const T r6 = k[6] * y[6] * y[5];
        const T r7 = k[7] * y[8];
        const T r8 = k[8] * y[8] * y[5];
        const T r9 = k[9] * y[10] * y[1];
        const T r10 = k[10] * y[10] * y[0];
        const T r11 = k[11] * y[12];
        const T r12 = k[12] * y[9] * y[1];
        const T r13 = k[13] * y[13];
        const T r14 = k[14] * y[0] * y[5];
        const T r15 = k[15] * y[2];
        const T r16 = k[16] * y[3];
        const T r17 = k[17] * y[3];
        const T r18 = k[18] * y[15];
        const T r19 = k[19] * y[15];
        const T r20 = k[20] * y[16] * y[5];
        const T r21 = k[21] * y[18];
        const T r22 = k[22] * y[18];
        const T r23 = k[23] * y[0] * y[3];
        const T r24 = k[24] * y[18] * y[0];
        const T r25 = k[25] * y[19];

        dydt[0] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
        dydt[1] = -r2 - r3 - r9 - r12 + r1 + r21;
        dydt[2] = -r15 + r1 + r17 + r19 + r22;
        dydt[3] = -r2 - r16 - r17 - r23 + r15;
        dydt[4] = -r3 + 2 * r4 + r6 + r7 + r13 + r20;
        dydt[5] = -r6 - r8 - r14 - r20 + r3 + 2 * r18;
        dydt[6] = -r4 - r5 - r6 + r13;
        dydt[7] = r4 + r5 + r6 + r7;
        dydt[8] = -r7 - r8;
        dydt[9] = -r12 + r7 + r9;
        dydt[10] = -r9 - r10 + r8 + r11;
        dydt[11] = r9;
        dydt[12] = -r11 + r10;
        dydt[13] = -r13 + r12;
        dydt[14] = r14;
        dydt[15] = -r18 - r19 + r16;
        dydt[16] = -r20;
        dydt[17] = r20;
        dydt[18] = -r21 - r22 - r24 + r23 + r25;
        dydt[19] = -r25 + r24;
    }

    void initial(R* y) const
    {
        std::fill(y, y + 20, R(0));
        y[1] = no;
        y[3] = o3;
        y[6] = hcho;
        y[7] = co;
        y[8] = ald;
        y[16] = so2;
    }

    static std::vector<parameter> parameters()
    {
        return {
            {"k1", "0.35", 0, "1e6", "rate of NO2 -> NO + O3P [1/min]"},
            {"k2", "26.6", 0, "1e9", "rate of NO + O3 -> NO2 [1/(ppm min)]"},
            {"k3", "1.23e4", 0, "1e9", "rate of HO2 + NO -> NO2 + OH [1/(ppm min)]"},
            {"k4", "8.6e-4", 0, "1e6", "rate of HCHO -> 2 HO2 + CO [1/min]"},
            {"k5", "8.2e-4", 0, "1e6", "rate of HCHO -> CO [1/min]"},
            {"k6", "1.5e4", 0, "1e9", "rate of HCHO + OH -> HO2 + CO [1/(ppm min)]"},
            {"k7", "1.3e-4", 0, "1e6", "rate of ALD -> MEO2 + HO2 + CO [1/min]"},
            {"k8", "2.4e4", 0, "1e9", "rate of ALD + OH -> C2O3 [1/(ppm min)]"},
            {"k9", "1.65e4", 0, "1e9", "rate of C2O3 + NO -> NO2 + MEO2 + CO2 [1/(ppm min)]"},
            {"k10", "9e3", 0, "1e9", "rate of C2O3 + NO2 -> PAN [1/(ppm min)]"},
            {"k11", "0.022", 0, "1e6", "rate of PAN -> C2O3 + NO2 [1/min]"},
            {"k12", "1.2e4", 0, "1e9", "rate of MEO2 + NO -> CH3O + NO2 [1/(ppm min)]"},
            {"k13", "1.88", 0, "1e6", "rate of CH3O -> HCHO + HO2 [1/min]"},
            {"k14", "1.63e4", 0, "1e9", "rate of NO2 + OH -> HNO3 [1/(ppm min)]"},
            {"k15", "4.8e6", 0, "1e12", "rate of O3P -> O3 [1/min]"},
            {"k16", "3.5e-4", 0, "1e6", "rate of O3 -> O1D [1/min]"},
            {"k17", "0.0175", 0, "1e6", "rate of O3 -> O3P [1/min]"},
            {"k18", "1e8", 0, "1e15", "rate of O1D -> 2 OH [1/min]"},
            {"k19", "4.44e11", 0, "1e15", "rate of O1D -> O3P [1/min]"},
            {"k20", "1.24e3", 0, "1e9", "rate of SO2 + OH -> SO4 + HO2 [1/(ppm min)]"},
            {"k21", "2.1", 0, "1e6", "rate of NO3 -> NO [1/min]"},
            {"k22", "5.78", 0, "1e6", "rate of NO3 -> NO2 + O3P [1/min]"},
            {"k23", "0.0474", 0, "1e9", "rate of NO2 + O3 -> NO3 [1/(ppm min)]"},
            {"k24", "1.78e3", 0, "1e9", "rate of NO3 + NO2 -> N2O5 [1/(ppm min)]"},
            {"k25", "3.12", 0, "1e6", "rate of N2O5 -> NO3 + NO2 [1/min]"},
            {"NO", "0.2", 0, "1e3", "initial concentration of NO [ppm]"},
            {"O3", "0.04", 0, "1e3", "initial concentration of O3 [ppm]"},
            {"HCHO", "0.1", 0, "1e3", "initial concentration of HCHO [ppm]"},
            {"CO", "0.3", 0, "1e3", "initial concentration of CO [ppm]"},
            {"ALD", "0.01", 0, "1e3", "initial concentration of ALD [ppm]"},
            {"SO2", "0.007", 0, "1e3", "initial concentration of SO2 [ppm]"},
        };
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "pollu";
        i.title = "Pollution";
        i.form = form::ode;
        i.n = 20;
        i.t0 = 0;
        i.tend = 60;
        i.component_names = {"NO2",  "NO",  "O3P", "O3",   "HO2",  "OH",  "HCHO", "CO",  "ALD", "MEO2",
                             "C2O3", "CO2", "PAN", "CH3O", "HNO3", "O1D", "SO2",  "SO4", "NO3", "N2O5"};
        i.quantity_of_interest = "the concentrations of all twenty species after one hour, ozone and its companions of smog among them";
        i.contributor = "J. G. Verwer (test set: CWI, 1996)";
        i.tags = {"chemistry", "environment", "stiff", "small", "autonomous"};
        i.protocol = {.ladder_start = 5, .ladder_per_decade = 4, .ladder_last = 32, .atol_per_rtol = 1, .h0_per_rtol = 1};
        return i;
    }
};

} // namespace ivp::problems

#endif
