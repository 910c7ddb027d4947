// What stands behind the callbacks of one solve of a plug-in.
#ifndef IVP_DRIVERS_PLUGIN_CONVERSATION_HPP
#define IVP_DRIVERS_PLUGIN_CONVERSATION_HPP

#include <ivp/plugin.h>
#include <ivp/solver.hpp>

#include <array>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

namespace ivp::plugin {

/// No exception leaves it before the plug-in has returned: the first one stops the run and is kept.
///
/// The table of callbacks is made for the problem and the settings: what may be asked is a function that counts, evaluates and checks, and what may
/// not is another one that reports the mistake. So a solver of few equations does not pay for questions that have one answer throughout.
class conversation {
public:
    conversation(const std::string& label, evaluator& e, const segment& s, const solve_options& o, step_observer* observer);
    conversation(const conversation&) = delete;
    conversation& operator=(const conversation&) = delete;

    [[nodiscard]] const ivp_callbacks& callbacks() const { return callbacks_; }
    [[nodiscard]] bool exact_jacobian() const { return exact_; }
    [[nodiscard]] std::uint64_t reported_steps() const { return reported_steps_; }
    [[nodiscard]] double last_t() const { return last_t_; }
    [[nodiscard]] bool is_end(double t) const;

    /// The first exception of a callback, once the plug-in is out of the way.
    void rethrow() const
    {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    struct thunks; // the functions of the table

    /// The exception that is being handled ends the run.
    int failed() noexcept;
    [[noreturn]] void misuse(const std::string& what) const;
    // The address of a thread-local tells threads apart without a call.
    static const void* thread_mark();
    void own_thread(const char* callback) const;
    /// A Jacobian of this kind without gaps between its columns, still without its numbers.
    [[nodiscard]] matrix_view<double> compact(structure_kind kind) const;
    template <structure_kind Kind, class Evaluate>
    evaluation fill(double* out, int ld, const Evaluate& evaluate);
    [[noreturn]] void refuse_columns(int ld, int rows) const;
    void stop(outcome reason);
    int accept(const ivp_step* step);
    observer_answer tell_observer(const ivp_step& step);

    const std::string& label_;
    evaluator& e_;
    const segment& s_;
    step_observer* observer_;
    int n_;
    const structure& structure_;
    bool exact_;
    std::uint64_t reported_steps_ = 0;
    double last_t_;
    bool over_ = false; ///< accepted_step has stopped the run
    const void* owner_ = thread_mark();
    std::array<matrix_view<double>, 3> views_; ///< by structure_kind; made once: one that is written just before it is read makes the reader wait
    std::vector<double> room_;
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
    ivp_callbacks callbacks_;
};

} // namespace ivp::plugin

#endif
