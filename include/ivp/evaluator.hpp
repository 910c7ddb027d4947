// The counting boundary between a solver and a problem, what it counts, and how runs end.
#ifndef IVP_EVALUATOR_HPP
#define IVP_EVALUATOR_HPP

#include <ivp/problem.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

// How a run ended: one value of one table. Numerical failure is data, never an exception.

namespace ivp {

enum class outcome {
    success,
    wrong_answer,
    not_repeatable,
    too_many_steps,
    step_too_small,
    newton_failed,
    error_test_failed,
    singular_matrix,
    stiffness_suspected,
    nonfinite,
    stopped_by_observer,
    timed_out,
    out_of_memory,
    crashed,
    unsupported,
    bad_input,
    unavailable,
};

struct outcome_row {
    outcome code;
    std::string_view label;    ///< as records have it
    std::string_view sentence; ///< what a person reads
};

std::span<const outcome_row> outcome_table();
std::string_view label(outcome o);
std::string_view sentence(outcome o);
std::optional<outcome> outcome_from_label(std::string_view text);

// counters: what a run cost, counted at the boundary of the problem and of the linear algebra.

struct counters {
    std::uint64_t f = 0;          ///< evaluations of f or G for stepping
    std::uint64_t f_jacobian = 0; ///< evaluations of f or G spent on difference quotients
    std::uint64_t jacobian = 0;   ///< Jacobian evaluations, exact or by differences
    std::uint64_t lu = 0;         ///< factorisations in the unit of the solver's chapter
    std::uint64_t solve = 0;      ///< solves in the unit of the solver's chapter
    std::uint64_t real_factorisations = 0;
    std::uint64_t complex_factorisations = 0;
    std::uint64_t krylov_iterations = 0; ///< products with the matrix and the preconditioner, over all solves; zero unless the algebra is krylov
    std::uint64_t krylov_failures = 0;   ///< solves that did not reach their tolerance
    std::uint64_t refused = 0;           ///< evaluations outside the domain
    std::uint64_t nonfinite = 0;         ///< evaluations that gave an infinity or NaN

    counters& operator+=(const counters& o)
    {
        f += o.f;
        f_jacobian += o.f_jacobian;
        jacobian += o.jacobian;
        lu += o.lu;
        solve += o.solve;
        real_factorisations += o.real_factorisations;
        complex_factorisations += o.complex_factorisations;
        krylov_iterations += o.krylov_iterations;
        krylov_failures += o.krylov_failures;
        refused += o.refused;
        nonfinite += o.nonfinite;
        return *this;
    }
};

// evaluator: the counting boundary. A solver reaches the problem only through it.

/// Where an evaluation gave an infinity or NaN.
struct nonfinite_place {
    double t = 0;
    int component = 0; ///< from 0
};

/// How many components there are. Each size has its own way to check the results of an evaluation.
enum class components { any, few, several, many };
constexpr components size_of(int n) { return n <= 8 ? components::few : n <= 64 ? components::several : components::many; }

class thread_team; // src/base/thread_team.hpp

/// f, g: any thread, unless use_threads() was called. Everything else: the thread that made the evaluator.
template <class R>
class basic_evaluator {
public:
    explicit basic_evaluator(const problem& p);
    ~basic_evaluator();
    basic_evaluator(const basic_evaluator&) = delete;
    basic_evaluator& operator=(const basic_evaluator&) = delete;

    [[nodiscard]] const ivp::problem& problem() const { return problem_; }
    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] const mass_matrix<R>& mass() const { return equations_.mass(); }
    /// Structure of the matrix that a Newton iteration needs, as fine as it is known. Jacobians are written in this structure.
    [[nodiscard]] const structure& iteration_structure() const { return problem_.finest_iteration_structure(); }
    [[nodiscard]] bool has_exact_jacobian() const { return equations_.has_exact_jacobian(); }

    /// Counted as evaluations for stepping.
    evaluation f(R t, const R* y, R* out) { return evaluate<&counters::f, quantity::f>(t, y, nullptr, out); }
    /// The same, for a caller that has chosen Size by size_of(n()).
    template <components Size>
    evaluation f_of(R t, const R* y, R* out)
    {
        return evaluate<&counters::f, quantity::f, Size>(t, y, nullptr, out);
    }
    evaluation g(R t, const R* y, const R* yp, R* out) { return evaluate<&counters::f, quantity::g>(t, y, yp, out); }
    /// The same formulas, counted as spent on difference quotients.
    evaluation f_for_jacobian(R t, const R* y, R* out) { return evaluate<&counters::f_jacobian, quantity::f>(t, y, nullptr, out); }
    evaluation g_for_jacobian(R t, const R* y, const R* yp, R* out) { return evaluate<&counters::f_jacobian, quantity::g>(t, y, yp, out); }

