// extended_bdf: the integrator behind MEBDFI and MEBDFDAE.
#ifndef IVP_SOLVERS_MEBDF_EXTENDED_BDF_HPP
#define IVP_SOLVERS_MEBDF_EXTENDED_BDF_HPP

#include <ivp/model/solver.hpp>

namespace ivp::solvers::mebdf {

/// What the two have in common; name, title, forms and reference are their own.
solver_info common_description();

/// info: the one of the solver that is run, for its options.
solve_result integrate(evaluator& e, const segment& s, const solve_options& o, const solver_info& info, step_observer* observer);

} // namespace ivp::solvers::mebdf

#endif
