#include "radau_integrator.hpp"

#include "collocation_polynomial.hpp"
#include "newton_control.hpp"
#include "radau_method.hpp"
#include "radau_stages.hpp"
#include "radau_weights.hpp"
#include "simd/components.hpp"
#include "solvers/common/iteration_matrix.hpp"
#include "solvers/common/predictive_control.hpp"
#include "solvers/common/run_ending.hpp"
#include "solvers/common/solver_of.hpp"

#include <ivp/scalar.hpp>
#include <ivp/work_memory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace ivp::solvers {

namespace {

constexpr double newton_failure_cut = 0.5; // step factor after an iteration that did not converge
constexpr double first_step_cut = 0.1;     // step factor after an error-test failure of the first step
constexpr double smallest_error = 1e-10;   // floor of the error norm, limits the growth
constexpr int singular_limit = 5;          // singular matrices in one run before it ends
constexpr int least_steps_at_an_order = 10;
constexpr int most_error_failures = 10; // in a row, before a lower order is tried for a problem of index 2 or 3

/// In double the original's constant, not the machine's: it enters the Newton tolerance and the difference increments.
template <class R>
R unit_roundoff()
{
    if constexpr (std::is_same_v<R, double>)
        return 1e-16;
    else
        return std::numeric_limits<R>::epsilon();
}

/// e^(1/(S+1)): what a step size must be divided by for an estimate of order S + 1 to become e times smaller.
template <int S, class R>
R estimate_root(const R& e)
{
    using std::pow;
    using std::sqrt;
    if constexpr (S == 1) return sqrt(e);
    if constexpr (S == 3) return sqrt(sqrt(e));
    if constexpr (S == 7) return sqrt(sqrt(sqrt(e)));
    return pow(e, R(1) / R(S + 1));
}

/// Chooses the number of stages from the contraction of the Newton iterations: fast ones allow a higher order, slow ones ask for a lower one.
class order_control {
public:
    order_control(const radau_settings& s, int highest_index) : set_(s), higher_index_(highest_index > 1), stages_(s.start_stages) {}

    [[nodiscard]] int stages() const { return stages_; }
    [[nodiscard]] bool variable() const { return set_.least_stages < set_.most_stages; }
    /// True from a change of the order until the next decision.
    [[nodiscard]] bool changed() const { return changed_; }

    void newton_failed() { failed_ = true; }
    /// With variables of index 3 what Newton's iteration left in a constraint enters the estimate independent of h, and the more the higher the
    /// order: 91, 522 and 1743 times (13, 31 and 58 times with index 2). No smaller step passes then, a lower order does.
    void error_test_failed()
    {
        if (!higher_index_ || ++error_failures_ < most_error_failures) return;
        error_failures_ = 0;
        failed_ = true;
    }
    void step_accepted() { error_failures_ = 0; }
    /// A step that keeps its factorisation is no occasion to decide. True: it has been so long that one is made.
    bool step_kept()
    {
        if (!variable()) return false;
        ++since_change_;
        return since_change_ >= least_steps_at_an_order && stages_ < set_.most_stages;
    }

