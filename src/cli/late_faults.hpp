// What fails after the measurement must not cost what was measured.
#ifndef IVP_CLI_LATE_FAULTS_HPP
#define IVP_CLI_LATE_FAULTS_HPP

#include "reading.hpp"

#include <ivp/error.hpp>

#include <new>

namespace ivp::cli {

/// A result is there, and is printed first; then the store and each file are attempted on their own, so that none that fails takes another with it.
class late_faults {
public:
    /// True if the work did not fail. raise() reports why it failed.
    template <class Work>
    bool attempt(const Work& work)
    {
        try {
            work();
            return true;
        } catch (const bad_request& e) {
            for (const auto& text : e.faults()) faults_.fault(text);
        } catch (const machine_fault& e) {
            faults_.fault(e.what());
        } catch (const std::bad_alloc&) {
            faults_.fault("not enough memory");
        }
        return false;
    }
    /// The last thing that a command does: wrong use.
    void raise() const { faults_.raise(); }

private:
    reader faults_;
};

} // namespace ivp::cli

#endif
