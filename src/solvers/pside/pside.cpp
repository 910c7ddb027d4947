// PSIDE: four-stage Radau IIA, order 7, after the code of Lioen, de Swart and van der Veen. Method and counters: pside.md.
#include "solvers/solvers.hpp"

#include "coefficients.hpp"
#include "model/option_table.hpp"
#include "solvers/common/integration.hpp"
#include "solvers/common/solver_of.hpp"
#include "stage_iteration.hpp"
#include "stage_systems.hpp"
#include "weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivp::solvers {

namespace {

using namespace pside_method;

constexpr double smallest_factor = 0.2; // of the step size, from one step to the next
constexpr double largest_factor = 2;    //
constexpr double rigid_cut = 0.5;       // step factor where nothing better is known
constexpr double slow_factor = 1.2;     // a slow iteration blames its rate only if it is that much above the desired one
constexpr double estimate_order = 5;    // of the error estimate in h
constexpr double smallest_order = 0.1;  // that repeated rejections may suggest
constexpr double end_slack = 0.05;      // a last step may be longer by this fraction

struct settings {
    double safety = 0.8;
    double tau = 0.01;
    int iteration_limit = 15;
    double alpha_ref = 0.15;
    double alpha_jac = 0.1;
    double alpha_lu = 0.2;
};

const option_table<settings>& own_options()
{
    using s = settings;
    static const option_table<s> table{{
        bind::real("safety", &s::safety, 0.001, 0.999, "safety factor of the step-size prediction"),
        bind::real("tau", &s::tau, 1e-12, 1, "the iteration stops when its error is this fraction of the tolerance"),
        bind::whole("nit", &s::iteration_limit, 3, 50, "largest number of iterations in a step"),
        bind::real("alpha_ref", &s::alpha_ref, 0.001, 0.999, "desired rate of contraction of the iteration"),
        bind::real("alpha_jac", &s::alpha_jac, 0, 0.999, "a rate above this asks for a new Jacobian"),
        bind::real("alpha_lu", &s::alpha_lu, 0, 1, "a relative change of the step size above this asks for new factorisations"),
    }};
    return table;
}

solver_info description()
{
    solver_info i = implicit_description("pside", "PSIDE", 7, 7);
    i.forms = {form::ode, form::dae, form::ide};
    i.needs_initial_derivative = true;
    i.max_threads = stages;
    i.locally_extrapolated = true;
    i.error_norm = "root mean square of the estimate divided by atol + rtol |y| (index 2, 3: times h, h^2)";
    i.lu_unit = "one real matrix (a refactorisation is four)";
    i.reference = "J.J.B. de Swart, W.M. Lioen, W.A. van der Veen: Specification of PSIDE, CWI report MAS-R9833; code of 1998";
    i.options = own_options().describe();
    return i;
}

/// The collocation polynomial of the last accepted step: y at its end, minus the integral of the cubic through the stage derivatives.
class collocation final : public interpolant {
public:
    collocation(int n, const simd::padded_vector<double>& y, const stage_vectors& slopes) : n_(n), y_(y), slopes_(slopes) {}

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
        for (int i = 0; i < n_; ++i) y[i] = y_[i] + (w[0] * slopes_[0][i] + w[1] * slopes_[1][i] + w[2] * slopes_[2][i] + w[3] * slopes_[3][i]);
    }

private:
    int n_;
    const simd::padded_vector<double>& y_;
    const stage_vectors& slopes_;
    double t_ = 0;
    double h_ = 1;
};

class integrator : integration {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : integration(e, s, o, observer),
          set_(own_options().read(o.special)),
          scale_(o.tolerance, e.problem(), memory_),
          systems_(e, o),
          iteration_(e, o, scale_, systems_, set_.tau, set_.iteration_limit, memory_),
          y_(n_, memory_),
          slope_(n_, memory_),
          error_(n_, memory_),
          work_(n_, memory_),
          last_slopes_(n_, stages, memory_),
          polynomial_(n_, y_, last_slopes_),
          hmax_(std::min(o.hmax, s.tend - s.t0))
    {
        std::copy(s.y.begin(), s.y.end(), y_.data());
        std::copy(s.yp.begin(), s.yp.end(), slope_.data());
    }

    solve_result run()
    {
        integrate();
        std::copy_n(y_.data(), n_, segment_.y.begin());
        std::copy_n(slope_.data(), n_, segment_.yp.begin());
        auto& extra = result_.extra;
        const auto iterations = static_cast<double>(iteration_.iterations());
        extra["newton_iterations"] = iterations;
        extra["newton_rejections"] = newton_rejections_;
        extra["growth_rejections"] = growth_rejections_;
        extra["refused_steps"] = refused_steps_;
        // What happens at the same time counts once: four evaluations of an iteration, four factorisations.
        extra["effective_f"] = iterations + estimates_;
        extra["effective_lu"] = static_cast<double>(iteration_.factorisations());
        return finished(systems_.path());
    }

private:
    void integrate()
    {
        scale_.update(y_.data());
        h_ = std::min(options_.h0.value_or(first_step()), hmax_);
        h_last_ = h_;
        for (int s = 0; s < stages; ++s) std::copy_n(slope_.data(), n_, last_slopes_[s]);

        while (!at_end()) {
            if (!may_step()) return;
            if (need_jacobian_ && !linearise()) return;
            if (need_lu_ && !iteration_.factor(h_)) return ending_.end(outcome::singular_matrix);
            ++result_.steps;
            scale_.weigh_higher_index_by_step(h_);
            const newton_end end = iteration_.run(t_, h_, y_.data(), h_last_, last_slopes_);
            if (end == newton_end::stopped) return ending_.stopped();
            need_jacobian_ = false;
            const double h_new = control(end);
            if (ending_.ended() || at_end()) return;
            if (!choose_step(h_new)) return ending_.step_too_small(t_);
            need_lu_ = need_jacobian_ || std::abs(h_ - iteration_.h_factored()) > set_.alpha_lu * iteration_.h_factored();
        }
    }

