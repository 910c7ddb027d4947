// MEBDFI: modified extended BDF for G(t, y, y') = 0. What it shares with MEBDFDAE: ../mebdf.
#include "solvers/solvers.hpp"

#include "extended_bdf.hpp"
#include "solvers/common/implicit_system.hpp"
#include "solvers/common/solver_of.hpp"
#include "stage_test.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::solvers {

namespace {

using namespace mebdf; // NOLINT(google-build-using-namespace): the parts of this method

const option_table<settings>& own_options()
{
    static const auto table = common_options().with({
        bind::flag("scaled_increments", &settings::scaled_increments,
                   "difference quotients with increments relative to y; no: as the original, which takes one absolute increment for full matrices"),
    });
    return table;
}

solver_info description()
{
    solver_info i = common_description("mebdfi", "MEBDFI");
    i.forms = {form::ide, form::dae, form::ode};
    i.needs_initial_derivative = true;
    i.options = own_options().describe();
    return i;
}

constexpr int last_stage_limit = 5; // iterations

class mebdfi_integrator final : public extended_bdf {
public:
    mebdfi_integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : extended_bdf(e, s, o, own_options().read(o.special), observer),
          system_(e, o, memory_),
          largest_drift_(system_.path() == algebra::band ? 0.1 : 0.2),
          scaled_increments_(system_.path() == algebra::band || own_options().read(o.special).scaled_increments),
          yp_(n_, memory_),
          rhs_(n_, memory_),
          delta_(n_, memory_),
          first_slope_(n_, memory_),
          ahead_slope_(n_, memory_)
    {
        rules own;
        own.raises_order = weights_.highest_index() == 3;
        set_rules(own);
    }

private:
    [[nodiscard]] algebra path() const override { return system_.path(); }
    evaluation start() override
    {
        past_.start(segment_.y.data(), segment_.yp.data(), h_);
        return evaluation::ok;
    }
    void restart(double ratio) override { past_.scale_first(ratio); }
    void write_slope() override { std::copy_n(yp_.data(), n_, segment_.yp.begin()); }

    attempt try_step() override
    {
        if (std::abs(drift_ - 1) > largest_drift_) need_matrix_ = true;
        const double hb = h_ * formulas[order_].b;
        while (true) {
            passes[order_].first(past_, rhs_.data(), predict_ ? y_.data() : nullptr);
            if (!predict_) std::copy_n(ahead_.data(), y_.size(), y_.data());
            set_slope(y_, hb, yp_);
            if (need_matrix_)
                if (const attempt how = new_matrix(t_ + h_, hb); how != attempt::accepted) return how;
            const attempt how = iterate(t_ + h_, first_rate_, sampling_);
            if (how == attempt::accepted) break;
            if (how != attempt::stage_diverged || !matrix_is_old_) return how;
            note_repeated_stage();
        }
        matrix_is_old_ = true;
        order_used_ = order_;
        std::swap(first_, y_);
        set_slope(first_, hb, first_slope_);
        weights_.update(first_.data(), h_);
        squares_ = passes[order_].second(past_, first_.data(), weights_.inverse(), rhs_.data(), y_.data());
        if (!(squares_.change <= error_bound(order_))) return attempt::error_test;
        failed_tests_ = 0;

        set_slope(y_, matrix_hb_, yp_);
        if (const attempt how = iterate(t_ + 2 * h_, second_rate_, false); how != attempt::accepted) return how;
        std::swap(ahead_, y_);
        set_slope(ahead_, hb, ahead_slope_);

        passes[order_].third(past_, h_, first_slope_.data(), ahead_slope_.data(), rhs_.data());
        std::copy_n(first_.data(), y_.size(), y_.data());
        if (const attempt how = iterate_last_stage(); how != attempt::accepted) return how;
        if (!(weights_.squares_of_difference(y_.data(), first_.data()) <= 4.0 * n_)) {
            after_embedded_failure_ = true;
            return attempt::embedded_test;
        }
        return attempt::accepted;
    }

