// How long a run will probably take, from what is known of others.
#ifndef IVP_SRC_CAMPAIGN_ESTIMATE_HPP
#define IVP_SRC_CAMPAIGN_ESTIMATE_HPP

#include <ivp/campaign/campaign.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ivp {

class time_estimator {
public:
    /// Learns from the runs of a store; none: knows nothing.
    explicit time_estimator(const store* known);

    struct estimate {
        double seconds; ///< with all repetitions and the work around them
        bool known;     ///< from runs of the same problem with the same solver
    };
    [[nodiscard]] estimate of(const campaign_run& run) const;
    /// The longest it can take; none: there is no time limit.
    [[nodiscard]] static std::optional<double> longest(const campaign_run& run);

private:
    struct point {
        double digits; ///< −log10 of the tolerance
        double cpu_s;
    };
    std::map<std::pair<std::string, std::string>, std::vector<point>> of_pair_;
    std::map<std::string, std::vector<point>> of_problem_;
};

} // namespace ivp

#endif
