#include "choose.hpp"

#include "base/labels.hpp"
#include "trial_runs.hpp"

#include <ivp/scalar.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivp {

namespace {

constexpr int loosest_notch = notches_per_decade;       // rtol 0.1
constexpr int tightest_notch = 13 * notches_per_decade; // 1e-13
constexpr double finalist = 2; // times the CPU time of the best so far: who is timed again; on a busy machine one sample says little
constexpr std::size_t most_finalists = 8;
constexpr double for_the_final = 0.15; // of the budget
constexpr double infinity = std::numeric_limits<double>::infinity();

/// One candidate on its way to a verdict.
struct candidate {
    std::size_t member;
    double expected_cpu; ///< for the digits, from its probe
    tolerance_search search;
    std::map<int, run_record> runs; ///< by notch
    int doubts = 0;                 ///< grow with every tolerance in a row that costs too much
    std::optional<int> stopped_at;  ///< the notch that was too much
    double limit_s = 0;             ///< of that run
    bool out_of_time = false;
};

class chooser {
public:
    chooser(trial_runs& trials, const vouched_reference& reference, const probes& probed)
        : trials_(trials), reference_(reference), wanted_(trials.request().digits)
    {
        double all = 0;
        for (const auto& r : probed) all += r && reached_end(*r) ? r->cpu_s : 0;
        constexpr double runs_each = 40;
        // Cheap problems are searched from the loose end, and nothing is missed; for dear ones the probe says where to begin.
        const bool from_loose_end = all * runs_each < 0.25 * trials.remaining();
        give_up_ = from_loose_end ? 10 : 3;
        for (std::size_t m = 0; m < probed.size(); ++m)
            if (trials.members()[m].candidate) enter(m, probed[m], from_loose_end);
        std::ranges::stable_sort(candidates_, {}, &candidate::expected_cpu);
    }

    void search()
    {
        for (auto& c : candidates_) search(c);
    }

    std::vector<candidate_result> judge()
    {
        auto results = verdicts();
        std::ranges::stable_sort(results, [](const candidate_result& a, const candidate_result& b) {
            if (a.verdict != b.verdict) return a.verdict < b.verdict;
            return a.verdict == verdict::delivers && a.run->cpu_s < b.run->cpu_s;
        });
        return results;
    }

private:
    void enter(std::size_t m, const std::optional<run_record>& probe, bool from_loose_end)
    {
        int start = from_loose_end ? loosest_notch : suggested();
        double expected = infinity;
        if (probe && reached_end(*probe)) {
            const double missing = wanted_ - digits(*probe).value_or(0);
            constexpr int credible_order = 6;
            expected = probe->cpu_s * std::pow(10.0, missing / std::clamp(trials_.info(m).highest_order, 1, credible_order));
            if (!from_loose_end) start += static_cast<int>(std::lround(std::clamp(missing, -3.0, 3.0) * notches_per_decade));
        }
        candidate c{m, expected, tolerance_search(wanted_, start, loosest_notch, tightest_notch), {}, 0, {}, 0, false};
        if (probe && probe->outcome != outcome::timed_out) add(c, suggested(), *probe);
        candidates_.push_back(std::move(c));
    }

    /// The notch of the probes.
    [[nodiscard]] int suggested() const { return static_cast<int>(std::lround(wanted_ * notches_per_decade)); }

    [[nodiscard]] std::optional<double> digits(const run_record& r) const
    {
        if (!reached_end(r)) return std::nullopt;
        const auto d = trials_.compare(r.y, reference_.y).mescd;
        return d ? std::optional(certain_digits(*d, reference_.digits)) : std::nullopt;
    }

    void add(candidate& c, int notch, run_record r) const
    {
        c.search.add({notch, digits(r), r.cpu_s});
        c.runs.insert_or_assign(notch, std::move(r));
    }

    [[nodiscard]] double time_left() const { return trials_.remaining() - for_the_final * trials_.request().budget_s; }

