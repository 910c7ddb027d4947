// Messages between a parent and the processes it forks: one framing for runs and for workers of runs.
#ifndef IVP_SRC_BASE_MESSAGES_HPP
#define IVP_SRC_BASE_MESSAGES_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ivp::messages {

/// A number that only the two ends of a channel know: stray output of foreign code is not taken for a message.
std::uint64_t new_token();

struct message {
    std::uint32_t kind = 0; ///< the two ends agree on what it means
    std::vector<std::string> parts;
};

/// Both ends of a new channel. Throws machine_fault where there is none.
struct channel {
    int parent;
    int child;
};
channel new_channel();

/// Waits until all of it is on its way. False: nobody reads any more.
bool send(int fd, std::uint64_t token, const message& m);

/// Where messages arrive, whole or in pieces.
class inbox {
public:
    explicit inbox(std::uint64_t token) : token_(token) {}

    /// Takes in what can be read. Blocking channel: waits for something. False: the other end is closed.
    bool read(int fd);
    /// The next whole message; none: it is not complete, or what arrived is no message.
    [[nodiscard]] std::optional<message> take();
    /// Something arrived that is no message, so that none will be found behind it.
    [[nodiscard]] bool is_spoilt() const { return spoilt_; }
    [[nodiscard]] std::uint64_t waiting_bytes() const { return received_.size(); }

private:
    std::uint64_t token_;
    std::string received_;
    bool spoilt_ = false;
};

/// Waits for a message on a blocking channel. None: the other end is closed, or what arrives is no message.
std::optional<message> receive(int fd, inbox& in);

} // namespace ivp::messages

#endif
