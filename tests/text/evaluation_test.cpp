// What a text means: every construct against the formula written in C++, as instructions and compiled, with the same bits.
#include "text/text_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ivp {

namespace {

struct temporary_cache {
    temporary_cache()
    {
        std::string name = (std::filesystem::temp_directory_path() / "ivp-text-XXXXXX").string();
        folder = mkdtemp(name.data());
        setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    }
    temporary_cache(const temporary_cache&) = delete;
    temporary_cache& operator=(const temporary_cache&) = delete;
    ~temporary_cache() { std::filesystem::remove_all(folder); }
    [[nodiscard]] std::size_t libraries() const
    {
        std::size_t n = 0;
        if (!std::filesystem::exists(folder / "ivp" / "models")) return 0;
        for (const auto& f : std::filesystem::directory_iterator(folder / "ivp" / "models")) n += f.path().extension() == ".so" ? 1 : 0;
        return n;
    }
    std::filesystem::path folder;
};

std::vector<double> f_of(const problem& p, double t, const std::vector<double>& y)
{
    std::vector<double> out(y.size());
    EXPECT_EQ(p.in<double>().f(t, y.data(), out.data()), evaluation::ok);
    return out;
}

std::vector<double> jacobian_of(const problem& p, double t, const std::vector<double>& y)
{
    std::vector<double> values(y.size() * y.size());
    const int n = p.n();
    const matrix_view<double> out{structure_kind::full, n, 0, 0, n, nullptr, values.data()};
    const auto work = p.in<double>().make_scratch();
    EXPECT_EQ(p.in<double>().jacobian(t, y.data(), *work, out), evaluation::ok);
    return values;
}

/// x' = the expression, at x = 1.5, y = -0.5, t = 0.7.
double value_of_text(const std::string& expression, const std::string& more = "")
{
    const problem p = text_problem("x.ivp", "interval 0 .. 10\nparameter k = 3\nstate x = 1, y = 1\n" + more + "\nx' = " + expression + "\ny' = 0\n");
    return f_of(p, 0.7, {1.5, -0.5})[0];
}

constexpr double x = 1.5;
constexpr double y = -0.5;

} // namespace

TEST(Evaluation, BindsAsThePageSays)
{
    EXPECT_EQ(value_of_text("-x^2"), -(x * x));
    EXPECT_EQ(value_of_text("2^-1*x"), 0.5 * x);
    EXPECT_EQ(value_of_text("2^3^2*x"), 512 * x);
    EXPECT_EQ(value_of_text("x - y - 1"), x - y - 1);
    EXPECT_EQ(value_of_text("x/y/2"), x / y / 2);
    EXPECT_EQ(value_of_text("x/y*2"), x / y * 2);
    EXPECT_EQ(value_of_text("1/2*x"), 0.5 * x); // division is real
    EXPECT_EQ(value_of_text("if x > 1 and not (y > 0) or t > 100 then x else y"), x);
    EXPECT_EQ(value_of_text("if x < 1 then 1 else if y < 0 then 2*x else 3"), 2 * x);
    EXPECT_EQ(value_of_text("x - (y - 1)"), x - (y - 1));
}

TEST(Evaluation, BranchesReadWhatIsKnownOutside)
{
    EXPECT_EQ(value_of_text("x*y + x - y + (if x > 1 then x*y else y)"), x * y + x - y + x * y);
    EXPECT_EQ(value_of_text("2*x*y - (if x > 1 then 2*x*y else y) - (if x > 1 then y else 2*x*y)"), 2 * x * y - 2 * x * y - y);
    EXPECT_EQ(value_of_text("(if x > 1 then exp(x) else y) + (if x > 1 then (if y > 0 then 1 else exp(x)*y) else 3) - exp(x)"),
              std::exp(x) + std::exp(x) * y - std::exp(x));
}

