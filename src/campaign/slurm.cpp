#include "slurm.hpp"

#include "base/command.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "campaign/claim.hpp"
#include "campaign/slurm_text.hpp"
#include "store/store_file.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

namespace ivp {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto first_pause = 200ms;
constexpr auto longest_pause = 15s;
constexpr auto stop_is_asked_every = 100ms;
constexpr auto files_travel = 60s;          ///< a file that a node has written may be seen here as late as this
constexpr int silent_looks = 60;            ///< so often Slurm may fail to answer: about a quarter of an hour
constexpr int unreadable = 255;             ///< stands for an exit code that is no number
constexpr auto by_a_person = "CANCELLED";   ///< with scancel: not repeated against their will
constexpr int wrong_use = 2;                ///< exit codes of a task that would only come again
constexpr int missing_something = 3;        ///< see docs/contracts.md
constexpr std::size_t longest_answer = 300; ///< of what another program said

std::string text_in(const std::string& path) { return read_whole(path).value_or(""); }

std::string first_line(const std::string& text)
{
    const auto line = plain_line(text.substr(0, text.find('\n')), longest_answer);
    return line.empty() ? "no reason given" : line;
}

std::string last_line(const std::string& text)
{
    std::string last;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) last = line;
    return plain_line(last, longest_answer);
}

/// Of everything that is to be measured: the same for the same campaign, whatever its file is called.
std::string fingerprint_of(const campaign& c)
{
    std::string all;
    for (std::size_t g = 0; g < c.groups(); ++g) {
        std::string group = all;
        for (const auto& r : c.runs(g))
            group += r.planned.setting + r.planned.limits + r.planned.problem_content + r.planned.solver_content + r.planned.record.library +
                     r.planned.build_content;
        all = sha256(group);
    }
    return all;
}

/// What is remembered between two calls: which arrays each part was submitted with, and what has become of it.
struct part_state {
    std::vector<std::uint64_t> jobs;
    std::size_t repeats = 0;
    bool finished = false;
    std::string given_up; ///< the reason
};

struct memory {
    std::string campaign;
    std::vector<part_state> parts;

    /// Nothing is lost with it: what tasks have left is found by its names. `tell` is told of damage.
    static memory read(const std::string& path, const std::function<void(const std::string&)>& tell)
    {
        if (!std::filesystem::exists(path)) return {};
        const auto text = read_whole(path);
        if (!text) throw bad_request("'" + path + "' cannot be read");
        try {
            memory m;
            const auto j = read_json(*text);
            m.campaign = j.at("campaign").get<std::string>();
            for (const auto& p : j.at("parts"))
                m.parts.push_back({p.at("jobs").get<std::vector<std::uint64_t>>(), p.at("repeats").get<std::size_t>(), p.at("finished").get<bool>(),
                                   plain_line(p.at("given_up").get<std::string>(), longest_answer)});
            return m;
        } catch (const json::exception& e) {
            tell("'" + path + "' is damaged (" + reason_of(e) + "); the campaign continues with the runs in the stores of its parts");
            return {};
        }
    }
    void write(const std::string& path) const
    {
        json j{{"campaign", campaign}, {"parts", json::array()}};
        for (const auto& p : parts)
            j["parts"].push_back({{"jobs", p.jobs}, {"repeats", p.repeats}, {"finished", p.finished}, {"given_up", p.given_up}});
        write_whole(path, json_text(j, 1) + "\n");
    }
};

class array_watch {
public:
    array_watch(const campaign& c, const slurm_order& order, const slurm_watch& watch)
        : campaign_(c),
          order_(order),
          watch_(watch),
          folder_(slurm_folder(order.db)),
          memory_file_(folder_ + "/array.json"),
          script_(folder_ + "/array.sh")
    {
        summary_.folder = folder_;
        summary_.parts = slurm_parts(c, order.options);
    }

    slurm_summary run()
    {
        begin();
        auto pause = std::chrono::milliseconds(first_pause);
        for (;;) {
            const bool ended = look();
            if (ended || !order_.options.wait) break;
            if (!rest(pause)) {
                summary_.stopped = true;
                break;
            }
            pause = std::min<std::chrono::milliseconds>(pause + pause / 2, longest_pause);
        }
        return end();
    }

private:
    struct news {
        bool ended = false;
        bool good = false;
        bool for_good = false; ///< a repetition would end the same way
        std::string reason;
    };

