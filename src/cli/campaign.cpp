#include "campaign/campaign.hpp"
#include "base/text.hpp"
#include "campaign/slurm.hpp"
#include "commands.hpp"
#include "interruption.hpp"
#include "progress.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>

namespace ivp::cli {

namespace {

struct campaign_arguments : command {
    campaign_arguments()
        : command("campaign", "Make all runs of a plan, and keep them in a store",
                  "The same command resumes an interrupted campaign, because ivp does not repeat stored runs. Failed runs are rows of the store.")
    {}

    text plan = word("plan", "Plan, a TOML file (docs/campaigns.md)");
    optional_text preset = option("--preset", "A plan that comes with the program: quick, standard, full");
    text db = option("--db", "Store, an SQLite file; created if it does not exist", default_store);
    optional_text jobs = option("--jobs", "Runs at the same time, each on its own core; default 1, which gives the best times");
    yes_or_no resume = flag("--resume", "Do not repeat stored runs (default); --no-resume measures them again", "--no-resume");
    optional_text repeat = option("--repeat", "Measure every run this many times; overrides the plan");
    optional_text timeout = option("--timeout", "Stop every integration after this many seconds; overrides the plan");
    yes_or_no dry_run = flag("--dry-run", "List the runs and estimate the time; run nothing");
    optional_text shard = option("--shard", "Make only part I of N parts, given as I/N; 'ivp merge' joins their stores");
    optional_text slurm =
        option_or_alone("--slurm", "wait",
                        "Submit the runs as a job array of Slurm, and merge their stores; --slurm=WORDS with words separated by commas: "
                        "parts=N, at-once=N, partition=NAME, time=TIME, repeats=N, exclusive, wait, nowait");
    texts sbatch = list("--sbatch", "With --slurm: a further option for sbatch, such as --sbatch=--account=chem");
};

std::string duration(double seconds)
{
    if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds));
    if (seconds < 90 * 60) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
    return fmt::format("{:.1f} h", seconds / 3600);
}

shard read_shard(const std::string& text, reader& read)
{
    const auto parts = split(text, '/');
    const auto number = [](const std::string& word) -> std::size_t {
        const bool plain = !word.empty() && word.size() < 8 && word.find_first_not_of("0123456789") == std::string::npos;
        return plain ? std::stoull(word) : 0;
    };
    shard s;
    if (parts.size() == 2) s = {number(parts[0]), number(parts[1])};
    if (parts.size() != 2 || s.index < 1 || s.count < s.index) {
        read.fault(fmt::format("--shard: '{}' given; allowed: I/N with I from 1 to N, for example 2/8", text));
        return {};
    }
    return s;
}

campaign_plan read_plan_of(const campaign_arguments& a)
{
    if (a.plan.empty() == !a.preset)
        throw bad_request(a.preset
                              ? "a plan and --preset are both given; allowed: one of them"
                              : "no plan given: the name of a TOML file, or --preset " + joined(preset_names(), "|") + "; see 'ivp campaign --help'");
    return a.preset ? preset_plan(*a.preset) : read_plan_file(a.plan);
}

// ---- Dry run ----

/// One line for each problem; a single run tells the reason.
void print_left_out(const ivp::campaign& c)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> by_problem;
    for (const auto& out : c.left_out()) {
        if (by_problem.empty() || by_problem.back().first != out.problem) by_problem.push_back({out.problem, {}});
        by_problem.back().second.push_back(out.solver);
    }
    if (by_problem.empty()) return;
    fmt::print("\nNot run, because the solver cannot take the problem or is not in this build ('ivp run PROBLEM SOLVER' says why):\n");
    for (const auto& [problem, solvers] : by_problem) fmt::print("{:<13} {}\n", problem, joined(solvers, ", "));
}

constexpr double trials_s = 20;       // at most, for an estimate
constexpr double trials_before_s = 5; // the same where the runs follow, which correct it

