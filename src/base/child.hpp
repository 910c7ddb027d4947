// Work in a child process, forked from a warm parent: whatever the work does to its process, the parent goes on and learns how it ended.
#ifndef IVP_SRC_BASE_CHILD_HPP
#define IVP_SRC_BASE_CHILD_HPP

#include <ivp/error.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ivp {

/// What the child prints.
enum class child_output {
    discarded,
    to_standard_error, ///< standard output too: that of the parent stays its own
};

struct child_limits {
    std::optional<double> seconds;                     ///< without a sign of life; those in which the machine worked for others do not count
    std::optional<std::uint64_t> memory = 8ULL << 30U; ///< bytes in use by it and what it started, beyond those of the parent
    std::optional<int> core;                           ///< the only one it may use
    child_output output = child_output::discarded;
    std::function<bool()> stop; ///< asked often; true: it is ended
};

enum class child_ending {
    answered,      ///< the work returned; its answer is there
    refused,       ///< the work threw bad_request; its faults are there
    threw,         ///< another exception came out of it
    crashed,       ///< a signal ended it
    exited,        ///< it called exit, or ended its process in another way
    timed_out,     ///< no sign of life within the limit
    out_of_memory, ///< above the limit, or std::bad_alloc came out of it
    stopped,       ///< the parent wanted it
};

/// Where the child says that it is alive and how far it came. What it notes survives it.
class child_link {
public:
    virtual ~child_link() = default;
    /// Starts the clock of the time limit again.
    virtual void alive() = 0;
    /// Cheap: two stores. For a run: the time reached and the steps accepted.
    virtual void note_progress(double t, std::uint64_t accepted) = 0;
    /// Returns when the parent lets the child go on: where several take turns, only one of them computes.
    virtual void pass_turn() = 0;
};

struct child_result {
    child_ending ending = child_ending::answered;
    std::string answer;              ///< of the work
    std::vector<std::string> faults; ///< where it refused
    std::string reason;              ///< in words, where it did not answer
    std::optional<double> t;         ///< the last progress noted
    std::uint64_t accepted = 0;
    std::string too_little_memory; ///< in words, where ivp itself may use less memory than the limit says; empty: it may use that much
};

/// Whether this process is such a child.
bool in_child();

using child_work = std::function<std::string(child_link&)>;

/// Work in a child of its own that goes on when it is told to. Ends with the object. A child that SIGKILL ends, and not by us, is made again, once:
/// the signal does not tell who sent it, but only work that kills itself does it twice.
class child_process {
public:
    explicit child_process(child_work work, child_limits limits = {});
    ~child_process();
    child_process(child_process&& other) noexcept;
    child_process& operator=(child_process&& other) noexcept;

    /// Lets the child go on (the first time: makes it) until it passes its turn or ends. False: it has ended. Throws machine_fault where no
    /// process can be made, or not as it should be, and where the end of the child says nothing about the work: a limit of ivp itself, a
    /// machine without memory.
    bool go_on();
    /// How it ended.
    [[nodiscard]] const child_result& result() const;

private:
    class implementation;
    std::unique_ptr<implementation> own_;
};

/// Runs the work in a child of its own and waits for it. The child and everything it started has ended when this returns; the child
/// also ends when the parent does. Throws machine_fault as `child_process::go_on`. The parent should have no other threads at work: a child
/// of fork has only the calling one.
child_result run_in_child(const child_work& work, const child_limits& limits = {});

} // namespace ivp

#endif
