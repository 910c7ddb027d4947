#include "campaign/slurm_text.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <numeric>

namespace ivp {

namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text)
{
    Number n{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return n;
}

bool only(std::string_view text, std::string_view allowed) { return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos; }

constexpr auto digits = "0123456789";

/// What the array depends on: another value would break it.
constexpr std::array ours{"--array", "-a", "--parsable", "--wait", "-W", "--wrap", "--requeue", "--output", "-o", "--chdir", "-D"};

/// What Slurm's tools show without quotes.
std::string job_name(const std::string& campaign)
{
    constexpr std::size_t longest = 60;
    constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    std::string name = "ivp-" + campaign.substr(0, longest);
    for (char& x : name)
        if (std::string_view(plain).find(x) == std::string_view::npos) x = '_';
    return name;
}

std::string file(const std::string& folder, std::size_t part, std::uint64_t job, const char* kind)
{
    return folder + "/part-" + std::to_string(part) + ".job-" + std::to_string(job) + kind;
}

} // namespace

slurm_options read_slurm_options(const std::string& words, const std::vector<std::string>& sbatch)
{
    slurm_options o;
    std::vector<std::string> faults;
    for (const auto& word : words.empty() ? std::vector<std::string>{} : split(words, ',')) {
        const auto equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const std::optional<std::string> value = equals == std::string::npos ? std::nullopt : std::optional(word.substr(equals + 1));
        const auto count = [&](std::size_t from, std::size_t to) -> std::size_t {
            const auto n = whole_number<std::size_t>(value.value_or(""));
            if (n && *n >= from && *n <= to) return *n;
            faults.push_back("--slurm: '" + word + "' given; allowed: " + key + "=N with N from " + std::to_string(from) + " to " +
                             std::to_string(to));
            return from;
        };
        const auto text = [&](const std::string& characters, const std::string& allowed) {
            if (value && only(*value, characters)) return *value;
            faults.push_back("--slurm: '" + word + "' given; allowed: " + allowed);
            return std::string();
        };
        if (key == "parts")
            o.parts = count(1, slurm_options::most_parts);
        else if (key == "at-once")
            o.at_once = count(1, slurm_options::most_parts);
        else if (key == "repeats")
            o.repeats = count(0, 100);
        else if (key == "partition")
            o.partition = text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", "partition=NAME");
        else if (key == "time")
            o.time = text(std::string(digits) + ":-", "time=MINUTES, time=HOURS:MINUTES:SECONDS or time=DAYS-HOURS");
        else if (word == "exclusive")
            o.exclusive = true;
        else if (word == "wait" || word == "nowait")
            o.wait = word == "wait";
        else
            faults.push_back(
                "--slurm: '" + word +
                "' given; allowed: parts=N, at-once=N, partition=NAME, time=TIME, repeats=N, exclusive, wait, nowait; separated by commas");
    }
    for (const auto& option : sbatch) {
        const bool is_long = option.starts_with("--");
        const std::string name = is_long ? option.substr(0, option.find('=')) : option.substr(0, 2);
        const bool whole = option.size() > (is_long ? 2 : 1) && option[0] == '-' && name.find(' ') == std::string::npos &&
                           (is_long || option.find(' ') == std::string::npos) && option.find('\n') == std::string::npos;
        if (!whole)
            faults.push_back("--sbatch: '" + option + "' given; allowed: one option of sbatch, for example --sbatch=--account=chem");
        else if (std::ranges::find(ours, name) != ours.end())
            faults.push_back("--sbatch: '" + option + "' given; allowed: any option of sbatch but " + joined(ours, ", "));
        else
            o.sbatch.push_back(option);
    }
    if (!faults.empty()) throw bad_request(faults);
    return o;
}

