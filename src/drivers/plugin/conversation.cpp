#include "conversation.hpp"

#include "codes.hpp"
#include "drivers/plugin.hpp"
#include "native_matrix.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace ivp::plugin {

namespace {

// How near to tend a solver must end, relative to the size of the times.
constexpr double end_tolerance = 1e-12;

class plugin_interpolant final : public interpolant {
public:
    explicit plugin_interpolant(const ivp_step& step) : step_(step) {}
    void evaluate(double t, double* y) const override { step_.interpolate(step_.interpolation_data, t, y); }

private:
    const ivp_step& step_;
};

} // namespace

// A matrix of this kind as the plug-in wants it: without gaps between the columns it is written where it belongs.
template <structure_kind Kind, class Evaluate>
evaluation conversation::fill(double* out, int ld, const Evaluate& evaluate)
{
    own_thread("a Jacobian callback");
    matrix_view<double>& view = views_[static_cast<int>(Kind)];
    if (Kind == structure_kind::sparse || ld == view.ld) [[likely]] {
        view.data = out;
        return evaluate(view);
    }
    if (ld < view.ld) refuse_columns(ld, view.ld);
    matrix_view<double> theirs = view;
    theirs.ld = ld;
    theirs.data = out;
    return fill_columns(theirs, room_, evaluate);
}

// NOTE: a thunk of f is called as often as f itself: nothing stands in it that the problem or the settings have decided.
struct conversation::thunks {
    static conversation& of(void* host) { return *static_cast<conversation*>(host); }

    /// call(conversation) answers as the callback does.
    template <class Call>
    [[gnu::always_inline]] static int guarded(void* host, Call&& call) noexcept
    {
        try {
            return call(of(host));
        } catch (...) {
            return of(host).failed();
        }
    }

    // ---- What may be asked ----

    template <components Size>
    static int f(void* host, double t, const double* y, double* out)
    {
        return guarded(host, [&](conversation& c) { return status_of(c.e_.f_of<Size>(t, y, out)); });
    }
    static int f_difference(void* host, double t, const double* y, double* out)
    {
        return guarded(host, [&](conversation& c) { return status_of(c.e_.f_for_jacobian(t, y, out)); });
    }
    static int g(void* host, double t, const double* y, const double* yp, double* out)
    {
        return guarded(host, [&](conversation& c) { return status_of(c.e_.g(t, y, yp, out)); });
    }
    static int g_difference(void* host, double t, const double* y, const double* yp, double* out)
    {
        return guarded(host, [&](conversation& c) { return status_of(c.e_.g_for_jacobian(t, y, yp, out)); });
    }
    template <structure_kind Kind>
    static int jacobian(void* host, double t, const double* y, double* out, std::int32_t ld)
    {
        return guarded(host, [&](conversation& c) {
            return status_of(c.fill<Kind>(out, ld, [&](const matrix_view<double>& view) { return c.e_.jacobian(t, y, view); }));
        });
    }
    static int jacobian_sparse(void* host, double t, const double* y, double* out) { return jacobian<structure_kind::sparse>(host, t, y, out, 0); }
    template <structure_kind Kind>
    static int partials(void* host, double t, const double* y, const double* yp, double a, double b, double* out, std::int32_t ld)
    {
        return guarded(host, [&](conversation& c) {
            return status_of(c.fill<Kind>(out, ld, [&](const matrix_view<double>& view) { return c.e_.partials(t, y, yp, a, b, view); }));
        });
    }
    static int partials_sparse(void* host, double t, const double* y, const double* yp, double a, double b, double* out)
    {
        return partials<structure_kind::sparse>(host, t, y, yp, a, b, out, 0);
    }
    static int time_derivative(void* host, double t, const double* y, double* out)
    {
        return guarded(host, [&](conversation& c) {
            c.own_thread("time_derivative");
            return status_of(c.e_.time_derivative(t, y, nullptr, out));
        });
    }
    static int mass_multiply(void* host, const double* x, double* out)
    {
        return guarded(host, [&](conversation& c) {
            c.e_.mass().multiply(x, out);
            return static_cast<int>(IVP_OK);
        });
    }
    static int accepted_step(void* host, const ivp_step* step)
    {
        return guarded(host, [&](conversation& c) { return c.accept(step); });
    }
    static void factorised(void* host, std::int32_t real_matrices, std::int32_t complex_matrices)
    {
        (void)guarded(host, [&](conversation& c) {
            c.own_thread("factorised");
            if (real_matrices < 0 || complex_matrices < 0) c.misuse("reported a negative number of factorisations");
            counters& count = c.e_.count();
            ++count.lu;
            count.real_factorisations += static_cast<std::uint64_t>(real_matrices);
            count.complex_factorisations += static_cast<std::uint64_t>(complex_matrices);
            return static_cast<int>(IVP_OK);
        });
    }
    static void solved(void* host, std::int32_t number)
    {
        (void)guarded(host, [&](conversation& c) {
            c.own_thread("solved");
            if (number < 0) c.misuse("reported a negative number of solutions");
            c.e_.count().solve += static_cast<std::uint64_t>(number);
            return static_cast<int>(IVP_OK);
        });
    }
    static void jacobian_by_differences(void* host)
    {
        (void)guarded(host, [&](conversation& c) {
            c.own_thread("jacobian_by_differences");
            ++c.e_.count().jacobian;
            return static_cast<int>(IVP_OK);
        });
    }

