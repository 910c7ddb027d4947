#include "stage_integrator.hpp"

#include "crossing.hpp"
#include "expansion.hpp"

#include "base/cpu_time.hpp"
#include "linalg/shifted_lu.hpp"

#include <ivp/error.hpp>
#include <ivp/evaluator.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivp::reference {

namespace {

constexpr double converged = 1e-32;        // relative size of a correction that ends the iteration
constexpr double rounding = 1e-22;         // corrections below this that shrink no more are rounding errors
constexpr double rounding_index_3 = 1e-17; //
constexpr double slow = 0.5;               // contraction at which a shorter step costs less
constexpr int most_iterations = 60;        //
constexpr double safety = 0.85;            // of the step size
constexpr double most_growth = 2;          // the polynomial of the last step predicts the next one no further
constexpr double first_growth = 4;         // before there is one
constexpr double newton_cut = 0.5;         //
constexpr double least_cut = 0.2;          //
constexpr double first_part = 1e-6;        // of a segment: the first step, which grows and shrinks freely
constexpr double first_part_of_dae = 1e-3; // short steps amplify rounding: multipliers by 1/h^(index - 1)
constexpr double smallest_step = 1e-30;    // of t
constexpr double record_margin = 1e-13;    // of a segment: so far inside it the formula is recorded
constexpr double noise = 1e-27;            // of what a difference was computed from: below, its sign says nothing
constexpr int most_turns_at_once = 40;     // decisions that turn at one time
constexpr int most_locations = 20;         // steps that look for one kink
constexpr double touching = 1e-10;         // of a step: so well the place of a kink is known where rounding hides it
constexpr double after_turn = 0.1;         // of the step before a kink: the first one after it

/// Entry by entry through a stored matrix: visit(i, j, position).
template <class Visit>
void for_each_stored(const matrix_view<quad>& m, Visit visit)
{
    for (int j = 0; j < m.n; ++j) {
        if (m.kind == structure_kind::sparse) {
            for (int p = m.pattern->column_start[j]; p < m.pattern->column_start[j + 1]; ++p) visit(m.pattern->row[p], j, p);
            continue;
        }
        const bool band = m.kind == structure_kind::band;
        const int first = band ? std::max(0, j - m.upper) : 0;
        const int last = band ? std::min(m.n - 1, j + m.lower) : m.n - 1;
        for (int i = first; i <= last; ++i) visit(i, j, m.position(i, j));
    }
}

mass_matrix<double> in_double(const mass_matrix<quad>& m)
{
    if (m.kind() == mass_kind::identity) return mass_matrix<double>::identity(m.n());
    if (m.kind() == mass_kind::diagonal) {
        std::vector<double> d;
        for (const quad& v : m.values()) d.push_back(static_cast<double>(v));
        return mass_matrix<double>::diagonal(std::move(d));
    }
    auto copy = m.kind() == mass_kind::band ? mass_matrix<double>::band(m.n(), m.lower(), m.upper()) : mass_matrix<double>::full(m.n());
    m.for_each_entry([&copy](int i, int j, const quad& v) {
        if (!(v == quad(0))) copy.set(i, j, static_cast<double>(v));
    });
    return copy;
}

class integrator {
public:
    integrator(const problem& p, const stage_method& m, const integration_settings& s)
        : eq_(p.in<quad>()),
          info_(p.info()),
          method_(m),
          set_(s),
          n_(p.n()),
          s_(m.stages),
          mass_(eq_.mass()),
          identity_(mass_.kind() == mass_kind::identity),
          rounding_(info_.highest_index > 2 ? rounding_index_3 : rounding),
          scalable_(identity_ || mass_.kind() == mass_kind::diagonal),
          path_(choose_algebra(algebra::automatic, p.finest_iteration_structure(), n_, {(s_ - 1) / 2, 15, 1, 0})),
          wide_(path_, p.finest_iteration_structure(), n_),
          narrow_(path_, p.finest_iteration_structure(), n_),
          mass_in_double_(in_double(mass_)),
          lu_(narrow_, mass_in_double_, 1, (s_ - 1) / 2, count_),
          work_(eq_.make_scratch_for(p.finest_iteration_structure())),
          y_(eq_.initial_values()),
          stage_(room(s_)),
          f_(room(s_)),
          last_stage_(room(s_)),
          residual_(room(1)),
          at_middle_(n_),
          product_(n_),
          weight_(n_),
          largest_(n_),
          scale_(n_, 1.0),
          eigen_(static_cast<std::size_t>(s_) * n_),
          correction_(eigen_.size())
    {
        for (int i = 0; i < n_; ++i) largest_[i] = std::max(abs(y_[i]), quad(known_size(set_, info_, i)));
        for (int k = 0; k < s_; ++k) rhs_.push_back(eigen_.data() + static_cast<std::size_t>(k) * n_);
        began_ = process_cpu_seconds();
        t_ = info_.t0.in<quad>();
        result_.t = t_;
        if (recorded_problem::possible(p)) formula_.emplace(p);
    }