    void begin()
    {
        std::error_code failed;
        folder_is_new_ = std::filesystem::create_directories(folder_, failed);
        if (failed) throw bad_request("folder '" + folder_ + "' cannot be made: " + failed.message());
        expect_writable_store();
        memory_ = memory::read(memory_file_, [this](const std::string& sentence) { tell(sentence); });
        const std::string wanted = fingerprint_of(campaign_);
        if (memory_.campaign == wanted && memory_.parts.size() == summary_.parts) {
            for (std::size_t k = 0; k < memory_.parts.size(); ++k) // a new call is a new chance
                if (part_state& p = memory_.parts[k]; !p.given_up.empty()) {
                    p.given_up.clear();
                    p.repeats = 0;
                    again_.insert(k);
                }
            return;
        }
        forget_old_campaign();
        memory_.campaign = wanted;
        memory_.parts.assign(summary_.parts, {});
        for (std::size_t k = 0; k < summary_.parts; ++k) {
            const auto f = forecast(campaign_, order_.db, {k + 1, summary_.parts});
            memory_.parts[k].finished = f.stored == f.runs;
            summary_.stored_before += memory_.parts[k].finished ? 1 : 0;
        }
        memory_.write(memory_file_);
    }

    /// One that is missing is made when there is something under way: an array that is refused leaves none.
    void expect_writable_store() const
    {
        std::optional<filled_store_file> made; // outlives the store
        if (is_missing(order_.db)) made.emplace(order_.db);
        const store can_be_written(order_.db, store::access::write);
    }

    /// The folder of another plan, or of one that nothing is remembered of: what was measured goes to the store, and the files away.
    void forget_old_campaign()
    {
        std::set<std::uint64_t> arrays;
        for (const auto& p : memory_.parts) arrays.insert(p.jobs.begin(), p.jobs.end());
        for (const auto& a : attempts()) arrays.insert(a.job);
        for (const auto array : arrays) expect_ended(array);
        const auto left = attempts(); // nobody adds to them now
        std::vector<std::string> stores;
        for (const auto& a : left)
            if (const auto path = slurm_part_store(folder_, a.part, a.job); std::filesystem::exists(path)) stores.push_back(path);
        take_over(stores);
        const std::set<std::string> merged(stores.begin(), stores.end());
        for (const auto& a : left) {
            const std::string its_store = slurm_part_store(folder_, a.part, a.job);
            for (const auto& path : slurm_attempt_files(folder_, a)) // a store that comes late, and its log, stay
                if (merged.contains(its_store) || !path.starts_with(its_store)) std::filesystem::remove(path);
        }
        for (const auto array : arrays) std::filesystem::remove(slurm_array_mark(folder_, array));
    }