TEST(Evaluation, LongSumsKeepTheirOrder)
{
    // Lengths around those that have an instruction of their own, with and without coefficients, more rows than go together, and a sum that is -0.
    for (int n = 1; n <= 20; ++n) {
        std::string plain = "x*y";
        std::string weighted = "0.1*x";
        double plain_value = x * y;
        double weighted_value = 0.1 * x;
        for (int k = 1; k < n; ++k) {
            const double c = 0.3 * k;
            plain += (k % 2 != 0 ? " - " : " + ") + std::to_string(k) + "*x*y";
            plain_value = k % 2 != 0 ? plain_value - k * x * y : plain_value + k * x * y;
            weighted += (k % 3 != 0 ? " - 0.3*" : " + 0.3*") + std::to_string(k) + "*y";
            weighted_value = k % 3 != 0 ? weighted_value - c * y : weighted_value + c * y;
        }
        EXPECT_EQ(value_of_text(plain), plain_value) << plain;
        EXPECT_EQ(value_of_text(weighted), weighted_value) << weighted;
    }
    const problem p = text_problem("x.ivp", "interval 0 .. 1\nstate a = 1, b = 2, c = 3, d = 4, e = 5\na' = -2*a + 3*b\nb' = 0.1*a + 0.2*b + 0.3*c\n"
                                            "c' = 7*a - 7*a\nd' = 2*b + 3*a + 4*c + 0.1*e\ne' = -0.5*a - 0.5*b\n");
    EXPECT_EQ(f_of(p, 0, {0.1, 0.2, 0.3, 0.4, 0.5}), (std::vector<double>{-2 * 0.1 + 3 * 0.2, 0.1 * 0.1 + 0.2 * 0.2 + 0.3 * 0.3, 7 * 0.1 - 7 * 0.1,
                                                                          2 * 0.2 + 3 * 0.1 + 4 * 0.3 + 0.1 * 0.5, -0.5 * 0.1 - 0.5 * 0.2}));
    EXPECT_TRUE(std::signbit(f_of(p, 0, {0.0, -0.0, 0, 0, 0})[0])) << "-2*0 + 3*(-0) is -0, also among longer sums";
}

TEST(Evaluation, KnowsItsFunctions)
{
    EXPECT_EQ(value_of_text("sqrt(x)"), std::sqrt(x));
    EXPECT_EQ(value_of_text("exp(y)"), std::exp(y));
    EXPECT_EQ(value_of_text("log(x)"), std::log(x));
    EXPECT_EQ(value_of_text("log10(x)"), std::log10(x));
    EXPECT_EQ(value_of_text("sin(x) + cos(x) + tan(x)"), std::sin(x) + std::cos(x) + std::tan(x));
    EXPECT_EQ(value_of_text("asin(y) + acos(y) + atan(y)"), std::asin(y) + std::acos(y) + std::atan(y));
    EXPECT_EQ(value_of_text("sinh(x) + cosh(x) + tanh(x)"), std::sinh(x) + std::cosh(x) + std::tanh(x));
    EXPECT_EQ(value_of_text("abs(y)"), 0.5);
    EXPECT_EQ(value_of_text("sign(y) + sign(x) + sign(x - x)"), 0.0);
    EXPECT_EQ(value_of_text("floor(x) + floor(y)"), 0.0);
    EXPECT_EQ(value_of_text("min(x, y) + max(x, y, 7)"), y + 7);
    EXPECT_EQ(value_of_text("atan2(y, x)"), std::atan2(y, x));
    EXPECT_EQ(value_of_text("mod(y, 2)"), y + 2);
    EXPECT_EQ(value_of_text("pow(x, 1.7) + x^y"), std::pow(x, 1.7) + std::pow(x, y));
    EXPECT_EQ(value_of_text("x^0.5"), std::sqrt(x));
    EXPECT_EQ(value_of_text("x^-3"), 1 / (x * (x * x)));
    EXPECT_EQ(value_of_text("pi*x"), std::acos(-1.0) * x);
}

