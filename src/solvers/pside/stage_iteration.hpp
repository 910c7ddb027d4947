// stage_iteration: the four stages of one step, from the predictor to the end of the iteration, spread over a team of threads.
#ifndef IVP_SOLVERS_PSIDE_STAGE_ITERATION_HPP
#define IVP_SOLVERS_PSIDE_STAGE_ITERATION_HPP

#include "base/thread_team.hpp"
#include "coefficients.hpp"
#include "simd/components.hpp"
#include "stage_systems.hpp"
#include "weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace ivp::solvers::pside_method {

/// A vector for each stage.
using stage_vectors = simd::padded_vectors<double, stages>;

/// Whether one of the values it has seen is above its limit.
class growth_watch {
public:
    void see(const simd::pack<double>& value, const simd::pack<double>& limit) { above_ = above_ | (magnitude(value) > limit); }
    [[nodiscard]] bool found() const { return any(above_); }

private:
    simd::mask<simd::pack<double>::width> above_{};
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
    stage_iteration(evaluator& e, const solve_options& o, growth_weights& scale, stage_systems& systems, double tau, int limit, work_memory& memory)
        : e_(e),
          n_(e.n()),
          scale_(scale),
          systems_(systems),
          tau_(tau),
          limit_(limit),
          stage_(n_, stages, memory),
          slope_(n_, stages, memory),
          residual_(n_, stages, memory),
          update_(n_, stages, memory),
          right_side_(scale.highest_index() > 1 ? n_ : 0, stages, memory),
          coupled_(scale.highest_index() > 1 ? n_ : 0, stages, memory),
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
    newton_end run(double t, double h, const double* y, double h_last, const stage_vectors& last_slopes)
    {
        refusal_ = evaluation::ok;
        exact_ = false;
        norm_of_y_ = -1;
        for (int s = 0; s < stages; ++s)
            for (int j = 0; j < stages; ++j) step_matrix_[s][j] = h * a[s][j];
        if (predict(h / h_last, y, last_slopes)) return newton_end::growing;
        double previous = 0;
        systems_.set_accuracy(scale_.inverse(), linear_fraction * tau_ / h);
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
    [[nodiscard]] stage_vectors& slopes() { return slope_; }
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
    using value = simd::pack<double>;

    static constexpr double first_contraction = 0.1; // rate assumed before two iterations have shown it
    static constexpr double stagnation = 100;        // updates below this many rounding errors of y are as good as none
    static constexpr int chunked_from = 64;          // equations; below, the vector loops are one piece

    double norm_of(const double* y)
    {
        if (norm_of_y_ < 0) norm_of_y_ = scale_.divided_norm(y);
        return norm_of_y_;
    }

    // The cubic through the last stage derivatives, continued; and the stages that belong to it. True: a component grows too much.
    bool predict(double ratio, const double* y, const stage_vectors& last_slopes)
    {
        stage_matrix w{};
        for (int s = 0; s < stages; ++s) {
            const double x = ratio * c[s];
            for (int j = 0; j < stages; ++j) w[s][j] = ((cubic[0][j] + x * cubic[1][j]) + x * x * cubic[2][j]) + x * (x * x) * cubic[3][j];
        }
        team_.each(chunks_, [&](int piece) { predict_piece(piece, w, y, last_slopes); });
        return any_growing();
    }
    // NOTE: flat, as advance_piece(): with few equations calls would be a tenth of it.
    [[gnu::flatten]] void predict_piece(int piece, const stage_matrix& w, const double* y, const stage_vectors& last_slopes)
    {
        const auto last = last_slopes.first();
        const auto slope = slope_.first();
        const auto stage = stage_.first();
        const auto of_slope = simd::spread(w);
        const auto of_stage = simd::spread(step_matrix_);
        growth_watch watch;
        simd::for_components_of_piece<double>(n_, piece, chunks_, [&](auto at) {
            const value p4 = at(last[3]);
            const std::array<value, stages - 1> difference{at(last[0]) - p4, at(last[1]) - p4, at(last[2]) - p4};
            std::array<value, stages> yp;
            simd::unrolled<stages>([&](auto s) { yp[s] = dot_onto(p4, of_slope[s], difference); });
            at.assign(slope, yp);
            std::array<value, stages> y_stage;
            simd::unrolled<stages>([&](auto s) { y_stage[s] = dot_onto(at(y), of_stage[s], yp); });
            at.assign(stage, y_stage);
            watch.see(y_stage[stages - 1], at(scale_.growth_limit()));
        });
        growing_[piece] = watch.found();
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
        const bool two_sweeps = scale_.highest_index() > 1;
        team_.each(stages, [&](int s) {
            const auto w = simd::spread(to_right_side_[s]);
            const auto r = std::as_const(residual_).first();
            double* const x = update_[s];
            simd::for_components<double>(n_, [&](auto at) { at(x) = dot(w, at(r)); });
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
            simd::for_components<double>(n_, [&](auto at) { at(w) = b[s][pair] * at(x1) + b[s][pair + 1] * at(x2); });
            systems_.subtract_mass_times(shift_[s], w, x, right_side_[s]);
            std::copy(right_side_[s], right_side_[s] + n_, x);
            const auto solved = systems_.solve(s, x);
            simd::for_components<double>(n_, [&](auto at) { at(x) = at(solved) + at(w); });
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
        team_.each(chunks_, [&](int piece) { advance_piece(piece); });
        double sum = 0;
        for (int k = 0; k < chunks_; ++k) sum += partial_sum_[k];
        return {std::sqrt(sum / (stages * n_)), any_growing()};
    }
    [[gnu::flatten]] void advance_piece(int piece)
    {
        const auto update = std::as_const(update_).first();
        const auto slope = slope_.first();
        const auto stage = stage_.first();
        const auto to_slope = simd::spread(q);
        const auto to_stage = simd::spread(step_matrix_);
        growth_watch watch;
        value squares{};
        simd::for_components_of_piece<double>(n_, piece, chunks_, [&](auto at) {
            // solved for in this order
            const std::array<value, stages> x{at(update[0]), at(update[1]), at(update[2]), at(simd::just_written(update[3]))};
            const auto yp = product(to_slope, x);
            const auto y = product(to_stage, yp);
            std::array<value, stages> scaled;
            simd::unrolled<stages>([&](auto s) {
                at(slope[s]) += yp[s];
                at(stage[s]) += y[s];
                scaled[s] = y[s] * at(scale_.inverse());
            });
            squares += dot(scaled, scaled);
            watch.see(at(stage[stages - 1]), at(scale_.growth_limit()));
        });
        partial_sum_[piece] = sum_of(squares);
        growing_[piece] = watch.found();
    }

    evaluator& e_;
    int n_;
    growth_weights& scale_;
    stage_systems& systems_;
    double tau_;
    int limit_;

    stage_vectors stage_; ///< Y
    stage_vectors slope_; ///< Y'
    stage_vectors residual_, update_, right_side_, coupled_;

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
