// The words of an enumeration, as files, options and people write them.
#ifndef IVP_SRC_BASE_LABELS_HPP
#define IVP_SRC_BASE_LABELS_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ivp {

/// One word for each value, in the order of the enumeration.
template <class E, std::size_t N>
struct enum_labels {
    std::array<std::string_view, N> words;

    constexpr std::string_view operator[](E e) const { return words[static_cast<std::size_t>(e)]; }
    [[nodiscard]] constexpr std::optional<E> find(std::string_view text) const
    {
        for (std::size_t k = 0; k < N; ++k)
            if (words[k] == text) return static_cast<E>(k);
        return std::nullopt;
    }
};

} // namespace ivp

#endif
