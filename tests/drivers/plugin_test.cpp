// Solvers from shared libraries: what is refused at loading, what crosses the boundary, what is believed of what comes back.
//
// IVP_EXAMPLE_PLUGIN is the library built from examples/01_solver_in_c, IVP_TEST_PLUGIN_DIR holds those built from tests/drivers/plugins.
#include "drivers/plugin.hpp"
#include "drivers/plugin/library.hpp"

#include <hires/hires.hpp>
#include <rober/rober.hpp>
#include <vdpol/vdpol.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ivp;

namespace {

// ---- Small problems ----

/// Tridiagonal, its structure declared as full (0), band (1) or sparse (2).
template <class R>
struct chain {
    explicit chain(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        for (int i = 0; i < 4; ++i) {
            out[i] = -(i + 2) * y[i] * y[i] + t;
            if (i > 0) out[i] += 0.5 * y[i - 1];
            if (i < 3) out[i] += 0.25 * i * y[i + 1];
        }
    }
    void initial(R* y) const
    {
        for (int i = 0; i < 4; ++i) y[i] = R(1 + i);
    }
    static std::vector<parameter> parameters() { return {{"structure", 0, 0, 2, "of the Jacobian", true}}; }
    static problem_info describe(const parameter_values& p)
    {
        problem_info i;
        i.id = "chain";
        i.n = 4;
        i.tend = 2;
        if (p.whole("structure") == 1) i.jacobian_structure = structure::band(1, 1);
        if (p.whole("structure") == 2)
            i.jacobian_structure = structure::sparse(std::make_shared<sparsity>(sparsity::from_rows(4, {{0, 1}, {0, 1, 2}, {1, 2, 3}, {2, 3}})));
        return i;
    }
};

/// A DAE of three variables with a mass matrix of each kind.
template <class R>
struct weighted {
    int kind;
    explicit weighted(const parameter_values& p) : kind(p.whole("mass")) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* out) const
    {
        out[0] = -y[0];
        out[1] = y[0] - y[1];
        out[2] = y[0] + y[1] - y[2];
    }
    [[nodiscard]] mass_matrix<R> mass() const
    {
        if (kind == 0) return mass_matrix<R>::identity(3);
        if (kind == 1) return mass_matrix<R>::diagonal({R(1), R(2), R(0)});
        auto m = kind == 2 ? mass_matrix<R>::band(3, 1, 0) : mass_matrix<R>::full(3);
        m.set(0, 0, R(1));
        m.set(1, 0, R(5));
        m.set(1, 1, R(2));
        if (kind == 3) m.set(0, 2, R(7));
        return m;
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(2);
        y[2] = R(3);
    }
    static std::vector<parameter> parameters() { return {{"mass", 1, 0, 3, "kind", true}}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "weighted";
        i.form = form::dae;
        i.n = 3;
        i.t0 = 1;
        i.tend = 3;
        i.highest_index = 2;
        i.index = {1, 1, 2};
        return i;
    }
};

/// y1 = 1/(1 + sin t), y2 = cos t: the time enters everywhere.
template <class R>
struct moving {
    explicit moving(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        using std::cos;
        using std::sin;
        out[0] = -cos(t) * y[0] * y[0];
        out[1] = -5.0 * (y[1] - cos(t)) - sin(t);
    }
    void initial(R* y) const { y[0] = y[1] = R(1); }
    static std::vector<parameter> parameters() { return {}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "moving";
        i.n = 2;
        i.tend = 2;
        return i;
    }
};

/// y' = -sqrt(y), y(0) = 1: y = (1 - t/2)^2. Refuses negative y (refuses = 1) or gives NaN there.
template <class R>
struct draining {
    bool refuses;
    R start;
    explicit draining(const parameter_values& p) : refuses(p.whole("refuses") == 1), start(p.get<R>("start")) {}
    template <class T>
    evaluation f(const T& /*t*/, const T* y, T* out) const
    {
        using std::sqrt;
        if (refuses && y[0] < R(0)) return evaluation::refused;
        out[0] = -sqrt(y[0]);
        return evaluation::ok;
    }
    void initial(R* y) const { y[0] = start; }
    static std::vector<parameter> parameters() { return {{"refuses", 1, 0, 1, "negative y", true}, {"start", 1, -1, 1, "y(0)"}}; }
    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "draining";
        i.n = 1;
        i.tend = "1.9";
        return i;
    }
};

// ---- One run ----

struct finished {
    solve_result result;
    counters count;
    std::vector<double> y;
    double mescd = 0; // against the end value given
};

struct setup {
    double rtol = 1e-4;
    double atol = 1e-4;
    solve_options options;
    std::uint64_t max_steps = 1'000'000;
    step_observer* observer = nullptr;
    std::vector<double> end; // expected at the end
};

