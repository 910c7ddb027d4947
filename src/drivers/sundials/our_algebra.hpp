// Our kernels behind the matrix and linear-solver interfaces of SUNDIALS.
#ifndef IVP_DRIVERS_SUNDIALS_OUR_ALGEBRA_HPP
#define IVP_DRIVERS_SUNDIALS_OUR_ALGEBRA_HPP

#include "linalg/shifted_lu.hpp"

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

namespace ivp::sundials {

SUNMatrix new_matrix(algebra path, const structure& s, int n, SUNContext c);
SUNLinearSolver new_linear_solver(SUNContext c);
void write_matrix(const matrix_view<double>& from, SUNMatrix to);

} // namespace ivp::sundials

#endif
