// One line on the terminal that says what is going on; nothing where the output is not a terminal.
#ifndef IVP_CLI_PROGRESS_HPP
#define IVP_CLI_PROGRESS_HPP

#include "terminal.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <unistd.h>

namespace ivp::cli {

constexpr std::size_t longest_item = 60; ///< of a name in a line that must not be broken

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
        command_terminal(fmt::format("\r\033[K{} {}: {}", what_, count, plain_line(item, longest_item)));
    }
    void finish()
    {
        if (visible_) command_terminal("\r\033[K");
        visible_ = false;
    }

private:
    std::string what_;
    std::size_t total_;
    std::size_t done_ = 0;
    bool visible_;
};

/// Bar, counts and time left. Where the output is not a terminal: a line at once and then every ten seconds, for logs.
class progress_bar {
public:
    progress_bar() : terminal_(isatty(STDERR_FILENO) != 0) {}
    ~progress_bar() { finish(); }
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;

    void show(std::size_t done, std::size_t total, std::size_t failed, double seconds_left, const std::string& last)
    {
        const auto now = clock::now();
        if (shown_ && now - *shown_ < (terminal_ ? clock::duration(std::chrono::milliseconds(100)) : std::chrono::seconds(10))) return;
        shown_ = now;
        const auto left = static_cast<long>(seconds_left);
        const std::string text = fmt::format("{}/{}, {} failed, {}:{:02}:{:02} left{}", done, counted(total, "run"), failed, left / 3600,
                                             left / 60 % 60, left % 60, last.empty() ? "" : ", " + plain_line(last, longest_item));
        constexpr std::size_t width = 24;
        const std::size_t filled = total == 0 ? width : done * width / total;
        if (terminal_)
            command_terminal(fmt::format("\r\033[K[{:#<{}}{:.<{}}] {}", "", filled, "", width - filled, text));
        else
            tell("ivp: {}\n", text);
    }
    void finish()
    {
        if (terminal_) command_terminal("\r\033[K");
        terminal_ = false;
    }

private:
    using clock = std::chrono::steady_clock;
    bool terminal_;
    std::optional<clock::time_point> shown_;
};

} // namespace ivp::cli

#endif
