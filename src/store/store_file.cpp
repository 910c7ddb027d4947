#include "store_file.hpp"

#include "base/text.hpp"
#include "sqlite.hpp"

#include <ivp/error.hpp>
#include <ivp/store.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ivp {

namespace {

namespace fs = std::filesystem;

// Far behind every byte of the file and those that SQLite locks.
constexpr off_t locked_byte = off_t{1} << 62;

bool has_log(const std::string& name)
{
    std::error_code ignored;
    return fs::exists(name + "-wal", ignored) || fs::exists(name + "-journal", ignored);
}

/// Bytes 18 and 19 of an SQLite file: 2 while it is written with a write-ahead log, 1 at rest.
bool is_at_rest(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::array<char, 20> head{};
    return in.read(head.data(), head.size()) && head[18] == 1 && head[19] == 1;
}

/// Where symbolic links lead, though nothing may exist there.
std::string end_of_links(const std::string& path)
{
    constexpr int most_links = 40; // as the system has it
    fs::path at = path;
    std::error_code failed;
    for (int k = 0; k < most_links && fs::is_symlink(at, failed); ++k) at = at.parent_path() / fs::read_symlink(at, failed);
    return at.string();
}

/// All names of the file in its folder, in the order of the alphabet. None: the folder cannot be listed.
std::vector<std::string> names_in_folder(const fs::path& file, const struct stat& s)
{
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator entry(file.parent_path(), failed); !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
        struct stat other {};
        if (lstat(entry->path().c_str(), &other) == 0 && other.st_dev == s.st_dev && other.st_ino == s.st_ino)
            names.push_back(entry->path().string());
    }
    std::ranges::sort(names);
    return names;
}

} // namespace

std::string name_to_open(const std::string& path, bool for_writing)
{
    std::error_code failed;
    const fs::path here = fs::current_path(failed);
    if (!path.starts_with('/') && failed)
        throw bad_request("store '" + path + "': the working directory does not exist any more; allowed: a name with all folders, from / on");
    struct stat s {};
    if (stat(path.c_str(), &s) != 0) {
        if (errno == ENOENT) return path;
        throw bad_request("store '" + path + "': " + std::strerror(errno));
    }
    if (S_ISDIR(s.st_mode)) throw bad_request("store '" + path + "': it is a directory");
    if (!S_ISREG(s.st_mode)) throw bad_request("store '" + path + "': it is not a plain file");
    const fs::path file = fs::canonical(path, failed); // where a symbolic link leads: the log is beside that
    if (failed) throw bad_request("store '" + path + "': " + failed.message());
    if (s.st_nlink < 2) return file.string();
    const auto names = names_in_folder(file, s);
    std::vector<std::string> logs;
    std::ranges::copy_if(names, std::back_inserter(logs), has_log);
    if (logs.size() > 1)
        throw bad_request("store '" + path + "': several names of the file have a log (" + joined(logs, ", ") +
                          "): a program has opened it by different names; delete all hard links but the one with the right log");
    if (logs.size() == 1) return logs[0];
    if (names.size() < s.st_nlink && (for_writing || !is_at_rest(path)))
        throw bad_request("store '" + path + "': the file has another name (hard link) " +
                          (names.empty() ? "and its folder cannot be listed" : "in another folder") +
                          ", and SQLite's log is beside one of its names only; allowed: all names in one folder" +
                          (names.empty() ? " that can be listed" : "") + ", or symbolic links");
    return names.empty() ? file.string() : names[0];
}

