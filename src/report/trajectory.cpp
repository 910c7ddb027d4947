#include "trajectory.hpp"

#include <ivp/scalar.hpp>

namespace ivp {

trajectory_writer::trajectory_writer(const std::string& path, const problem& p, bool force)
    : file_(path, "--trajectory", file_marks::trajectory, force)
{
    line_ = "t";
    for (int i = 1; i <= p.n(); ++i) line_ += ",y" + std::to_string(i);
    file_.stream() << line_ << '\n';
    row(p.info().t0.value(), p.in<double>().initial_values());
}

observer_answer trajectory_writer::on_step(const accepted_step& step)
{
    row(step.t, step.y);
    return observer_answer::go_on;
}

void trajectory_writer::row(double t, std::span<const double> y)
{
    line_ = to_text(t);
    for (const double v : y) {
        line_ += ',';
        line_ += to_text(v);
    }
    line_ += '\n';
    file_.stream() << line_;
}

} // namespace ivp
