// How much memory this process has taken, and how much it may still take.
#ifndef IVP_BASE_MEMORY_HPP
#define IVP_BASE_MEMORY_HPP

#include <optional>

namespace ivp {

/// In bytes: what the machine has free, or what the limit of this process (RLIMIT_AS) leaves, if that is less. Infinite if neither is known.
double available_memory();

/// The most that this process has had in memory since the last call of forget_peak_memory(), or since it began; bytes. None: the system does not
/// tell.
std::optional<double> peak_memory();
void forget_peak_memory();

} // namespace ivp

#endif
