// The integrator that DOPRI5 and DOP853 share: stages, step-size control with stabilisation, stiffness detection, dense output.
//
// A Method is a struct of static members:
//   a, c, stages          the tableau; row `stages` of a is the solution, so that stage `stages` is the slope at the new point
//   all_stages            with those that only the dense output needs
//   slope_before_test     the slope at the new point is part of the error estimate
//   order                 in the choice of the first step
//   exponent(beta)        of the error norm in the step-size control
//   stability_limit       border of the stability domain
//   error_norm(...)       of the estimate, which it writes
//   dense_terms, finish_dense(...)   coefficients of the interpolant beyond the cubic one
#ifndef IVP_SRC_SOLVERS_DOPRI_DORMAND_PRINCE_HPP
#define IVP_SRC_SOLVERS_DOPRI_DORMAND_PRINCE_HPP

#include "model/option_table.hpp"
#include "solvers/common/explicit_runge_kutta.hpp"
#include "solvers/common/integration.hpp"
#include "solvers/common/predictive_control.hpp"
#include "solvers/common/weights.hpp"

#include <ivp/solver.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ivp::solvers {

/// One step as error estimate and dense output see it.
struct explicit_step {
    int n;
    double t; ///< its beginning
    double h;
    const double* y_old;
    const double* y;
    const double* const* k; ///< slopes of the stages
};

/// y(s) = r1 + s (r2 + s' (r3 + s (r4 + s' (…)))), s' = 1 − s: the cubic through values and slopes at both ends, and Method::dense_terms more.
/// Computed when it is first asked for in a step; further evaluations are made for the observer alone, so they are not counted.
template <class Method>
class nested_interpolant final : public interpolant {
public:
    nested_interpolant(const equations<double>& eq, int n) : equations_(eq), trial_(n)
    {
        for (auto& r : r_) r.resize(n);
    }
    /// slopes: of all stages, those of the dense output writable.
    void begin(const explicit_step& s, double* const* slopes)
    {
        step_ = s;
        slopes_ = slopes;
        ready_ = false;
    }
    void evaluate(double t, double* y) const override
    {
        if (!ready_) prepare();
        const double s = (t - step_.t) / step_.h;
        for (int i = 0; i < step_.n; ++i) {
            double value = r_[terms - 1][i];
            for (int j = terms - 2; j >= 0; --j) value = r_[j][i] + (j % 2 == 0 ? s : 1 - s) * value;
            y[i] = value;
        }
    }

private:
    static constexpr int terms = 4 + Method::dense_terms;

    void prepare() const
    {
        const double* const first = step_.k[0];
        const double* const last = step_.k[Method::stages];
        for (int i = 0; i < step_.n; ++i) {
            const double difference = step_.y[i] - step_.y_old[i];
            const double bend = step_.h * first[i] - difference;
            r_[0][i] = step_.y_old[i];
            r_[1][i] = difference;
            r_[2][i] = bend;
            r_[3][i] = difference - step_.h * last[i] - bend;
        }
        std::array<double*, Method::dense_terms> upper;
        for (int j = 0; j < Method::dense_terms; ++j) upper[j] = r_[4 + j].data();
        // Outside the domain the cubic has to do.
        if (Method::finish_dense(equations_, step_, slopes_, trial_.data(), upper) != evaluation::ok)
            for (int j = 4; j < terms; ++j) std::fill(r_[j].begin(), r_[j].end(), 0.0);
        ready_ = true;
    }

    const equations<double>& equations_;
    explicit_step step_{};
    double* const* slopes_ = nullptr;
    mutable bool ready_ = false;
    mutable std::array<std::vector<double>, terms> r_;
    mutable simd::padded_vector<double> trial_;
};

struct dormand_prince_settings {
    double safety = 0.9;
    double growth;
    double shrink;
    double beta;
    std::uint64_t stiff_test = 1000;
    bool stiff_stop = true;
};