    integration run(std::span<const quad> times)
    {
        std::vector<quad> kinks;
        for (const auto& b : info_.breakpoints) kinks.push_back(b.in<quad>());
        auto kink = kinks.begin();
        begin_segment(kinks, times.back());
        for (const quad& target : times) {
            while (t_ < target) {
                while (kink != kinks.end() && *kink <= t_) ++kink;
                const bool to_kink = kink != kinks.end() && *kink <= target;
                if (!advance(to_kink ? *kink : target)) return finish();
                if (to_kink) begin_segment(kinks, times.back());
            }
            result_.at.push_back(y_);
        }
        return finish();
    }

private:
    [[nodiscard]] std::vector<quad> room(int rows) const { return std::vector<quad>(static_cast<std::size_t>(rows) * n_); }

    integration finish()
    {
        result_.t = t_;
        result_.cpu_s = process_cpu_seconds() - began_;
        return std::move(result_);
    }

    /// Nothing of what was before a kink predicts what comes after it.
    void begin_segment(const std::vector<quad>& kinks, const quad& end)
    {
        has_last_ = false;
        begin_ = t_;
        end_ = end;
        for (const quad& k : kinks)
            if (k > t_) {
                end_ = std::min(end_, k);
                break;
            }
        h_ = (end_ - begin_) * quad(set_.first.value_or(info_.highest_index > 1 ? first_part_of_dae : first_part));
        if (formula_ && !formula_->record(t_ + (end_ - begin_) * quad(record_margin), y_.data())) formula_.reset();
    }

    /// Whether the branches of the formula are held.
    [[nodiscard]] bool held() const { return formula_ && !formula_->formula().decisions.empty(); }

    /// f at stage k.
    evaluation evaluate_stage(int k, const quad& h)
    {
        const auto at = static_cast<std::size_t>(k) * n_;
        const quad t = inside(t_ + method_.c[k] * h);
        if (!held()) return eq_.f(t, stage_.data() + at, f_.data() + at);
        const tape& f = formula_->formula();
        evaluate(f, t, stage_.data() + at, values_);
        for (int i = 0; i < n_; ++i) f_[at + i] = values_[f.output[i]];
        differences_.resize(f.decisions.size() * s_);
        for (std::size_t d = 0; d < f.decisions.size(); ++d) differences_[d * s_ + k] = values_[f.decisions[d].difference];
        return evaluation::ok;
    }

    struct turning {
        std::size_t decision = 0;
        quad part = 0; ///< of the step
    };

    /// The first decision that turns within the step, and where. Between the stages the differences are polynomials.
    std::optional<turning> first_turn()
    {
        if (!held()) return std::nullopt;
        const tape& f = formula_->formula();
        std::optional<turning> found;
        evaluate(f, t_, y_.data(), values_);
        std::vector<quad> sizes;
        evaluate_sizes(f, values_, weight_.data(), sizes);
        for (std::size_t d = 0; d < f.decisions.size(); ++d) {
            const quad* const x = differences_.data() + d * s_;
            const bool negative = f.decisions[d].negative;
            const auto value = [&](const quad& c) { return interpolated(x, c); };
            const auto wrong = [&](const quad& v, double part) {
                return negative != (v < quad(0)) && abs(v) > quad(std::max(part, noise)) * sizes[f.decisions[d].difference];
            };
            const auto between = first_crossing<quad>(std::span(method_.c).subspan(method_.c[0] == quad(0) ? 1 : 0), value, wrong);
            if (!between || (found && found->part <= between->first)) continue;
            quad low = between->first == between->second ? quad(0) : between->first; // it turns before the first stage
            quad high = between->second;
            for (int halving = 0; halving < 60; ++halving) {
                const quad middle = (low + high) / quad(2);
                (negative == (value(middle) < quad(0)) ? low : high) = middle;
            }
            if (!found || high < found->part) found = turning{d, high};
        }
        return found;
    }