TEST(Evaluation, TablesAreLinesOrSplines)
{
    EXPECT_DOUBLE_EQ(value_of_text("road(x)", "table road = (0, 0), (1, 0.02), (3, 0) linear"), 0.02 - 0.01 * 0.5);
    EXPECT_DOUBLE_EQ(value_of_text("road(x + 10)", "table road = (0, 0), (1, 0.02), (3, 0.5)"), 0.5);
    EXPECT_DOUBLE_EQ(value_of_text("road(y)", "table road = (0, 7), (1, 0.02)"), 7);
    // The natural spline through points of a line is the line.
    EXPECT_NEAR(value_of_text("road(x)", "table road = (0, 1), (1, 3), (4, 9), (5, 11) cubic"), 1 + 2 * x, 1e-14);
    const problem p = text_problem("x.ivp", "interval 0 .. 5\ntable road = (0, 0), (1, 0.02), (3, 0)\nstate x = 0\nx' = road(t)\n");
    ASSERT_EQ(p.info().discontinuities.size(), 2U);
    EXPECT_EQ(p.info().discontinuities[1].text(), "3");
}

TEST(Evaluation, OnlyTheBranchTakenCounts)
{
    const problem p = text_problem("x.ivp", "interval 0 .. 5\nstate x = -1\nx' = if x > 0 then sqrt(x) else -x\n");
    EXPECT_EQ(f_of(p, 0, {-4})[0], 4);
    EXPECT_EQ(jacobian_of(p, 0, {-4})[0], -1);
    EXPECT_EQ(jacobian_of(p, 0, {4})[0], 0.25);
    EXPECT_FALSE(p.info().tags.empty());
}

TEST(Evaluation, ConditionsInTimeTakeTheSegmentAheadAtARestart)
{
    const std::string text = "interval 0 .. 10\nstate x = 0\nx' = (if t <= 5 then 1 else 2) + (if t > 3 then 10 else 20)\n";
    const problem free = text_problem("x.ivp", text);
    EXPECT_EQ(f_of(free, 5, {0})[0], 11); // as written
    EXPECT_EQ(f_of(free, 3, {0})[0], 21);
    ASSERT_EQ(free.info().discontinuities.size(), 2U);
    EXPECT_TRUE(free.info().breakpoints.empty());
    const problem restarted = text_problem("x.ivp", text + "break at 3, 5\n");
    EXPECT_EQ(f_of(restarted, 5, {0})[0], 12);
    EXPECT_EQ(f_of(restarted, 3, {0})[0], 11);
    const problem day = text_problem("x.ivp", "interval 0 .. 10\nstate x = 0\nx' = if mod(t, 4) < 1 then 1 else 0\n");
    ASSERT_EQ(day.info().discontinuities.size(), 5U); // 1, 4, 5, 8, 9
    EXPECT_EQ(day.info().discontinuities[1].text(), "4");
}

TEST(Evaluation, RequirementsRefuse)
{
    const problem p = text_problem("x.ivp", "interval 0 .. 1\nstate x = 1, u[1..20] = 1\nrequire x >= 0\nfor i in 1..20 : require u[i] < 5\n"
                                            "x' = -x\nfor i in 1..20 : u[i]' = 0*u[i]\n");
    std::vector<double> at(21, 1.0);
    std::vector<double> out(21);
    EXPECT_EQ(p.in<double>().f(0, at.data(), out.data()), evaluation::ok);
    at[0] = -1;
    EXPECT_EQ(p.in<double>().f(0, at.data(), out.data()), evaluation::refused);
    at[0] = 1;
    at[20] = 6;
    EXPECT_EQ(p.in<double>().f(0, at.data(), out.data()), evaluation::refused);
}

