// Which computer, and when: what every row of a store is marked with.
#ifndef IVP_SRC_STORE_HERE_AND_NOW_HPP
#define IVP_SRC_STORE_HERE_AND_NOW_HPP

#include <string>

namespace ivp {

std::string host_name();
/// "2026-01-31T12:00:00Z"
std::string utc_now();

} // namespace ivp

#endif
