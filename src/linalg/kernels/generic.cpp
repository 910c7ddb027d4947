// The kernels for the instruction set of the whole library.
#define IVP_KERNEL_SET generic
#include "linalg/kernels/table.hpp"

namespace ivp::kernels {

extern const kernel_set generic_set;
constinit const kernel_set generic_set = generic::table("generic");

} // namespace ivp::kernels
