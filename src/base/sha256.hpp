// SHA-256 (FIPS 180-4): the fingerprint of everything that is known by its content.
#ifndef IVP_SRC_BASE_SHA256_HPP
#define IVP_SRC_BASE_SHA256_HPP

#include <string>
#include <string_view>

namespace ivp {

/// In hexadecimal digits.
std::string sha256(std::string_view bytes);

} // namespace ivp

#endif
