// What the C interface does with arguments and files that it should not have been given.
#include "handles.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <utility>

namespace {

using json = nlohmann::json;
using testing_support::opened;
using testing_support::start_of;
using testing_support::test_handle;
using testing_support::versioned;

constexpr double mark = -7.0971297e-297;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// ---- Matrices ----

/// Everything but the first n entries of each column is untouched, and those are the numbers of the matrix without gaps.
void expect_only_columns_written(int n, int ld, const std::vector<double>& gaps, const std::vector<double>& dense)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < ld; ++i) EXPECT_EQ(gaps[i + j * ld], i < n ? dense[i + j * n] : mark) << "row " << i << ", column " << j;
    for (std::size_t k = static_cast<std::size_t>(ld) * n; k < gaps.size(); ++k) EXPECT_EQ(gaps[k], mark) << "behind the matrix";
}

TEST(capi_matrices, nothing_is_written_between_the_columns)
{
    // By directions for few and for many equations, with a band, written by hand; as an IDE; with the derivatives as unknowns.
    const std::vector<std::tuple<const char*, const char*, int>> problems{
        {"hires", nullptr, 0},       {"pollu", nullptr, 0},          {"medakzo", "N=10", 0}, {"transamp", nullptr, 0},   {"beam", nullptr, 0},
        {"hires", nullptr, IVP_IDE}, {"transamp", nullptr, IVP_IDE}, {"nand", nullptr, 0},   {"nand", nullptr, IVP_DAE},
    };
    for (const auto& [id, parameters, form] : problems) {
        SCOPED_TRACE(std::string(id) + " as " + std::to_string(form));
        const auto t = opened(id, parameters, form);
        const int n = ivp_test_dimension(t.get());
        const int ld = n + 3;
        std::vector<double> y(n);
        std::vector<double> yp(n);
        ASSERT_EQ(ivp_test_initial(t.get(), y.data(), yp.data()), IVP_OK) << ivp_last_error();
        std::vector<double> dense(static_cast<std::size_t>(n) * n, mark);
        std::vector<double> gaps(static_cast<std::size_t>(ld) * n + 5, mark);
        if (ivp_test_form(t.get()) == IVP_IDE) {
            ASSERT_EQ(ivp_test_partials(t.get(), 0, y.data(), yp.data(), 2, 3, dense.data(), n), IVP_OK) << ivp_last_error();
            ASSERT_EQ(ivp_test_partials(t.get(), 0, y.data(), yp.data(), 2, 3, gaps.data(), ld), IVP_OK) << ivp_last_error();
        } else {
            ASSERT_EQ(ivp_test_jacobian(t.get(), 0, y.data(), dense.data(), n), IVP_OK) << ivp_last_error();
            ASSERT_EQ(ivp_test_jacobian(t.get(), 0, y.data(), gaps.data(), ld), IVP_OK) << ivp_last_error();
            std::vector<double> mass(gaps.size(), mark);
            std::vector<double> mass_dense(dense.size(), mark);
            ASSERT_EQ(ivp_test_mass(t.get(), mass.data(), ld), IVP_OK);
            ASSERT_EQ(ivp_test_mass(t.get(), mass_dense.data(), n), IVP_OK);
            expect_only_columns_written(n, ld, mass, mass_dense);
        }
        expect_only_columns_written(n, ld, gaps, dense);
    }
}

// ---- NULL ----

void never_called(void* /*data*/, const ivp_task* /*task*/, ivp_result* /*result*/) { FAIL() << "a solver was run"; }

/// One call, and what must be said of it.
struct wrong_call {
    const char* what;
    bool refused;
    const char* message;
};

class capi_null : public testing::Test {
protected:
    capi_null()
    {
        about_.name = "never";
        about_.forms = IVP_ODE;
        about_.lowest_order = about_.highest_order = 1;
        settings_.rtol = 1e-4;
        result_.solver = "mine";
        result_.rtol = 1e-4;
        result_.y = y_.data();
    }

