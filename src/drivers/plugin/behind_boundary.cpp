// A solver of ours as a plug-in has it: it knows of the problem what an ivp_task says, and reaches it through the callbacks only.
#include "native_matrix.hpp"
#include "plugin_solver.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace ivp {

namespace {

using namespace plugin;

structure structure_of(const ivp_task& task)
{
    if (task.jacobian_kind == IVP_BAND) return structure::band(task.jacobian_lower, task.jacobian_upper);
    if (task.jacobian_kind != IVP_SPARSE) return {};
    auto pattern = std::make_shared<sparsity>();
    pattern->n = task.n;
    pattern->column_start.assign(task.jacobian_column_start, task.jacobian_column_start + task.n + 1);
    pattern->row.assign(task.jacobian_row, task.jacobian_row + pattern->column_start.back());
    return structure::sparse(std::move(pattern));
}

problem_info facts_of(const ivp_task& task)
{
    problem_info info;
    info.id = "task";
    info.form = task.form == IVP_IDE ? form::ide : task.form == IVP_DAE ? form::dae : form::ode;
    info.n = task.n;
    info.t0 = task.t0;
    info.tend = task.tend;
    info.highest_index = task.highest_index;
    info.index.assign(task.index, task.index + task.n);
    info.jacobian_structure = structure_of(task);
    if (task.autonomous != 0) info.tags.emplace_back("autonomous");
    return info;
}

struct task_scratch : scratch {
    std::vector<double> values; // a Jacobian as the host writes it
    std::vector<double> here;
};

/// The equations of one task after the other, which differ in nothing but their interval and the callbacks.
class task_equations final : public equations<double> {
public:
    explicit task_equations(const ivp_task& task)
        : n_(task.n),
          exact_(task.exact_jacobian != 0),
          native_(structure_of(task), task.n),
          mass_(mass_of(task.form == IVP_DAE ? task.mass_kind : IVP_MASS_IDENTITY, task.n, task.mass_lower, task.mass_upper, task.mass))
    {}

    /// What follows is about this task.
    void begin(const ivp_task& task) const { task_ = &task; }
    /// The solver asks through this evaluator, in this thread.
    void answer_to(evaluator& e) const
    {
        e_ = &e;
        owner_ = thread_mark();
        differences_ = 0;
    }

    [[nodiscard]] std::vector<double> initial_values() const override { return {task_->y, task_->y + n_}; }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return mass_; }
    [[nodiscard]] bool has_exact_jacobian() const override { return exact_; }

    evaluation f(const double& t, const double* y, double* out) const override
    {
        const ivp_callbacks& call = *task_->callbacks;
        return answered((for_differences() ? call.f_difference : call.f)(task_->host, t, y, out));
    }
    evaluation g(const double& t, const double* y, const double* yp, double* out) const override
    {
        const ivp_callbacks& call = *task_->callbacks;
        return answered((for_differences() ? call.g_difference : call.g)(task_->host, t, y, yp, out));
    }

    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override
    {
        auto s = std::make_unique<task_scratch>();
        s->values.resize(native_.size());
        s->here.resize(n_);
        return s;
    }
    evaluation jacobian(const double& t, const double* y, scratch& work, const matrix_view<double>& out) const override
    {
        const ivp_callbacks& call = *task_->callbacks;
        if (out.kind == structure_kind::full) return answered(call.jacobian(task_->host, t, y, out.data, out.ld));
        return native_.write(values_of(work), out, [&](double* values) {
            const structure& s = native_.kind();
            if (s.kind == structure_kind::sparse) return answered(call.jacobian_sparse(task_->host, t, y, values));
            if (s.kind == structure_kind::full) return answered(call.jacobian(task_->host, t, y, values, n_));
            return answered(call.jacobian_band(task_->host, t, y, values, s.lower + s.upper + 1));
        });
    }
    evaluation partials(const double& t, const double* y, const double* yp, const double& a, const double& b, scratch& work,
                        const matrix_view<double>& out) const override
    {
        const ivp_callbacks& call = *task_->callbacks;
        if (out.kind == structure_kind::full) return answered(call.partials(task_->host, t, y, yp, a, b, out.data, out.ld));
        return native_.write(values_of(work), out, [&](double* values) {
            const structure& s = native_.kind();
            if (s.kind == structure_kind::sparse) return answered(call.partials_sparse(task_->host, t, y, yp, a, b, values));
            if (s.kind == structure_kind::full) return answered(call.partials(task_->host, t, y, yp, a, b, values, n_));
            return answered(call.partials_band(task_->host, t, y, yp, a, b, values, s.lower + s.upper + 1));
        });
    }
    evaluation time_derivative(const double& t, const double* y, const double* yp, scratch& work, double* out) const override
    {
        const ivp_callbacks& call = *task_->callbacks;
        if (yp == nullptr && exact_) return answered(call.time_derivative(task_->host, t, y, out));
        // A plug-in has no other way than this one.
        const auto value_at = [&](double when, double* result) {
            return answered(yp == nullptr ? call.f_difference(task_->host, when, y, result) : call.g_difference(task_->host, when, y, yp, result));
        };
        std::vector<double>& here = static_cast<task_scratch&>(work).here;
        const double h = std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(1e-5, std::abs(t));
        if (const evaluation e = value_at(t, here.data()); e != evaluation::ok) return e;
        if (const evaluation e = value_at(t + h, out); e != evaluation::ok) return e;
        for (int i = 0; i < n_; ++i) out[i] = (out[i] - here[i]) / h;
        return evaluation::ok;
    }

private:
    static double* values_of(scratch& work) { return static_cast<task_scratch&>(work).values.data(); }
    static const void* thread_mark()
    {
        static thread_local char mark;
        return &mark;
    }

