// Implicit Runge-Kutta methods of any odd number of stages, their coefficients computed in quadruple precision.
//
// Two families serve: Radau IIA (collocation, order 2s - 1) and Lobatto IIIC (order 2s - 2). Both are stiffly accurate and take DAEs. They share
// no node but the last and no coefficient, so that an error of one is not an error of the other.
#ifndef IVP_REFERENCE_STAGE_METHOD_HPP
#define IVP_REFERENCE_STAGE_METHOD_HPP

#include "linalg/shifted_lu.hpp"

#include <ivp/scalar.hpp>

#include <string>
#include <vector>

namespace ivp::reference {

enum class family { radau, lobatto };

struct stage_method {
    ivp::reference::family family;
    int stages;
    std::vector<quad> c;        ///< nodes; the last one is 1
    std::vector<quad> a;        ///< a(i, j) at i·stages + j
    std::vector<quad> top;      ///< the leading Legendre coefficient of the polynomial through the stages is the sum of top_i Y_i
    std::vector<quad> weight;   ///< of barycentric interpolation through the nodes
    double real_eigenvalue = 0; ///< of the inverse of (a), which has one real eigenvalue and pairs of complex ones
    std::vector<complex_shift<double>> eigenvalue;

    /// (a)^-1 = T diag(eigenvalues) T^-1, in double: it preconditions. Rows (of T^-1) and columns (of T): the real one, then real and imaginary
    /// part of each pair; those of T are such that Z = T W for such parts of W.
    std::vector<double> to_eigen;
    std::vector<double> from_eigen;
};

/// `stages` is odd, from 3 to 25.
stage_method make_method(family f, int stages);

/// "Radau IIA with 13 stages (order 25)"
std::string describe(const stage_method& m);

} // namespace ivp::reference

#endif
