// GAMD: generalised Adams methods of order 3, 5, 7 and 9, after the code of Iavernaro and Mazzia. Method and counters: gamd.md.
#include "solvers/solvers.hpp"

#include "block.hpp"
#include "block_polynomial.hpp"
#include "error_estimates.hpp"
#include "model/option_table.hpp"
#include "order_control.hpp"
#include "solvers/common/integration.hpp"
#include "solvers/common/solver_of.hpp"
#include "splitting_iteration.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace ivp::solvers {

namespace {

using namespace gamd_method;

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();
constexpr double error_bound = 0.8;          // an estimate up to this is accepted
constexpr double kept_ratio_least = 0.9;     // between these the step size, and with it the factorisation, is kept
constexpr double kept_ratio_most = 1.1;      //
constexpr int singular_limit = 5;            // singular matrices in a row that are answered by a smaller step
constexpr int many_error_failures = 5;       // recent failures from which on
constexpr double unbelievably_small = 1e-4;  // such an estimate is not trusted
constexpr int dropped_differences = 2;       // the prediction does without the highest differences of the last block
constexpr int dropped_for_shorter_block = 4; // ... when the next block has fewer points

constexpr const char* refused_words = "the problem refuses the arguments";

struct settings {
    int min_order = lowest_order;
    int max_order = highest_order;
    double thet = 0.005;
    double fnewt = 0;
    int nit = 0;

    [[nodiscard]] order_range orders() const { return {min_order, max_order}; }
};

const option_table<settings>& own_options()
{
    using s = settings;
    static const option_table<s> table{{
        bind::one_of("min_order", &s::min_order, {3, 5, 7, 9}, "smallest order; the first block has it"),
        bind::one_of("max_order", &s::max_order, {3, 5, 7, 9}, "largest order; equal to min_order: the order is fixed"),
        bind::real("thet", &s::thet, 0, 1, "a Jacobian is kept while the iteration contracts faster than this"),
        bind::real("fnewt", &s::fnewt, 0, 1, "the iteration stops at updates of this size; 0: the choice of the order"),
        bind::whole("nit", &s::nit, 0, 1000, "largest number of sweeps, less one; 0: the choice of the order"),
    }};
    return table;
}

solver_info description()
{
    solver_info i = implicit_description("gamd", "GAMD", lowest_order, highest_order);
    i.needs_h0 = true;
    i.error_norm = "largest of the root mean squares, at the points of a block, of the estimate divided by atol + rtol |y| (index 2, 3: times "
                   "h c, h^2 c^2)";
    i.lu_unit = "one real matrix";
    i.reference = "F. Iavernaro, F. Mazzia: Solving ordinary differential equations by generalized Adams methods: properties and implementation "
                  "techniques, Appl. Numer. Math. 28 (1998) 107-126";
    i.options = own_options().describe();
    return i;
}

/// When to stop the iteration, by the order and by whether there is a mass matrix.
class iteration_policy {
public:
    iteration_policy(const settings& s, bool with_mass, double rtol) : set_(s), with_mass_(with_mass), smallest_tolerance_(unit_roundoff / rtol) {}

    /// y, slope: at the start of the block.
    [[nodiscard]] iteration_limits operator()(int order, const double* y, const double* slope, int n) const
    {
        constexpr std::array<double, 4> tolerance{1e-3, 5e-2, 0.1, 0.1};
        constexpr std::array<double, 4> tolerance_with_mass{5e-3, 5e-2, 5e-2, 5e-2};
        constexpr std::array<double, 4> divergence{0.9, 0.9, 0.9, 0.9};
        constexpr std::array<double, 4> divergence_with_mass{0.9, 1.5, 20, 20};
        constexpr std::array<int, 4> sweeps{12, 18, 26, 36};
        const int k = (order - lowest_order) / 2;
        iteration_limits l{set_.fnewt > 0 ? set_.fnewt : (with_mass_ ? tolerance_with_mass : tolerance)[k],
                           (with_mass_ ? divergence_with_mass : divergence)[k], set_.nit > 0 ? set_.nit : sweeps[k]};
        l.tolerance = std::max(l.tolerance, smallest_tolerance_);
        if (smallest_rests(y, slope, n)) l.tolerance = std::min(l.tolerance, std::max(tolerance_at_rest, smallest_tolerance_));
        return l;
    }

private:
    static constexpr double tolerance_at_rest = 1e-2;

