// RADAU5: three-stage Radau IIA, order 5, after the code of Hairer and Wanner. Method and counters: chapter.md.
#include <ivp/solvers/radau5.hpp>

#include "coefficients.hpp"

#include "../common/difference_jacobian.hpp"
#include "../common/predictive_control.hpp"
#include "../common/run_ending.hpp"

#include <ivp/linalg/shifted_lu.hpp>
#include <ivp/scalar/decimal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace ivp::solvers {

namespace radau5_files {
extern const char* const markdown;
extern const char* const plain;
extern const char* const html;
} // namespace radau5_files

namespace {

using namespace radau5_method;

// The original's constant, not the machine's: it enters the Newton tolerance and the difference increments.
constexpr double unit_roundoff = 1e-16;
constexpr double divergence_rate = 0.99;   // a Newton iteration that contracts no better is given up
constexpr double newton_failure_cut = 0.5; // step factor after an iteration that did not converge
constexpr double first_step_cut = 0.1;     // step factor after an error-test failure of the first step
constexpr double smallest_error = 1e-10;   // floor of the error norm, limits the growth
constexpr int singular_limit = 5;          // singular matrices in one run before it ends

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i;
        i.name = "radau5";
        i.title = "RADAU5";
        i.version = "1.0";
        i.forms = {form::ode, form::dae};
        i.highest_index = 3;
        i.lowest_order = 5;
        i.highest_order = 5;
        i.needs_h0 = true;
        i.takes_band = true;
        i.gives_error_estimate = true;
        i.locally_extrapolated = true;
        i.error_norm = "root mean square of the estimate divided by atol + rtol |y| (transformed tolerances; index 2, 3: times h, h^2)";
        i.lu_unit = "one real and one complex matrix together";
        i.reference = "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, section IV.8; code of 1996";
        i.options = {
            {"safety", 0.9, 0.001, 0.999, "safety factor of the step-size prediction"},
            {"thet", 0.001, -1, 0.999, "a Newton contraction above this asks for a new Jacobian; negative: after every step"},
            {"quot1", 1.0, 0.01, 1.0, "a step ratio between quot1 and quot2 keeps the step size and the factorisation"},
            {"quot2", 1.2, 1.0, 100, "see quot1"},
            {"growth", 8, 1.001, 1000, "largest step ratio"},
            {"shrink", 0.2, 0.001, 0.999, "smallest step ratio"},
            {"nit", 7, 3, 50, "largest number of Newton iterations in a step", true},
            {"fnewt", 0, 0, 1, "Newton stops below this fraction of the tolerance; 0: chosen from rtol"},
            {"zero_start", 0, 0, 1, "1: Newton starts from zero instead of the extrapolated polynomial", true},
            {"predictive", 1, 0, 1, "1: predictive step control (Gustafsson), 0: classical", true},
            {"hessenberg", 0, 0, 1, "1: Jacobians are brought to Hessenberg form (full, no mass matrix)", true},
        };
        return i;
    }();
    return info;
}

struct settings {
    double safety, thet, quot1, quot2, largest_quotient, smallest_quotient, newton_tolerance;
    int newton_limit;
    bool zero_start, predictive, hessenberg;

    settings(const solve_options& o, double first_rtol)
        : safety(value(o, "safety")),
          thet(value(o, "thet")),
          quot1(value(o, "quot1")),
          quot2(value(o, "quot2")),
          largest_quotient(1.0 / value(o, "shrink")),
          smallest_quotient(1.0 / value(o, "growth")),
          newton_tolerance(value(o, "fnewt")),
          newton_limit(static_cast<int>(value(o, "nit"))),
          zero_start(value(o, "zero_start") != 0),
          predictive(value(o, "predictive") != 0),
          hessenberg(value(o, "hessenberg") != 0)
    {
        if (newton_tolerance == 0) newton_tolerance = std::max(10 * unit_roundoff / first_rtol, std::min(0.03, std::sqrt(first_rtol)));
    }
    static double value(const solve_options& o, const char* name) { return o.option(description(), name); }
};

/// rtol and atol of each component after the transformation that relates the estimate (order 3) to the error (order 5).
class weights {
public:
    weights(const tolerances& given, const problem& p) : rtol_(p.n()), atol_(p.n()), index_(p.n()), scale_(p.n()), inverse_(p.n())
    {
        for (int i = 0; i < p.n(); ++i) {
            const double quotient = given.absolute(i) / given.relative(i);
            rtol_[i] = 0.1 * std::pow(given.relative(i), 2.0 / 3.0);
            atol_[i] = rtol_[i] * quotient;
            index_[i] = p.info().index_of(i);
        }
        has_index_ = std::any_of(index_.begin(), index_.end(), [](int k) { return k > 1; });
    }