    /// The evaluator asks for f in one way and has counted before what it is for. (Of other threads it asks for stepping only.)
    [[nodiscard]] bool for_differences() const
    {
        if (thread_mark() != owner_) return false;
        const std::uint64_t now = e_->count().f_jacobian;
        return std::exchange(differences_, now) != now;
    }

    [[nodiscard]] evaluation answered(int status) const
    {
        if (status == IVP_STOP) [[unlikely]]
            e_->stop(outcome::stopped_by_observer);
        return static_cast<evaluation>(status);
    }

    int n_;
    bool exact_;
    native_matrix native_;
    mass_matrix<double> mass_;
    mutable const ivp_task* task_ = nullptr;
    mutable evaluator* e_ = nullptr;
    mutable const void* owner_ = nullptr;
    mutable std::uint64_t differences_ = 0; ///< evaluations for difference quotients so far
};

/// Hands every accepted step to the host.
class step_reporter final : public step_observer {
public:
    explicit step_reporter(const ivp_task& task) : task_(task) {}
    observer_answer on_step(const accepted_step& step) override
    {
        if (!(step.t > step.t_old)) return observer_answer::go_on; // the contract has no steps without length
        const auto data_or_none = [](std::span<const double> v) { return v.empty() ? nullptr : v.data(); };
        ivp_step s{};
        s.version = IVP_PLUGIN_VERSION;
        s.size = sizeof s;
        s.t_old = step.t_old;
        s.t = step.t;
        s.h = step.h;
        s.y = step.y.data();
        s.error_bound = step.error_bound;
        s.error_norm = step.error_norm;
        s.error_estimate = data_or_none(step.error_estimate);
        s.error_weights = data_or_none(step.error_weights);
        if (step.between != nullptr) {
            s.interpolate = [](void* data, double t, double* y) { static_cast<const interpolant*>(data)->evaluate(t, y); };
            s.interpolation_data = const_cast<interpolant*>(step.between);
        }
        return task_.callbacks->accepted_step(task_.host, &s) == IVP_STOP ? observer_answer::stop : observer_answer::go_on;
    }

private:
    const ivp_task& task_;
};

void report_algebra(const ivp_task& task, const counters& c)
{
    const auto share = [&c](std::uint64_t all, std::uint64_t k) { return static_cast<std::int32_t>(all * (k + 1) / c.lu - all * k / c.lu); };
    for (std::uint64_t k = 0; k < c.lu; ++k)
        task.callbacks->factorised(task.host, share(c.real_factorisations, k), share(c.complex_factorisations, k));
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    for (std::uint64_t left = c.solve; left > 0; left -= std::min(left, most))
        task.callbacks->solved(task.host, static_cast<std::int32_t>(std::min(left, most)));
}

