// The folder in which libraries stay that a compiler made for the user: whose it is, and how large it becomes.
#ifndef IVP_SRC_BASE_COMPILE_CACHE_HPP
#define IVP_SRC_BASE_COMPILE_CACHE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ivp {

struct cache_limits {
    std::size_t files = 256;
    std::uintmax_t bytes = 64U << 20U;
    /// What was used within this time stays whatever the other limits say: another process may be about to load it.
    std::chrono::seconds in_use = std::chrono::seconds(0);
};

/// The folder `kind` in XDG_CACHE_HOME, in HOME/.cache, or in the folder for temporary files: the first one that belongs to the user and
/// that nobody else can write to, since what is in it is run. It is made if it does not exist. Empty: there is none.
std::optional<std::filesystem::path> compile_cache(const std::string& kind);

/// Removes the least recently used libraries (*.so) beyond the limits, and what compilations have left that were ended an hour ago or
/// earlier (*.part, and folders). Who has a library loaded keeps it.
void make_room(const std::filesystem::path& cache, const cache_limits& limits);

} // namespace ivp

#endif
