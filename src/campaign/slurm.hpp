// A campaign as a job array of Slurm: every task makes one part of the plan into a store of its own. Parts that fail are repeated, all are merged.
#ifndef IVP_SRC_CAMPAIGN_SLURM_HPP
#define IVP_SRC_CAMPAIGN_SLURM_HPP

#include "campaign.hpp"
#include "store/merge.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ivp {

struct slurm_options {
    std::optional<std::size_t> parts;   ///< tasks of the array; none: `default_parts`, or one for each group where there are fewer
    std::optional<std::size_t> at_once; ///< tasks at the same time at most
    std::string partition;              ///< empty: the cluster's own
    std::string time;                   ///< for one task, as sbatch takes it; empty: the partition's
    bool exclusive = false;             ///< no other job on the node of a task
    bool wait = true;                   ///< false: one look, then back
    std::size_t repeats = 3;            ///< of a part that failed, at most
    std::vector<std::string> sbatch;    ///< further options, each as sbatch takes it: "--account=chem"

    static constexpr std::size_t default_parts = 16;
    static constexpr std::size_t most_parts = 100'000;
};

/// "parts=8,partition=short,nowait", and further options for sbatch. Throws bad_request with every fault.
slurm_options read_slurm_options(const std::string& words, const std::vector<std::string>& sbatch);

/// What to do, where, and how a task is told to do it.
struct slurm_order {
    std::string program;                ///< this tool, as the nodes find it
    std::vector<std::string> arguments; ///< of `ivp campaign`, but for plan file, shard and store
    std::string plan_file;              ///< named after it, the tasks get the text that was read. Empty: the plan is in the arguments
    std::string db;                     ///< the store that takes all runs; scripts, stores of parts and logs are in the folder `db`.slurm
    slurm_options options;
};

struct slurm_part_failure {
    std::size_t part = 0;
    std::string reason;
};

struct slurm_summary {
    std::string folder;
    std::size_t parts = 0;
    std::size_t stored_before = 0;            ///< parts whose runs were all in the store
    std::size_t finished = 0;                 ///< the ones stored before included
    std::size_t repeated = 0;                 ///< how often a part was submitted again
    std::vector<std::uint64_t> waiting_for;   ///< arrays with tasks that have not ended
    std::vector<slurm_part_failure> given_up; ///< parts that failed too often, with the last reason
    std::size_t runs_added = 0;               ///< to the store
    std::vector<stored_machine> machines;     ///< of the store
    bool stopped = false;
};

struct slurm_watch {
    std::function<void(const std::string&)> tell; ///< one sentence about what has happened
    std::function<bool()> stop;                   ///< asked often; true: ends soon. The array goes on, and the same call watches it again
};

/// The text of the script that `sbatch` is given.
std::string slurm_script(const campaign& c, const slurm_order& order);

/// Submits what is neither stored nor under way, waits (or not), repeats what failed, and merges what has ended. Called again it goes on where it
/// was. Throws missing_component where there is no Slurm, bad_request where it refuses the array or stores contradict each other.
slurm_summary run_on_slurm(const campaign& c, const slurm_order& order, const slurm_watch& watch);

} // namespace ivp

#endif