    /// The polynomial through x at the nodes.
    [[nodiscard]] quad interpolated(const quad* x, const quad& c) const
    {
        quad top = 0;
        quad bottom = 0;
        for (int j = 0; j < s_; ++j) {
            const quad distance = c - method_.c[j];
            if (distance == quad(0)) return x[j];
            top += method_.weight[j] / distance * x[j];
            bottom += method_.weight[j] / distance;
        }
        return top / bottom;
    }

    /// A step that ends where the decision turns: Newton's method for its length. None: there is no such step.
    std::optional<quad> step_to_turn(const turning& to, const quad& h)
    {
        quad length = h * to.part;
        const quad least = quad(smallest_step) * std::max(abs(t_), end_ - begin_);
        const quad* const x = differences_.data() + to.decision * s_;
        quad before = 0;
        for (int k = 0; k < most_locations; ++k) {
            if (length < least) return quad(0);
            ++result_.steps;
            if (length > h || !solve_stages(length)) return std::nullopt;
            const int last = s_ - 1; // slope of the polynomial through x at the last node
            quad slope = 0;
            for (int j = 0; j < last; ++j) slope += method_.weight[j] / method_.weight[last] / (method_.c[last] - method_.c[j]) * (x[j] - x[last]);
            if (slope == quad(0)) return std::nullopt;
            const quad correction = -x[last] / slope; // part of the step
            const quad change = abs(correction) * length;
            if (change <= least * quad(10)) return length;
            // Where the difference touches zero, its rounding errors end the iteration; f is continuous there.
            if (k > 2 && change > before / quad(4) && change < quad(touching) * h) return length;
            before = change;
            length = length * (quad(1) + correction);
        }
        return std::nullopt;
    }

    /// The formula at a kink may belong to either side: times of stages stay within the segment by a rounding error.
    [[nodiscard]] quad inside(const quad& t) const
    {
        const quad margin = quad(4) * std::numeric_limits<quad>::epsilon() * std::max(abs(begin_), abs(end_));
        return std::min(std::max(t, begin_ + margin), end_ - margin);
    }

    bool turn_formula(std::size_t decision, int turns_at_once)
    {
        ++result_.turns;
        has_last_ = false;
        if (turns_at_once > most_turns_at_once) return fail("a branch of the formula switches back and forth");
        if (!formula_->turn(decision, t_, y_.data())) return fail("the formula refuses what comes after a kink");
        return true;
    }

