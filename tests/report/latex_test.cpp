// The report for print, from runs made up by hand: golden texts, and what must hold for every file.
#include "base/escape.hpp"
#include "golden.hpp"
#include "made_up.hpp"
#include "report/latex.hpp"
#include "report/render/tex.hpp"

#include <ivp/error.hpp>

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <unistd.h>

namespace ivp {

namespace {

namespace fs = std::filesystem;

book_content printed()
{
    book_content c = made_up::content();
    c.runs.push_back(made_up::run("plain", "../my_solver&co", 4, 2.25, 12.5)); // names from outside
    c.runs.back().record.command = "ivp run plain '../my_solver&co'\nrm";
    c.runs.back().record.h0 = 3.5e-5;
    c.runs.push_back(
        made_up::run("plain", "a solver with a name so long that no column of a table and no legend has room for it beside others", 4, 3, 2));
    auto& lost = c.runs[4].record;
    lost.message = "100 % at t_1 = 3, {x} ^ \\relax ~ # $ & \xCE\xBB \xE2\x88\x92 \xE2\x98\x83 \xFF\nend";
    auto& tolerances = c.runs[0].record;
    tolerances.atol = {1e-4, 1e-9};
    for (auto& r : c.runs) r.record.rtol_asked = r.record.rtol.front();
    return c;
}

std::map<std::string, std::string> files_of(const book_content& c)
{
    std::map<std::string, std::string> files;
    for (const auto& f : latex_report(c, {"store.db", "ivp report --latex paper --db store.db"})) files[f.name] = f.text;
    return files;
}

/// A folder of its own that ends with the test.
struct scratch_folder {
    fs::path path = fs::temp_directory_path() / fmt_name();
    scratch_folder() { fs::create_directory(path); }
    ~scratch_folder() { fs::remove_all(path); }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    static std::string fmt_name()
    {
        return std::string("ivp-latex-") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + "-" + std::to_string(::getpid());
    }
};

std::string text_of(const fs::path& path)
{
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::set<std::string> names_in(const fs::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
    return names;
}

const std::vector<named_text> two{{"a.tex", std::string(latex_mark) + "\nA\n"}, {"b.tex", std::string(latex_mark) + "\nB\n"}};

} // namespace

TEST(latex, golden)
{
    std::string all;
    for (const auto& [name, text] : files_of(printed())) all += "==> " + name + " <==\n" + text;
    expect_golden("latex.tex", all);
}

TEST(latex, long_lists_of_parameters_give_names_that_a_folder_can_hold)
{
    book_content c = made_up::content();
    for (const char* const last : {"1", "2"}) {
        c.runs.push_back(made_up::run("plain", "paper", 4, 3, 2));
        for (int k = 0; k < 40; ++k) c.runs.back().record.parameters["a_long_name_of_a_parameter_" + std::to_string(k)] = "0.12345678901234567";
        c.runs.back().record.parameters["the_last"] = last;
    }
    const auto files = files_of(c);
    std::set<std::string> keys;
    for (const auto& [name, text] : files) {
        EXPECT_LT(name.size(), 90U) << name;
        if (name.starts_with("plain-with") && name.ends_with("-runs.tex")) keys.insert(name);
    }
    EXPECT_EQ(keys.size(), 2U) << "each variant has files of its own";
    for (const auto& key : keys) EXPECT_NE(files.at("report.tex").find("\\input{" + key.substr(0, key.size() - 4) + "}"), std::string::npos) << key;
    const scratch_folder folder;
    write_directory(folder.path.string(), latex_report(c, {"store.db", "ivp report"}), latex_mark, "--latex");
    EXPECT_EQ(names_in(folder.path).size(), files.size());
}

TEST(latex, the_same_content_gives_the_same_bytes)
{
    EXPECT_EQ(files_of(printed()), files_of(printed()));
    book_content other = printed();
    other.runs[0].record.cpu_s *= 1.5;
    EXPECT_NE(files_of(other).at("plain-runs.tex"), files_of(printed()).at("plain-runs.tex"));
}

TEST(latex, every_file_is_in_the_document_and_none_but_it_has_a_preamble)
{
    const auto files = files_of(printed());
    const std::string& document = files.at("report.tex");
    for (const auto& [name, text] : files) {
        EXPECT_TRUE(text.starts_with(std::string(latex_mark) + "\n")) << name;
        EXPECT_NE(text.find("% Store: store.db\n"), std::string::npos) << name;
        EXPECT_NE(text.find("% Measured by: ivp 0.1.0\n"), std::string::npos) << name;
        EXPECT_NE(text.find("% Machine: A <fast> CPU, 2 cores, An OS\n"), std::string::npos) << name;
        EXPECT_NE(text.find("% Runs of 2026-01-31\n"), std::string::npos) << name;
        EXPECT_NE(text.find("% Written again by: ivp report --latex paper --db store.db\n"), std::string::npos) << name;
        if (name == "report.tex") continue;
        EXPECT_NE(document.find("\\input{" + name.substr(0, name.size() - 4) + "}"), std::string::npos) << name;
        EXPECT_EQ(text.find("\n\\documentclass"), std::string::npos) << name;
        EXPECT_EQ(text.find("\n\\usepackage"), std::string::npos) << name;
    }
}

TEST(latex, a_failed_run_stands_among_the_failed_by_its_place_on_the_ladder)
{
    const auto files = files_of(printed());
    EXPECT_EQ(files.at("strange-runs.tex").find("step"), files.at("strange-runs.tex").find("steps"));
    EXPECT_NE(files.at("plain-failed.tex").find("\\texttt{slow} & 8 & step too small: "), std::string::npos) << "rtol = 1e-6 = 10^-(4+8/4)";
    EXPECT_NE(files.at("strange-failed.tex").find("\\texttt{alien} & $10^{-6}$ & wrong answer: "), std::string::npos) << "it has no ladder here";
}

TEST(latex, runs_at_further_tolerances_have_a_table_of_their_own)
{
    book_content c = printed();
    EXPECT_FALSE(files_of(c).contains("plain-all.tex"));
    for (int k = 0; k < 30; ++k) {
        c.runs.push_back(made_up::run("plain", "fast", 4.25 + 0.25 * k, 5, 1e-3));
        c.runs.back().record.rtol_asked = c.runs.back().record.rtol.front();
    }
    const auto files = files_of(c);
    const auto rows = [](const std::string& text) {
        std::size_t count = 0;
        for (auto at = text.find("% ivp run plain fast"); at != std::string::npos; at = text.find("% ivp run plain fast", at + 1)) ++count;
        return count;
    };
    EXPECT_EQ(rows(files.at("plain-runs.tex")), 3U);
    EXPECT_EQ(rows(files.at("plain-all.tex")), 31U) << "two of the 30 take the place of runs with the same setting";
}

TEST(latex, problems_with_similar_names_keep_their_files_apart)
{
    book_content c = printed();
    for (const char* name : {"a_b", "a-b", "report", "\xC3\xA9"}) c.runs.push_back(made_up::run(name, "fast", 4, 4, 1));
    const auto files = files_of(c);
    for (const char* name : {"a-b-runs.tex", "a-b-2-runs.tex", "report-2-runs.tex", "problem-runs.tex"}) EXPECT_TRUE(files.contains(name)) << name;
}

TEST(latex, a_store_without_runs_is_refused)
{
    book_content c = printed();
    c.runs.clear();
    EXPECT_THROW(files_of(c), bad_request);
}

TEST(tex, text_from_outside_is_text)
{
    EXPECT_EQ(tex_escaped("a_b%c#d$e&f{g}"), "a\\_b\\%c\\#d\\$e\\&f\\{g\\}");
    EXPECT_EQ(tex_escaped("\\~^<>|"), "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}\\textbar{}");
    EXPECT_EQ(tex_escaped("--rtol [1]"), "-{}-rtol {[}1{]}");
    EXPECT_EQ(tex_escaped("\xCE\xBB \xE2\x89\xA4 \xE2\x88\x92 \xC3\xA9 \xE2\x98\x83 \xFF"),
              "\\ensuremath{\\lambda} \\ensuremath{\\le} \\ensuremath{-} \xC3\xA9 {[}U+2603{]} ?");
    EXPECT_EQ(tex::code("a/b"), "\\texttt{a/\\allowbreak{}b}");
    EXPECT_EQ(tex::comment("a\nb \xFF\r"), "% a b \xEF\xBF\xBD");
}

TEST(output_directory, is_made_and_replaced_and_leaves_other_files_alone)
{
    const scratch_folder scratch;
    const fs::path folder = scratch.path / "new";
    write_directory(folder.string(), two, latex_mark, "--latex");
    EXPECT_EQ(names_in(folder), (std::set<std::string>{"a.tex", "b.tex"}));
    put(folder / "mine.tex", "mine\n");
    auto changed = two;
    changed[0].text += "more\n";
    write_directory(folder.string(), std::span(changed).first(1), latex_mark, "--latex");
    EXPECT_EQ(text_of(folder / "a.tex"), changed[0].text);
    EXPECT_EQ(text_of(folder / "mine.tex"), "mine\n");
    EXPECT_EQ(left_from_before(folder.string(), std::span(changed).first(1), latex_mark), std::vector<std::string>{"b.tex"});
}

TEST(output_directory, a_file_of_somebody_else_is_not_replaced_and_nothing_is_written)
{
    const scratch_folder scratch;
    put(scratch.path / "b.tex", "mine\n");
    EXPECT_THROW(write_directory(scratch.path.string(), two, latex_mark, "--latex"), bad_request);
    EXPECT_EQ(names_in(scratch.path), std::set<std::string>{"b.tex"});
    EXPECT_EQ(text_of(scratch.path / "b.tex"), "mine\n");
}

TEST(output_directory, a_failure_in_the_middle_leaves_nothing)
{
    const scratch_folder scratch;
    const auto impossible = std::vector<named_text>{two[0], {std::string(300, 'x'), std::string(latex_mark)}}; // a name longer than file systems take
    EXPECT_THROW(write_directory((scratch.path / "new").string(), impossible, latex_mark, "--latex"), bad_request);
    EXPECT_TRUE(names_in(scratch.path).empty());
    write_directory(scratch.path.string(), two, latex_mark, "--latex");
    auto changed = impossible;
    changed[0].text += "more\n";
    EXPECT_THROW(write_directory(scratch.path.string(), changed, latex_mark, "--latex"), bad_request);
    EXPECT_EQ(text_of(scratch.path / "a.tex"), two[0].text) << "the old one stays";
    EXPECT_EQ(names_in(scratch.path), (std::set<std::string>{"a.tex", "b.tex"}));
}

TEST(output_directory, faults_are_told)
{
    const scratch_folder scratch;
    put(scratch.path / "file", "");
    EXPECT_EQ(faults_of_directory("", two, latex_mark, "--latex").size(), 1U);
    EXPECT_EQ(faults_of_directory((scratch.path / "file").string(), two, latex_mark, "--latex").size(), 1U);
    EXPECT_EQ(faults_of_directory((scratch.path / "no" / "new").string(), two, latex_mark, "--latex").size(), 1U);
    EXPECT_TRUE(faults_of_directory((scratch.path / "new/").string(), two, latex_mark, "--latex").empty());
}

} // namespace ivp
