#include "record_file.hpp"

#include "base/json.hpp"

#include <ivp/error.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ivp {

namespace {

constexpr std::string_view sqlite_mark = "SQLite format 3";

[[noreturn]] void refuse(const std::string& path, const std::string& why) { throw bad_request("store: '" + path + "' " + why); }

/// A file beyond the limit of the process ends it by a signal, unless the signal waits: then the write fails like on a full disk.
class size_limit_signal_held {
public:
    size_limit_signal_held()
    {
        sigemptyset(&one_);
        sigaddset(&one_, SIGXFSZ);
        sigset_t waiting;
        sigpending(&waiting);
        was_waiting_ = sigismember(&waiting, SIGXFSZ) == 1;
        pthread_sigmask(SIG_BLOCK, &one_, &before_);
    }
    ~size_limit_signal_held()
    {
        const timespec at_once{};
        if (!was_waiting_) (void)sigtimedwait(&one_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    size_limit_signal_held(const size_limit_signal_held&) = delete;
    size_limit_signal_held& operator=(const size_limit_signal_held&) = delete;

private:
    sigset_t one_{};
    sigset_t before_{};
    bool was_waiting_ = false;
};

class record_file {
public:
    explicit record_file(const std::string& path, int create) : path_(path), file_(open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | create, 0644))
    {
        if (file_ < 0) refuse(path_, std::string("cannot be opened: ") + std::strerror(errno));
    }
    ~record_file() { close(file_); }
    record_file(const record_file&) = delete;
    record_file& operator=(const record_file&) = delete;

    /// What is in it already must be records.
    void check() const
    {
        struct stat about {};
        if (fstat(file_, &about) != 0) refuse(path_, std::string("cannot be examined: ") + std::strerror(errno));
        if (S_ISCHR(about.st_mode)) return; // a terminal, for example
        if (!S_ISREG(about.st_mode)) refuse(path_, "is not a file; allowed: a file of records, one line of JSON each");
        std::array<char, sqlite_mark.size()> begin{};
        const ssize_t length = pread(file_, begin.data(), begin.size(), 0);
        if (length < 0) refuse(path_, std::string("cannot be read: ") + std::strerror(errno));
        const std::string_view text(begin.data(), static_cast<std::size_t>(length));
        if (text == sqlite_mark)
            refuse(path_, "is an SQLite store; allowed: a file of records, one line of JSON each, which 'ivp import' adds to such a store");
        if (!begins_with_records()) refuse(path_, "holds something else; allowed: a file of records, one line of JSON each");
    }

    void append(const std::string& line) const
    {
        if (flock(file_, LOCK_EX) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOLCK)
            refuse(path_, std::string("cannot be locked: ") + std::strerror(errno));
        check();
        const off_t end = lseek(file_, 0, SEEK_END);
        // A program that was killed while it wrote may have left half a line.
        const std::string text = (ends_within_a_line(end) ? "\n" : "") + line + "\n";
        const int why = written(text);
        if (why == 0) return;
        (void)ftruncate(file_, end);
        refuse(path_, std::string("cannot be written: ") + std::strerror(why));
    }

private:
    /// Up to its first record. Before it there may be what a program wrote that was killed: the beginning of one.
    [[nodiscard]] bool begins_with_records() const
    {
        std::string text;
        std::array<char, 4096> more{};
        off_t read = 0;
        for (;;) {
            const ssize_t n = pread(file_, more.data(), more.size(), read);
            if (n < 0) refuse(path_, std::string("cannot be read: ") + std::strerror(errno));
            if (n == 0) return text.empty() || kind_of(text) != line_kind::other;
            read += n;
            const std::size_t known = text.size(); // without the end of a line
            text.append(more.data(), static_cast<std::size_t>(n));
            for (auto end = text.find('\n', known); end != std::string::npos; end = text.find('\n')) {
                const line_kind kind = kind_of(text.substr(0, end));
                if (kind != line_kind::half) return kind == line_kind::record;
                text.erase(0, end + 1);
            }
        }
    }

    enum class line_kind { record, half, other };
    static line_kind kind_of(const std::string& line)
    {
        try {
            const json j = read_json(line);
            return j.is_object() && j.contains("problem") && j.contains("solver") ? line_kind::record : line_kind::other;
        } catch (const json::exception&) {
            constexpr std::string_view beginning = "{\"";
            return line.starts_with(beginning) || beginning.starts_with(line) ? line_kind::half : line_kind::other;
        }
    }

    [[nodiscard]] bool ends_within_a_line(off_t end) const
    {
        char last = '\n';
        return end > 0 && pread(file_, &last, 1, end - 1) == 1 && last != '\n';
    }

    /// 0, or why not all of it was written.
    [[nodiscard]] int written(std::string_view text) const
    {
        const size_limit_signal_held held;
        while (!text.empty()) {
            const ssize_t n = write(file_, text.data(), text.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return errno;
            if (n == 0) return ENOSPC;
            text.remove_prefix(static_cast<std::size_t>(n));
        }
        // Some file systems find out only here that there is no room.
        return fsync(file_) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    }

    const std::string& path_;
    int file_;
};

} // namespace

void check_record_file(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return record_file(path, 0).check();
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) refuse(path, std::string("cannot be opened: ") + std::strerror(errno));
}

void append_record(const std::string& path, const std::string& line) { record_file(path, O_CREAT).append(line); }

} // namespace ivp
