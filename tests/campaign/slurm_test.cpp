// What goes to Slurm and what comes back, without Slurm. A real one: cli/slurm_test.py.
#include "base/command.hpp"
#include "campaign/sample_runs.hpp"
#include "campaign/slurm_text.hpp"

#include <ivp/error.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ivp {
namespace {

constexpr auto small = R"(name = "small plan"
repeat = 1
problems = ["hires", "rober"]
solvers = ["radau5"]
rtol = [1e-4, 1e-6]
)";

campaign small_campaign() { return campaign(read_plan(small, "p.toml")); }

std::vector<std::string> faults_of(const std::string& words, const std::vector<std::string>& sbatch = {})
{
    try {
        (void)read_slurm_options(words, sbatch);
    } catch (const bad_request& e) {
        return e.faults();
    }
    return {};
}

bool has_line(const std::string& text, const std::string& line) { return ("\n" + text).find("\n" + line + "\n") != std::string::npos; }

// ---- Options ----

TEST(slurm_options, words_are_read)
{
    const auto o = read_slurm_options("parts=8,at-once=2,partition=short,time=1-02:00:00,repeats=0,exclusive,nowait", {"--account=chem", "-qlow"});
    EXPECT_EQ(o.parts, 8U);
    EXPECT_EQ(o.at_once, 2U);
    EXPECT_EQ(o.partition, "short");
    EXPECT_EQ(o.time, "1-02:00:00");
    EXPECT_EQ(o.repeats, 0U);
    EXPECT_TRUE(o.exclusive);
    EXPECT_FALSE(o.wait);
    EXPECT_EQ(o.sbatch, (std::vector<std::string>{"--account=chem", "-qlow"}));
    EXPECT_TRUE(read_slurm_options("wait", {}).wait);
    EXPECT_FALSE(read_slurm_options("", {}).parts);
}

TEST(slurm_options, all_faults_at_once)
{
    const auto faults = faults_of("parts=0,parts,at-once=x,time=soon,partition=a b,exclusive=1,whatever",
                                  {"account", "--array=1-3", "-a1", "--x\n--y", "--account chem"});
    ASSERT_EQ(faults.size(), 12U);
    EXPECT_EQ(faults[0], "--slurm: 'parts=0' given; allowed: parts=N with N from 1 to 100000");
    EXPECT_NE(faults[5].find("'exclusive=1' given; allowed: parts=N"), std::string::npos);
    EXPECT_NE(faults[7].find("'account' given; allowed: one option of sbatch"), std::string::npos);
    EXPECT_NE(faults[8].find("'--array=1-3' given; allowed: any option of sbatch but --array"), std::string::npos);
}

// ---- The script ----

TEST(slurm_script, one_core_for_each_part)
{
    const campaign c = small_campaign();
    slurm_order order{"/opt/ivp tool", {"--timeout", "5"}, "plans/mine.toml", "out/results.db", read_slurm_options("parts=3", {})};
    const std::string folder = std::filesystem::current_path().string() + "/out/results.db.slurm";
    const std::string text = slurm_script(c, order);
    EXPECT_EQ(text.rfind("#!/bin/sh\n#SBATCH ", 0), 0U);
    for (const char* line : {"--job-name=ivp-small_plan", "--array=1-3", "--ntasks=1", "--cpus-per-task=1", "--hint=nomultithread", "--no-requeue"})
        EXPECT_TRUE(has_line(text, std::string("#SBATCH ") + line)) << line << "\n" << text;
    EXPECT_TRUE(has_line(text, "#SBATCH --output=" + folder + "/part-%a.job-%A.log")) << text;
    EXPECT_TRUE(has_line(text, "'/opt/ivp tool' campaign " + folder + "/mine.toml --timeout 5 --shard \"$part/3\" --db \"$mine.db\"")) << text;
    for (const char* absent : {"--exclusive", "--partition", "--time="}) EXPECT_EQ(text.find(absent), std::string::npos) << absent;
}

