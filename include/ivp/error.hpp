// Exceptions: for wrong use, and for what this machine lacks. A numerical failure is never an exception; it is the outcome of a run.
#ifndef IVP_ERROR_HPP
#define IVP_ERROR_HPP

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ivp {

/// The caller asked for something that does not exist or is not allowed. It has all faults, in words.
class bad_request : public std::invalid_argument {
public:
    explicit bad_request(std::vector<std::string> faults);
    explicit bad_request(std::string fault) : bad_request(std::vector<std::string>{std::move(fault)}) {}
    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

private:
    std::vector<std::string> faults_;
};

/// What was asked for needs a library that is not installed.
class missing_component : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The machine, or the limits of this process, do not allow what the program needs: descriptors, processes, memory. This says nothing about a
/// run and is never its result.
class machine_fault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace ivp

#endif