/// The options of both codes; only the defaults differ.
inline option_table<dormand_prince_settings> dormand_prince_options(double growth, double shrink, double beta)
{
    using s = dormand_prince_settings;
    return option_table<s>{{
                               bind::real("safety", &s::safety, 0.001, 0.999, "safety factor of the step-size prediction"),
                               bind::real("growth", &s::growth, 1.001, 1000, "largest step ratio"),
                               bind::real("shrink", &s::shrink, 0.001, 0.999, "smallest step ratio"),
                               bind::real("beta", &s::beta, 0, 0.2, "stabilisation of the step-size control; 0: none"),
                               bind::whole("stiff_test", &s::stiff_test, 0, 1e9, "accepted steps between two tests for stiffness; 0: no test"),
                               bind::flag("stiff_stop", &s::stiff_stop, "end the run when stiffness is suspected; no: continue"),
                           },
                           {.growth = growth, .shrink = shrink, .beta = beta}};
}

template <class Method>
class dormand_prince : integration {
public:
    dormand_prince(const dormand_prince_settings& set, evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : integration(e, s, o, observer),
          safety_(set.safety),
          beta_(set.beta),
          exponent_(Method::exponent(beta_)),
          limits_{1.0 / set.growth, 1.0 / set.shrink},
          stops_if_stiff_(set.stiff_stop),
          detector_(Method::stability_limit, set.stiff_test),
          weights_(o.tolerance, e.problem(), memory_),
          between_(e.problem().template in<double>(), observer != nullptr ? n_ : 0),
          hmax_(std::min(o.hmax, s.tend - s.t0)),
          y_(n_, memory_),
          new_(n_, memory_),
          trial_(n_, memory_),
          estimate_(n_, memory_),
          scale_(n_, memory_),
          k_(n_, observer != nullptr ? Method::all_stages : Method::stages + 1, memory_)
    {
        std::copy(s.y.begin(), s.y.end(), y_.data());
    }

    solve_result run()
    {
        integrate();
        std::copy_n(y_.data(), n_, segment_.y.begin());
        solve_result result = finished(std::string());
        if (stiff_at_) {
            result.extra["stiffness_suspected_at"] = *stiff_at_;
            if (result.message.empty()) result.message = "the problem seemed to become stiff at t = " + to_text(*stiff_at_);
        }
        return result;
    }

private:
    static constexpr double unit_roundoff = 2.3e-16; // the original's
    static constexpr double failure_cut = 0.5;       // step factor after a refused argument
    static constexpr double smallest_remembered_error = 1e-4;

    void integrate()
    {
        if (const evaluation e = e_.f(t_, y_.data(), k_[0]); e != evaluation::ok) return ending_.at_start(e);
        if (options_.h0)
            h_ = std::min(*options_.h0, hmax_);
        else
            h_ = initial_step(e_, t_, y_.data(), k_[0], Method::order, hmax_, options_.tolerance, trial_.data(), new_.data());
        while (!arrived_ && !ending_.ended()) attempt();
    }

    void attempt()
    {
        if (!may_step()) return;
        last_ = t_ + 1.01 * h_ - tend_ > 0;
        if (last_) h_ = tend_ - t_;
        ++result_.steps;
        if (const evaluation e = compute_stages(); e != evaluation::ok) return refuse(e);
        const explicit_step step{n_, t_, h_, y_.data(), new_.data(), k_.table()};
        simd::for_components<double>(n_, [&](auto at) { at(scale_) = weights_.of_step(at, y_.data(), new_.data()); });
        const double error = Method::error_norm(step, scale_.data(), estimate_.data());
        const double root = std::pow(error, exponent_);
        if (!(error <= 1)) {
            if (result_.accepted > 0) ++result_.error_rejections;
            return cut(h_ / std::min(limits_.largest, root / safety_), "the error test fails");
        }
        if constexpr (!Method::slope_before_test)
            if (const evaluation e = slope_at_new_point(); e != evaluation::ok) return refuse(e);

        ++result_.accepted;
        double h_new = h_ / limits_(root / std::pow(error_old_, beta_) / safety_);
        error_old_ = std::max(error, smallest_remembered_error);
        const double t_new = last_ ? tend_ : t_ + h_;
        watch_stiffness(t_new);
        report(step, t_new, error);
        t_ = t_new;
        arrived_ = last_;
        std::swap(y_, new_);
        k_.exchange(0, Method::stages);
        h_new = std::min(h_new, hmax_);
        if (rejected_) h_new = std::min(h_new, h_);
        rejected_ = false;
        h_ = h_new;
    }

    bool may_step() { return ending_.may_step(result_.steps >= segment_.max_steps, 0.1 * h_ <= std::abs(t_) * unit_roundoff || h_ == 0, t_); }

    void refuse(evaluation e)
    {
        if (e == evaluation::stopped) return ending_.stopped();
        cut(failure_cut * h_, "the problem refuses the arguments", e);
    }

    void cut(double h, const char* why, evaluation refusal = evaluation::ok)
    {
        h_ = h;
        rejected_ = true;
        ending_.note_cut(why, refusal);
    }

    // Slopes of all stages up to the solution, which is in new_; the argument of the last stage before it stays in trial_.
    evaluation compute_stages()
    {
        const evaluation e = compute_stages_in_turn(std::make_integer_sequence<int, Method::stages - 1>{});
        if (e != evaluation::ok) return e;
        stage_sum<Method::a, Method::stages>::advance(n_, y_.data(), h_, k_.table(), new_.data());
        return Method::slope_before_test ? slope_at_new_point() : evaluation::ok;
    }
    template <int... J>
    evaluation compute_stages_in_turn(std::integer_sequence<int, J...> /*stages but the first*/)
    {
        evaluation e = evaluation::ok;
        (void)(... && ((e = compute_stage<J + 1>()) == evaluation::ok));
        return e;
    }
    template <int Stage>
    evaluation compute_stage()
    {
        stage_sum<Method::a, Stage>::advance(n_, y_.data(), h_, k_.table(), trial_.data());
        return e_.f(t_ + Method::c[Stage] * h_, trial_.data(), k_[Stage]);
    }
    evaluation slope_at_new_point() { return e_.f(t_ + h_, new_.data(), k_[Method::stages]); }

    void watch_stiffness(double t_new)
    {
        if (!detector_.looks_at(result_.accepted)) return;
        if (!detector_.suspects(n_, h_, new_.data(), k_[Method::stages], trial_.data(), k_[Method::stages - 1])) return;
        stiff_at_ = t_new;
        if (stops_if_stiff_ && !last_)
            ending_.end(outcome::stiffness_suspected, "at t = " + to_text(t_new) + ", where h times the largest eigenvalue is about " +
                                                          to_text(std::round(10 * detector_.h_lambda()) / 10));
    }

    void report(const explicit_step& step, double t_new, double error)
    {
        if (observer_ == nullptr) return;
        between_.begin(step, k_.table());
        const accepted_step seen{t_,       t_new, h_, components(new_.data()), 1.0, error, components(estimate_.data()), components(scale_.data()),
                                 &between_};
        show(seen, last_);
    }

    double safety_, beta_, exponent_;
    quotient_limits<double> limits_;
    bool stops_if_stiff_;
    stiffness_detector detector_;
    weights weights_;
    nested_interpolant<Method> between_;

    double hmax_;
    simd::padded_vector<double> y_, new_, trial_, estimate_, scale_;
    simd::padded_vectors<double, Method::all_stages> k_; ///< slopes of the stages

    double h_ = 0;
    double error_old_ = smallest_remembered_error; // of the last accepted step
    std::optional<double> stiff_at_;
    bool last_ = false;
    bool arrived_ = false;
    bool rejected_ = false;
};

} // namespace ivp::solvers

#endif
