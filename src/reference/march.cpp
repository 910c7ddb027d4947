#include "march.hpp"

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
constexpr double smallest_step = 1e-31; // of t
constexpr double noise = 1e-27;         // of what a difference was computed from: below, its sign says nothing
constexpr int most_turns_at_once = 40;  // decisions that turn at one time
constexpr int samples = 24;             // of a step, at which the decisions are looked at

/// What the two methods have in common: segments between known kinks, steps to the times asked for, kinks that depend on the state.
class march {
public:
    march(const problem& p, const integration_settings& s)
        : p_(p.with_all_restarts()), info_(p_.as_dae().info()), set_(s), n_(p_.n()), y_(p_.in_quad().initial_values()), largest_(n_), weight_(n_)
    {
        for (int i = 0; i < n_; ++i) {
            const auto k = static_cast<std::size_t>(i);
            largest_[i] = std::max(abs(y_[i]), k < s.size.size() ? quad(s.size[k]) : quad(0));
        }
        t_ = info_.t0.in<quad>();
        began_ = process_cpu_seconds();
    }
    virtual ~march() = default;
    march(const march&) = delete;
    march& operator=(const march&) = delete;

    integration run(std::span<const quad> times)
    {
        std::vector<quad> kinks;
        for (const auto& b : info_.breakpoints) kinks.push_back(b.in<quad>());
        const auto next_kink = [&](const quad& t) {
            const auto k = std::ranges::find_if(kinks, [&t](const quad& kink) { return kink > t; });
            return k == kinks.end() ? times.back() : *k;
        };
        bool fresh = true;
        for (const quad& target : times) {
            while (t_ < target) {
                const quad kink = next_kink(t_);
                if (fresh && !begin_segment(kink)) return finish();
                fresh = false;
                if (!advance(std::min(kink, target))) return finish();
                fresh = t_ == kink;
            }
            result_.at.push_back(y_);
        }
        return finish();
    }

protected:
    /// A new tape: nothing of the steps before counts.
    virtual bool begin_piece() = 0;
    /// One accepted step of at most `room`, with y_ at its end; nothing: it failed, in words.
    virtual std::optional<quad> step(const quad& room) = 0;

    void weigh()
    {
        for (int i = 0; i < n_; ++i) {
            largest_[i] = std::max(largest_[i], abs(y_[i]));
            weight_[i] = std::max({abs(y_[i]), quad(set_.floor) * largest_[i], least_weight(set_, i)});
        }
    }

    bool fail(const std::string& why)
    {
        if (result_.failure.empty()) result_.failure = why + " at t = " + to_text(static_cast<double>(t_));
        return false;
    }

    /// Whether a decision of the tape has turned at this point, beyond rounding.
    [[nodiscard]] bool turned(const tape::decision& d, const quad& difference, const quad& size) const
    {
        return d.negative != (difference < quad(0)) && abs(difference) > quad(noise) * size;
    }

    recorded_problem p_;
    const problem_info& info_;
    const integration_settings& set_;
    int n_;
    quad t_ = 0;
    quad begin_ = 0;
    quad end_ = 0;
    std::vector<quad> y_, largest_, weight_;
    integration result_;
    std::optional<std::size_t> turn_; ///< the decision that turns at the end of the last step

private:
    bool begin_segment(const quad& end)
    {
        begin_ = t_;
        end_ = end;
        const quad inside = t_ + (end_ - begin_) * quad(record_margin);
        if (!p_.record(inside, y_.data())) return fail("the formula refuses");
        ++result_.evaluations;
        weigh();
        return begin_piece();
    }

    bool advance(const quad& stop)
    {
        int turns = 0;
        while (t_ < stop) {
            if (result_.steps >= set_.max_steps) return fail("too many steps");
            if (set_.timeout_s && process_cpu_seconds() - began_ > *set_.timeout_s) return fail("no time left");
            turn_.reset();
            const quad room = stop - t_;
            const auto h = step(room);
            if (!h) return fail("no step");
            const bool reached = *h == room;
            if (!reached && *h < quad(smallest_step) * std::max(abs(t_), end_ - begin_) && !turn_) return fail("step size too small");
            ++result_.accepted;
            t_ = reached ? stop : t_ + *h;
            for (const auto& k : set_.keep) {
                quad sum = 0;
                for (const int term : k.terms) sum += term < 0 ? -y_[-term - 1] : y_[term - 1];
                y_[k.target - 1] = sum;
            }
            weigh();
            if (!turn_) continue;
            turns = *h > quad(smallest_step) * std::max(abs(t_), end_ - begin_) ? 0 : turns + 1;
            if (turns > most_turns_at_once) return fail("a branch of the formula turns back and forth");
            ++result_.turns;
            if (!p_.turn(*turn_, t_, y_.data())) return fail("the formula refuses");
            if (!begin_piece()) return false;
        }
        return true;
    }