    // ---- What may not ----

    enum class mistake { f, g, jacobian, partials, time_derivative, mass, no_jacobian, no_time_derivative, no_band, no_sparse };

    template <mistake Mistake, class... Arguments>
    static int refused(void* host, Arguments... /*unused*/)
    {
        return guarded(host, [&](conversation& c) -> int { c.misuse(sentence(Mistake, c.structure_)); });
    }

    static std::string sentence(mistake m, const structure& s)
    {
        constexpr auto implicit = "; the problem has the form G(t, y, y') = 0";
        constexpr auto explicitly = "; the problem has the form M y' = f(t, y)";
        switch (m) {
        case mistake::f: return std::string("asked for f") + implicit;
        case mistake::g: return std::string("asked for G") + explicitly;
        case mistake::jacobian: return std::string("asked for df/dy") + implicit;
        case mistake::partials: return std::string("asked for dG/dy and dG/dy'") + explicitly;
        case mistake::time_derivative: return std::string("asked for df/dt") + implicit;
        case mistake::mass: return std::string("asked for M x") + implicit;
        case mistake::no_jacobian: return "asked for an exact Jacobian; the task offers none";
        case mistake::no_time_derivative: return "asked for an exact df/dt; the task offers none";
        case mistake::no_band: return "asked for a band Jacobian; its structure is " + s.describe();
        case mistake::no_sparse: return "asked for a sparse Jacobian; its structure is " + s.describe();
        }
        return {};
    }

    static ivp_callbacks table(bool implicit, bool exact, structure_kind kind, components size)
    {
        ivp_callbacks c{};
        c.version = IVP_PLUGIN_VERSION;
        c.size = sizeof(ivp_callbacks);
        c.accepted_step = accepted_step;
        c.factorised = factorised;
        c.solved = solved;
        c.jacobian_by_differences = jacobian_by_differences;
        if (implicit)
            set_implicit(c, exact, kind);
        else
            set_explicit(c, exact, kind, size);
        return c;
    }

private:
    static void set_explicit(ivp_callbacks& c, bool exact, structure_kind kind, components size)
    {
        c.f = size == components::few ? f<components::few> : size == components::several ? f<components::several> : f<components::many>;
        c.f_difference = f_difference;
        c.mass_multiply = mass_multiply;
        c.time_derivative = time_derivative;
        c.jacobian = jacobian<structure_kind::full>;
        c.jacobian_band = jacobian<structure_kind::band>;
        c.jacobian_sparse = jacobian_sparse;
        if (kind != structure_kind::band) c.jacobian_band = refused<mistake::no_band>;
        if (kind != structure_kind::sparse) c.jacobian_sparse = refused<mistake::no_sparse>;
        if (!exact) {
            c.jacobian = c.jacobian_band = refused<mistake::no_jacobian>;
            c.jacobian_sparse = refused<mistake::no_jacobian>;
            c.time_derivative = refused<mistake::no_time_derivative>;
        }
        c.g = c.g_difference = refused<mistake::g>;
        c.partials = c.partials_band = refused<mistake::partials>;
        c.partials_sparse = refused<mistake::partials>;
    }

