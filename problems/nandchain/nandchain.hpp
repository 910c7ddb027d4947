// A chain of N NAND gates: the output of each is an input of the next (IDE, 14 N equations, index 1, stiff, driven by two pulses).
//
//   Gate 1 is the problem nand. Gate k > 1 has the same three transistors; its first input is the output y5 of gate k - 1, whose node 5 it loads with
//   the current into the gate of ME1, and its second input is V2(t). The equations of a gate and the constants are those of nand.
//
//   0 <= t <= 80 ns,   y as in nand, but y6 = y10 = y12 = VDD in the gates 2, 3, ...,   y'(0) = 0,   y = (gate 1, gate 2, ...)
//
// Difficult because a change of the input runs through the chain, one gate after the other, while the gates behind it rest; there is no constant mass
// matrix. Origin: the gate of M. Guenther and P. Rentrop (1996). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_NANDCHAIN_HPP
#define IVP_PROBLEMS_NANDCHAIN_HPP

#include "nand/nand.hpp"

namespace ivp::problems {

template <class R>
struct nandchain : nand<R> {
    using gate = nand<R>;
    static constexpr int nodes = 14; ///< of a gate
    static constexpr int output = 4; ///< its place in a gate

    int N;

    explicit nandchain(const parameter_values& p) : gate(p), N(p.whole("N")) {}

    template <class T>
    evaluation g(const T& t, const T* y, const T* yp, T* out) const
    {
        using voltage = typename gate::template signal<T>;
        const voltage ground{T(0), T(0)};
        const voltage supply{T(this->VDD), T(0)};
        const voltage second = this->input(t, 40, 15);
        for (int k = 0; k < N; ++k, y += nodes, yp += nodes, out += nodes) {
            const voltage first = k == 0 ? this->input(t, 20, 5) : voltage{y[output - nodes], yp[output - nodes]};
            const voltage node5{y[output], yp[output]}, node10{y[9], yp[9]};
            typename gate::template terminals<T> MD, ME1, ME2;
            if (this->transistor(this->D, node5, supply, node5, y, yp, out, MD) != evaluation::ok) return evaluation::refused;
            if (this->transistor(this->E, first, node5, node10, y + 5, yp + 5, out + 5, ME1) != evaluation::ok) return evaluation::refused;
            if (this->transistor(this->E, second, node10, ground, y + 10, yp + 10, out + 10, ME2) != evaluation::ok) return evaluation::refused;
            out[output] = this->C5 * node5.dU - MD.gate - MD.source - ME1.drain;
            out[9] = this->C10 * node10.dU - ME1.source - ME2.drain;
            if (k > 0) out[output - nodes] = out[output - nodes] - ME1.gate;
        }
        return evaluation::ok;
    }

    void initial(R* y) const
    {
        for (int k = 0; k < N; ++k, y += nodes) {
            gate::initial(y);
            if (k > 0) y[5] = y[9] = y[11] = this->VDD; // the gate of ME1 is open, and nothing flows
        }
    }

    void initial_derivative(R* yp) const { std::fill(yp, yp + nodes * N, R(0)); }

    static std::vector<parameter> parameters()
    {
        std::vector<parameter> all = gate::parameters();
        all.insert(all.begin(), {"N", 4, 1, 10000, "number of gates; the dimension is 14 N [-]", true});
        return all;
    }

    static problem_info describe(const parameter_values& p)
    {
        const problem_info one = gate::describe(p);
        problem_info i = one;
        i.id = "nandchain";
        i.title = "Chain of NAND gates";
        i.n = nodes * p.whole("N");
        i.jacobian_structure = structure::band(nodes + 2, nodes + 2); // from a node of ME1 to the output before it
        i.component_names.clear();
        i.pictured = {output + 1, i.n - nodes + output + 1};
        i.quantity_of_interest = "the voltages at all nodes, above all the outputs of the gates, at the end";
        i.contributor = "the authors of ivp, after M. Guenther, P. Rentrop";
        i.tags = {"circuits", "stiff", "size", "index-1", "breakpoints", "domain"};
        i.accuracy = {};
        i.protocol = one.protocol;
        return i;
    }
};

} // namespace ivp::problems

#endif