finished run(const solver& s, const problem& p, setup with = {})
{
    evaluator e(p);
    if (with.options.tolerance.scalar()) with.options.tolerance = tolerances(with.rtol, with.atol);
    EXPECT_EQ(with.options.validate(p, s.info()), std::vector<std::string>{});
    finished r;
    r.y = p.in<double>().initial_values();
    std::vector<double> yp(r.y.size(), 0.5);
    r.result = s.solve(e, {p.info().t0.value(), p.info().tend.value(), r.y, yp, with.max_steps}, with.options, with.observer);
    r.count = e.total();
    double error = 0;
    for (std::size_t i = 0; i < with.end.size(); ++i)
        error = std::max(error, std::abs(r.y[i] - with.end[i]) / (with.atol / with.rtol + std::abs(with.end[i])));
    r.mescd = -std::log10(error);
    return r;
}

std::string test_plugin(const std::string& name) { return std::string(IVP_TEST_PLUGIN_DIR) + "/" + name + ".so"; }
std::unique_ptr<const solver> load_test_plugin(const std::string& name) { return load_plugin_solver(test_plugin(name)); }

setup with_options(std::map<std::string, double> special)
{
    setup s;
    s.options.special = std::move(special);
    return s;
}

std::vector<std::string> faults_of_loading(const std::string& path)
{
    try {
        (void)load_plugin_solver(path);
    } catch (const bad_request& e) {
        return e.faults();
    }
    return {};
}

