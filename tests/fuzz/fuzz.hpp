// What every target says where it finds something.
#ifndef IVP_TESTS_FUZZ_FUZZ_HPP
#define IVP_TESTS_FUZZ_FUZZ_HPP

#include "base/text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ivp::fuzz {

inline void require(bool holds, const char* what)
{
    if (holds) return;
    (void)std::fprintf(stderr, "property broken: %s\n", what);
    std::abort();
}

/// Text that may be shown: UTF-8, and no controls but lines and tabulators.
inline bool is_shown_safely(std::string_view text)
{
    while (!text.empty()) {
        const code_point c = first_code_point(text);
        const bool whole = c.code != replacement_character || c.bytes.size() == 3;
        if (!whole || (is_control(c.code) && c.code != '\n' && c.code != '\t')) return false;
        text.remove_prefix(c.bytes.size());
    }
    return true;
}

inline std::string_view view(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

} // namespace ivp::fuzz

#endif
