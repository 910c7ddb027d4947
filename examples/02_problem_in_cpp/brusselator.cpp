// A problem of your own, in your own program: the Brusselator, from its equations to a measured run.
//
//   u' = A + u² v − (B + 1) u,   v' = B u − u² v,   0 <= t <= 20,   u(0) = 1.5, v(0) = 3,   A = 1, B = 3
//
// A model of an oscillating reaction; its limit cycle has slow and fast parts. Build: see examples/README.md.
#include <ivp/ivp.hpp>

#include <cmath>
#include <iostream>

namespace {

// The formula is written once, over the precision R and the scalar T. Everything else follows from it.
template <class R>
struct brusselator {
    R A, B;

    explicit brusselator(const ivp::parameter_values& p) : A(p.get<R>("A")), B(p.get<R>("B")) {}

    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        const T uuv = y[0] * y[0] * y[1];
        dydt[0] = A + uuv - (B + 1) * y[0];
        dydt[1] = B * y[0] - uuv;
    }

    void initial(R* y) const
    {
        y[0] = R(1.5); // exact in every precision; a value such as 0.1 would be decimal("0.1").in<R>()
        y[1] = R(3);
    }

    static std::vector<ivp::parameter> parameters()
    {
        return {{"A", 1, 0, 100, "concentration of the first reactant"}, {"B", 3, 0, 100, "concentration of the second reactant"}};
    }

    static ivp::problem_info describe(const ivp::parameter_values& /*p*/)
    {
        ivp::problem_info i;
        i.id = "brusselator";
        i.title = "Brusselator";
        i.n = 2;
        i.tend = 20;
        i.quantity_of_interest = "both concentrations after a little less than three periods";
        i.contributor = "I. Prigogine, R. Lefever (1968)";
        i.tags = {"chemistry", "oscillating", "small"};
        return i;
    }
};

// A first reference: two integrations that differ in the tolerance; the digits they share are the digits we state.
ivp::reference_solution make_reference(const ivp::problem& p, const ivp::solver& s)
{
    ivp::run_settings tight;
    tight.repeat = 1;
    tight.rtol = 1e-12;
    const auto a = ivp::measure_run(p, s, tight).y;
    tight.rtol = 1e-13;
    const auto b = ivp::measure_run(p, s, tight).y;
    ivp::reference_solution r;
    r.t = p.info().tend;
    for (std::size_t i = 0; i < b.size(); ++i) {
        r.value.emplace_back(b[i]);
        r.digits.push_back(std::floor(ivp::digits_of(std::abs(a[i] - b[i]) / std::abs(b[i]))));
    }
    r.source = "radau5 at rtol = 1e-13";
    r.confirmed = "radau5 at rtol = 1e-12 agrees to the digits given";
    return r;
}

} // namespace

int main()
{
    const auto radau5 = ivp::open_solver("radau5");
    ivp::problem p = ivp::problem_of<brusselator>();
    p = p.with_reference(make_reference(p, *radau5));

    // Are its claims true? Jacobian, structure, initial values, reference.
    const ivp::check_report checked = ivp::check_problem(p);
    std::cout << ivp::check_page(checked, ivp::text_format::text) << '\n';

    // How well does a solver do on it?
    std::vector<ivp::run_record> runs;
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        ivp::run_settings settings;
        settings.rtol = rtol;
        runs.push_back(ivp::measure_run(p, *radau5, settings));
    }
    std::cout << ivp::characteristics_table(runs);
    return checked.passed() ? 0 : 1;
}