template <class Work>
std::string message_of(Work&& work)
{
    try {
        work();
    } catch (const bad_request& e) {
        return e.what();
    }
    return "nothing was thrown";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class recorder final : public step_observer {
public:
    explicit recorder(std::size_t stop_after = 0) : stop_after_(stop_after) {}
    observer_answer on_step(const accepted_step& s) override
    {
        EXPECT_EQ(s.t_old, t.empty() ? s.t_old : t.back());
        t.push_back(s.t);
        norm.push_back(s.error_norm);
        double sum = 0;
        for (std::size_t i = 0; i < s.error_estimate.size(); ++i) sum += std::pow(s.error_estimate[i] / s.error_weights[i], 2);
        norm_again.push_back(s.error_estimate.empty() ? 0 : std::sqrt(sum / static_cast<double>(s.error_estimate.size())));
        if (s.between != nullptr) {
            middle.resize(s.y.size());
            s.between->evaluate(0.5 * (s.t_old + s.t), middle.data());
        }
        last_y.assign(s.y.begin(), s.y.end());
        return t.size() == stop_after_ ? observer_answer::stop : observer_answer::go_on;
    }
    std::vector<double> t, norm, norm_again, last_y, middle;

private:
    std::size_t stop_after_;
};

// End values: problems/<id>/reference.csv; rober and vdpol as published with the test set (2008).
const std::vector<double> hires_end{0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
                                    0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2};
const std::vector<double> rober_end{0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
const std::vector<double> vdpol_end{0.1706167732170483e1, -0.8928097010247975};

// ---- Loading ----

TEST(plugin_loading, a_file_that_is_not_there_is_named)
{
    EXPECT_EQ(faults_of_loading("./no/such/file.so"), std::vector<std::string>{"plug-in './no/such/file.so': there is no such file"});
    EXPECT_EQ(faults_of_loading("."), std::vector<std::string>{"plug-in '.' is not a file"});
}

TEST(plugin_loading, a_file_that_is_no_library_is_refused_in_the_loaders_words)
{
    const std::string path = (std::filesystem::path(::testing::TempDir()) / "ivp_not_a_library.so").string();
    std::ofstream(path) << "This is a text, long enough to be looked at by the loader, but it is not a shared library.\n";
    const auto faults = faults_of_loading(path);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_TRUE(has(faults[0], "plug-in '" + path + "' cannot be loaded as a shared library: ")) << faults[0];
    EXPECT_TRUE(has(faults[0], "ELF")) << faults[0];
    std::filesystem::remove(path);
}

TEST(plugin_loading, a_missing_function_is_named)
{
    const auto faults = faults_of_loading(test_plugin("missing_symbol"));
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_TRUE(has(faults[0], "lacks the function ivp_solver_solve; a solver plug-in exports")) << faults[0];
}

TEST(plugin_loading, a_problem_is_not_a_solver)
{
    const auto faults = faults_of_loading(test_plugin("problem_only"));
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_TRUE(has(faults[0], "is a problem (it exports ivp_problem_open), not a solver")) << faults[0];
}

TEST(plugin_loading, another_version_of_the_contract_is_refused)
{
    const auto faults = faults_of_loading(test_plugin("wrong_version"));
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_TRUE(has(faults[0], "wrong_version.so' follows version 99 of the plug-in contract; allowed: version 1")) << faults[0];
}

TEST(plugin_loading, a_description_that_is_too_short_is_refused)
{
    const auto faults = faults_of_loading(test_plugin("short_description"));
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_TRUE(has(faults[0], "its description has 16 bytes")) << faults[0];
}

TEST(plugin_loading, an_empty_description_lists_what_is_missing)
{
    const auto faults = faults_of_loading(test_plugin("nameless"));
    ASSERT_EQ(faults.size(), 3U);
    EXPECT_TRUE(has(faults[0], "its name is empty")) << faults[0];
    EXPECT_TRUE(has(faults[1], "it names no form of problem")) << faults[1];
    EXPECT_TRUE(has(faults[2], "orders 0 to 0")) << faults[2];
}

TEST(plugin_loading, every_wrong_fact_is_reported_at_once)
{
    const auto faults = faults_of_loading(test_plugin("bad_facts"));
    const std::vector<std::string> expected{"its name is 'Bad Facts'",
                                            "forms = 33",
                                            "flags = 2147483648 has bits",
                                            "highest_index = 7",
                                            "orders 3 to 2",
                                            "max_threads = -1",
                                            "option 'outside': its default 5 is not between 0 and 1",
                                            "option 'half': its default 0.5 is not a whole number",
                                            "option 'half' appears twice",
                                            "option 'with blank': its name is empty or holds '=' or a blank",
                                            "option 5: its name is empty"};
    ASSERT_EQ(faults.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(has(faults[i], expected[i])) << faults[i];
}

TEST(plugin_loading, the_description_becomes_solver_info)
{
    const auto s = load_test_plugin("echo");
    const solver_info& i = s->info();
    EXPECT_EQ(i.name, "echo");
    EXPECT_EQ(i.title, "Echo");
    EXPECT_EQ(i.version, "2.1");
    EXPECT_EQ(i.language, "C11");
    EXPECT_EQ(i.origin, "plug-in");
    EXPECT_EQ(i.error_norm, "none");
    EXPECT_EQ(i.lu_unit, "nothing");
    EXPECT_EQ(i.reference, "this file");
    EXPECT_EQ(i.forms, (std::vector<form>{form::ode, form::dae, form::ide}));
    EXPECT_EQ(i.highest_index, 3);
    EXPECT_EQ(i.max_threads, 4);
    EXPECT_TRUE(i.implicit && i.takes_h0 && i.takes_vector_tolerance && i.needs_initial_derivative && i.takes_band && i.takes_sparse);
    EXPECT_FALSE(i.needs_h0 || i.takes_zero_rtol || i.takes_zero_atol || i.gives_error_estimate || i.locally_extrapolated);
    ASSERT_EQ(i.options.size(), 2U);
    EXPECT_EQ(i.options[1].name, "other");
    EXPECT_EQ(i.options[1].value, 0.25);
    EXPECT_EQ(i.options[1].min, -1);
    EXPECT_EQ(i.options[1].kind, option_kind::real);
    EXPECT_EQ(i.options[0].kind, option_kind::whole);
    EXPECT_TRUE(s->chapter().markdown.empty());
}

TEST(plugin_loading, a_name_without_a_slash_is_a_file_here)
{
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(IVP_TEST_PLUGIN_DIR);
    EXPECT_NO_THROW((void)load_plugin_solver("echo.so"));
    std::filesystem::current_path(here);
}

TEST(plugin_loading, one_of_several_solvers_is_asked_for_by_name_or_last_word)
{
    const std::string path = test_plugin("several");
    EXPECT_EQ(load_plugin_solver(path + ":second-euler")->info().name, "second-euler");
    EXPECT_EQ(load_plugin_solver(path + ":heun")->info().highest_order, 3);
    EXPECT_TRUE(
        has(message_of([&] { (void)load_plugin_solver(path); }), "has 3 solvers; allowed: its path, ':' and one of first-euler, second-euler"));
    EXPECT_TRUE(has(message_of([&] { (void)load_plugin_solver(path + ":euler"); }), "has no solver 'euler'")) << "two of them end with it";
    EXPECT_TRUE(has(message_of([&] { (void)load_plugin_solver(path + ":third-heum"); }), "did you mean 'third-heun'"));
    EXPECT_EQ(load_plugin_solver(test_plugin("echo") + ":echo")->info().name, "echo") << "the only one may be named too";
    EXPECT_TRUE(has(message_of([&] { (void)load_test_plugin("no_solvers"); }), "ivp_solver_count returns 0; allowed: 1 to 1000"));
    EXPECT_EQ(file_of_plugin("./x.so:name"), "./x.so");
    EXPECT_EQ(file_of_plugin("./x.so"), "./x.so");
    EXPECT_EQ(file_of_plugin("./x.so:No"), "./x.so:No") << "that is no name of a solver";
}

TEST(plugin_loading, structs_may_have_grown)
{
    const auto s = load_test_plugin("later_header");
    ASSERT_EQ(s->info().options.size(), 2U);
    EXPECT_EQ(s->info().options[1].name, "second");
    const auto r = run(*s, problem_of<problems::hires>());
    EXPECT_EQ(r.result.outcome, outcome::success);
    EXPECT_EQ(r.result.claimed.at("nfev"), 12);
}

TEST(plugin_loading, options_that_claim_a_wrong_size_are_refused_before_the_next_is_read)
{
    const std::string allowed =
        "; allowed: " + std::to_string(sizeof(ivp_named_value)) + " to 4096, a multiple of 8, as IVP_VERSIONED(ivp_named_value) gives";
    for (const std::uint32_t size : {std::uint32_t{0}, std::uint32_t{sizeof(ivp_named_value)} - 8, std::uint32_t{sizeof(ivp_named_value)} + 4,
                                     std::uint32_t{4104}, std::numeric_limits<std::uint32_t>::max()}) {
        // The only memory there is: what lies as far away as claimed cannot be read.
        const auto only = std::make_unique<ivp_named_value>(ivp_named_value{IVP_PLUGIN_VERSION, size, "first", 1, 0, 10, 0, 0, "one"});
        std::vector<std::string> faults;
        EXPECT_TRUE(plugin::read_named_numbers("option", 1000, only.get(), faults).empty()) << size;
        EXPECT_EQ(faults, std::vector<std::string>{"option 1 has " + std::to_string(size) + " bytes" + allowed});
        faults.clear();
        EXPECT_TRUE(plugin::read_parameters(1000, only.get(), faults).empty()) << size;
        EXPECT_EQ(faults, std::vector<std::string>{"parameter 1 has " + std::to_string(size) + " bytes" + allowed});
    }
    std::vector<std::byte> memory(2 * plugin::longest_named_value);
    for (const char* const name : {"first", "second"}) { // the largest that is allowed
        const ivp_named_value v{IVP_PLUGIN_VERSION, plugin::longest_named_value, name, 1, 0, 10, 0, 0, "one"};
        std::memcpy(memory.data() + (*name == 's' ? plugin::longest_named_value : 0), &v, sizeof v);
    }
    std::vector<std::string> faults;
    const auto all = plugin::read_named_numbers("option", 2, reinterpret_cast<const ivp_named_value*>(memory.data()), faults);
    EXPECT_EQ(faults, std::vector<std::string>{});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].name, "second");
}

TEST(plugin_loading, the_library_stays_as_long_as_one_of_its_solvers)
{
    auto first = load_test_plugin("fails");
    const auto second = load_test_plugin("fails");
    first.reset();
    EXPECT_EQ(run(*second, problem_of<problems::hires>()).result.outcome, outcome::newton_failed);
}

// ---- The task ----

TEST(plugin_task, numbers_arrive)
{
    const auto s = load_test_plugin("echo");
    setup w;
    recorder observer;
    w.observer = &observer;
    w.max_steps = 77;
    w.options.h0 = 0.125;
    w.options.threads = 2;
    w.options.algebra = algebra::dense;
    EXPECT_EQ(run(*s, problem_of<weighted>(), w).result.message,
              "version=1 size=1 n=3 form=2 t0=1 tend=3 h0=0.125 hmax=inf max_steps=77 scalar=1 threads=2 algebra=1 exact=1 observed=1 index=2");
    w = {};
    w.options.hmax = 0.5;
    w.options.jacobian = jacobian_source::differences;
    EXPECT_EQ(run(*s, problem_of<chain>(), w).result.message,
              "version=1 size=1 n=4 form=1 t0=0 tend=2 h0=0 hmax=0.5 max_steps=1000000 scalar=1 threads=1 algebra=0 exact=0 observed=0 index=0");
    EXPECT_TRUE(has(run(*s, problem_of<chain>().as_ide()).result.message, "form=4"));
}

TEST(plugin_task, vectors_arrive)
{
    const auto s = load_test_plugin("echo");
    setup w = with_options({{"part", 1}, {"other", -0.5}});
    w.rtol = 1e-3;
    w.atol = 1e-5;
    EXPECT_EQ(run(*s, problem_of<weighted>(), w).result.message,
              "y=1,2,3 yp=0.5,0.5,0.5 rtol=0.001,0.001,0.001 atol=1e-05,1e-05,1e-05 index=1,1,2 options=1,-0.5");
    w.options.tolerance.rtol = {1e-3};
    w.options.tolerance.atol = {1e-5, 1e-6, 1e-7};
    EXPECT_TRUE(has(run(*s, problem_of<weighted>(), w).result.message, "rtol=0.001,0.001,0.001 atol=1e-05,1e-06,1e-07"));
    w.options.special["part"] = 0;
    EXPECT_TRUE(has(run(*s, problem_of<weighted>(), w).result.message, "scalar=0"));
}

TEST(plugin_task, the_structure_arrives)
{
    const auto s = load_test_plugin("echo");
    const setup w = with_options({{"part", 2}});
    EXPECT_EQ(run(*s, problem_of<chain>(), w).result.message, "kind=0 lower=3 upper=3");
    EXPECT_EQ(run(*s, problem_of<chain>({{"structure", "1"}}), w).result.message, "kind=1 lower=1 upper=1");
    EXPECT_EQ(run(*s, problem_of<chain>({{"structure", "2"}}), w).result.message, "kind=2 lower=0 upper=0 start=0,2,5,8,10 row=0,1,0,1,2,1,2,3,2,3");
}

TEST(plugin_task, the_mass_matrix_arrives)
{
    const auto s = load_test_plugin("echo");
    const auto said = [&](const char* kind) { return run(*s, problem_of<weighted>({{"mass", kind}}), with_options({{"part", 3}})).result.message; };
    EXPECT_EQ(said("0"), "kind=0 lower=0 upper=0 values= My=1,2,3");
    EXPECT_EQ(said("1"), "kind=1 lower=0 upper=0 values=1,2,0 My=1,4,0");
    EXPECT_EQ(said("2"), "kind=2 lower=1 upper=0 values=1,5,2,0,0,0 My=1,9,0");
    EXPECT_EQ(said("3"), "kind=3 lower=2 upper=2 values=1,5,0,0,2,0,7,0,0 My=22,9,0");
}

TEST(plugin_task, an_algebra_that_cannot_be_met_is_refused)
{
    const auto echo = load_test_plugin("echo");
    setup w = with_options({{"part", 2}});
    w.options.algebra = algebra::band;
    EXPECT_EQ(message_of([&] { (void)run(*echo, problem_of<chain>(), w); }),
              "algebra: 'band' given; allowed for echo and a Jacobian that is full: auto, dense");
    EXPECT_EQ(run(*echo, problem_of<chain>({{"structure", "1"}}), w).result.outcome, outcome::success);
    w.options.algebra = algebra::sparse;
    EXPECT_EQ(message_of([&] {
                  (void)run(*echo, problem_of<chain>({{"structure", "1"}}), w);
              }),
              "algebra: 'sparse' given; allowed for echo and a Jacobian that is band 1,1: auto, dense, band");
    EXPECT_EQ(run(*echo, problem_of<chain>({{"structure", "2"}}), w).result.outcome, outcome::success);
}

// ---- The callbacks ----

TEST(plugin_callbacks, jacobians_agree_in_every_storage)
{
    const auto s = load_test_plugin("matrices");
    for (const char* kind : {"0", "1", "2"}) {
        const problem p = problem_of<chain>({{"structure", kind}});
        for (const problem& formulation : {p, p.as_ide()}) {
            const auto r = run(*s, formulation);
            EXPECT_EQ(r.result.message, "") << kind;
            EXPECT_EQ(r.result.outcome, outcome::success);
            EXPECT_EQ(r.count.f, 0U);
            EXPECT_EQ(r.count.f_jacobian, 8U);
            EXPECT_EQ(r.count.jacobian, kind == std::string("0") ? 3U : 5U);
        }
    }
    for (const char* kind : {"0", "1", "2", "3"}) EXPECT_EQ(run(*s, problem_of<weighted>({{"mass", kind}}).as_ide()).result.message, "") << kind;
}

TEST(plugin_callbacks, an_implicit_equation_is_solved)
{
    const auto s = load_test_plugin("implicit_euler");
    const problem p = problem_of<moving>().as_ide();
    const double y1 = 1 / (1 + std::sin(2.0));
    const double y2 = std::cos(2.0);
    const auto coarse = run(*s, p, with_options({{"steps", 100}}));
    const auto fine = run(*s, p, with_options({{"steps", 200}}));
    ASSERT_EQ(coarse.result.outcome, outcome::success);
    ASSERT_EQ(fine.result.outcome, outcome::success);
    EXPECT_NEAR((coarse.y[0] - y1) / (fine.y[0] - y1), 2, 0.1); // order 1
    EXPECT_NEAR((coarse.y[1] - y2) / (fine.y[1] - y2), 2, 0.1);
    EXPECT_EQ(fine.result.accepted, 200U);
    EXPECT_EQ(fine.result.steps, 200U); // not claimed: those reported
    EXPECT_TRUE(fine.result.claimed.empty());
    EXPECT_EQ(fine.count.f, fine.count.jacobian);
    EXPECT_EQ(fine.count.lu, fine.count.jacobian);
    EXPECT_EQ(fine.count.real_factorisations, fine.count.lu);
    EXPECT_EQ(fine.count.solve, fine.count.lu);
}

TEST(plugin_callbacks, the_interpolation_of_a_step_is_handed_on)
{
    const auto s = load_test_plugin("implicit_euler");
    recorder observer;
    setup w = with_options({{"steps", 1}});
    w.observer = &observer;
    const auto r = run(*s, problem_of<moving>().as_ide(), w);
    ASSERT_EQ(observer.middle.size(), 2U);
    EXPECT_DOUBLE_EQ(observer.middle[0], 0.5 * (1 + r.y[0]));
}

TEST(plugin_callbacks, f_may_be_called_from_any_thread)
{
    const auto s = load_test_plugin("misuse");
    const auto r = run(*s, problem_of<problems::hires>(), with_options({{"way", 14}}));
    EXPECT_EQ(r.result.outcome, outcome::success);
    EXPECT_EQ(r.count.f, 2000U);
}

TEST(plugin_callbacks, a_breach_of_the_contract_is_reported_in_words)
{
    const auto s = load_test_plugin("misuse");
    const auto hires = problem_of<problems::hires>();
    const auto said = [&](double way, const problem& p) { return message_of([&] { (void)run(*s, p, with_options({{"way", way}})); }); };
    const std::string begin = "plug-in '" + test_plugin("misuse") + "' breaks the plug-in contract: it ";
    EXPECT_EQ(said(0, hires.as_ide()), begin + "asked for f; the problem has the form G(t, y, y') = 0");
    EXPECT_EQ(said(1, hires), begin + "asked for G; the problem has the form M y' = f(t, y)");
    EXPECT_EQ(said(2, hires.as_ide()), begin + "asked for df/dy; the problem has the form G(t, y, y') = 0");
    EXPECT_EQ(said(3, hires), begin + "asked for a band Jacobian; its structure is full");
    EXPECT_EQ(said(4, hires), begin + "asked for a sparse Jacobian; its structure is full");
    EXPECT_EQ(said(5, hires), begin + "asked for a Jacobian with ld = 7; allowed: at least 8");
    EXPECT_EQ(said(6, hires), begin + "reported a step that does not begin with IVP_VERSIONED(ivp_step)");
    EXPECT_EQ(said(7, hires), begin + "reported a step from t = 0 to t = -1");
    EXPECT_EQ(said(8, hires), begin + "called accepted_step from another thread");
    EXPECT_EQ(said(9, hires), begin + "reported a negative number of factorisations");
    EXPECT_EQ(said(10, hires), begin + "returns without an outcome");
    EXPECT_EQ(said(11, hires), begin + "returns the unknown outcome 42");
    EXPECT_EQ(said(12, hires), begin + "claims to have been stopped, but no callback returned IVP_STOP");

    setup differences = with_options({{"way", 2}});
    differences.options.jacobian = jacobian_source::differences;
    EXPECT_EQ(message_of([&] { (void)run(*s, hires, differences); }), begin + "asked for an exact Jacobian; the task offers none");
}

// ---- What is believed ----

TEST(plugin_result, success_short_of_tend_is_a_wrong_answer)
{
    const auto s = load_test_plugin("short_of_tend");
    const auto p = problem_of<chain>();
    const auto ends = [&](double where) { return run(*s, p, with_options({{"ends", where}})).result; };
    EXPECT_EQ(ends(0).outcome, outcome::wrong_answer);
    EXPECT_EQ(ends(0).message, "the solver claims success at t = 1, short of tend = 2");
    EXPECT_EQ(ends(0).t, 1);
    EXPECT_EQ(ends(1).outcome, outcome::success);
    EXPECT_EQ(ends(2).outcome, outcome::wrong_answer);
    EXPECT_EQ(ends(2).message, "the solver claims success at t = 4, beyond tend = 2");
    EXPECT_EQ(ends(3).message, "the solver claims success at t = 0, short of tend = 2");
}

TEST(plugin_result, failures_keep_their_reason_and_counters)
{
    const auto s = load_test_plugin("fails");
    const auto r = run(*s, problem_of<problems::hires>()).result;
    EXPECT_EQ(r.outcome, outcome::newton_failed);
    EXPECT_EQ(r.message, "the iteration went nowhere");
    EXPECT_EQ(r.t, 0);
    EXPECT_EQ(r.steps, 7U);
    EXPECT_EQ(r.accepted, 4U);
    EXPECT_EQ(r.error_rejections, 2U);
    EXPECT_EQ(r.claimed, (std::map<std::string, double>{{"nfev", 11}, {"nsolve", 0}}));
    EXPECT_EQ(r.extra, (std::map<std::string, double>{{"reported_steps", 0}}));
    EXPECT_EQ(r.algebra, "");
}

TEST(plugin_result, every_outcome_has_its_counterpart)
{
    const auto s = load_test_plugin("fails");
    const std::vector<std::pair<double, outcome>> pairs{{1, outcome::too_many_steps},    {2, outcome::step_too_small},  {3, outcome::newton_failed},
                                                        {4, outcome::error_test_failed}, {5, outcome::singular_matrix}, {6, outcome::nonfinite},
                                                        {8, outcome::out_of_memory}};
    for (const auto& [code, expected] : pairs)
        EXPECT_EQ(run(*s, problem_of<problems::hires>(), with_options({{"outcome", code}})).result.outcome, expected);
}

TEST(plugin_result, text_that_is_not_text_is_made_harmless)
{
    const auto s = load_test_plugin("fails");
    const auto said = [&](double text) { return run(*s, problem_of<problems::hires>(), with_options({{"text", text}})).result.message; };
    EXPECT_EQ(said(1), "bell  , \uFFFD\uFFFD\uFFFD, \uFFFD\uFFFD\uFFFD, \u00e9");
    EXPECT_EQ(said(2), std::string(256, 'x'));
}

TEST(plugin_result, the_place_of_a_nonfinite_value_is_added_where_the_solver_says_nothing)
{
    const auto s = load_test_plugin("fails");
    const auto p = problem_of<draining>({{"refuses", "0"}, {"start", "-1"}});
    EXPECT_EQ(run(*s, p, with_options({{"outcome", 6}, {"text", 3}})).result.message, "component 1 is not finite at t = 0");
    EXPECT_EQ(run(*s, p, with_options({{"outcome", 6}})).result.message, "the iteration went nowhere");
}

TEST(plugin_result, a_solver_that_never_ends_is_stopped_by_the_deadline)
{
    const auto s = load_test_plugin("never_ends");
    const auto p = problem_of<problems::hires>();
    evaluator e(p);
    e.set_time_limit(0.02);
    auto y = p.in<double>().initial_values();
    std::vector<double> yp(y.size());
    const auto r = s->solve(e, {0, 321.8122, y, yp, 1000}, {}, nullptr);
    EXPECT_EQ(r.outcome, outcome::timed_out); // it claims success
    EXPECT_EQ(r.message, "");
    EXPECT_GT(e.total().f, 100U);
}

TEST(plugin_result, more_steps_than_allowed_are_stopped)
{
    const auto s = load_test_plugin("misuse");
    setup w = with_options({{"way", 13}});
    w.max_steps = 50;
    const auto r = run(*s, problem_of<problems::hires>(), w).result;
    EXPECT_EQ(r.outcome, outcome::too_many_steps);
    EXPECT_EQ(r.accepted, 51U);
}

TEST(plugin_result, the_observer_stops_a_run)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    recorder observer(5);
    setup w;
    w.observer = &observer;
    const auto r = run(*s, problem_of<problems::hires>(), w);
    EXPECT_EQ(r.result.outcome, outcome::stopped_by_observer);
    EXPECT_EQ(observer.t.size(), 5U);
    EXPECT_EQ(r.result.t, observer.t.back());
    EXPECT_EQ(r.y, observer.last_y);
}

