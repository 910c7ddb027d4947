// quad_truth: true solutions by Radau IIA of order 13 in quadruple precision, with a tolerance far below what is asked for.
#ifndef IVP_DETEST_QUAD_TRUTH_HPP
#define IVP_DETEST_QUAD_TRUTH_HPP

#include "truth.hpp"

#include <ivp/evaluator.hpp>
#include <ivp/scalar.hpp>

#include <vector>

namespace ivp::detest {

class quad_truth final : public truth {
public:
    /// Of an IDE the derivatives are unknowns too.
    explicit quad_truth(const problem& p);

    /// The global solution goes on from here.
    void start(double t, std::span<const double> y);
    true_point advance(double t, double tolerance) override;
    [[nodiscard]] std::span<const double> global_solution() const override { return shown_; }
    true_point local(double t0, std::span<const double> y0, double t, double tolerance, std::span<double> y) override;

private:
    true_point integrate(double t0, double t, double tolerance, std::vector<quad>& y);

    problem problem_; // as DAE
    basic_evaluator<quad> evaluator_;
    std::vector<double> kinks_; // where an integration begins anew
    double t_;
    std::vector<quad> global_;
    std::vector<quad> before_; // global, where the last step began: further unknowns of local solutions begin there
    std::vector<quad> local_;
    std::vector<double> shown_;
};

} // namespace ivp::detest

#endif