    [[nodiscard]] double first_rtol() const { return rtol_[0]; }

    /// From the solution at the beginning of a step.
    void update(const double* y)
    {
        for (std::size_t i = 0; i < scale_.size(); ++i) scale_[i] = atol_[i] + rtol_[i] * std::abs(y[i]);
        if (!has_index_) invert();
    }
    /// Variables of index 2 and 3 count h and h² times as much, so their scale depends on the step size.
    void set_step(double h)
    {
        if (!has_index_) return;
        invert();
        for (std::size_t i = 0; i < scale_.size(); ++i)
            for (int k = 1; k < index_[i]; ++k) inverse_[i] *= h;
    }
    [[nodiscard]] const double* inverse() const { return inverse_.data(); }

private:
    void invert()
    {
        for (std::size_t i = 0; i < scale_.size(); ++i) inverse_[i] = 1.0 / scale_[i];
    }
    std::vector<double> rtol_, atol_;
    std::vector<int> index_;
    bool has_index_ = false;
    std::vector<double> scale_, inverse_;
};

/// The collocation polynomial of the last accepted step: dense output, and predictor of the next step.
class collocation final : public interpolant {
public:
    explicit collocation(int n) : y_(n), k1_(n), k2_(n), k3_(n) {}

    void set(double t, double h, const double* y, const double* z1, const double* z2, const double* z3)
    {
        t_ = t;
        h_ = h;
        for (std::size_t i = 0; i < y_.size(); ++i) {
            const double slope = (z1[i] - z2[i]) / (c1 - c2);
            y_[i] = y[i];
            k1_[i] = (z2[i] - z3[i]) / (c2 - 1.0);
            k2_[i] = (slope - k1_[i]) / (c1 - 1.0);
            k3_[i] = k2_[i] - (slope - z1[i] / c1) / c2;
        }
    }
    /// Difference to the value at the end of the step, at s step sizes behind it.
    [[nodiscard]] double increment(std::size_t i, double s) const { return s * (k1_[i] + (s - (c2 - 1.0)) * (k2_[i] + (s - (c1 - 1.0)) * k3_[i])); }
    [[nodiscard]] double step() const { return h_; }
    void evaluate(double t, double* y) const override
    {
        for (std::size_t i = 0; i < y_.size(); ++i) y[i] = y_[i] + increment(i, (t - t_) / h_);
    }

private:
    double t_ = 0;
    double h_ = 0;
    std::vector<double> y_, k1_, k2_, k3_;
};

enum class newton_end { converged, slow, failed, refused, stopped };

class integrator {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : e_(e),
          segment_(s),
          options_(o),
          observer_(observer),
          n_(e.n()),
          mass_(e.mass()),
          scale_(o.tolerance, e.problem()),
          set_(o, scale_.first_rtol()),
          path_(choose_algebra(o.algebra, e.problem().iteration_structure(), n_)),
          jacobian_(path_, e.problem().iteration_structure(), n_),
          lu_(jacobian_, mass_, 1, 1, e.count(), choose_reduction(e.problem().info().chain, set_.hessenberg, jacobian_, mass_)),
          ending_(e),
          polynomial_(n_),
          t_(s.t0),
          tend_(s.tend),
          y_(s.y.begin(), s.y.end()),
          f0_(n_),
          error_(n_),
          trial_(n_)
    {
        for (block* b : {&z_, &w_, &f_, &m_})
            for (auto& v : *b) v.resize(n_);
        if (o.jacobian == jacobian_source::differences || !e.has_exact_jacobian()) differences_.emplace(e.problem());
    }