class behind_boundary final : public solver {
public:
    explicit behind_boundary(std::unique_ptr<const solver> inner)
        : inner_(std::move(inner)),
          as_plugin_(make_plugin_solver(
              inner_->info().name, described(inner_->info()), [this](const ivp_task* task, ivp_result* result) { answer(*task, *result); }, 0))
    {}

    [[nodiscard]] const solver_info& info() const override { return as_plugin_->info(); }
    [[nodiscard]] ivp::chapter chapter() const override { return inner_->chapter(); }
    void prepare() const override { inner_->prepare(); }

    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        options_ = &options;
        order_ = s.order;
        failure_ = nullptr;
        problem_ = &e.problem();
        const std::uint64_t jacobians = e.count().jacobian;
        const solve_result seen = as_plugin_->solve(e, s, options, observer);
        if (failure_) std::rethrow_exception(failure_);
        // What the contract has no word for comes from the solver itself: some outcomes, the algebra, the order.
        solve_result result = own_;
        result.steps = std::max(own_.steps, seen.accepted);
        if (const auto reason = e.stop_reason()) result.outcome = *reason;
        e.count().jacobian = jacobians + jacobians_; // dG/dy and dG/dy' apart are one Jacobian
        return result;
    }

private:
    static solver_info described(solver_info info)
    {
        info.origin = "plug-in boundary";
        info.takes_krylov = false; // the contract has no word for it
        return info;
    }

    void answer(const ivp_task& task, ivp_result& result) const
    {
        try {
            const problem& offered = offered_problem(task);
            equations_->begin(task);
            evaluator e(offered);
            equations_->answer_to(e);
            segment s{task.t0, task.tend, {task.y, static_cast<std::size_t>(task.n)}, {}, task.max_steps, task.continues != 0 ? order_ : 0};
            if (task.yp != nullptr) s.yp = {task.yp, static_cast<std::size_t>(task.n)};
            std::vector<double> no_derivative;
            if (task.yp == nullptr) {
                no_derivative.resize(task.n);
                s.yp = no_derivative;
            }
            step_reporter reporter(task);
            own_ = inner_->solve(e, s, *options_, &reporter);
            const counters c = e.total();
            jacobians_ = c.jacobian;
            report_algebra(task, c);
            result.t = own_.t;
            result.steps = static_cast<std::int64_t>(own_.steps);
            result.accepted = static_cast<std::int64_t>(own_.accepted);
            result.outcome = own_.outcome == outcome::success ? IVP_SUCCESS : IVP_STEP_TOO_SMALL; // replaced by what it really is
        } catch (...) {
            failure_ = std::current_exception();
            result.outcome = IVP_STEP_TOO_SMALL;
        }
    }

    /// Made once for many repetitions of a run; the equations that it was made of are kept, so that no others can have their address.
    const problem& offered_problem(const ivp_task& task) const
    {
        if (made_of_ && &made_of_->in<double>() == &problem_->in<double>() && exact_ == task.exact_jacobian) return *offered_;
        made_of_ = *problem_;
        exact_ = task.exact_jacobian;
        equations_ = std::make_shared<const task_equations>(task);
        offered_.emplace(facts_of(task), parameter_values({}, {}), equations_);
        return *offered_;
    }

    std::unique_ptr<const solver> inner_;
    std::unique_ptr<const solver> as_plugin_;
    // Of the solve under way. As with every plug-in, there is one at a time.
    mutable const solve_options* options_ = nullptr;
    mutable const problem* problem_ = nullptr;
    mutable int order_ = 0;
    mutable solve_result own_;
    mutable std::uint64_t jacobians_ = 0;
    mutable std::exception_ptr failure_;
    // Of the problem.
    mutable std::optional<problem> made_of_;
    mutable std::int32_t exact_ = 0;
    mutable std::shared_ptr<const task_equations> equations_;
    mutable std::optional<problem> offered_;
};

} // namespace

std::unique_ptr<const solver> behind_plugin_boundary(std::unique_ptr<const solver> inner)
{
    return std::make_unique<behind_boundary>(std::move(inner));
}

} // namespace ivp