    [[nodiscard]] bool at_end() const { return std::abs(tend_ - t_) <= 10 * unit_roundoff * std::abs(t_); }

    double first_step()
    {
        const double h = std::min(1e-5, 1e-5 * std::abs(tend_ - t_));
        const double size = scale_.norm_of_slope(slope_.data());
        return size > 0.5 / h ? 0.5 / size : h;
    }

    bool may_step() { return ending_.may_step(result_.steps >= segment_.max_steps, false, t_); }

    bool linearise()
    {
        const evaluation answer = systems_.linearise(t_, y_.data(), slope_.data());
        jacobian_is_current_ = true;
        return ending_.has_jacobian(answer, t_);
    }

    [[nodiscard]] double within_limits(double h) const { return std::min(largest_factor * h_, std::max(smallest_factor * h_, h)); }

    // The step size that the next attempt should have. need_jacobian_ is set where the iteration was not good enough.
    double control(newton_end end)
    {
        const double h_contraction = h_ * set_.alpha_ref / std::max(iteration_.contraction(), set_.alpha_ref / largest_factor);
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
            if (iteration_.contraction() > slow_factor * set_.alpha_ref) return within_limits(h_contraction);
            break;
        case newton_end::refused:
        case newton_end::stopped: note_refusal(iteration_.refusal()); break;
        }
        return rigid_cut * h_;
    }

    void note_refusal(evaluation refusal)
    {
        ++refused_steps_;
        ending_.note_cut("the problem refuses the arguments", refusal);
    }

    double after_convergence(double h_contraction)
    {
        evaluation answer = evaluation::ok;
        const double error = estimate_error(answer);
        if (answer == evaluation::stopped) {
            ending_.stopped();
            return h_;
        }
        if (answer != evaluation::ok) {
            note_refusal(answer);
            return rigid_cut * h_;
        }
        const double h_attempted = h_;
        const double rate_of_jacobian = iteration_.contraction() - std::abs(h_ - iteration_.h_factored()) / iteration_.h_factored();
        double h_new = error < 1 ? accept(error) : reject(error);
        h_new = within_limits(jacobian_is_current_ && iteration_.contraction() > set_.alpha_ref ? std::min(h_new, h_contraction) : h_new);
        if (!iteration_.exact() && rate_of_jacobian > set_.alpha_jac) {
            if (jacobian_is_current_)
                h_new = rigid_cut * h_attempted;
            else
                need_jacobian_ = true;
        }
        return h_new;
    }

    // The difference to the reference formula of order 4, which contains y' at both ends and one implicit stage.
    double estimate_error(evaluation& answer)
    {
        const auto slopes = iteration_.slopes().first();
        simd::for_components<double>(n_, [&](auto at) { at(work_) = (1.0 / d[3]) * dot_onto(-b0 * at(slope_), v, at(slopes)); });
        answer = systems_.residual(t_ + h_, iteration_.end(), work_.data(), iteration_.free_vector(), error_.data());
        ++estimates_;
        if (answer != evaluation::ok) return 0;
        const auto solved = systems_.solve(3, error_.data());
        ++e_.count().solve;
        const double factor = h_ / iteration_.h_factored();
        simd::for_components<double>(n_, [&](auto at) { at(error_) = at(solved) * factor; });
        return scale_.divided_norm(error_.data());
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
            for (int i = 0; i < n_; ++i) work_[i] = scale_.of(i);
        std::copy(iteration_.end(), iteration_.end() + n_, y_.data());
        last_slopes_.swap(iteration_.slopes());
        std::copy(last_slopes_[3], last_slopes_[3] + n_, slope_.data());
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
        const accepted_step step{t_old, t_, h_, components(y_.data()), 1.0, error, components(error_.data()), components(work_.data()), &polynomial_};
        show(step, t_ == tend_);
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

    settings set_;
    growth_weights scale_;
    stage_systems systems_;
    stage_iteration iteration_;

    simd::padded_vector<double> y_, slope_, error_, work_;
    stage_vectors last_slopes_; ///< Y' of the last accepted step
    collocation polynomial_;

    double hmax_;
    double h_ = 0;
    double h_last_ = 0; ///< of the last accepted step
    double last_error_ = 0;
    double rejected_h_ = 0;
    double rejected_error_ = 0;
    bool first_ = true;
    bool rejected_ = false;
    bool need_jacobian_ = true;
    bool need_lu_ = true;
    bool jacobian_is_current_ = false;

    double estimates_ = 0;
    double newton_rejections_ = 0;
    double growth_rejections_ = 0;
    double refused_steps_ = 0;
};

} // namespace

std::unique_ptr<const solver> make_pside() { return make_solver(description(), pside_files::chapter, integrate_with<integrator>); }

} // namespace ivp::solvers
