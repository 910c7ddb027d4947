// Runs made up by hand, of solvers that exist on paper only: what the tests of reports are about.
#ifndef IVP_TESTS_REPORT_MADE_UP_HPP
#define IVP_TESTS_REPORT_MADE_UP_HPP

#include "model/test_problem.hpp"
#include "report/book.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

namespace ivp::made_up {

class paper_solver final : public solver {
public:
    explicit paper_solver(std::string name)
    {
        info_.name = std::move(name);
        info_.title = "A method on paper";
        info_.version = "1.0";
        info_.forms = {form::ode};
        info_.lowest_order = info_.highest_order = 5;
        info_.reference = "A. Author <2001>";
    }
    [[nodiscard]] const solver_info& info() const override { return info_; }
    [[nodiscard]] ivp::chapter chapter() const override { return {"# Paper\n\n## Method\n\nOf order $p = 5$.\n"}; }
    [[nodiscard]] solve_result solve(evaluator&, const segment&, const solve_options&, step_observer*) const override
    {
        throw std::logic_error("on paper only");
    }

private:
    solver_info info_;
};

inline stored_run run(const std::string& problem, const std::string& solver_name, double power, double mescd, double cpu)
{
    stored_run s;
    auto& r = s.record;
    r.problem = problem;
    r.solver = solver_name;
    r.form = "ode";
    r.dimension = 2;
    r.tend = r.t_end_reached = 10;
    r.rtol = {std::pow(10, -power)};
    r.atol = r.rtol;
    r.mescd = mescd;
    r.scd = mescd - 1;
    r.steps = static_cast<std::uint64_t>(10 * power);
    r.accepted = r.steps - 3;
    r.nfev = static_cast<std::uint64_t>(12345 * cpu * 1000);
    r.njac = 7;
    r.nlu = 9;
    r.cpu_s = r.wall_s = cpu;
    r.jacobian = "exact";
    r.machine = {"A <fast> CPU", 2, "An OS"};
    r.build = {"a compiler", "-O2", "0.1.0"};
    r.command = "ivp run " + problem + " " + solver_name + " --rtol " + to_text(r.rtol[0]);
    s.host = "desk";
    s.measured_at = "2026-01-31T12:00:00Z";
    s.campaign = "made up";
    return s;
}

inline book_content content()
{
    book_content c;
    problem p =
        testing_support::plain_problem({1, 0}, 10, [](double, const double*, double*) { return evaluation::ok; })
            .with_chapter(
                {"# Plain\n\n## General information\n\nA *plain* problem.\n\n## Mathematical description\n\n$$ y' = f(t, y) $$\n\n## Origin of the "
                 "problem\n\nNone.\n\n## Numerical solution of the problem\n\nEasy.\n\n### Recommendations\n\nUse it.\n"});
    reference_solution reference;
    reference.t = 10;
    reference.value = {decimal("0.12345678901"), decimal("-1.5e-3")};
    reference.digits = {7, 5};
    reference.source = "made up";
    reference.confirmed = "by nobody";
    behaviour b;
    b.solver = "somebody";
    b.rtol = 1e-5;
    b.components = {0};
    b.t = {0, 5, 10};
    b.y = {{1, 0.2, 0.12345678901}};
    c.problems.push_back({p.with_reference(reference), {{"k", 2, 0, 9, "a rate [1/s]"}}, b});
    for (const char* name : {"fast", "slow"}) c.solvers.push_back(std::make_shared<paper_solver>(name));
    for (const double power : {4.0, 6.0, 8.0}) {
        c.runs.push_back(run("plain", "fast", power, power + 0.5, 1e-4 * power));
        c.runs.push_back(run("plain", "slow", power, power - 0.5, 1e-3 * power));
        c.runs.push_back(run("strange", "alien", power, power, 2e-3 * power));
    }
    auto& lost = c.runs[4].record;
    lost.outcome = outcome::step_too_small;
    lost.message = "at t = 3 </script> & more";
    lost.mescd.reset();
    lost.scd.reset();
    c.runs[5].record.outcome = outcome::wrong_answer;
    return c;
}

} // namespace ivp::made_up

#endif
