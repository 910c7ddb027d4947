// Problem files compiled by gfortran, each once: a cache of shared libraries, known by their content.
#ifndef IVP_SRC_DRIVERS_FORTRAN_COMPILED_HPP
#define IVP_SRC_DRIVERS_FORTRAN_COMPILED_HPP

#include "drivers/fortran/format.hpp"

#include <string>

namespace ivp::fortran {

/// A problem file as it was read: text, outline, and the fingerprint of everything its library is made of (text, files it includes, compiler,
/// options).
struct problem_source {
    std::string path; ///< as the user named it
    std::string text;
    source_form form = source_form::fixed;
    bool preprocessed = false; ///< .F, .F90
    recognised_file file;
    std::string fingerprint;
};

/// Throws bad_request where it cannot be read or is in none of the formats, missing_component where there is no gfortran.
problem_source read_source(const std::string& path);

/// Path of the shared library. Several processes may ask for the same at the same time. Throws bad_request with the compiler's messages, each with
/// its place in the file.
std::string compiled_library(const problem_source& source);

} // namespace ivp::fortran

#endif