    /// Whether the smallest component is small and hardly moves: then the weights hide what the iteration leaves in it.
    static bool smallest_rests(const double* y, const double* slope, int n)
    {
        int smallest = -1;
        double size = 0.1;
        for (int i = 0; i < n; ++i) {
            if (!(std::abs(y[i]) < size)) continue;
            smallest = i;
            size = std::abs(y[i]);
        }
        return smallest >= 0 && std::abs(slope[smallest]) < 1e-5;
    }

    const settings& set_;
    bool with_mass_;
    double smallest_tolerance_;
};

class integrator : integration {
public:
    integrator(evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : integration(e, s, o, observer),
          set_(with_orders_checked(own_options().read(o.special))),
          weights_(o.tolerance, e.problem(), memory_),
          matrix_(e, o),
          block_(n_, memory_),
          polynomial_(n_, memory_),
          iteration_(e, memory_),
          estimates_(e, memory_),
          control_(set_.orders()),
          policy_(set_, e.mass().kind() != mass_kind::identity, o.tolerance.relative(0)),
          shown_error_(observer != nullptr ? n_ : 0),
          shown_weights_(observer != nullptr ? n_ : 0),
          hmax_(o.hmax),
          order_(set_.orders().least)
    {
        std::copy(s.y.begin(), s.y.end(), block_.y[0]);
    }

    solve_result run()
    {
        integrate();
        std::copy(block_.y[0], block_.y[0] + n_, segment_.y.begin());
        auto& extra = result_.extra;
        extra["newton_iterations"] = static_cast<double>(iteration_.sweeps());
        extra["newton_rejections"] = static_cast<double>(newton_rejections_);
        for (int p = lowest_order; p <= highest_order; p += 2) extra["steps_of_order_" + std::to_string(p)] = static_cast<double>(blocks_of(p));
        return finished(matrix_.path());
    }

private:
    void integrate()
    {
        h_ = std::min({options_.h0.value_or(1e-6), hmax_, (tend_ - t_) / equations_of(order_)});
        h_accepted_ = 2 * h_;
        if (const evaluation e = e_.f(t_, block_.y[0], block_.f[0]); e != evaluation::ok) return ending_.at_start(e);
        bool at_end = false;
        while (!at_end) {
            if (!may_step(result_.steps >= segment_.max_steps)) return;
            jacobian_is_fresh_ = need_jacobian_;
            if (need_jacobian_ && !linearise()) return;
            if (!prepare_block()) return;
            ++result_.steps;
            const iteration_end end = solve_block();
            if (end == iteration_end::stopped) return ending_.stopped();
            if (end != iteration_end::converged) {
                newton_failed(end);
                continue;
            }
            double error = estimates_.same_order(order_, block_, h_, matrix_, weights_);
            if (error_failures_ > many_error_failures && error < unbelievably_small) error = error_bound;
            if (error <= error_bound)
                at_end = accept(error);
            else
                reject(error);
            if (ending_.ended()) return;
        }
    }

    bool may_step(bool too_many) { return ending_.may_step(too_many, !(0.1 * h_ > std::abs(t_ + unit_roundoff) * unit_roundoff), t_); }

    bool linearise() { return ending_.has_jacobian(matrix_.evaluate(t_, block_.y[0], block_.f[0]), t_); }

    // A prediction and a matrix; the step size is cut until there are both.
    bool prepare_block()
    {
        while (may_step(false)) {
            refusal_ = predict();
            if (!ending_.goes_on(refusal_)) return false;
            if (refusal_ == evaluation::ok) {
                if (matrix_.factor(h_, order_)) return true;
                if (++singular_ > singular_limit) return ending_.fail(outcome::singular_matrix);
            }
            shorten();
            ending_.note_cut(refusal_ == evaluation::ok ? "the iteration matrix is singular" : refused_words, refusal_);
        }
        return false;
    }

    iteration_end solve_block()
    {
        weights_.update(block_.y[0], h_, order_);
        const iteration_end end = iteration_.solve(order_, block_, h_, matrix_, weights_, policy_(order_, block_.y[0], block_.f[0], n_));
        refusal_ = iteration_.refusal();
        return end;
    }

    // Values at the points of the block to come, and their slopes.
    evaluation predict()
    {
        const int equations = equations_of(order_);
        const int degree = polynomial_.degree() - (equations < polynomial_.degree() ? dropped_for_shorter_block : dropped_differences);
        block_.t[0] = t_;
        for (int i = 1; i <= equations; ++i) {
            block_.t[i] = std::min(block_.t[i - 1] + h_, tend_); // rounding errors could lead beyond the end
            if (extrapolate_)
                polynomial_.value((i * h_ - polynomial_ahead_) / polynomial_.step(), degree, block_.y[i]);
            else
                std::copy(block_.y[0], block_.y[0] + n_, block_.y[i]);
        }
        for (int i = 1; i <= equations; ++i)
            if (const evaluation e = e_.f(block_.t[i], block_.y[i], block_.f[i]); e != evaluation::ok) return e;
        return evaluation::ok;
    }

    void newton_failed(iteration_end end)
    {
        ++newton_failures_;
        ++newton_rejections_;
        shorten();
        extrapolate_ = false;
        need_jacobian_ = newton_failures_ == 1 && !jacobian_is_fresh_;
        ending_.note_cut(end == iteration_end::refused ? refused_words : "the iteration does not converge", refusal_);
    }
    void shorten() { h_ = std::min(h_accepted_, h_ / 2); }

    void reject(double error)
    {
        ++error_failures_;
        ++result_.error_rejections;
        need_jacobian_ = error_failures_ == 1 && iteration_.contraction() > set_.thet && !jacobian_is_fresh_;
        keep_polynomial();
        polynomial_ahead_ = equations_of(order_) * h_;
        h_ /= order_control::after_rejected(order_, error);
        ending_.note_cut("the error test fails");
    }

    void keep_polynomial()
    {
        polynomial_.set(order_, block_, h_);
        extrapolate_ = true;
    }

    // True: the end is reached.
    bool accept(double error)
    {
        block_errors errors{error, 0, 0};
        if (order_ < set_.orders().most) errors.higher = estimates_.higher_order(order_, matrix_, weights_);
        if (order_ > set_.orders().least) errors.lower = estimates_.lower_order(order_, block_, h_, matrix_, weights_);
        const next_block next = control_.after_accepted(order_, errors);

        ++result_.accepted;
        ++blocks_of(order_);
        singular_ = 0;
        keep_polynomial();
        polynomial_ahead_ = 0;
        const int last = equations_of(order_);
        const double t_old = t_;
        const double remaining = std::abs(tend_ - block_.t[last]);
        const bool at_end = remaining <= 10 * equations_of(next.order) * unit_roundoff * std::max(std::abs(t_old), std::abs(block_.t[last]));
        t_ = at_end ? tend_ : block_.t[last];
        block_.y.exchange(0, last);
        block_.f.exchange(0, last);
        report(t_old, error, at_end);
        choose_step(next);
        order_ = next.order;
        newton_failures_ = std::max(newton_failures_ - 1, 0);
        error_failures_ = std::max(error_failures_ - 1, 0);
        return at_end;
    }

    void choose_step(const next_block& next)
    {
        h_accepted_ = h_;
        double h = h_ / next.quotient;
        if (next.order > order_ || newton_failures_ > 0 || error_failures_ > 0) h = std::min(h, h_);
        need_jacobian_ = iteration_.contraction() > set_.thet;
        const double ratio = h / h_;
        if (!need_jacobian_ && ratio >= kept_ratio_least && ratio <= kept_ratio_most) h = h_;
        h_ = std::min({h, hmax_, (tend_ - t_) / equations_of(next.order)});
    }

    void report(double t_old, double error, bool at_end)
    {
        if (observer_ == nullptr) return;
        for (int i = 0; i < n_; ++i) {
            shown_error_[i] = -estimates_.at_end()[i];
            shown_weights_[i] = weights_.of(i);
        }
        const accepted_step step{t_old, t_, t_ - t_old, components(block_.y[0]), error_bound, error, shown_error_, shown_weights_, &polynomial_};
        show(step, at_end);
    }

    std::uint64_t& blocks_of(int order) { return blocks_[(order - lowest_order) / 2]; }

    settings set_;
    block_weights weights_;
    block_matrix matrix_;
    block block_;
    block_polynomial polynomial_;
    splitting_iteration iteration_;
    error_estimates estimates_;
    order_control control_;
    iteration_policy policy_;
    std::vector<double> shown_error_, shown_weights_;

    double hmax_;
    double h_ = 0; // distance of two points of a block
    double h_accepted_ = 0;
    int order_;
    bool need_jacobian_ = true;
    bool jacobian_is_fresh_ = false;
    bool extrapolate_ = false;
    double polynomial_ahead_ = 0; // how far behind t its end lies: it may be that of a rejected block
    int newton_failures_ = 0;     // recent ones: each accepted block forgets one
    int error_failures_ = 0;
    int singular_ = 0;
    std::uint64_t newton_rejections_ = 0;
    std::array<std::uint64_t, 4> blocks_{};
    evaluation refusal_ = evaluation::ok;
};

} // namespace

std::unique_ptr<const solver> make_gamd() { return make_solver(description(), gamd_files::chapter, integrate_with<integrator>); }

} // namespace ivp::solvers
