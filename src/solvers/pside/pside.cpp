// PSIDE: four-stage Radau IIA, order 7, after the code of Lioen, de Swart and van der Veen. Method and counters: chapter.md.
#include <ivp/solvers/pside.hpp>

#include "coefficients.hpp"
#include "stage_systems.hpp"
#include "weights.hpp"

#include "../common/run_ending.hpp"
#include "../common/thread_team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace ivp::solvers {

namespace pside_files {
extern const char* const markdown;
extern const char* const plain;
extern const char* const html;
} // namespace pside_files

namespace {

using namespace pside_method;

constexpr double smallest_factor = 0.2;   // of the step size, from one step to the next
constexpr double largest_factor = 2;      //
constexpr double rigid_cut = 0.5;         // step factor where nothing better is known
constexpr double first_contraction = 0.1; // rate assumed before two iterations have shown it
constexpr double slow_factor = 1.2;       // a slow iteration blames its rate only if it is that much above the desired one
constexpr double stagnation = 100;        // updates below this many rounding errors of y are as good as none
constexpr double estimate_order = 5;      // of the error estimate in h
constexpr double smallest_order = 0.1;    // that repeated rejections may suggest
constexpr double end_slack = 0.05;        // a last step may be longer by this fraction
constexpr int chunked_from = 64;          // equations; below, the vector loops are one piece

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i;
        i.name = "pside";
        i.title = "PSIDE";
        i.version = "1.0";
        i.forms = {form::ode, form::dae, form::ide};
        i.highest_index = 3;
        i.lowest_order = 7;
        i.highest_order = 7;
        i.takes_band = true;
        i.takes_sparse = true;
        i.takes_sparse = true;
        i.needs_initial_derivative = true;
        i.max_threads = stages;
        i.gives_error_estimate = true;
        i.locally_extrapolated = true;
        i.error_norm = "root mean square of the estimate divided by atol + rtol |y| (index 2, 3: times h, h^2)";
        i.lu_unit = "one real matrix (a refactorisation is four)";
        i.reference = "J.J.B. de Swart, W.M. Lioen, W.A. van der Veen: Specification of PSIDE, CWI report MAS-R9833; code of 1998";
        i.options = {
            {"safety", 0.8, 0.001, 0.999, "safety factor of the step-size prediction"},
            {"tau", 0.01, 1e-12, 1, "the iteration stops when its error is this fraction of the tolerance"},
            {"nit", 15, 3, 50, "largest number of iterations in a step", true},
            {"alpha_ref", 0.15, 0.001, 0.999, "desired rate of contraction of the iteration"},
            {"alpha_jac", 0.1, 0, 0.999, "a rate above this asks for a new Jacobian"},
            {"alpha_lu", 0.2, 0, 1, "a relative change of the step size above this asks for new factorisations"},
        };
        return i;
    }();
    return info;
}

struct settings {
    double safety, tau, alpha_ref, alpha_jac, alpha_lu;
    int iteration_limit;

    explicit settings(const solve_options& o)
        : safety(value(o, "safety")),
          tau(value(o, "tau")),
          alpha_ref(value(o, "alpha_ref")),
          alpha_jac(value(o, "alpha_jac")),
          alpha_lu(value(o, "alpha_lu")),
          iteration_limit(static_cast<int>(value(o, "nit")))
    {}
    static double value(const solve_options& o, const char* name) { return o.option(description(), name); }
};

/// One vector for each stage.
class stage_block {
public:
    explicit stage_block(int n)
    {
        for (auto& v : value_) v.resize(n);
    }
    double* operator[](int s) { return value_[s].data(); }
    const double* operator[](int s) const { return value_[s].data(); }
    void swap(stage_block& other) noexcept { value_.swap(other.value_); }

private:
    std::array<std::vector<double>, stages> value_;
};

/// The collocation polynomial of the last accepted step: y at its end, minus the integral of the cubic through the stage derivatives.
class collocation final : public interpolant {
public:
    collocation(const std::vector<double>& y, const stage_block& slopes) : y_(y), slopes_(slopes) {}