std::string slurm_folder(const std::string& db) { return std::filesystem::absolute(db).lexically_normal().string() + ".slurm"; }
std::string slurm_part_store(const std::string& folder, std::size_t part, std::uint64_t job) { return file(folder, part, job, ".db"); }
std::string slurm_part_code(const std::string& folder, std::size_t part, std::uint64_t job) { return file(folder, part, job, ".code"); }
std::string slurm_part_log(const std::string& folder, std::size_t part, std::uint64_t job) { return file(folder, part, job, ".log"); }

std::string slurm_array_mark(const std::string& folder, std::uint64_t job) { return folder + "/array-" + std::to_string(job); }

std::optional<slurm_attempt> slurm_attempt_of(const std::string& file_name)
{
    const auto number_after = [](const std::string& text, std::string_view before) {
        return text.starts_with(before) ? whole_number<std::uint64_t>(std::string_view(text).substr(before.size())) : std::nullopt;
    };
    if (const auto job = number_after(file_name, "array-")) return slurm_attempt{0, *job};
    const auto words = split(file_name, '.');
    if (words.size() < 3) return std::nullopt;
    const auto part = number_after(words[0], "part-");
    const auto job = number_after(words[1], "job-");
    if (!part || *part == 0 || !job) return std::nullopt;
    return slurm_attempt{*part, *job};
}

std::vector<std::string> slurm_attempt_files(const std::string& folder, const slurm_attempt& a)
{
    std::vector<std::string> files;
    for (const char* kind : {".db", ".db-wal", ".db-shm", ".db-journal", ".code", ".code.partial", ".log"})
        files.push_back(file(folder, a.part, a.job, kind));
    return files;
}

std::string slurm_plan_copy(const slurm_order& order)
{
    return slurm_folder(order.db) + "/" + std::filesystem::path(order.plan_file).filename().string(); // a plan may be named after its file
}

std::size_t slurm_parts(const campaign& c, const slurm_options& options)
{
    return std::min(c.groups(), options.parts.value_or(slurm_options::default_parts));
}

std::string slurm_array(const std::vector<std::size_t>& parts, const std::optional<std::size_t>& at_once)
{
    std::string text;
    for (std::size_t k = 0; k < parts.size();) {
        std::size_t last = k;
        while (last + 1 < parts.size() && parts[last + 1] == parts[last] + 1) ++last;
        text += (text.empty() ? "" : ",") + std::to_string(parts[k]);
        if (last > k) text += "-" + std::to_string(parts[last]);
        k = last + 1;
    }
    return at_once ? text + "%" + std::to_string(*at_once) : text;
}

std::string slurm_script(const campaign& c, const slurm_order& order)
{
    const slurm_options& o = order.options;
    const std::size_t parts = slurm_parts(c, o);
    const std::string folder = slurm_folder(order.db);
    std::string log; // in the pattern of a file name Slurm takes % for itself
    for (const char x : folder) log += x == '%' ? std::string("%%") : std::string(1, x);
    std::vector<std::size_t> all(parts);
    std::iota(all.begin(), all.end(), std::size_t{1});
    std::string text = "#!/bin/sh\n";
    const auto directive = [&text](const std::string& option) {
        // No quotes keep a line break inside a comment: what follows it would be run.
        if (option.find_first_of("\n\r") != std::string::npos)
            throw bad_request("--slurm: '" + option + "' would be a line of the script; allowed: names without line breaks");
        text += "#SBATCH " + option + "\n";
    };
    directive("--job-name=" + job_name(c.name()));
    directive("--array=" + slurm_array(all, o.at_once));
    directive("--ntasks=1");
    directive("--cpus-per-task=" + std::to_string(c.most_threads()));
    directive("--hint=nomultithread"); // a core, not a half of one
    directive("--no-requeue");         // what fails is repeated by 'ivp campaign', which tells why
    directive("--output=" + shell_word(log + "/part-%a.job-%A.log"));
    if (o.exclusive) directive("--exclusive");
    if (!o.partition.empty()) directive("--partition=" + o.partition);
    if (!o.time.empty()) directive("--time=" + o.time);
    for (const auto& option : o.sbatch) directive(shell_word(option));

    const std::string tool = shell_word(order.program);
    std::string campaign = tool + " campaign";
    if (!order.plan_file.empty()) campaign += " " + shell_word(slurm_plan_copy(order));
    for (const auto& a : order.arguments) campaign += " " + shell_word(a);
    text += "# One part of the campaign '" + comment_text(c.name()) + "', with its own store. It takes over the runs of earlier attempts.\n";
    text += "cd " + shell_word(std::filesystem::current_path().string()) + " || exit 1\n";
    text += "part=$SLURM_ARRAY_TASK_ID\n";
    text += "files=" + shell_word(folder) + "/part-$part.job-\n";
    text += "mine=$files$SLURM_ARRAY_JOB_ID\n";
    text += "for earlier in \"$files\"*.db; do\n";
    text += "    [ ! -e \"$earlier\" ] || [ \"$earlier\" = \"$mine.db\" ] || " + tool + " merge \"$mine.db\" \"$earlier\"\n";
    text += "done\n";
    text += campaign + " --shard \"$part/" + std::to_string(parts) + "\" --db \"$mine.db\"\n";
    text += "code=$?\n";
    text += "echo $code > \"$mine.code.partial\" && mv \"$mine.code.partial\" \"$mine.code\"\n";
    text += "exit $code\n";
    return text;
}