TEST(plugin_result, a_stop_after_the_last_step_changes_nothing)
{
    const auto s = load_test_plugin("implicit_euler");
    recorder observer(10);
    setup w = with_options({{"steps", 10}});
    w.observer = &observer;
    EXPECT_EQ(run(*s, problem_of<moving>().as_ide(), w).result.outcome, outcome::success);
}

TEST(plugin_result, an_exception_of_the_observer_arrives_after_the_solver_has_returned)
{
    struct thrower final : step_observer {
        int calls = 0;
        observer_answer on_step(const accepted_step& /*step*/) override
        {
            ++calls;
            throw std::runtime_error("disk full");
        }
    } observer;
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    setup w;
    w.observer = &observer;
    EXPECT_THROW((void)run(*s, problem_of<problems::hires>(), w), std::runtime_error);
    EXPECT_EQ(observer.calls, 1);
}

// ---- The example: examples/01_solver_in_c/rosenbrock.c ----

TEST(example_rosenbrock, describes_itself)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    EXPECT_EQ(s->info().name, "rosenbrock");
    EXPECT_EQ(s->info().highest_order, 3);
    EXPECT_TRUE(s->info().gives_error_estimate && s->info().locally_extrapolated);
    EXPECT_TRUE(s->info().refusal(problem_of<weighted>()).has_value());
}

