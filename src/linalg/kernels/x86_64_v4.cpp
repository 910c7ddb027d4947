// The kernels with AVX-512.
#define IVP_KERNEL_SET x86_64_v4
#include "linalg/kernels/table.hpp"

namespace ivp::kernels {

extern const kernel_set x86_64_v4_set;
constinit const kernel_set x86_64_v4_set = x86_64_v4::table("x86-64-v4");

} // namespace ivp::kernels
