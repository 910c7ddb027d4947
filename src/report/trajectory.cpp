#include "trajectory.hpp"

#include "base/escape.hpp"
#include "text/outputs.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <filesystem>
#include <fstream>

namespace ivp {

std::string trajectory_header(const problem& p)
{
    std::string line = "t";
    const auto& names = p.info().component_names;
    for (int i = 1; i <= p.n(); ++i) line += "," + (names.empty() ? "y" + std::to_string(i) : csv_cell(names[static_cast<std::size_t>(i) - 1]));
    if (const has_outputs* const of = outputs_of(p))
        for (const auto& name : of->output_names()) line += "," + csv_cell(name);
    return line;
}

namespace {

/// What the beginning of a file must be so that it may be replaced: the same header, or that of components without names.
file_mark mark_of(const std::string& path, const std::string& header)
{
    constexpr std::string_view without_names = "t,y1";
    std::string begin(without_names.size(), ' ');
    std::error_code failed;
    const bool is_file = std::filesystem::is_regular_file(path, failed);
    return is_file && std::ifstream(path).read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == without_names
               ? file_mark{without_names}
               : file_mark{header};
}

} // namespace

void try_trajectory(const std::string& path, const problem& p, bool force)
{
    const std::string header = trajectory_header(p);
    output_file::try_out(path, "--trajectory", mark_of(path, header), force);
}

trajectory_writer::trajectory_writer(const std::string& path, const problem& p, std::vector<double> times, bool force)
    : p_(p),
      header_(trajectory_header(p)),
      file_(path, "--trajectory", mark_of(path, header_), force),
      times_(std::move(times)),
      y_(static_cast<std::size_t>(p.n()))
{
    if (const has_outputs* const of = outputs_of(p)) outputs_.resize(of->output_names().size());
    file_.stream() << header_ << '\n';
    const double t0 = p.info().t0.value();
    const bool asked = next_ < times_.size() && times_[next_] == t0;
    if (times_.empty() || asked) row(t0, p.in<double>().initial_values());
    if (asked) ++next_;
}

observer_answer trajectory_writer::on_step(const accepted_step& step)
{
    if (times_.empty()) row(step.t, step.y);
    for (; next_ < times_.size() && times_[next_] <= step.t; ++next_) {
        if (times_[next_] == step.t) {
            row(step.t, step.y);
        } else if (step.between != nullptr) {
            step.between->evaluate(times_[next_], y_.data());
            row(times_[next_], y_);
        } else {
            has_no_dense_output_ = true;
        }
    }
    return observer_answer::go_on;
}

void trajectory_writer::commit()
{
    if (has_no_dense_output_)
        throw bad_request(
            "--at: the solver has no dense output; allowed: solvers that have one, such as radau5 or dopri5, or --trajectory without --at");
    file_.commit();
}

void trajectory_writer::row(double t, std::span<const double> y)
{
    line_ = to_text(t);
    const auto add = [this](double v) {
        line_ += ',';
        line_ += to_text(v);
    };
    for (const double v : y) add(v);
    if (!outputs_.empty()) {
        if (outputs_of(p_)->outputs(t, y.data(), outputs_.data()))
            for (const double v : outputs_) add(v);
        else
            line_.append(outputs_.size(), ',');
    }
    line_ += '\n';
    file_.stream() << line_;
}

} // namespace ivp