    static void set_implicit(ivp_callbacks& c, bool exact, structure_kind kind)
    {
        c.g = g;
        c.g_difference = g_difference;
        c.partials = partials<structure_kind::full>;
        c.partials_band = partials<structure_kind::band>;
        c.partials_sparse = partials_sparse;
        if (kind != structure_kind::band) c.partials_band = refused<mistake::no_band>;
        if (kind != structure_kind::sparse) c.partials_sparse = refused<mistake::no_sparse>;
        if (!exact) {
            c.partials = c.partials_band = refused<mistake::no_jacobian>;
            c.partials_sparse = refused<mistake::no_jacobian>;
        }
        c.f = c.f_difference = refused<mistake::f>;
        c.jacobian = c.jacobian_band = refused<mistake::jacobian>;
        c.jacobian_sparse = refused<mistake::jacobian>;
        c.time_derivative = refused<mistake::time_derivative>;
        c.mass_multiply = refused<mistake::mass>;
    }
};

conversation::conversation(const std::string& label, evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
    : label_(label),
      e_(e),
      s_(s),
      observer_(observer),
      n_(e.n()),
      structure_(e.problem().info().jacobian_structure),
      exact_(o.jacobian != jacobian_source::differences && e.has_exact_jacobian()),
      last_t_(s.t0),
      views_{compact(structure_kind::full), compact(structure_kind::band), compact(structure_kind::sparse)},
      callbacks_(thunks::table(e.problem().info().form == form::ide, exact_, structure_.kind, size_of(n_)))
{}

bool conversation::is_end(double t) const { return std::abs(t - s_.tend) <= end_tolerance * std::max(std::abs(s_.t0), std::abs(s_.tend)); }

int conversation::failed() noexcept
{
    {
        const std::scoped_lock lock(failure_mutex_);
        if (!failure_) failure_ = std::current_exception();
    }
    e_.stop(outcome::crashed);
    return IVP_STOP;
}

void conversation::misuse(const std::string& what) const { throw contract_breach(label_ + " breaks the plug-in contract: it " + what); }

const void* conversation::thread_mark()
{
    static thread_local char mark;
    return &mark;
}

void conversation::own_thread(const char* callback) const
{
    if (thread_mark() != owner_) [[unlikely]]
        misuse("called " + std::string(callback) + " from another thread");
}

matrix_view<double> conversation::compact(structure_kind kind) const
{
    if (kind == structure_kind::sparse) return {kind, n_, 0, 0, 0, structure_.pattern.get(), nullptr};
    if (kind == structure_kind::full) return {kind, n_, 0, 0, n_, nullptr, nullptr};
    return {kind, n_, structure_.lower, structure_.upper, structure_.lower + structure_.upper + 1, nullptr, nullptr};
}

void conversation::refuse_columns(int ld, int rows) const
{
    misuse("asked for a Jacobian with ld = " + std::to_string(ld) + "; allowed: at least " + std::to_string(rows));
}

void conversation::stop(outcome reason)
{
    e_.stop(reason);
    over_ = true;
}

int conversation::accept(const ivp_step* step)
{
    own_thread("accepted_step");
    if (step == nullptr || step->version != IVP_PLUGIN_VERSION || step->size < sizeof(ivp_step)) [[unlikely]]
        misuse("reported a step that does not begin with IVP_VERSIONED(ivp_step)");
    if (step->y == nullptr || !(step->t > step->t_old)) [[unlikely]]
        misuse("reported a step from t = " + to_text(step->t_old) + " to t = " + to_text(step->t) + (step->y == nullptr ? " without y" : ""));
    last_t_ = step->t;
    if (++reported_steps_ > s_.max_steps) [[unlikely]]
        stop(outcome::too_many_steps);
    if (observer_ != nullptr && tell_observer(*step) == observer_answer::stop && !is_end(step->t)) stop(outcome::stopped_by_observer);
    return over_ ? IVP_STOP : IVP_OK; // after a time limit the next evaluation says so
}

observer_answer conversation::tell_observer(const ivp_step& step)
{
    const plugin_interpolant between(step);
    const auto vector_at = [this](const double* v) { return v == nullptr ? std::span<const double>{} : std::span(v, static_cast<std::size_t>(n_)); };
    return observer_->on_step({step.t_old, step.t, step.h, vector_at(step.y), step.error_bound, step.error_norm, vector_at(step.error_estimate),
                               vector_at(step.error_weights), step.interpolate == nullptr ? nullptr : &between});
}

} // namespace ivp::plugin
