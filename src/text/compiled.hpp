// A program as a shared library, made by the system's compiler and kept by its content.
#ifndef IVP_SRC_TEXT_COMPILED_HPP
#define IVP_SRC_TEXT_COMPILED_HPP

#include "text/program.hpp"

#include <ivp/scalar.hpp>

#include <memory>
#include <string>

namespace ivp::text {

/// The two evaluations whose time counts; 0: good, 1: refused.
struct compiled_code {
    using number = dual<double, 4>;
    using in_double = int (*)(const double* k, const double* t, const double* y, const double* yp, double* out, double* work);
    using in_dual = int (*)(const double* k, const number* t, const number* y, const number* yp, number* out, number* work);

    in_double evaluate = nullptr;
    in_dual differentiate = nullptr;
    std::shared_ptr<void> library; ///< loaded as long as this lives
};

/// What becomes of a program on this machine.
struct evaluation_plan {
    std::string compiler;
    std::string folder;  ///< of compiled models
    std::string why_not; ///< empty: it is compiled; else why it runs as a list of instructions
};
evaluation_plan plan_of(const program& p);

/// Null where there is no compiler, where it is switched off (IVP_TEXT_COMPILER=none), or where the program is so long that compiling it is
/// not worth it. Never throws for such reasons.
std::shared_ptr<const compiled_code> compiled(const program& p);

} // namespace ivp::text

#endif
