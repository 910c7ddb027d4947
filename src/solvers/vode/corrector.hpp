// corrector: finds e = y − prediction with h f(t, y) = z_1 + l_1 e, by Newton's iteration with kept matrices or by functional iteration.
#ifndef IVP_SOLVERS_VODE_CORRECTOR_HPP
#define IVP_SOLVERS_VODE_CORRECTOR_HPP

#include "multistep.hpp"
#include "solvers/common/iteration_matrix.hpp"
#include "solvers/common/weights.hpp"

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

    corrector(evaluator& e, const solve_options& o, const settings& s, work_memory& memory)
        : e_(e), set_(s), f_(e.n(), memory), delta_(e.n(), memory), y_(e.n(), memory), correction_(e.n(), memory)
    {
        if (s.newton) matrix_.emplace(e, o);
    }

    [[nodiscard]] const double* correction() const { return correction_.data(); }
    [[nodiscard]] double correction_norm() const { return correction_norm_; }
    [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
    [[nodiscard]] evaluation refusal() const { return refusal_; } ///< of the last attempt
    [[nodiscard]] std::string algebra_used() const { return matrix_ ? std::string(label(matrix_->path())) : std::string(); }

    void begin_step()
    {
        jacobian_is_current_ = false;
        reason_ = reason::none;
    }
    void note_error_failure() { needs_setup_ = true; }

    /// The step from the predicted state of m, which ends at t; accepted: number of steps before it.
    iteration_end solve(const multistep& m, double t, const weights& scale, std::uint64_t accepted)
    {
        const iteration_end end = set_.newton ? newton(m, t, scale, accepted) : functional(m, t, scale);
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

    using value = simd::pack<double>;

    enum class reason { none, slow_with_old_matrix, step_was_cut };

    iteration_end newton(const multistep& m, double t, const weights& scale, std::uint64_t accepted)
    {
        gamma_ = m.h() / m.coefficients_now().l[1];
        double change = std::abs(gamma_ / gamma_of_matrix_ - 1);
        if (accepted == 0 || change > setup_change || accepted >= setup_step_ + steps_per_setup) needs_setup_ = true;
        while (true) {
            if (!evaluate(t, m.y())) return unusable();
            if (needs_setup_) {
                if (const auto failure = set_up(m, t, scale, accepted, change)) return *failure;
                change = 0;
            }
            const iteration_end end = iterate(m, t, scale);
            if (end != iteration_end::diverged || jacobian_is_current_) return end;
            reason_ = reason::slow_with_old_matrix;
            needs_setup_ = true;
        }
    }

    std::optional<iteration_end> set_up(const multistep& m, double t, const weights& scale, std::uint64_t accepted, double change)
    {
        const bool new_jacobian = !set_.keeps_jacobian || accepted == 0 || accepted > jacobian_step_ + steps_per_jacobian ||
                                  (reason_ == reason::slow_with_old_matrix && change < jacobian_change) || reason_ == reason::step_was_cut;
        if (new_jacobian) {
            constexpr double u = std::numeric_limits<double>::epsilon();
            const double noise = matrix_->by_differences() ? 1000 * m.h() * u * e_.n() * scale.norm(f_.data()) : 0;
            const double smallest = noise == 0 ? 1.0 : noise;
            refusal_ = matrix_->linearise(t, m.y(), f_.data(),
                                          [&](double y, int j) { return std::max(std::sqrt(u) * std::abs(y), smallest / scale.inverse()[j]); });
            if (refusal_ != evaluation::ok) return unusable();
            jacobian_step_ = accepted;
        }
        jacobian_is_current_ = new_jacobian;
        needs_setup_ = false;
        setup_step_ = accepted;
        rate_ = 1;
        gamma_of_matrix_ = gamma_;
        if (!matrix_->factor(1 / gamma_)) return iteration_end::singular;
        return std::nullopt;
    }

    iteration_end iterate(const multistep& m, double t, const weights& scale)
    {
        // The matrix belongs to another step size: the update is scaled by the best single factor (BDF only).
        const double ratio = gamma_ / gamma_of_matrix_;
        const double factor = (m.kind() == family::bdf ? 2 / (1 + ratio) : 1) / gamma_of_matrix_;
        const double inverse_l1 = 1 / m.coefficients_now().l[1];
        matrix_->set_accuracy(scale.inverse(), linear_fraction * newton_fraction * m.coefficients_now().same / factor);
        return correct_until_converged(m, t, scale, [&](bool first) {
            simd::for_components<double>(e_.n(), [&](auto at) {
                value missing = inverse_l1 * at(m.row(1));
                if (!first) missing += at(correction_);
                at(delta_) = gamma_ * at(simd::just_written(f_)) - missing;
            });
            const simd::just_written solution = matrix_->solve(delta_.data());
            ++e_.count().solve;
            return move_correction(scale, [&](auto at) {
                const value update = factor * at(solution);
                return moved{update, first ? update : at(correction_) + update};
            });
        });
    }

    iteration_end functional(const multistep& m, double t, const weights& scale)
    {
        const double inverse_l1 = 1 / m.coefficients_now().l[1];
        rate_ = 1;
        if (!evaluate(t, m.y())) return unusable();
        return correct_until_converged(m, t, scale, [&](bool first) {
            return move_correction(scale, [&](auto at) {
                const value sum = inverse_l1 * (m.h() * at(simd::just_written(f_)) - at(m.row(1)));
                return moved{first ? sum : sum - at(correction_), sum};
            });
        });
    }

    /// An update of the correction, and the correction with it.
    struct moved {
        value update;
        value correction;
    };
    struct norms {
        double update;
        value squares; ///< of the correction
    };
    template <class Moved>
    [[gnu::always_inline]] norms move_correction(const weights& scale, const Moved& of)
    {
        value squares{};
        value squares_in_all{};
        simd::for_many_components<double>(e_.n(), [&](auto at) {
            const moved next = of(at);
            const value weighted = next.update * at(scale.inverse());
            const value weighted_sum = next.correction * at(scale.inverse());
            squares += weighted * weighted;
            squares_in_all += weighted_sum * weighted_sum;
            at(correction_) = next.correction;
        });
        return {scale.norm_from(squares), squares_in_all};
    }

    /// What both iterations have in common; correct(first) moves the correction once and gives the norms.
    template <class Correct>
    [[gnu::always_inline]] iteration_end correct_until_converged(const multistep& m, double t, const weights& scale, const Correct& correct)
    {
        const double tolerance = newton_fraction * m.coefficients_now().same;
        double previous = 0;
        for (int iteration = 0;; ++iteration) {
            const bool first = iteration == 0;
            const norms now = correct(first);
            ++iterations_;
            if (has_converged(first, now.update, previous, tolerance)) {
                correction_norm_ = first ? now.update : scale.norm_from(now.squares);
                return iteration_end::converged;
            }
            if (iteration + 1 == iteration_limit || (!first && now.update > divergence * previous)) return iteration_end::diverged;
            previous = now.update;
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
        simd::for_components<double>(e_.n(), [&](auto at) { at(y_) = at(m.y()) + at(correction_); });
        return evaluate(t, y_.data());
    }
    bool evaluate(double t, const double* y)
    {
        refusal_ = e_.f(t, y, f_.data());
        return refusal_ == evaluation::ok;
    }
    [[nodiscard]] iteration_end unusable() const { return refusal_ == evaluation::stopped ? iteration_end::stopped : iteration_end::refused; }

    evaluator& e_;
    settings set_;
    std::optional<iteration_matrix> matrix_;
    simd::padded_vector<double> f_, delta_, y_, correction_;
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
