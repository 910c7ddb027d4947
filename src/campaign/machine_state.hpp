// The state of the machine while it measures: what disturbs the times is noted beside them.
#ifndef IVP_SRC_CAMPAIGN_MACHINE_STATE_HPP
#define IVP_SRC_CAMPAIGN_MACHINE_STATE_HPP

#include <ivp/model/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ivp {

/// From its making to notes(): one group of runs on one core.
class machine_watch {
public:
    /// core: none where the runs have none of their own; jobs: how many runs this campaign makes at the same time.
    machine_watch(std::optional<int> core, int jobs);
    /// What was wrong so far, in sentences without numbers that differ from run to run, so that they can be counted.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    std::optional<int> core_;
    int jobs_;
    std::uint64_t stolen_;
    std::uint64_t elapsed_;
    int others_;
};

/// What the samples themselves tell: waiting for the core, times that vary.
std::vector<std::string> notes_on_samples(const run_record& r);

/// The cores this process may use, those of different physical cores first.
std::vector<int> allowed_cores();

} // namespace ivp

#endif
