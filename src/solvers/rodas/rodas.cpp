// RODAS: a Rosenbrock method of order 4(3), after the code of Hairer and Wanner. Method and counters: rodas.md.
#include "solvers/solvers.hpp"

#include "coefficients.hpp"
#include "model/option_table.hpp"
#include "solvers/common/integration.hpp"
#include "solvers/common/iteration_matrix.hpp"
#include "solvers/common/predictive_control.hpp"
#include "solvers/common/solver_of.hpp"
#include "solvers/common/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace ivp::solvers {

namespace {

using namespace rodas_method;

// The original's constant, not the machine's: it enters the difference increments and the smallest step.
constexpr double unit_roundoff = 1e-16;
constexpr double default_first_step = 1e-6;
constexpr double failure_cut = 0.5; // step factor after a singular matrix or a refused argument
constexpr int singular_limit = 5;   // singular matrices in one run before it ends

struct settings {
    int method = 1;
    bool predictive = true;
    bool time_differences = false;
    double safety = 0.9;
    double growth = 6;
    double shrink = 0.2;

    [[nodiscard]] const coefficients& numbers() const { return *sets[static_cast<std::size_t>(method) - 1]; }
    [[nodiscard]] quotient_limits<double> limits() const { return {1.0 / growth, 1.0 / shrink}; }
};

const option_table<settings>& own_options()
{
    using s = settings;
    static const option_table<s> table{{
        bind::choice("method", &s::method, {{"standard", 1}, {"other", 2}, {"parabolic", 3}},
                     "coefficients: standard (1), other free parameters (2), those of Steinebach for parabolic equations (3)"),
        bind::flag("predictive", &s::predictive, "predictive step control (Gustafsson); no: classical"),
        bind::flag("time_differences", &s::time_differences, "df/dt by differences, also if it is known exactly"),
        bind::real("safety", &s::safety, 0.001, 0.999, "safety factor of the step-size prediction"),
        bind::real("growth", &s::growth, 1.001, 1000, "largest step ratio"),
        bind::real("shrink", &s::shrink, 0.001, 0.999, "smallest step ratio"),
    }};
    return table;
}

solver_info description()
{
    solver_info i = implicit_description("rodas", "RODAS", 4, 4);
    i.highest_index = 1;
    i.needs_h0 = true;
    i.locally_extrapolated = true;
    i.error_norm = "root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)";
    i.lu_unit = "one real matrix";
    i.reference = "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, sections IV.7, VI.4; code of 1996";
    i.options = own_options().describe();
    return i;
}

using simd::for_components;
using simd::just_written;
using value = simd::pack<double>;

/// The increments u_1 … u_6 of a step.
class increments : public simd::padded_vectors<double, stages> {
public:
    using padded_vectors::padded_vectors;

    /// What the first Count of them have in some components. The last one has just been solved for.
    template <int Count>
    [[nodiscard]] std::array<value, Count> first(simd::components<double> at) const
    {
        std::array<value, Count> u;
        simd::unrolled<Count - 1>([&](auto j) { u[j] = at((*this)[j]); });
        u[Count - 1] = at(just_written((*this)[Count - 1]));
        return u;
    }
};

/// start + Σ factor_j u_j, in the order of the indices as given.
template <class Factors, class Increments, int... J>
[[nodiscard]] value sum(const Factors& factor, const Increments& u, std::integer_sequence<int, J...> /*order*/)
{
    return (... + (factor[J] * u[J]));
}
template <class Factors, class Increments, int... J>
[[nodiscard]] value sum_onto(const value& start, const Factors& factor, const Increments& u, std::integer_sequence<int, J...> /*order*/)
{
    return (start + ... + (factor[J] * u[J]));
}

// NOTE: the original adds up the last two couplings in this order; rounding, and with it counts at tight tolerances, depends on it.
template <int Stage>
struct coupling_order {
    using type = std::make_integer_sequence<int, Stage>;
};
template <>
struct coupling_order<4> {
    using type = std::integer_sequence<int, 1, 3, 0, 2>;
};
template <>
struct coupling_order<5> {
    using type = std::integer_sequence<int, 0, 1, 4, 3, 2>;
};

/// y(s) = (1 − s) y_old + s (y + (1 − s) (P + s Q)), of order 3.
class dense_output final : public interpolant {
public:
    explicit dense_output(int n) : n_(n), old_(n), new_(n), p_(n), q_(n) {}

