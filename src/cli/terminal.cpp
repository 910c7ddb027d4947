#include "terminal.hpp"

#include "base/escape.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ext/stdio_sync_filebuf.h>
#include <fcntl.h>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ivp::cli {

namespace {

bool write_all(int file, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

struct guarded {
    int file;
    terminal_filter filter;
};

ssize_t write_guarded(void* cookie, const char* text, std::size_t size)
{
    auto& g = *static_cast<guarded*>(cookie);
    return write_all(g.file, g.filter.next({text, size})) ? static_cast<ssize_t>(size) : 0;
}

/// Takes the place of the stream of the C library, and of the C++ stream over it.
void guard(guarded& g, std::FILE*& stream, std::ostream& out, int buffering)
{
    if (isatty(g.file) == 0) return;
    std::FILE* const filtered = fopencookie(&g, "w", {nullptr, write_guarded, nullptr, nullptr});
    if (filtered == nullptr) return;
    (void)std::setvbuf(filtered, nullptr, buffering, BUFSIZ);
    (void)std::fflush(stream);
    stream = filtered;
    out.rdbuf(new __gnu_cxx::stdio_sync_filebuf<char>(filtered)); // the same
}

} // namespace

void open_standard_streams()
{
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(file, F_GETFD) >= 0) continue;
        if (::open("/dev/null", file == STDERR_FILENO ? O_WRONLY : O_RDONLY) != file) return; // the lowest that is free, if there is one at all
    }
}

void tell(std::string_view text)
{
    auto* const before = std::signal(SIGPIPE, SIG_IGN); // who reads a pipe may have gone home
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
    (void)std::signal(SIGPIPE, before);
}

void guard_terminals()
{
    static auto* const output = new guarded{STDOUT_FILENO, {}}; // both live as long as the streams: to the end of the process
    static auto* const errors = new guarded{STDERR_FILENO, {}};
    guard(*output, stdout, std::cout, _IOLBF);
    guard(*errors, stderr, std::cerr, _IONBF);
}

void command_terminal(std::string_view text)
{
    (void)std::fflush(stderr);
    (void)write_all(STDERR_FILENO, text);
}

std::size_t terminal_width(std::size_t otherwise)
{
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

} // namespace ivp::cli