TEST(example_rosenbrock, has_order_three)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    for (const auto source : {jacobian_source::exact, jacobian_source::differences}) {
        std::vector<double> error;
        for (const double h : {1.0 / 100, 1.0 / 200, 1.0 / 400}) {
            setup w;
            w.rtol = w.atol = 1; // so loose that the step size is never cut
            w.options.h0 = w.options.hmax = h;
            w.options.jacobian = source;
            w.end = {1 / (1 + std::sin(2.0)), std::cos(2.0)};
            const auto r = run(*s, problem_of<moving>(), w);
            ASSERT_EQ(r.result.steps, static_cast<std::uint64_t>(std::lround(2 / h)));
            error.push_back(std::pow(10, -r.mescd));
        }
        EXPECT_NEAR(std::log2(error[0] / error[1]), 3, 0.1);
        EXPECT_NEAR(std::log2(error[1] / error[2]), 3, 0.05);
    }
}

TEST(example_rosenbrock, solves_stiff_problems_to_the_tolerance)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    const auto check = [&](const problem& p, const std::vector<double>& end, double atol_per_rtol, jacobian_source source) {
        for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7}) {
            setup w;
            w.rtol = rtol;
            w.atol = atol_per_rtol * rtol;
            w.options.jacobian = source;
            w.end = end;
            const auto r = run(*s, p, w);
            EXPECT_EQ(r.result.outcome, outcome::success) << p.id() << " " << rtol << " " << r.result.message;
            EXPECT_EQ(r.result.t, p.info().tend.value());
            EXPECT_GT(r.mescd, -std::log10(rtol) - 1) << p.id() << " " << rtol;
            EXPECT_EQ(r.result.claimed.at("nfev"), static_cast<double>(r.count.f));
            EXPECT_EQ(r.result.claimed.at("njac"), static_cast<double>(r.count.jacobian));
            EXPECT_EQ(r.result.claimed.at("nlu"), static_cast<double>(r.count.lu));
            EXPECT_EQ(r.result.claimed.at("nsolve"), static_cast<double>(r.count.solve));
            EXPECT_TRUE(r.result.extra.empty());
            EXPECT_EQ(r.count.f_jacobian, r.count.jacobian * (source == jacobian_source::exact ? 1 : p.n() + 1)); // the 1: df/dt
        }
    };
    for (const auto source : {jacobian_source::exact, jacobian_source::differences}) {
        check(problem_of<problems::hires>(), hires_end, 1, source);
        check(problem_of<problems::rober>(), rober_end, 1e-4, source);
        check(problem_of<problems::vdpol>(), vdpol_end, 1, source);
    }
}

