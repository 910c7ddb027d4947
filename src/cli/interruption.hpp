// Ctrl-C, the end of a batch job and the loss of the terminal as a request: a command ends soon, with what it has.
#ifndef IVP_CLI_INTERRUPTION_HPP
#define IVP_CLI_INTERRUPTION_HPP

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace ivp::cli {

/// While it lives, Ctrl-C asks for an end instead of being one. It is made before the files that the command writes, which its end would leave half
/// written. Who started the tool with nohup wants it to outlive the terminal: a SIGHUP that is ignored stays so.
class interruption {
public:
    interruption()
    {
        struct sigaction ask {};
        ask.sa_handler = [](int) { asked = true; };
        for (std::size_t k = 0; k < signals.size(); ++k) {
            sigaction(signals[k], &ask, &before_[k]);
            if (signals[k] == SIGHUP && before_[k].sa_handler == SIG_IGN) sigaction(SIGHUP, &before_[k], nullptr);
        }
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
    static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, signals.size()> before_{};
};

} // namespace ivp::cli

#endif
