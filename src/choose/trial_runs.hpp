// The runs behind a choice: each with a limit on its time, all within one budget, none judged by a reference that the problem brings with it.
#ifndef IVP_SRC_CHOOSE_TRIAL_RUNS_HPP
#define IVP_SRC_CHOOSE_TRIAL_RUNS_HPP

#include "choose.hpp"

#include <chrono>
#include <limits>

namespace ivp {

class trial_runs {
public:
    /// Throws bad_request with the faults of all members.
    trial_runs(const problem& p, std::span<const choice_member> members, const choice_request& request);

    [[nodiscard]] const ivp::problem& problem() const { return problem_; }
    [[nodiscard]] const choice_request& request() const { return request_; }
    [[nodiscard]] std::span<const choice_member> members() const { return members_; }
    [[nodiscard]] const solver_info& info(std::size_t member) const { return members_[member].run.solver->info(); }

    [[nodiscard]] bool stopped() const { return request_.stop && request_.stop(); }
    /// Why a member has no verdict.
    [[nodiscard]] const char* why_not_judged() const;

    [[nodiscard]] double spent() const; ///< seconds
    /// Of the budget. A request to stop is its end.
    [[nodiscard]] double elapsed() const { return stopped() ? std::numeric_limits<double>::infinity() : spent(); }
    [[nodiscard]] double remaining() const { return request_.budget_s - elapsed(); }

    /// One run, sampled for a moment only. limit_s: of wall time. A run that is stopped has timed out.
    [[nodiscard]] run_record run(std::size_t member, double rtol, double limit_s);
    /// Wall time in which so much CPU time can be had here: other work may keep the machine busy.
    [[nodiscard]] double wall_time_for(double cpu_s) const;
    /// A member at a tolerance, to be sampled in turns with others.
    [[nodiscard]] contestant at(std::size_t member, double rtol) const;
    [[nodiscard]] std::vector<run_record> in_turns(const std::vector<contestant>& runs) const;

    /// Error of y against other values, in the measure of this choice.
    [[nodiscard]] accuracy compare(const std::vector<double>& y, const std::vector<double>& values) const;
    /// atol over rtol: what digits are measured by, beside |y|.
    [[nodiscard]] std::vector<double> floor() const;

private:
    const ivp::problem& problem_;
    std::span<const choice_member> members_;
    const choice_request& request_;
    std::chrono::steady_clock::time_point begin_;
    double cpu_s_ = 0;  ///< of all runs so far
    double wall_s_ = 0; ///< the same
    tolerances scale_;  ///< at the tolerance that the digits suggest
};

/// Whether a run came to its end; how good its values are is another question.
inline bool reached_end(const run_record& r) { return r.outcome == outcome::success; }

/// First encounter: every member once, at the tolerance that the digits suggest. None: there was no time.
using probes = std::vector<std::optional<run_record>>;
probes probe_all(trial_runs& trials);

struct reference_search {
    std::optional<vouched_reference> reference;
    std::string why_none;
};
/// Tight runs of the members that the probes show to be cheap, until two of different families agree to clearly more digits than asked for.
reference_search find_reference(trial_runs& trials, const probes& probed);

} // namespace ivp

#endif
