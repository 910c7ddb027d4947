#include "steppers.hpp"

#include <boost/numeric/odeint/stepper/bulirsch_stoer.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/rosenbrock4.hpp>
#include <boost/numeric/odeint/stepper/rosenbrock4_controller.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/version.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace ivp::odeint {

namespace {

namespace lib = boost::numeric::odeint;
namespace ublas = boost::numeric::ublas;

/// Thrown out of a formula to leave the library, which knows no refusal.
struct no_value {};

struct right_hand_side {
    formulas& system;
    template <class State>
    void operator()(const State& y, State& out, double t) const
    {
        if (!system.f(t, &y[0], &out[0])) throw no_value();
    }
};

struct exact_jacobian {
    formulas& system;
    std::vector<double>& columns;
    void operator()(const ublas::vector<double>& y, ublas::matrix<double>& out, double t, ublas::vector<double>& dfdt) const
    {
        const std::size_t n = y.size();
        if (!system.jacobian(t, y.data().begin(), columns.data(), dfdt.data().begin())) throw no_value();
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) out(i, j) = columns[i + j * n];
    }
};

template <class Controller, class State, class System>
class controlled final : public stepper {
public:
    controlled(Controller controller, const start& s, System system) : controller_(std::move(controller)), system_(std::move(system)), y_(s.n)
    {
        std::copy(s.y, s.y + s.n, y_.begin());
    }
    attempt try_step(double& t, double& h) override
    {
        const double t_old = t;
        try {
            return controller_.try_step(system_, y_, t, h) == lib::success ? attempt::accepted : attempt::rejected;
        } catch (const no_value&) {
            t = t_old;
            return attempt::not_evaluated;
        }
    }
    [[nodiscard]] const double* y() const override { return &y_[0]; }

private:
    Controller controller_;
    System system_;
    State y_;
};

class rosenbrock4 final : public stepper {
public:
    explicit rosenbrock4(const start& s)
        : columns_(s.n * s.n),
          inner_(lib::rosenbrock4_controller<lib::rosenbrock4<double>>(s.atol, s.rtol), s,
                 std::make_pair(right_hand_side{s.system}, exact_jacobian{s.system, columns_}))
    {}
    attempt try_step(double& t, double& h) override { return inner_.try_step(t, h); }
    [[nodiscard]] const double* y() const override { return inner_.y(); }

private:
    std::vector<double> columns_;
    controlled<lib::rosenbrock4_controller<lib::rosenbrock4<double>>, ublas::vector<double>, std::pair<right_hand_side, exact_jacobian>> inner_;
};

using vector = std::vector<double>;

// Of the weights that the library offers (|y|, h |y'|) only |y|, as elsewhere.
constexpr double weight_of_y = 1;
constexpr double weight_of_slope = 0;

} // namespace

std::unique_ptr<stepper> new_rosenbrock4(const start& s) { return std::make_unique<rosenbrock4>(s); }

std::unique_ptr<stepper> new_dopri5(const start& s)
{
    using method = lib::runge_kutta_dopri5<vector>;
    using checker = lib::default_error_checker<double, method::algebra_type, method::operations_type>;
    using controller = lib::controlled_runge_kutta<method>;
    return std::make_unique<controlled<controller, vector, right_hand_side>>(controller(checker(s.atol, s.rtol, weight_of_y, weight_of_slope)), s,
                                                                             right_hand_side{s.system});
}

std::unique_ptr<stepper> new_bulirsch_stoer(const start& s)
{
    using controller = lib::bulirsch_stoer<vector>;
    return std::make_unique<controlled<controller, vector, right_hand_side>>(controller(s.atol, s.rtol, weight_of_y, weight_of_slope), s,
                                                                             right_hand_side{s.system});
}

std::string boost_version() { return std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000); }

} // namespace ivp::odeint