    void search(candidate& c)
    {
        while (const auto notch = c.search.next()) {
            if (time_left() <= 0) {
                c.out_of_time = true;
                return;
            }
            const auto found = c.search.robust();
            if (found && found->cpu_s > finalist * best_cpu_) return; // good to know, but it will not win
            const bool yardstick = std::isfinite(best_cpu_);
            const double limit = yardstick ? std::min(2 * trials_.wall_time_for((give_up_ + 1) * best_cpu_) + 0.02, time_left()) : time_left() / 2;
            run_record r = trials_.run(c.member, rtol_of_notch(*notch), limit);
            if (trials_.stopped()) { // what was cut short says nothing
                c.out_of_time = true;
                return;
            }
            const bool timed_out = r.outcome == outcome::timed_out;
            const bool arrived = reached_end(r);
            const bool too_dear = timed_out || (r.cpu_s > give_up_ * best_cpu_ && digits(r).value_or(0) < wanted_);
            add(c, *notch, std::move(r));
            if (const auto robust = c.search.robust()) best_cpu_ = std::min(best_cpu_, robust->cpu_s);
            if (timed_out && !yardstick) {
                c.out_of_time = true;
                return;
            }
            // A run at a loose tolerance may cost more than a tight one, when it loses its way, and more so one that fails.
            constexpr int patience = 4;
            const bool telling = timed_out || arrived;
            c.doubts = !too_dear ? 0 : c.doubts + (!telling ? 1 : *notch < suggested() ? 2 : patience);
            if (c.doubts >= patience) {
                c.stopped_at = *notch;
                c.limit_s = limit;
                return;
            }
        }
    }

    /// The best are timed again, in turns; what they cost before was only to find them.
    void time_finalists(std::vector<candidate*>& delivering)
    {
        std::ranges::sort(delivering, {}, [](const candidate* c) { return c->search.robust()->cpu_s; });
        std::vector<contestant> runs;
        double all = 0;
        for (const candidate* c : delivering) {
            const auto pick = *c->search.robust();
            if (runs.size() == most_finalists || pick.cpu_s > finalist * best_cpu_) break;
            runs.push_back(trials_.at(c->member, rtol_of_notch(pick.notch)));
            all += pick.cpu_s;
        }
        constexpr double usual_repeats = 5;
        constexpr double sampling_s = 0.1; // twice the usual, for short runs
        const double affordable = trials_.remaining() / all;
        if (affordable < 1) return; // the samples of the search must do
        for (auto& r : runs) {
            if (affordable < usual_repeats)
                r.settings.repeat = static_cast<int>(affordable);
            else if (all < sampling_s && 4 * sampling_s * static_cast<double>(runs.size()) < trials_.remaining())
                r.settings.min_time_s = sampling_s;
        }
        const auto records = trials_.in_turns(runs);
        for (std::size_t k = 0; k < records.size(); ++k)
            if (reached_end(records[k])) delivering[k]->runs.insert_or_assign(delivering[k]->search.robust()->notch, records[k]);
    }

    std::vector<candidate_result> verdicts()
    {
        std::vector<candidate*> delivering;
        for (auto& c : candidates_)
            if (c.search.robust()) delivering.push_back(&c);
        if (!delivering.empty()) time_finalists(delivering);
        std::vector<candidate_result> results;
        for (const auto& c : candidates_) results.push_back(result_of(c));
        return results;
    }

    [[nodiscard]] candidate_result result_of(const candidate& c) const
    {
        candidate_result r;
        r.solver = full_name(trials_.info(c.member).name, trials_.info(c.member).origin);
        for (const auto& [notch, t] : c.search.tried()) r.tried.push_back(t);
        const auto robust = c.search.robust();
        if (const auto shown = robust ? robust : c.search.most_accurate()) {
            r.run = c.runs.at(shown->notch);
            r.rtol = rtol_of_notch(shown->notch);
            r.digits = shown->digits;
            const auto relative = trials_.compare(r.run->y, reference_.y).scd_rel;
            if (relative) r.relative_digits = *relative;
        }
        if (robust) {
            r.verdict = verdict::delivers;
            int from = robust->notch, to = robust->notch;
            while (c.search.delivers(from - 1)) --from;
            while (c.search.delivers(to + 1)) ++to;
            r.loosest = rtol_of_notch(from);
            r.tightest = rtol_of_notch(to);
        } else {
            explain(c, r);
        }
        return r;
    }

