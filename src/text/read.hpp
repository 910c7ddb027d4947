// The file of a model.
#ifndef IVP_SRC_TEXT_READ_HPP
#define IVP_SRC_TEXT_READ_HPP

#include <string>

namespace ivp::text {

/// Throws bad_request: it cannot be read, or is too large.
std::string read_file(const std::string& path);

} // namespace ivp::text

#endif
