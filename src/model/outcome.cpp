#include <ivp/evaluator.hpp>

#include <algorithm>
#include <array>
#include <cassert>

namespace ivp {

namespace {

constexpr std::array table{
    outcome_row{outcome::success, "success", "the solver reached the end point"},
    outcome_row{outcome::wrong_answer, "wrong_answer", "the solver claims success, but no digit of its answer is correct"},
    outcome_row{outcome::not_repeatable, "not_repeatable", "the repetitions of the run differ"},
    outcome_row{outcome::too_many_steps, "too_many_steps", "the limit on the number of steps was reached"},
    outcome_row{outcome::step_too_small, "step_too_small", "the step size fell below what the arithmetic can resolve"},
    outcome_row{outcome::newton_failed, "newton_failed", "the nonlinear iteration did not converge, even with small steps"},
    outcome_row{outcome::error_test_failed, "error_test_failed", "the error test failed repeatedly, even with small steps"},
    outcome_row{outcome::singular_matrix, "singular_matrix", "the iteration matrix was singular repeatedly"},
    outcome_row{outcome::stiffness_suspected, "stiffness_suspected", "the problem seems to be stiff, and this solver is not made for stiff problems"},
    outcome_row{outcome::nonfinite, "nonfinite", "an evaluation gave an infinite or undefined value and smaller steps did not help"},
    outcome_row{outcome::stopped_by_observer, "stopped_by_observer", "the run was stopped from outside before the end point"},
    outcome_row{outcome::timed_out, "timed_out", "the time limit was reached"},
    outcome_row{outcome::out_of_memory, "out_of_memory", "the memory limit was reached"},
    outcome_row{outcome::crashed, "crashed", "the solver crashed: by a signal, an exit, or a breach of its contract"},
    outcome_row{outcome::unsupported, "unsupported", "the solver cannot take the problem"},
    outcome_row{outcome::bad_input, "bad_input", "the settings of the run are not valid"},
    outcome_row{outcome::unavailable, "unavailable", "the solver's library is not installed"},
};

const outcome_row& row_of(outcome o)
{
    const auto& row = table[static_cast<std::size_t>(o)];
    assert(row.code == o);
    return row;
}

} // namespace

std::span<const outcome_row> outcome_table() { return table; }
std::string_view label(outcome o) { return row_of(o).label; }
std::string_view sentence(outcome o) { return row_of(o).sentence; }

std::optional<outcome> outcome_from_label(std::string_view text)
{
    const auto* const it = std::find_if(table.begin(), table.end(), [text](const outcome_row& r) { return r.label == text; });
    if (it == table.end()) return std::nullopt;
    return it->code;
}

} // namespace ivp
