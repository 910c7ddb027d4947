#include "base/compile_cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace ivp {

namespace {

namespace fs = std::filesystem;

bool is_ours(const fs::path& folder)
{
    struct stat facts {};
    return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid();
}

/// A folder made here is ours alone, whatever the umask is. One that others could write to stays unused: they may have put something there.
bool is_usable(const fs::path& folder)
{
    constexpr auto of_others = fs::perms::group_write | fs::perms::others_write;
    std::error_code failed;
    const bool is_new = !fs::exists(folder, failed);
    fs::create_directories(folder, failed);
    if (!is_ours(folder.parent_path()) || !is_ours(folder)) return false;
    fs::permissions(folder.parent_path(), of_others, fs::perm_options::remove, failed);
    if (is_new) fs::permissions(folder, fs::perms::owner_all, failed);
    if (failed || (fs::status(folder, failed).permissions() & of_others) != fs::perms::none) return false;
    return access(folder.c_str(), W_OK | X_OK) == 0;
}

fs::path path_in(const char* variable)
{
    const char* const value = std::getenv(variable);
    return value == nullptr || *value != '/' ? fs::path() : fs::path(value);
}

} // namespace

std::optional<fs::path> compile_cache(const std::string& kind)
{
    std::vector<fs::path> places;
    if (const auto cache = path_in("XDG_CACHE_HOME"); !cache.empty()) places.push_back(cache / "ivp");
    if (const auto home = path_in("HOME"); !home.empty()) places.push_back(home / ".cache" / "ivp");
    std::error_code failed;
    if (const fs::path temporary = fs::temp_directory_path(failed); !failed) places.push_back(temporary / ("ivp-" + std::to_string(geteuid())));
    for (const auto& place : places)
        if (is_usable(place / kind)) return place / kind;
    return std::nullopt;
}

void make_room(const fs::path& cache, const cache_limits& limits)
{
    struct library {
        fs::path path;
        fs::file_time_type used;
        std::uintmax_t bytes;
    };
    constexpr auto given_up = std::chrono::hours(1);
    const auto now = fs::file_time_type::clock::now();
    std::vector<library> all;
    std::uintmax_t bytes = 0;
    std::error_code failed;
    for (const auto& f : fs::directory_iterator(cache, failed)) {
        std::error_code gone; // another process makes room too
        const auto used = fs::last_write_time(f.path(), gone);
        if (gone) continue;
        const std::string extension = f.path().extension().string();
        if (f.is_directory(gone) || extension == ".part") {
            if (now - used > given_up) fs::remove_all(f.path(), gone);
        } else if (extension == ".so") {
            const auto size = f.file_size(gone);
            if (gone) continue;
            all.push_back({f.path(), used, size});
            bytes += size;
        }
    }
    std::ranges::sort(all, {}, &library::used);
    std::size_t left = all.size();
    for (const auto& l : all) {
        if ((left <= limits.files && bytes <= limits.bytes) || now - l.used < limits.in_use) return;
        fs::remove(l.path, failed);
        bytes -= l.bytes;
        --left;
    }
}

} // namespace ivp