    static void expect(bool refused, const std::string& message, const char* call)
    {
        EXPECT_TRUE(refused) << call;
        EXPECT_EQ(ivp_last_error(), message) << call;
        EXPECT_GT(ivp_catalog_size(), 0); // clears the error
        EXPECT_STREQ(ivp_last_error(), "");
    }

    test_handle ode_ = opened("hires");
    test_handle ide_ = opened("hires", nullptr, IVP_IDE);
    std::vector<double> y_ = start_of(ode_.get());
    std::vector<double> yp_ = std::vector<double>(8);
    std::vector<double> out_ = std::vector<double>(64);
    ivp_problem_description description_ = versioned<ivp_problem_description>();
    ivp_counts counts_ = versioned<ivp_counts>();
    ivp_submission result_ = versioned<ivp_submission>();
    ivp_solver_description about_ = versioned<ivp_solver_description>();
    ivp_settings settings_ = versioned<ivp_settings>();
};

#define EXPECT_INT(call, message) expect((call) == IVP_WRONG_USE, message, #call)
#define EXPECT_NUMBER(call, message) expect(std::isnan(call), message, #call)
#define EXPECT_NONE(call, message) expect((call) == nullptr, message, #call)

/// The test itself: NULL, and closed. Every function that takes one is here.
TEST_F(capi_null, no_test)
{
    ivp_test* closed = ivp_test_open("hires", nullptr, 0);
    ivp_test* closed_ide = ivp_test_open("hires", nullptr, IVP_IDE);
    ASSERT_NE(closed, nullptr);
    ASSERT_NE(closed_ide, nullptr);
    ivp_test_close(closed);
    ivp_test_close(closed_ide);
    double* const y = y_.data();
    double* const yp = yp_.data();
    double* const out = out_.data();
    for (const auto& [f, g, why] :
         {std::tuple<ivp_test*, ivp_test*, const char*>{nullptr, nullptr, "test is NULL"}, {closed, closed_ide, "test has been closed"}}) {
        EXPECT_INT(ivp_test_dimension(f), why);
        EXPECT_INT(ivp_test_form(f), why);
        EXPECT_NUMBER(ivp_test_t0(f), why);
        EXPECT_NUMBER(ivp_test_tend(f), why);
        EXPECT_INT(ivp_test_describe(f, &description_), why);
        EXPECT_INT(ivp_test_initial(f, y, yp), why);
        EXPECT_INT(ivp_test_tolerances(f, 1e-4, y, yp), why);
        EXPECT_NUMBER(ivp_test_first_step(f, 1e-4), why);
        EXPECT_INT(ivp_test_f(f, 0, y, out), why);
        EXPECT_INT(ivp_test_g(g, 0, y, yp, out), why);
        EXPECT_INT(ivp_test_f_difference(f, 0, y, out), why);
        EXPECT_INT(ivp_test_g_difference(g, 0, y, yp, out), why);
        EXPECT_INT(ivp_test_jacobian(f, 0, y, out, 8), why);
        EXPECT_INT(ivp_test_partials(g, 0, y, yp, 1, 1, out, 8), why);
        EXPECT_INT(ivp_test_mass(f, out, 8), why);
        EXPECT_INT(ivp_test_mass_multiply(f, y, out), why);
        EXPECT_INT(ivp_test_count(f, 1, 1, 1), why);
        EXPECT_INT(ivp_test_counts(f, &counts_), why);
        EXPECT_INT(ivp_test_begin(f), why);
        EXPECT_INT(ivp_test_digits(f, 1e-4, nullptr, y, nullptr, nullptr), why);
        EXPECT_NONE(ivp_test_submit(f, &result_, nullptr), why);
        EXPECT_NONE(ivp_measure(f, &about_, never_called, nullptr, &settings_, nullptr), why);
    }
    ivp_test_close(nullptr);
    EXPECT_STREQ(ivp_last_error(), "");
    ivp_test_close(closed);
    EXPECT_STREQ(ivp_last_error(), "test has been closed");
}