    /// Whatever has left a file in the folder.
    [[nodiscard]] std::set<slurm_attempt> attempts() const
    {
        std::set<slurm_attempt> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder_))
            if (const auto a = slurm_attempt_of(entry.path().filename().string())) found.insert(*a);
        return found;
    }

    /// Throws bad_request where tasks of an array that is not ours any more may still write.
    void expect_ended(std::uint64_t array)
    {
        const std::string which = "store '" + order_.db + "': array " + std::to_string(array) +
                                  (memory_.parts.empty() ? " of an earlier call" : " of another plan (or of another version of this one)");
        const auto& tasks = tasks_of(array);
        if (silent_) throw bad_request(which + " may be under way: squeue does not answer; give the command again later, or use another store");
        for (const auto& [part, task] : tasks)
            if (!slurm_has_ended(task.state) && !std::filesystem::exists(slurm_part_code(folder_, part, array)))
                throw bad_request(which + " has not ended; end it with 'scancel " + std::to_string(array) + "', or use another store");
    }

    // ---- What has become of the tasks ----

    /// Slurm's answer about an array; asked once for each look.
    const std::map<std::size_t, slurm_task>& tasks_of(std::uint64_t job)
    {
        const auto known = asked_.find(job);
        if (known != asked_.end()) return known->second;
        auto& tasks = asked_[job];
        const auto answer = run_command(squeue_command(job));
        const bool unknown = answer.err.find("Invalid job id") != std::string::npos; // long ended: Slurm forgets
        if (answer.code != 0 && !unknown) {
            silent_ = true;
            if (++silences_ > silent_looks)
                throw bad_request("squeue does not answer: " + first_line(answer.err) +
                                  "; the array continues, and the same command watches it again");
            return tasks;
        }
        for (auto& t : read_squeue(answer.out)) tasks[t.part] = t;
        if (unknown && command_exists("sacct"))
            for (auto& t : read_sacct(run_command(sacct_command(job)).out)) tasks[t.part] = t;
        return tasks;
    }

    news news_of(std::size_t part, std::uint64_t job)
    {
        const std::string code_file = slurm_part_code(folder_, part, job);
        if (std::filesystem::exists(code_file)) {
            const int code = read_exit_code(text_in(code_file)).value_or(unreadable);
            const std::string its_store = slurm_part_store(folder_, part, job);
            if (code == 0 && std::filesystem::exists(its_store)) return {true, true, false, ""};
            if (code == 0 && may_still_come(its_store)) return {};
            if (code == 0) return {true, false, false, "exit code 0, without a store"};
            const std::string said = last_line(text_in(slurm_part_log(folder_, part, job)));
            news n{true, false, code == wrong_use || code == missing_something,
                   "exit code " + std::to_string(code) + (said.empty() ? "" : ": " + said)};
            const auto& tasks = tasks_of(job);
            if (const auto t = tasks.find(part); t != tasks.end() && t->second.state != "FAILED" && slurm_has_ended(t->second.state)) {
                n.for_good = n.for_good || t->second.state == by_a_person;
                n.reason = slurm_words(t->second) + ", " + n.reason;
            }
            return n;
        }
        const auto& tasks = tasks_of(job);
        if (silent_) return {};
        const auto t = tasks.find(part);
        if (t != tasks.end() && !slurm_has_ended(t->second.state) && t->second.state != "COMPLETING") {
            ++states_[t->second.state == "PENDING" ? "waiting (" + t->second.reason + ")" : "running"];
            awaited_since_.erase(code_file);
            return {};
        }
        // Ended without a word. The file with the exit code may be on its way, unless Slurm knows better.
        const bool surely = t != tasks.end() && t->second.state != "COMPLETED" && t->second.state != "COMPLETING";
        if (!surely && may_still_come(code_file)) return {};
        if (t == tasks.end()) return {true, false, false, "Slurm does not know the task any more, and it left no exit code"};
        return {true, false, t->second.state == by_a_person, slurm_words(t->second) + ", without an exit code"};
    }

    /// A file of a task that has ended is not seen here, but has not been missing for long: the task counts as ending.
    bool may_still_come(const std::string& file)
    {
        const auto since = awaited_since_.try_emplace(file, clock::now()).first->second;
        if (clock::now() - since >= files_travel) return false;
        ++states_["ending"];
        return true;
    }

    /// One look at everything; true: no part is under way.
    bool look()
    {
        asked_.clear();
        states_.clear();
        silent_ = false;
        std::vector<std::string> stores;
        std::vector<std::size_t> to_submit;
        for (std::size_t k = 0; k < memory_.parts.size(); ++k) {
            part_state& p = memory_.parts[k];
            if (p.finished || !p.given_up.empty()) continue;
            if (p.jobs.empty() || again_.erase(k) > 0) {
                to_submit.push_back(k + 1);
                continue;
            }
            const news n = news_of(k + 1, p.jobs.back());
            if (!n.ended) continue;
            stores.push_back(slurm_part_store(folder_, k + 1, p.jobs.back()));
            if (n.good) {
                p.finished = true;
            } else if (n.for_good || p.repeats >= order_.options.repeats) {
                p.given_up = n.reason;
                tell("part " + std::to_string(k + 1) + " failed (" + n.reason + ") and is given up");
            } else {
                tell("part " + std::to_string(k + 1) + " failed (" + n.reason + "); repetition " + std::to_string(++p.repeats) + " of at most " +
                     std::to_string(order_.options.repeats));
                to_submit.push_back(k + 1);
                ++summary_.repeated;
            }
        }
        if (!silent_) silences_ = 0;
        take_over(stores);
        if (!to_submit.empty()) submit(to_submit);
        memory_.write(memory_file_);
        tell_states();
        return std::ranges::all_of(memory_.parts, [](const part_state& p) { return p.finished || !p.given_up.empty(); });
    }

    void tell_states()
    {
        const auto finished = std::ranges::count_if(memory_.parts, [](const part_state& p) { return p.finished; });
        std::string text = std::to_string(finished) + " of " + counted(summary_.parts, "part") + " finished";
        for (const auto& [state, count] : states_) text += ", " + std::to_string(count) + " " + state;
        if (silent_) text += "; Slurm does not answer";
        if (text != told_) tell(told_ = text);
    }

    // ---- Doing ----

    void submit(const std::vector<std::size_t>& parts)
    {
        write_whole(script_, slurm_script(campaign_, order_));
        const std::string plan = order_.plan_file.empty() ? "" : slurm_plan_copy(order_);
        const bool plan_is_new = !plan.empty() && !std::filesystem::exists(plan);
        if (!plan.empty() && read_whole(plan) != campaign_.text()) write_whole(plan, campaign_.text());
        const std::string array = slurm_array(parts, order_.options.at_once);
        const auto answer = run_command({"sbatch", "--parsable", "--array=" + array, script_});
        const auto id = answer.code == 0 ? read_sbatch_answer(answer.out) : std::nullopt;
        if (!id) {
            leave_nothing(plan_is_new ? plan : "");
            throw bad_request("sbatch refuses the array: " + first_line(answer.code == 0 ? answer.out : answer.err) +
                              " ('ivp campaign --dry-run' with the same options shows the script)");
        }
        write_whole(slurm_array_mark(folder_, *id), "");
        for (const auto part : parts) memory_.parts[part - 1].jobs.push_back(*id);
        memory_.write(memory_file_);
        tell("array " + std::to_string(*id) + " submitted: " + noun(parts.size(), "part") + " " + array + " of " + std::to_string(summary_.parts));
        make_store(order_.db);
    }

    /// After a refusal, where nothing was ever submitted: our own files go, and a folder that this call has made. `plan`: the copy; empty: it was
    /// there.
    void leave_nothing(const std::string& plan) const
    {
        if (std::ranges::any_of(memory_.parts, [](const part_state& p) { return !p.jobs.empty(); })) return;
        std::error_code ignored;
        for (const auto& ours : {script_, memory_file_, plan})
            if (!ours.empty()) std::filesystem::remove(ours, ignored);
        if (folder_is_new_) std::filesystem::remove(folder_, ignored); // stays where it holds anything else
    }

    /// Into the store of the campaign, those that are there. A task that never began has left none.
    void take_over(std::vector<std::string> stores)
    {
        std::erase_if(stores, [](const std::string& path) { return !std::filesystem::exists(path); });
        if (stores.empty()) return;
        const auto r = merge_stores(order_.db, stores);
        if (!r.conflicts.empty()) throw bad_request(r.conflicts);
        summary_.runs_added += r.added;
        summary_.machines = r.machines;
    }

    [[nodiscard]] bool rest(std::chrono::milliseconds pause) const
    {
        for (const auto until = clock::now() + pause; clock::now() < until;) {
            if (watch_.stop && watch_.stop()) return false;
            std::this_thread::sleep_for(stop_is_asked_every);
        }
        return true;
    }

    slurm_summary end()
    {
        std::set<std::uint64_t> under_way;
        for (std::size_t k = 0; k < memory_.parts.size(); ++k) {
            const part_state& p = memory_.parts[k];
            if (p.finished)
                ++summary_.finished;
            else if (!p.given_up.empty())
                summary_.given_up.push_back({k + 1, p.given_up});
            else if (!p.jobs.empty())
                under_way.insert(p.jobs.back());
        }
        summary_.waiting_for.assign(under_way.begin(), under_way.end());
        return summary_;
    }

    void tell(const std::string& sentence) const
    {
        if (watch_.tell) watch_.tell(sentence);
    }

    const campaign& campaign_;
    const slurm_order& order_;
    const slurm_watch& watch_;
    std::string folder_;
    std::string memory_file_;
    std::string script_;
    memory memory_;
    slurm_summary summary_;
    std::set<std::size_t> again_; ///< parts that an earlier call has given up
    std::map<std::uint64_t, std::map<std::size_t, slurm_task>> asked_;
    std::map<std::string, clock::time_point> awaited_since_; ///< files
    std::map<std::string, std::size_t> states_;
    std::string told_;
    bool folder_is_new_ = false;
    bool silent_ = false;
    int silences_ = 0;
};

} // namespace

slurm_summary run_on_slurm(const campaign& c, const slurm_order& order, const slurm_watch& watch)
{
    for (const char* needed : {"sbatch", "squeue"})
        if (!command_exists(needed))
            throw missing_component(std::string("Slurm is unavailable: there is no '") + needed +
                                    "' in the search path; the login nodes of a cluster have it, and Debian's package slurm-client contains it");
    const auto alone = claim::of("slurm-" + sha256(slurm_folder(order.db)).substr(0, 32));
    if (!alone) throw bad_request("store '" + order.db + "': another 'ivp campaign --slurm' is watching it already");
    return array_watch(c, order, watch).run();
}

} // namespace ivp
