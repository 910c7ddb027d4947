// The library SUNDIALS that this process has loaded: which build, and how fast its loops are.
#ifndef IVP_DRIVERS_SUNDIALS_LOADED_LIBRARY_HPP
#define IVP_DRIVERS_SUNDIALS_LOADED_LIBRARY_HPP

#include "model/library.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ivp::sundials {

/// Name, version and build of the library that has this function; and of its vectors, where they come from another folder.
std::string loaded_library(const char* function);

/// The loops of the library and ours, timed in turns: sums of vectors, norms, elimination. A few milliseconds.
std::vector<loop_samples> time_loops();

/// Measured once in a process.
std::optional<double> slowdown();

} // namespace ivp::sundials

#endif
