// A campaign: a plan made ready, and its way through the machine into a store.
#ifndef IVP_SRC_CAMPAIGN_CAMPAIGN_HPP
#define IVP_SRC_CAMPAIGN_CAMPAIGN_HPP

#include "base/child.hpp"
#include "plan.hpp"

#include <ivp/store.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ivp {

/// One run as it will be made. Problem and solver belong to the campaign.
struct campaign_run {
    stored_run planned; ///< who, what, with which settings; no result yet
    const ivp::problem* problem = nullptr;
    const ivp::solver* solver = nullptr;
    run_settings settings;
    child_limits limits;
};

/// The runs of a plan in groups: one problem at one tolerance with all solvers, whose samples are taken in turns. The order of the groups follows
/// from the plan alone. Runs are made when they are asked for: a plan of millions takes no memory.
class campaign {
public:
    /// Opens problems and solvers. Throws bad_request where that is not possible; faults of the plan itself have been told by read_plan.
    explicit campaign(campaign_plan plan);
    campaign(campaign&& other) = default;
    campaign(const campaign& other) = delete; // runs refer to it
    campaign& operator=(const campaign&) = delete;
    campaign& operator=(campaign&&) = delete;
    ~campaign() = default;

    [[nodiscard]] const std::string& name() const { return plan_.name; }
    /// Of the plan as it was read; its file may have changed since.
    [[nodiscard]] const std::string& text() const { return plan_.text; }
    [[nodiscard]] std::size_t groups() const { return groups_; }
    /// Threads of the run that has most.
    [[nodiscard]] int most_threads() const;
    [[nodiscard]] std::vector<campaign_run> runs(std::size_t group) const;
    /// A combination that cannot be run: the solver does not take the problem, or is not in this build.
    struct impossible {
        std::string problem;
        std::string solver;
        std::string why;
    };
    [[nodiscard]] const std::vector<impossible>& left_out() const { return left_out_; }

private:
    struct participant {
        std::shared_ptr<const ivp::solver> solver;
        plan_solver planned;
        std::string content;
    };
    struct subject {
        const plan_grid* grid;
        std::string typed; ///< id or path
        ivp::problem problem;
        std::string content;
        std::vector<double> rtol;
        std::vector<participant> solvers; ///< those that take it
        std::size_t first_group;
    };
    void add_subject(const plan_grid& grid, const std::string& typed);
    std::shared_ptr<const ivp::solver> solver_named(const std::string& name);
    [[nodiscard]] static run_settings settings_of(const subject& s, const participant& p, double rtol);
    [[nodiscard]] campaign_run run_of(const subject& s, const participant& p, double rtol) const;

    campaign_plan plan_;
    std::vector<subject> subjects_;
    std::map<std::string, std::shared_ptr<const ivp::solver>> solvers_;
    std::map<std::string, std::string> contents_;
    std::vector<impossible> left_out_;
    std::size_t groups_ = 0;
};

/// Part `index` (from 1) of `count`: every count-th group. Parts are independent, and the same ones each time.
struct shard {
    std::size_t index = 1;
    std::size_t count = 1;
    [[nodiscard]] bool has(std::size_t group) const { return group % count == index - 1; }
};

/// What is left to do, and how long it will probably take.
struct campaign_forecast {
    std::size_t runs = 0;    ///< of the shard
    std::size_t stored = 0;  ///< of these, already in the store
    double seconds = 0;      ///< for the rest, one after the other
    double most_seconds = 0; ///< if every run needed its whole time limit; infinite without one
    std::size_t known = 0;   ///< runs whose time is estimated from earlier runs of the same problem with the same solver
    std::size_t tried = 0;   ///< the same from a trial run
};

/// `db`: a store that need not exist. `visit` is told every run, and whether it is stored. Of what the store knows nothing of, trial runs are made
/// for no longer than `trial_seconds`; without, it is guessed. Changes nothing.
campaign_forecast forecast(const campaign& c, const std::string& db, const shard& part,
                           const std::function<void(const campaign_run&, bool stored, double seconds)>& visit = {}, double trial_seconds = 0);

struct campaign_progress {
    std::size_t done = 0; ///< runs, the ones stored before included
    std::size_t total = 0;
    std::size_t failed = 0; ///< of those made now
    double seconds_left = 0;
    const run_record* last = nullptr; ///< the run that has just been stored
};

struct campaign_options {
    int jobs = 1; ///< runs at the same time, each on a core of its own; together no more threads than cores
    shard part;
    bool measure_again = false; ///< also what is stored; the new measurement replaces the old one
    double trial_seconds = 0;   ///< for trial runs, from which the time left is estimated
    std::function<void(const campaign_progress&)> progress;
    std::function<bool()> stop; ///< asked often; true: ends soon, with everything finished so far in the store
};

struct campaign_summary {
    std::size_t total = 0;
    std::size_t stored_before = 0;
    std::size_t made = 0;
    std::size_t judged = 0;                   ///< of those stored before: they had no digits, and there is a reference now
    std::map<outcome, std::size_t> outcomes;  ///< of those made
    std::map<std::string, std::size_t> notes; ///< what was wrong with the machine, and in how many runs
    bool stopped = false;
};

/// Cores that timed runs may use at the same time.
int usable_cores();

/// Makes every run of the shard that is not in the store yet, each in a process of its own, and stores it. Throws bad_request where the store
/// cannot be written, or another campaign is writing to it.
campaign_summary run_campaign(const campaign& c, const std::string& db, const campaign_options& options);

} // namespace ivp

#endif
