// Which solver, at which tolerance? For a person whose problem has no reference solution.
#ifndef IVP_SRC_CHOOSE_CHOOSE_HPP
#define IVP_SRC_CHOOSE_CHOOSE_HPP

#include "run/work_precision.hpp"
#include "tolerance_search.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// A name for what two solvers have in common that use the same formulas ("Radau IIA", "BDF"); of an unknown solver, its own name. What solvers
/// of one family agree on may be wrong for the same reason.
std::string method_family(std::string_view solver);

/// Digits that are certain where the reference itself has only `vouched` ones: both errors may add up.
double certain_digits(double digits, double vouched);

/// Digits as a promise: one decimal, never rounded up.
std::string promised(double digits);

struct choice_request {
    double digits = 4;
    double budget_s = 20; ///< of wall time, for everything
    /// A component smaller than this matters no longer: digits are those of |error| / (floor + |y|), and atol = floor · rtol. One for all or one for
    /// each; empty: as the problem's protocol relates atol to rtol.
    std::vector<double> floor;
    std::optional<child_limits> contained; ///< foreign code takes part: every run is made in a child process
    std::function<void(const std::string& what)> progress;
    std::function<bool()> stop; ///< asked often; true: the budget is over
    fault_taker broken;         ///< gets a fault of the machine; `stop` is true from then on
};

/// Solver that takes part. Referees that are no candidates help to find the reference only.
struct choice_member {
    contestant run; ///< the command of its settings has no tolerances
    bool candidate = true;
};

/// Two tight runs that agree. The values are those of the first.
struct vouched_reference {
    std::string first, second; ///< solvers
    double first_rtol = 0, second_rtol = 0;
    double digits = 0;         ///< to which they agree
    bool two_families = false; ///< false: one method at two tolerances, because no other one got through
    std::vector<double> y;
};

enum class verdict {
    delivers, ///< the digits, robustly
    too_slow, ///< given up: already dearer than others that deliver
    too_few,  ///< digits at every tolerance that was tried, or not robustly
    failed,   ///< not one run reached the end
    no_time,  ///< the budget ended before a judgement was possible
};
std::string_view label(verdict v);

struct candidate_result {
    std::string solver;
    ivp::verdict verdict = verdict::no_time;
    std::string reason;                      ///< in words, where it does not deliver
    std::optional<run_record> run;           ///< delivers: at the recommended tolerance; else the most accurate run, where one reached the end
    double rtol = 0;                         ///< of that run
    std::optional<double> digits;            ///< certain ones of that run
    std::optional<double> relative_digits;   ///< the same without the floor, as scd has them
    std::vector<tried_tolerance> tried;      ///< in the order of tolerances
    std::optional<double> loosest, tightest; ///< delivers: from the one to the other every tolerance tried gave the digits
};

struct choice {
    std::string problem;
    std::string form;
    int dimension = 0;
    double tend = 0;
    double digits = 0; ///< asked for
    double budget_s = 0;
    double spent_s = 0;
    std::vector<double> floor; ///< one for all, or one for each component
    std::vector<int> small;    ///< components (from 1) that are below a tenth of their floor at the end
    std::optional<vouched_reference> reference;
    std::string why_no_reference;
    std::vector<candidate_result> candidates; ///< who delivers, the fastest first; then the others
    bool complete = false;                    ///< every candidate was judged within the budget
    bool stopped = false;                     ///< not complete, because it was asked to stop

    [[nodiscard]] const candidate_result* answer() const
    {
        return !candidates.empty() && candidates.front().verdict == verdict::delivers ? &candidates.front() : nullptr;
    }
};

/// Tries the members at many tolerances, judges them by a reference made on the spot, and times the best ones in turns. A reference that the problem
/// brings with it is not looked at. Throws bad_request where a member cannot take the problem or its settings are wrong.
choice choose_solver(const problem& p, std::span<const choice_member> members, const choice_request& request);

} // namespace ivp

#endif