    /// Before a factorisation; with what the last Newton iteration was like, and the ratio of the step to come to the last one.
    void decide(double contraction, int iterations, double step_ratio)
    {
        if (!variable()) return;
        ++since_change_;
        smoothed_ = std::min(10.0, std::max(contraction, smoothed_ * 0.5));
        int wanted = stages_;
        if (iterations > 1 && smoothed_ <= set_.order_up && step_ratio < set_.ratio_up && step_ratio > set_.ratio_down)
            wanted = std::min(set_.most_stages, stages_ + 2);
        if (smoothed_ >= set_.order_down || failed_) wanted = std::max(set_.least_stages, stages_ - 2);
        if (since_change_ <= least_steps_at_an_order) wanted = std::min(stages_, wanted);
        failed_ = false;
        changed_ = wanted != stages_;
        if (!changed_) return;
        stages_ = wanted;
        since_change_ = 1;
    }

private:
    const radau_settings& set_;
    bool higher_index_;
    int stages_;
    int since_change_ = 0;
    double smoothed_ = 0;
    int error_failures_ = 0; // in a row
    bool failed_ = false;
    bool changed_ = false;
};

enum class newton_end { converged, slow, failed, refused, stopped };

template <class R>
class integrator {
public:
    explicit integrator(const radau_request<R>& q)
        : e_(q.evaluator),
          request_(q),
          set_(request_.settings),
          mass_(e_.mass()),
          n_(e_.n()),
          matrix_(e_, q.options,
                  {.complex_shifts = (set_.most_stages - 1) / 2,
                   .work = {.complex_matrices = 1, .solves = 3},
                   .eliminates_chain = true,
                   .hessenberg = set_.hessenberg}),
          weights_(q.options.tolerance, e_.problem(), set_.start_stages, memory_),
          ending_(e_),
          order_(set_, e_.problem().info().highest_index),
          methods_(set_.least_stages, set_.most_stages),
          polynomial_(n_, set_.most_stages, methods_, memory_),
          stages_(n_, set_.most_stages, methods_, memory_),
          newton_(unit_roundoff<R>()),
          limits_{R(1.0 / set_.growth), R(1.0 / set_.shrink)},
          t_(q.t0),
          y_(n_, memory_),
          f0_(n_, memory_),
          next_f_(n_, memory_),
          error_(n_, memory_),
          trial_(n_, memory_)
    {
        std::copy(q.y.begin(), q.y.end(), y_.data());
        use_order();
    }

    solve_result run()
    {
        integrate();
        std::copy_n(y_.data(), n_, request_.y.begin());
        result_.t = value_of(t_);
        result_.algebra = std::string(label(matrix_.path()));
        if (matrix_.path() == algebra::sparse) result_.extra["lu_reorderings"] = matrix_.events().reorderings;
        if (order_.variable()) result_.order = 2 * order_.stages() - 1;
        result_.extra["newton_iterations"] = static_cast<double>(newton_total_);
        result_.extra["error_rejections"] = static_cast<double>(result_.error_rejections);
        if (order_.variable())
            for (int s = set_.least_stages; s <= set_.most_stages; s += 2)
                result_.extra["steps_of_order_" + std::to_string(2 * s - 1)] = static_cast<double>(steps_with_[s]);
        ending_.write_to(result_);
        return std::move(result_);
    }

private:
    void integrate()
    {
        hmax_ = std::min(R(request_.options.hmax), request_.tend - t_);
        h_ = R(request_.options.h0.value_or(0));
        if (h_ <= R(10) * unit_roundoff<R>()) h_ = R(1e-6);
        h_ = std::min(h_, hmax_);
        h_old_ = h_;
        last_ = t_ + R(1.0001) * h_ >= request_.tend;
        if (last_) h_ = request_.tend - t_;

        if (const evaluation e = e_.f(t_, y_.data(), f0_.data()); e != evaluation::ok) return ending_.at_start(e);
        weights_.update(y_.data());

        bool need_jacobian = true;
        bool need_lu = true;
        while (true) {
            if (need_jacobian && !evaluate_jacobian()) return;
            if ((need_jacobian || need_lu || order_.step_kept()) && !factor()) {
                if (++singular_ >= singular_limit) return ending_.end(outcome::singular_matrix);
                fail("the iteration matrix is singular");
                need_jacobian = !jacobian_is_current_;
                need_lu = true;
                continue;
            }
            if (!may_step()) return;
            ++result_.steps;
            weights_.weigh_higher_index_by_step(h_);
            const newton_end end_of_newton = with_stages(order_.stages(), [&]<int S>() { return newton<S>(); });
            if (end_of_newton == newton_end::stopped) return ending_.stopped();
            const bool accepted = end_of_newton == newton_end::converged && with_stages(order_.stages(), [&]<int S>() { return error_test<S>(); });
            if (ending_.ended()) return;
            if (!accepted) {
                if (end_of_newton == newton_end::failed) fail("Newton's iteration does not converge");
                if (end_of_newton == newton_end::refused) fail("the problem refuses the arguments");
                need_jacobian = !jacobian_is_current_;
                need_lu = true;
                continue;
            }
            if (last_) return;
            need_lu = choose_next_step();
            need_jacobian = newton_.contraction() > R(set_.thet) && need_lu;
        }
    }

