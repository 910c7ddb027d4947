#include "model/reference.hpp"
#include <ivp/catalog.hpp>
#include <ivp/problem_of.hpp>

#include <gtest/gtest.h>

namespace ivp {

namespace {

template <class R>
struct triangle { // y1' = y2, y2' = y1 y3, y3' = -y3: a pattern with holes
    explicit triangle(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        out[0] = y[1];
        out[1] = y[0] * y[2];
        out[2] = -y[2];
    }
    void initial(R* y) const { std::fill(y, y + 3, R(1)); }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "triangle";
        i.n = 3;
        i.tend = 1;
        i.jacobian_structure = structure::sparse(std::make_shared<sparsity>(sparsity::from_rows(3, {{1}, {0, 2}, {2}})));
        return i;
    }
};

template <class R>
struct line_of_eight { // y_i' = y_{i-2} y_i - 3 y_{i+1} y_{i+2}: a band that fills all its diagonals
    explicit line_of_eight(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        const auto at = [&](int i) { return i < 0 || i > 7 ? T(1) : y[i]; };
        for (int i = 0; i < 8; ++i) out[i] = at(i - 2) * y[i] - 3 * at(i + 1) * at(i + 2) + at(i - 1);
    }
    void initial(R* y) const { std::fill(y, y + 8, R(1)); }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "line";
        i.n = 8;
        i.tend = 1;
        i.jacobian_structure = structure::band(2, 2);
        return i;
    }
};

} // namespace

TEST(problem_of, sparse_jacobian_by_coloured_duals)
{
    const problem p = problem_of<triangle>();
    const auto& pattern = *p.info().jacobian_structure.pattern;
    std::vector<double> values(pattern.entries());
    const matrix_view<double> view{structure_kind::sparse, 3, 0, 0, 0, &pattern, values.data()};
    const auto work = p.in<double>().make_scratch();
    const double y[] = {2, 3, 5};
    EXPECT_EQ(p.in<double>().jacobian(0, y, *work, view), evaluation::ok);
    EXPECT_EQ(view.at(0, 1), 1.0);
    EXPECT_EQ(view.at(1, 0), 5.0);
    EXPECT_EQ(view.at(1, 2), 2.0);
    EXPECT_EQ(view.at(2, 2), -1.0);
    EXPECT_EQ(p.in<double>().trace(0, y, nullptr), (dependencies{{1}, {0, 2}, {2}}));
    // The equations in double follow the formula for those in quad.
    const quad in_quad[] = {2, 3, 5};
    EXPECT_TRUE(p.in<quad>().trace(0, in_quad, nullptr).empty());
    EXPECT_FALSE(p.in<quad>().trace_all(0, in_quad, nullptr));
}

class band_jacobian : public ::testing::TestWithParam<bool> {};

TEST_P(band_jacobian, is_the_same_in_every_storage)
{
    const bool by_hand = GetParam(); // only where there is room for all of it
    const problem p = by_hand ? open_problem("medakzo", {{"N", "4"}}) : problem_of<line_of_eight>();
    const int n = p.n();
    const auto full_pattern = sparsity::from_rows(n, dependencies(n, {0, 1, 2, 3, 4, 5, 6, 7}));
    std::vector<double> y(n);
    for (int i = 0; i < n; ++i) y[i] = 1.0 + 0.25 * i;
    const auto work = p.in<double>().make_scratch();
    const auto jacobian_in = [&](matrix_view<double> view, std::vector<double>& values) {
        values.assign(view.size(), 7.0); // what was there before
        view.data = values.data();
        EXPECT_EQ(p.in<double>().jacobian(1, y.data(), *work, view), evaluation::ok);
        return view;
    };
    std::vector<double> of_full;
    const auto full = jacobian_in({structure_kind::full, n, 0, 0, n, nullptr, nullptr}, of_full);
    for (int j = 0; j < n; ++j) { // f is quadratic: differences have no error but rounding
        std::vector<double> right(n);
        std::vector<double> left(n);
        auto moved = y;
        moved[j] = y[j] + 0.5;
        (void)p.in<double>().f(1, moved.data(), right.data());
        moved[j] = y[j] - 0.5;
        (void)p.in<double>().f(1, moved.data(), left.data());
        for (int i = 0; i < n; ++i) EXPECT_NEAR(full.at(i, j), right[i] - left[i], 1e-11) << i << ' ' << j;
    }

    std::vector<double> values;
    for (const auto& other : {matrix_view<double>{structure_kind::band, n, 2, 2, 5, nullptr, nullptr},
                              {structure_kind::band, n, 3, 4, 8, nullptr, nullptr},
                              {structure_kind::band, n, 1, 2, 4, nullptr, nullptr},
                              {structure_kind::sparse, n, 0, 0, 0, &full_pattern, nullptr}}) {
        const auto view = jacobian_in(other, values);
        std::vector<bool> inside(values.size());
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                if (const int at = view.position(i, j); at >= 0) {
                    inside[at] = true;
                    EXPECT_NEAR(values[at], full.at(i, j), by_hand ? 1e-12 : 0.0)
                        << "band " << view.lower << ',' << view.upper << ": " << i << ' ' << j;
                }
        for (std::size_t k = 0; k < values.size(); ++k)
            EXPECT_TRUE(inside[k] || values[k] == 0.0) << "band " << view.lower << ',' << view.upper << ": " << k;
    }
}

