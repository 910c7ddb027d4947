// How long a run will probably take, from what is known of others.
#ifndef IVP_SRC_CAMPAIGN_ESTIMATE_HPP
#define IVP_SRC_CAMPAIGN_ESTIMATE_HPP

#include "campaign.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ivp {

class time_estimator {
public:
    /// Learns from the runs of a store; none: knows nothing.
    explicit time_estimator(const store* known);

    /// Makes one integration with every pair of problem and solver that nothing is known of, at its loosest tolerance, until so many seconds are
    /// over.
    void try_out(const campaign& c, const shard& part, double seconds);

    struct estimate {
        double seconds; ///< with all repetitions and the work around them
        bool known;     ///< from earlier runs of the same problem with the same solver
        bool tried;     ///< from a trial run of it
    };
    [[nodiscard]] estimate of(const campaign_run& run) const;
    /// The longest it can take; none: there is no time limit.
    [[nodiscard]] static std::optional<double> longest(const campaign_run& run);

private:
    struct point {
        double digits; ///< −log10 of the tolerance
        double cpu_s;
    };
    using pair = std::pair<std::string, std::string>; ///< problem and solver
    void add(const pair& who, const point& p);

    std::map<pair, std::vector<point>> of_pair_;
    std::set<pair> tried_;
    std::map<std::string, std::vector<point>> of_problem_;
};

} // namespace ivp

#endif
