// Our own solvers: the function that makes each, and its chapter.
#ifndef IVP_SRC_SOLVERS_SOLVERS_HPP
#define IVP_SRC_SOLVERS_SOLVERS_HPP

#include <ivp/solver.hpp>

#include <memory>

namespace ivp::solvers {

#define IVP_SOLVER(name)                         \
    std::unique_ptr<const solver> make_##name(); \
    namespace name##_files { extern const ivp::chapter chapter; }
#include "solvers.def"
#undef IVP_SOLVER

} // namespace ivp::solvers

#endif
