#include "output_file.hpp"

#include <ivp/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <system_error>

namespace ivp {

namespace {

namespace fs = std::filesystem;

/// Made before any child is: parent and children agree on the names of what they write, and nobody else has them.
const std::string token = [] {
    std::random_device random;
    return std::to_string(getpid()) + "-" + std::to_string(random());
}();

/// The number of an open file of this process, where the path is one of the names that the system gives it: /proc/self/fd/1. Below 0: it is not.
int own_descriptor(const fs::path& path)
{
    const std::string name = path.filename().string();
    std::error_code failed, unknown;
    if (fs::canonical(path.parent_path(), failed) != fs::canonical("/proc/self/fd", unknown) || failed || unknown) return -1;
    int number = -1;
    const auto [end, why] = std::from_chars(name.data(), name.data() + name.size(), number);
    return why == std::errc() && end == name.data() + name.size() ? number : -1;
}

/// Through all links, also one to a file that is still to be made. An open file of this process keeps the name that says so (/dev/stdout leads
/// there): where that would lead is the name of the file, if it has one at all.
fs::path behind_links(fs::path path)
{
    constexpr int most_links = 40;
    std::error_code ignored;
    for (int k = 0; k < most_links && fs::is_symlink(fs::symlink_status(path, ignored)) && own_descriptor(path) < 0; ++k) {
        const fs::path target = fs::read_symlink(path, ignored);
        path = target.is_absolute() ? target : path.parent_path() / target;
    }
    return path;
}

/// In the same folder, so that it can be renamed; the longest names have no room for an ending.
fs::path partial_of(const fs::path& file)
{
    constexpr std::size_t longest = 150;
    const std::string name = file.filename().string();
    const std::string rest = name.size() > longest ? "." + std::to_string(std::hash<std::string>{}(name)) : ""; // names may differ in what is cut
    return file.parent_path() / (name.substr(0, longest) + rest + "." + token + ".partial");
}

/// Why a file must not be replaced; empty: it is ours.
std::string owner_in_words(const fs::path& file, file_mark mark)
{
    std::ifstream in(file, std::ios::binary);
    const auto unknown = [] { return std::string("cannot be read (") + std::strerror(errno) + ") and may be somebody else's"; };
    if (!in) return unknown();
    std::string head(1024, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (in.bad()) return unknown();
    head.resize(static_cast<std::size_t>(in.gcount()));
    using namespace std::string_view_literals;
    if (head.starts_with("SQLite format 3\0"sv)) return "is a store";
    if (head.empty() || head.find(mark.text) <= mark.within) return "";
    return "was not written by ivp";
}

} // namespace

bool is_same_file(const std::string& a, const std::string& b)
{
    std::error_code failed;
    if (fs::equivalent(a, b, failed)) return true;
    const auto whole = [&failed](const std::string& path) {
        const fs::path file = behind_links(path);
        const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
        return fs::weakly_canonical(folder, failed) / file.filename();
    };
    return whole(a) == whole(b);
}

std::string output_file::name_for_children(const std::string& path)
{
    if (const int own = own_descriptor(behind_links(path)); own >= 0) {
        constexpr int first_that_is_left_open = 256; // a child closes those of its parent below its own
        const int kept = fcntl(own, F_DUPFD, first_that_is_left_open);
        return kept < 0 ? path : "/proc/self/fd/" + std::to_string(kept);
    }
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed);
    return failed ? path : whole.string();
}

void output_file::discard_partial(const std::string& path)
{
    std::error_code ignored;
    fs::remove(partial_of(behind_links(path)), ignored);
}

void output_file::try_out(const std::string& path, const std::string& what, file_mark mark, bool force)
{
    std::error_code ignored;
    const auto status = fs::status(path, ignored);
    if (fs::exists(status) && fs::is_other(status)) return; // opening a pipe would wait for its reader
    const output_file trial(path, what, mark, force);
}

output_file::output_file(std::string path, const std::string& what, file_mark mark, bool force)
    : path_(std::move(path)), what_(what), mark_(mark.text), mark_within_(mark.within), force_(force), owner_(getpid())
{
    const auto refuse = [&](const std::string& why) -> void { throw bad_request(what + ": cannot write '" + path_ + "': " + why); };
    if (path_.empty()) throw bad_request(what + ": '' given; allowed: the name of a file");
    const fs::path file = behind_links(path_);
    final_ = file.string();
    if (const int own = own_descriptor(file); own >= 0) { // whoever opened it has said what becomes of what is there
        partial_ = final_;
        const int flags = fcntl(own, F_GETFL);
        if (flags < 0) refuse(std::strerror(errno));
        if ((flags & O_ACCMODE) == O_RDONLY) refuse("it is open for reading only");
        to_.open(fcntl(own, F_DUPFD_CLOEXEC, 0));
        if (!to_.is_open()) refuse(std::strerror(errno));
        return;
    }
    struct stat old {};
    const bool exists = ::stat(path_.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) refuse(std::strerror(errno)); // a name too long, links in a circle
    if (exists && S_ISDIR(old.st_mode)) refuse("it is a directory");
    if (exists && !S_ISREG(old.st_mode)) { // a pipe or a device
        partial_ = final_ = path_;
        to_.open(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
        if (!to_.is_open()) refuse(std::strerror(errno));
        return;
    }
    if (exists && access(final_.c_str(), W_OK) != 0) refuse(std::strerror(errno));
    if (exists) (void)judge_what_is_there();
    partial_ = partial_of(file).string();
    const int made = ::open(partial_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (made < 0 && errno == EEXIST)
        throw bad_request(what + ": '" + path_ + "' given twice (a file can have several names); allowed: another file for each");
    if (made < 0) refuse(std::strerror(errno));
    if (exists) {
        (void)!fchown(made, old.st_uid, old.st_gid); // where this user may
        (void)fchmod(made, old.st_mode & 07777U);
    }
    to_.open(made);
}

output_file::~output_file()
{
    if (done_ || partial_ == final_ || getpid() != owner_) return;
    std::error_code ignored;
    fs::remove(partial_, ignored);
}

void output_file::complete()
{
    if (to_.is_open()) {
        out_.flush();
        to_.close();
    }
    if (!out_ || to_.error() != 0) throw bad_request("cannot write '" + path_ + "': " + std::strerror(to_.error()));
}

bool output_file::judge_what_is_there() const
{
    struct stat there {};
    if (::stat(final_.c_str(), &there) != 0) return false;
    if (force_) return true;
    const std::string why =
        S_ISREG(there.st_mode) ? owner_in_words(final_, {mark_, mark_within_}) : "is not a plain file"; // reading a pipe would wait
    if (!why.empty())
        throw bad_request(what_ + ": '" + path_ + "' " + why + "; allowed: a new name, or that of an earlier file of this kind" +
                          (what_.starts_with("--") ? "; --force replaces it" : ""));
    return true;
}

/// Between the beginning and this moment may lie hours, in which others make files.
void output_file::take_name()
{
    const auto cannot = [&](int why) { return bad_request("cannot write '" + path_ + "': " + std::strerror(why)); };
    constexpr int most_surprises = 100; // by somebody who makes and removes the file all the time
    for (int k = 0; k < most_surprises; ++k) {
        const bool replaces = judge_what_is_there();
        if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, final_.c_str(), replaces ? 0 : RENAME_NOREPLACE) == 0) return;
        if (replaces || (errno != EEXIST && errno != EINVAL && errno != ENOSYS)) throw cannot(errno);
        if (errno == EEXIST) continue;
        // Some file systems have no such renaming; what was judged a moment ago must do.
        if (::rename(partial_.c_str(), final_.c_str()) == 0) return;
        throw cannot(errno);
    }
    throw cannot(EEXIST);
}

void output_file::commit()
{
    complete();
    if (partial_ != final_) take_name();
    done_ = true;
}

} // namespace ivp