/// The other pointers, one after the other.
TEST_F(capi_null, no_argument)
{
    ivp_test* const f = ode_.get();
    ivp_test* const g = ide_.get();
    double* const y = y_.data();
    double* const yp = yp_.data();
    double* const out = out_.data();
    EXPECT_NONE(ivp_test_open(nullptr, nullptr, 0), "id is NULL");
    EXPECT_INT(ivp_test_describe(f, nullptr), "out is NULL");
    EXPECT_INT(ivp_test_initial(f, nullptr, yp), "y is NULL");
    EXPECT_INT(ivp_test_tolerances(f, 1e-4, nullptr, out), "rtol_out is NULL");
    EXPECT_INT(ivp_test_tolerances(f, 1e-4, out, nullptr), "atol_out is NULL");
    EXPECT_INT(ivp_test_tolerances(f, 1e-4, nullptr, nullptr), "rtol_out is NULL\natol_out is NULL");
    EXPECT_INT(ivp_test_f(f, 0, nullptr, out), "y is NULL");
    EXPECT_INT(ivp_test_f(f, 0, y, nullptr), "out is NULL");
    EXPECT_INT(ivp_test_f_difference(f, 0, nullptr, out), "y is NULL");
    EXPECT_INT(ivp_test_f_difference(f, 0, y, nullptr), "out is NULL");
    EXPECT_INT(ivp_test_g(g, 0, nullptr, yp, out), "y is NULL");
    EXPECT_INT(ivp_test_g(g, 0, y, nullptr, out), "yp is NULL");
    EXPECT_INT(ivp_test_g(g, 0, y, yp, nullptr), "out is NULL");
    EXPECT_INT(ivp_test_g_difference(g, 0, nullptr, yp, out), "y is NULL");
    EXPECT_INT(ivp_test_g_difference(g, 0, y, nullptr, out), "yp is NULL");
    EXPECT_INT(ivp_test_g_difference(g, 0, y, yp, nullptr), "out is NULL");
    EXPECT_INT(ivp_test_jacobian(f, 0, nullptr, out, 8), "y is NULL");
    EXPECT_INT(ivp_test_jacobian(f, 0, y, nullptr, 8), "out is NULL");
    EXPECT_INT(ivp_test_partials(g, 0, nullptr, yp, 1, 1, out, 8), "y is NULL");
    EXPECT_INT(ivp_test_partials(g, 0, y, nullptr, 1, 1, out, 8), "yp is NULL");
    EXPECT_INT(ivp_test_partials(g, 0, y, yp, 1, 1, nullptr, 8), "out is NULL");
    EXPECT_INT(ivp_test_mass(f, nullptr, 8), "out is NULL");
    EXPECT_INT(ivp_test_mass_multiply(f, nullptr, out), "x is NULL");
    EXPECT_INT(ivp_test_mass_multiply(f, y, nullptr), "out is NULL");
    EXPECT_INT(ivp_test_counts(f, nullptr), "out is NULL");
    EXPECT_INT(ivp_test_digits(f, 1e-4, nullptr, nullptr, nullptr, nullptr), "y is NULL");
    EXPECT_NONE(ivp_test_submit(f, nullptr, nullptr), "result is NULL");
    EXPECT_NONE(ivp_measure(f, nullptr, never_called, nullptr, &settings_, nullptr), "solver is NULL");
    EXPECT_NONE(ivp_measure(f, &about_, nullptr, nullptr, &settings_, nullptr), "solve is NULL");
    EXPECT_NONE(ivp_measure(f, &about_, never_called, nullptr, nullptr, nullptr), "settings is NULL");
    result_.y = nullptr;
    EXPECT_NONE(ivp_test_submit(f, &result_, nullptr), "y is NULL");
    result_.solver = nullptr;
    EXPECT_EQ(ivp_test_submit(f, &result_, nullptr), nullptr);
    about_.option_count = 2;
    EXPECT_EQ(ivp_measure(f, &about_, never_called, nullptr, &settings_, nullptr), nullptr);
    EXPECT_NE(std::string(ivp_last_error()), "");
    // Nothing was counted by calls that were refused.
    ASSERT_EQ(ivp_test_counts(f, &counts_), IVP_OK);
    EXPECT_EQ(counts_.nfev + counts_.nfev_jac + counts_.njac, 0);
}