namespace {

bool has_name(int fd, const std::string& path)
{
    struct stat opened {};
    struct stat named {};
    return fstat(fd, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

void expect_name(int fd, const std::string& path)
{
    if (!has_name(fd, path)) refuse_lost_name(path);
}

} // namespace

void refuse_lost_name(const std::string& path)
{
    throw bad_request("store '" + path +
                      "': it was moved, removed or replaced while it was in use; what was stored before is where that file is now");
}

file_in_place::file_in_place(std::string path) : path_(std::move(path)), fd_(open(path_.c_str(), O_PATH | O_CLOEXEC))
{
    if (fd_ >= 0) return;
    if (errno == ENOENT) refuse_lost_name(path_);
    throw bad_request("store '" + path_ + "': " + std::strerror(errno));
}
file_in_place::~file_in_place() { close(fd_); }
void file_in_place::expect() const { expect_name(fd_, path_); }

store_lock::store_lock(const std::string& path) : path_(path)
{
    for (;;) {
        fd_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (fd_ < 0) {
            const int why = errno;
            const bool read_only = why == EACCES || why == EROFS || why == EPERM;
            throw bad_request("store '" + path + "': it cannot be written: " + (read_only ? "the file is read-only" : std::strerror(why)));
        }
        struct flock wanted {};
        wanted.l_type = F_WRLCK;
        wanted.l_whence = SEEK_SET;
        wanted.l_start = locked_byte;
        wanted.l_len = 1;
        // A lock of the open file: SQLite's own locks, which belong to the process, neither see it nor end it.
        if (fcntl(fd_, F_OFD_SETLK, &wanted) != 0) {
            const int why = errno;
            close(fd_);
            throw bad_request("store '" + path + "': " +
                              (why == EAGAIN || why == EACCES ? "another campaign is writing to it, or an import or a merge" : std::strerror(why)));
        }
        if (has_name(fd_, path)) return;
        close(fd_); // another file has taken the name meanwhile
    }
}

void store_lock::expect_in_place() const { expect_name(fd_, path_); }

store_lock::~store_lock()
{
    if (fd_ >= 0) close(fd_);
}

bool is_missing(const std::string& path)
{
    std::error_code failed;
    return !fs::exists(path, failed) && !failed;
}

void expect_no_log(const std::string& path)
{
    const std::string target = end_of_links(path);
    std::error_code ignored;
    for (const char* const end : {"-wal", "-journal", "-shm"}) {
        const std::string log = target + end;
        if (!fs::exists(log, ignored)) continue;
        if (!is_missing(path)) return; // another program has made it meanwhile, and this is its log
        throw bad_request(
            "store '" + path + "': it does not exist, but '" + log +
            "', the log of an earlier store of this name, does, and would become a part of a new one; allowed: put the earlier store back "
            "(the log holds its last runs), or delete the log");
    }
}

namespace {

bool file_can_be_written(const std::string& file) { return access(file.c_str(), W_OK) == 0; }
bool folder_can_be_written(const std::string& file) { return access(fs::path(file).parent_path().c_str(), W_OK | X_OK) == 0; }

} // namespace

bool can_be_written(const std::string& file) { return file_can_be_written(file) && folder_can_be_written(file); }

void expect_writable(const std::string& path)
{
    const std::string file = name_to_open(path, true);
    const std::string unchanged = "; it is unchanged";
    if (is_missing(file)) refuse_lost_name(path);
    if (!file_can_be_written(file)) throw bad_request("store '" + path + "': it cannot be written: the file is read-only" + unchanged);
    if (!folder_can_be_written(file))
        throw bad_request("store '" + path + "': it cannot be written: its folder is read-only, and SQLite makes its log there" + unchanged);
}

void make_whole_file(const std::string& path, std::string_view bytes)
{
    const auto fail = [&path](int why) {
        const char* const reason = why == EACCES || why == EROFS ? "the folder is read-only" : std::strerror(why);
        return bad_request("cannot make the store '" + path + "': " + reason);
    };
    (void)name_to_open(path, true); // the working directory exists
    const std::string target = end_of_links(path);
    const fs::path parent = fs::path(target).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    constexpr mode_t mode = 0644; // less the umask
    std::string name;             // of a file that has one before it is complete
    int fd = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        name = target + ".partial-" + std::to_string(getpid());
        fd = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    }
    if (fd < 0) throw fail(errno);
    int why = 0;
    while (!bytes.empty() && why == 0) {
        const ssize_t written = write(fd, bytes.data(), bytes.size());
        if (written >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            why = errno;
    }
    if (why == 0) {
        const std::string from = name.empty() ? "/proc/self/fd/" + std::to_string(fd) : name;
        if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, target.c_str(), AT_SYMLINK_FOLLOW) != 0 && errno != EEXIST) why = errno;
    }
    close(fd);
    if (!name.empty()) unlink(name.c_str());
    if (why != 0) throw fail(why);
}

namespace {

std::string made_if_missing(const std::string& path)
{
    make_store(path);
    return path;
}

/// Holds no entry, and nobody else has it open: while the exclusive lock of SQLite is held nobody can change that.
bool is_ours_alone_and_empty(const sqlite::database& db)
{
    db.try_at_once("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE"); // stays a write-ahead log where others have it open
    sqlite::statement log(db, "PRAGMA journal_mode");
    return db.in_transaction() && !db.has_lost_its_name() && log.step() && log.text(0) == "delete" &&
           db.number("SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM assessment)") == 0;
}

} // namespace

filled_store_file::filled_store_file(const std::string& path) : path_(path), is_new_(is_missing(path)), lock_(made_if_missing(path)) {}

filled_store_file::~filled_store_file()
{
    if (!is_new_ || kept_) return;
    try {
        const std::string file = name_to_open(path_, true);
        const sqlite::database db(file, sqlite::mode::write);
        std::error_code ignored;
        if (is_ours_alone_and_empty(db)) fs::remove(file, ignored);
    } catch (const std::exception&) { // then it stays, empty
        return;
    }
}

} // namespace ivp
