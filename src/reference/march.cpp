#include "march.hpp"

#include "crossing.hpp"
#include "expansion.hpp"

#include "base/cpu_time.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace ivp::reference {

namespace {

constexpr double safety = 0.9;
constexpr double most_growth = 4;
constexpr double least_cut = 0.2;
constexpr double first_part = 1e-3;     // of a segment: the first step of an extrapolation
constexpr double record_margin = 1e-13; // of a segment: so far inside it the formula is recorded
template <class N>
constexpr double smallest_step = 1e3 * last_place<N>; // of t
template <class N>
constexpr double noise = 1e7 * last_place<N>; // of what a difference was computed from: below, its sign says nothing
constexpr int most_turns_at_once = 40;        // decisions that turn at one time
constexpr int samples = 24;                   // of a step, at which the decisions are looked at

/// What the two methods have in common: segments between known kinks, steps to the times asked for, kinks that depend on the state.
template <class N>
class march {
public:
    march(const problem& p, const integration_settings& s)
        : p_(p.with_all_restarts()), info_(p_.as_dae().info()), set_(s), n_(p_.n()), largest_(n_), weight_(n_)
    {
        for (const quad& y : p_.in_quad().initial_values()) y_.push_back(N(y));
        for (int i = 0; i < n_; ++i) largest_[i] = std::max(abs(y_[i]), N(known_size(s, info_, i)));
        t_ = info_.t0.in<quad>();
        began_ = process_cpu_seconds();
    }
    virtual ~march() = default;
    march(const march&) = delete;
    march& operator=(const march&) = delete;

    integration run(std::span<const quad> asked)
    {
        const std::vector<N> times(asked.begin(), asked.end());
        std::vector<N> kinks;
        for (const auto& b : info_.breakpoints) kinks.push_back(b.in<quad>());
        const auto next_kink = [&](const N& t) {
            const auto k = std::ranges::find_if(kinks, [&t](const N& kink) { return kink > t; });
            return k == kinks.end() ? times.back() : *k;
        };
        bool fresh = true;
        for (const N& target : times) {
            while (t_ < target) {
                const N kink = next_kink(t_);
                if (fresh && !begin_segment(kink)) return finish();
                fresh = false;
                if (!advance(std::min(kink, target))) return finish();
                fresh = t_ == kink;
            }
            result_.at.push_back(in_quad(y_));
        }
        return finish();
    }

protected:
    /// A new tape: nothing of the steps before counts.
    virtual bool begin_piece() = 0;
    /// One accepted step of at most `room`, with y_ at its end; nothing: it failed, in words.
    virtual std::optional<N> step(const N& room) = 0;

    void weigh()
    {
        for (int i = 0; i < n_; ++i) {
            largest_[i] = std::max(largest_[i], abs(y_[i]));
            weight_[i] = std::max({abs(y_[i]), N(set_.floor) * largest_[i], N(least_weight(set_, i))});
        }
    }

    bool fail(const std::string& why)
    {
        if (result_.failure.empty()) result_.failure = why + " at t = " + to_text(static_cast<double>(t_));
        return false;
    }

    /// Whether a decision of the tape has turned at this point, by more than a part of its size or than rounding.
    [[nodiscard]] bool turned(const tape::decision& d, const N& difference, const N& size, double part = 0) const
    {
        return d.negative != (difference < N(0)) && abs(difference) > N(std::max(part, noise<N>)) * size;
    }

    static std::vector<quad> in_quad(const std::vector<N>& y)
    {
        std::vector<quad> wide;
        for (const N& v : y) wide.push_back(to_quad(v));
        return wide;
    }

    recorded_problem p_;
    tape_in<N> formula_; ///< of the piece
    const problem_info& info_;
    const integration_settings& set_;
    int n_;
    N t_ = 0;
    N begin_ = 0;
    N end_ = 0;
    std::vector<N> y_, largest_, weight_;
    integration result_;
    std::optional<std::size_t> turn_; ///< the decision that turns at the end of the last step

private:
    bool begin_segment(const N& end)
    {
        begin_ = t_;
        end_ = end;
        const N inside = t_ + (end_ - begin_) * N(record_margin);
        if (!p_.record(to_quad(inside), in_quad(y_).data())) return fail("the formula refuses");
        formula_ = tape_in<N>(p_.formula());
        ++result_.evaluations;
        weigh();
        return begin_piece();
    }