    void explain(const candidate& c, candidate_result& r) const
    {
        // Of the failures the one nearest to the tolerance that the digits suggest; beside results only where they end.
        const auto failure = [&](int from) -> std::string {
            const std::pair<const int, run_record>* nearest = nullptr;
            for (const auto& run : c.runs) {
                if (run.first < from || reached_end(run.second)) continue;
                if (nearest == nullptr || std::abs(run.first - suggested()) < std::abs(nearest->first - suggested())) nearest = &run;
            }
            if (nearest == nullptr) return {};
            return fmt::format("{} at rtol {}: {}", label(nearest->second.outcome), to_text(rtol_of_notch(nearest->first)), nearest->second.message);
        };
        if (c.stopped_at) {
            r.verdict = verdict::too_slow;
            const auto& s = c.runs.at(*c.stopped_at);
            const auto at = to_text(rtol_of_notch(*c.stopped_at));
            if (s.outcome == outcome::timed_out)
                r.reason = fmt::format("did not finish within {:.1g} s at rtol {}", c.limit_s, at) +
                           (r.run ? fmt::format("; the most were {} digits at rtol {}", promised(*r.digits), to_text(r.rtol)) : "");
            else if (reached_end(s))
                r.reason = fmt::format("given up at rtol {}, where {} digits cost {:.3g} times as much as the answer", at,
                                       promised(digits(s).value_or(0)), s.cpu_s / best_cpu_);
            else
                r.reason = failure(loosest_notch);
        } else if (c.out_of_time) {
            r.verdict = verdict::no_time;
            r.reason = trials_.why_not_judged();
        } else if (r.run) {
            r.verdict = verdict::too_few;
            r.reason = fmt::format("{} {} digits, at rtol {}", *r.digits >= wanted_ ? "not at neighbouring tolerances: the most were" : "at most",
                                   promised(*r.digits), to_text(r.rtol));
            if (const auto why = failure(c.search.most_accurate()->notch); !why.empty()) r.reason += "; " + why;
        } else {
            r.verdict = verdict::failed;
            r.reason = failure(loosest_notch);
        }
    }

    trial_runs& trials_;
    const vouched_reference& reference_;
    double wanted_;
    std::vector<candidate> candidates_;
    double give_up_; ///< times the CPU time of the best so far
    double best_cpu_ = infinity;
};

/// Where nothing can be judged: what the first encounter showed.
std::vector<candidate_result> unjudged(const trial_runs& trials, const probes& probed)
{
    std::vector<candidate_result> results;
    for (std::size_t m = 0; m < probed.size(); ++m) {
        if (!trials.members()[m].candidate) continue;
        candidate_result r;
        r.solver = full_name(trials.info(m).name, trials.info(m).origin);
        if (!probed[m] || probed[m]->outcome == outcome::timed_out) {
            r.reason = trials.why_not_judged();
        } else if (!reached_end(*probed[m])) {
            r.verdict = verdict::failed;
            r.reason = fmt::format("{}: {}", label(probed[m]->outcome), probed[m]->message);
        } else {
            r.reason = "it reached the end, but its digits are unknown";
            r.run = probed[m];
            r.rtol = probed[m]->rtol[0];
        }
        results.push_back(std::move(r));
    }
    return results;
}

} // namespace

std::string_view label(verdict v) { return enum_labels<verdict, 5>{{"delivers", "too_slow", "too_few_digits", "failed", "no_time"}}[v]; }

choice choose_solver(const problem& p, std::span<const choice_member> members, const choice_request& request)
{
    trial_runs trials(p, members, request);
    choice result;
    result.problem = full_name(p.id(), p.info().origin);
    result.form = label(p.info().form);
    result.dimension = p.n();
    result.tend = members[0].run.settings.tend.value_or(p.info().tend.value());
    result.digits = request.digits;
    result.budget_s = request.budget_s;
    result.floor = trials.floor();

    const probes probed = probe_all(trials);
    auto found = find_reference(trials, probed);
    result.why_no_reference = found.why_none;
    result.reference = std::move(found.reference);
    if (result.reference) {
        chooser c(trials, *result.reference, probed);
        c.search();
        result.candidates = c.judge();
        for (std::size_t i = 0; i < result.reference->y.size(); ++i)
            if (10 * std::abs(result.reference->y[i]) < result.floor[result.floor.size() == 1 ? 0 : i])
                result.small.push_back(static_cast<int>(i) + 1);
    } else {
        result.candidates = unjudged(trials, probed);
    }
    result.complete = std::ranges::none_of(result.candidates, [](const candidate_result& r) { return r.verdict == verdict::no_time; });
    result.stopped = !result.complete && trials.stopped();
    result.spent_s = trials.spent();
    return result;
}

} // namespace ivp