    bool advance(const quad& stop)
    {
        int turns = 0; // without a step between
        while (t_ < stop) {
            if (result_.steps >= set_.max_steps) return fail("too many steps");
            if (set_.timeout_s && process_cpu_seconds() - began_ > *set_.timeout_s) return fail("no time left");
            quad h = h_;
            bool last = t_ + h * quad(1.0001) >= stop;
            if (last) h = stop - t_;
            if (t_ + h * quad(2) > stop && !last) h = (stop - t_) / quad(2);
            if (abs(h) < quad(smallest_step) * std::max(abs(t_), end_ - begin_)) return fail("step size too small");
            ++result_.steps;
            if (!solve_stages(h)) {
                h_ = h * quad(newton_cut);
                continue;
            }
            const double error = estimate() / set_.tolerance;
            const double wanted = safety * std::pow(std::max(error, 1e-30), -1.0 / (s_ - 1));
            if (error > 1) {
                h_ = h * quad(std::max(least_cut, wanted));
                continue;
            }
            bool last_of_piece = false;
            const auto turn = first_turn();
            if (turn) {
                const auto length = step_to_turn(*turn, h);
                if (!length) {
                    h_ = h * quad(newton_cut);
                    continue;
                }
                if (*length == quad(0)) {
                    if (!turn_formula(turn->decision, ++turns)) return false;
                    continue;
                }
                turns = 0;
                h = *length;
                last = false;
                last_of_piece = true;
            }
            ++result_.accepted;
            const quad full = h_;
            h_ = h * quad(std::min(wanted, has_last_ ? most_growth : first_growth));
            if (contraction_ > slow / 4) h_ = std::min(h_, h);                      // shorter steps converge faster, and at once
            if (h < full) h_ = std::max(h_, std::min(full, h * quad(most_growth))); // what was cut off at the stop says little
            for (int i = 0; i < n_; ++i) y_[i] = stage_[static_cast<std::size_t>(s_ - 1) * n_ + i];
            for (const auto& k : set_.keep) {
                quad sum = 0;
                for (const int term : k.terms) sum += term < 0 ? -y_[-term - 1] : y_[term - 1];
                y_[k.target - 1] = sum;
            }
            for (int i = 0; i < n_; ++i) largest_[i] = std::max(largest_[i], abs(y_[i]));
            if (set_.on_step) set_.on_step(t_, h, stage_, n_);
            t_ = last ? stop : t_ + h;
            if (last_of_piece) {
                if (!turn_formula(turn->decision, ++turns)) return false;
                h_ = full * quad(after_turn);
                continue;
            }
            std::swap(stage_, last_stage_);
            last_h_ = h;
            has_last_ = true;
        }
        return true;
    }

    bool fail(const std::string& why)
    {
        result_.failure = why + " at t = " + to_text(static_cast<double>(t_));
        return false;
    }

    /// The polynomial of the last step at a multiple x of that step, counted from its beginning.
    void extrapolate(const quad& x, quad* out)
    {
        quad node = 1; // product of all (x - c_k), without a node that x is
        std::vector<quad>& share = shares_;
        share.assign(s_, quad(0));
        for (int k = 0; k < s_; ++k) {
            const quad distance = x - method_.c[k];
            if (distance == quad(0)) {
                std::fill(share.begin(), share.end(), quad(0));
                share[k] = 1;
                node = 1;
                break;
            }
            node *= distance;
            share[k] = method_.weight[k] / distance;
        }
        for (auto& v : share) v *= node;
        std::fill(out, out + n_, quad(0));
        for (int k = 0; k < s_; ++k) {
            const quad* const from = last_stage_.data() + static_cast<std::size_t>(k) * n_;
            for (int i = 0; i < n_; ++i) out[i] += share[k] * from[i];
        }
    }

    void predict(const quad& h)
    {
        if (!has_last_) {
            for (int k = 0; k < s_; ++k) std::copy(y_.begin(), y_.end(), stage_.begin() + static_cast<std::ptrdiff_t>(k) * n_);
            std::copy(y_.begin(), y_.end(), at_middle_.begin());
            return;
        }
        const quad ratio = h / last_h_;
        for (int k = 0; k < s_; ++k) extrapolate(quad(1) + ratio * method_.c[k], stage_.data() + static_cast<std::size_t>(k) * n_);
        extrapolate(quad(1) + ratio * quad(0.5), at_middle_.data());
    }

    void weigh()
    {
        for (int i = 0; i < n_; ++i) {
            // One that is zero, without a size in the recipe, has none: it takes no part in the scaling.
            const auto at = static_cast<std::size_t>(i);
            const quad least = at < set_.least.size() ? quad(set_.least[at]) : quad(0);
            quad size = std::max({abs(y_[i]), quad(info_.index_of(i) > 1 ? 1.0 : set_.floor) * largest_[i], least});
            for (int k = 0; k < s_; ++k) size = std::max(size, abs(stage_[static_cast<std::size_t>(k) * n_ + i]));
            weight_[i] = size;
        }
    }

