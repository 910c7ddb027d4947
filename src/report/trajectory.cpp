#include "trajectory.hpp"

#include "base/escape.hpp"
#include "text/outputs.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

namespace ivp {

std::string trajectory_header(const problem& p, const std::vector<int>& components)
{
    std::string line = "t";
    const auto& names = p.info().component_names;
    const auto add = [&](int i) { line += "," + (names.empty() ? "y" + std::to_string(i + 1) : csv_cell(names[static_cast<std::size_t>(i)])); };
    if (components.empty())
        for (int i = 0; i < p.n(); ++i) add(i);
    for (const int i : components) add(i);
    if (const has_outputs* const of = outputs_of(p))
        for (const auto& name : of->output_names()) line += "," + csv_cell(name);
    return line;
}

bool is_binary_trajectory(const std::string& path) { return path.ends_with(".npy"); }

namespace {

constexpr std::string_view numpy_magic = "\x93NUMPY";

/// The beginning of a file of NumPy, of a length that does not depend on the number of rows, which is known last.
std::string numpy_header(std::size_t rows, std::size_t columns)
{
    constexpr std::size_t length = 128;
    constexpr std::size_t before = 10; // the magic, the version, the length of what follows
    std::string text(numpy_magic);
    text += {'\x01', '\x00', static_cast<char>(length - before), '\x00'};
    text += "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " + std::to_string(columns) + "), }";
    text.resize(length - 1, ' ');
    return text + '\n';
}

/// What the beginning of a file must be so that it may be replaced: the same header, or that of components without names.
file_mark mark_of(const std::string& path, const std::string& header)
{
    if (is_binary_trajectory(path)) return file_mark{numpy_magic};
    constexpr std::string_view without_names = "t,y1";
    std::string begin(without_names.size(), ' ');
    std::error_code failed;
    const bool is_file = std::filesystem::is_regular_file(path, failed);
    return is_file && std::ifstream(path).read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == without_names
               ? file_mark{without_names}
               : file_mark{header};
}

} // namespace

void try_trajectory(const std::string& path, const problem& p, const trajectory_choice& choice)
{
    const std::string header = trajectory_header(p, choice.components);
    output_file::try_out(path, "--trajectory", mark_of(path, header), choice.force);
}

trajectory_writer::trajectory_writer(const std::string& path, const problem& p, trajectory_choice choice)
    : p_(p),
      choice_(std::move(choice)),
      binary_(is_binary_trajectory(path)),
      header_(binary_ ? "" : trajectory_header(p, choice_.components)),
      file_(path, "--trajectory", mark_of(path, header_), choice_.force),
      y_(static_cast<std::size_t>(p.n()))
{
    if (const has_outputs* const of = outputs_of(p)) outputs_.resize(of->output_names().size());
    const std::size_t chosen = choice_.components.empty() ? y_.size() : choice_.components.size();
    if (binary_) numbers_.resize(1 + chosen + outputs_.size());
    file_.stream() << (binary_ ? numpy_header(0, numbers_.size()) : header_ + '\n');
    const double t0 = p.info().t0.value();
    const bool asked = next_ < choice_.times.size() && choice_.times[next_] == t0;
    if (choice_.times.empty() || asked) row(t0, p.in<double>().initial_values());
    if (asked) ++next_;
}

observer_answer trajectory_writer::on_step(const accepted_step& step)
{
    if (choice_.times.empty()) row(step.t, step.y);
    for (; next_ < choice_.times.size() && choice_.times[next_] <= step.t; ++next_) {
        if (choice_.times[next_] == step.t) {
            row(step.t, step.y);
        } else if (step.between != nullptr) {
            step.between->evaluate(choice_.times[next_], y_.data());
            row(choice_.times[next_], y_);
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
    if (binary_) {
        file_.stream().seekp(0);
        file_.stream() << numpy_header(rows_, numbers_.size());
    }
    file_.commit();
}

template <class Put>
void trajectory_writer::for_row(double t, std::span<const double> y, Put put)
{
    put(t);
    if (choice_.components.empty())
        for (const double v : y) put(v);
    for (const int i : choice_.components) put(y[static_cast<std::size_t>(i)]);
}

void trajectory_writer::row(double t, std::span<const double> y)
{
    ++rows_;
    const bool has_outputs_here = !outputs_.empty() && outputs_of(p_)->outputs(t, y.data(), outputs_.data());
    if (binary_) {
        auto to = numbers_.begin();
        for_row(t, y, [&to](double v) { *to++ = v; });
        for (const double v : outputs_) *to++ = has_outputs_here ? v : std::numeric_limits<double>::quiet_NaN();
        file_.stream().write(reinterpret_cast<const char*>(numbers_.data()),
                             static_cast<std::streamsize>(numbers_.size() * sizeof(double))); // NOLINT
        return;
    }
    line_.clear();
    for_row(t, y, [this](double v) {
        if (!line_.empty()) line_ += ',';
        line_ += to_text(v);
    });
    if (has_outputs_here)
        for (const double v : outputs_) line_ += ',' + to_text(v);
    else
        line_.append(outputs_.size(), ',');
    line_ += '\n';
    file_.stream() << line_;
}

} // namespace ivp
