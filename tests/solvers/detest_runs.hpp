// A few problems of DETEST (Enright, Pryce: ACM TOMS 13 (1987) 28-34), and its way to run and judge a method with DVERK or SECDER, for the tests of
// these two: absolute error control, a preliminary run of two steps that gives the first step size, and true solutions beside every step.
#ifndef IVP_TESTS_SOLVERS_DETEST_RUNS_HPP
#define IVP_TESTS_SOLVERS_DETEST_RUNS_HPP

#include "solvers/common/communication.hpp"
#include "solvers/nonstiff_problems.hpp"

#include <ivp/problem_of.hpp>
#include <ivp/solver.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ivp::testing_support {

inline problem_info stiff_info(const char* id, int n, decimal tend)
{
    problem_info i = nonstiff_info(id, n, std::move(tend));
    i.tags = {"autonomous"};
    return i;
}

/// B1 of the problems that are not stiff: two populations.
template <class R>
struct conflict : without_parameters {
    explicit conflict(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = 2 * (y[0] - y[0] * y[1]);
        dydt[1] = -(y[1] - y[0] * y[1]);
    }
    void initial(R* y) const
    {
        y[0] = R(1);
        y[1] = R(3);
    }
    static problem_info describe(const parameter_values& /*p*/) { return nonstiff_info("conflict", 2, decimal("20")); }
};

/// A1 of the stiff problems.
template <class R>
struct four_decays : without_parameters {
    explicit four_decays(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -y[0] / 2;
        dydt[1] = -y[1];
        dydt[2] = -100 * y[2];
        dydt[3] = -90 * y[3];
    }
    void initial(R* y) const { std::fill(y, y + 4, R(1)); }
    static problem_info describe(const parameter_values& /*p*/) { return stiff_info("four_decays", 4, decimal("20")); }
};

/// B2 of the stiff problems.
template <class R>
struct damped : without_parameters {
    R slowest = decimal("0.1").in<R>();
    explicit damped(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -10 * y[0] + 3 * y[1];
        dydt[1] = -3 * y[0] - 10 * y[1];
        dydt[2] = -4 * y[2];
        dydt[3] = -y[3];
        dydt[4] = -y[4] / 2;
        dydt[5] = -slowest * y[5];
    }
    void initial(R* y) const { std::fill(y, y + 6, R(1)); }
    static problem_info describe(const parameter_values& /*p*/) { return stiff_info("damped", 6, decimal("20")); }
};

/// C2 of the stiff problems: coupling from slow to fast components.
template <class R>
struct coupled : without_parameters {
    R b = decimal("0.1").in<R>();
    explicit coupled(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = -y[0] + 2;
        dydt[1] = -10 * y[1] + b * y[0] * y[0];
        dydt[2] = -40 * y[2] + 4 * b * (y[0] * y[0] + y[1] * y[1]);
        dydt[3] = -100 * y[3] + 10 * b * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    }
    void initial(R* y) const { std::fill(y, y + 4, R(1)); }
    static problem_info describe(const parameter_values& /*p*/) { return stiff_info("coupled", 4, decimal("20")); }
};

/// D1 of the stiff problems: a nuclear reactor.
template <class R>
struct reactor : without_parameters {
    R fifth = decimal("0.2").in<R>();
    explicit reactor(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = fifth * (y[1] - y[0]);
        dydt[1] = 10 * y[0] - (60 - y[2] / 8) * y[1] + y[2] / 8;
        dydt[2] = T(1);
    }
    void initial(R* y) const { std::fill(y, y + 3, R(0)); }
    static problem_info describe(const parameter_values& /*p*/) { return stiff_info("reactor", 3, decimal("400")); }
};

/// E2 of the stiff problems: van der Pol's oscillator, not very stiff.
template <class R>
struct oscillator : without_parameters {
    explicit oscillator(const parameter_values& /*p*/) {}
    template <class T>
    void f(const T& /*t*/, const T* y, T* dydt) const
    {
        dydt[0] = y[1];
        dydt[1] = 5 * (1 - y[0] * y[0]) * y[1] - y[0];
    }
    void initial(R* y) const
    {
        y[0] = R(2);
        y[1] = R(0);
    }
    static problem_info describe(const parameter_values& /*p*/) { return stiff_info("oscillator", 2, decimal("10")); }
};

/// What DETEST gathers about a method at one tolerance.
struct detest_statistics {
    ivp::outcome outcome = outcome::success;
    std::uint64_t start_evaluations = 0; ///< of the preliminary run
    double start_step = 0;
    counters cost;
    int steps = 0;
    int lumped = 0;   ///< assessed together where single steps are too short
    int assessed = 0; ///< with a true local solution
    int deceived = 0;
    double max_global_error = 0;
    double max_local_error = 0; ///< in units of the tolerance
};