INSTANTIATE_TEST_SUITE_P(problem_of, band_jacobian, ::testing::Bool(), [](const auto& chosen) { return chosen.param ? "by_hand" : "by_duals"; });

TEST(problem_of, f_of_an_ide_and_g_of_an_ode_are_our_own_mistakes)
{
    std::vector<double> v(64);
    EXPECT_THROW(open_problem("nand").in<double>().f(0, v.data(), v.data()), std::logic_error);
    EXPECT_THROW(open_problem("hires").in<double>().g(0, v.data(), v.data(), v.data()), std::logic_error);
}

TEST(problem, ode_and_dae_as_ide)
{
    for (const char* id : {"hires", "transamp", "medakzo"}) {
        const problem p = open_problem(id);
        const problem q = p.as_ide();
        EXPECT_EQ(q.info().form, form::ide);
        const int n = p.n();
        const double t = 0.01;
        auto y = p.in<double>().initial_values();
        std::vector<double> yp(n);
        for (int i = 0; i < n; ++i) {
            y[i] += 1e-3 * i;
            yp[i] = 1.0 + i;
        }
        std::vector<double> f(n);
        std::vector<double> my(n);
        std::vector<double> g(n);
        ASSERT_EQ(p.in<double>().f(t, y.data(), f.data()), evaluation::ok);
        p.in<double>().mass().multiply(yp.data(), my.data());
        ASSERT_EQ(q.in<double>().g(t, y.data(), yp.data(), g.data()), evaluation::ok);
        for (int i = 0; i < n; ++i) EXPECT_EQ(g[i], my[i] - f[i]);

        // 2 dG/dy + 3 dG/dy' = 3 M − 2 J
        std::vector<double> j(static_cast<std::size_t>(n) * n);
        std::vector<double> k(j.size());
        const matrix_view<double> jv{structure_kind::full, n, 0, 0, n, nullptr, j.data()};
        const matrix_view<double> kv{structure_kind::full, n, 0, 0, n, nullptr, k.data()};
        (void)p.in<double>().jacobian(t, y.data(), *p.in<double>().make_scratch(), jv);
        (void)q.in<double>().partials(t, y.data(), yp.data(), 2, 3, *q.in<double>().make_scratch(), kv);
        for (int col = 0; col < n; ++col)
            for (int row = 0; row < n; ++row) EXPECT_DOUBLE_EQ(kv.at(row, col), 3 * p.in<double>().mass().at(row, col) - 2 * jv.at(row, col));
    }
    EXPECT_EQ(open_problem("nand").as_ide().info().form, form::ide);
}

TEST(problem, iteration_structure_holds_jacobian_and_mass)
{
    const structure s = open_problem("transamp").iteration_structure();
    EXPECT_EQ(s.kind, structure_kind::band);
    EXPECT_EQ(s.lower, 2);
    EXPECT_EQ(s.upper, 1);
    EXPECT_EQ(open_problem("hires").iteration_structure().kind, structure_kind::full);
}

TEST(problem, the_reference_belongs_to_the_default_parameters)
{
    EXPECT_TRUE(open_problem("hires").reference());
    EXPECT_FALSE(open_problem("hires", {{"k1", "1.7"}}).reference());
}