// ---- Numbers ----

TEST(capi_numbers, counts_have_a_sign_and_a_range)
{
    const auto t = opened("hires");
    EXPECT_EQ(ivp_test_count(t.get(), 1, -2, -3), IVP_WRONG_USE);
    EXPECT_STREQ(ivp_last_error(),
                 "solves: -2 given; allowed: a whole number from 0\ndifference_jacobians: -3 given; allowed: a whole number from 0");
    auto c = versioned<ivp_counts>();
    ASSERT_EQ(ivp_test_counts(t.get(), &c), IVP_OK);
    EXPECT_EQ(c.nlu, 0) << "counted although another number was wrong";

    const auto y = start_of(t.get());
    auto s = versioned<ivp_submission>();
    s.solver = "mine";
    s.rtol = 1e-4;
    s.y = y.data();
    for (const auto& [steps, accepted] :
         {std::pair<std::int64_t, std::int64_t>{-1, -1}, {3, 4}, {(std::int64_t{1} << 53) + 1, 0}, {INT64_MAX, INT64_MAX}}) {
        s.steps = steps;
        s.accepted = accepted;
        EXPECT_EQ(ivp_test_submit(t.get(), &s, nullptr), nullptr) << steps;
        EXPECT_NE(std::string(ivp_last_error()).find("allowed: 0 <= accepted <= steps <= 2^53"), std::string::npos) << ivp_last_error();
    }
}

TEST(capi_numbers, settings_are_checked)
{
    const auto t = opened("hires");
    auto about = versioned<ivp_solver_description>();
    about.name = "never";
    about.forms = IVP_ODE;
    about.flags = IVP_TAKES_H0;
    about.lowest_order = about.highest_order = 1;
    const auto refused = [&](auto&& change, const std::string& word) {
        auto settings = versioned<ivp_settings>();
        settings.rtol = 1e-4;
        change(settings);
        EXPECT_EQ(ivp_measure(t.get(), &about, never_called, nullptr, &settings, nullptr), nullptr) << word;
        EXPECT_EQ(std::string(ivp_last_error()).rfind(word, 0), 0U) << ivp_last_error();
    };
    refused([](ivp_settings& s) { s.size = 8; }, "ivp_settings does not begin");
    refused([](ivp_settings& s) { s.rtol = not_a_number; }, "rtol");
    refused([](ivp_settings& s) { s.h0 = -1; }, "h0");
    refused([](ivp_settings& s) { s.h0 = not_a_number; }, "h0");
    refused([](ivp_settings& s) { s.hmax = -1; }, "hmax");
    refused([](ivp_settings& s) { s.hmax = not_a_number; }, "hmax");
    refused([](ivp_settings& s) { s.hmax = -std::numeric_limits<double>::infinity(); }, "hmax");
    refused([](ivp_settings& s) { s.tend = -1; }, "tend");
    refused([](ivp_settings& s) { s.timeout_s = -1; }, "timeout");
    refused([](ivp_settings& s) { s.repeat = -1; }, "repeat");
    refused([](ivp_settings& s) { s.differences = 7; }, "differences");
    EXPECT_TRUE(std::isnan(ivp_test_first_step(t.get(), 0)));
    EXPECT_STREQ(ivp_last_error(), "rtol: 0 given; allowed: a number above 0");
    EXPECT_TRUE(std::isnan(ivp_test_first_step(t.get(), not_a_number)));
}

// ---- The file of records ----

class capi_store : public testing::Test {
protected:
    capi_store()
    {
        std::remove(path_.c_str());
        result_.solver = "mine";
        result_.rtol = 1e-4;
        result_.y = y_.data();
    }
    ~capi_store() override { std::remove(path_.c_str()); }
    capi_store(const capi_store&) = delete;
    capi_store& operator=(const capi_store&) = delete;

