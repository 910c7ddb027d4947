// One line on the terminal that says what is going on; nothing where the output is not a terminal.
#ifndef IVP_CLI_PROGRESS_HPP
#define IVP_CLI_PROGRESS_HPP

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace ivp::cli {

class progress_line {
public:
    /// total = 0: how much there is to do is not known.
    explicit progress_line(std::string what, std::size_t total = 0) : what_(std::move(what)), total_(total), visible_(isatty(STDERR_FILENO) != 0) {}
    ~progress_line() { finish(); }
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

    void next(const std::string& item)
    {
        ++done_;
        if (!visible_) return;
        const std::string count = total_ == 0 ? fmt::format("({})", done_) : fmt::format("{}/{}", done_, total_);
        fmt::print(stderr, "\r\033[K{} {}: {}", what_, count, item);
        (void)std::fflush(stderr);
    }
    void finish()
    {
        if (visible_) fmt::print(stderr, "\r\033[K");
        visible_ = false;
    }

private:
    std::string what_;
    std::size_t total_;
    std::size_t done_ = 0;
    bool visible_;
};

} // namespace ivp::cli

#endif
