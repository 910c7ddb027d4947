#include "messages.hpp"

#include "child.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace ivp::messages {

namespace {

struct head {
    std::uint64_t token;
    std::uint32_t kind;
    std::uint32_t parts;
    std::uint64_t length;
};

bool write_all(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Parts are joined with their lengths in front.
std::string packed(const std::vector<std::string>& parts)
{
    std::string all;
    for (const auto& p : parts) {
        const std::uint64_t length = p.size();
        all.append(reinterpret_cast<const char*>(&length), sizeof(length));
        all += p;
    }
    return all;
}

std::optional<std::vector<std::string>> unpacked(std::string_view all, std::uint32_t parts)
{
    std::vector<std::string> result;
    for (std::uint32_t k = 0; k < parts; ++k) {
        std::uint64_t length = 0;
        if (all.size() < sizeof(length)) return std::nullopt;
        std::memcpy(&length, all.data(), sizeof(length));
        all.remove_prefix(sizeof(length));
        if (length > all.size()) return std::nullopt;
        result.emplace_back(all.substr(0, length));
        all.remove_prefix(length);
    }
    return all.empty() ? std::optional(result) : std::nullopt;
}

} // namespace

std::uint64_t new_token()
{
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) ^ device() ^ 1U;
}

channel new_channel()
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw machine_fault("cannot make a channel to a child process: " + std::generic_category().message(errno));
    return {ends[0], ends[1]};
}

bool send(int fd, std::uint64_t token, const message& m)
{
    const std::string body = packed(m.parts);
    const head h{token, m.kind, static_cast<std::uint32_t>(m.parts.size()), body.size()};
    return write_all(fd, {reinterpret_cast<const char*>(&h), sizeof(h)}) && write_all(fd, body);
}

bool inbox::read(int fd)
{
    std::array<char, 65536> chunk{};
    while (true) {
        const ssize_t got = ::read(fd, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK; // nothing more now
        if (got == 0) return false;
        received_.append(chunk.data(), static_cast<std::size_t>(got));
        return true;
    }
}

std::optional<message> inbox::take()
{
    head h{};
    if (received_.size() < sizeof(h)) return std::nullopt;
    std::memcpy(&h, received_.data(), sizeof(h));
    spoilt_ = h.token != token_;
    if (spoilt_ || received_.size() - sizeof(h) < h.length) return std::nullopt;
    auto parts = unpacked(std::string_view(received_).substr(sizeof(h), h.length), h.parts);
    spoilt_ = !parts;
    if (spoilt_) return std::nullopt;
    received_.erase(0, sizeof(h) + h.length);
    return message{h.kind, std::move(*parts)};
}

std::optional<message> receive(int fd, inbox& in)
{
    while (true) {
        if (auto m = in.take()) return m;
        if (in.is_spoilt() || !in.read(fd)) return std::nullopt;
    }
}

} // namespace ivp::messages
