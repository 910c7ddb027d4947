#include "text/compiled.hpp"

#include "base/command.hpp"
#include "base/compile_cache.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "text/generate.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ivp::text {

namespace {

namespace fs = std::filesystem;

constexpr long long_program = 1000;    ///< operations
constexpr long longest_program = 6000; ///< operations in straight code; beyond them a compiler takes too long

// ---- The compiler ----

/// Of the environment alone, never of a model.
struct compiler_choice {
    std::string name;
    std::string why_none; ///< empty: there is one
};

compiler_choice compiler()
{
    if (const char* const chosen = std::getenv("IVP_TEXT_COMPILER"); chosen != nullptr && *chosen != '\0') {
        if (std::string_view(chosen) == "none") return {"", "IVP_TEXT_COMPILER is 'none'"};
        if (!command_exists(chosen)) return {"", "IVP_TEXT_COMPILER names '" + plain_line(chosen, 100) + "', which is not installed"};
        return {chosen, ""};
    }
    for (const char* const name : {"c++", "g++", "clang++"})
        if (command_exists(name)) return {name, ""};
    return {"", "no C++ compiler (c++, g++ or clang++) is on the search path"};
}

std::vector<std::string> flags(const program& p)
{
    // Nothing here changes a bit of a result: no contraction, no reordering.
    std::vector<std::string> all{
        "-std=c++20", p.loops.empty() ? "-O2" : "-O3", "-fPIC", "-shared", "-w", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"};
    // GCC's analysis of pointers takes time with the cube of the length: eight minutes for a sum of 2000 terms, seconds without it.
    if (p.operations > long_program) all.emplace_back("-fno-tree-pta");
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

evaluation_plan plan_of(const program& p)
{
    if (p.operations > longest_program)
        return {"", "",
                "it has " + std::to_string(p.operations) + " operations, and a compiler would take too long for more than " +
                    std::to_string(longest_program)};
    auto [name, why_none] = compiler();
    if (!why_none.empty()) return {"", "", why_none};
    const auto folder = compile_cache("models");
    if (!folder) return {"", "", "no folder for compiled models can be made; XDG_CACHE_HOME or HOME may name one that only you can write to"};
    return {name, folder->string(), ""};
}

std::shared_ptr<const compiled_code> compiled(const program& p)
{
    const auto plan = plan_of(p);
    if (!plan.why_not.empty()) return nullptr;
    const fs::path folder = plan.folder;
    const std::string source = generated(p);
    const auto words = flags(p);
    std::string all = source + identity(plan.compiler);
    for (const auto& w : words) all += " " + w;
    const std::string key = sha256(all);
    const fs::path file = folder / (key + ".so");
    if (auto code = loaded(file)) return code;
    const lock alone(folder, key);
    if (auto code = loaded(file)) return code; // somebody else has made it
    if (!compile(plan.compiler, words, source, folder, file)) return nullptr;
    auto code = loaded(file);
    make_room(folder, cache_limits{});
    return code;
}

} // namespace ivp::text
