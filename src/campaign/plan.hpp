// A plan: which problems, with which solvers, at which tolerances, how often and how long. Format: docs/campaigns.md.
#ifndef IVP_SRC_CAMPAIGN_PLAN_HPP
#define IVP_SRC_CAMPAIGN_PLAN_HPP

#include <ivp/problem.hpp>
#include <ivp/run.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

struct plan_solver {
    std::string name; ///< or the path of a plug-in
    std::map<std::string, double> options;
};

/// A grid: every problem with every solver at every tolerance.
struct plan_grid {
    std::vector<std::string> problems; ///< ids and paths
    std::map<std::string, std::string> parameters;
    std::optional<ivp::form> form; ///< none: as the problem is stored
    std::vector<plan_solver> solvers;
    std::vector<double> rtol; ///< empty: the ladder of each problem
    run_settings settings;    ///< but for rtol, special and command
    std::optional<std::uint64_t> memory;
    std::string where; ///< in the plan: "mine.toml:12:1"
};

struct campaign_plan {
    std::string name;
    std::vector<plan_grid> grids;
    std::string text{}; ///< that it was read from; empty: a program has made it
};

/// Throws bad_request with every fault, each with line and column. `source` names the text in them.
campaign_plan read_plan(std::string_view text, const std::string& source);
/// The same from a file; a plan without a name gets that of the file.
campaign_plan read_plan_file(const std::string& path);

/// Plans that come with the program. Throws bad_request for an unknown name.
std::vector<std::string> preset_names();
std::string_view preset_text(std::string_view name);
campaign_plan preset_plan(const std::string& name);

} // namespace ivp

#endif