    bool evaluate_jacobian()
    {
        const evaluation e = matrix_.linearise(t_, y_.data(), f0_.data(), root_increment<R>{unit_roundoff<R>()});
        jacobian_is_current_ = true;
        return ending_.has_jacobian(e, value_of(t_));
    }

    bool factor()
    {
        order_.decide(value_of(newton_.contraction()), newton_.iterations(), value_of(h_ / h_old_));
        if (order_.changed()) {
            weights_.set_stages(order_.stages());
            weights_.update(y_.data());
            use_order();
        }
        return with_stages(order_.stages(), [&]<int S>() {
            shifts_ = radau_shifts<R>::template of_step<S>(methods_.template with<S>(), h_);
            return matrix_.factor(std::span(&shifts_.real, 1), std::span(shifts_.complex).first(radau_method<R, S>::pairs));
        });
    }

    /// What depends on the number of stages alone.
    void use_order()
    {
        const int s = order_.stages();
        newton_limit_ = s == 1 ? std::max(1, set_.newton_limit - 3) : set_.newton_limit + (s - 3) / 2 * 5;
        newton_tolerance_ = set_.newton_tolerance > 0 ? R(set_.newton_tolerance) : newton_tolerance_for(s);
        matrix_.set_accuracy(weights_.inverse(), R(linear_fraction) * newton_tolerance_);
    }
    [[nodiscard]] R newton_tolerance_for(int s) const
    {
        using std::pow;
        const R rtol = weights_.relative(set_.newton_tolerance_of_last ? n_ - 1 : 0);
        const R exponent = R(1) / (R(s + 1) / R(2 * s)) - R(1);
        const R fraction = s == 1 ? R(0.03) : std::min(R(0.03), R(pow(rtol, exponent)));
        return std::max(R(10) * unit_roundoff<R>() / rtol, fraction);
    }

    /// Whether the arithmetic cannot tell t + h from t.
    [[nodiscard]] bool is_no_step(const R& h) const
    {
        using std::abs;
        return R(0.1) * h <= abs(t_) * unit_roundoff<R>() || h == R(0);
    }

    bool may_step() { return ending_.may_step(result_.steps >= request_.max_steps, is_no_step(h_), value_of(t_)); }

    // NOTE: flat: with few equations the loops and evaluations are so short that calls of them are a tenth of an iteration.
    template <int S>
    [[gnu::flatten]] newton_end newton()
    {
        using std::abs;
        if (result_.accepted == 0 || set_.zero_start || order_.changed())
            stages_.start_from_zero(S, y_.data());
        else
            stages_.template start_from<S>(polynomial_, h_, y_.data());
        newton_.begin(newton_limit_, newton_tolerance_, R(abs(set_.thet)));
        while (newton_.may_iterate()) {
            refusal_ = stage_values<S>();
            if (refusal_ != evaluation::ok) return refusal_ == evaluation::stopped ? newton_end::stopped : newton_end::refused;
            stages_.template make_right_hand_sides<S>(shifts_, mass_);
            matrix_.solve_all(stages_.template updates<S>());
            ++e_.count().solve;
            ++newton_total_;
            // The stages move on in the same pass that gives the norm; where the iteration is given up, nobody asks for them any more.
            const newton_verdict verdict = newton_.after_iteration(stages_.template advance<S>(y_.data(), weights_.inverse()));
            if (verdict == newton_verdict::diverges) return newton_end::failed;
            if (verdict == newton_verdict::slow) {
                if (newton_.step_factor() <= R(newton_failure_cut)) order_.newton_failed();
                cut(newton_.step_factor(), "Newton's iteration converges too slowly");
                return newton_end::slow;
            }
            if (verdict == newton_verdict::converged) return newton_end::converged;
        }
        return newton_end::failed;
    }

    template <int S>
    evaluation stage_values()
    {
        const auto& c = methods_.template with<S>().c;
        for (int s = 0; s < S; ++s)
            if (const evaluation e = e_.f(t_ + c[s] * h_, stages_.argument(s), stages_.update(s)); e != evaluation::ok) return e;
        return evaluation::ok;
    }

