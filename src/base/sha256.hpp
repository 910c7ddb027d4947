#ifndef IVP_SRC_BASE_SHA256_HPP
#define IVP_SRC_BASE_SHA256_HPP

#include <string>
#include <string_view>

namespace ivp {

/// SHA-256 (FIPS 180-4), in hexadecimal digits.
std::string sha256(std::string_view bytes);

} // namespace ivp

#endif
