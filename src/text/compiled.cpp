#include "text/compiled.hpp"

#include "base/command.hpp"
#include "base/sha256.hpp"
#include "text/generate.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ivp::text {

namespace {

namespace fs = std::filesystem;

constexpr long longest_program = 6000;            ///< instructions in straight code; beyond them a compiler takes too long
constexpr std::uintmax_t most_bytes = 64U << 20U; ///< of the cache
constexpr std::size_t most_files = 256;

// ---- The compiler ----

/// Of the environment alone, never of a model.
std::optional<std::string> compiler()
{
    if (const char* const chosen = std::getenv("IVP_TEXT_COMPILER"); chosen != nullptr && *chosen != '\0') {
        if (std::string_view(chosen) == "none" || !command_exists(chosen)) return std::nullopt;
        return chosen;
    }
    for (const char* const name : {"c++", "g++", "clang++"})
        if (command_exists(name)) return name;
    return std::nullopt;
}

std::vector<std::string> flags(const program& p)
{
    // Nothing here changes a bit of a result: no contraction, no reordering.
    std::vector<std::string> all{
        "-std=c++20", p.loops.empty() ? "-O2" : "-O3", "-fPIC", "-shared", "-w", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"};
    if (const std::string set = IVP_TEXT_ARCH; !set.empty()) all.push_back("-march=" + set);
    return all;
}

/// What tells one installed compiler from another.
std::string identity(const std::string& name)
{
    const char* const path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    std::error_code failed;
    for (fs::path candidate = name.find('/') == std::string::npos ? fs::path() : fs::path(name);;) {
        if (!candidate.empty() && fs::exists(candidate, failed)) {
            const fs::path real = fs::canonical(candidate, failed);
            struct stat facts {};
            if (stat(real.c_str(), &facts) == 0)
                return real.string() + " " + std::to_string(facts.st_size) + " " + std::to_string(facts.st_mtim.tv_sec);
        }
        if (rest.empty()) return name;
        const auto end = std::min(rest.find(':'), rest.size());
        candidate = fs::path(rest.substr(0, end)) / name;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

// ---- The cache ----

/// A folder that is ours alone, or none: what others can write to is never loaded.
std::optional<fs::path> cache_folder()
{
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    fs::path folder;
    if (cache != nullptr && *cache == '/')
        folder = cache;
    else if (home != nullptr && *home == '/')
        folder = fs::path(home) / ".cache";
    else
        return std::nullopt;
    folder = folder / "ivp" / "models";
    std::error_code failed;
    if (!fs::exists(folder, failed)) {
        fs::create_directories(folder, failed);
        if (failed) return std::nullopt;
        fs::permissions(folder, fs::perms::owner_all, failed);
    }
    struct stat facts {};
    if (stat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return std::nullopt;
    return folder;
}

/// Held by one process for each group of programs: no two compile the same one at the same time.
class lock {
public:
    lock(const fs::path& folder, const std::string& key)
        : file_(open((folder / ("lock-" + key.substr(0, 1))).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))
    {
        if (file_ >= 0)
            while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {}
    }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;
    ~lock()
    {
        if (file_ >= 0) close(file_);
    }

private:
    int file_;
};

/// The least recently used ones make room. Who has one loaded keeps it.
void make_room(const fs::path& folder)
{
    struct entry {
        fs::path path;
        fs::file_time_type used;
        std::uintmax_t bytes;
    };
    std::vector<entry> all;
    std::error_code failed;
    const auto now = fs::file_time_type::clock::now();
    for (const auto& f : fs::directory_iterator(folder, failed)) {
        const auto used = fs::last_write_time(f.path(), failed);
        if (failed) continue;
        const std::string extension = f.path().extension().string();
        if (extension == ".so")
            all.push_back({f.path(), used, fs::file_size(f.path(), failed)});
        else if (extension == ".part" && now - used > std::chrono::hours(1)) // of a process that was ended
            fs::remove(f.path(), failed);
    }
    std::ranges::sort(all, {}, &entry::used);
    std::uintmax_t bytes = 0;
    for (const auto& e : all) bytes += e.bytes;
    for (std::size_t k = 0; k < all.size() && (bytes > most_bytes || all.size() - k > most_files); ++k) {
        fs::remove(all[k].path, failed);
        bytes -= all[k].bytes;
    }
}

/// Null: it is not there, or no library of ours.
std::shared_ptr<const compiled_code> loaded(const fs::path& file)
{
    struct stat facts {};
    if (stat(file.c_str(), &facts) != 0 || facts.st_uid != geteuid() || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return nullptr;
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    auto code = std::make_shared<compiled_code>();
    code->library = std::shared_ptr<void>(handle, [](void* h) { dlclose(h); });
    code->evaluate = reinterpret_cast<compiled_code::in_double>(dlsym(handle, name_in_double));
    code->differentiate = reinterpret_cast<compiled_code::in_dual>(dlsym(handle, name_in_dual));
    if (code->evaluate == nullptr || code->differentiate == nullptr) return nullptr;
    utimensat(AT_FDCWD, file.c_str(), nullptr, 0); // used now
    return code;
}

bool write_file(const fs::path& file, const std::string& text)
{
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    return static_cast<bool>(out);
}

bool compile(const std::string& program_name, std::vector<std::string> words, const std::string& source, const fs::path& folder,
             const fs::path& result)
{
    const std::string mine = result.stem().string() + "-" + std::to_string(getpid());
    const fs::path text = folder / (mine + ".cpp.part");
    const fs::path library = folder / (mine + ".so.part");
    std::error_code failed;
    bool done = false;
    if (write_file(text, source)) {
        words.insert(words.begin(), program_name);
        words.insert(words.end(), {"-o", library.string(), "-x", "c++", text.string()});
        try {
            done = run_command(words).code == 0;
        } catch (const std::system_error&) {
            done = false;
        }
        if (done) {
            fs::permissions(library, fs::perms::owner_all, failed);
            fs::rename(library, result, failed);
            done = !failed;
        }
    }
    fs::remove(text, failed);
    fs::remove(library, failed);
    return done;
}

} // namespace

std::shared_ptr<const compiled_code> compiled(const program& p)
{
    if (p.operations > longest_program) return nullptr;
    const auto program_name = compiler();
    const auto folder = program_name ? cache_folder() : std::nullopt;
    if (!folder) return nullptr;
    const std::string source = generated(p);
    const auto words = flags(p);
    std::string all = source + identity(*program_name);
    for (const auto& w : words) all += " " + w;
    const std::string key = sha256(all);
    const fs::path file = *folder / (key + ".so");
    if (auto code = loaded(file)) return code;
    const lock alone(*folder, key);
    if (auto code = loaded(file)) return code; // somebody else has made it
    if (!compile(*program_name, words, source, *folder, file)) return nullptr;
    auto code = loaded(file);
    make_room(*folder);
    return code;
}

} // namespace ivp::text
