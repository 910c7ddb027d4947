// The course of a solution as CSV: t, y and the outputs of a model, at every accepted step or at given times, in full precision.
#ifndef IVP_SRC_REPORT_TRAJECTORY_HPP
#define IVP_SRC_REPORT_TRAJECTORY_HPP

#include "base/output_file.hpp"

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <string>
#include <vector>

namespace ivp {

/// The first line: t, the components by name (y1, y2, ... if they have none), the outputs.
std::string trajectory_header(const problem& p);

/// Throws bad_request if the file cannot be written, or what is there is neither a trajectory of this problem nor one without names.
void try_trajectory(const std::string& path, const problem& p, bool force);

class trajectory_writer final : public step_observer {
public:
    /// Opens the file and writes the header and, without times, the initial values. Times ascend; those inside a step are taken from the method's
    /// dense output. Throws bad_request if it cannot be written, or is somebody else's.
    trajectory_writer(const std::string& path, const problem& p, std::vector<double> times = {}, bool force = false);
    observer_answer on_step(const accepted_step& step) override;
    /// Throws bad_request also if the method has no dense output for the times.
    void commit();

private:
    void row(double t, std::span<const double> y);

    const problem& p_;
    std::string header_;
    output_file file_;
    std::string line_;
    std::vector<double> times_;
    std::size_t next_ = 0;
    bool has_no_dense_output_ = false;
    std::vector<double> y_, outputs_;
};

} // namespace ivp

#endif