    solve_result run()
    {
        integrate();
        std::copy(y_.begin(), y_.end(), segment_.y.begin());
        result_.t = t_;
        result_.algebra = std::string(label(path_));
        result_.extra["newton_iterations"] = static_cast<double>(newton_total_);
        result_.extra["error_rejections"] = static_cast<double>(result_.error_rejections);
        ending_.write_to(result_);
        return std::move(result_);
    }

private:
    void integrate()
    {
        hmax_ = std::min(options_.hmax, tend_ - t_);
        h_ = options_.h0.value_or(0);
        if (h_ <= 10 * unit_roundoff) h_ = 1e-6;
        h_ = std::min(h_, hmax_);
        last_ = t_ + 1.0001 * h_ >= tend_;
        if (last_) h_ = tend_ - t_;

        if (const evaluation e = e_.f(t_, y_.data(), f0_.data()); e != evaluation::ok) return ending_.at_start(e);
        scale_.update(y_.data());

        bool need_jacobian = true;
        bool need_lu = true;
        while (true) {
            if (need_jacobian && !evaluate_jacobian()) return;
            if ((need_jacobian || need_lu) && !factor()) {
                if (ending_.ended()) return;
                if (++singular_ >= singular_limit) return ending_.end(outcome::singular_matrix);
                cut(newton_failure_cut, "the iteration matrix is singular");
                need_jacobian = !jacobian_is_current_;
                need_lu = true;
                continue;
            }
            if (!may_step()) return;
            ++result_.steps;
            scale_.set_step(h_);
            const newton_end end_of_newton = newton();
            if (end_of_newton == newton_end::stopped) return ending_.stopped();
            const bool accepted = end_of_newton == newton_end::converged && error_test();
            if (ending_.ended()) return;
            if (!accepted) {
                if (end_of_newton == newton_end::failed) cut(newton_failure_cut, "Newton's iteration does not converge");
                if (end_of_newton == newton_end::refused) cut(newton_failure_cut, "the problem refuses the arguments");
                need_jacobian = !jacobian_is_current_;
                need_lu = true;
                continue;
            }
            if (last_ || ending_.ended()) return;
            need_lu = choose_next_step();
            need_jacobian = contraction_ > set_.thet && need_lu;
        }
    }

    bool evaluate_jacobian()
    {
        const auto increment = [](double y) { return std::sqrt(unit_roundoff * std::max(1e-5, std::abs(y))); };
        const evaluation e =
            differences_ ? (*differences_)(e_, t_, y_.data(), f0_.data(), increment, jacobian_.view()) : e_.jacobian(t_, y_.data(), jacobian_.view());
        jacobian_is_current_ = true;
        if (e == evaluation::ok) return true;
        ending_.without_jacobian(e, t_);
        return false;
    }

    bool factor()
    {
        const std::array real{gamma / h_};
        const std::array complex{complex_shift<double>{alpha / h_, beta / h_}};
        return lu_.factor(real, complex);
    }

    bool may_step()
    {
        if (result_.steps >= segment_.max_steps) {
            ending_.end(outcome::too_many_steps);
            return false;
        }
        if (0.1 * h_ <= std::abs(t_) * unit_roundoff || h_ == 0) {
            ending_.step_too_small(t_);
            return false;
        }
        return true;
    }

    // Z holds the stage increments Y_i − y, W = (T^-1 ⊗ I) Z the variables in which the Newton systems are decoupled.
    void predict()
    {
        const bool from_zero = result_.accepted == 0 || set_.zero_start;
        const double ratio = from_zero ? 0 : h_ / polynomial_.step();
        for (int i = 0; i < n_; ++i) {
            const double z1 = from_zero ? 0 : polynomial_.increment(i, c1 * ratio);
            const double z2 = from_zero ? 0 : polynomial_.increment(i, c2 * ratio);
            const double z3 = from_zero ? 0 : polynomial_.increment(i, ratio);
            z_[0][i] = z1;
            z_[1][i] = z2;
            z_[2][i] = z3;
            w_[0][i] = ti11 * z1 + ti12 * z2 + ti13 * z3;
            w_[1][i] = ti21 * z1 + ti22 * z2 + ti23 * z3;
            w_[2][i] = ti31 * z1 + ti32 * z2 + ti33 * z3;
        }
    }

    newton_end newton()
    {
        predict();
        eta_ = std::pow(std::max(eta_, unit_roundoff), 0.8);
        contraction_ = std::abs(set_.thet);
        iterations_ = 0;
        double previous_norm = 0;
        double previous_ratio = 0;
        while (true) {
            if (iterations_ >= set_.newton_limit) return newton_end::failed;
            refusal_ = stage_values();
            if (refusal_ != evaluation::ok) return refusal_ == evaluation::stopped ? newton_end::stopped : newton_end::refused;
            solve_systems();
            ++iterations_;
            const double norm = update_norm();
            if (iterations_ > 1 && iterations_ < set_.newton_limit) {
                const double ratio = norm / previous_norm;
                contraction_ = iterations_ == 2 ? ratio : std::sqrt(ratio * previous_ratio);
                previous_ratio = ratio;
                if (!(contraction_ < divergence_rate)) return newton_end::failed;
                eta_ = contraction_ / (1.0 - contraction_);
                const int left = set_.newton_limit - 1 - iterations_;
                const double predicted = eta_ * norm * std::pow(contraction_, left) / set_.newton_tolerance;
                if (predicted >= 1.0) {
                    const double q = std::clamp(predicted, 1e-4, 20.0);
                    cut(0.8 * std::pow(q, -1.0 / (4.0 + left)), "Newton's iteration converges too slowly");
                    return newton_end::slow;
                }
            }
            previous_norm = std::max(norm, unit_roundoff);
            advance_iterate();
            if (eta_ * norm <= set_.newton_tolerance) return newton_end::converged;
            if (std::isnan(norm)) return newton_end::failed;
        }
    }

