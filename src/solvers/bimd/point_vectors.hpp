// point_vectors: a vector for each point of a block.
#ifndef IVP_SOLVERS_BIMD_POINT_VECTORS_HPP
#define IVP_SOLVERS_BIMD_POINT_VECTORS_HPP

#include "coefficients.hpp"
#include "simd/components.hpp"

namespace ivp::solvers::bimd_method {

using point_vectors = simd::padded_vectors<double, most_points + 1>;

} // namespace ivp::solvers::bimd_method

#endif