    integration finish()
    {
        result_.t = t_;
        result_.cpu_s = process_cpu_seconds() - began_;
        return std::move(result_);
    }

    double began_ = 0;
};

class by_series final : public march {
public:
    by_series(const problem& p, int order, const integration_settings& s) : march(p, s), order_(order) {}

private:
    bool begin_piece() override
    {
        series_ = std::make_unique<expansion>(p_, order_);
        if (!series_->fault().empty()) return fail(series_->fault());
        series_->set_sizes(weight_, end_ - begin_);
        series_->set_point(t_, y_.data());
        return true;
    }

    std::optional<quad> step(const quad& room) override
    {
        ++result_.steps;
        series_->set_sizes(weight_, end_ - begin_);
        if (!series_->expand()) {
            fail("no expansion");
            return std::nullopt;
        }
        result_.evaluations += static_cast<std::uint64_t>(order_);
        quad h = room;
        for (const int k : {order_ - 1, order_}) {
            quad largest = 0;
            for (int j = 0; j < n_; ++j)
                if (weight_[j] > quad(0)) largest = std::max(largest, abs(series_->coefficient(j, k)) / weight_[j]);
            if (largest > quad(0)) h = std::min(h, quad(safety) * exp(log(quad(set_.tolerance) / largest) / quad(k)));
        }
        if (h < room && h * quad(2) > room) h = room / quad(2);
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
    quad before_turn(quad h)
    {
        const auto& decisions = p_.formula().decisions;
        if (decisions.empty()) return h;
        std::vector<quad> values, sizes;
        evaluate(p_.formula(), t_, y_.data(), values);
        evaluate_sizes(p_.formula(), values, weight_.data(), sizes);
        for (std::size_t k = 0; k < decisions.size(); ++k) {
            const auto& d = decisions[k];
            const auto bad = [&](const quad& at) { return turned(d, series_->value_of_entry(d.difference, at), sizes[d.difference]); };
            quad good = 0;
            std::optional<quad> wrong;
            for (int i = 1; i <= samples && !wrong; ++i) {
                const quad at = h * quad(i) / quad(samples);
                (bad(at) ? wrong.emplace(at) : good) = at;
            }
            if (!wrong) continue;
            turn_ = k;
            for (int halving = 0; halving < 120; ++halving) { // by the sign alone: noise decides the last digits only
                const quad middle = (good + *wrong) / quad(2);
                const bool passed = d.negative != (series_->value_of_entry(d.difference, middle) < quad(0));
                (passed ? *wrong : good) = middle;
            }
            h = *wrong;
        }
        return h;
    }

    int order_;
    std::unique_ptr<expansion> series_;
};

class by_extrapolation final : public march {
public:
    by_extrapolation(const problem& p, int columns, const integration_settings& s) : march(p, s), columns_(columns) {}

private:
    bool begin_piece() override
    {
        point_ = std::make_unique<expansion>(p_, 1);
        if (!point_->fault().empty()) return fail(point_->fault());
        point_->set_sizes(weight_, end_ - begin_);
        if (!consistent()) return fail("no consistent point");
        if (h_ == quad(0)) h_ = (end_ - begin_) * quad(set_.first.value_or(first_part));
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
    bool slope(const quad& t, std::vector<quad>& y, std::vector<quad>& out)
    {
        ++result_.evaluations;
        if (point_->explicit_ode()) {
            evaluate(p_.formula(), t, y.data(), values_);
            for (int j = 0; j < n_; ++j) {
                out[j] = values_[p_.formula().output[j]];
                if (!isfinite(out[j])) return false;
            }
            return true;
        }
        point_->set_point(t, y.data());
        if (!point_->settle()) return false;
        for (int j = 0; j < n_; ++j) {
            const bool differential = point_->structure().d[j] > 0;
            out[j] = differential ? point_->coefficient(j, 1) : quad(0);
            if (!differential) y[j] = point_->coefficient(j, 0);
        }
        return true;
    }

    /// The values after a step, and the difference of the last two columns relative to the components.
    std::optional<double> extrapolate(const quad& h, std::vector<quad>& to)
    {
        std::vector<quad> first(n_), f(n_), before(n_), now(n_);
        std::vector<std::vector<quad>> row; // of the tableau
        now = y_;
        if (!slope(t_, now, first)) return std::nullopt;
        double error = 0;
        for (int k = 1; k <= columns_; ++k) {
            const int parts = 2 * k;
            const quad width = h / quad(parts);
            before = y_;
            for (int j = 0; j < n_; ++j) now[j] = y_[j] + width * first[j];
            for (int i = 1; i < parts; ++i) {
                if (!slope(t_ + width * quad(i), now, f)) return std::nullopt;
                for (int j = 0; j < n_; ++j) {
                    if (!point_->explicit_ode() && point_->structure().d[j] == 0) continue;
                    const quad next = before[j] + quad(2) * width * f[j];
                    before[j] = now[j];
                    now[j] = next;
                }
            }
            std::vector<std::vector<quad>> next_row{now};
            for (int m = 1; m < k; ++m) {
                const quad ratio = quad(k) / quad(k - m);
                const quad share = quad(1) / (ratio * ratio - quad(1));
                std::vector<quad> better(n_);
                for (int j = 0; j < n_; ++j) better[j] = next_row[m - 1][j] + (next_row[m - 1][j] - row[m - 1][j]) * share;
                next_row.push_back(std::move(better));
            }
            row = std::move(next_row);
        }
        to = row.back();
        for (int j = 0; j < n_; ++j) {
            if (!point_->explicit_ode() && point_->structure().d[j] == 0) continue; // found at the end
            if (weight_[j] > quad(0)) error = std::max(error, static_cast<double>(abs(row[columns_ - 1][j] - row[columns_ - 2][j]) / weight_[j]));
        }
        return std::isfinite(error) ? std::optional(error) : std::nullopt;
    }

    std::optional<quad> step(const quad& room) override
    {
        std::vector<quad> next;
        while (true) {
            ++result_.steps;
            quad h = std::min(h_, room);
            if (h < room && h * quad(2) > room) h = room / quad(2);
            if (h < quad(smallest_step) * std::max(abs(t_), end_ - begin_)) {
                fail("step size too small");
                return std::nullopt;
            }
            const auto difference = extrapolate(h, next);
            if (!difference) {
                h_ = h / quad(2);
                continue;
            }
            const double error = *difference / set_.tolerance;
            const double wanted = safety * std::pow(std::max(error, 1e-30), -1.0 / (2 * columns_ - 1));
            if (error > 1) {
                h_ = h * quad(std::max(least_cut, wanted));
                continue;
            }
            if (const auto k = first_turned(h, next)) {
                const auto to = locate(*k, h, next);
                if (!to) {
                    h_ = h / quad(2);
                    continue;
                }
                turn_ = *k;
                h = *to;
            } else if (h == h_) {
                h_ = h * quad(std::min(wanted, most_growth));
            } else {
                h_ = std::max(h_, h * quad(std::min(wanted, most_growth)));
            }
            y_ = next;
            const quad began = t_;
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
    std::optional<std::size_t> first_turned(const quad& h, const std::vector<quad>& next)
    {
        const auto& decisions = p_.formula().decisions;
        if (decisions.empty()) return std::nullopt;
        std::vector<quad> sizes;
        evaluate(p_.formula(), t_ + h, next.data(), values_);
        evaluate_sizes(p_.formula(), values_, weight_.data(), sizes);
        for (std::size_t k = 0; k < decisions.size(); ++k)
            if (turned(decisions[k], values_[decisions[k].difference], sizes[decisions[k].difference])) return k;
        return std::nullopt;
    }

    /// The step to where decision k turns: by secants that keep the bracket (Illinois), each one a step of its own.
    std::optional<quad> locate(std::size_t k, const quad& h, std::vector<quad>& next)
    {
        const int entry = p_.formula().decisions[k].difference;
        const auto difference = [&](const quad& at, std::vector<quad>& y) {
            evaluate(p_.formula(), t_ + at, y.data(), values_);
            return values_[entry];
        };
        quad low = 0;
        quad high = h;
        quad at_low = difference(low, y_);
        quad at_high = difference(high, next);
        if ((at_low < quad(0)) == (at_high < quad(0))) { // on the wrong side already: it turns here
            next = y_;
            return quad(0);
        }
        int side = 0;
        for (int i = 0; i < 60; ++i) {
            const quad at = (low * at_high - high * at_low) / (at_high - at_low);
            if (!extrapolate(at, next)) return std::nullopt;
            const quad d = difference(at, next);
            const bool above = (d < quad(0)) == (at_high < quad(0));
            const quad moved = above ? high - at : at - low;
            if (above) {
                high = at;
                at_high = d;
                if (side == 1) at_low = at_low / quad(2);
                side = 1;
            } else {
                low = at;
                at_low = d;
                if (side == -1) at_high = at_high / quad(2);
                side = -1;
            }
            if (d == quad(0) || moved < quad(1e-31) * std::max(abs(t_), h)) return at;
        }
        return std::nullopt;
    }

    int columns_;
    quad h_ = 0;
    std::vector<quad> values_;
    std::unique_ptr<expansion> point_;
};

integration in_own_components(integration result, const problem& p)
{
    for (auto& y : result.at) y.resize(p.n());
    return result;
}

} // namespace

integration integrate_by_series(const problem& p, int order, std::span<const quad> times, const integration_settings& s)
{
    return in_own_components(by_series(p, order, s).run(times), p);
}

integration integrate_by_extrapolation(const problem& p, int columns, std::span<const quad> times, const integration_settings& s)
{
    return in_own_components(by_extrapolation(p, columns, s).run(times), p);
}

} // namespace ivp::reference
