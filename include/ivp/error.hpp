// What went wrong, as exceptions: misuse, and what this machine lacks. A numerical failure is never one: it is the outcome of a run.
#ifndef IVP_ERROR_HPP
#define IVP_ERROR_HPP

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ivp {

/// The caller asked for something that does not exist or is not allowed: every fault, in words, at once.
class bad_request : public std::invalid_argument {
public:
    explicit bad_request(std::vector<std::string> faults);
    explicit bad_request(std::string fault) : bad_request(std::vector<std::string>{std::move(fault)}) {}
    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

private:
    std::vector<std::string> faults_;
};

/// What was asked for exists, but a library it needs is not installed.
class missing_component : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The machine, or the room this program has on it, does not allow what it needs: descriptors, processes, memory. That says nothing about a run and
/// is never the result of one.
class machine_fault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace ivp

#endif
