// Ctrl-C as a request: a command ends soon, with what it has.
#ifndef IVP_CLI_INTERRUPTION_HPP
#define IVP_CLI_INTERRUPTION_HPP

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace ivp::cli {

/// While it lives, Ctrl-C asks for an end instead of being one.
class interruption {
public:
    interruption()
    {
        struct sigaction ask {};
        ask.sa_handler = [](int) { asked = true; };
        for (std::size_t k = 0; k < signals.size(); ++k) sigaction(signals[k], &ask, &before_[k]);
    }
    ~interruption()
    {
        for (std::size_t k = 0; k < signals.size(); ++k) sigaction(signals[k], &before_[k], nullptr);
    }
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;

    bool operator()() const { return asked; }

private:
    static inline std::atomic<bool> asked{false};
    static_assert(std::atomic<bool>::is_always_lock_free);
    static constexpr std::array signals{SIGINT, SIGTERM};
    std::array<struct sigaction, signals.size()> before_{};
};

} // namespace ivp::cli

#endif