    bool linearise(const quad& h)
    {
        if (eq_.jacobian(inside(t_ + h / quad(2)), at_middle_.data(), *work_, wide_.view()) != evaluation::ok &&
            eq_.jacobian(inside(t_), y_.data(), *work_, wide_.view()) != evaluation::ok)
            return false;
        if (scalable_)
            for (int i = 0; i < n_; ++i) { // powers of two; a component that is zero has no size of its own
                int exponent = 0;
                const quad size = weight_[i];
                if (size > quad(0)) exponent = static_cast<int>(std::lround(static_cast<double>(log(size)) / std::log(2.0)));
                scale_[i] = exp2(exponent);
            }
        bool finite = true;
        for_each_stored(wide_.view(), [&](int i, int j, int p) {
            const double v = static_cast<double>(wide_.view().data[p] * (scale_[j] / scale_[i]));
            narrow_.view().data[p] = v;
            finite = finite && std::isfinite(v);
        });
        if (!finite) return false;
        const auto step = static_cast<double>(h);
        shift_ = method_.real_eigenvalue / step;
        shifts_.clear();
        for (const auto& e : method_.eigenvalue) shifts_.push_back({e.re / step, e.im / step});
        return lu_.factor(std::span(&shift_, 1), shifts_);
    }

    static quad exp2(int exponent)
    {
        quad value = 1;
        quad base = exponent < 0 ? quad(0.5) : quad(2);
        for (int e = std::abs(exponent); e > 0; e >>= 1, base = base * base)
            if ((e & 1) != 0) value *= base;
        return value;
    }

    /// residual_ of stage k: h sum a_kj f_j - M (Y_k - y)
    void residual(int k, const quad& h)
    {
        const quad* const row = method_.a.data() + static_cast<std::size_t>(k) * s_;
        std::fill(residual_.begin(), residual_.end(), quad(0));
        for (int j = 0; j < s_; ++j) {
            const quad* const f = f_.data() + static_cast<std::size_t>(j) * n_;
            for (int i = 0; i < n_; ++i) residual_[i] += row[j] * f[i];
        }
        const quad* const stage = stage_.data() + static_cast<std::size_t>(k) * n_;
        if (identity_) {
            for (int i = 0; i < n_; ++i) residual_[i] = h * residual_[i] - (stage[i] - y_[i]);
            return;
        }
        for (int i = 0; i < n_; ++i) at_middle_[i] = stage[i] - y_[i];
        mass_.multiply(at_middle_.data(), product_.data());
        for (int i = 0; i < n_; ++i) residual_[i] = h * residual_[i] - product_[i];
    }

    /// One correction of all stages; its size relative to the components. Negative: f cannot be evaluated.
    double correct(const quad& h)
    {
        for (int k = 0; k < s_; ++k) {
            result_.evaluations += 1;
            if (evaluate_stage(k, h) != evaluation::ok) return -1;
        }
        std::fill(eigen_.begin(), eigen_.end(), 0.0);
        quad unit = 0; // residuals shrink below the range of double; the correction is linear in them
        for (int k = 0; k < s_; ++k) {
            residual(k, h);
            for (int i = 0; i < n_; ++i) {
                const quad scaled = residual_[i] / scale_[i];
                residuals_.resize(eigen_.size());
                residuals_[static_cast<std::size_t>(k) * n_ + i] = scaled;
                unit = std::max(unit, abs(scaled));
            }
        }
        if (!isfinite(unit)) return -1;
        if (unit == quad(0)) return 0;
        for (int k = 0; k < s_; ++k)
            for (int i = 0; i < n_; ++i) {
                const double r = static_cast<double>(residuals_[static_cast<std::size_t>(k) * n_ + i] / unit);
                for (int e = 0; e < s_; ++e) rhs_[e][i] += method_.to_eigen[static_cast<std::size_t>(e) * s_ + k] * r;
            }
        for (int i = 0; i < n_; ++i) rhs_[0][i] *= shift_;
        for (std::size_t e = 0; e < shifts_.size(); ++e)
            for (int i = 0; i < n_; ++i) {
                double& re = rhs_[1 + 2 * e][i];
                double& im = rhs_[2 + 2 * e][i];
                const double turned = shifts_[e].re * re - shifts_[e].im * im;
                im = shifts_[e].re * im + shifts_[e].im * re;
                re = turned;
            }
        lu_.solve_all(rhs_);
        double largest = 0;
        for (int k = 0; k < s_; ++k)
            for (int i = 0; i < n_; ++i) {
                double sum = 0;
                for (int e = 0; e < s_; ++e) sum += method_.from_eigen[static_cast<std::size_t>(k) * s_ + e] * rhs_[e][i];
                if (sum == 0) continue;
                const quad change = quad(sum) * unit * scale_[i];
                stage_[static_cast<std::size_t>(k) * n_ + i] += change;
                if (weight_[i] > quad(0))
                    largest = std::max(largest, static_cast<double>(abs(change) / weight_[i]));
                else
                    largest = std::max(largest, 1.0);
            }
        return std::isfinite(largest) ? largest : -1;
    }

