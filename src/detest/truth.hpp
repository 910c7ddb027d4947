// True solutions: the one through the initial value (global), and those through the points a solver computed (local).
#ifndef IVP_SRC_DETEST_TRUTH_HPP
#define IVP_SRC_DETEST_TRUTH_HPP

#include "settings.hpp"

#include <ivp/problem.hpp>

#include <memory>
#include <span>

namespace ivp::detest {

/// How an integration for the truth ended, in the numbers of DVERK and SECDER, and one more.
enum truth_flag : int {
    truth_not_asked = 2,
    truth_good = 3,
    truth_out_of_work = -1,
    truth_step_limits = -2,
    truth_step_too_small = -3,
    truth_out_of_time = -9, ///< the limit of the settings was reached
};

struct true_point {
    int flag = truth_not_asked;
    double t = 0; ///< reached
};

/// One integration's truths. The global one goes on from where it was; each local one begins anew.
class truth {
public:
    virtual ~truth() = default;
    /// From the point reached last to t. The solution is in global_solution().
    virtual true_point advance(double t, double tolerance) = 0;
    [[nodiscard]] virtual std::span<const double> global_solution() const = 0;
    /// From (t0, y0) to t; the solution replaces y.
    virtual true_point local(double t0, std::span<const double> y0, double t, double tolerance, std::span<double> y) = 0;
    /// How often another way had to be taken because the first one failed.
    [[nodiscard]] virtual int rescues() const { return 0; }
};

/// For a problem from its initial value on, by the settings. Where they ask for the classic truth without the limits of 1986, what that cannot
/// follow is integrated in quadruple precision if the problem can be. The problem must outlive it.
std::unique_ptr<truth> make_truth(const problem& p, const assessment_settings& settings);

/// Why these true solutions cannot be had for this problem, in a sentence; empty: they can.
std::string truth_refusal(const problem& p, const assessment_settings& settings);

} // namespace ivp::detest

#endif
