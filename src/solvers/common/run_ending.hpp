// run_ending: how an integration ends, in the words every solver of ours uses.
#ifndef IVP_SOLVERS_COMMON_RUN_ENDING_HPP
#define IVP_SOLVERS_COMMON_RUN_ENDING_HPP

#include <ivp/evaluator.hpp>
#include <ivp/scalar.hpp>
#include <ivp/solver.hpp>

#include <string>
#include <utility>

namespace ivp::solvers {

template <class R>
class run_ending {
public:
    explicit run_ending(basic_evaluator<R>& e) : e_(e) {}

    [[nodiscard]] bool ended() const { return ended_; }
    [[nodiscard]] ivp::outcome outcome() const { return outcome_; }
    void write_to(solve_result& result) const
    {
        result.outcome = outcome_;
        result.message = message_;
    }

    void end(ivp::outcome o, std::string message = {})
    {
        outcome_ = o;
        message_ = std::move(message);
        ended_ = true;
    }
    /// The same where a function answers whether the run goes on.
    bool fail(ivp::outcome o, std::string message = {})
    {
        end(o, std::move(message));
        return false;
    }
    /// Whether a further step may be attempted from t.
    bool may_step(bool too_many, bool too_small, double t)
    {
        if (too_many)
            end(outcome::too_many_steps);
        else if (too_small)
            step_too_small(t);
        return !ended_;
    }
    /// The evaluator or the observer asked for it.
    void stopped() { end(stop_reason()); }
    /// Whether the evaluation left the run going on.
    bool goes_on(evaluation e)
    {
        if (e == evaluation::stopped) stopped();
        return e != evaluation::stopped;
    }
    /// The first evaluation did not succeed.
    void at_start(evaluation e)
    {
        if (e == evaluation::stopped) return stopped();
        end(outcome::nonfinite, e == evaluation::refused ? "the problem refuses its own initial value" : "f is not finite at the initial value");
    }
    /// Whether the Jacobian could be evaluated; the run cannot go on without it.
    bool has_jacobian(evaluation e, double t)
    {
        if (e == evaluation::ok) return true;
        if (e == evaluation::stopped) return fail(stop_reason());
        const auto place = e_.last_nonfinite();
        const bool in_f = place && e == evaluation::nonfinite;
        return fail(outcome::nonfinite, "the Jacobian cannot be evaluated at t = " + to_text(t) +
                                            (in_f ? ": component " + std::to_string(place->component + 1) + " of f is not finite nearby" : ""));
    }

    /// Remembers why the step size was last cut; the words are needed if it becomes too small. refusal: what the evaluation said, if it was that.
    void note_cut(const char* why, evaluation refusal = evaluation::ok)
    {
        last_cut_ = why;
        refusal_ = refusal;
    }
    void step_too_small(double t)
    {
        const auto place = e_.last_nonfinite();
        if (place && refusal_ == evaluation::nonfinite)
            end(outcome::nonfinite, "component " + std::to_string(place->component + 1) + " of f is not finite at t = " + to_text(place->t));
        else
            end(outcome::step_too_small, "at t = " + to_text(t) + "; the last cut was made because " + last_cut_);
    }

private:
    [[nodiscard]] ivp::outcome stop_reason() const { return e_.stop_reason().value_or(outcome::stopped_by_observer); }

    basic_evaluator<R>& e_;
    bool ended_ = false;
    ivp::outcome outcome_ = outcome::success;
    std::string message_;
    evaluation refusal_ = evaluation::ok;
    const char* last_cut_ = "the first step is that small";
};

} // namespace ivp::solvers

#endif
