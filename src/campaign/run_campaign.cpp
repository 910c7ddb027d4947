#include "campaign/estimate.hpp"
#include "campaign/machine_state.hpp"
#include "store/here_and_now.hpp"
#include "store/store_file.hpp"
#include "workers.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>

namespace ivp {

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The work of a shard, group by group, and what has become of it.
class course {
public:
    course(const campaign& c, store& db, const store_lock& lock, const campaign_options& options, const campaign_forecast& ahead,
           time_estimator estimator)
        : campaign_(c), db_(db), lock_(lock), options_(options), estimator_(std::move(estimator)), ahead_(ahead)
    {
        summary_.total = ahead.runs;
        summary_.stored_before = options.measure_again ? 0 : ahead.stored;
        db_.query(
            "SELECT EXISTS (SELECT 1 FROM run WHERE outcome = 'success' AND mescd IS NULL)", [](const std::vector<std::string>& /*names*/) {},
            [this](const query_row& row) { some_lack_digits_ = std::get<std::int64_t>(row.front()) != 0; });
    }

    std::optional<worker_task> next()
    {
        for (; group_ < campaign_.groups(); ++group_) {
            if (!options_.part.has(group_)) continue;
            auto runs = campaign_.runs(group_);
            worker_task task{group_, {}};
            for (std::size_t k = 0; k < runs.size(); ++k) {
                if (options_.measure_again || !db_.contains(runs[k].planned))
                    task.runs.push_back(k);
                else if (some_lack_digits_)
                    judge_stored(runs[k]);
            }
            if (task.runs.empty()) continue;
            at_work_[group_] = std::move(runs);
            left_[group_] = task.runs.size();
            ++group_;
            return task;
        }
        return std::nullopt;
    }

    void store_result(const worker_task& task, worker_result result)
    {
        const campaign_run& run = at_work_.at(task.group)[result.run];
        stored_run finished = run.planned;
        finished.record = std::move(result.record);
        finished.notes = std::move(result.notes);
        finished.measured_at = utc_now();
        lock_.expect_in_place();
        if (options_.measure_again)
            db_.replace(finished);
        else
            db_.add(finished);
        ++summary_.made;
        ++summary_.outcomes[finished.record.outcome];
        for (const auto& note : finished.notes) ++summary_.notes[note];
        estimated_done_ += estimator_.of(run).seconds;
        tell(&finished.record);
        if (--left_[task.group] == 0) {
            at_work_.erase(task.group);
            left_.erase(task.group);
        }
    }

    void tell(const run_record* last) const
    {
        if (!options_.progress) return;
        campaign_progress p;
        p.total = summary_.total;
        p.done = std::min(p.total, summary_.stored_before + summary_.made);
        const auto succeeded = summary_.outcomes.find(outcome::success);
        p.failed = summary_.made - (succeeded == summary_.outcomes.end() ? 0 : succeeded->second);
        // The estimate is corrected by how it has fared so far.
        const double ratio = estimated_done_ > 0 ? seconds_since(begin_) / estimated_done_ : 1.0 / options_.jobs;
        p.seconds_left = std::max(0.0, ahead_.seconds - estimated_done_) * ratio;
        p.last = last;
        options_.progress(p);
    }

    [[nodiscard]] campaign_summary summary(bool stopped) const
    {
        campaign_summary s = summary_;
        s.stopped = stopped;
        return s;
    }

private:
    /// A run that was stored before there was a reference gets its digits from the answer that is stored with it.
    void judge_stored(const campaign_run& run)
    {
        if (!run.problem->reference()) return;
        auto known = db_.find(run.planned);
        if (!known || known->record.outcome != outcome::success || known->record.mescd) return;
        judge(known->record, *run.problem);
        if (!known->record.mescd) return;
        lock_.expect_in_place();
        db_.replace(*known);
        ++summary_.judged;
    }

