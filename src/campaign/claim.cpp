#include "campaign/claim.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace ivp {

std::optional<claim> claim::of(const std::string& name)
{
    claim c(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (c.fd_ < 0) throw std::system_error(errno, std::generic_category(), "cannot claim '" + name + "'");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string unique = "ivp-" + name;
    std::copy(unique.begin(), unique.end(), std::begin(address.sun_path) + 1); // the leading zero: not a file
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + unique.size());
    if (bind(c.fd_, reinterpret_cast<const sockaddr*>(&address), length) == 0) return c;
    if (errno == EADDRINUSE) return std::nullopt;
    throw std::system_error(errno, std::generic_category(), "cannot claim '" + name + "'");
}

claim::~claim()
{
    if (fd_ >= 0) ::close(fd_);
}

} // namespace ivp
