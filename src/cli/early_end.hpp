// A command that measures ends before its work is done: the user asked for it, or the machine failed. Either way it keeps what is complete.
#ifndef IVP_CLI_EARLY_END_HPP
#define IVP_CLI_EARLY_END_HPP

#include "interruption.hpp"
#include "late_faults.hpp"
#include "run/work_precision.hpp"

#include <exception>
#include <functional>

namespace ivp::cli {

/// Asked often; true: no more runs. It is made before the files that the command writes, as an interruption is.
class early_end {
public:
    /// late: gets the fault, which is reported when what is complete has been printed and kept.
    explicit early_end(late_faults& late) : late_(late) {}

    bool operator()() const { return broken_ || interrupted_(); }
    /// For a message, "ivp: ...; what there is".
    [[nodiscard]] const char* in_words() const { return broken_ ? "ended early" : "interrupted"; }

    /// For those who ask and those who meet a fault; this object outlives them.
    [[nodiscard]] std::function<bool()> stop() const
    {
        return [this] { return (*this)(); };
    }
    [[nodiscard]] fault_taker taker()
    {
        return [this](const std::exception_ptr& fault) {
            broken_ = true;
            late_.attempt([&fault] { std::rethrow_exception(fault); });
        };
    }

private:
    late_faults& late_;
    const interruption interrupted_;
    bool broken_ = false;
};

} // namespace ivp::cli

#endif
