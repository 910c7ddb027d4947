// Workers: processes beside each other, each with a core of its own, that make one group of runs after the other.
#ifndef IVP_SRC_CAMPAIGN_WORKERS_HPP
#define IVP_SRC_CAMPAIGN_WORKERS_HPP

#include "campaign.hpp"
#include "claim.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ivp {

/// Runs of one group that are to be made.
struct worker_task {
    std::size_t group = 0;
    std::vector<std::size_t> runs; ///< positions in campaign::runs(group)
};

struct worker_result {
    std::size_t run = 0; ///< position in the group
    run_record record;
    std::vector<std::string> notes;
};

/// The workers are forked when this is made and gone when it is destroyed, with all that their runs have started; they end with this process,
/// whatever ends it. They hold nothing but the campaign: open the store after them.
class workers {
public:
    workers(const campaign& c, int count);
    ~workers();
    workers(const workers&) = delete;
    workers& operator=(const workers&) = delete;

    /// Hands out tasks until `next` has none; tells every result of every task, as it arrives. Stops early when `stop` says so. Throws
    /// machine_fault where the machine is at fault, std::runtime_error where a worker breaks down.
    void work(const std::function<std::optional<worker_task>()>& next, const std::function<void(const worker_task&, worker_result)>& finished,
              const std::function<bool()>& stop);

private:
    struct worker;
    std::vector<pid_t> others_; ///< children that this process had before
    std::vector<claim> cores_;  ///< no other campaign on this machine uses them
    std::vector<std::unique_ptr<worker>> workers_;
};

} // namespace ivp

#endif
