#include <ivp/evaluator.hpp>

#include "base/lost_time.hpp"
#include "base/thread_team.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>

namespace ivp {

/// f, its pieces spread over a team: as many equal shares as threads.
template <class R>
struct basic_evaluator<R>::shared_evaluation {
    function_pieces<R> pieces;
    thread_team* team;
    int n;
    bool* is_finite;

    /// The first answer that is not 0, in the order of the pieces.
    static int call(const void* self, R t, const R* y, R* out)
    {
        const auto& s = *static_cast<const shared_evaluation*>(self);
        struct result {
            int answer = 0;
            bool finite = true;
        };
        std::array<result, thread_team::most_tasks> results;
        const int shares = std::min(s.team->size(), thread_team::most_tasks);
        const auto begin = [&s, shares](int share) { return static_cast<int>(static_cast<std::int64_t>(s.pieces.count) * share / shares); };
        s.team->each(shares, [&](int k) {
            const int answer = s.pieces.call(s.pieces.self, t, y, out, begin(k), begin(k + 1));
            results[k] = {answer, answer != 0 || s.wrote_finite_numbers(begin(k), begin(k + 1), out)};
        });
        *s.is_finite = std::all_of(results.begin(), results.begin() + shares, [](const result& r) { return r.finite; });
        const auto* const bad = std::find_if(results.begin(), results.begin() + shares, [](const result& r) { return r.answer != 0; });
        return bad == results.begin() + shares ? 0 : bad->answer;
    }

private:
    [[nodiscard]] bool wrote_finite_numbers(int first, int last, const R* out) const
    {
        const int block = n / pieces.blocks;
        const int piece = block / pieces.count;
        for (int b = 0; b < pieces.blocks; ++b)
            if (!sum_of_many_is_finite(out + b * block + first * piece, out + b * block + last * piece)) return false;
        return true;
    }
};

template <class R>
basic_evaluator<R>::basic_evaluator(const ivp::problem& p)
    : problem_(p), equations_(p.in<R>()), f_(equations_.plain_f()), n_(p.n()), scratch_(equations_.make_scratch_for(p.finest_iteration_structure()))
{}

template <class R>
basic_evaluator<R>::~basic_evaluator() = default;

template <class R>
void basic_evaluator<R>::use_threads(int count)
{
    constexpr int fewest_equations = 4000; // below, the threads would wait for each other as long as they work
    if (count < 2) return;
    team_ = std::make_unique<thread_team>(count);
    const function_pieces<R> pieces = equations_.pieces_of_f();
    if (pieces.count < count || n_ < fewest_equations) return;
    shared_ = std::make_unique<shared_evaluation>(shared_evaluation{pieces, team_.get(), n_, &shared_is_finite_});
    f_ = {shared_evaluation::call, shared_.get()};
}

template <class R>
void basic_evaluator<R>::count_foreign(std::uint64_t counters::*which)
{
    (which == &counters::f ? foreign_f_ : foreign_f_jacobian_).fetch_add(1, std::memory_order_relaxed);
}

template <class R>
std::int64_t basic_evaluator<R>::nanoseconds_now()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class R>
evaluation basic_evaluator<R>::jacobian(const R& t, const R* y, const matrix_view<R>& out)
{
    if (must_stop(true)) return evaluation::stopped;
    ++own_.jacobian;
    exact_jacobian_used_ = true;
    const auto formula = [&] {
        return published_jacobian_ ? equations_.published_jacobian(t, y, *scratch_, out) : equations_.jacobian(t, y, *scratch_, out);
    };
    return timed_if_asked(formula);
}

template <class R>
evaluation basic_evaluator<R>::partials(const R& t, const R* y, const R* yp, const R& a, const R& b, const matrix_view<R>& out)
{
    if (must_stop(true)) return evaluation::stopped;
    ++own_.jacobian;
    exact_jacobian_used_ = true;
    const auto formula = [&] { return equations_.partials(t, y, yp, a, b, *scratch_, out); };
    return timed_if_asked(formula);
}

template <class R>
evaluation basic_evaluator<R>::both_partials(const R& t, const R* y, const R* yp, const matrix_view<R>& dg_dy, const matrix_view<R>& dg_dyp)
{
    if (const evaluation e = partials(t, y, yp, R(1), R(0), dg_dy); e != evaluation::ok) return e;
    const evaluation e = partials(t, y, yp, R(0), R(1), dg_dyp);
    --own_.jacobian;
    return e;
}

template <class R>
evaluation basic_evaluator<R>::time_derivative(const R& t, const R* y, const R* yp, R* out)
{
    if (must_stop(true)) return evaluation::stopped;
    const auto formula = [&] { return equations_.time_derivative(t, y, yp, *scratch_, out); };
    return timed_if_asked(formula);
}

template <class R>
evaluation basic_evaluator<R>::products(const R& t, const R* y, std::span<const R* const> v, std::span<R* const> out)
{
    if (must_stop(true)) return evaluation::stopped;
    ++own_.jacobian_products;
    exact_jacobian_used_ = true;
    const auto formula = [&] { return equations_.products(t, y, v, *scratch_, out); };
    return timed_if_asked(formula);
}

template <class R>
counters basic_evaluator<R>::total() const
{
    counters sum = own_;
    sum.f += foreign_f_.load();
    sum.f_jacobian += foreign_f_jacobian_.load();
    const std::scoped_lock lock(failure_mutex_);
    sum += failures_;
    return sum;
}

template <class R>
std::optional<nonfinite_place> basic_evaluator<R>::last_nonfinite() const
{
    const std::scoped_lock lock(failure_mutex_);
    return last_nonfinite_;
}

template <class R>
void basic_evaluator<R>::stop(outcome reason)
{
    const std::scoped_lock lock(failure_mutex_);
    if (stopped_.load()) return;
    stop_reason_ = reason;
    stopped_.store(true);
    set_undisturbed();
}

template <class R>
void basic_evaluator<R>::set_undisturbed()
{
    undisturbed_.store(timed_ || stopped_.load() ? nullptr : owner_);
}

template <class R>
void basic_evaluator<R>::time_evaluations(bool on)
{
    const std::scoped_lock lock(failure_mutex_);
    timed_ = on;
    set_undisturbed();
}

template <class R>
std::optional<outcome> basic_evaluator<R>::stop_reason() const
{
    const std::scoped_lock lock(failure_mutex_);
    if (!stopped_.load()) return std::nullopt;
    return stop_reason_;
}

template <class R>
bool basic_evaluator<R>::past_deadline()
{
    until_clock_ = evaluations_per_clock_reading;
    const auto now = std::chrono::steady_clock::now();
    if (now < deadline_) return false;
    const double lost = seconds_lost();
    deadline_ += clock_duration(lost - lost_before_);
    lost_before_ = lost;
    if (now < deadline_) return false;
    stop(outcome::timed_out);
    return true;
}

template <class R>
void basic_evaluator<R>::set_time_limit(double seconds)
{
    deadline_ = std::chrono::steady_clock::now() + clock_duration(seconds);
    lost_before_ = seconds_lost();
    until_clock_ = evaluations_per_clock_reading;
}

template <class R>
int basic_evaluator<R>::first_nonfinite(const R* v) const
{
    int i = 0;
    while (i < n_ && is_finite(v[i])) ++i;
    return i;
}

template <class R>
evaluation basic_evaluator<R>::note_answer(int answer)
{
    const evaluation e = equations_.meaning_of(answer);
    const std::scoped_lock lock(failure_mutex_);
    ++failures_.refused;
    return e;
}

template <class R>
evaluation basic_evaluator<R>::look_again(R t, const R* out)
{
    const int component = first_nonfinite(out);
    if (component == n_) return evaluation::ok;
    const std::scoped_lock lock(failure_mutex_);
    ++failures_.nonfinite;
    last_nonfinite_ = nonfinite_place{value_of(t), component};
    return evaluation::nonfinite;
}

template class basic_evaluator<double>;
template class basic_evaluator<quad>;

} // namespace ivp
