// The reader of TOML itself, as plans use it.
#include "campaign/toml.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    try {
        (void)toml::parse(std::string_view(reinterpret_cast<const char*>(data), size), std::string_view("plan.toml"));
    } catch (const toml::parse_error&) {
        return 0;
    }
    return 0;
}