    [[nodiscard]] R norm_of(const simd::just_written<R>& error) const
    {
        using std::sqrt;
        R sum(0);
        simd::for_components<R>(n_, [&](auto at) {
            const simd::pack<R> d = at(error) * at(weights_.inverse());
            add_in_order(sum, d * d);
        });
        return std::max(R(sqrt(sum / R(n_))), R(smallest_error));
    }

    // (gamma/h M − J)^-1 (f(t, y) + M (e1 Z1 + e2 Z2 + …)/h), filtered a second time where a first step or a repeated one fails.
    template <int S>
    [[gnu::flatten]] R estimate_error()
    {
        stages_.template make_error_residual<S>(h_, mass_, f0_.data(), error_.data());
        const R norm = norm_of(matrix_.solve(error_.data()));
        if (norm < R(1) || !(result_.accepted == 0 || rejected_)) return norm;

        simd::for_components<R>(n_, [&](auto at) { at(trial_) = at(y_) + at(error_); });
        if (e_.f(t_, trial_.data(), next_f_.data()) != evaluation::ok) return norm; // outside the domain: the first estimate stands
        stages_.template make_error_residual<S>(h_, mass_, next_f_.data(), error_.data());
        return norm_of(matrix_.solve(error_.data()));
    }

    // True: the step was accepted and the state moved on. False: the step size was cut (or the run has ended).
    template <int S>
    bool error_test()
    {
        const R error = estimate_error<S>();
        const R safety(set_.safety);
        const R damped = std::min(safety, safety * R(1 + 2 * newton_limit_) / R(newton_.iterations() + 2 * newton_limit_));
        const auto root = [](const R& e) { return estimate_root<S>(e); };
        const R classical = limits_(root(error) / damped);
        if (!(error < R(1))) {
            if (result_.accepted > 0) ++result_.error_rejections;
            order_.error_test_failed();
            cut(result_.accepted == 0 ? R(first_step_cut) : R(1) / classical, "the error test fails");
            return false;
        }

        // A step that follows a change of the order is no measure for the controller.
        const bool measured = !order_.changed();
        h_proposed_ = h_ / (measured ? control_.quotient(h_, error * error, classical, safety, limits_, set_.predictive, root) : classical);

        const R* const y_new = stages_.argument(S - 1); // the last stage is the end of the step
        const R t_new = last_ ? request_.tend : t_ + h_;
        // The next step starts from f at the new point; where that is refused, this step went too far.
        if (!last_) {
            refusal_ = e_.f(t_new, y_new, next_f_.data());
            if (!ending_.goes_on(refusal_)) return false;
            if (refusal_ != evaluation::ok) {
                fail("the problem refuses the arguments");
                return false;
            }
        }

        ++result_.accepted;
        ++steps_with_[S];
        order_.step_accepted();
        if (measured) control_.remember_accepted(h_, error);
        stages_.template keep_in<S>(polynomial_, t_new, h_);
        const R t_old = t_;
        t_ = t_new;
        h_old_ = h_;
        simd::for_components<R>(n_, [&](auto at) { at(y_) = at(y_new); });
        std::swap(f0_, next_f_);
        jacobian_is_current_ = false;
        if (request_.observer != nullptr) report(t_old, error);
        weights_.update(y_.data());
        return true;
    }

    void report(const R& t_old, const R& error)
    {
        if constexpr (std::is_same_v<R, double>) {
            // NOTE: trial_ is free here; the weights are handed over as divisors.
            for (int i = 0; i < n_; ++i) trial_[i] = weights_.of(i);
            const collocation_output between(polynomial_, y_.data());
            const auto components = [this](const simd::padded_vector<R>& v) { return std::span<const double>(v.data(), n_); };
            const accepted_step step{t_old, t_, h_, components(y_), 1.0, error, components(error_), components(trial_), &between};
            if (request_.observer->on_step(step) == observer_answer::stop && !last_) ending_.end(outcome::stopped_by_observer);
        }
    }

