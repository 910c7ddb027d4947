// The course of a solution: t, y and the outputs of a model, at every accepted step or at given times, in full precision; as CSV, or as an array of
// NumPy, which is binary and has a row for each time.
#ifndef IVP_SRC_REPORT_TRAJECTORY_HPP
#define IVP_SRC_REPORT_TRAJECTORY_HPP

#include "base/output_file.hpp"

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <string>
#include <vector>

namespace ivp {

/// What of a solution is written.
struct trajectory_choice {
    std::vector<int> components{}; ///< from 0; empty: all
    std::vector<double> times{};   ///< ascending; empty: every accepted step
    bool force = false;            ///< whatever file is there is replaced
};

/// The first line of CSV: t, the components by name (y1, y2, ... if they have none), the outputs.
std::string trajectory_header(const problem& p, const std::vector<int>& components = {});

/// A file of this name is binary: .npy.
bool is_binary_trajectory(const std::string& path);

/// Throws bad_request if the file cannot be written, or what is there is neither a trajectory of this problem nor one without names.
void try_trajectory(const std::string& path, const problem& p, const trajectory_choice& choice);

class trajectory_writer final : public step_observer {
public:
    /// Opens the file and writes the header and, without times, the initial values. Times inside a step are taken from the method's dense output.
    /// Throws bad_request if it cannot be written, or is somebody else's.
    trajectory_writer(const std::string& path, const problem& p, trajectory_choice choice = {});
    observer_answer on_step(const accepted_step& step) override;
    /// Throws bad_request also if the method has no dense output for the times.
    void commit();

private:
    void row(double t, std::span<const double> y);
    template <class Put>
    void for_row(double t, std::span<const double> y, Put put);

    const problem& p_;
    trajectory_choice choice_;
    bool binary_;
    std::string header_;
    output_file file_;
    std::string line_;
    std::vector<double> numbers_; ///< a row of the binary file
    std::size_t rows_ = 0;
    std::size_t next_ = 0;
    bool has_no_dense_output_ = false;
    std::vector<double> y_, outputs_;
};

} // namespace ivp

#endif
