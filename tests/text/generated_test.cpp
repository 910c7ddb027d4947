// Compiled models: what the generated code may hold, who may compile at the same time, how large the cache becomes, and that none of it is needed.
#include "text/compiled.hpp"
#include "text/generate.hpp"
#include "text/model.hpp"
#include "text/text_problem.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ivp {

namespace {

namespace fs = std::filesystem;

/// A cache of the test's own, and the compiler that the environment names.
class environment {
public:
    environment()
    {
        std::string name = (fs::temp_directory_path() / "ivp-generated-XXXXXX").string();
        folder_ = mkdtemp(name.data());
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;
    ~environment()
    {
        unsetenv("IVP_TEXT_COMPILER");
        fs::remove_all(folder_);
    }
    [[nodiscard]] fs::path models() const { return folder_ / "ivp" / "models"; }
    [[nodiscard]] std::vector<fs::path> files(const std::string& extension) const
    {
        std::vector<fs::path> found;
        std::error_code failed;
        for (const auto& f : fs::directory_iterator(models(), failed))
            if (f.path().extension() == extension) found.push_back(f.path());
        return found;
    }

private:
    fs::path folder_;
};

constexpr auto decay = "interval 0 .. 1\nstate x = 1\nx' = -3*x\n";

bool is_compiled(const problem& p) { return std::ranges::count(p.info().tags, compiled_tag) != 0; }

double slope(const problem& p)
{
    const double y = 2;
    double out = 0;
    EXPECT_EQ(p.in<double>().f(0, &y, &out), evaluation::ok);
    return out;
}

problem compiled_text(const std::string& text) { return text_problem("x.ivp", text, {}, text_evaluation::compiled); }

/// The generated code without the arithmetic that stands before every program.
std::string code_of(const std::string& text)
{
    const auto d = text::read_document("x.ivp", text);
    const parameter_values values(text::parameters_of(*d), {});
    std::string code = text::generated(text::build_model(d, values)->code);
    const auto begin = code.find(text::arithmetic);
    EXPECT_NE(begin, std::string::npos);
    return code.substr(begin + text::arithmetic.size());
}

/// Words that are neither ours nor v and a number.
std::vector<std::string> strange_words(const std::string& code)
{
    static const std::set<std::string> ours{"namespace",
                                            "using",
                                            "ivp",
                                            "text",
                                            "number",
                                            "dual",
                                            "double",
                                            "std",
                                            "template",
                                            "class",
                                            "T",
                                            "gnu",
                                            "always_inline",
                                            "inline",
                                            "int",
                                            "evaluate",
                                            "maybe_unused",
                                            "const",
                                            "__restrict",
                                            "k",
                                            "t",
                                            "y",
                                            "yp",
                                            "out",
                                            "work",
                                            "return",
                                            "extern",
                                            "C",
                                            "long",
                                            "o",
                                            "i",
                                            "j",
                                            "for",
                                            "if",
                                            "else",
                                            "bool",
                                            "true",
                                            "false",
                                            "sqrt",
                                            "exp",
                                            "log",
                                            "log10",
                                            "sin",
                                            "cos",
                                            "tan",
                                            "asin",
                                            "acos",
                                            "atan",
                                            "sinh",
                                            "cosh",
                                            "tanh",
                                            "abs",
                                            "atan2",
                                            "pow",
                                            "floor_of",
                                            "sign_of",
                                            "smaller",
                                            "larger",
                                            "remainder_of",
                                            "whole_power",
                                            "table_value",
                                            text::name_in_double,
                                            text::name_in_dual};
    std::vector<std::string> strange;
    for (std::size_t at = 0; at < code.size();) {
        const auto is_word = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
        if (!is_word(code[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < code.size() && is_word(code[end])) ++end;
        const std::string word = code.substr(at, end - at);
        at = end;
        const bool is_number = std::ranges::all_of(word, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
        const bool is_value = word.size() > 1 && (word[0] == 'v' || word[0] == 'b') &&
                              std::all_of(word.begin() + 1, word.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
        if (!is_number && !is_value && !ours.contains(word)) strange.push_back(word);
    }
    return strange;
}

} // namespace

TEST(GeneratedCode, HasArithmeticOnlyWhateverTheTextSays)
{
    const std::string hostile = "problem system \"'); system('id'); // \\\\ ${IFS}\"\n"
                                "interval 0 .. 1 # */ } extern int system(const char*); #include </etc/passwd> ?\n"
                                "parameter asm = 1.5 \"`id` $(id) [%s%n]\"\n"
                                "parameter __attribute__ = 2 whole \"*/ #error\"\n"
                                "parameter execve = 0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000001\n"
                                "constant operator = 1e300, goto = 12345678901234567890123456789\n"
                                "state main = 1 \"'; DROP TABLE run\", system_ = 2, exit[1..20] = 1\n"
                                "table printf = (0, 0), (1, 2), (3, 1) cubic\n"
                                "let malloc = if main > asm and t < 0.5 then execve*system_ else mod(main, goto)\n"
                                "main' = -asm*main + malloc + printf(system_)\n"
                                "system_' = sum(i in 1..20 : exit[i]) - operator*pow(system_, __attribute__)\n"
                                "for i in 1..20 : exit[i]' = -(if exit[i] > 0 then exit[i]^3 else sqrt(abs(exit[i])))\n"
                                "---\n\"); system(\"id\"); /* the chapter */\n";
    const std::string code = code_of(hostile);
    EXPECT_TRUE(strange_words(code).empty()) << testing::PrintToString(strange_words(code)) << "\n" << code;
    for (const char bad : {'#', '\\', '\'', '`', '$', '@', '%', '?'}) EXPECT_EQ(code.find(bad), std::string::npos) << bad;
    EXPECT_EQ(std::ranges::count(code, '"'), 4) << "only those of the two 'extern \"C\"'";
    const environment cache;
    const problem list = text_problem("x.ivp", hostile);
    const problem fast = compiled_text(hostile);
    std::vector<double> y(22, 0.7);
    std::vector<double> a(22);
    std::vector<double> b(22);
    EXPECT_EQ(list.in<double>().f(0.25, y.data(), a.data()), evaluation::ok);
    EXPECT_EQ(fast.in<double>().f(0.25, y.data(), b.data()), evaluation::ok);
    EXPECT_EQ(a, b);
}

TEST(GeneratedCode, NamesThatAreNoNamesAreRefused)
{
    for (const std::string name : {"a;b", "a\"b", "a\\", "a`", "$a", "a::b", "\xc3\xa4", "a\nb", "a#"}) {
        const std::string text = "interval 0 .. 1\nstate " + name + " = 1\n" + name + "' = 1\n";
        EXPECT_THROW((void)text_problem("x.ivp", text), bad_request) << name;
    }
}

TEST(Cache, TwoProcessesCompileOneModelAtTheSameTime)
{
    const environment cache;
    std::vector<pid_t> children;
    for (int k = 0; k < 3; ++k) {
        const pid_t child = fork();
        if (child == 0) {
            const problem p = compiled_text(decay);
            _exit(slope(p) == -6 ? (is_compiled(p) ? 0 : 2) : 1);
        }
        children.push_back(child);
    }
    std::set<int> codes;
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status));
        codes.insert(WEXITSTATUS(status));
    }
    if (codes.contains(2)) GTEST_SKIP() << "no compiler";
    EXPECT_EQ(codes, std::set<int>{0});
    EXPECT_EQ(cache.files(".so").size(), 1U);
    EXPECT_TRUE(cache.files(".part").empty());
}

TEST(Cache, IsBounded)
{
    const environment cache;
    if (!is_compiled(compiled_text(decay))) GTEST_SKIP() << "no compiler";
    constexpr int many = 400;
    const auto now = fs::file_time_type::clock::now();
    for (int k = 0; k < many; ++k) {
        const fs::path file = cache.models() / ("old-" + std::to_string(k) + ".so");
        std::ofstream(file) << "not a library";
        fs::last_write_time(file, now - std::chrono::hours(many - k)); // the later, the younger
    }
    EXPECT_TRUE(is_compiled(compiled_text("interval 0 .. 1\nstate x = 1\nx' = -4*x*x\n")));
    EXPECT_EQ(cache.files(".so").size(), 256U);
    EXPECT_FALSE(fs::exists(cache.models() / "old-0.so")) << "the oldest make room";
    EXPECT_TRUE(fs::exists(cache.models() / ("old-" + std::to_string(many - 1) + ".so")));
}

TEST(Cache, IsBoundedInBytes)
{
    const environment cache;
    if (!is_compiled(compiled_text(decay))) GTEST_SKIP() << "no compiler";
    constexpr std::uintmax_t megabyte = 1U << 20U;
    constexpr int many = 100;
    const auto now = fs::file_time_type::clock::now();
    for (int k = 0; k < many; ++k) {
        const fs::path file = cache.models() / ("large-" + std::to_string(k) + ".so");
        std::ofstream(file) << "";
        fs::resize_file(file, megabyte); // holes: nothing is written
        fs::last_write_time(file, now - std::chrono::hours(many - k));
    }
    EXPECT_TRUE(is_compiled(compiled_text("interval 0 .. 1\nstate x = 1\nx' = -5*x*x\n")));
    std::uintmax_t bytes = 0;
    for (const auto& file : cache.files(".so")) bytes += fs::file_size(file);
    EXPECT_LE(bytes, 64 * megabyte);
    EXPECT_GT(bytes, 62 * megabyte) << "no more goes than must";
    EXPECT_FALSE(fs::exists(cache.models() / "large-0.so")) << "the oldest make room";
    EXPECT_TRUE(fs::exists(cache.models() / ("large-" + std::to_string(many - 1) + ".so")));
}

TEST(Cache, AFileThatIsNoLibraryIsMadeAgain)
{
    const environment cache;
    if (!is_compiled(compiled_text(decay))) GTEST_SKIP() << "no compiler";
    const auto file = cache.files(".so").front();
    std::ofstream(file, std::ios::trunc) << "damaged";
    const problem p = compiled_text(decay);
    EXPECT_EQ(slope(p), -6);
    EXPECT_TRUE(is_compiled(p));
}

TEST(Cache, WithoutACompilerAModelRunsAsAList)
{
    const environment cache;
    for (const char* const compiler : {"/no/such/compiler", "none", "false"}) {
        setenv("IVP_TEXT_COMPILER", compiler, 1);
        const problem p = compiled_text(decay);
        EXPECT_FALSE(is_compiled(p)) << compiler;
        EXPECT_EQ(slope(p), -6) << compiler;
    }
    EXPECT_TRUE(cache.files(".so").empty());
    EXPECT_TRUE(cache.files(".part").empty());
}

TEST(Cache, TheRecordSaysWhatRan)
{
    const environment cache;
    const auto solver = open_solver("radau5");
    run_settings s;
    s.rtol = 1e-4;
    s.atol = {1e-4};
    s.repeat = 1;
    const auto extra_of = [&](const problem& p) {
        prepared_run run(p, *solver, s);
        run.sample();
        return run.record().extra;
    };
    const problem fast = compiled_text(decay);
    EXPECT_EQ(extra_of(fast).at("text_compiled"), is_compiled(fast) ? 1 : 0);
    EXPECT_EQ(extra_of(text_problem("x.ivp", decay)).at("text_compiled"), 0);
    EXPECT_FALSE(extra_of(open_problem("hires")).contains("text_compiled"));
}

TEST(Cache, AUserCanReadHowATextRuns)
{
    const environment cache;
    const fs::path file = cache.models().parent_path().parent_path() / "decay.ivp";
    std::ofstream(file) << decay;
    EXPECT_EQ(how_a_text_runs(file).starts_with("Runs evaluate this text compiled, by "), is_compiled(compiled_text(decay)));
    setenv("IVP_TEXT_COMPILER", "none", 1);
    EXPECT_EQ(how_a_text_runs(file), "Runs evaluate this text as a list of instructions: IVP_TEXT_COMPILER is 'none'.");
    setenv("IVP_TEXT_COMPILER", "/no/such/compiler", 1);
    EXPECT_EQ(how_a_text_runs(file),
              "Runs evaluate this text as a list of instructions: IVP_TEXT_COMPILER names '/no/such/compiler', which is not installed.");
    unsetenv("IVP_TEXT_COMPILER");
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/no/such/folder", 1);
    EXPECT_EQ(how_a_text_runs(file),
              "Runs evaluate this text as a list of instructions: no C++ compiler (c++, g++ or clang++) is on the search path.");
    setenv("PATH", path.c_str(), 1);
}

} // namespace ivp