TEST(Evaluation, ParametersGovernSizesAndConstants)
{
    const std::string text = "parameter N = 4 whole\nparameter L = 2\nconstant h = L/N\nconstant w[1..N] = i*h\ninterval 0 .. L\n"
                             "state u[1..N] = w[i]\nfor i in 1..N : u[i]' = w[i]*u[i]\n";
    const problem p = text_problem("x.ivp", text, {{"N", "20"}, {"L", "10"}});
    EXPECT_EQ(p.n(), 20);
    EXPECT_EQ(p.info().tend.text(), "10");
    EXPECT_EQ(p.in<double>().initial_values()[19], 10);
    EXPECT_EQ(f_of(p, 0, std::vector<double>(20, 2.0))[3], 4.0);
    EXPECT_EQ(p.info().component_names[3], "u[4]");
}

TEST(Evaluation, ArraysOfTwoDimensionsAndInterleavedOnes)
{
    const problem p =
        text_problem("x.ivp", "interval 0 .. 1\nstate u[1..3, 1..4] = 10*i + j\nstate interleaved a[1..2] = 1, b[1..2] = 2\n"
                              "for i in 1..3, j in 1..4 : u[i,j]' = u[i,j]*i + j\nfor i in 1..2 : a[i]' = b[i]\nfor i in 1..2 : b[i]' = -a[i]\n");
    const auto start = p.in<double>().initial_values();
    EXPECT_EQ(start[5], 22);
    EXPECT_EQ((std::vector<double>(start.begin() + 12, start.end())), (std::vector<double>{1, 2, 1, 2}));
    const auto out = f_of(p, 0, start);
    EXPECT_EQ(out[6], 23 * 2 + 3);
    EXPECT_EQ(out[12], 2);
    EXPECT_EQ(p.info().component_names[14], "a[2]");
}

TEST(Evaluation, MassMatricesAndImplicitForms)
{
    const problem ode = text_problem("x.ivp", "interval 0 .. 1\nstate x = 1\nx' = -x\n");
    EXPECT_EQ(ode.info().form, form::ode);
    const problem dae =
        text_problem("x.ivp", "interval 0 .. 1\nparameter C = 2\nstate a = 1, b = 1, z = 1\nC*(a' - b') = z\n(b' + a)/C = a\n0 = z - a\n");
    ASSERT_EQ(dae.info().form, form::dae);
    const auto& m = dae.in<double>().mass();
    EXPECT_EQ(m.at(0, 0), 2);
    EXPECT_EQ(m.at(0, 1), -2);
    EXPECT_EQ(m.at(1, 1), 0.5);
    EXPECT_EQ(m.at(2, 2), 0);
    EXPECT_EQ(f_of(dae, 0, {4, 5, 6}), (std::vector<double>{6, 4 - 4 / 2.0, 2}));
    EXPECT_EQ(dae.info().highest_index, 1);
    const problem ide = text_problem("x.ivp", "interval 0 .. 1\nstate i = 1, u = 0\n0 = 2*i' - u\nu*u' = i\ninitial i' = 3\n");
    ASSERT_EQ(ide.info().form, form::ide);
    std::vector<double> at{1, 2}, rate{3, 4}, out(2);
    ASSERT_EQ(ide.in<double>().g(0, at.data(), rate.data(), out.data()), evaluation::ok);
    EXPECT_EQ(out, (std::vector<double>{4, 7}));
    EXPECT_EQ(ide.in<double>().initial_derivatives()[0], 3);
    const problem index2 = text_problem("x.ivp", "interval 0 .. 1\nstate x = 1, z = 0\nx' = z\n0 = x - 1\nindex z = 2\n");
    EXPECT_EQ(index2.info().highest_index, 2);
    EXPECT_EQ(index2.info().index, (std::vector<int>{1, 2}));
}