    /// From now on this many threads share an evaluation of f, if the problem has it in pieces and enough equations; the bits stay the same. They
    /// also serve the solver (team()). Only the thread that made the evaluator may evaluate then.
    void use_threads(int count);
    /// Threads that wait for work of the solver; null: there are none beside its own.
    [[nodiscard]] thread_team* team() const { return team_.get(); }

    /// From now on jacobian() returns the problem's approximate Jacobian, as in the published runs.
    void use_published_jacobian() { published_jacobian_ = true; }
    /// Whether a solver has asked for an exact Jacobian so far.
    [[nodiscard]] bool exact_jacobian_used() const { return exact_jacobian_used_; }
    /// Exact, counted as one Jacobian.
    evaluation jacobian(const R& t, const R* y, const matrix_view<R>& out);
    evaluation partials(const R& t, const R* y, const R* yp, const R& a, const R& b, const matrix_view<R>& out);
    /// dG/dy and dG/dy' apart, counted as one Jacobian.
    evaluation both_partials(const R& t, const R* y, const R* yp, const matrix_view<R>& dg_dy, const matrix_view<R>& dg_dyp);
    /// df/dt (yp null) or dG/dt, exact; it is part of a Jacobian, so it is not counted.
    evaluation time_derivative(const R& t, const R* y, const R* yp, R* out);

    /// For solvers, which count what they do themselves: Jacobians by differences, LUs, solves.
    [[nodiscard]] counters& count() { return own_; }
    [[nodiscard]] counters total() const;

    [[nodiscard]] std::optional<nonfinite_place> last_nonfinite() const;

    /// From now on every evaluation returns `stopped`; the first reason is kept.
    void stop(outcome reason);
    [[nodiscard]] std::optional<outcome> stop_reason() const;
    /// Limits the time of the thread that made the evaluator, from now on. Time in which the machine worked for other processes does not count.
    void set_time_limit(double seconds);

    /// Measures the time spent inside the formulas (off by default: it costs two clock readings an evaluation).
    void time_evaluations(bool on);
    [[nodiscard]] double seconds_in_evaluations() const { return static_cast<double>(nanoseconds_.load()) * 1e-9; }

private:
    enum class quantity { f, g };

    template <quantity What>
    [[gnu::always_inline]] int call(R t, const R* y, const R* yp, R* out) const
    {
        if constexpr (What == quantity::f)
            return f_.call(f_.self, t, y, out);
        else
            return static_cast<int>(equations_.g(t, y, yp, out));
    }

    // NOTE: a method of few equations spends as much time here as in its formulas: it is part of the solver's loop, one comparison decides
    // whether there is more to do than to count, and rare cases are in other functions.
    template <std::uint64_t counters::*Which, quantity What, components Size = components::any>
    [[gnu::always_inline]] evaluation evaluate(R t, const R* y, const R* yp, R* out)
    {
        if (thread_mark() != undisturbed_.load(std::memory_order_relaxed) || --until_clock_ == 0) [[unlikely]]
            return evaluate_with_care<Which, What>(t, y, yp, out);
        ++(own_.*Which);
        asked_at_ = t;
        if (const int answer = call<What>(t, y, yp, out); answer != 0) [[unlikely]]
            return note_answer(answer);
        if (!sum_is_finite<Size>(out)) [[unlikely]]
            return look_again(asked_at_, out);
        return evaluation::ok;
    }
    /// Of another thread, of a run that is stopped, in time for the clock, or timed.
    template <std::uint64_t counters::*Which, quantity What>
    [[gnu::noinline]] evaluation evaluate_with_care(R t, const R* y, const R* yp, R* out)
    {
        const bool owner = thread_mark() == owner_;
        if (owner)
            ++(own_.*Which);
        else
            count_foreign(Which);
        if (must_stop(owner)) return evaluation::stopped;
        const int answer = timed_if_asked([&] { return call<What>(t, y, yp, out); });
        if (answer != 0) return note_answer(answer);
        return sum_is_finite<components::any>(out) ? evaluation::ok : look_again(t, out);
    }
    void count_foreign(std::uint64_t counters::*which);

    template <class Formula>
    [[gnu::always_inline]] auto timed_if_asked(const Formula& formula)
    {
        std::int64_t begin = 0;
        if (timed_) [[unlikely]]
            begin = nanoseconds_now();
        const auto answer = formula();
        if (timed_) [[unlikely]]
            nanoseconds_ += nanoseconds_now() - begin;
        return answer;
    }
    static std::int64_t nanoseconds_now();