    bool advance(const N& stop)
    {
        int turns = 0;
        while (t_ < stop) {
            if (result_.steps >= set_.max_steps) return fail("too many steps");
            if (set_.timeout_s && process_cpu_seconds() - began_ > *set_.timeout_s) return fail("no time left");
            turn_.reset();
            const N room = stop - t_;
            const auto h = step(room);
            if (!h) return fail("no step");
            const bool reached = *h == room;
            if (!reached && *h < N(smallest_step<N>) * std::max(abs(t_), end_ - begin_) && !turn_) return fail("step size too small");
            ++result_.accepted;
            t_ = reached ? stop : t_ + *h;
            for (const auto& k : set_.keep) {
                N sum = 0;
                for (const int term : k.terms) sum += term < 0 ? -y_[-term - 1] : y_[term - 1];
                y_[k.target - 1] = sum;
            }
            weigh();
            if (!turn_) continue;
            turns = *h > N(smallest_step<N>) * std::max(abs(t_), end_ - begin_) ? 0 : turns + 1;
            if (turns > most_turns_at_once) return fail("a branch of the formula switches back and forth");
            ++result_.turns;
            if (!p_.turn(*turn_, to_quad(t_), in_quad(y_).data())) return fail("the formula refuses");
            formula_ = tape_in<N>(p_.formula());
            if (!begin_piece()) return false;
        }
        return true;
    }

    integration finish()
    {
        result_.t = to_quad(t_);
        result_.cpu_s = process_cpu_seconds() - began_;
        return std::move(result_);
    }

    double began_ = 0;
};

template <class N>
class by_series final : public march<N> {
    using base = march<N>;
    using base::begin_, base::end_, base::fail, base::formula_, base::largest_, base::n_, base::p_, base::result_, base::set_, base::t_, base::turn_,
        base::turned, base::weight_, base::y_;

public:
    by_series(const problem& p, int order, const integration_settings& s) : base(p, s), order_(order) {}

private:
    bool begin_piece() override
    {
        series_ = std::make_unique<basic_expansion<N>>(p_, order_);
        if (!series_->fault().empty()) return fail(series_->fault());
        series_->set_sizes(weight_, end_ - begin_);
        series_->set_point(t_, y_.data());
        return true;
    }

    std::optional<N> step(const N& room) override
    {
        ++result_.steps;
        series_->set_sizes(weight_, end_ - begin_);
        if (!series_->expand()) {
            fail("no expansion");
            return std::nullopt;
        }
        result_.evaluations += static_cast<std::uint64_t>(order_);
        N h = room;
        for (const int k : {order_ - 1, order_}) {
            N largest = 0;
            for (int j = 0; j < n_; ++j)
                if (weight_[j] > N(0)) largest = std::max(largest, abs(series_->coefficient(j, k)) / weight_[j]);
            if (largest > N(0)) h = std::min(h, N(safety) * N(exp(log(quad(set_.tolerance) / to_quad(largest)) / quad(k))));
        }
        if (h < room && h * N(2) > room) h = room / N(2);
        h = before_turn(h);
        series_->move(h);
        if (h == room && !turn_ && !series_->settle()) { // what is asked for lies on the constraints
            fail("no consistent point");
            return std::nullopt;
        }
        for (int j = 0; j < n_; ++j) y_[j] = series_->coefficient(j, 0);
        return h;
    }

    /// The step, or the part of it up to the first decision that turns.
    N before_turn(N h)
    {
        const auto& decisions = p_.formula().decisions;
        if (decisions.empty()) return h;
        std::vector<N> values, sizes, points(samples);
        evaluate(formula_, t_, y_.data(), values);
        evaluate_sizes(formula_, values, weight_.data(), sizes);
        for (std::size_t k = 0; k < decisions.size(); ++k) {
            const auto& d = decisions[k];
            const auto value = [&](const N& at) { return series_->value_of_entry(d.difference, at); };
            const auto wrong = [&](const N& difference, double part) { return turned(d, difference, sizes[d.difference], part); };
            for (int i = 0; i < samples; ++i) points[i] = h * N(i + 1) / N(samples);
            const auto between = first_crossing<N>(points, value, wrong);
            if (!between) continue;
            turn_ = k;
            N good = between->first == between->second ? N(0) : between->first;
            N bad = between->second;
            for (int halving = 0; halving < 120; ++halving) { // by the sign alone: noise decides the last digits only
                const N middle = (good + bad) / N(2);
                const bool passed = d.negative != (value(middle) < N(0));
                (passed ? bad : good) = middle;
            }
            h = bad;
        }
        return h;
    }