TEST(example_rosenbrock, reports_the_norm_of_the_estimate_it_reports)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    recorder observer;
    setup w;
    w.observer = &observer;
    const auto r = run(*s, problem_of<problems::hires>(), w);
    ASSERT_EQ(observer.t.size(), r.result.accepted);
    EXPECT_EQ(observer.t.back(), 321.8122);
    for (std::size_t i = 0; i < observer.norm.size(); ++i) {
        EXPECT_NEAR(observer.norm_again[i], observer.norm[i], 1e-12);
        EXPECT_LE(observer.norm[i], 1);
    }
}

TEST(example_rosenbrock, a_refusal_cuts_the_step)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    for (const char* refuses : {"1", "0"}) {
        setup w;
        w.rtol = w.atol = 1e-2;
        w.options.h0 = 1.5;
        w.end = {0.0025};
        const auto r = run(*s, problem_of<draining>({{"refuses", refuses}}), w);
        EXPECT_EQ(r.result.outcome, outcome::success);
        EXPECT_GT(r.count.refused + r.count.nonfinite, 0U);
        EXPECT_GT(r.mescd, 1.5);
    }
}

TEST(example_rosenbrock, a_start_outside_the_domain_is_a_failure_not_a_loop)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    const auto r = run(*s, problem_of<draining>({{"refuses", "0"}, {"start", "-1"}}));
    EXPECT_EQ(r.result.outcome, outcome::nonfinite);
    EXPECT_EQ(r.result.message, "component 1 is not finite at t = 0");
}

