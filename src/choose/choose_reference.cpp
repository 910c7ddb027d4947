#include "trial_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace ivp {

namespace {

constexpr double tightest_decades = 13;  // rtol 1e-13: rounding is near
constexpr double first_decades = 3;      // the first tight runs ask for so many digits more than the person
constexpr double further_decades = 1.5;  // and the next ones for so many more again
constexpr double enough_digits = 1.5;    // agreement beyond what was asked: the reference then adds 3 % to an error
constexpr int most_families = 4;         // at one tolerance
constexpr double first_limit = 1.0 / 40; // of the budget, for one run that nothing is known of
constexpr double later_factor = 20;      // … and as a multiple of the cheapest one so far
constexpr double least_limit_s = 0.05;

/// Share of the budget after which the reference must do as it is; more where there is none to speak of.
double share(bool sufficient) { return sufficient ? 0.35 : 0.7; }

struct tight_run {
    std::size_t member;
    double rtol;
    std::vector<double> y;
};

class reference_maker {
public:
    reference_maker(trial_runs& trials, const probes& probed) : trials_(trials), digits_(trials.request().digits)
    {
        // The cheapest of each family, by what its order promises for tight tolerances.
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t m = 0; m < probed.size(); ++m) {
            if (!probed[m] || !reached_end(*probed[m])) continue;
            constexpr int credible_order = 10;
            const double p = std::clamp(trials.info(m).highest_order, 1, credible_order);
            order.emplace_back(probed[m]->cpu_s * std::pow(10.0, first_decades / p), m);
        }
        std::ranges::sort(order);
        std::set<std::string> seen;
        for (const auto& [cost, m] : order)
            if (seen.insert(method_family(trials.info(m).name)).second) referees_.push_back(m);
    }

    reference_search make()
    {
        if (referees_.empty()) return {{}, "no solver reached the end at the first attempt"};
        double decades = std::min(digits_ + first_decades, tightest_decades);
        while (true) {
            level(as_decimal(std::pow(10.0, -decades)));
            if (agreed(enough_digits) || out_of_time() || decades >= tightest_decades) break;
            decades = std::min(decades + further_decades, tightest_decades);
        }
        if (best_) return {best_, {}};
        return {{}, out_of_time() ? "there was no time for two tight runs" : "no two tight runs reached the end"};
    }

private:
    [[nodiscard]] bool agreed(double beyond) const { return best_ && best_->digits >= digits_ + beyond; }
    [[nodiscard]] bool out_of_time() const { return trials_.elapsed() > share(agreed(0)) * trials_.request().budget_s; }

    /// The second one shall not eat up what a third one could need.
    [[nodiscard]] double limit(bool first) const
    {
        const double left = std::max(share(false) * trials_.request().budget_s - trials_.elapsed(), least_limit_s);
        return first ? left / 2 : std::min(left, std::max({later_factor * cheapest_, left / 8, least_limit_s}));
    }

    void level(double rtol)
    {
        std::vector<tight_run> here;
        int asked = 0;
        cheapest_ = std::numeric_limits<double>::infinity();
        for (const std::size_t m : referees_) {
            if (asked == most_families || out_of_time() || (here.size() > 1 && agreed(enough_digits))) break;
            ++asked;
            const run_record r = trials_.run(m, rtol, limit(here.empty()));
            if (!reached_end(r)) continue;
            cheapest_ = std::min(cheapest_, r.wall_s);
            here.push_back({m, rtol, r.y});
            for (std::size_t k = 0; k + 1 < here.size(); ++k) consider(here[k], here.back(), true);
        }
        // One method alone can still be compared with itself.
        if (here.size() == 1) {
            for (const auto& before : previous_)
                if (before.member == here[0].member) consider(here[0], before, false);
        }
        if (!here.empty()) previous_ = here;
    }

