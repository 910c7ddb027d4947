#include "drivers/fortran/compiled.hpp"

#include "base/command.hpp"
#include "base/compile_cache.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "drivers/fortran.hpp"
#include "drivers/fortran/compiler_messages.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ivp::fortran {

namespace {

namespace fs = std::filesystem;
using file_clock = fs::file_time_type::clock;

constexpr auto compiler = "gfortran";
/// Far more than a problem takes; a few lines of a preprocessor's macros can ask for any amount.
constexpr command_limits compiler_limits{.seconds = 600, .memory = 4ULL << 30U, .file = 1ULL << 30U};
constexpr auto layout = "ivp fortran 1"; ///< to be changed where libraries of earlier versions must not be used any more

// ---- Reading ----

struct ending {
    std::string_view text;
    source_form form;
    bool preprocessed;
};
constexpr std::array endings{
    ending{".f", source_form::fixed, false},   ending{".for", source_form::fixed, false}, ending{".ftn", source_form::fixed, false},
    ending{".f77", source_form::fixed, false}, ending{".F", source_form::fixed, true},    ending{".FOR", source_form::fixed, true},
    ending{".f90", source_form::free, false},  ending{".f95", source_form::free, false},  ending{".f03", source_form::free, false},
    ending{".f08", source_form::free, false},  ending{".F90", source_form::free, true},
};

const ending* ending_of(std::string_view path)
{
    const auto* const it = std::ranges::find_if(endings, [path](const ending& e) { return path.ends_with(e.text); });
    return it == endings.end() ? nullptr : it;
}

constexpr std::size_t most_bytes = 16U << 20U; ///< of a file, and of all that it includes
constexpr std::size_t most_included = 1000;

[[noreturn]] void refuse_size(const fs::path& path, const char* what)
{
    throw bad_request("Fortran file '" + path.string() + "' " + what + " more than " + std::to_string(most_bytes >> 20U) +
                      " MB; allowed: up to this size");
}

std::optional<std::string> content_of(const fs::path& path)
{
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return std::nullopt;
    auto text = read_beginning(path, most_bytes + 1);
    if (text && text->size() > most_bytes) refuse_size(path, "has");
    return text;
}

fs::path folder_of(const std::string& path) { return fs::absolute(path).parent_path(); }

/// What the compiler will read besides the file, with names and content. A file that is not there is left to the compiler, which names the line.
class included_files {
public:
    included_files(std::string path, source_form form) : path_(std::move(path)), form_(form) {}

    std::string all_of(const source_outline& outline)
    {
        add(outline);
        return std::move(text_);
    }

private:
    /// Each name is read once. A file may include itself, also by many names ('a', './a', ...).
    void add(const source_outline& outline)
    {
        for (const auto& i : outline.includes) {
            if (!seen_.insert(i.name).second) continue;
            const auto content = content_of(folder_of(path_) / i.name);
            if (!content) continue;
            bytes_ += content->size();
            if (bytes_ > most_bytes) refuse_size(path_, "includes");
            if (++count_ > most_included)
                throw bad_request("Fortran file '" + path_ + "' includes more than " + std::to_string(most_included) +
                                  " files; allowed: up to this number");
            text_ += i.name + "\n" + sha256(*content) + "\n";
            add(outline_of(*content, form_));
        }
    }