TEST(slurm_script, what_is_asked_for_is_passed_on)
{
    const campaign c(read_plan(R"(name = "p"
threads = 2
problems = ["hires", "rober"]
solvers = ["pside"]
rtol = [1e-4, 1e-6]
)",
                               "p.toml"));
    slurm_order order{"ivp",
                      {"--preset", "quick"},
                      "",
                      "100%/r.db",
                      read_slurm_options("at-once=2,exclusive,partition=p,time=90", {"--account=a", "--comment=two words"})};
    const std::string text = slurm_script(c, order);
    for (const char* line :
         {"--array=1-4%2", "--cpus-per-task=2", "--exclusive", "--partition=p", "--time=90", "--account=a", "'--comment=two words'"})
        EXPECT_TRUE(has_line(text, std::string("#SBATCH ") + line)) << line << "\n" << text;
    EXPECT_NE(text.find("100%%/r.db.slurm/part-%a.job-%A.log"), std::string::npos) << "Slurm takes % for itself";
    EXPECT_NE(text.find("ivp campaign --preset quick --shard \"$part/4\""), std::string::npos) << "no more parts than groups\n" << text;
}

TEST(slurm_script, arrays_are_short)
{
    EXPECT_EQ(slurm_array({1}, {}), "1");
    EXPECT_EQ(slurm_array({1, 2, 3, 4}, {}), "1-4");
    EXPECT_EQ(slurm_array({1, 3, 4, 9}, 5), "1,3-4,9%5");
}

/// The script without Slurm: `ivp` is a program that tells its arguments, and ends with the code in $CODE.
TEST(slurm_script, a_task_takes_over_what_was_measured_and_leaves_its_exit_code)
{
    const testing::scratch_folder scratch;
    const std::string folder = scratch.file("it's.db.slurm");
    std::filesystem::create_directory(folder);
    const std::string program = scratch.file("ivp"), script = folder + "/array.sh";
    std::ofstream(program) << "#!/bin/sh\necho \"$@\"\nexit ${CODE:-0}\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const slurm_order order{program, {"--preset", "quick"}, "", scratch.file("it's.db"), read_slurm_options("parts=2", {})};
    std::ofstream(script) << slurm_script(small_campaign(), order);
    std::ofstream(slurm_part_store(folder, 2, 7)) << "earlier";
    std::ofstream(slurm_part_store(folder, 1, 7)) << "of another part";

    const auto task = [&](const char* code) {
        return run_command({"env", "SLURM_ARRAY_TASK_ID=2", "SLURM_ARRAY_JOB_ID=9", std::string("CODE=") + code, "sh", script});
    };
    const std::string mine = slurm_part_store(folder, 2, 9);
    const auto good = task("0");
    EXPECT_EQ(good.code, 0) << good.err;
    EXPECT_EQ(good.out, "merge " + mine + " " + slurm_part_store(folder, 2, 7) + "\ncampaign --preset quick --shard 2/2 --db " + mine + "\n");
    const auto code_of = [&] {
        std::string text;
        std::ifstream(slurm_part_code(folder, 2, 9)) >> text;
        return text;
    };
    EXPECT_EQ(code_of(), "0");
    EXPECT_EQ(task("3").code, 3);
    EXPECT_EQ(code_of(), "3");
}

// ---- Answers ----

TEST(slurm_answers, of_sbatch)
{
    EXPECT_EQ(read_sbatch_answer("17\n"), 17U);
    EXPECT_EQ(read_sbatch_answer("17;cluster\n"), 17U);
    EXPECT_EQ(read_sbatch_answer("Welcome to the cluster\n4711\n"), 4711U);
    EXPECT_FALSE(read_sbatch_answer(""));
    EXPECT_FALSE(read_sbatch_answer("Submitted batch job"));
}

TEST(slurm_answers, exit_codes_are_numbers)
{
    EXPECT_EQ(read_exit_code("0\n"), 0);
    EXPECT_EQ(read_exit_code("137\n"), 137);
    EXPECT_FALSE(read_exit_code("")) << "a full disk is no success";
    EXPECT_FALSE(read_exit_code("x\n"));
}

TEST(slurm_answers, of_squeue)
{
    const auto tasks = read_squeue("3|PENDING|Resources|\n1|RUNNING|None|node1\n2|NODE_FAIL|NodeDown|node[2-3]\nN/A|RUNNING|None|x\nnoise\n");
    ASSERT_EQ(tasks.size(), 3U);
    EXPECT_EQ(tasks[0].part, 3U);
    EXPECT_EQ(tasks[0].reason, "Resources");
    EXPECT_EQ(slurm_words(tasks[1]), "RUNNING on node1");
    EXPECT_EQ(slurm_words(tasks[2]), "NODE_FAIL on node[2-3] (NodeDown)");
}