    void consider(const tight_run& a, const tight_run& b, bool two_families)
    {
        const auto digits = trials_.compare(b.y, a.y).mescd;
        if (!digits) return;
        const bool stronger = !best_ || (two_families && !best_->two_families);
        const bool weaker = best_ && best_->two_families && !two_families;
        if (weaker || (!stronger && *digits <= best_->digits)) return;
        best_ = {trials_.info(a.member).name, trials_.info(b.member).name, a.rtol, b.rtol, *digits, two_families, a.y};
    }

    trial_runs& trials_;
    double digits_;
    std::vector<std::size_t> referees_;
    double cheapest_ = 0; ///< of the level, in seconds
    std::vector<tight_run> previous_;
    std::optional<vouched_reference> best_;
};

} // namespace

std::string method_family(std::string_view solver)
{
    static const std::map<std::string_view, std::string_view> families{
        {"radau5", "Radau IIA"},
        {"radau", "Radau IIA"},
        {"pside", "Radau IIA"},
        {"rodas", "Rosenbrock"},
        {"odeint-rosenbrock4", "Rosenbrock"},
        {"petsc-rosw", "Rosenbrock"},
        {"vode", "BDF"},
        {"cvode", "BDF"},
        {"dassl", "BDF"},
        {"ida", "BDF"},
        {"mebdfi", "BDF"},
        {"mebdfdae", "BDF"},
        {"petsc-bdf", "BDF"},
        {"vode-adams", "Adams"},
        {"cvode-adams", "Adams"},
        {"dopri5", "explicit Runge-Kutta"},
        {"dop853", "explicit Runge-Kutta"},
        {"dverk", "explicit Runge-Kutta"},
        {"arkode-erk", "explicit Runge-Kutta"},
        {"odeint-dopri5", "explicit Runge-Kutta"},
        {"arkode", "ESDIRK"},
        {"arkode-3", "ESDIRK"},
        {"arkode-5", "ESDIRK"},
        {"petsc-arkimex", "ESDIRK"},
    };
    const auto it = families.find(solver);
    return std::string(it == families.end() ? solver : it->second);
}

double certain_digits(double digits, double vouched) { return digits_of(std::pow(10.0, -digits) + std::pow(10.0, -vouched)); }

std::string promised(double digits) { return fmt::format("{:.1f}", std::floor(digits * 10) / 10); }

probes probe_all(trial_runs& trials)
{
    const double rtol = rtol_of_notch(static_cast<int>(std::lround(trials.request().digits * notches_per_decade)));
    const auto members = trials.members();
    probes results(members.size());
    std::vector<std::size_t> order(members.size());
    for (std::size_t m = 0; m < order.size(); ++m) order[m] = m;
    // Explicit methods wait until a limit is known: on a stiff problem they would spend all of it.
    std::stable_partition(order.begin(), order.end(), [&](std::size_t m) { return trials.info(m).implicit; });

    double limit = first_limit * trials.request().budget_s;
    double cheapest = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 3; ++round) {
        std::set<std::string> families;
        for (const std::size_t m : order) {
            if (results[m] && results[m]->outcome != outcome::timed_out) continue;
            if (round > 0 && families.size() > 1) break; // enough to go on with
            // One that never ends must not take the first attempt from the others, even if the machine works for somebody else meanwhile.
            if (trials.elapsed() > share(std::isfinite(cheapest)) * trials.request().budget_s) return results;
            results[m] = trials.run(m, rtol, std::min(limit, std::max(trials.wall_time_for(later_factor * cheapest), least_limit_s)));
            if (!reached_end(*results[m])) continue;
            cheapest = std::min(cheapest, results[m]->cpu_s);
            families.insert(method_family(trials.info(m).name));
        }
        if (families.size() > 1) break;
        limit *= 4;
    }
    return results;
}

reference_search find_reference(trial_runs& trials, const probes& probed) { return reference_maker(trials, probed).make(); }

} // namespace ivp