    // A sum is finite only if all its terms are: one addition for each, and one branch for all. Large terms can make it infinite, too.
    template <components Size>
    [[nodiscard, gnu::always_inline]] bool sum_is_finite(const R* v) const
    {
        if constexpr (Size == components::several) return is_finite(sum_of_several(v, v + n_));
        if constexpr (Size == components::many) return shared_ ? shared_is_finite_ : sum_of_many_is_finite(v, v + n_);
        if constexpr (Size == components::any)
            if (size_of(n_) != components::few) return sum_is_finite_anyway(v);
        R total = just_written(v);
        for (int i = 1; i < n_; ++i) total += just_written(v + i);
        return is_finite(total);
    }
    [[nodiscard, gnu::noinline]] bool sum_is_finite_anyway(const R* v) const
    {
        return size_of(n_) == components::several ? sum_is_finite<components::several>(v) : sum_is_finite<components::many>(v);
    }
    // All but the last block were written long enough ago to be read together.
    [[nodiscard, gnu::noinline]] static bool sum_of_many_is_finite(const R* v, const R* end)
    {
        constexpr int width = 16;
        R sum[width];
        for (int k = 0; k < width; ++k) sum[k] = v[k];
        for (v += width; v <= end - 2 * width; v += width)
            for (int k = 0; k < width; ++k) sum[k] += v[k];
        for (int k = 0; k < 8; ++k) sum[k] += sum[k + 8];
        for (int k = 0; k < 4; ++k) sum[k] += sum[k + 4];
        return is_finite(((sum[0] + sum[1]) + (sum[2] + sum[3])) + sum_of_several(v, end));
    }
    // Several sums, so that none waits for the one before.
    [[gnu::always_inline]] static R sum_of_several(const R* v, const R* end)
    {
        R sum[4]{just_written(v), just_written(v + 1), just_written(v + 2), just_written(v + 3)};
        for (v += 4; v <= end - 4; v += 4)
            for (int k = 0; k < 4; ++k) sum[k] += just_written(v + k);
        for (; v < end; ++v) sum[0] += just_written(v);
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    [[gnu::always_inline]] static bool is_finite(const R& v) { return v - v == R(0); }

    // A formula writes its components one by one. A wider load would have to wait until all of them have left the CPU's store buffer, which takes
    // longer than a small formula; volatile keeps the compiler from making one.
    static R just_written(const R* v)
    {
        if constexpr (std::is_same_v<R, double>)
            return *static_cast<const volatile double*>(v);
        else
            return *v;
    }

    // The address of a thread-local tells threads apart without a call: in a program the linker makes an offset of it. No model that does so in
    // shared libraries too: a process has room for few of them, and loads many problems.
    static const void* thread_mark()
    {
        static thread_local char mark;
        return &mark;
    }

    [[nodiscard]] bool must_stop(bool owner)
    {
        if (stopped_.load(std::memory_order_relaxed)) return true;
        if (!owner || --until_clock_ > 0) return false;
        return past_deadline();
    }
    bool past_deadline();
    void set_undisturbed();
    /// n if there is none.
    [[nodiscard]] int first_nonfinite(const R* v) const;
    evaluation note_answer(int answer);
    /// The sum of out is not finite; its terms may be.
    evaluation look_again(R t, const R* out);

    static constexpr std::int64_t evaluations_per_clock_reading = 32;

    struct shared_evaluation;

    const ivp::problem& problem_;
    const equations<R>& equations_;
    std::unique_ptr<thread_team> team_;
    std::unique_ptr<shared_evaluation> shared_; ///< f_ calls it, if there is one
    bool shared_is_finite_ = true;              ///< what it has found: each thread looks at what it wrote, which is in its cache
    plain_function<R> f_;
    int n_;
    std::unique_ptr<scratch> scratch_;
    const void* owner_ = thread_mark();
    std::atomic<const void*> undisturbed_{owner_}; ///< null if evaluations of the owner must not only be counted
    std::int64_t until_clock_ = std::numeric_limits<std::int64_t>::max();
    R asked_at_{}; ///< t of the owner's last evaluation: kept here, it needs no register during the evaluation
    counters own_;
    bool timed_ = false;
    bool published_jacobian_ = false;
    bool exact_jacobian_used_ = false;
    std::chrono::steady_clock::time_point deadline_;
    double lost_before_ = 0; ///< seconds in which the machine worked for others: up to the beginning, or what the deadline allows for
    std::atomic<bool> stopped_{false};
    outcome stop_reason_ = outcome::success;
    std::atomic<std::uint64_t> foreign_f_{0};
    std::atomic<std::uint64_t> foreign_f_jacobian_{0};
    std::atomic<std::int64_t> nanoseconds_{0};
    mutable std::mutex failure_mutex_;
    counters failures_;
    std::optional<nonfinite_place> last_nonfinite_;
};

using evaluator = basic_evaluator<double>;

extern template class basic_evaluator<double>;
extern template class basic_evaluator<quad>;

} // namespace ivp

#endif