TEST(Evaluation, ReactionsAndEquationsMix)
{
    const problem p = text_problem(
        "x.ivp", "interval 0 .. 1\nspecies A = 1, B = 2, C = 3\nfixed X = 2\n2 A + X <=> B ; 3, 5\nB + B -> C + B ; 7\n -> C ; 0.5\nC -> ; 11\n"
                 "A -> B ; rate A/(1 + A)\nA' = 100\n");
    const double a = 1.5;
    const double b = 2.5;
    const double c = 3.5;
    const double r1 = 3 * a * a * 2;
    const double r2 = 5 * b;
    const auto out = f_of(p, 0, {a, b, c});
    EXPECT_NEAR(out[0], 100 - 2 * r1 + 2 * r2 - a / (1 + a), 1e-12);
    EXPECT_NEAR(out[1], r1 - r2 - 7 * b * b + a / (1 + a), 1e-12);
    EXPECT_NEAR(out[2], 7 * b * b + 0.5 - 11 * c, 1e-12);
}

TEST(Evaluation, ReferencesAndTolerances)
{
    const problem p = text_problem(
        "x.ivp", "interval 0 .. 1\nstate x = 1, y = 2\nx' = -x\ny' = -y\nreference x = 0.36787944117144233 digits 16, y = 0.7357588823428847\n"
                 "tolerance rtol = 1e-4, atol = 1e-8, h0 = 1e-6\noutput y \"what counts\"\n");
    ASSERT_TRUE(p.reference());
    EXPECT_EQ(p.reference()->digits[0], 16);
    EXPECT_EQ(p.info().protocol.atol(1e-6), 1e-10);
    EXPECT_EQ(p.info().protocol.h0(1e-6), 1e-8);
    EXPECT_EQ(p.info().pictured, std::vector<int>{2});
    EXPECT_EQ(p.info().quantity_of_interest, "what counts");
    const problem bare = text_problem("x.ivp", "interval 0 .. 1\nstate x = 1\nx' = -x\n");
    EXPECT_EQ(bare.info().protocol.atol(1e-6), 1e-6);
    EXPECT_EQ(bare.info().protocol.h0(1e-6), 1e-6);
    EXPECT_EQ(bare.id(), "x");
}

TEST(Evaluation, StructureIsFoundThroughAllBranches)
{
    std::string text = "interval 0 .. 1\nstate u[1..40] = 1\nu[1]' = -u[1]\nu[40]' = -u[40]\n"
                       "for i in 2..39 : u[i]' = if u[i] > 0 then u[i-1] - u[i] else u[i+1] - u[i]\n";
    const problem p = text_problem("x.ivp", text);
    EXPECT_EQ(p.info().jacobian_structure.describe(), "band 1,1");
}

/// Everything at once, in straight code and in loops.
const char* const everything = R"(interval 0 .. 10
parameter k = 3
state x = 1.2, y = 0.7
state interleaved u[1..40] = 1 + 0.01*i, v[1..40] = 0.5
state w[1..3, 1..20] = 0.1*i + 0.02*j
constant c[1..40] = i/7
table road = (0, 0), (1, 0.02), (3, 0) cubic
let q[1..40] = u[i]*c[i]^2 + sin(v[i])
let total = sum(i in 1..40 : u[i]*v[i])
let s = if t <= 5 and x > 1 or y < 0 then min(x, 2, y)^3 else atan2(y, abs(x))
require x > -100 and (y > -100 or x < 7)
for i in 1..40 : require u[i] > -50
x' = s + road(x) + total - k*x/y + sum(j in 1..5, j != 3 : q[j]) + x^y + 2^x + sign(y) + floor(x) + mod(x, 0.4)
y' = -s*tanh(x) + log(2 + x*x) + sqrt(y)*exp(-y) + 1/(x + 3) + x^-2 + y^0.5 + total/2
for i in 2..39 : u[i]' = c[i]*(q[i+1] - 2*q[i] + q[i-1]) - k*u[i]*v[i] + s
for i in 2..39 : v[i]' = (if u[i] > 1.2 and v[i] < 2 then u[i]^3 else sqrt(v[i]) + road(u[i])) - max(u[i], v[i])/(1 + u[i-1])
u[1]' = q[1] - q[2]
u[40]' = -u[40]
v[1]' = -v[1]
v[40]' = v[40] - q[40]
for i in 1..3, j in 1..20 : w[i,j]' = i*w[i,j] - j*x + w[i,j]^2
)";