    const char* submit() { return ivp_test_submit(t_.get(), &result_, path_.c_str()); }
    void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
    [[nodiscard]] std::string text() const
    {
        std::ostringstream all;
        all << std::ifstream(path_, std::ios::binary).rdbuf();
        return all.str();
    }
    void expect_refused(const std::string& why)
    {
        const std::string before = text();
        EXPECT_EQ(submit(), nullptr);
        EXPECT_EQ(ivp_last_error(), "store: '" + path_ + "' " + why);
        EXPECT_EQ(text(), before);
    }

    std::string path_ = testing::TempDir() + "ivp_capi_wrong_use.jsonl";
    test_handle t_ = opened("hires");
    std::vector<double> y_ = start_of(t_.get());
    ivp_submission result_ = versioned<ivp_submission>();
};

TEST_F(capi_store, a_full_device_is_told)
{
    path_ = "/dev/full";
    EXPECT_EQ(submit(), nullptr);
    EXPECT_STREQ(ivp_last_error(), "store: '/dev/full' cannot be written: No space left on device");
    path_.clear();
}

/// As on a full disk: some bytes go in, the others do not.
TEST_F(capi_store, a_line_without_room_leaves_no_half)
{
    ASSERT_NE(submit(), nullptr) << ivp_last_error();
    const std::string one = text();
    ASSERT_GT(one.size(), 200U);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = one.size() + one.size() / 2;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const char* const answer = submit();
    const std::string why = ivp_last_error();
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(answer, nullptr);
    EXPECT_EQ(why, "store: '" + path_ + "' cannot be written: File too large");
    EXPECT_EQ(text(), one);
    sigset_t waiting;
    sigpending(&waiting);
    EXPECT_EQ(sigismember(&waiting, SIGXFSZ), 0) << "a signal is left over";
    ASSERT_NE(submit(), nullptr) << ivp_last_error();
    EXPECT_GT(text().size(), 2 * one.size() - 50);
}

TEST_F(capi_store, only_files_of_records_are_appended_to)
{
    write(std::string("SQLite format 3\0 and pages", 26));
    expect_refused("is an SQLite store; allowed: a file of records, one line of JSON each, which 'ivp import' adds to such a store");
    write("problem,solver\n");
    expect_refused("holds something else; allowed: a file of records, one line of JSON each");
    for (const char* const other : {"{\n  \"name\": \"package\"\n}\n", "{\"name\": \"package\"}\n", "{\"name\": \"package\"}",
                                    "{\"name\": 1,\n\"b\": 2}\n", "{}\n", "[{\"problem\": 1, \"solver\": 2}]\n"}) {
        write(other);
        expect_refused("holds something else; allowed: a file of records, one line of JSON each");
        EXPECT_EQ(text(), other);
    }
    std::remove(path_.c_str());
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    EXPECT_EQ(submit(), nullptr);
    EXPECT_EQ(ivp_last_error(), "store: '" + path_ + "' is not a file; allowed: a file of records, one line of JSON each");
}

TEST_F(capi_store, a_half_line_of_another_program_spoils_only_itself)
{
    write("{\"problem\": \"hi");
    ASSERT_NE(submit(), nullptr) << ivp_last_error();
    std::istringstream lines(text());
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "{\"problem\": \"hi");
    std::getline(lines, line);
    EXPECT_EQ(json::parse(line)["problem"], "hires");
    EXPECT_FALSE(std::getline(lines, line));
    EXPECT_NE(submit(), nullptr) << "and not the next one: " << ivp_last_error();
}

TEST_F(capi_store, a_refused_measurement_makes_no_file)
{
    auto about = versioned<ivp_solver_description>();
    about.name = "never";
    about.forms = IVP_ODE;
    about.lowest_order = about.highest_order = 1;
    auto settings = versioned<ivp_settings>();
    settings.rtol = -1;
    EXPECT_EQ(ivp_measure(t_.get(), &about, never_called, nullptr, &settings, path_.c_str()), nullptr);
    EXPECT_FALSE(std::ifstream(path_).good());
    settings.rtol = 1e-4;
    write("something else");
    EXPECT_EQ(ivp_measure(t_.get(), &about, never_called, nullptr, &settings, path_.c_str()), nullptr);
    EXPECT_EQ(text(), "something else");
}

} // namespace
