// What a run leaves of its solution: the points of its steps, and a polynomial in each of them.
#ifndef IVP_CAPI_KEPT_SOLUTION_HPP
#define IVP_CAPI_KEPT_SOLUTION_HPP

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ivp::capi {

/// The dense output of a method lives only during its step. It is a polynomial whose degree does not exceed the order of the method; so its values in
/// as many Chebyshev points say everything, whatever the method.
class kept_solution final : public step_observer {
public:
    kept_solution(const problem& p, const solver_info& solver, bool dense);

    observer_answer on_step(const accepted_step& step) override;
    /// The run has ended: the problem need not live any longer.
    void finish() { problem_ = nullptr; }

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(t_.size()); }
    void copy_points(double* t, double* y) const;
    /// n values for each time. Throws bad_request where a time is outside or nothing dense was kept.
    void evaluate(std::span<const double> t, double* y) const;

private:
    /// Values in the Chebyshev points of a step begin at `first`; count = 0: the step has none.
    struct piece {
        std::size_t first;
        int count;
    };
    void keep_inside(const accepted_step& step);
    bool sample_cubic(const accepted_step& step);
    void evaluate_inside(std::size_t k, double t, double* y) const;

    const problem* problem_;
    std::string solver_;
    std::size_t n_;
    bool dense_;
    int points_; ///< for the dense output of the method
    std::vector<double> t_, y_;
    std::vector<piece> pieces_; ///< one for each step
    std::vector<double> inside_;
};

} // namespace ivp::capi

#endif
