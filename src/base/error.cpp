#include <ivp/error.hpp>

#include "text.hpp"

namespace ivp {

bad_request::bad_request(std::vector<std::string> faults) : std::invalid_argument(joined(faults, "\n")), faults_(std::move(faults)) {}

} // namespace ivp
