// stage_iteration: the four stages of one step, from the predictor to the end of the iteration, spread over a team of threads.
#ifndef IVP_SOLVERS_PSIDE_STAGE_ITERATION_HPP
#define IVP_SOLVERS_PSIDE_STAGE_ITERATION_HPP

#include "coefficients.hpp"
#include "solvers/common/componentwise.hpp"
#include "stage_systems.hpp"
#include "thread_team.hpp"
#include "weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace ivp::solvers::pside_method {

/// One padded vector for each stage.
class stage_block {
public:
    explicit stage_block(int n)
    {
        for (auto& vector : value_) vector.resize(padded<double>(n));
    }
    double* operator[](int s) { return value_[s].data(); }
    const double* operator[](int s) const { return value_[s].data(); }
    /// For loops, which would ask for them again and again.
    std::array<double*, stages> all() { return {(*this)[0], (*this)[1], (*this)[2], (*this)[3]}; }
    [[nodiscard]] std::array<const double*, stages> all() const { return {(*this)[0], (*this)[1], (*this)[2], (*this)[3]}; }
    void swap(stage_block& other) noexcept { value_.swap(other.value_); }

private:
    std::array<std::vector<double>, stages> value_;
};

/// Whether one of the values it has seen is above its limit.
class growth_watch {
public:
    void see(const lanes& value, const lanes& limit) { above_ |= magnitude(value) > limit; }
    [[nodiscard]] bool found() const { return (above_[0] | above_[1] | above_[2] | above_[3]) != 0; }

private:
    decltype(lanes{} > lanes{}) above_{};
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
    newton_end run(double t, double h, const double* y, double h_last, const stage_block& last_slopes)
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

    double norm_of(const double* y)
    {
        if (norm_of_y_ < 0) norm_of_y_ = scale_.norm(y);
        return norm_of_y_;
    }

    template <class Work>
    void each_chunk(Work&& work)
    {
        const int groups = groups_of(n_);
        team_.each(chunks_, [&](int k) { work(k, groups * k / chunks_, groups * (k + 1) / chunks_); });
    }

    // The cubic through the last stage derivatives, continued; and the stages that belong to it. True: a component grows too much.
    bool predict(double ratio, const double* y, const stage_block& last_slopes)
    {
        stage_matrix w{};
        for (int s = 0; s < stages; ++s) {
            const double x = ratio * c[s];
            for (int j = 0; j < stages; ++j) w[s][j] = ((cubic[0][j] + x * cubic[1][j]) + x * x * cubic[2][j]) + x * (x * x) * cubic[3][j];
        }
        each_chunk([&](int k, int first, int end) {
            const auto last = last_slopes.all();
            const auto slope = slope_.all();
            const auto stage = stage_.all();
            const auto of_slope = spread<double>(w);
            const auto of_stage = spread<double>(step_matrix_);
            growth_watch watch;
            for_groups(first, end, [&](auto at) IVP_INLINED {
                const lanes p4 = at(last[3]);
                const lanes d1 = at(last[0]) - p4;
                const lanes d2 = at(last[1]) - p4;
                const lanes d3 = at(last[2]) - p4;
                std::array<lanes, stages> yp;
                unrolled<stages>([&](auto s) IVP_INLINED {
                    yp[s] = p4 + of_slope[s][0] * d1 + of_slope[s][1] * d2 + of_slope[s][2] * d3;
                    at.put(slope[s], yp[s]);
                });
                unrolled<stages>([&](auto s) IVP_INLINED {
                    const auto& m = of_stage[s];
                    const lanes value = at(y) + m[0] * yp[0] + m[1] * yp[1] + m[2] * yp[2] + m[3] * yp[3];
                    at.put(stage[s], value);
                    if (s == stages - 1) watch.see(value, at(scale_.growth_limit()));
                });
            });
            growing_[k] = watch.found();
        });
        return any_growing();
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
            const auto w = spread<double>(to_right_side_[s]);
            const auto r = std::as_const(residual_).all();
            double* const x = update_[s];
            for_components<double>(n_,
                                   [&](auto at) IVP_INLINED { at.put(x, w[0] * at(r[0]) + w[1] * at(r[1]) + w[2] * at(r[2]) + w[3] * at(r[3])); });
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
            for_components<double>(n_, [&](auto at) IVP_INLINED { at.put(w, b[s][pair] * at(x1) + b[s][pair + 1] * at(x2)); });
            systems_.subtract_mass_times(shift_[s], w, x, right_side_[s]);
            std::copy(right_side_[s], right_side_[s] + n_, x);
            systems_.solve(s, x);
            for_components<double>(n_, [&](auto at) IVP_INLINED { at.put(x, at.one_by_one(x) + at(w)); });
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
            const auto update = std::as_const(update_).all();
            const auto slope = slope_.all();
            const auto stage = stage_.all();
            const auto to_slope = spread<double>(q);
            const auto to_stage = spread<double>(step_matrix_);
            growth_watch watch;
            lanes squares{};
            for_groups(first, end, [&](auto at) IVP_INLINED {
                const std::array<lanes, stages> x{at(update[0]), at(update[1]), at(update[2]), at.one_by_one(update[3])}; // solved for in this order
                std::array<lanes, stages> u;
                unrolled<stages>([&](auto s) IVP_INLINED {
                    u[s] = dot(to_slope[s], x);
                    at.put(slope[s], at(slope[s]) + u[s]);
                });
                lanes sum{};
                unrolled<stages>([&](auto s) IVP_INLINED {
                    const lanes change = dot(to_stage[s], u);
                    const lanes value = at(stage[s]) + change;
                    at.put(stage[s], value);
                    const lanes scaled = change * at(scale_.inverse());
                    sum += scaled * scaled;
                    if (s == stages - 1) watch.see(value, at(scale_.growth_limit()));
                });
                squares += sum;
            });
            partial_sum_[k] = sum_of(squares);
            growing_[k] = watch.found();
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
