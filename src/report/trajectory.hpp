// The course of a solution as CSV: t and y at every accepted step, in full precision.
#ifndef IVP_SRC_REPORT_TRAJECTORY_HPP
#define IVP_SRC_REPORT_TRAJECTORY_HPP

#include "base/output_file.hpp"

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <string>

namespace ivp {

class trajectory_writer final : public step_observer {
public:
    /// Opens the file and writes the header and the initial values. Throws bad_request if it cannot be written, or is somebody else's.
    trajectory_writer(const std::string& path, const problem& p, bool force = false);
    observer_answer on_step(const accepted_step& step) override;
    void commit() { file_.commit(); }

private:
    void row(double t, std::span<const double> y);
    output_file file_;
    std::string line_;
};

} // namespace ivp

#endif