    void set(double t, double h, const double* y_old, const double* y, const increments& u, const coefficients& method)
    {
        t_ = t;
        h_ = h;
        constexpr auto all = std::make_integer_sequence<int, stages - 1>{};
        for_components<double>(n_, [&](auto at) {
            at(old_) = at(y_old);
            at(new_) = at(y);
            const auto increment = u.first<stages - 1>(at);
            at(p_) = sum(method.p, increment, all);
            at(q_) = sum(method.q, increment, all);
        });
    }
    void evaluate(double t, double* y) const override
    {
        const double s = (t - t_) / h_;
        for (int i = 0; i < n_; ++i) y[i] = old_[i] * (1 - s) + s * (new_[i] + (1 - s) * (p_[i] + s * q_[i]));
    }

private:
    int n_;
    double t_ = 0; // beginning of the step
    double h_ = 0;
    simd::padded_vector<double> old_, new_, p_, q_;
};

class integrator : integration {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : integration(e, s, o, observer),
          mass_(e.mass()),
          set_(own_options().read(o.special)),
          method_(set_.numbers()),
          limits_(set_.limits()),
          matrix_(e, o, {.eliminates_chain = true}),
          weights_(o.tolerance, e.problem(), memory_),
          between_(observer != nullptr ? n_ : 0),
          autonomous_(e.problem().info().autonomous()),
          u_(n_, stages, memory_),
          y_(n_, memory_),
          f0_(n_, memory_),
          time_derivative_(n_, memory_),
          f_(n_, memory_),
          trial_(n_, memory_),
          sum_(n_, memory_),
          product_(n_, memory_)
    {
        std::copy(s.y.begin(), s.y.end(), y_.data());
    }

    solve_result run()
    {
        integrate();
        std::copy_n(y_.data(), n_, segment_.y.begin());
        return finished(matrix_.path());
    }

private:
    static constexpr root_increment<double> increment{unit_roundoff};

    void integrate()
    {
        hmax_ = std::min(options_.hmax, tend_ - t_);
        h_ = options_.h0.value_or(0);
        if (h_ <= 10 * unit_roundoff) h_ = default_first_step;
        h_ = std::min(h_, hmax_);
        if (const evaluation e = e_.f(t_, y_.data(), f0_.data()); e != evaluation::ok) return ending_.at_start(e);
        while (!last_ && !ending_.ended()) {
            if (t_ + h_ * 1.0001 >= tend_) {
                h_ = tend_ - t_;
                last_ = true;
            }
            if (!differentiate()) return;
            while (!attempt() && !ending_.ended()) {}
        }
    }

    // J and df/dt at (t, y).
    bool differentiate()
    {
        evaluation e = matrix_.linearise(t_, y_.data(), f0_.data(), increment);
        if (e == evaluation::ok && !autonomous_)
            e = matrix_.by_differences() || set_.time_differences ? differentiate_by_time()
                                                                  : e_.time_derivative(t_, y_.data(), nullptr, time_derivative_.data());
        return ending_.has_jacobian(e, t_);
    }

    evaluation differentiate_by_time()
    {
        // NOTE: forward as in the original, but never beyond the end of the segment, where f may have a kink.
        double delta = increment(t_);
        if (t_ + delta > tend_) delta = -delta;
        const evaluation e = e_.f_for_jacobian(t_ + delta, y_.data(), f_.data());
        for (int i = 0; i < n_; ++i) time_derivative_[i] = (f_[i] - f0_[i]) / delta;
        return e;
    }

    // True: the step was accepted and the state moved on. False: the step size was cut, or the run has ended.
    bool attempt()
    {
        if (!may_step()) return false;
        if (!matrix_.factor(1.0 / (h_ * gamma))) {
            if (++singular_ >= singular_limit)
                ending_.end(outcome::singular_matrix);
            else
                cut(failure_cut * h_, "the matrix of the linear systems is singular");
            return false;
        }
        ++result_.steps;
        ask_for_accuracy();
        if (const evaluation e = compute_stages(); e != evaluation::ok) return refuse(e);
        if (matrix_.events().unconverged > unconverged_) {
            unconverged_ = matrix_.events().unconverged;
            cut(failure_cut * h_, "the iteration for the linear systems does not converge");
            return false;
        }
        const double error_squared = mean_square_error();
        const double error = std::sqrt(error_squared);
        const auto root = [](double v) { return std::sqrt(std::sqrt(v)); };
        const double classical = limits_(root(error) / set_.safety);
        if (!(error <= 1)) {
            if (result_.accepted > 0) ++result_.error_rejections;
            cut(h_ / classical, "the error test fails");
            return false;
        }
        double h_new = h_ / control_.quotient(h_, error_squared, classical, set_.safety, limits_, set_.predictive, root);
        // The next step starts from f at the new point; where that is refused, this step went too far.
        const double t_new = last_ ? tend_ : t_ + h_;
        if (!last_)
            if (const evaluation e = e_.f(t_new, trial_.data(), f_.data()); e != evaluation::ok) return refuse(e);

        ++result_.accepted;
        control_.remember_accepted(h_, error);
        report(t_new, error);
        t_ = t_new;
        std::swap(y_, trial_);
        std::swap(f0_, f_);
        h_new = std::min(h_new, hmax_);
        if (rejected_) h_new = std::min(h_new, h_);
        rejected_ = false;
        h_ = h_new;
        return true;
    }

    // What is left of a linear system is an error of the step: there is no iteration around it that would correct it.
    void ask_for_accuracy()
    {
        constexpr double fraction = 1e-3; // of the tolerance of the step
        if (matrix_.path() != algebra::krylov) return;
        weights_.update(y_.data());
        matrix_.set_accuracy(weights_.inverse(), fraction);
    }