    void set(double t, double h)
    {
        t_ = t;
        h_ = h;
    }
    void evaluate(double t, double* y) const override
    {
        const double s = (t - t_) / h_;
        stage_vector w{};
        for (int j = 0; j < stages; ++j) w[j] = h_ * s * (cubic[0][j] + s * (cubic[1][j] / 2 + s * (cubic[2][j] / 3 + s * cubic[3][j] / 4)));
        for (std::size_t i = 0; i < y_.size(); ++i)
            y[i] = y_[i] + (w[0] * slopes_[0][i] + w[1] * slopes_[1][i] + w[2] * slopes_[2][i] + w[3] * slopes_[3][i]);
    }

private:
    const std::vector<double>& y_;
    const stage_block& slopes_;
    double t_ = 0;
    double h_ = 1;
};

enum class newton_end { converged, growing, diverging, slow, refused, stopped };

double whole_power(double x, int k)
{
    double result = 1;
    for (; k > 0; k /= 2, x *= x)
        if (k % 2 == 1) result *= x;
    return result;
}

class integrator {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : e_(e),
          segment_(s),
          options_(o),
          observer_(observer),
          n_(e.n()),
          set_(o),
          scale_(o.tolerance, e.problem()),
          systems_(e, o),
          ending_(e),
          y_(s.y.begin(), s.y.end()),
          slope_(s.yp.begin(), s.yp.end()),
          error_(n_),
          work_(n_),
          square_(n_),
          stage_(n_),
          stage_slope_(n_),
          last_slopes_(n_),
          residual_(n_),
          update_(n_),
          right_side_(scale_.has_higher_index() ? n_ : 0),
          stage_work_(scale_.has_higher_index() ? n_ : 0),
          polynomial_(y_, last_slopes_),
          t_(s.t0),
          tend_(s.tend),
          hmax_(std::min(o.hmax, s.tend - s.t0)),
          chunks_(n_ >= chunked_from ? stages : 1),
          team_(o.threads)
    {}

    solve_result run()
    {
        integrate();
        std::copy(y_.begin(), y_.end(), segment_.y.begin());
        std::copy(slope_.begin(), slope_.end(), segment_.yp.begin());
        result_.t = t_;
        result_.algebra = std::string(label(systems_.path()));
        auto& extra = result_.extra;
        extra["newton_iterations"] = iterations_total_;
        extra["error_rejections"] = static_cast<double>(result_.error_rejections);
        extra["newton_rejections"] = newton_rejections_;
        extra["growth_rejections"] = growth_rejections_;
        extra["refused_steps"] = refused_steps_;
        // What happens at the same time counts once: four evaluations of an iteration, four factorisations.
        extra["effective_f"] = iterations_total_ + estimates_;
        extra["effective_lu"] = factorisations_;
        ending_.write_to(result_);
        return std::move(result_);
    }

private:
    void integrate()
    {
        scale_.update(y_.data());
        h_ = std::min(options_.h0.value_or(first_step()), hmax_);
        h_last_ = h_lu_ = h_;
        for (int s = 0; s < stages; ++s) std::copy(slope_.begin(), slope_.end(), last_slopes_[s]);

        while (!at_end()) {
            if (!may_step()) return;
            if (need_jacobian_ && !linearise()) return;
            if (need_lu_ && !factor()) return ending_.end(outcome::singular_matrix);
            ++result_.steps;
            scale_.set_step(h_);
            const newton_end end = newton();
            if (end == newton_end::stopped) return ending_.stopped();
            need_jacobian_ = false;
            const double h_new = control(end);
            if (ending_.ended() || at_end()) return;
            if (!choose_step(h_new)) return ending_.step_too_small(t_);
            need_lu_ = need_jacobian_ || std::abs(h_ - h_lu_) > set_.alpha_lu * h_lu_;
        }
    }

    [[nodiscard]] bool at_end() const { return std::abs(tend_ - t_) <= 10 * unit_roundoff * std::abs(t_); }

    double first_step()
    {
        const double h = std::min(1e-5, 1e-5 * std::abs(tend_ - t_));
        const double size = scale_.norm_of_slope(slope_.data());
        return size > 0.5 / h ? 0.5 / size : h;
    }