TEST(slurm_answers, of_sacct)
{
    const auto tasks =
        read_sacct("17_3|NODE_FAIL|node1\n17_4|CANCELLED by 1000|None assigned\n17_5.batch|COMPLETED|node1\n17_[6-9]|PENDING|\n17|X|\n");
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_EQ(tasks[0].part, 3U);
    EXPECT_EQ(slurm_words(tasks[0]), "NODE_FAIL on node1");
    EXPECT_EQ(slurm_words(tasks[1]), "CANCELLED");
}

TEST(slurm_answers, what_has_ended)
{
    for (const char* state : {"COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL", "CANCELLED", "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL", "DEADLINE"})
        EXPECT_TRUE(slurm_has_ended(state)) << state;
    for (const char* state : {"PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING"}) EXPECT_FALSE(slurm_has_ended(state)) << state;
}

// ---- Files ----

TEST(slurm_files, tell_their_attempt)
{
    EXPECT_EQ(slurm_attempt_of("part-3.job-41.db"), (slurm_attempt{3, 41}));
    EXPECT_EQ(slurm_attempt_of("part-12.job-7.code.partial"), (slurm_attempt{12, 7}));
    EXPECT_EQ(slurm_attempt_of("array-41"), (slurm_attempt{0, 41}));
    for (const char* other : {"array.json", "array-", "array-4x", "part-notes.txt", "part-0.job-41.db", "part-3.job-41", "part-3.job-.db",
                              "my-part-3.job-41.db", "part-3.jobs-41.db", ""})
        EXPECT_FALSE(slurm_attempt_of(other)) << other;
    for (const auto& file : slurm_attempt_files("f", {3, 41})) EXPECT_EQ(slurm_attempt_of(file.substr(2)), (slurm_attempt{3, 41})) << file;
    EXPECT_EQ(slurm_attempt_files("f", {3, 41}).front(), slurm_part_store("f", 3, 41));
}

// ---- Texts that mean something to a shell ----

TEST(slurm_script, no_name_becomes_a_command)
{
    campaign_plan plan = read_plan(small, "p.toml");
    plan.name = "x\ntouch gone\r$(id) \u00E9" + std::string(1000, 'y'); // as a program may set it; a plan's text is refused
    const campaign c(std::move(plan));
    slurm_order order{"/opt/it's; $(id)/ivp", {"--x=`id`"}, "plans/mi'ne.toml", "out/re sults'.db", read_slurm_options("parts=3", {})};
    const std::string text = slurm_script(c, order);
    EXPECT_EQ(text.find("\ntouch"), std::string::npos);
    EXPECT_EQ(text.find('\r'), std::string::npos);
    EXPECT_TRUE(has_line(text, "#SBATCH --job-name=ivp-x_touch_gone___id____" + std::string(60 - 21, 'y'))) << text.substr(0, 300);
    EXPECT_EQ(run_command({"sh", "-n", "-c", text}).code, 0) << "the shell reads it to its end";
    EXPECT_NE(text.find(R"('/opt/it'\''s; $(id)/ivp' campaign)"), std::string::npos) << text;

    order.db = "a\nb.db";
    EXPECT_THROW((void)slurm_script(c, order), bad_request) << "no quotes keep a line break inside a comment";
}

// ---- Other programs ----

TEST(command, tells_what_a_program_said)
{
    const auto r = run_command({"sh", "-c", "echo out; echo err >&2; exit 7"});
    EXPECT_EQ(r.code, 7);
    EXPECT_EQ(r.out, "out\n");
    EXPECT_EQ(r.err, "err\n");
    EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}).code, 137);
    EXPECT_EQ(run_command({"sh", "-c", "head -c 300000 /dev/zero >&2; echo x"}).err.size(), 300000U) << "a full pipe stops nobody";
    EXPECT_TRUE(command_exists("sh"));
    EXPECT_FALSE(command_exists("no-such-program"));
}

} // namespace
} // namespace ivp