    int order_;
    std::unique_ptr<basic_expansion<N>> series_;
};

template <class N>
class by_extrapolation final : public march<N> {
    using base = march<N>;
    using base::begin_, base::end_, base::fail, base::formula_, base::largest_, base::n_, base::p_, base::result_, base::set_, base::t_, base::turn_,
        base::turned, base::weight_, base::y_;

public:
    by_extrapolation(const problem& p, int columns, const integration_settings& s) : base(p, s), columns_(columns) {}

private:
    bool begin_piece() override
    {
        point_ = std::make_unique<basic_expansion<N>>(p_, 1);
        if (!point_->fault().empty()) return fail(point_->fault());
        point_->set_sizes(weight_, end_ - begin_);
        if (!consistent()) return fail("no consistent point");
        if (h_ == N(0)) h_ = (end_ - begin_) * N(set_.first.value_or(first_part));
        return true;
    }

    /// Moves y_ onto the constraints.
    bool consistent()
    {
        if (point_->explicit_ode()) return true;
        point_->set_point(t_, y_.data());
        if (!point_->settle()) return false;
        for (int j = 0; j < n_; ++j) y_[j] = point_->coefficient(j, 0);
        return true;
    }

    /// Derivatives of the differential variables; the others are what the equations say.
    bool slope(const N& t, std::vector<N>& y, std::vector<N>& out)
    {
        ++result_.evaluations;
        if (point_->explicit_ode()) {
            evaluate(formula_, t, y.data(), values_);
            for (int j = 0; j < n_; ++j) {
                out[j] = values_[formula_.output[j]];
                if (!isfinite(out[j])) return false;
            }
            return true;
        }
        point_->set_point(t, y.data());
        if (!point_->settle()) return false;
        for (int j = 0; j < n_; ++j) {
            const bool differential = point_->structure().d[j] > 0;
            out[j] = differential ? point_->coefficient(j, 1) : N(0);
            if (!differential) y[j] = point_->coefficient(j, 0);
        }
        return true;
    }

    /// The values after a step, and the difference of the last two columns relative to the components.
    std::optional<double> extrapolate(const N& h, std::vector<N>& to)
    {
        std::vector<N> first(n_), f(n_), before(n_), now(n_);
        std::vector<std::vector<N>> row; // of the tableau
        now = y_;
        if (!slope(t_, now, first)) return std::nullopt;
        double error = 0;
        for (int k = 1; k <= columns_; ++k) {
            const int parts = 2 * k;
            const N width = h / N(parts);
            before = y_;
            for (int j = 0; j < n_; ++j) now[j] = y_[j] + width * first[j];
            for (int i = 1; i < parts; ++i) {
                if (!slope(t_ + width * N(i), now, f)) return std::nullopt;
                for (int j = 0; j < n_; ++j) {
                    if (!point_->explicit_ode() && point_->structure().d[j] == 0) continue;
                    const N next = before[j] + N(2) * width * f[j];
                    before[j] = now[j];
                    now[j] = next;
                }
            }
            std::vector<std::vector<N>> next_row{now};
            for (int m = 1; m < k; ++m) {
                const N ratio = N(k) / N(k - m);
                const N share = N(1) / (ratio * ratio - N(1));
                std::vector<N> better(n_);
                for (int j = 0; j < n_; ++j) better[j] = next_row[m - 1][j] + (next_row[m - 1][j] - row[m - 1][j]) * share;
                next_row.push_back(std::move(better));
            }
            row = std::move(next_row);
        }
        to = row.back();
        for (int j = 0; j < n_; ++j) {
            if (!point_->explicit_ode() && point_->structure().d[j] == 0) continue; // found at the end
            if (weight_[j] > N(0)) error = std::max(error, static_cast<double>(abs(row[columns_ - 1][j] - row[columns_ - 2][j]) / weight_[j]));
        }
        return std::isfinite(error) ? std::optional(error) : std::nullopt;
    }