int dry_run(const ivp::campaign& c, const campaign_arguments& a, const shard& part, int jobs)
{
    struct line {
        std::string problem;
        double rtol = 0;
        std::size_t runs = 0;
        std::size_t stored = 0;
        double seconds = 0;
        std::string solvers;
    } now;
    const auto print = [&now] {
        if (now.runs > 0)
            fmt::print("{:<13} {:>8.1e} {:>5} {:>6} {:>9}  {}\n", now.problem, now.rtol, now.runs, now.stored, duration(now.seconds), now.solvers);
    };
    fmt::print("{:<13} {:>8} {:>5} {:>6} {:>9}  solvers\n", "problem", "rtol", "runs", "stored", "estimate");
    const auto f = forecast(
        c, a.db, part,
        [&](const campaign_run& run, bool stored, double seconds) {
            const auto& r = run.planned.record;
            if (r.full_problem() != now.problem || run.planned.record.rtol_asked != now.rtol) {
                print();
                now = {r.full_problem(), run.planned.record.rtol_asked, 0, 0, 0, ""};
            }
            ++now.runs;
            now.stored += stored ? 1 : 0;
            now.seconds += stored ? 0 : seconds;
            now.solvers += (now.solvers.empty() ? "" : ", ") + r.full_solver();
        },
        trials_s);
    print();
    print_left_out(c);
    fmt::print("\n{}: {}, {} of them stored in {}\n", c.name(), counted(f.runs, "run"), f.stored, a.db);
    const std::size_t left = f.runs - f.stored;
    if (left == 0) return done;
    std::vector<std::string> sources;
    if (f.known > 0) sources.push_back(fmt::format("{} from earlier runs of the same kind", f.known));
    if (f.tried > 0) sources.push_back(fmt::format("{} from trial runs at loose tolerances", f.tried));
    if (f.known + f.tried < left) sources.push_back(fmt::format("{} guessed from the size of the problems", left - f.known - f.tried));
    const std::string source = joined(sources, ", ");
    const std::string most = std::isfinite(f.most_seconds) ? "at most " + duration(f.most_seconds / jobs) : "no time limit";
    fmt::print("Estimated time for the rest with --jobs {}: {} ({}); {}\n", jobs, duration(f.seconds / jobs), source, most);
    return done;
}

// ---- Running ----

void print_summary(const ivp::campaign& c, const campaign_summary& s, const std::string& db)
{
    std::string outcomes;
    for (const auto& [o, count] : s.outcomes) outcomes += fmt::format("{}{} {}", outcomes.empty() ? " (" : ", ", count, label(o));
    fmt::print("{}: {} made{}, {} stored before; all in {}\n", c.name(), counted(s.made, "run"), outcomes.empty() ? "" : outcomes + ")",
               s.stored_before, db);
    if (s.judged > 0) fmt::print("{} had no digits, and there is a reference now: their digits are stored\n", counted(s.judged, "stored run"));
    for (const auto& [note, count] : s.notes) fmt::print("Noted in {}: {}\n", counted(count, "run"), note);
    if (s.stopped) fmt::print("Stopped: {} of {} stored; the same command resumes the campaign\n", s.stored_before + s.made, counted(s.total, "run"));
}

// ---- On a cluster ----

slurm_options read_slurm(const campaign_arguments& a, reader& read)
{
    if (!a.slurm) {
        if (!a.sbatch.empty()) read.fault("--sbatch: allowed only together with --slurm");
        return {};
    }
    if (a.shard) read.fault("--slurm and --shard are both given; allowed: one of them (the tasks of the array are the shards)");
    if (a.jobs) read.fault("--slurm and --jobs are both given; allowed: one of them (every task has one core; parts=N says how many tasks)");
    if (!a.resume) read.fault("--slurm and --no-resume are both given; allowed: one of them (a new --db measures everything again)");
    return read.attempt([&a] { return read_slurm_options(*a.slurm, a.sbatch); }).value_or(slurm_options{});
}

slurm_order order_of(const campaign_arguments& a, const slurm_options& options)
{
    slurm_order order;
    order.program = std::filesystem::read_symlink("/proc/self/exe").string();
    if (a.preset) order.arguments = {"--preset", *a.preset};
    if (a.repeat) order.arguments.insert(order.arguments.end(), {"--repeat", *a.repeat});
    if (a.timeout) order.arguments.insert(order.arguments.end(), {"--timeout", *a.timeout});
    order.plan_file = a.plan;
    order.db = a.db;
    order.options = options;
    return order;
}

