// The state of the machine while it measures: what disturbs the times is noted beside them.
#ifndef IVP_SRC_CAMPAIGN_MACHINE_STATE_HPP
#define IVP_SRC_CAMPAIGN_MACHINE_STATE_HPP

#include <ivp/record.hpp>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ivp {

/// What one core has done since the machine started, in ticks.
struct core_ticks {
    std::uint64_t busy = 0;
    std::uint64_t stolen = 0; ///< by the host of a virtual machine
    std::uint64_t all = 0;
};

/// By core, from the text of /proc/stat.
std::map<int, core_ticks> read_core_ticks(std::istream& stat);

/// Whether the cores outside `own` worked for more than a tenth of a core's time between two readings, `coordinating` ticks not counted.
bool others_were_running(const std::map<int, core_ticks>& before, const std::map<int, core_ticks>& now, const std::vector<int>& own,
                         double coordinating);

/// Who makes the runs of a campaign, and where.
struct campaign_places {
    std::vector<int> cores; ///< of all its workers
    pid_t coordinator = 0;  ///< the process that plans and stores
};

/// From its making to notes(): one group of runs on one core.
class machine_watch {
public:
    /// core: none where the runs have none of their own. spread: some of the runs use several cores, whose work is then not told from that of others.
    machine_watch(std::optional<int> core, const campaign_places& places, bool spread = false);
    /// What was wrong so far, in sentences without numbers that differ from run to run, so that they can be counted. Who disturbs a run on its own
    /// core is noticed by the samples.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    std::optional<int> core_;
    campaign_places places_;
    bool spread_;
    std::map<int, core_ticks> before_;
    double coordinating_before_;
};

/// What the samples themselves tell: waiting for the core, times that vary.
std::vector<std::string> notes_on_samples(const run_record& r);

/// The cores this process may use, those of different physical cores first.
std::vector<int> allowed_cores();

} // namespace ivp

#endif
