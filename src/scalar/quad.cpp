#include <ivp/scalar.hpp>

#include <cstddef>

extern "C" {
__float128 strtoflt128(const char*, char**);
int quadmath_snprintf(char* str, std::size_t size, const char* format, ...);
}

namespace ivp {

quad quad_from_text(std::string_view text)
{
    const std::string terminated(text);
    return quad::wrap(strtoflt128(terminated.c_str(), nullptr));
}

std::string to_text(quad a, int digits)
{
    char buffer[128];
    quadmath_snprintf(buffer, sizeof buffer, "%.*Qe", digits - 1, a.v);
    return buffer;
}

} // namespace ivp
