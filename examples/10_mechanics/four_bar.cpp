// A four-bar linkage: crank, coupler and rocker, three uniform rods of mass 1, hang from two pivots and swing. The text below has masses, forces and
// constraints and nothing else; derivatives, formulations and consistent initial values come from ivp/mechanics.hpp.
//
// Crank and rocker have length 1, coupler and pivots the distance 2: a parallelogram, whose solution is known. Both angles follow
// 5/3 a'' = -2 cos a. Released 60 degrees from the vertical they are below after K(1/4) sqrt(5/6), and turn with sqrt(6/5).
#include <ivp/catalog.hpp>
#include <ivp/mechanics.hpp>
#include <ivp/run.hpp>

#include <cmath>
#include <cstdio>

namespace {

template <class R>
struct four_bar {
    R a0; ///< angle at the start, from the horizontal

    explicit four_bar(const ivp::parameter_values& p) : a0(p.get<R>("angle")) {}
    static std::vector<ivp::parameter> parameters()
    {
        return {{"angle", "-0.52359877559829887307710723054658", -3, 0, "of the cranks at the start [rad]"}};
    }
    static ivp::mechanics_info describe(const ivp::parameter_values& /*p*/)
    {
        ivp::problem_info i;
        i.id = "four-bar";
        i.title = "Four-bar linkage";
        i.t0 = 0;
        i.tend = "1.53887249275532719234814041504830";
        i.tags = {"mechanics", "small", "autonomous"};
        return {i, {"crank", "coupler", "rocker"}, {"loop, x", "loop, y"}, -1};
    }

    void start(R* q, R* v) const
    {
        q[0] = a0;
        q[1] = R(0);
        q[2] = a0 + ivp::decimal("0.1").in<R>(); // about: the builder moves it to the value that closes the loop
        v[0] = v[1] = v[2] = R(0);
    }
    template <class T>
    void mass(const T* q, ivp::square<T> M) const
    {
        using std::cos;
        M(0, 0) = T(4) / 3;
        M(1, 1) = T(4) / 3;
        M(2, 2) = T(1) / 3;
        M(0, 1) = M(1, 0) = cos(q[0] - q[1]);
    }
    template <class T>
    void forces(const T& /*t*/, const T* q, const T* v, T* f) const
    {
        using std::cos, std::sin;
        f[0] = -sin(q[0] - q[1]) * v[1] * v[1] - 3 * cos(q[0]) / 2;
        f[1] = sin(q[0] - q[1]) * v[0] * v[0] - cos(q[1]);
        f[2] = -cos(q[2]) / 2;
    }
    template <class T>
    void constraints(const T& /*t*/, const T* q, T* phi) const
    {
        using std::cos, std::sin;
        phi[0] = cos(q[0]) + 2 * cos(q[1]) - cos(q[2]) - 2;
        phi[1] = sin(q[0]) + 2 * sin(q[1]) - sin(q[2]);
    }
    template <class T>
    T potential(const T* q) const
    {
        using std::sin;
        return 3 * sin(q[0]) / 2 + sin(q[1]) + sin(q[2]) / 2;
    }
};

} // namespace

int main()
{
    // Crank and coupler keep their values; the builder solves for the rocker, and for all accelerations and multipliers.
    const ivp::start_choice rocker{{"rocker", "rocker'", "coupler'", "lambda1", "lambda2"}, {}};
    const auto system = ivp::mechanical_system_of<four_bar>({}, rocker);
    std::printf("%s\n", system.start().text().c_str());

    const auto solver = ivp::open_solver("radau5");
    ivp::run_settings settings;
    settings.rtol = 1e-8;
    settings.repeat = 1;
    std::printf("formulation   angle error   position   velocity   acceleration   energy\n");
    bool right = true;
    for (const auto kind : ivp::all_formulations()) {
        const ivp::problem p = system.as_problem(kind);
        const auto r = ivp::measure_run(p, *solver, settings);
        const double error = std::abs(r.y[0] + std::acos(-1.0) / 2);
        std::printf("%-11s   %11.1e   %8.1e   %8.1e   %12.1e   %6.1e\n", std::string(ivp::label(kind)).c_str(), error, r.extra.at("drift_position"),
                    r.extra.at("drift_velocity"), r.extra.at("drift_acceleration"), r.extra.at("drift_energy"));
        right = right && r.outcome == ivp::outcome::success && error < 1e-5;
    }
    return right ? 0 : 1;
}
