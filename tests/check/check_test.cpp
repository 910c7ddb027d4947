// A check is worth what it finds: each mutation of a sound problem must be named.
#include <ivp/check.hpp>
#include <ivp/problem_of.hpp>

#include <algorithm>
#include <gtest/gtest.h>

namespace ivp {

namespace {

enum class fault { none, jacobian, structure, start, derivative, index_order, reference_time, reference_value, breakpoint, time_dependence };
fault injected = fault::none;

/// A stand-in for a problem whose parts can be spoiled one at a time: y1' = -y1, 0 = y2 - y1.
template <class R>
struct spoiled {
    explicit spoiled(const parameter_values& /*p*/) {}

    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        out[0] = -y[0];
        if (injected == fault::time_dependence && t > R(1) / 2) out[0] *= 1 + (t - R(1) / 2) / 1000;
        out[1] = y[1] - y[0] * y[0];
        // A derivative that is not the one of the formula: only a dual sees the difference.
        if (injected == fault::jacobian) out[0] = -y[0] + 1e-3 * (y[0] - value_of(y[0]));
    }
    [[nodiscard]] mass_matrix<R> mass() const { return mass_matrix<R>::diagonal({R(1), R(0)}); }
    void initial(R* y) const
    {
        y[0] = R(2);
        y[1] = injected == fault::start ? R(5) : R(4);
    }
    void initial_derivative(R* yp) const
    {
        yp[0] = R(-2);
        yp[1] = injected == fault::derivative ? R(-9) : R(-8); // the equations contain no y2'
    }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "spoiled";
        i.form = form::dae;
        i.n = 2;
        i.tend = 1;
        i.highest_index = 1;
        i.index = injected == fault::index_order ? std::vector<int>{2, 1} : std::vector<int>{1, 1};
        i.jacobian_structure = structure::band(injected == fault::structure ? 0 : 1, 0);
        if (injected == fault::breakpoint) i.breakpoints = {"2"};
        i.tags = {"autonomous"};
        return i;
    }
};

check_report check_with(fault f)
{
    injected = f;
    reference_solution r;
    r.t = f == fault::reference_time ? 2 : 1;
    r.value = {decimal("0.7357588823428847"), decimal("0.5413411329464508")};
    if (f == fault::reference_value) r.value = {decimal("0.7357589"), decimal("0.54134115892921")}; // consistent, but of another solution
    r.digits = {15, 15};
    const check_report report = check_problem(problem_of<spoiled>().with_reference(r));
    injected = fault::none;
    return report;
}

void expect_only(const check_report& r, const std::string& what)
{
    for (const auto& f : r.findings) EXPECT_EQ(f.proof == proof::failed, f.what.find(what) != std::string::npos) << f.what << ": " << f.detail;
    EXPECT_FALSE(r.passed());
}

} // namespace

TEST(check_problem, passes_a_sound_problem)
{
    const check_report r = check_with(fault::none);
    for (const auto& f : r.findings) EXPECT_NE(f.proof, proof::failed) << f.what << ": " << f.detail;
    EXPECT_GE(r.findings.size(), 7u);
}

TEST(check_problem, finds_a_wrong_derivative) { expect_only(check_with(fault::jacobian), "Jacobian df/dy"); }
TEST(check_problem, finds_an_entry_outside_the_structure) { expect_only(check_with(fault::structure), "structure"); }
TEST(check_problem, finds_inconsistent_initial_values) { expect_only(check_with(fault::start), "initial values"); }
TEST(check_problem, finds_a_reference_at_another_time) { expect_only(check_with(fault::reference_time), "reference"); }
TEST(check_problem, finds_a_reference_that_no_method_confirms) { expect_only(check_with(fault::reference_value), "reference"); }
TEST(check_problem, finds_a_derivative_that_the_equations_do_not_contain) { expect_only(check_with(fault::derivative), "y0'"); }
TEST(check_problem, finds_a_breakpoint_outside) { expect_only(check_with(fault::breakpoint), "breakpoints"); }
TEST(check_problem, finds_a_dependence_on_time)
{
    for (const auto& f : check_with(fault::time_dependence).findings) // which makes it another solution, too
        EXPECT_EQ(f.proof == proof::failed, f.what == "autonomous" || f.what == "reference solution") << f.what << ": " << f.detail;
}
TEST(check_problem, finds_a_wrong_order_of_the_index) { expect_only(check_with(fault::index_order), "index"); }

TEST(check_problem, says_what_was_proven)
{
    const check_report r = check_with(fault::none);
    const auto by_name = [&r](std::string_view what) {
        const auto found = std::ranges::find(r.findings, what, &finding::what);
        return found == r.findings.end() ? finding{"missing", proof::none, ""} : *found;
    };
    EXPECT_EQ(by_name("index of the variables").proof, proof::proven) << by_name("index of the variables").detail;
    EXPECT_EQ(by_name("y0'").proof, proof::proven) << by_name("y0'").detail;
    EXPECT_EQ(by_name("structure of the Jacobian").proof, proof::proven);
    // 15 digits are more than two integrations in double can show.
    const finding reference = by_name("reference solution");
    EXPECT_EQ(reference.proof, proof::claimed) << reference.detail;
    EXPECT_NE(reference.detail.find("15.0 significant digits claimed"), std::string::npos) << reference.detail;
    EXPECT_NE(reference.detail.find("at rtol 1e-13 prove 1"), std::string::npos) << reference.detail;
}

TEST(check_problem, names_the_place)
{
    const auto failure = [](const check_report& r) {
        for (const auto& f : r.findings)
            if (f.proof == proof::failed) return f.detail;
        return std::string();
    };
    EXPECT_NE(failure(check_with(fault::jacobian)).find("row 1, column 1"), std::string::npos);
    EXPECT_EQ(failure(check_with(fault::structure)), "claimed band 0,0, but equation 2 depends on variable 1");
}

} // namespace ivp
