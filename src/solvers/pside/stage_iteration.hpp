// stage_iteration: the four stages of one step, from the predictor to the end of the iteration, spread over a team of threads.
#ifndef IVP_SOLVERS_PSIDE_STAGE_ITERATION_HPP
#define IVP_SOLVERS_PSIDE_STAGE_ITERATION_HPP

#include "coefficients.hpp"
#include "stage_systems.hpp"
#include "weights.hpp"

#include "../common/thread_team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ivp::solvers::pside_method {

/// One vector for each stage.
class stage_block {
public:
    explicit stage_block(int n)
    {
        for (auto& vector : value_) vector.resize(n);
    }
    double* operator[](int s) { return value_[s].data(); }
    const double* operator[](int s) const { return value_[s].data(); }
    void swap(stage_block& other) noexcept { value_.swap(other.value_); }

private:
    std::array<std::vector<double>, stages> value_;
};

enum class newton_end { converged, growing, diverging, slow, refused, stopped };

inline double whole_power(double x, int k)
{
    double result = 1;
    while (k > 0) {
        if (k % 2 == 1) result *= x;
        x *= x;
        k /= 2;
    }
    return result;
}

class stage_iteration {
public:
    /// tau: the iteration stops when its error is this fraction of the tolerance; limit: number of iterations.
    stage_iteration(evaluator& e, const solve_options& o, weights& scale, stage_systems& systems, double tau, int limit)
        : e_(e),
          n_(e.n()),
          scale_(scale),
          systems_(systems),
          tau_(tau),
          limit_(limit),
          square_(n_),
          stage_(n_),
          slope_(n_),
          residual_(n_),
          update_(n_),
          right_side_(scale.has_higher_index() ? n_ : 0),
          coupled_(scale.has_higher_index() ? n_ : 0),
          chunks_(n_ >= chunked_from ? stages : 1),
          team_(o.threads)
    {}

    /// Factors the four matrices for the step h. False: one is singular.
    [[nodiscard]] bool factor(double h)
    {
        h_factored_ = h;
        for (int s = 0; s < stages; ++s) {
            shift_[s] = 1.0 / (h * d[s]);
            for (int j = 0; j < stages; ++j) to_right_side_[s][j] = shift_[s] * q_inverse[s][j];
        }
        std::array<bool, stages> done{};
        team_.each(stages, [&](int s) { done[s] = systems_.factor(s, shift_[s]); });
        ++factorisations_;
        e_.count().lu += stages;
        e_.count().real_factorisations += stages;
        return done[0] && done[1] && done[2] && done[3];
    }

    /// One attempt from (t, y) with the step h. h_last: the step that last_slopes belong to.
    newton_end run(double t, double h, const std::vector<double>& y, double h_last, const stage_block& last_slopes)
    {
        refusal_ = evaluation::ok;
        exact_ = false;
        norm_of_y_ = -1;
        for (int s = 0; s < stages; ++s)
            for (int j = 0; j < stages; ++j) step_matrix_[s][j] = h * a[s][j];
        if (predict(h / h_last, y, last_slopes)) return newton_end::growing;
        double previous = 0;
        for (int k = 1;; ++k) {
            if (!evaluate_stages(t, h)) return refusal_ == evaluation::stopped ? newton_end::stopped : newton_end::refused;
            solve_stages();
            ++iterations_;
            const update_result u = advance();
            if (u.growing) return newton_end::growing;
            if (k == 1) {
                contraction_ = first_contraction;
                exact_ = u.norm == 0;
                if (exact_) return newton_end::converged;
            } else {
                contraction_ = std::sqrt(contraction_) * std::sqrt(u.norm / previous);
                if (std::isnan(contraction_)) return newton_end::refused;
                if (contraction_ >= 1) return newton_end::diverging;
                const double goal = (1 - contraction_) * tau_;
                if (u.norm * contraction_ < goal || u.norm < stagnation * unit_roundoff * norm_of(y)) return newton_end::converged;
                if (k == limit_ || u.norm * whole_power(contraction_, limit_ - k) > goal) return newton_end::slow;
            }
            previous = u.norm;
        }
    }

