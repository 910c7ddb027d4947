// A name in the kernel that one process of the machine can hold. Gone with its holder, whatever ended that; no file is left behind.
#ifndef IVP_SRC_CAMPAIGN_CLAIM_HPP
#define IVP_SRC_CAMPAIGN_CLAIM_HPP

#include <optional>
#include <string>
#include <utility>

namespace ivp {

class claim {
public:
    /// None: somebody holds it.
    static std::optional<claim> of(const std::string& name);

    ~claim();
    claim(claim&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    claim(const claim&) = delete;
    claim& operator=(const claim&) = delete;
    claim& operator=(claim&&) = delete;

private:
    explicit claim(int fd) : fd_(fd) {}
    int fd_;
};

} // namespace ivp

#endif
