// What is claimed by a problem that can only be evaluated: differences and integrations must prove it, or say that they do not.
#include <ivp/catalog.hpp>
#include <ivp/check.hpp>
#include <ivp/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

namespace ivp {

namespace {

std::string file(const std::string& name) { return std::string(IVP_TEST_PLUGIN_DIR) + "/" + name + ".so"; }

enum line_fault { none, far_entry, every_row, reference, few_digits, infinite, time, derivative, cannot_integrate, no_number };

/// With its default parameters, so that it has a reference.
problem line(line_fault fault)
{
    setenv("IVP_TEST_LINE_FAULT", std::to_string(fault).c_str(), 1);
    problem p = open_problem(file("line"));
    unsetenv("IVP_TEST_LINE_FAULT");
    return p;
}

finding about(const check_report& r, std::string_view what)
{
    const auto found = std::ranges::find(r.findings, what, &finding::what);
    return found == r.findings.end() ? finding{"missing", proof::none, ""} : *found;
}

void expect_only_failure(const check_report& r, std::string_view what, const std::string& detail)
{
    for (const auto& f : r.findings) EXPECT_EQ(f.proof == proof::failed, f.what == what) << f.what << ": " << f.detail;
    EXPECT_NE(about(r, what).detail.find(detail), std::string::npos) << about(r, what).detail;
}

} // namespace

// v vanishes at one border: a width in proportion to it is tiny. With N = 8 the large terms of a neighbouring equation cancel, and rounding is in
// proportion to the terms, not to their small sum: a difference with that one width has three digits there.
TEST(check_of_a_plugin, a_right_jacobian_passes_at_every_size)
{
    for (const char* N : {"4", "8", "16", "24"}) {
        const check_report r = check_problem(open_problem(file("brusselator"), {{"N", N}}));
        for (const auto& f : r.findings) EXPECT_NE(f.proof, proof::failed) << N << ' ' << f.what << ": " << f.detail;
        EXPECT_EQ(about(r, "Jacobian df/dy").proof, proof::proven) << about(r, "Jacobian df/dy").detail;
        EXPECT_EQ(about(r, "structure of the Jacobian").proof, proof::proven) << about(r, "structure of the Jacobian").detail;
    }
}

TEST(check_of_a_plugin, a_jacobian_wrong_by_a_thousandth_is_found)
{
    for (const char* N : {"4", "8", "16"})
        expect_only_failure(check_problem(open_problem(file("brusselator"), {{"N", N}, {"fault", "1"}})), "Jacobian df/dy",
                            "largest relative deviation 1.0e-03 at row");
}

TEST(check_of_a_plugin, what_is_right_is_proven)
{
    const check_report r = check_problem(line(none));
    for (const auto& f : r.findings) EXPECT_NE(f.proof, proof::failed) << f.what << ": " << f.detail;
    EXPECT_EQ(about(r, "structure of the Jacobian").proof, proof::proven) << about(r, "structure of the Jacobian").detail;
    EXPECT_EQ(about(r, "autonomous").proof, proof::proven);
    EXPECT_EQ(about(r, "Jacobian").proof, proof::none);
    // Two runs in double do not prove fifteen digits.
    EXPECT_EQ(about(r, "reference solution").proof, proof::claimed) << about(r, "reference solution").detail;
    EXPECT_NE(about(r, "reference solution").detail.find("15.0 significant digits claimed; radau and gamd at rtol 1e-13 prove 1"), std::string::npos)
        << about(r, "reference solution").detail;
}

TEST(check_of_a_plugin, a_wrong_band_is_found_without_a_jacobian)
{
    expect_only_failure(check_problem(open_problem(file("line"), {{"fault", "1"}})), "structure of the Jacobian",
                        "claimed band 1,1, but equation 2 depends on variable 20");
    const check_report every = check_problem(open_problem(file("line"), {{"fault", "2"}, {"N", "300"}}));
    EXPECT_EQ(about(every, "structure of the Jacobian").proof, proof::failed);
    const std::string detail = about(every, "structure of the Jacobian").detail;
    int equation = 0;
    int variable = 0;
    ASSERT_EQ(std::sscanf(detail.c_str(), "claimed band 1,1, but equation %d depends on variable %d", &equation, &variable), 2) << detail;
    EXPECT_EQ(variable, equation + 2);
}

// A matrix of 1e5 rows would need 80 GB; the work must follow the band.
TEST(check_of_a_plugin, a_hundred_thousand_equations_in_a_band)
{
    const check_report good = check_problem(open_problem(file("line"), {{"N", "100000"}}));
    for (const auto& f : good.findings) EXPECT_NE(f.proof, proof::failed) << f.what << ": " << f.detail;
    EXPECT_EQ(about(good, "structure of the Jacobian").proof, proof::proven);
    EXPECT_EQ(about(check_problem(open_problem(file("line"), {{"N", "100000"}, {"fault", "1"}})), "structure of the Jacobian").detail,
              "claimed band 1,1, but equation 2 depends on variable 100000");
}

TEST(check_of_a_plugin, a_wrong_reference_is_contradicted)
{
    expect_only_failure(check_problem(line(reference)), "reference solution", "contradict it: it has 4.6 digits");
    EXPECT_NE(about(check_problem(line(reference)), "reference solution").detail.find("on component 3"), std::string::npos);
    expect_only_failure(check_problem(line(few_digits)), "reference solution", "contradict it: it has 7.0 digits");
}

TEST(check_of_a_plugin, a_reference_that_is_not_finite_is_refused_when_it_is_read)
{
    for (const auto& [fault, word] :
         {std::pair{infinite, "reference: component 2 is inf"}, std::pair{no_number, "reference_digits: component 2 has nan"}}) {
        try {
            (void)line(fault);
            FAIL() << word;
        } catch (const bad_request& e) {
            EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
        }
    }
}

TEST(check_of_a_plugin, promises_are_held_against_the_equations)
{
    EXPECT_EQ(about(check_problem(open_problem(file("line"), {{"fault", "6"}})), "autonomous").proof, proof::failed);
    const check_report r = check_problem(open_problem(file("line"), {{"fault", "7"}}));
    EXPECT_EQ(about(r, "initial values").proof, proof::failed) << about(r, "initial values").detail;
    EXPECT_EQ(about(r, "y0'").proof, proof::failed) << about(r, "y0'").detail;
}

// That our methods do not get through is told, but it is no fault of the problem.
TEST(check_of_a_plugin, what_we_cannot_integrate_stays_a_claim)
{
    const check_report r = check_problem(line(cannot_integrate));
    EXPECT_EQ(about(r, "reference solution").proof, proof::claimed) << about(r, "reference solution").detail;
    EXPECT_NE(about(r, "reference solution").detail.find("not tested: no two of our methods reached the end"), std::string::npos);
    EXPECT_TRUE(r.passed());
}

} // namespace ivp