    bool solve_stages(const quad& h)
    {
        predict(h);
        weigh();
        if (!linearise(h)) return false;
        double before = 0;
        contraction_ = 0;
        int growing = 0;
        for (int k = 0; k < most_iterations; ++k) {
            const double size = correct(h);
            if (size < 0) return false;
            if (size <= converged) return true;
            if (k < 3) weigh(); // the prediction may have been far off
            if (k > 0 && before > 0) {
                const double rate = size / before;
                if (size < rounding_ && rate > 0.2) return true;
                if (size < set_.stall * set_.tolerance && rate > slow) return true; // rounding: a shorter step would make it larger
                if (size * rate / (1 - std::min(rate, 0.9)) < converged && rate < 0.5) return true;
                if (k > 1 && before > rounding_) contraction_ = std::max(contraction_, rate);
                growing = rate > slow ? growing + 1 : 0;
                if ((rate > 2 && k > 1) || growing > 2) return false;
            }
            before = size;
        }
        return false;
    }

    /// The leading coefficient of the polynomial through the stages, relative to each component.
    double estimate()
    {
        weigh();
        double largest = 0;
        for (int i = 0; i < n_; ++i) {
            if (weight_[i] == quad(0)) continue;
            quad sum = 0;
            for (int k = 0; k < s_; ++k) sum += method_.top[k] * stage_[static_cast<std::size_t>(k) * n_ + i];
            largest = std::max(largest, static_cast<double>(abs(sum) / weight_[i]));
        }
        return largest;
    }

    const equations<quad>& eq_;
    const problem_info& info_;
    const stage_method& method_;
    const integration_settings& set_;
    int n_;
    int s_;
    const mass_matrix<quad>& mass_;
    bool identity_;
    double rounding_;
    bool scalable_;
    algebra path_;
    jacobian_matrix<quad> wide_;
    jacobian_matrix<double> narrow_;
    mass_matrix<double> mass_in_double_;
    counters count_;
    shifted_lu<double> lu_;
    std::unique_ptr<scratch> work_;

    quad t_ = 0;
    quad begin_ = 0;
    quad end_ = 0;
    quad h_ = 0;
    quad last_h_ = 0;
    bool has_last_ = false;
    double contraction_ = 0;
    std::vector<quad> y_, stage_, f_, last_stage_, residual_, at_middle_, product_, weight_, largest_, shares_, residuals_;
    std::vector<quad> scale_;
    std::vector<double> eigen_, correction_;
    std::vector<double*> rhs_;
    double shift_ = 0;
    std::vector<complex_shift<double>> shifts_;
    std::optional<recorded_problem> formula_; ///< none: its branches are not held
    std::vector<quad> values_;
    std::vector<quad> differences_; ///< of each decision at each stage
    double began_ = 0;
    integration result_;
};

} // namespace

double known_size(const integration_settings& s, const problem_info& info, int i)
{
    const auto known = s.size.size();
    const auto k = static_cast<std::size_t>(i);
    if (known == 0) return 0;
    return k < known ? s.size[k] : s.size[k - known] / (info.tend.value() - info.t0.value());
}

quad least_weight(const integration_settings& s, int i)
{
    static const quad smallest = pow(quad(10), quad(-4400));
    const auto k = static_cast<std::size_t>(i);
    return k < s.least.size() ? std::max(quad(s.least[k]), smallest) : smallest;
}

integration integrate(const problem& p, const stage_method& m, std::span<const quad> times, const integration_settings& s)
{
    if (!p.has_quad()) throw bad_request("'" + p.id() + "' cannot be evaluated in quadruple precision");
    const problem restarted = p.as_dae().with_all_restarts();
    integration result = integrator(restarted, m, s).run(times);
    for (auto& y : result.at) y.resize(p.n());
    return result;
}

} // namespace ivp::reference