    bool may_step()
    {
        if (result_.steps < segment_.max_steps) return true;
        ending_.end(outcome::too_many_steps);
        return false;
    }

    bool linearise()
    {
        const evaluation answer = systems_.linearise(t_, y_.data(), slope_.data());
        jacobian_is_current_ = true;
        if (answer == evaluation::ok) return true;
        ending_.without_jacobian(answer, t_);
        return false;
    }

    bool factor()
    {
        h_lu_ = h_;
        for (int s = 0; s < stages; ++s) {
            shift_[s] = 1.0 / (h_lu_ * d[s]);
            for (int j = 0; j < stages; ++j) to_right_side_[s][j] = shift_[s] * q_inverse[s][j];
        }
        std::array<bool, stages> done{};
        team_.each(stages, [&](int s) { done[s] = systems_.factor(s, shift_[s]); });
        ++factorisations_;
        e_.count().lu += stages;
        e_.count().real_factorisations += stages;
        return done[0] && done[1] && done[2] && done[3];
    }

    // --- the iteration -------------------------------------------------------------------------------------------------------------

    newton_end newton()
    {
        refusal_ = evaluation::ok;
        exact_ = false;
        norm_of_y_ = -1;
        for (int s = 0; s < stages; ++s)
            for (int j = 0; j < stages; ++j) step_matrix_[s][j] = h_ * a[s][j];
        if (predict()) return newton_end::growing;
        double previous = 0;
        for (int k = 1;; ++k) {
            if (!evaluate_stages()) return refusal_ == evaluation::stopped ? newton_end::stopped : newton_end::refused;
            solve_stages();
            ++iterations_total_;
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
                const double goal = (1 - contraction_) * set_.tau;
                if (u.norm * contraction_ < goal || u.norm < stagnation * unit_roundoff * norm_of_y()) return newton_end::converged;
                if (k == set_.iteration_limit || u.norm * whole_power(contraction_, set_.iteration_limit - k) > goal) return newton_end::slow;
            }
            previous = u.norm;
        }
    }

    double norm_of_y()
    {
        if (norm_of_y_ < 0) norm_of_y_ = scale_.norm(y_.data());
        return norm_of_y_;
    }

    template <class Work>
    void each_chunk(Work&& work)
    {
        team_.each(chunks_, [&](int k) { work(k, n_ * k / chunks_, n_ * (k + 1) / chunks_); });
    }

    // The cubic through the last stage derivatives, continued; and the stages that belong to it. True: a component grows too much.
    bool predict()
    {
        const double ratio = h_ / h_last_;
        stage_matrix w{};
        for (int s = 0; s < stages; ++s) {
            const double x = ratio * c[s];
            for (int j = 0; j < stages; ++j) w[s][j] = ((cubic[0][j] + x * cubic[1][j]) + x * x * cubic[2][j]) + x * (x * x) * cubic[3][j];
        }
        each_chunk([&](int k, int first, int end) {
            for (int i = first; i < end; ++i) {
                const double p4 = last_slopes_[3][i];
                const double d1 = last_slopes_[0][i] - p4;
                const double d2 = last_slopes_[1][i] - p4;
                const double d3 = last_slopes_[2][i] - p4;
                for (int s = 0; s < stages; ++s) stage_slope_[s][i] = p4 + w[s][0] * d1 + w[s][1] * d2 + w[s][2] * d3;
            }
            const stage_matrix& m = step_matrix_;
            for (int s = 0; s < stages; ++s)
                for (int i = first; i < end; ++i)
                    stage_[s][i] = y_[i] + m[s][0] * stage_slope_[0][i] + m[s][1] * stage_slope_[1][i] + m[s][2] * stage_slope_[2][i] +
                                   m[s][3] * stage_slope_[3][i];
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

    bool evaluate_stages()
    {
        std::array<evaluation, stages> answer{};
        team_.each(stages, [&](int s) { answer[s] = systems_.residual(t_ + c[s] * h_, stage_[s], stage_slope_[s], update_[s], residual_[s]); });
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
            double* const coupled = stage_work_[s];
            double* const x = residual_[s];
            for (int i = 0; i < n_; ++i) coupled[i] = b[s][pair] * x1[i] + b[s][pair + 1] * x2[i];
            systems_.subtract_mass_times(shift_[s], coupled, x, right_side_[s]);
            std::copy(right_side_[s], right_side_[s] + n_, x);
            systems_.solve(s, x);
            for (int i = 0; i < n_; ++i) x[i] += coupled[i];
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
                    stage_slope_[s][i] += u[s];
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

    // --- control -------------------------------------------------------------------------------------------------------------------

    [[nodiscard]] double within_limits(double h) const { return std::min(largest_factor * h_, std::max(smallest_factor * h_, h)); }

    // The step size that the next attempt should have. need_jacobian_ is set where the iteration was not good enough.
    double control(newton_end end)
    {
        const double h_contraction = h_ * set_.alpha_ref / std::max(contraction_, set_.alpha_ref / largest_factor);
        switch (end) {
        case newton_end::converged: return after_convergence(h_contraction);
        case newton_end::growing:
            ++growth_rejections_;
            ending_.note_cut("the solution grows too fast");
            break;
        case newton_end::diverging:
            ++newton_rejections_;
            need_jacobian_ = !jacobian_is_current_;
            ending_.note_cut("the iteration diverges");
            return within_limits(h_contraction);
        case newton_end::slow:
            ++newton_rejections_;
            ending_.note_cut("the iteration converges too slowly");
            if (!jacobian_is_current_) {
                need_jacobian_ = true;
                return h_;
            }
            if (contraction_ > slow_factor * set_.alpha_ref) return within_limits(h_contraction);
            break;
        case newton_end::refused:
        case newton_end::stopped: note_refusal(); break;
        }
        return rigid_cut * h_;
    }

    void note_refusal()
    {
        ++refused_steps_;
        ending_.note_cut("the problem refuses the arguments", refusal_);
    }

    double after_convergence(double h_contraction)
    {
        const double error = estimate_error();
        if (refusal_ == evaluation::stopped) {
            ending_.stopped();
            return h_;
        }
        if (refusal_ != evaluation::ok) {
            note_refusal();
            return rigid_cut * h_;
        }
        const double h_attempted = h_;
        const double contraction_of_jacobian = contraction_ - std::abs(h_ - h_lu_) / h_lu_;
        double h_new = error < 1 ? accept(error) : reject(error);
        h_new = within_limits(jacobian_is_current_ && contraction_ > set_.alpha_ref ? std::min(h_new, h_contraction) : h_new);
        if (!exact_ && contraction_of_jacobian > set_.alpha_jac) {
            if (jacobian_is_current_)
                h_new = rigid_cut * h_attempted;
            else
                need_jacobian_ = true;
        }
        return h_new;
    }

    // The difference to the reference formula of order 4, which contains y' at both ends and one implicit stage.
    double estimate_error()
    {
        for (int i = 0; i < n_; ++i) {
            const double sum =
                -b0 * slope_[i] + v[0] * stage_slope_[0][i] + v[1] * stage_slope_[1][i] + v[2] * stage_slope_[2][i] + v[3] * stage_slope_[3][i];
            work_[i] = (1.0 / d[3]) * sum;
        }
        refusal_ = systems_.residual(t_ + h_, stage_[3], work_.data(), update_[0], error_.data());
        ++estimates_;
        if (refusal_ != evaluation::ok) return 0;
        systems_.solve(3, error_.data());
        ++e_.count().solve;
        const double factor = h_ * d[3] * shift_[3];
        for (int i = 0; i < n_; ++i) error_[i] *= factor;
        return scale_.norm(error_.data());
    }

    double accept(double error)
    {
        ++result_.accepted;
        double h_new = largest_factor * h_;
        if (error > 0) {
            if (first_ || rejected_)
                h_new = set_.safety * h_ * std::pow(error, -1 / estimate_order);
            else
                h_new = set_.safety * (h_ * h_) / h_last_ * std::pow(last_error_ / (error * error), 1 / estimate_order);
            first_ = false;
        }
        const double t_old = t_;
        t_ += h_;
        if (at_end()) t_ = tend_;
        if (observer_ != nullptr)
            for (int i = 0; i < n_; ++i) work_[i] = 1.0 / scale_.inverse()[i];
        std::copy(stage_[3], stage_[3] + n_, y_.begin());
        std::copy(stage_slope_[3], stage_slope_[3] + n_, slope_.begin());
        last_slopes_.swap(stage_slope_);
        h_last_ = h_;
        last_error_ = error;
        rejected_ = false;
        jacobian_is_current_ = false;
        scale_.update(y_.data());
        if (observer_ != nullptr) report(t_old, error);
        return h_new;
    }

    void report(double t_old, double error)
    {
        polynomial_.set(t_, h_);
        const accepted_step step{t_old, t_, h_, y_, 1.0, error, error_, work_, &polynomial_};
        if (observer_->on_step(step) == observer_answer::stop && t_ != tend_) ending_.end(outcome::stopped_by_observer);
    }

    double reject(double error)
    {
        double order = estimate_order;
        if (!first_ && rejected_)
            order = std::min(estimate_order, std::max(smallest_order, std::log10(error / rejected_error_) / std::log10(h_ / rejected_h_)));
        rejected_h_ = h_;
        rejected_error_ = error;
        rejected_ = true;
        ++result_.error_rejections;
        ending_.note_cut("the error test fails");
        return set_.safety * h_ * std::pow(error, -1 / order);
    }

    // The rest of the interval becomes a whole number of steps. False: the step is too small.
    bool choose_step(double h_new)
    {
        h_new = std::min(h_new, hmax_);
        if (!(h_new >= 10 * unit_roundoff * std::abs(t_)) || h_new < std::numeric_limits<double>::min()) return false;
        double steps = (tend_ - t_) / h_new;
        const double whole = std::trunc(steps);
        steps = steps - whole > end_slack || whole == 0 ? whole + 1 : whole;
        if (tend_ - t_ > steps * hmax_ * (1 + 1e-10)) ++steps;
        h_ = (tend_ - t_) / steps;
        return true;
    }

    evaluator& e_;
    const segment& segment_;
    const solve_options& options_;
    step_observer* observer_;
    int n_;
    settings set_;
    weights scale_;
    stage_systems systems_;
    run_ending<double> ending_;

    std::vector<double> y_, slope_, error_, work_, square_;
    stage_block stage_;       ///< Y
    stage_block stage_slope_; ///< Y'
    stage_block last_slopes_; ///< Y' of the last accepted step
    stage_block residual_, update_, right_side_, stage_work_;
    collocation polynomial_;

    double t_, tend_, hmax_;
    double h_ = 0;
    double h_last_ = 0;            ///< of the last accepted step
    double h_lu_ = 0;              ///< of the factorisations
    stage_vector shift_{};         ///< 1/(h_lu d)
    stage_matrix to_right_side_{}; ///< rows of Q^-1, times shift
    stage_matrix step_matrix_{};   ///< h A
    double contraction_ = first_contraction;
    double norm_of_y_ = -1; ///< of this attempt; negative: not yet known
    double last_error_ = 0;
    double rejected_h_ = 0;
    double rejected_error_ = 0;
    bool exact_ = false;
    bool first_ = true;
    bool rejected_ = false;
    bool need_jacobian_ = true;
    bool need_lu_ = true;
    bool jacobian_is_current_ = false;
    evaluation refusal_ = evaluation::ok; ///< of the last attempted step

    int chunks_;
    std::array<bool, stages> growing_{};
    std::array<double, stages> partial_sum_{};

    double iterations_total_ = 0;
    double estimates_ = 0;
    double factorisations_ = 0;
    double newton_rejections_ = 0;
    double growth_rejections_ = 0;
    double refused_steps_ = 0;
    solve_result result_;
    thread_team team_;
};

class pside final : public solver {
public:
    [[nodiscard]] const solver_info& info() const override { return description(); }
    [[nodiscard]] ivp::chapter chapter() const override { return {pside_files::markdown, pside_files::plain, pside_files::html}; }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        return integrator(e, s, options, observer).run();
    }
};

} // namespace

std::unique_ptr<const solver> make_pside() { return std::make_unique<pside>(); }

} // namespace ivp::solvers
