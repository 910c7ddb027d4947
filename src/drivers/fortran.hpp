// Problem files of the test set, in Fortran, as they were written for it since 1996 (docs/fortran.md).
#ifndef IVP_SRC_DRIVERS_FORTRAN_HPP
#define IVP_SRC_DRIVERS_FORTRAN_HPP

#include <ivp/problem.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace ivp {

/// By its ending: .f, .for, .f90, ...
bool names_fortran_file(std::string_view path);

/// Compiles the file unless that was done before. Throws bad_request with the file's lines, and missing_component where there is no gfortran.
void prepare_fortran_problem(const std::string& path);

/// What a run on this problem depends on: the file, what it includes, the compiler. Throws as above, but compiles nothing.
std::string fortran_fingerprint(const std::string& path);

/// Compiles where it must, loads the library, calls its routines with guarded arrays and makes the problem. To be done where a crash does no harm.
/// `refine` may complete the facts with what a file does not say. Throws bad_request with the file's lines.
problem load_fortran_problem(const std::string& path, const std::function<void(problem_info&)>& refine = {});

} // namespace ivp

#endif