    evaluation stage_values()
    {
        const std::array<double, 3> node{c1 * h_, c2 * h_, h_};
        for (int s = 0; s < 3; ++s) {
            for (int i = 0; i < n_; ++i) trial_[i] = y_[i] + z_[s][i];
            if (const evaluation e = e_.f(t_ + node[s], trial_.data(), f_[s].data()); e != evaluation::ok) return e;
        }
        return evaluation::ok;
    }

    // Right-hand sides R − Lambda/h M W in f_, solved in place: f_ becomes the update of W.
    void solve_systems()
    {
        const double g = gamma / h_;
        const double a = alpha / h_;
        const double b = beta / h_;
        const bool identity = mass_.kind() == mass_kind::identity;
        if (!identity)
            for (int s = 0; s < 3; ++s) mass_.multiply(w_[s].data(), m_[s].data());
        const auto& mw = identity ? w_ : m_;
        for (int i = 0; i < n_; ++i) {
            const double f1 = f_[0][i];
            const double f2 = f_[1][i];
            const double f3 = f_[2][i];
            f_[0][i] = ti11 * f1 + ti12 * f2 + ti13 * f3 - g * mw[0][i];
            f_[1][i] = ti21 * f1 + ti22 * f2 + ti23 * f3 - (a * mw[1][i] - b * mw[2][i]);
            f_[2][i] = ti31 * f1 + ti32 * f2 + ti33 * f3 - (a * mw[2][i] + b * mw[1][i]);
        }
        lu_.solve_all(std::array{f_[0].data(), f_[1].data(), f_[2].data()});
        ++e_.count().solve;
        ++newton_total_;
    }

    [[nodiscard]] double update_norm() const
    {
        const double* inverse = scale_.inverse();
        double sum = 0;
        for (int i = 0; i < n_; ++i) {
            const double d1 = f_[0][i] * inverse[i];
            const double d2 = f_[1][i] * inverse[i];
            const double d3 = f_[2][i] * inverse[i];
            sum += d1 * d1 + d2 * d2 + d3 * d3;
        }
        return std::sqrt(sum / (3 * n_));
    }

    void advance_iterate()
    {
        for (int i = 0; i < n_; ++i) {
            const double w1 = w_[0][i] += f_[0][i];
            const double w2 = w_[1][i] += f_[1][i];
            const double w3 = w_[2][i] += f_[2][i];
            z_[0][i] = t11 * w1 + t12 * w2 + t13 * w3;
            z_[1][i] = t21 * w1 + t22 * w2 + t23 * w3;
            z_[2][i] = t31 * w1 + w2;
        }
    }

    [[nodiscard]] double error_norm() const
    {
        const double* inverse = scale_.inverse();
        double sum = 0;
        for (int i = 0; i < n_; ++i) {
            const double d = error_[i] * inverse[i];
            sum += d * d;
        }
        return std::max(std::sqrt(sum / n_), smallest_error);
    }

    // (gamma/h M − J)^-1 (f(t, y) + M (e1 Z1 + e2 Z2 + e3 Z3)/h), filtered a second time where a first step or a repeated one fails.
    double estimate_error()
    {
        auto& combination = m_[0];
        auto& product = m_[1];
        for (int i = 0; i < n_; ++i) combination[i] = (e1 * z_[0][i] + e2 * z_[1][i] + e3 * z_[2][i]) / h_;
        mass_.multiply(combination.data(), product.data());
        for (int i = 0; i < n_; ++i) error_[i] = product[i] + f0_[i];
        lu_.solve_real(0, error_.data());
        const double norm = error_norm();
        if (norm < 1 || !(result_.accepted == 0 || rejected_)) return norm;

        for (int i = 0; i < n_; ++i) trial_[i] = y_[i] + error_[i];
        if (e_.f(t_, trial_.data(), f_[0].data()) != evaluation::ok) return norm; // outside the domain: the first estimate stands
        for (int i = 0; i < n_; ++i) error_[i] = f_[0][i] + product[i];
        lu_.solve_real(0, error_.data());
        return error_norm();
    }

