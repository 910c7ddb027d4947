// The texts that go to Slurm and come back from it.
#ifndef IVP_SRC_CAMPAIGN_SLURM_TEXT_HPP
#define IVP_SRC_CAMPAIGN_SLURM_TEXT_HPP

#include "slurm.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ivp {

/// Files of a campaign on Slurm.
std::string slurm_folder(const std::string& db);
std::string slurm_part_store(const std::string& folder, std::size_t part, std::uint64_t job);
std::string slurm_part_code(const std::string& folder, std::size_t part, std::uint64_t job); ///< the exit code, there when the part has ended
std::string slurm_part_log(const std::string& folder, std::size_t part, std::uint64_t job);
/// An empty file beside them: the array was submitted, whatever else is still known of it.
std::string slurm_array_mark(const std::string& folder, std::uint64_t job);

/// Whose file it is: a task of an array, or (part 0) the array.
struct slurm_attempt {
    std::uint64_t part = 0;
    std::uint64_t job = 0;
    bool operator==(const slurm_attempt&) const = default;
    bool operator<(const slurm_attempt& other) const { return std::tie(part, job) < std::tie(other.part, other.job); }
};
/// By the name of a file in the folder. None: none of these.
std::optional<slurm_attempt> slurm_attempt_of(const std::string& file_name);
/// All that a task may leave.
std::vector<std::string> slurm_attempt_files(const std::string& folder, const slurm_attempt& a);

/// Where the tasks find the plan.
std::string slurm_plan_copy(const slurm_order& order);

std::size_t slurm_parts(const campaign& c, const slurm_options& options);

/// "1-4,7" of ascending numbers; "%2" after it: two at once.
std::string slurm_array(const std::vector<std::size_t>& parts, const std::optional<std::size_t>& at_once);

/// What `sbatch --parsable` answers: "17", or "17;cluster".
std::optional<std::uint64_t> read_sbatch_answer(std::string_view text);

/// What a task has left in its file; none: not a number.
std::optional<int> read_exit_code(std::string_view text);

/// Where a task of an array is.
struct slurm_task {
    std::size_t part = 0;
    std::string state;  ///< in Slurm's words: "PENDING", "NODE_FAIL"
    std::string reason; ///< in Slurm's words, "None" without one
    std::string nodes;
};

/// The questions and how their answers are read. Lines that are about something else are passed over.
std::vector<std::string> squeue_command(std::uint64_t job);
std::vector<slurm_task> read_squeue(std::string_view text);
std::vector<std::string> sacct_command(std::uint64_t job);
std::vector<slurm_task> read_sacct(std::string_view text);

/// The task will not do anything any more.
bool slurm_has_ended(const std::string& state);

/// "NODE_FAIL on node1".
std::string slurm_words(const slurm_task& t);

} // namespace ivp

#endif