TEST(Compiled, HasTheSameBits)
{
    const temporary_cache cache;
    const problem list = text_problem("x.ivp", everything);
    const problem fast = text_problem("x.ivp", everything, {}, text_evaluation::compiled);
    if (cache.libraries() == 0) GTEST_SKIP() << "no compiler";
    auto y0 = list.in<double>().initial_values();
    for (int trial = 0; trial < 20; ++trial) {
        for (std::size_t i = 0; i < y0.size(); ++i) y0[i] += 0.01 * std::sin(1.0 + static_cast<double>(i) + 7.0 * trial);
        EXPECT_EQ(f_of(list, 0.5 * trial, y0), f_of(fast, 0.5 * trial, y0));
        EXPECT_EQ(jacobian_of(list, 0.5 * trial, y0), jacobian_of(fast, 0.5 * trial, y0));
    }
    y0[0] = -200;
    std::vector<double> out(y0.size());
    EXPECT_EQ(list.in<double>().f(0, y0.data(), out.data()), evaluation::refused);
    EXPECT_EQ(fast.in<double>().f(0, y0.data(), out.data()), evaluation::refused);
}

TEST(Compiled, LoopsAreWhatTheyWouldBeWrittenOut)
{
    // The same equations with a condition that is always true: this range is written out.
    std::string written_out = everything;
    for (const std::string loop : {"for i in 2..39 :", "for i in 1..3, j in 1..20 :"})
        for (auto at = written_out.find(loop); at != std::string::npos; at = written_out.find(loop, at + 1))
            written_out.insert(at + loop.size() - 2, ", i > 0");
    const problem loops = text_problem("x.ivp", everything);
    const problem straight = text_problem("x.ivp", written_out);
    auto y0 = loops.in<double>().initial_values();
    for (int trial = 0; trial < 5; ++trial) {
        for (std::size_t i = 0; i < y0.size(); ++i) y0[i] += 0.01 * std::sin(1.0 + static_cast<double>(i) + 7.0 * trial);
        EXPECT_EQ(f_of(loops, 1, y0), f_of(straight, 1, y0));
    }
}

TEST(Compiled, IsKeptByContentAndNotNeeded)
{
    const temporary_cache cache;
    const std::string text = "interval 0 .. 1\nparameter k = 2\nstate x = 1\nx' = -k*x\n";
    const auto open = [&](const std::string& what, const std::map<std::string, std::string>& set = {}) {
        return text_problem("x.ivp", what, set, text_evaluation::compiled);
    };
    (void)open(text);
    const std::size_t first = cache.libraries();
    if (first == 0) GTEST_SKIP() << "no compiler";
    (void)open(text);
    (void)open(text, {{"k", "3"}}); // numbers are handed over
    EXPECT_EQ(cache.libraries(), first);
    (void)open(text + "state y = 1\ny' = x*y\n");
    EXPECT_EQ(cache.libraries(), first + 1);
    setenv("IVP_TEXT_COMPILER", "none", 1);
    EXPECT_EQ(f_of(open(text + "state z = 1\nz' = x/z\n"), 0, {2, 4}), (std::vector<double>{-4, 0.5}));
    unsetenv("IVP_TEXT_COMPILER");
    EXPECT_EQ(cache.libraries(), first + 1);
    std::filesystem::permissions(cache.folder / "ivp" / "models", std::filesystem::perms::all);
    EXPECT_EQ(f_of(open(text), 0, {2})[0], -4); // others could write there: it is not used
}

} // namespace ivp
