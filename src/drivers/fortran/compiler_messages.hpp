// What gfortran and the linker say of a file, in lines of ours.
#ifndef IVP_SRC_DRIVERS_FORTRAN_COMPILER_MESSAGES_HPP
#define IVP_SRC_DRIVERS_FORTRAN_COMPILER_MESSAGES_HPP

#include <string>
#include <string_view>
#include <vector>

namespace ivp::fortran {

/// Each fault as "FILE:LINE: message", the first of them and none twice; `compiled_file` is the name under which the compiler saw the file `path`.
/// Never empty: what is no message of a known form is one fault of the whole file.
std::vector<std::string> faults_in(std::string_view said, const std::string& path, std::string_view compiled_file);

} // namespace ivp::fortran

#endif
