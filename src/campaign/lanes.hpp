// Lanes: processes beside each other, each with a core of its own, that make one group of runs after the other.
#ifndef IVP_SRC_CAMPAIGN_LANES_HPP
#define IVP_SRC_CAMPAIGN_LANES_HPP

#include "campaign/claim.hpp"

#include <ivp/campaign/campaign.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ivp {

/// Runs of one group that are to be made.
struct lane_task {
    std::size_t group = 0;
    std::vector<std::size_t> runs; ///< positions in campaign::runs(group)
};

struct lane_result {
    std::size_t run = 0; ///< position in the group
    run_record record;
    std::vector<std::string> notes;
};

/// The lanes are forked when this is made and gone when it is destroyed; they end with this process, whatever ends it. They hold nothing but
/// the campaign: open the store after them.
class lanes {
public:
    lanes(const campaign& c, int count);
    ~lanes();
    lanes(const lanes&) = delete;
    lanes& operator=(const lanes&) = delete;

    /// Hands out tasks until `next` has none; tells every result of every task, as it arrives. Stops early when `stop` says so. Throws
    /// machine_fault where the machine is at fault, std::runtime_error where a lane breaks down.
    void work(const std::function<std::optional<lane_task>()>& next, const std::function<void(const lane_task&, lane_result)>& finished,
              const std::function<bool()>& stop);

private:
    struct lane;
    std::vector<claim> cores_; ///< no other campaign on this machine uses them
    std::vector<std::unique_ptr<lane>> lanes_;
};

} // namespace ivp

#endif
