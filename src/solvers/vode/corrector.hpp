// corrector: finds e = y − prediction with h f(t, y) = z_1 + l_1 e, by Newton's iteration with kept matrices or by functional iteration.
#ifndef IVP_SOLVERS_VODE_CORRECTOR_HPP
#define IVP_SOLVERS_VODE_CORRECTOR_HPP

#include "multistep.hpp"
#include "solvers/common/error_weights.hpp"
#include "solvers/common/newton_matrix.hpp"

#include <ivp/settings.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace ivp::solvers::vode_method {

enum class iteration_end { converged, diverged, singular, refused, stopped };

class corrector {
public:
    struct settings {
        bool newton;         ///< else functional iteration
        bool keeps_jacobian; ///< a factorisation may use the Jacobian of an earlier one
    };

    corrector(evaluator& e, const solve_options& o, const settings& s) : e_(e), set_(s), f_(e.n()), delta_(e.n()), y_(e.n()), correction_(e.n())
    {
        if (s.newton) matrices_.emplace(e, o);
    }

    [[nodiscard]] const double* correction() const { return correction_.data(); }
    [[nodiscard]] double correction_norm() const { return correction_norm_; }
    [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
    [[nodiscard]] evaluation refusal() const { return refusal_; } ///< of the last attempt
    [[nodiscard]] std::string algebra_used() const { return matrices_ ? std::string(label(matrices_->path())) : std::string(); }

    void begin_step()
    {
        jacobian_is_current_ = false;
        reason_ = reason::none;
    }
    void note_error_failure() { needs_setup_ = true; }

    /// The step from the predicted state of m, which ends at t; accepted: number of steps before it.
    iteration_end solve(const multistep& m, double t, const error_weights& weights, std::uint64_t accepted)
    {
        const iteration_end end = set_.newton ? newton(m, t, weights, accepted) : functional(m, t, weights);
        const bool converged = end == iteration_end::converged;
        reason_ = converged ? reason::none : reason::step_was_cut;
        if (converged)
            jacobian_is_current_ = false;
        else
            needs_setup_ = true;
        return end;
    }

private:
    static constexpr int iteration_limit = 3;
    static constexpr double rate_memory = 0.3;     // a contraction is forgotten no faster than this
    static constexpr double divergence = 2;        // an update that many times as long as the last
    static constexpr double newton_fraction = 0.1; // of the error test, for what the iteration leaves
    static constexpr double setup_change = 0.3;    // of h / l_1, above which the matrix is factored anew
    static constexpr double jacobian_change = 0.2; // below it a failure is blamed on J
    static constexpr std::uint64_t steps_per_setup = 20;
    static constexpr std::uint64_t steps_per_jacobian = 50;

    enum class reason { none, slow_with_old_matrix, step_was_cut };

    iteration_end newton(const multistep& m, double t, const error_weights& weights, std::uint64_t accepted)
    {
        gamma_ = m.h() / m.coefficients_now().l[1];
        double change = std::abs(gamma_ / gamma_of_matrix_ - 1);
        if (accepted == 0 || change > setup_change || accepted >= setup_step_ + steps_per_setup) needs_setup_ = true;
        while (true) {
            if (!evaluate(t, m.y())) return unusable();
            if (needs_setup_) {
                if (const auto failure = set_up(m, t, weights, accepted, change)) return *failure;
                change = 0;
            }
            const iteration_end end = iterate(m, t, weights);
            if (end != iteration_end::diverged || jacobian_is_current_) return end;
            reason_ = reason::slow_with_old_matrix;
            needs_setup_ = true;
        }
    }

    std::optional<iteration_end> set_up(const multistep& m, double t, const error_weights& weights, std::uint64_t accepted, double change)
    {
        const bool new_jacobian = !set_.keeps_jacobian || accepted == 0 || accepted > jacobian_step_ + steps_per_jacobian ||
                                  (reason_ == reason::slow_with_old_matrix && change < jacobian_change) || reason_ == reason::step_was_cut;
        if (new_jacobian) {
            constexpr double u = std::numeric_limits<double>::epsilon();
            const double noise = matrices_->by_differences() ? 1000 * m.h() * u * e_.n() * weights.norm(f_.data()) : 0;
            const double smallest = noise == 0 ? 1.0 : noise;
            refusal_ = matrices_->linearise(
                t, m.y(), f_.data(), [&](double value, int j) { return std::max(std::sqrt(u) * std::abs(value), smallest / weights.inverse()[j]); });
            if (refusal_ != evaluation::ok) return unusable();
            jacobian_step_ = accepted;
        }
        jacobian_is_current_ = new_jacobian;
        needs_setup_ = false;
        setup_step_ = accepted;
        rate_ = 1;
        gamma_of_matrix_ = gamma_;
        if (!matrices_->factor(1 / gamma_)) return iteration_end::singular;
        return std::nullopt;
    }

    iteration_end iterate(const multistep& m, double t, const error_weights& weights)
    {
        // The matrix belongs to another step size: the update is scaled by the best single factor (BDF only).
        const double ratio = gamma_ / gamma_of_matrix_;
        const double scale = (m.kind() == family::bdf ? 2 / (1 + ratio) : 1) / gamma_of_matrix_;
        const double inverse_l1 = 1 / m.coefficients_now().l[1];
        const double tolerance = newton_fraction * m.coefficients_now().same;
        const double* const predicted_slope = m.row(1);
        const double* const w = weights.inverse();
        const double* const f = f_.data();
        double* const delta = delta_.data();
        double* const correction = correction_.data();
        const int groups = m.groups();
        double previous = 0;
        matrices_->set_accuracy(w, linear_fraction * tolerance / scale);
        for (int iteration = 0;; ++iteration) {
            const bool first = iteration == 0;
            for (int g = 0; g < groups; ++g) {
                lanes missing = inverse_l1 * load(predicted_slope, g);
                if (!first) missing += load(correction, g);
                store(delta, g, gamma_ * load_one_by_one(f, g) - missing);
            }
            matrices_->solve(delta);
            ++e_.count().solve;
            ++iterations_;
            lanes squares{};
            lanes squares_in_all{};
            for (int g = 0; g < groups; ++g) {
                const lanes update = scale * load_one_by_one(delta, g);
                const lanes sum = first ? update : load(correction, g) + update;
                const lanes weighted = update * load(w, g);
                const lanes weighted_sum = sum * load(w, g);
                squares += weighted * weighted;
                squares_in_all += weighted_sum * weighted_sum;
                store(correction, g, sum);
            }
            const double norm = weights.norm_from(squares);
            if (has_converged(first, norm, previous, tolerance)) {
                correction_norm_ = first ? norm : weights.norm_from(squares_in_all);
                return iteration_end::converged;
            }
            if (iteration + 1 == iteration_limit || (!first && norm > divergence * previous)) return iteration_end::diverged;
            previous = norm;
            if (!evaluate_corrected(m, t)) return unusable();
        }
    }

    iteration_end functional(const multistep& m, double t, const error_weights& weights)
    {
        const double inverse_l1 = 1 / m.coefficients_now().l[1];
        const double tolerance = newton_fraction * m.coefficients_now().same;
        const double* const predicted_slope = m.row(1);
        const double* const w = weights.inverse();
        const double* const f = f_.data();
        double* const correction = correction_.data();
        const int groups = m.groups();
        const double h = m.h();
        double previous = 0;
        rate_ = 1;
        if (!evaluate(t, m.y())) return unusable();
        for (int iteration = 0;; ++iteration) {
            const bool first = iteration == 0;
            lanes squares{};
            lanes squares_in_all{};
            for (int g = 0; g < groups; ++g) {
                const lanes sum = inverse_l1 * (h * load_one_by_one(f, g) - load(predicted_slope, g));
                const lanes update = first ? sum : sum - load(correction, g);
                const lanes weighted = update * load(w, g);
                const lanes weighted_sum = sum * load(w, g);
                squares += weighted * weighted;
                squares_in_all += weighted_sum * weighted_sum;
                store(correction, g, sum);
            }
            ++iterations_;
            const double norm = weights.norm_from(squares);
            if (has_converged(first, norm, previous, tolerance)) {
                correction_norm_ = first ? norm : weights.norm_from(squares_in_all);
                return iteration_end::converged;
            }
            if (iteration + 1 == iteration_limit || (!first && norm > divergence * previous)) return iteration_end::diverged;
            previous = norm;
            if (!evaluate_corrected(m, t)) return unusable();
        }
    }

    bool has_converged(bool first, double norm, double previous, double tolerance)
    {
        if (!first) rate_ = std::max(rate_memory * rate_, norm / previous);
        return norm * std::min(1.0, rate_) <= tolerance;
    }

    bool evaluate_corrected(const multistep& m, double t)
    {
        const double* const predicted = m.y();
        const double* const correction = correction_.data();
        double* const y = y_.data();
        const int groups = m.groups();
        for (int g = 0; g < groups; ++g) store(y, g, load(predicted, g) + load(correction, g));
        return evaluate(t, y);
    }
    bool evaluate(double t, const double* y)
    {
        refusal_ = e_.f(t, y, f_.data());
        return refusal_ == evaluation::ok;
    }
    [[nodiscard]] iteration_end unusable() const { return refusal_ == evaluation::stopped ? iteration_end::stopped : iteration_end::refused; }

    evaluator& e_;
    settings set_;
    std::optional<newton_matrix> matrices_;
    lane_vector f_, delta_, y_, correction_;
    double correction_norm_ = 0;
    double gamma_ = 0;           // h / l_1 of this step
    double gamma_of_matrix_ = 1; // ... when the matrix was factored
    double rate_ = 1;            // estimate of the contraction
    bool needs_setup_ = true;
    bool jacobian_is_current_ = false;
    reason reason_ = reason::none;
    std::uint64_t setup_step_ = 0;
    std::uint64_t jacobian_step_ = 0;
    std::uint64_t iterations_ = 0;
    evaluation refusal_ = evaluation::ok;
};

} // namespace ivp::solvers::vode_method

#endif
