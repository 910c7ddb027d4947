// The options of every solver that can solve its linear systems by iteration (algebra krylov).
#ifndef IVP_LINALG_KRYLOV_OPTIONS_HPP
#define IVP_LINALG_KRYLOV_OPTIONS_HPP

#include "linalg/shifted_lu.hpp"
#include "model/option_table.hpp"

#include <map>
#include <string>

namespace ivp {

/// The preconditioner alone: an iteration of a library forms its products itself.
inline const option_table<preconditioning>& preconditioner_options()
{
    using p = preconditioning;
    static const option_table<p> table{{
        bind::choice("preconditioner", &p::kind, {{"ilu0", p::ilu0}, {"block-jacobi", p::block_jacobi}, {"none", p::none}},
                     "with algebra krylov: incomplete factors of the matrix (0), of its diagonal blocks (1), or none (2)"),
        bind::whole("block", &p::block, 1, 1e6, "with preconditioner block-jacobi: consecutive unknowns in a block"),
    }};
    return table;
}

/// Of our own iteration.
inline const option_table<preconditioning>& krylov_options()
{
    using p = preconditioning;
    static const auto table = preconditioner_options().with({
        bind::choice("products", &p::products, {{"matrix", p::by_matrix}, {"differences", p::by_differences}},
                     "with algebra krylov: products of the Jacobian and a vector by its entries (0), or by difference quotients of f (1)"),
    });
    return table;
}

} // namespace ivp

#endif