    // True: the step was accepted and the state moved on. False: the step size was cut (or the run has ended).
    bool error_test()
    {
        const double error = estimate_error();
        const double damped = std::min(set_.safety, set_.safety * (1 + 2 * set_.newton_limit) / (iterations_ + 2 * set_.newton_limit));
        const auto root = [](double e) { return std::pow(e, 0.25); };
        const quotient_limits<double> limits{set_.smallest_quotient, set_.largest_quotient};
        const double classical = limits(root(error) / damped);
        if (!(error < 1)) {
            if (result_.accepted > 0) ++result_.error_rejections;
            cut(result_.accepted == 0 ? first_step_cut : 1.0 / classical, "the error test fails");
            return false;
        }

        for (int i = 0; i < n_; ++i) trial_[i] = y_[i] + z_[2][i];
        const double t_new = last_ ? tend_ : t_ + h_;
        // The next step starts from f at the new point; where that is refused, this step went too far.
        if (!last_) {
            refusal_ = e_.f(t_new, trial_.data(), f_[0].data());
            if (refusal_ == evaluation::stopped) {
                ending_.stopped();
                return false;
            }
            if (refusal_ != evaluation::ok) {
                cut(newton_failure_cut, "the problem refuses the arguments");
                return false;
            }
        }

        ++result_.accepted;
        h_proposed_ = h_ / control_.after_accepted(h_, error, classical, set_.safety, limits, set_.predictive, root);
        polynomial_.set(t_new, h_, trial_.data(), z_[0].data(), z_[1].data(), z_[2].data());
        const double t_old = t_;
        t_ = t_new;
        y_.swap(trial_);
        f0_.swap(f_[0]);
        jacobian_is_current_ = false;
        report(t_old, error);
        scale_.update(y_.data());
        return true;
    }

    void report(double t_old, double error)
    {
        if (observer_ == nullptr) return;
        // NOTE: trial_ is free here; the weights are handed over as divisors.
        for (int i = 0; i < n_; ++i) trial_[i] = 1.0 / scale_.inverse()[i];
        const accepted_step step{t_old, t_, h_, y_, 1.0, error, error_, trial_, &polynomial_};
        if (observer_->on_step(step) == observer_answer::stop && !last_) ending_.end(outcome::stopped_by_observer);
    }

    // True if the step size changes, so that the matrices must be factored again.
    bool choose_next_step()
    {
        double h_new = std::min(h_proposed_, hmax_);
        if (rejected_) h_new = std::min(h_new, h_);
        rejected_ = false;
        if (t_ + h_new / set_.quot1 >= tend_) {
            h_ = tend_ - t_;
            last_ = true;
            return true;
        }
        const double ratio = h_new / h_;
        if (contraction_ <= set_.thet && ratio >= set_.quot1 && ratio <= set_.quot2) return false;
        h_ = h_new;
        return true;
    }

    void cut(double factor, const char* why)
    {
        h_ *= factor;
        rejected_ = true;
        last_ = false;
        ending_.note_cut(why, refusal_);
    }

    using block = std::array<std::vector<double>, 3>;

    evaluator& e_;
    const segment& segment_;
    const solve_options& options_;
    step_observer* observer_;
    int n_;
    const mass_matrix<double>& mass_;
    weights scale_;
    settings set_;
    algebra path_;
    jacobian_matrix<double> jacobian_;
    shifted_lu<double> lu_;
    std::optional<difference_jacobian> differences_;
    run_ending<double> ending_;
    collocation polynomial_;

    double t_;
    double tend_;
    std::vector<double> y_, f0_, error_, trial_;
    block z_, w_, f_, m_;

    double h_ = 0;
    double hmax_ = 0;
    double h_proposed_ = 0;
    predictive_control<double> control_;
    double eta_ = 1;         // estimate of the contraction sum, kept from step to step
    double contraction_ = 0; // of the last Newton iteration
    int iterations_ = 0;
    int singular_ = 0;
    std::uint64_t newton_total_ = 0;
    bool last_ = false;
    bool rejected_ = false;
    bool jacobian_is_current_ = false;
    evaluation refusal_ = evaluation::ok; // of the last attempted step
    solve_result result_;
};

class radau5 final : public solver {
public:
    [[nodiscard]] const solver_info& info() const override { return description(); }
    [[nodiscard]] ivp::chapter chapter() const override { return {radau5_files::markdown, radau5_files::plain, radau5_files::html}; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        return integrator(e, s, options, observer).run();
    }
};

} // namespace

std::unique_ptr<const solver> make_radau5() { return std::make_unique<radau5>(); }

} // namespace ivp::solvers
