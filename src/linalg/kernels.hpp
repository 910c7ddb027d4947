// Which kernels the linear algebra of this process uses. Two sets may differ in the last bits of their results: records name them.
#ifndef IVP_SRC_LINALG_KERNELS_HPP
#define IVP_SRC_LINALG_KERNELS_HPP

#include <string>

namespace ivp {

/// The name of the set: generic, x86-64-v3, x86-64-v4. Throws bad_request where IVP_KERNELS names none that this machine can run.
std::string kernels_in_use();

} // namespace ivp

#endif
