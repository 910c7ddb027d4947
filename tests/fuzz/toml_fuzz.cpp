// The reader of TOML itself, as plans use it.
#include "campaign/toml.hpp"
#include "campaign/toml_depth.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (ivp::where_too_deep(text)) return 0;
    try {
        (void)toml::parse(text, std::string_view("plan.toml"));
    } catch (const toml::parse_error&) {
        return 0;
    }
    return 0;
}
