// The course of a solution at given times, for pictures.
#ifndef IVP_MEASURE_SAMPLE_HPP
#define IVP_MEASURE_SAMPLE_HPP

#include <ivp/model/problem.hpp>
#include <ivp/model/record.hpp>
#include <ivp/model/solver.hpp>

#include <span>
#include <vector>

namespace ivp {

struct sampled_solution {
    run_record run;                     ///< how it was made, and how it ended
    std::vector<double> t;              ///< the times that were reached
    std::vector<std::vector<double>> y; ///< one course for each component asked for
};

/// Integrates at a moderate tolerance of the problem's protocol; at most `seconds` long. Times ascend; components count from 0.
sampled_solution sample_solution(const problem& p, const solver& s, std::span<const double> times, std::span<const int> components, double seconds);

} // namespace ivp

#endif
