// extended_bdf: what MEBDFI and MEBDFDAE have in common: the past, the control of order and step size, failures, the end of the interval. How the
// three stages of a step are iterated, and when a matrix is formed, is their own.
#ifndef IVP_SOLVERS_MEBDF_EXTENDED_BDF_HPP
#define IVP_SOLVERS_MEBDF_EXTENDED_BDF_HPP

#include "backward_differences.hpp"
#include "coefficients.hpp"
#include "index_weights.hpp"
#include "model/option_table.hpp"
#include "simd/components.hpp"
#include "solvers/common/integration.hpp"
#include "stage_formulas.hpp"
#include "step_history.hpp"

#include <ivp/solver.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ivp::solvers::mebdf {

struct settings {
    int max_order = highest_bdf_order;
    bool scaled_increments = false; ///< of MEBDFI
};

/// What the descriptions of both have in common.
solver_info common_description(const char* name, const char* title);
const option_table<settings>& common_options();

class difference_interpolant final : public interpolant {
public:
    explicit difference_interpolant(const backward_differences& d) : past_(d) {}
    void set(double t, double h, int degree)
    {
        t_ = t;
        h_ = h;
        degree_ = degree;
    }
    void evaluate(double t, double* y) const override { past_.interpolate((t - t_) / h_, degree_, y); }

private:
    const backward_differences& past_;
    double t_ = 0;
    double h_ = 1;
    int degree_ = 0;
};

class extended_bdf : protected integration {
public:
    extended_bdf(const extended_bdf&) = delete;
    extended_bdf& operator=(const extended_bdf&) = delete;

    solve_result run();

protected:
    enum class attempt { accepted, error_test, embedded_test, stage_diverged, last_stage_diverged, singular, refused, stopped };

    /// What the two decide differently.
    struct rules {
        bool hits_end = true;              ///< the last step ends with the interval; else it may end behind, and the answer is interpolated
        bool raises_order = false;         ///< a low order is left as soon as the higher one does not ask for a smaller step
        bool every_matrix_is_young = true; ///< else only one that a decision did not ask for
    };

    extended_bdf(evaluator& e, const segment& s, const solve_options& o, const settings& set, step_observer* observer);
    virtual ~extended_bdf() = default;

    virtual attempt try_step() = 0;
    [[nodiscard]] virtual algebra path() const = 0;
    /// y and ∇y at the beginning of the segment.
    virtual evaluation start() = 0;
    /// ∇y again, for order 1 and the step size h_, which is `ratio` times that of the differences.
    virtual void restart(double ratio) = 0;
    /// The given first step has failed and is made ten times smaller.
    virtual void start_smaller() {}
    /// y' of the last accepted step into the segment, where the solver has it.
    virtual void write_slope() {}

    void set_rules(const rules& r) { rules_ = r; }
    [[nodiscard]] attempt refused() const { return refusal_ == evaluation::stopped ? attempt::stopped : attempt::refused; }
    [[nodiscard]] double error_bound(int order) const { return error_divisor[order] * error_divisor[order] * n_; }
    /// An iteration with an old matrix has failed and is repeated with a new one: that counts as an attempt.
    void note_repeated_stage();
    void note_new_matrix(double hb);

    int max_order_;
    index_weights weights_;
    backward_differences past_;

    double h_;
    simd::padded_vector<double> y_;
    simd::padded_vector<double> first_, ahead_; ///< of the BDF at the next point and at the one behind it

    int order_ = 1;
    int order_used_ = 1; ///< of the last first stage that converged
    double newton_bound_ = 0;
    double first_rate_ = 0.1;
    double second_rate_ = 0.1;
    bool sampling_ = false;
    bool predict_ = true; ///< the first stage starts from the extrapolation; else from what the last step saw ahead
    bool after_embedded_failure_ = false;
    int failed_tests_ = 0;

    bool need_matrix_ = true;
    bool matrix_is_old_ = false; ///< a stage has converged with it
    double matrix_hb_ = 1;
    double drift_ = 0; ///< h b now, relative to that of the matrix

    weighted_squares squares_;
    evaluation refusal_ = evaluation::ok;

private:
    bool step();
    bool accept();
    void decide();
    void set_order(int order);
    void change_step(double ratio);
    void cut_step(double ratio);
    [[nodiscard]] bool at_smallest_step() const { return h_ <= hmin_ * 1.00001; }
    bool lower_smallest_step(outcome why);
    bool cut_after_iteration(attempt how);
    bool cut_after_error_test();
    void restart_with_order_one();
    void report(double t_old, double h_used, bool last);
    bool end(outcome o, std::string message = {});
    bool leave();

    rules rules_;
    difference_interpolant polynomial_;
    step_history steps_before_;
    double hmin_;
    double given_hmax_;
    double hmax_;
    double largest_ratio_;
    simd::padded_vector<double> top_before_; ///< ∇^{q+1} one step before the decision
    std::vector<double> observed_estimate_, observed_weights_;

    int until_decision_ = 3;
    int decisions_ = 0;
    int smaller_ = 0;
    int standing_ = 0;
    int matrix_steps_ = 0;
    int quiet_steps_ = 0;       ///< since the last matrix that counts as young
    bool forced_matrix_ = true; ///< the next one is not due to a decision
    std::uint64_t embedded_rejections_ = 0;
    std::uint64_t newton_failures_ = 0;
};

} // namespace ivp::solvers::mebdf

#endif
