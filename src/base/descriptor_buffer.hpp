// What a stream writes, into an open file.
#ifndef IVP_SRC_BASE_DESCRIPTOR_BUFFER_HPP
#define IVP_SRC_BASE_DESCRIPTOR_BUFFER_HPP

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ios>
#include <streambuf>
#include <unistd.h>

namespace ivp {

/// Owns the descriptor. One that was made by dup() goes on where the other one stands. NOTE: its end writes nothing; what must not be lost is
/// flushed.
class descriptor_buffer final : public std::streambuf {
public:
    descriptor_buffer() { setp(text_.data(), text_.data() + text_.size()); }
    ~descriptor_buffer() override { close(); }
    descriptor_buffer(const descriptor_buffer&) = delete;
    descriptor_buffer& operator=(const descriptor_buffer&) = delete;

    void open(int descriptor) { descriptor_ = descriptor; }
    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    /// The errno of what failed first; 0: nothing did.
    [[nodiscard]] int error() const { return error_; }
    void close()
    {
        if (is_open() && ::close(descriptor_) != 0) note(errno);
        descriptor_ = -1;
    }

protected:
    int_type overflow(int_type c) override
    {
        if (sync() != 0) return traits_type::eof();
        if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
        return traits_type::not_eof(c);
    }
    int sync() override
    {
        // Who reads a pipe may have gone home: that is a file that could not be written, and no end of the process.
        auto* const before = std::signal(SIGPIPE, SIG_IGN);
        const char* from = pbase();
        while (from != pptr() && error_ == 0) {
            const ssize_t written = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
            if (written >= 0)
                from += written;
            else if (errno != EINTR)
                note(errno);
        }
        (void)std::signal(SIGPIPE, before);
        setp(text_.data(), text_.data() + text_.size());
        return error_ == 0 ? 0 : -1;
    }
    pos_type seekpos(pos_type to, std::ios_base::openmode /*which*/) override
    {
        if (sync() != 0) return pos_type(off_type(-1));
        const off_t now = ::lseek(descriptor_, to, SEEK_SET);
        if (now < 0) note(errno);
        return {now};
    }

private:
    void note(int error)
    {
        if (error_ == 0) error_ = error;
    }

    std::array<char, 16384> text_{};
    int descriptor_ = -1;
    int error_ = 0;
};

} // namespace ivp

#endif
