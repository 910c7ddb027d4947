// Processes that a child has started, also those that have left its group and session.
#ifndef IVP_SRC_BASE_DESCENDANTS_HPP
#define IVP_SRC_BASE_DESCENDANTS_HPP

#include <chrono>
#include <cstdint>
#include <sys/types.h>
#include <vector>

namespace ivp {

/// Children of a process, whichever of its threads made them; what was adopted by it included.
std::vector<pid_t> children_of(pid_t process);

/// Bytes in memory of a process and of everything it started.
std::uint64_t resident_bytes_of_family(pid_t process);

/// CPU time that a process and everything it started has had. What nobody waited for when it ended is missing.
double cpu_seconds_of_family(pid_t process);

/// From now on this process, and not the system's first one, adopts what the children of its children leave behind.
void adopt_orphans();

/// Ends the children of this process that are not among `known`, and theirs, until none is left. It takes a while to give back much memory; those
/// that have not ended then are returned.
std::vector<pid_t> end_orphans(const std::vector<pid_t>& known, std::chrono::milliseconds patience = std::chrono::minutes(1));

/// Throws machine_fault where the functions of this header would find nothing, or the processes of others.
void expect_processes_to_be_shown();

std::uint64_t virtual_bytes(pid_t process);
std::uint64_t resident_bytes(pid_t process);

} // namespace ivp

#endif