    // True if the step size changes, so that the matrices must be factored again.
    bool choose_next_step()
    {
        R h_new = std::min(h_proposed_, hmax_);
        if (rejected_) h_new = std::min(h_new, h_);
        rejected_ = false;
        // A rest that would be no step belongs to this one: ten steps of 0.1 do not quite reach 1.
        if (t_ + h_new / R(set_.quot1) >= request_.tend || is_no_step(request_.tend - (t_ + h_new))) {
            h_ = request_.tend - t_;
            last_ = true;
            return true;
        }
        const R ratio = h_new / h_;
        if (newton_.contraction() <= R(set_.thet) && ratio >= R(set_.quot1) && ratio <= R(set_.quot2)) return false;
        h_ = h_new;
        return true;
    }

    void fail(const char* why)
    {
        order_.newton_failed();
        cut(R(newton_failure_cut), why);
    }
    void cut(const R& factor, const char* why)
    {
        h_ *= factor;
        rejected_ = true;
        last_ = false;
        ending_.note_cut(why, refusal_);
    }

    basic_evaluator<R>& e_;
    const radau_request<R>& request_;
    const radau_settings& set_;
    const mass_matrix<R>& mass_;
    int n_;
    basic_iteration_matrix<R> matrix_;
    work_memory memory_; // of all vectors here and below
    radau_weights<R> weights_;
    run_ending<R> ending_;
    order_control order_;
    radau_methods<R> methods_;
    collocation_polynomial<R> polynomial_;
    radau_stages<R> stages_;
    newton_control<R> newton_;
    predictive_control<R> control_;
    quotient_limits<R> limits_;
    radau_shifts<R> shifts_{};

    R t_;
    R h_{};
    R hmax_{};
    R h_old_{}; // of the last accepted step
    R h_proposed_{};
    R newton_tolerance_{}; // the iteration stops at this fraction of the tolerance
    simd::padded_vector<R> y_, f0_, next_f_, error_, trial_;
    std::uint64_t newton_total_ = 0;
    std::array<std::uint64_t, most_radau_stages + 1> steps_with_{}; // accepted, by number of stages
    int newton_limit_ = 0;
    int singular_ = 0;
    evaluation refusal_ = evaluation::ok; // of the last attempted step
    bool last_ = false;
    bool rejected_ = false;
    bool jacobian_is_current_ = false;
    solve_result result_;
};

} // namespace

solver_info radau_description(const char* name, const char* title, int highest_order)
{
    solver_info i = implicit_description(name, title, 5, highest_order);
    i.independent_matrices = (highest_order + 3) / 4; // of S stages, order 2 S - 1: a real one and (S - 1) / 2 complex ones
    i.needs_h0 = true;
    i.locally_extrapolated = true;
    return i;
}

const option_table<radau_settings>& common_radau_options()
{
    using s = radau_settings;
    static const option_table<s> table{{
        bind::real("safety", &s::safety, 0.001, 0.999, "safety factor of the step-size prediction"),
        bind::real("thet", &s::thet, -1, 0.999, "a Newton contraction above this asks for a new Jacobian; negative: after every step"),
        bind::real("quot1", &s::quot1, 0.01, 1.0, "a step ratio between quot1 and quot2 keeps the step size and the factorisation"),
        bind::real("quot2", &s::quot2, 1.0, 100, "see quot1"),
        bind::real("growth", &s::growth, 1.001, 1000, "largest step ratio"),
        bind::real("shrink", &s::shrink, 0.001, 0.999, "smallest step ratio"),
        bind::whole("nit", &s::newton_limit, 3, 50, "largest number of Newton iterations in a step"),
        bind::flag("zero_start", &s::zero_start, "Newton starts from zero; no: from the extrapolated polynomial"),
        bind::flag("predictive", &s::predictive, "predictive step control (Gustafsson); no: classical"),
        bind::flag("hessenberg", &s::hessenberg, "bring Jacobians to Hessenberg form (full, no mass matrix)"),
    }};
    return table;
}

template <class R>
solve_result integrate_radau(const radau_request<R>& request)
{
    return integrator<R>(request).run();
}

template solve_result integrate_radau(const radau_request<double>&);
template solve_result integrate_radau(const radau_request<quad>&);

} // namespace ivp::solvers