std::optional<std::uint64_t> read_sbatch_answer(std::string_view text)
{
    // Sites print greetings before it.
    std::optional<std::uint64_t> id;
    for (const auto& line : split(text, '\n')) {
        const auto number = whole_number<std::uint64_t>(line.substr(0, line.find(';')));
        if (number) id = number;
    }
    return id;
}

std::optional<int> read_exit_code(std::string_view text) { return whole_number<int>(text.substr(0, text.find('\n'))); }

std::vector<std::string> squeue_command(std::uint64_t job)
{
    return {"squeue", "--noheader", "--array", "--states=all", "--jobs=" + std::to_string(job), "--format=%K|%T|%r|%N"};
}

std::vector<slurm_task> read_squeue(std::string_view text)
{
    std::vector<slurm_task> tasks;
    for (const auto& line : split(text, '\n')) {
        const auto fields = split(line, '|');
        if (fields.size() != 4) continue;
        if (const auto part = whole_number<std::size_t>(fields[0])) tasks.push_back({*part, fields[1], fields[2], fields[3]});
    }
    return tasks;
}

std::vector<std::string> sacct_command(std::uint64_t job)
{
    return {"sacct", "--noheader", "--parsable2", "--allocations", "--jobs=" + std::to_string(job), "--format=JobID,State,NodeList"};
}

std::vector<slurm_task> read_sacct(std::string_view text)
{
    std::vector<slurm_task> tasks;
    for (const auto& line : split(text, '\n')) {
        const auto fields = split(line, '|');
        if (fields.size() != 3) continue;
        const auto underscore = fields[0].find('_');
        if (underscore == std::string::npos) continue;
        const auto part = whole_number<std::size_t>(std::string_view(fields[0]).substr(underscore + 1));
        const std::string state = fields[1].substr(0, fields[1].find(' ')); // "CANCELLED by 1000"
        if (part) tasks.push_back({*part, state, "None", fields[2] == "None assigned" ? "" : fields[2]});
    }
    return tasks;
}

bool slurm_has_ended(const std::string& state)
{
    constexpr std::array under_way{"PENDING",      "CONFIGURING", "RUNNING",  "SUSPENDED",   "COMPLETING", "STAGE_OUT",    "SIGNALING",
                                   "REQUEUE_HOLD", "REQUEUED",    "RESIZING", "REQUEUE_FED", "STOPPED",    "RESV_DEL_HOLD"};
    return std::ranges::find(under_way, state) == under_way.end();
}

std::string slurm_words(const slurm_task& t)
{
    std::string text = t.state;
    if (!t.nodes.empty()) text += " on " + t.nodes;
    if (!t.reason.empty() && t.reason != "None") text += " (" + t.reason + ")";
    return text;
}

} // namespace ivp