    /// Y_4, the solution at the end of the step.
    [[nodiscard]] const double* end() const { return stage_[stages - 1]; }
    /// Y'; a caller that accepts the step takes them by swapping.
    [[nodiscard]] stage_block& slopes() { return slope_; }
    /// The step size of the factorisations.
    [[nodiscard]] double h_factored() const { return h_factored_; }
    /// Of the last attempt: the rate of the iteration, whether its first update was zero, what an evaluation answered.
    [[nodiscard]] double contraction() const { return contraction_; }
    [[nodiscard]] bool exact() const { return exact_; }
    [[nodiscard]] evaluation refusal() const { return refusal_; }
    [[nodiscard]] double* free_vector() { return update_[0]; }

    [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
    [[nodiscard]] std::uint64_t factorisations() const { return factorisations_; }

private:
    static constexpr double first_contraction = 0.1; // rate assumed before two iterations have shown it
    static constexpr double stagnation = 100;        // updates below this many rounding errors of y are as good as none
    static constexpr int chunked_from = 64;          // equations; below, the vector loops are one piece

    double norm_of(const std::vector<double>& y)
    {
        if (norm_of_y_ < 0) norm_of_y_ = scale_.norm(y.data());
        return norm_of_y_;
    }

    template <class Work>
    void each_chunk(Work&& work)
    {
        team_.each(chunks_, [&](int k) { work(k, n_ * k / chunks_, n_ * (k + 1) / chunks_); });
    }

    // The cubic through the last stage derivatives, continued; and the stages that belong to it. True: a component grows too much.
    bool predict(double ratio, const std::vector<double>& y, const stage_block& last_slopes)
    {
        stage_matrix w{};
        for (int s = 0; s < stages; ++s) {
            const double x = ratio * c[s];
            for (int j = 0; j < stages; ++j) w[s][j] = ((cubic[0][j] + x * cubic[1][j]) + x * x * cubic[2][j]) + x * (x * x) * cubic[3][j];
        }
        each_chunk([&](int k, int first, int end) {
            for (int i = first; i < end; ++i) {
                const double p4 = last_slopes[3][i];
                const double d1 = last_slopes[0][i] - p4;
                const double d2 = last_slopes[1][i] - p4;
                const double d3 = last_slopes[2][i] - p4;
                for (int s = 0; s < stages; ++s) slope_[s][i] = p4 + w[s][0] * d1 + w[s][1] * d2 + w[s][2] * d3;
            }
            const stage_matrix& m = step_matrix_;
            for (int s = 0; s < stages; ++s)
                for (int i = first; i < end; ++i)
                    stage_[s][i] = y[i] + m[s][0] * slope_[0][i] + m[s][1] * slope_[1][i] + m[s][2] * slope_[2][i] + m[s][3] * slope_[3][i];
            growing_[k] = grows(first, end);
        });
        return any_growing();
    }

    [[nodiscard]] bool grows(int first, int end) const
    {
        const double* limit = scale_.growth_limit();
        int above = 0;
        for (int i = first; i < end; ++i) above |= static_cast<int>(std::abs(stage_[3][i]) > limit[i]);
        return above != 0;
    }
    [[nodiscard]] bool any_growing() const
    {
        return std::any_of(growing_.begin(), growing_.begin() + chunks_, [](bool g) { return g; });
    }

    bool evaluate_stages(double t, double h)
    {
        std::array<evaluation, stages> answer{};
        team_.each(stages, [&](int s) { answer[s] = systems_.residual(t + c[s] * h, stage_[s], slope_[s], update_[s], residual_[s]); });
        for (const evaluation e : answer) {
            if (e == evaluation::stopped) refusal_ = e;
            if (e != evaluation::ok && refusal_ == evaluation::ok) refusal_ = e;
        }
        return refusal_ == evaluation::ok;
    }

    // update_ becomes the solution of the transformed systems: one sweep of the splitting, two where the index is above 1.
    void solve_stages()
    {
        const bool two_sweeps = scale_.has_higher_index();
        team_.each(stages, [&](int s) {
            const stage_vector& w = to_right_side_[s];
            double* const x = update_[s];
            for (int i = 0; i < n_; ++i) x[i] = w[0] * residual_[0][i] + w[1] * residual_[1][i] + w[2] * residual_[2][i] + w[3] * residual_[3][i];
            if (two_sweeps) std::copy(x, x + n_, right_side_[s]);
            systems_.solve(s, x);
        });
        e_.count().solve += stages;
        if (!two_sweeps) return;
        team_.each(stages, [&](int s) {
            const int pair = s - s % 2;
            const double* const x1 = update_[pair];
            const double* const x2 = update_[pair + 1];
            double* const w = coupled_[s];
            double* const x = residual_[s];
            for (int i = 0; i < n_; ++i) w[i] = b[s][pair] * x1[i] + b[s][pair + 1] * x2[i];
            systems_.subtract_mass_times(shift_[s], w, x, right_side_[s]);
            std::copy(right_side_[s], right_side_[s] + n_, x);
            systems_.solve(s, x);
            for (int i = 0; i < n_; ++i) x[i] += w[i];
        });
        e_.count().solve += stages;
        update_.swap(residual_);
    }

    struct update_result {
        double norm;
        bool growing;
    };

    // Back to the stages: Y' += Q x, Y += h A Q x.
    update_result advance()
    {
        each_chunk([&](int k, int first, int end) {
            const double* const inverse = scale_.inverse();
            const stage_matrix& m = step_matrix_;
            for (int i = first; i < end; ++i) {
                const double x1 = update_[0][i];
                const double x2 = update_[1][i];
                const double x3 = update_[2][i];
                const double x4 = update_[3][i];
                stage_vector u{};
                for (int s = 0; s < stages; ++s) {
                    u[s] = q[s][0] * x1 + q[s][1] * x2 + q[s][2] * x3 + q[s][3] * x4;
                    slope_[s][i] += u[s];
                }
                double sum = 0;
                for (int s = 0; s < stages; ++s) {
                    const double change = m[s][0] * u[0] + m[s][1] * u[1] + m[s][2] * u[2] + m[s][3] * u[3];
                    stage_[s][i] += change;
                    const double scaled = change * inverse[i];
                    sum += scaled * scaled;
                }
                square_[i] = sum;
            }
            partial_sum_[k] = sum_of(square_.data() + first, end - first);
            growing_[k] = grows(first, end);
        });
        double sum = 0;
        for (int k = 0; k < chunks_; ++k) sum += partial_sum_[k];
        return {std::sqrt(sum / (stages * n_)), any_growing()};
    }

    evaluator& e_;
    int n_;
    weights& scale_;
    stage_systems& systems_;
    double tau_;
    int limit_;

    std::vector<double> square_;
    stage_block stage_; ///< Y
    stage_block slope_; ///< Y'
    stage_block residual_, update_, right_side_, coupled_;

    double h_factored_ = 0;
    stage_vector shift_{};         ///< 1/(h d), h that of the factorisations
    stage_matrix to_right_side_{}; ///< rows of Q^-1, times shift
    stage_matrix step_matrix_{};   ///< h A
    double contraction_ = first_contraction;
    double norm_of_y_ = -1; ///< of this attempt; negative: not yet known
    bool exact_ = false;
    evaluation refusal_ = evaluation::ok;

    int chunks_;
    std::array<bool, stages> growing_{};
    std::array<double, stages> partial_sum_{};
    std::uint64_t iterations_ = 0;
    std::uint64_t factorisations_ = 0;
    thread_team team_;
};

} // namespace ivp::solvers::pside_method

#endif