    // slope = (y − rhs) / hb
    void set_slope(const simd::padded_vector<double>& y, double hb, simd::padded_vector<double>& slope) const
    {
        const double inverse = 1 / hb;
        simd::for_components<double>(n_, [&](auto at) { at(slope) = (at(y) - at(rhs_)) * inverse; });
    }

    attempt new_matrix(double t, double hb)
    {
        const double c = 1 / hb;
        note_new_matrix(hb);
        refusal_ = system_.by_differences() ? system_.residual_for_differences(t, y_.data(), yp_.data(), delta_.data()) : evaluation::ok;
        if (refusal_ == evaluation::ok)
            refusal_ = system_.linearise(t, y_.data(), yp_.data(), c, delta_.data(), [this, floor = increment_floor()](double y, int i) {
                const double rounding = std::sqrt(unit_roundoff);
                const double size = scaled_increments_ ? std::max(rounding * std::abs(y), floor / weights_.plain(i, y)) : rounding;
                return (y + size) - y;
            });
        if (refusal_ != evaluation::ok) {
            need_matrix_ = true;
            return refused();
        }
        if (system_.factor(c)) return attempt::accepted;
        need_matrix_ = true;
        return attempt::singular;
    }

    [[nodiscard]] double increment_floor() const
    {
        const double floor = weights_.rounding_of_step(yp_.data(), y_.data(), h_);
        return floor > 0 ? floor : std::sqrt(unit_roundoff);
    }

    // Newton's iteration of the two BDF stages, from y_ with slope yp_. sample: the first iteration only measures.
    attempt iterate(double t, double& rate, bool sample)
    {
        weights_.update(y_.data(), h_);
        const double bound = newton_bound_ / order_used_;
        stage_test test(rate, bound, sample);
        system_.set_accuracy(weights_.inverse(), linear_fraction * std::sqrt(bound / n_));
        while (true) {
            if (!evaluate_residual(t)) return refused();
            const verdict v = test(correct());
            if (v != verdict::go_on) return v == verdict::converged ? attempt::accepted : attempt::stage_diverged;
        }
    }

    attempt iterate_last_stage()
    {
        set_slope(y_, matrix_hb_, yp_);
        for (int m = 0; m < last_stage_limit; ++m) {
            if (!evaluate_residual(t_ + h_)) return refused();
            weights_.update(y_.data(), h_);
            if (correct() * std::min(1.0, 2 * first_rate_) <= newton_bound_) return attempt::accepted;
        }
        return attempt::last_stage_diverged;
    }

    bool evaluate_residual(double t)
    {
        refusal_ = system_.residual(t, y_.data(), yp_.data(), delta_.data());
        return refusal_ == evaluation::ok;
    }

    // Corrects y and, with the step size of the matrix, y'; answers Σ (δ_i/w_i)².
    double correct()
    {
        const simd::just_written solution = system_.solve(1, delta_.data());
        const double inverse_hb = 1 / matrix_hb_;
        value sum{};
        simd::for_components<double>(n_, [&](auto at) {
            const value d = at(solution);
            const value q = d * at(weights_.inverse());
            const value y = at(y_) - d;
            at(y_) = y;
            at(yp_) = (y - at(rhs_)) * inverse_hb;
            sum += q * q;
        });
        return sum_of(sum);
    }

    implicit_system system_;
    double largest_drift_;
    bool scaled_increments_;
    simd::padded_vector<double> yp_, rhs_, delta_;
    simd::padded_vector<double> first_slope_, ahead_slope_; ///< of the BDF at the next point and at the one behind it
};

} // namespace

std::unique_ptr<const solver> make_mebdfi() { return make_solver(description(), mebdfi_files::chapter, integrate_with<mebdfi_integrator>); }

} // namespace ivp::solvers