    std::string path_;
    source_form form_;
    std::set<std::string> seen_;
    std::size_t bytes_ = 0, count_ = 0;
    std::string text_;
};

std::vector<std::string> options_for(const problem_source& s)
{
    // Local variables keep their values, as they did on the machines the older files were written for. -g1 gives the linker's messages their lines.
    std::vector<std::string> words{"-O2", "-g1", "-std=legacy", "-w", "-fno-automatic", "-ffp-contract=off", "-fPIC", "-fdiagnostics-plain-output"};
    words.emplace_back(s.form == source_form::fixed ? "-ffixed-form" : "-ffree-form");
    if (s.form == source_form::free) words.emplace_back("-ffree-line-length-none");
    if (s.preprocessed) words.emplace_back("-cpp");
    // Files share the names of their routines and COMMON blocks: inside a library its own come first.
    words.insert(words.end(), {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs"});
    return words;
}

const std::string& compiler_version()
{
    static const std::string version = [] {
        if (!command_exists(compiler))
            throw missing_component(std::string("Fortran files need gfortran (Debian: gfortran), which is not on the search path"));
        const auto r = run_command({compiler, "--version"});
        return r.out.substr(0, r.out.find('\n'));
    }();
    return version;
}

// ---- The cache ----

/// Its path is handed to another process, which loads it.
constexpr cache_limits limits{.in_use = std::chrono::hours(1)};

fs::path cache_folder()
{
    if (auto folder = compile_cache("fortran")) return *folder;
    throw bad_request("there is no folder for compiled Fortran files; allowed: XDG_CACHE_HOME or HOME names one that only you can write to");
}

/// A folder inside the cache that ends with the object.
class build_folder {
public:
    explicit build_folder(const fs::path& cache)
    {
        std::string name = (cache / "build-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw bad_request("a folder in '" + cache.string() + "' cannot be made: " + std::strerror(errno));
        path_ = name;
    }
    ~build_folder()
    {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    build_folder(const build_folder&) = delete;
    build_folder& operator=(const build_folder&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

void compile(const problem_source& s, const fs::path& cache, const fs::path& library)
{
    const build_folder build(cache);
    const std::string name = "problem.f"; // gfortran is told the form; the user's name may be anything
    const fs::path file = build.path() / name;
    const fs::path result = build.path() / "problem.so";
    std::ofstream out(file, std::ios::binary);
    out << s.text;
    out.close();
    if (!out) throw bad_request("'" + file.string() + "' cannot be written: " + std::strerror(errno));
    // Its messages are read. What it leaves where it is ended goes with the folder.
    std::vector<std::string> words{"env", "LC_ALL=C", "TMPDIR=" + fs::absolute(build.path()).string(), compiler};
    for (auto& w : options_for(s)) words.push_back(std::move(w));
    words.insert(words.end(), {"-I", folder_of(s.path).string(), "-J", build.path().string(), "-o", result.string(), file.string()});
    std::string ended;
    const auto r = run_command(words, compiler_limits, ended);
    if (!r)
        throw bad_request("Fortran file '" + s.path + "': gfortran was ended while it compiled it: " + ended +
                          "; allowed: files that it compiles within " + std::to_string(static_cast<int>(compiler_limits.seconds)) + " s and " +
                          std::to_string(compiler_limits.memory >> 30U) + " GiB");
    if (r->code != 0) throw bad_request(faults_in(r->err, s.path, name));
    std::error_code error;
    fs::rename(result, library, error);
    if (error) throw bad_request("'" + library.string() + "' cannot be written: " + error.message());
}

} // namespace

problem_source read_source(const std::string& path)
{
    const ending* e = ending_of(path);
    if (e == nullptr) throw bad_request("'" + path + "' is not the name of a Fortran file");
    std::error_code ignored;
    if (!fs::exists(path, ignored)) throw bad_request("Fortran file '" + path + "': there is no such file");
    auto text = content_of(path);
    if (!text) throw bad_request("Fortran file '" + path + "' cannot be read");
    problem_source s{path, std::move(*text), e->form, e->preprocessed, {}, {}};
    s.file = recognised(path, outline_of(s.text, s.form));
    std::string all = std::string(layout) + "\n" + compiler_version() + "\n" + joined(options_for(s), " ") + "\n" + sha256(s.text) + "\n";
    all += included_files(path, s.form).all_of(s.file.outline);
    s.fingerprint = sha256(all);
    return s;
}

std::string compiled_library(const problem_source& source)
{
    const fs::path cache = cache_folder();
    const fs::path library = cache / (source.fingerprint + ".so");
    std::error_code error;
    if (fs::exists(library, error)) {
        if (file_clock::now() - fs::last_write_time(library, error) > limits.in_use / 2) fs::last_write_time(library, file_clock::now(), error);
        return library.string();
    }
    compile(source, cache, library);
    make_room(cache, limits);
    return library.string();
}

} // namespace ivp::fortran

namespace ivp {

bool names_fortran_file(std::string_view path) { return fortran::ending_of(path) != nullptr; }

void prepare_fortran_problem(const std::string& path) { (void)fortran::compiled_library(fortran::read_source(path)); }

std::string fortran_fingerprint(const std::string& path) { return fortran::read_source(path).fingerprint; }

} // namespace ivp
