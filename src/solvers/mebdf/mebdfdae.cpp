// MEBDFDAE: modified extended BDF for M y' = f(t, y). What it shares with MEBDFI: ../mebdf. Iteration and counters: the chapter.
#include "solvers/solvers.hpp"

#include "extended_bdf.hpp"
#include "solvers/common/iteration_matrix.hpp"
#include "solvers/common/solver_of.hpp"
#include "stage_test.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ivp::solvers {

namespace {

using namespace mebdf; // NOLINT(google-build-using-namespace): the parts of this method

solver_info description()
{
    solver_info i = common_description("mebdfdae", "MEBDFDAE");
    i.version = "2.0";
    i.forms = {form::dae, form::ode};
    return i;
}

constexpr int last_stage_limit = 6;  // iterations
constexpr double matrix_solves = 30; // for each factorisation, on average

// A slope is a value of f, or M y' of a stage that is solved: both are the same up to what the iteration leaves.
class mebdfdae_integrator final : public extended_bdf {
public:
    mebdfdae_integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : extended_bdf(e, s, o, common_options().read(o.special), observer),
          has_mass_(e.mass().kind() != mass_kind::identity),
          matrix_(e, o, {.work = {.solves = matrix_solves}}),
          largest_drift_(matrix_.path() == algebra::band ? 0.1 : 0.2),
          slope_(n_, memory_),
          first_slope_(n_, memory_),
          ahead_slope_(n_, memory_),
          predicted_(n_, memory_),
          rhs_(n_, memory_),
          correction_(n_, memory_),
          delta_(n_, memory_),
          product_(n_, memory_),
          known_(n_, memory_)
    {
        rules own;
        own.hits_end = false;
        own.raises_order = has_mass_ && weights_.highest_index() == 3;
        own.every_matrix_is_young = false;
        set_rules(own);
    }

private:
    [[nodiscard]] algebra path() const override { return matrix_.path(); }

    // f takes the place of y', also if M is not the identity.
    evaluation start() override
    {
        refusal_ = e_.f(t_, segment_.y.data(), slope_.data());
        past_.start(segment_.y.data(), slope_.data(), h_);
        return refusal_;
    }
    void restart(double ratio) override
    {
        if (e_.f(t_, past_.nabla(0), slope_.data()) == evaluation::ok)
            past_.set_first(slope_.data(), h_);
        else
            past_.scale_first(ratio);
    }
    void start_smaller() override { first_rate_ = second_rate_ = 0.1; }

    attempt try_step() override
    {
        if (std::abs(drift_ - 1) > largest_drift_) need_matrix_ = true;
        const double hb = h_ * formulas[order_].b;
        const double t_next = t_ + h_;
        passes[order_].first(past_, rhs_.data(), predict_ ? predicted_.data() : nullptr);
        const simd::padded_vector<double>& start = predict_ ? predicted_ : ahead_;
        bool slope_is_known = !predict_;
        while (true) {
            if (!slope_is_known && !evaluate(t_next, start, slope_)) return refused();
            if (need_matrix_)
                if (const attempt how = new_matrix(t_next, start, hb); how != attempt::accepted) return how;
            const attempt how = iterate(t_next, start, slope_is_known ? ahead_slope_ : slope_, hb, first_rate_, sampling_);
            if (how == attempt::accepted) break;
            if (how != attempt::stage_diverged || !matrix_is_old_) return how;
            note_repeated_stage();
            slope_is_known = false;
        }
        matrix_is_old_ = true;
        order_used_ = order_;
        std::swap(first_, y_);
        set_slope(first_, hb, first_slope_);
        weights_.update(first_.data(), h_);
        squares_ = passes[order_].second(past_, first_.data(), weights_.inverse(), rhs_.data(), predicted_.data());
        if (!(squares_.change <= error_bound(order_))) return attempt::error_test;
        failed_tests_ = 0;

        if (!evaluate(t_ + 2 * h_, predicted_, slope_)) return refused();
        if (const attempt how = iterate(t_ + 2 * h_, predicted_, slope_, hb, second_rate_, false); how != attempt::accepted) return how;
        std::swap(ahead_, y_);
        set_slope(ahead_, hb, ahead_slope_);

        if (const attempt how = iterate_last_stage(t_next, hb); how != attempt::accepted) return how;
        if (!(weights_.squares_of_difference(y_.data(), first_.data()) <= 4.0 * n_)) {
            after_embedded_failure_ = true;
            return attempt::embedded_test;
        }
        return attempt::accepted;
    }

    bool evaluate(double t, const simd::padded_vector<double>& y, simd::padded_vector<double>& slope)
    {
        refusal_ = e_.f(t, y.data(), slope.data());
        return refusal_ == evaluation::ok;
    }

    [[nodiscard]] auto increments_at(const simd::padded_vector<double>& y) const
    {
        const double change = weights_.rounding_of_step(slope_.data(), y.data(), h_);
        return [this, floor = change > 0 ? change : 1.0](double component, int i) {
            return std::max(std::sqrt(unit_roundoff) * std::abs(component), floor / weights_.plain(i, component));
        };
    }