TEST(example_rosenbrock, keeps_to_the_limits)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    setup w;
    w.max_steps = 10;
    const auto r = run(*s, problem_of<problems::hires>(), w);
    EXPECT_EQ(r.result.outcome, outcome::too_many_steps);
    EXPECT_EQ(r.result.steps, 10U);

    const auto autonomous = run(*s, problem_of<problems::hires>(), with_options({{"autonomous", 1}}));
    EXPECT_EQ(autonomous.result.outcome, outcome::success);
    EXPECT_EQ(autonomous.count.f_jacobian, 0U);
}

// Regression: the counts are deterministic. A change here is a change of the method.
TEST(example_rosenbrock, counts_on_hires)
{
    const auto s = load_plugin_solver(IVP_EXAMPLE_PLUGIN);
    const auto counts = [&](double tol) {
        setup w;
        w.rtol = w.atol = tol;
        const auto r = run(*s, problem_of<problems::hires>(), w);
        return std::vector<std::uint64_t>{r.result.steps, r.result.accepted, r.count.f, r.count.jacobian, r.count.lu, r.count.solve};
    };
    EXPECT_EQ(counts(1e-4), (std::vector<std::uint64_t>{44, 39, 127, 39, 44, 176}));
    EXPECT_EQ(counts(1e-7), (std::vector<std::uint64_t>{383, 383, 1149, 383, 383, 1532}));
}

} // namespace