int campaign_on_slurm(const ivp::campaign& c, const campaign_arguments& a, const slurm_options& options)
{
    const interruption ctrl_c;
    slurm_watch watch;
    watch.tell = [](const std::string& sentence) { tell("ivp: {}\n", sentence); };
    watch.stop = [&ctrl_c] { return ctrl_c(); };
    const slurm_summary s = run_on_slurm(c, order_of(a, options), watch);
    fmt::print("{}: {} of {} finished", c.name(), s.finished, counted(s.parts, "part"));
    if (s.stored_before > 0) fmt::print(" ({} of them stored before)", s.stored_before);
    if (s.repeated > 0) fmt::print(", {}", counted(s.repeated, "repetition"));
    fmt::print("; {} added to {}\n", counted(s.runs_added, "run"), a.db);
    print_machines(s.machines);
    for (const auto& failure : s.given_up) fmt::print("Gave up part {}: {}\n", failure.part, failure.reason);
    if (!s.given_up.empty()) fmt::print("Logs are in {}; the same command tries again\n", s.folder);
    std::vector<std::string> arrays;
    for (const auto job : s.waiting_for) arrays.push_back(std::to_string(job));
    if (!arrays.empty())
        fmt::print("Under way: array {}; the same command continues, 'scancel {}' ends the array\n", joined(arrays, ", "), joined(arrays, " "));
    return s.stopped || !s.given_up.empty() ? not_successful : done;
}

int campaign(const campaign_arguments& a)
{
    reader read;
    const shard part = a.shard ? read_shard(*a.shard, read) : shard{};
    const auto jobs = a.jobs ? read.count("--jobs", *a.jobs, 1) : std::optional<std::uint64_t>(1);
    if (jobs && *jobs > static_cast<std::uint64_t>(usable_cores()))
        read.fault(fmt::format("--jobs: {} given; allowed: 1 to {}, the number of cores (timed runs must not share one)", *jobs, usable_cores()));
    std::optional<double> timeout;
    if (a.timeout) timeout = read.real("--timeout", *a.timeout);
    if (timeout && !(*timeout > 0)) read.fault(fmt::format("--timeout: {} given; allowed: seconds above 0", *a.timeout));
    std::optional<std::uint64_t> repeat;
    if (a.repeat) repeat = read.count("--repeat", *a.repeat, 1, limits::most_repeats);
    const slurm_options slurm = read_slurm(a, read);
    if (a.db.empty()) read.fault("--db: '' given; allowed: the name of a file");
    auto plan = read.attempt([&] { return read_plan_of(a); });
    read.raise();
    for (auto& grid : plan->grids) {
        if (timeout) grid.settings.timeout_s = timeout;
        if (!repeat) continue;
        grid.settings.repeat = static_cast<int>(*repeat);
        grid.settings.min_time_s.reset();
    }
    const ivp::campaign c(std::move(*plan));
    if (a.dry_run && a.slurm) fmt::print("{}\n", slurm_script(c, order_of(a, slurm)));
    if (a.dry_run) return dry_run(c, a, part, static_cast<int>(*jobs));
    if (a.slurm) return campaign_on_slurm(c, a, slurm);

    const interruption ctrl_c;
    progress_bar bar;
    campaign_options options;
    options.jobs = static_cast<int>(*jobs);
    options.part = part;
    options.measure_again = !a.resume;
    options.trial_seconds = trials_before_s;
    options.stop = [&ctrl_c] { return ctrl_c(); };
    options.progress = [&bar](const campaign_progress& p) {
        std::string last;
        if (p.last != nullptr) last = fmt::format("{} with {}", p.last->full_problem(), p.last->full_solver());
        bar.show(p.done, p.total, p.failed, p.seconds_left, last);
    };
    const campaign_summary s = run_campaign(c, a.db, options);
    bar.finish();
    if (!c.left_out().empty())
        fmt::print("{} combinations of problem and solver cannot be run; 'ivp campaign --dry-run' lists them\n", c.left_out().size());
    print_summary(c, s, a.db);
    return s.stopped ? not_successful : done;
}

} // namespace

std::unique_ptr<command> campaign_command() { return make_command(campaign); }

} // namespace ivp::cli