    const campaign& campaign_;
    store& db_;
    const store_lock& lock_;
    const campaign_options& options_;
    time_estimator estimator_;
    campaign_forecast ahead_;
    campaign_summary summary_;
    std::map<std::size_t, std::vector<campaign_run>> at_work_;
    std::map<std::size_t, std::size_t> left_; ///< of each group at work: runs that are not finished
    std::size_t group_ = 0;
    double estimated_done_ = 0;
    bool some_lack_digits_ = false;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::optional<store> opened_if_there(const std::string& db)
{
    std::optional<store> known;
    if (std::filesystem::exists(db)) known.emplace(db, store::access::read);
    return known;
}

/// Knows what the store knows; the store is closed when trial runs are made, which inherit nothing of it.
time_estimator estimator_for(const campaign& c, const std::string& db, const shard& part, double trial_seconds)
{
    time_estimator estimator = [&db] {
        const auto known = opened_if_there(db);
        return time_estimator(known ? &*known : nullptr);
    }();
    if (trial_seconds > 0) estimator.try_out(c, part, trial_seconds);
    return estimator;
}

campaign_forecast forecast_with(const time_estimator& estimator, const campaign& c, const std::optional<store>& known, const shard& part,
                                const std::function<void(const campaign_run&, bool, double)>& visit)
{
    campaign_forecast f;
    for (std::size_t group = 0; group < c.groups(); ++group) {
        if (!part.has(group)) continue;
        for (const auto& run : c.runs(group)) {
            const bool stored = known && known->contains(run.planned);
            const auto estimate = estimator.of(run);
            ++f.runs;
            if (stored) {
                ++f.stored;
            } else {
                f.seconds += estimate.seconds;
                f.most_seconds += time_estimator::longest(run).value_or(std::numeric_limits<double>::infinity());
                if (estimate.known) ++f.known;
                if (estimate.tried) ++f.tried;
            }
            if (visit) visit(run, stored, estimate.seconds);
        }
    }
    return f;
}

} // namespace

int usable_cores() { return static_cast<int>(allowed_cores().size()); }

campaign_forecast forecast(const campaign& c, const std::string& db, const shard& part,
                           const std::function<void(const campaign_run&, bool, double)>& visit, double trial_seconds)
{
    return forecast_with(estimator_for(c, db, part, trial_seconds), c, opened_if_there(db), part, visit);
}

campaign_summary run_campaign(const campaign& c, const std::string& db, const campaign_options& options)
{
    if (options.jobs < 1 || options.jobs > usable_cores())
        throw bad_request("jobs: " + std::to_string(options.jobs) + " given; allowed: 1 to " + std::to_string(usable_cores()) +
                          ", the number of cores: timed runs must not share one");
    if (options.jobs > 1 && options.jobs * c.most_threads() > usable_cores())
        throw bad_request("jobs: " + std::to_string(options.jobs) + " given; the plan has runs with " + std::to_string(c.most_threads()) +
                          " threads and there are " + std::to_string(usable_cores()) + " cores; allowed: 1 to " +
                          std::to_string(std::max(1, usable_cores() / c.most_threads())) + ", a core for each thread");
    (void)this_machine(); // read before any process is bound to a core
    make_store(db);
    time_estimator estimator = estimator_for(c, db, options.part, options.trial_seconds);
    const campaign_forecast ahead = forecast_with(estimator, c, opened_if_there(db), options.part, {});
    workers beside(c, options.jobs); // before the store is locked and open: they inherit nothing of it
    const store_lock lock(db);
    store s(db, store::access::write);
    course course(c, s, lock, options, ahead, std::move(estimator));
    course.tell(nullptr);
    bool stopped = false;
    const auto stop = [&] { return stopped = stopped || (options.stop && options.stop()); };
    beside.work([&] { return course.next(); }, [&](const worker_task& t, worker_result r) { course.store_result(t, std::move(r)); }, stop);
    lock.expect_in_place();
    return course.summary(stopped);
}

} // namespace ivp
