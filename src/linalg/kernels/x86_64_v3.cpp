// The kernels with AVX2 and fused multiply-add, for a library built for every x86-64.
#define IVP_KERNEL_SET x86_64_v3
#include "linalg/kernels/table.hpp"

namespace ivp::kernels {

extern const kernel_set x86_64_v3_set;
constinit const kernel_set x86_64_v3_set = x86_64_v3::table("x86-64-v3");

} // namespace ivp::kernels