TEST(protocol, ladder)
{
    const protocol p{.ladder_start = 4, .ladder_per_decade = 4};
    EXPECT_EQ(p.ladder_rtol(0), 1e-4);
    EXPECT_EQ(p.ladder_rtol(8), 1e-6);
    EXPECT_EQ(p.ladder_place(1e-6), std::optional(8));
    EXPECT_EQ(p.ladder_place(std::pow(10.0, -5.75)), std::optional(7)) << "also with another last bit";
    EXPECT_FALSE(p.ladder_place(1.1e-6));
    EXPECT_FALSE(p.ladder_place(1e-3));
    EXPECT_FALSE(p.ladder_place(0));
}

TEST(read_reference, names_the_line_of_a_fault)
{
    const auto message = [](const char* text) -> std::string {
        try {
            (void)read_reference(text);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    };
    const auto ok = read_reference("# t: 2\n# digits: absolute\ncomponent,value,digits\n1,0.5e0,3\n2,1d-3,4\n");
    EXPECT_EQ(ok.t.value(), 2.0);
    EXPECT_TRUE(ok.absolute_digits);
    EXPECT_EQ(ok.value[1].value(), 1e-3);
    EXPECT_EQ(ok.digits[1], 4.0);
    EXPECT_EQ(message("component,value,digits\n1,0.5,3\n"), "line 2: no line '# t: …'");
    EXPECT_EQ(message("# t: 2\n1,0.5,3\n"), "line 2: the header must be 'component,value,digits' or 'component,value,digits,kind'");
    EXPECT_EQ(message("# t: 2\ncomponent,value,digits\n2,0.5,3\n"), "line 3: components must be numbered 1, 2, 3, …");
    EXPECT_EQ(message("# t: 2\ncomponent,value,digits\n1,x,3\n"), "line 3: not a number: 'x'");
    EXPECT_EQ(message("# t: 2\ncomponent,value,digits\n1,0.5,1e300\n"), "line 3: digits must not exceed 5000");
    EXPECT_EQ(message("# time: 2\n"), "line 1: unknown key 'time'; allowed: t, source, confirmed, recipe, note, content, digits");
    EXPECT_EQ(message("# t: 2\ncomponent,value,digits,kind\n1,0.5,3,exact\n"), "line 3: digits must be 'relative' or 'absolute', not 'exact'");
    EXPECT_EQ(message("# t: 2\ncomponent,value,digits\n1,0.5,3\n# t: 3\ncomponent,value,digits\n1,0.5,3\n"),
              "line 6: further tables must be at times before that of the first one");
}

TEST(read_reference, each_component_has_its_kind_and_there_may_be_earlier_times)
{
    constexpr auto text = "# t: 2\n# recipe: radau:13\n# note: a.\n# note: b.\n# content: 6a\ncomponent,value,digits,kind\n"
                          "1,-4e-3,20,relative\n2,0,31,absolute\n3,5e-4,6,absolute\n"
                          "# t: 1\ncomponent,value,digits\n1,5,3\n2,7,4\n3,8,5\n";
    const auto r = read_reference_file(text);
    EXPECT_EQ(r.t.value(), 2.0);
    EXPECT_EQ(r.recipe, "radau:13");
    EXPECT_EQ(r.note, "a. b.");
    EXPECT_EQ(r.content, "6a");
    EXPECT_EQ(r.kind[1], digit_kind::absolute);
    EXPECT_EQ(r.significant(0), 20);
    EXPECT_EQ(r.significant(2), 3) << "0.000500 known to six decimals";
    ASSERT_EQ(r.path.size(), 1U);
    EXPECT_EQ(r.path[0].t.value(), 1.0);
    EXPECT_EQ(r.path[0].value[1].value(), 7.0);
    EXPECT_EQ(r.path[0].kind[1], digit_kind::relative);
    EXPECT_EQ(reference_csv(read_reference_file(reference_csv(r))), reference_csv(r)) << "what is written reads back";

    const auto measured = read_reference(text);
    EXPECT_FALSE(measured.absolute_digits);
    EXPECT_EQ(measured.digits, (std::vector<double>{20, 31, 3})) << "a measurement asks for significant digits";
}

} // namespace ivp