/// Limits on the evaluations of true solutions, and whether local ones start from the step size of the global one.
struct truth_rules {
    std::uint64_t first, more, local;
    bool not_stiff;
};

template <class Integrator>
class detest_observer final : public step_observer {
public:
    detest_observer(Integrator& global, Integrator& local, const truth_rules& rules, double tol, double t, const std::vector<double>& y,
                    detest_statistics& out)
        : global_(global), local_(local), rules_(rules), tol_(tol), t_(t), t_last_(t), y_(y), out_(out)
    {
        global_.control_error(0.01 * tol);
        global_.limits() = {};
        global_.limits().max_calls = rules.first;
        global_.start(t, y);
    }

    observer_answer on_step(const accepted_step& s) override
    {
        ++out_.steps;
        if (rules_.not_stiff)
            bound_ += s.error_bound;
        else
            bound_ += static_cast<float>((s.t - t_last_) / (s.t - t_)) * (s.error_bound - bound_);
        t_last_ = s.t;
        double size = 0;
        for (std::size_t i = 0; i < y_.size(); ++i) size = std::max({size, std::abs(global_.y()[i]), std::abs(s.y[i])});
        if ((s.t - t_) * tol_ < size * 1000 * machine_.roundoff) return observer_answer::go_on;
        ++out_.lumped;
        if (global_is_true_) judge(s);
        bound_ = 0;
        t_ = s.t;
        return observer_answer::go_on;
    }

private:
    void judge(const accepted_step& s)
    {
        const double hmin = rules_.not_stiff ? 10 * std::max(1e-30, machine_.roundoff * std::abs(s.t)) : 0;
        global_.limits().hmin = hmin;
        global_.limits().hmax = 1.1 * (s.t - global_.t());
        global_is_true_ = global_.advance(s.t) == solvers::advance_status::arrived;
        global_.limits().max_calls = global_.calls() + rules_.more;
        if (!global_is_true_) return;
        out_.max_global_error = std::max(out_.max_global_error, distance(s.y, global_.y()));
        if (!local_is_true_) return;
        local_.control_error(0.01 * bound_);
        local_.limits() = {hmin, 1.1 * (s.t - t_), rules_.not_stiff ? 0.8 * global_.step_size() : 0, 0, rules_.local};
        local_.start(t_, y_);
        local_is_true_ = local_.advance(s.t) == solvers::advance_status::arrived;
        if (!local_is_true_) return;
        const double error = distance(s.y, local_.y()) / bound_;
        out_.max_local_error = std::max(out_.max_local_error, error);
        out_.deceived += error > 1 ? 1 : 0;
        ++out_.assessed;
        y_.assign(s.y.begin(), s.y.end());
    }

    static double distance(std::span<const double> a, std::span<const double> b)
    {
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
        return largest;
    }

    Integrator& global_;
    Integrator& local_;
    truth_rules rules_;
    solvers::machine_constants machine_;
    double tol_;
    double t_;      // of the last assessed point
    double t_last_; // of the last step
    std::vector<double> y_;
    detest_statistics& out_;
    double bound_ = 0;
    bool global_is_true_ = true;
    bool local_is_true_ = true;
};

/// The whole run. special: options of the method.
template <class Integrator>
detest_statistics detest_run(const problem& p, const solver& method, Integrator& global, Integrator& local, const truth_rules& rules, double tol,
                             double h0, double hmax, const std::map<std::string, double>& special)
{
    struct two_steps final : step_observer {
        int steps = 0;
        double h = 0;
        observer_answer on_step(const accepted_step& s) override
        {
            h = s.t - s.t_old;
            return ++steps == 2 ? observer_answer::stop : observer_answer::go_on;
        }
    } seen;
    detest_statistics out;
    const double t0 = p.info().t0.value();
    const double tend = p.info().tend.value();
    const std::vector<double> start = p.in<double>().initial_values();
    solve_options o;
    const double single = static_cast<float>(tol); // as DETEST hands it over
    o.tolerance = tolerances(0, single);
    o.h0 = h0;
    o.hmax = hmax;
    o.special = special;
    std::vector<double> y = start;
    evaluator preliminary(p);
    (void)method.solve(preliminary, {t0, tend, y, {}, 1'000'000}, o, &seen);
    out.start_evaluations = preliminary.total().f;
    out.start_step = seen.h;
    o.h0 = seen.h;
    y = start;
    evaluator proper(p);
    detest_observer<Integrator> judge(global, local, rules, single, t0, start, out);
    out.outcome = method.solve(proper, {t0, tend, y, {}, 1'000'000}, o, &judge).outcome;
    out.cost = proper.total();
    return out;
}

} // namespace ivp::testing_support

#endif