    bool may_step() { return ending_.may_step(result_.steps >= segment_.max_steps, 0.1 * h_ <= std::abs(t_) * unit_roundoff || h_ == 0, t_); }

    bool refuse(evaluation e)
    {
        if (e == evaluation::stopped)
            ending_.stopped();
        else
            cut(failure_cut * h_, "the problem refuses the arguments", e);
        return false;
    }

    void cut(double h, const char* why, evaluation refusal = evaluation::ok)
    {
        h_ = h;
        rejected_ = true;
        last_ = false;
        ending_.note_cut(why, refusal);
    }

    // The new solution is in trial_, the error estimate is u_6.
    evaluation compute_stages()
    {
        for_components<double>(n_, [&](auto at) { at(u_[0]) = slope<0>(at, f0_); });
        matrix_.solve(u_[0]);
        evaluation e = next_stage<1>();
        if (e == evaluation::ok) e = next_stage<2>();
        if (e == evaluation::ok) e = next_stage<3>();
        if (e == evaluation::ok) e = next_stage<4>();
        if (e == evaluation::ok) e = next_stage<5>();
        if (e != evaluation::ok) return e;
        for_components<double>(n_, [&](auto at) { at(trial_) += at(just_written(u_[stages - 1])); });
        e_.count().solve += stages;
        return evaluation::ok;
    }

    // (M/(h gamma) − J) u_i = f + h d_i df/dt + M sum_j (C_ij/h) u_j, with f at y + sum_j a_ij u_j.
    //
    // NOTE: flat, as the Newton iteration of RADAU: with few equations a call of f is a thirtieth of a step.
    template <int Stage>
    [[gnu::flatten]] evaluation next_stage()
    {
        // All that does not need f comes before it.
        const auto a = simd::spread(method_.a[Stage]);
        std::array<value, Stage> coupling;
        simd::unrolled<Stage>([&](auto j) { coupling[j] = method_.coupling[Stage][j] / h_; });
        for_components<double>(n_, [&](auto at) {
            const auto u = u_.first<Stage>(at);
            if constexpr (Stage < stages - 1)
                at(trial_) = sum_onto(at(y_), a, u, std::make_integer_sequence<int, Stage>{});
            else // stage 6 and the solution differ from their predecessors by the last increment alone
                at(trial_) += u[Stage - 1];
            at(sum_) = sum(coupling, u, typename coupling_order<Stage>::type{});
        });
        const double* coupled = sum_.data();
        if (mass_.kind() != mass_kind::identity) {
            mass_.multiply(sum_.data(), product_.data());
            coupled = product_.data();
        }
        if (const evaluation e = e_.f(t_ + method_.c[Stage] * h_, trial_.data(), f_.data()); e != evaluation::ok) return e;

        double* const u = u_[Stage];
        if (timeless<Stage>()) {
            matrix_.solve_sum(f_.data(), coupled, u);
        } else {
            for_components<double>(n_, [&](auto at) { at(u) = slope<Stage>(at, f_) + at(coupled); });
            matrix_.solve(u);
        }
        return evaluation::ok;
    }

    template <int Stage>
    [[nodiscard]] bool timeless() const
    {
        return autonomous_ || method_.d[Stage] == 0;
    }
    // f + h d_i df/dt
    template <int Stage>
    [[nodiscard]] value slope(simd::components<double> at, const simd::padded_vector<double>& f) const
    {
        const value v = at(just_written(f));
        return timeless<Stage>() ? v : v + h_ * method_.d[Stage] * at(time_derivative_);
    }

    [[nodiscard]] double mean_square_error() const
    {
        double sum = 0;
        for_components<double>(n_, [&](auto at) {
            const value d = at(just_written(u_[stages - 1])) / weights_.of_step(at, y_.data(), trial_.data());
            add_in_order(sum, d * d);
        });
        return sum * (1.0 / n_);
    }

    // Called between the computation of the new solution, in trial_, and its taking over.
    void report(double t_new, double error)
    {
        if (observer_ == nullptr) return;
        between_.set(t_, h_, y_.data(), trial_.data(), u_, method_);
        for_components<double>(n_, [&](auto at) { at(sum_) = weights_.of_step(at, y_.data(), trial_.data()); });
        const accepted_step step{t_,       t_new, h_, components(trial_.data()), 1.0, error, components(u_[stages - 1]), components(sum_.data()),
                                 &between_};
        show(step, last_);
    }

    const mass_matrix<double>& mass_;
    settings set_;
    const coefficients& method_;
    quotient_limits<double> limits_;
    iteration_matrix matrix_;
    weights weights_;
    dense_output between_;
    bool autonomous_;

    increments u_;
    simd::padded_vector<double> y_, f0_, time_derivative_, f_, trial_, sum_, product_;

    double h_ = 0;
    double hmax_ = 0;
    predictive_control<double> control_;
    int singular_ = 0;
    std::uint64_t unconverged_ = 0; // linear systems so far
    bool last_ = false;
    bool rejected_ = false;
};

} // namespace

std::unique_ptr<const solver> make_rodas() { return make_solver(description(), rodas_files::chapter, integrate_with<integrator>); }

} // namespace ivp::solvers