    std::optional<N> step(const N& room) override
    {
        std::vector<N> next;
        while (true) {
            ++result_.steps;
            N h = std::min(h_, room);
            if (h < room && h * N(2) > room) h = room / N(2);
            if (h < N(smallest_step<N>) * std::max(abs(t_), end_ - begin_)) {
                fail("step size too small");
                return std::nullopt;
            }
            const auto difference = extrapolate(h, next);
            if (!difference) {
                h_ = h / N(2);
                continue;
            }
            const double error = *difference / set_.tolerance;
            const double wanted = safety * std::pow(std::max(error, 1e-30), -1.0 / (2 * columns_ - 1));
            if (error > 1) {
                h_ = h * N(std::max(least_cut, wanted));
                continue;
            }
            if (const auto k = first_turned(h, next)) {
                const auto to = locate(*k, h, next);
                if (!to) {
                    h_ = h / N(2);
                    continue;
                }
                turn_ = *k;
                h = *to;
            } else if (h == h_) {
                h_ = h * N(std::min(wanted, most_growth));
            } else {
                h_ = std::max(h_, h * N(std::min(wanted, most_growth)));
            }
            y_ = next;
            const N began = t_;
            t_ = h == room ? t_ + room : t_ + h;
            const bool good = consistent();
            t_ = began;
            if (!good) {
                fail("no consistent point");
                return std::nullopt;
            }
            return h;
        }
    }

    /// The first decision that has turned at the end of a step.
    std::optional<std::size_t> first_turned(const N& h, const std::vector<N>& next)
    {
        const auto& decisions = p_.formula().decisions;
        if (decisions.empty()) return std::nullopt;
        std::vector<N> sizes;
        evaluate(formula_, t_ + h, next.data(), values_);
        evaluate_sizes(formula_, values_, weight_.data(), sizes);
        for (std::size_t k = 0; k < decisions.size(); ++k)
            if (turned(decisions[k], values_[decisions[k].difference], sizes[decisions[k].difference])) return k;
        return std::nullopt;
    }

    /// The step to where decision k turns: by secants that keep the bracket (Illinois), each one a step of its own.
    std::optional<N> locate(std::size_t k, const N& h, std::vector<N>& next)
    {
        const int entry = p_.formula().decisions[k].difference;
        const auto difference = [&](const N& at, std::vector<N>& y) {
            evaluate(formula_, t_ + at, y.data(), values_);
            return values_[entry];
        };
        N low = 0;
        N high = h;
        N at_low = difference(low, y_);
        N at_high = difference(high, next);
        if ((at_low < N(0)) == (at_high < N(0))) { // on the wrong side already: it turns here
            next = y_;
            return N(0);
        }
        int side = 0;
        for (int i = 0; i < 60; ++i) {
            const N at = (low * at_high - high * at_low) / (at_high - at_low);
            if (!extrapolate(at, next)) return std::nullopt;
            const N d = difference(at, next);
            const bool above = (d < N(0)) == (at_high < N(0));
            const N moved = above ? high - at : at - low;
            if (above) {
                high = at;
                at_high = d;
                if (side == 1) at_low = at_low / N(2);
                side = 1;
            } else {
                low = at;
                at_low = d;
                if (side == -1) at_high = at_high / N(2);
                side = -1;
            }
            if (d == N(0) || moved < N(smallest_step<N>) * std::max(abs(t_), h)) return at;
        }
        return std::nullopt;
    }

    int columns_;
    N h_ = 0;
    std::vector<N> values_;
    std::unique_ptr<basic_expansion<N>> point_;
};

integration in_own_components(integration result, const problem& p)
{
    for (auto& y : result.at) y.resize(p.n());
    return result;
}

/// The same method in the numbers asked for.
template <template <class> class Method>
integration in_numbers(const problem& p, int size, std::span<const quad> times, const integration_settings& s)
{
    switch (s.numbers) {
    case number_kind::two_doubles: return in_own_components(Method<double2>(p, size, s).run(times), p);
    case number_kind::two_quads: return in_own_components(Method<quad2>(p, size, s).run(times), p);
    case number_kind::quad: break;
    }
    return in_own_components(Method<quad>(p, size, s).run(times), p);
}

} // namespace

integration integrate_by_series(const problem& p, int order, std::span<const quad> times, const integration_settings& s)
{
    return in_numbers<by_series>(p, order, times, s);
}

integration integrate_by_extrapolation(const problem& p, int columns, std::span<const quad> times, const integration_settings& s)
{
    return in_numbers<by_extrapolation>(p, columns, times, s);
}

} // namespace ivp::reference