    // At a start value, with slope_ = f there.
    attempt new_matrix(double t, const simd::padded_vector<double>& y, double hb)
    {
        note_new_matrix(hb);
        refusal_ = matrix_.linearise(t, y.data(), slope_.data(), increments_at(y));
        if (refusal_ == evaluation::ok && matrix_.factor(1 / hb)) return attempt::accepted;
        need_matrix_ = true;
        return refusal_ == evaluation::ok ? attempt::singular : refused();
    }
    // slope = M (y − rhs) / hb
    void set_slope(const simd::padded_vector<double>& y, double hb, simd::padded_vector<double>& slope)
    {
        const double inverse = 1 / hb;
        double* const out = has_mass_ ? delta_.data() : slope.data();
        simd::for_components<double>(n_, [&](auto at) { at(out) = (at(y) - at(rhs_)) * inverse; });
        if (has_mass_) e_.mass().multiply(out, slope.data());
    }

    // The iteration of the two BDF stages: y_ from `start`, where the slope is `slope`. sample: the first iteration only measures.
    attempt iterate(double t, const simd::padded_vector<double>& start, const simd::padded_vector<double>& slope, double hb, double& rate,
                    bool sample)
    {
        weights_.update(start.data(), h_);
        const double bound = newton_bound_ / order_used_;
        stage_test test(rate, bound, sample);
        matrix_.set_accuracy(weights_.inverse(), linear_fraction * std::sqrt(bound / n_));
        set_right_hand_side(start, slope, hb);
        solve();
        verdict v = test(correct<true>(start));
        while (v == verdict::go_on) {
            if (!evaluate(t, y_, slope_)) return refused();
            set_right_hand_side(y_, slope_, hb);
            solve();
            v = test(correct<false>(start));
        }
        return v == verdict::converged ? attempt::accepted : attempt::stage_diverged;
    }

    // The extended formula, from the results of the first two stages.
    attempt iterate_last_stage(double t, double hb)
    {
        passes[order_].third(past_, h_, first_slope_.data(), ahead_slope_.data(), rhs_.data());
        if (has_mass_) {
            const formula& f = formulas[order_];
            simd::for_components<double>(n_, [&](auto at) { at(known_) = h_ * (f.b2 * at(ahead_slope_) + (f.b1 - f.b) * at(first_slope_)); });
        }
        const simd::padded_vector<double>* before = &first_;
        const simd::padded_vector<double>* slope = &first_slope_;
        for (int m = 1;; ++m) {
            weights_.update(before->data(), h_);
            set_right_hand_side(*before, *slope, hb, &known_);
            solve();
            if (add_correction(*before) * std::min(1.0, 2 * first_rate_) <= newton_bound_) return attempt::accepted;
            if (m == last_stage_limit) return attempt::last_stage_diverged;
            if (!evaluate(t, y_, slope_)) return refused();
            before = &y_;
            slope = &slope_;
        }
    }

    // delta_ = (M (rhs − y) + hb slope) / HB, with HB = hb of the matrix. known: the part of rhs that is a product with M already.
    // NOTE: added in the order of the original. Differences of the first steps may consist of rounding errors, and a decision compare them (plei,
    // andrews).
    void set_right_hand_side(const simd::padded_vector<double>& y, const simd::padded_vector<double>& slope, double hb,
                             const simd::padded_vector<double>* known = nullptr)
    {
        const double scale = 1 / matrix_hb_;
        if (!has_mass_) {
            simd::for_components<double>(n_, [&](auto at) { at(delta_) = scale * (hb * at(simd::just_written(slope)) - at(y) + at(rhs_)); });
            return;
        }
        simd::for_components<double>(n_, [&](auto at) {
            value difference = at(rhs_) - at(y);
            if (known != nullptr) difference -= at(*known);
            at(delta_) = difference;
        });
        e_.mass().multiply(delta_.data(), product_.data());
        simd::for_components<double>(n_, [&](auto at) {
            value sum = hb * at(simd::just_written(slope));
            if (known != nullptr) sum += at(*known);
            at(delta_) = scale * (sum + at(simd::just_written(product_)));
        });
    }

    void solve()
    {
        matrix_.solve(delta_.data());
        ++e_.count().solve;
    }

    // y_ = start + all corrections so far. Answers Σ (δ_i/w_i)².
    template <bool First>
    double correct(const simd::padded_vector<double>& start)
    {
        value sum{};
        simd::for_components<double>(n_, [&](auto at) {
            const value d = at(simd::just_written(delta_));
            const value q = d * at(weights_.inverse());
            const value whole = First ? d : at(correction_) + d;
            at(correction_) = whole;
            at(y_) = at(start) + whole;
            sum += q * q;
        });
        return sum_of(sum);
    }
    // y_ = before + δ. Answers the same.
    double add_correction(const simd::padded_vector<double>& before)
    {
        value sum{};
        simd::for_components<double>(n_, [&](auto at) {
            const value d = at(simd::just_written(delta_));
            const value q = d * at(weights_.inverse());
            at(y_) = at(before) + d;
            sum += q * q;
        });
        return sum_of(sum);
    }

    bool has_mass_;
    iteration_matrix matrix_;
    double largest_drift_;
    simd::padded_vector<double> slope_;                     ///< f at the values of an iteration
    simd::padded_vector<double> first_slope_, ahead_slope_; ///< M y' of the BDF at the next point and at the one behind it
    simd::padded_vector<double> predicted_, rhs_, correction_, delta_, product_;
    simd::padded_vector<double> known_; ///< what the slopes of the first two stages contribute to the last one
};

} // namespace

std::unique_ptr<const solver> make_mebdfdae() { return make_solver(description(), mebdfdae_files::chapter, integrate_with<mebdfdae_integrator>); }

} // namespace ivp::solvers
