// How a run ended: one value of one table. Numerical failure is data, never an exception.
#ifndef IVP_MODEL_OUTCOME_HPP
#define IVP_MODEL_OUTCOME_HPP

#include <optional>
#include <span>
#include <string_view>

namespace ivp {

enum class outcome {
    success,
    wrong_answer,
    not_repeatable,
    too_many_steps,
    step_too_small,
    newton_failed,
    error_test_failed,
    singular_matrix,
    stiffness_suspected,
    nonfinite,
    stopped_by_observer,
    timed_out,
    out_of_memory,
    crashed,
    unsupported,
    bad_input,
    unavailable,
};

struct outcome_row {
    outcome code;
    std::string_view label;    ///< as it stands in records
    std::string_view sentence; ///< what a person reads
};

std::span<const outcome_row> outcome_table();
std::string_view label(outcome o);
std::string_view sentence(outcome o);
std::optional<outcome> outcome_from_label(std::string_view text);

} // namespace ivp

#endif
