// The options of every solver that can solve its linear systems by iteration (algebra krylov).
#ifndef IVP_LINALG_KRYLOV_OPTIONS_HPP
#define IVP_LINALG_KRYLOV_OPTIONS_HPP

#include "linalg/shifted_lu.hpp"
#include "model/option_table.hpp"

#include <ivp/error.hpp>
#include <ivp/evaluator.hpp>

#include <map>
#include <string>

namespace ivp {

/// The preconditioner alone.
inline const option_table<preconditioning>& preconditioner_options()
{
    using p = preconditioning;
    static const option_table<p> table{{
        bind::choice("preconditioner", &p::kind, {{"ilu0", p::ilu0}, {"block-jacobi", p::block_jacobi}, {"none", p::none}, {"user", p::user}},
                     "with algebra krylov: incomplete factors of the matrix (0), of its diagonal blocks (1), none (2), or the problem's own (3)"),
        bind::whole("block", &p::block, 1, 1e6, "with preconditioner block-jacobi: consecutive unknowns in a block"),
    }};
    return table;
}

/// Of our own iteration.
inline const option_table<preconditioning>& krylov_options()
{
    using p = preconditioning;
    static const auto table = preconditioner_options().with({
        bind::choice(
            "products", &p::products, {{"matrix", p::by_matrix}, {"differences", p::by_differences}, {"duals", p::by_duals}},
            "with algebra krylov: products of the Jacobian and a vector by its entries (0), by difference quotients of f (1), or exactly by one "
            "evaluation of f on dual numbers (2)"),
    });
    return table;
}

/// Of an iteration of a library, which forms difference quotients itself.
inline const option_table<preconditioning>& library_krylov_options()
{
    using p = preconditioning;
    static const auto table =
        preconditioner_options().with({bind::choice("products", &p::products, {{"differences", p::by_differences}, {"duals", p::by_duals}},
                                                    "with algebra krylov: products of the Jacobian and a vector by difference quotients of f (1), or "
                                                    "exactly by one evaluation of f on dual numbers (2)")},
                                      {.products = p::by_differences});
    return table;
}

/// What the words ask for and a problem cannot give.
template <class R>
void require_of_problem(const preconditioning& choice, const basic_evaluator<R>& e)
{
    const std::string id = e.problem().id();
    if (choice.products == preconditioning::by_duals && !e.has_products())
        throw bad_request("option 'products': duals given; problem " + id +
                          " has no f that can be evaluated on dual numbers; allowed: the other kinds of products");
    if (choice.kind == preconditioning::user && e.make_preconditioner() == nullptr)
        throw bad_request("option 'preconditioner': user given; problem " + id +
                          " brings no preconditioner (a plug-in has preconditioner_set_up in its table); allowed: ilu0, block-jacobi, none");
}

} // namespace ivp

#endif
