// The inner loops of SUNDIALS once more, compiled by us: what its own are timed against.
#ifndef IVP_DRIVERS_SUNDIALS_LOOPS_HPP
#define IVP_DRIVERS_SUNDIALS_LOOPS_HPP

#include <cstdint>

namespace ivp::sundials {

/// z = a x + b y
void linear_sum(std::int64_t n, double a, const double* x, double b, const double* y, double* z);
/// Root mean square of x_i w_i.
double weighted_norm(std::int64_t n, const double* x, const double* w);
/// Elimination with exchange of rows; a: columns. False: singular.
bool eliminate(double** a, std::int64_t n, std::int64_t* pivots);

} // namespace ivp::sundials

#endif
