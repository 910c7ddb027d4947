// The host's side of the contract for solvers (ivp/plugin.h): describing, and one solve through C callbacks.
#include <ivp/drivers/plugin.hpp>

#include "base/text.hpp"
#include "codes.hpp"
#include "library.hpp"

#include <ivp/model/parameter.hpp>
#include <ivp/plugin.h>
#include <ivp/scalar/decimal.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <new>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace ivp {

namespace {

using namespace plugin;

static_assert(std::is_same_v<int, std::int32_t>, "index arrays are handed over without a copy");

// How near to tend a solver must end, relative to the size of the times.
constexpr double end_tolerance = 1e-12;

// ---- One solve ----

class plugin_interpolant final : public interpolant {
public:
    explicit plugin_interpolant(const ivp_step& step) : step_(step) {}
    void evaluate(double t, double* y) const override { step_.interpolate(step_.interpolation_data, t, y); }

private:
    const ivp_step& step_;
};

/// What stands behind the callbacks of one solve. No exception leaves it before the plug-in has returned.
class conversation {
public:
    conversation(const std::string& label, evaluator& e, const segment& s, const solve_options& o, step_observer* observer)
        : label_(label),
          e_(e),
          s_(s),
          observer_(observer),
          n_(e.n()),
          structure_(e.problem().info().jacobian_structure),
          implicit_form_(e.problem().info().form == form::ide),
          exact_(o.jacobian != jacobian_source::differences && e.has_exact_jacobian()),
          last_t_(s.t0)
    {}

    [[nodiscard]] bool exact_jacobian() const { return exact_; }
    [[nodiscard]] std::uint64_t reported_steps() const { return reported_steps_; }
    [[nodiscard]] double last_t() const { return last_t_; }
    [[nodiscard]] bool is_end(double t) const { return std::abs(t - s_.tend) <= end_tolerance * std::max(std::abs(s_.t0), std::abs(s_.tend)); }

    /// The first exception of a callback, once the plug-in is out of the way.
    void rethrow() const
    {
        if (failure_) std::rethrow_exception(failure_);
    }

    int f(double t, const double* y, double* out, bool difference)
    {
        return guarded([&] {
            if (implicit_form_) misuse("asked for f; the problem has the form G(t, y, y') = 0");
            return status_of(difference ? e_.f_for_jacobian(t, y, out) : e_.f(t, y, out));
        });
    }
    int g(double t, const double* y, const double* yp, double* out, bool difference)
    {
        return guarded([&] {
            if (!implicit_form_) misuse("asked for G; the problem has the form M y' = f(t, y)");
            return status_of(difference ? e_.g_for_jacobian(t, y, yp, out) : e_.g(t, y, yp, out));
        });
    }

    int jacobian(structure_kind kind, double t, const double* y, double* out, int ld)
    {
        return guarded([&] {
            if (implicit_form_) misuse("asked for df/dy; the problem has the form G(t, y, y') = 0");
            return write_matrix(kind, out, ld, [&](const matrix_view<double>& view) { return e_.jacobian(t, y, view); });
        });
    }
    int time_derivative(double t, const double* y, double* out)
    {
        return guarded([&] {
            own_thread("time_derivative");
            if (implicit_form_) misuse("asked for df/dt; the problem has the form G(t, y, y') = 0");
            if (!exact_) misuse("asked for an exact df/dt; the task offers none");
            return status_of(e_.time_derivative(t, y, nullptr, out));
        });
    }
    int partials(structure_kind kind, double t, const double* y, const double* yp, double a, double b, double* out, int ld)
    {
        return guarded([&] {
            if (!implicit_form_) misuse("asked for dG/dy and dG/dy'; the problem has the form M y' = f(t, y)");
            return write_matrix(kind, out, ld, [&](const matrix_view<double>& view) { return e_.partials(t, y, yp, a, b, view); });
        });
    }
    int mass_multiply(const double* x, double* out)
    {
        return guarded([&] {
            if (implicit_form_) misuse("asked for M x; the problem has the form G(t, y, y') = 0");
            e_.mass().multiply(x, out);
            return IVP_OK;
        });
    }

    int accepted_step(const ivp_step* step)
    {
        return guarded([&] {
            own_thread("accepted_step");
            if (step == nullptr || step->version != IVP_PLUGIN_VERSION || step->size < sizeof(ivp_step))
                misuse("reported a step that does not begin with IVP_VERSIONED(ivp_step)");
            if (step->y == nullptr || !(step->t > step->t_old))
                misuse("reported a step from t = " + to_text(step->t_old) + " to t = " + to_text(step->t) + (step->y == nullptr ? " without y" : ""));
            last_t_ = step->t;
            if (++reported_steps_ > s_.max_steps) e_.stop(outcome::too_many_steps);
            if (observer_ != nullptr && tell_observer(*step) == observer_answer::stop && !is_end(step->t)) e_.stop(outcome::stopped_by_observer);
            return e_.stop_reason() ? IVP_STOP : IVP_OK;
        });
    }

    void factorised(int real_matrices, int complex_matrices)
    {
        count("factorised", [&](counters& c) {
            if (real_matrices < 0 || complex_matrices < 0) misuse("reported a negative number of factorisations");
            ++c.lu;
            c.real_factorisations += static_cast<std::uint64_t>(real_matrices);
            c.complex_factorisations += static_cast<std::uint64_t>(complex_matrices);
        });
    }
    void solved(int number)
    {
        count("solved", [&](counters& c) {
            if (number < 0) misuse("reported a negative number of solutions");
            c.solve += static_cast<std::uint64_t>(number);
        });
    }
    void jacobian_by_differences()
    {
        count("jacobian_by_differences", [](counters& c) { ++c.jacobian; });
    }

private:
    template <class Call>
    int guarded(Call&& call) noexcept
    {
        if (broken_.load(std::memory_order_relaxed)) return IVP_STOP;
        try {
            return call();
        } catch (...) {
            const std::scoped_lock lock(failure_mutex_);
            if (!failure_) failure_ = std::current_exception();
            broken_.store(true);
            return IVP_STOP;
        }
    }

    template <class Change>
    void count(const char* callback, Change&& change)
    {
        (void)guarded([&] {
            own_thread(callback);
            change(e_.count());
            return IVP_OK;
        });
    }

    [[noreturn]] void misuse(const std::string& what) const { throw contract_breach(label_ + " breaks the plug-in contract: it " + what); }

    void own_thread(const char* callback) const
    {
        if (std::this_thread::get_id() != owner_) misuse("called " + std::string(callback) + " from a thread of its own");
    }

    template <class Fill>
    int write_matrix(structure_kind kind, double* out, int ld, Fill&& fill)
    {
        own_thread("a Jacobian callback");
        if (!exact_) misuse("asked for an exact Jacobian; the task offers none");
        if (kind != structure_kind::full && kind != structure_.kind)
            misuse(std::string("asked for a ") + (kind == structure_kind::band ? "band" : "sparse") + " Jacobian; its structure is " +
                   structure_.describe());
        if (kind == structure_kind::sparse) return status_of(fill(matrix_view<double>{kind, n_, 0, 0, 0, structure_.pattern.get(), out}));

        const bool band = kind == structure_kind::band;
        const int lower = band ? structure_.lower : 0;
        const int upper = band ? structure_.upper : 0;
        const int rows = band ? lower + upper + 1 : n_;
        if (ld < rows) misuse("asked for a Jacobian with ld = " + std::to_string(ld) + "; allowed: at least " + std::to_string(rows));
        if (ld == rows) return status_of(fill(matrix_view<double>{kind, n_, lower, upper, rows, nullptr, out}));
        // What lies between the columns is not ours, but a matrix_view covers it.
        buffer_.resize(static_cast<std::size_t>(rows) * n_);
        const int status = status_of(fill(matrix_view<double>{kind, n_, lower, upper, rows, nullptr, buffer_.data()}));
        for (std::ptrdiff_t j = 0; j < n_; ++j) std::copy_n(buffer_.data() + j * rows, rows, out + j * ld);
        return status;
    }

    observer_answer tell_observer(const ivp_step& step)
    {
        const plugin_interpolant between(step);
        const auto vector_at = [this](const double* v) {
            return v == nullptr ? std::span<const double>{} : std::span(v, static_cast<std::size_t>(n_));
        };
        return observer_->on_step({step.t_old, step.t, step.h, vector_at(step.y), step.error_bound, step.error_norm, vector_at(step.error_estimate),
                                   vector_at(step.error_weights), step.interpolate == nullptr ? nullptr : &between});
    }

    const std::string& label_;
    evaluator& e_;
    const segment& s_;
    step_observer* observer_;
    int n_;
    const structure& structure_;
    bool implicit_form_;
    bool exact_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::uint64_t reported_steps_ = 0;
    double last_t_;
    std::vector<double> buffer_;
    std::atomic<bool> broken_{false};
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
};

extern "C" {

static int callback_f(void* host, double t, const double* y, double* out) { return static_cast<conversation*>(host)->f(t, y, out, false); }
static int callback_f_difference(void* host, double t, const double* y, double* out) { return static_cast<conversation*>(host)->f(t, y, out, true); }
static int callback_g(void* host, double t, const double* y, const double* yp, double* out)
{
    return static_cast<conversation*>(host)->g(t, y, yp, out, false);
}
static int callback_g_difference(void* host, double t, const double* y, const double* yp, double* out)
{
    return static_cast<conversation*>(host)->g(t, y, yp, out, true);
}
static int callback_jacobian(void* host, double t, const double* y, double* out, std::int32_t ld)
{
    return static_cast<conversation*>(host)->jacobian(structure_kind::full, t, y, out, ld);
}
static int callback_jacobian_band(void* host, double t, const double* y, double* out, std::int32_t ld)
{
    return static_cast<conversation*>(host)->jacobian(structure_kind::band, t, y, out, ld);
}
static int callback_jacobian_sparse(void* host, double t, const double* y, double* out)
{
    return static_cast<conversation*>(host)->jacobian(structure_kind::sparse, t, y, out, 0);
}
static int callback_time_derivative(void* host, double t, const double* y, double* out)
{
    return static_cast<conversation*>(host)->time_derivative(t, y, out);
}
static int callback_partials(void* host, double t, const double* y, const double* yp, double a, double b, double* out, std::int32_t ld)
{
    return static_cast<conversation*>(host)->partials(structure_kind::full, t, y, yp, a, b, out, ld);
}
static int callback_partials_band(void* host, double t, const double* y, const double* yp, double a, double b, double* out, std::int32_t ld)
{
    return static_cast<conversation*>(host)->partials(structure_kind::band, t, y, yp, a, b, out, ld);
}
static int callback_partials_sparse(void* host, double t, const double* y, const double* yp, double a, double b, double* out)
{
    return static_cast<conversation*>(host)->partials(structure_kind::sparse, t, y, yp, a, b, out, 0);
}
static int callback_mass_multiply(void* host, const double* x, double* out) { return static_cast<conversation*>(host)->mass_multiply(x, out); }
static int callback_accepted_step(void* host, const ivp_step* step) { return static_cast<conversation*>(host)->accepted_step(step); }
static void callback_factorised(void* host, std::int32_t real_matrices, std::int32_t complex_matrices)
{
    static_cast<conversation*>(host)->factorised(real_matrices, complex_matrices);
}
static void callback_solved(void* host, std::int32_t count) { static_cast<conversation*>(host)->solved(count); }
static void callback_jacobian_by_differences(void* host) { static_cast<conversation*>(host)->jacobian_by_differences(); }

} // extern "C"

constexpr ivp_callbacks callbacks{
    IVP_PLUGIN_VERSION,
    sizeof(ivp_callbacks),
    callback_f,
    callback_g,
    callback_f_difference,
    callback_g_difference,
    callback_jacobian,
    callback_jacobian_band,
    callback_jacobian_sparse,
    callback_partials,
    callback_partials_band,
    callback_partials_sparse,
    callback_mass_multiply,
    callback_accepted_step,
    callback_factorised,
    callback_solved,
    callback_jacobian_by_differences,
    callback_time_derivative,
};

/// Memory for a foreign hand to write to, with a fence on both sides that shows a step beyond it.
class fenced_vector {
public:
    explicit fenced_vector(std::span<const double> v) : all_(v.size() + 2 * fence, mark()) { std::copy(v.begin(), v.end(), data()); }
    [[nodiscard]] double* data() { return all_.data() + fence; }
    [[nodiscard]] std::span<const double> values() const { return std::span(all_).subspan(fence, all_.size() - 2 * fence); }
    [[nodiscard]] bool intact() const
    {
        const auto untouched = [](double v) { return std::bit_cast<std::uint64_t>(v) == std::bit_cast<std::uint64_t>(mark()); };
        return std::all_of(all_.begin(), all_.begin() + fence, untouched) && std::all_of(all_.end() - fence, all_.end(), untouched);
    }

private:
    static constexpr std::ptrdiff_t fence = 64;
    static double mark() { return -7.0971297e-297; } // nobody computes this
    std::vector<double> all_;
};

/// An ivp_task and the arrays it points to.
class task_memory {
public:
    task_memory(const evaluator& e, const segment& s, const solve_options& o, const solver_info& info, int which, bool observed, conversation& host)
        : y_(s.y), yp_(s.yp), rtol_(e.n()), atol_(e.n()), index_(e.n())
    {
        const problem_info& p = e.problem().info();
        for (int i = 0; i < p.n; ++i) {
            rtol_[i] = o.tolerance.relative(i);
            atol_[i] = o.tolerance.absolute(i);
            index_[i] = p.index_of(i);
        }
        for (const auto& option : info.options) options_.push_back(o.option(info, option.name));

        task_.version = IVP_PLUGIN_VERSION;
        task_.size = sizeof(ivp_task);
        task_.n = p.n;
        task_.form = code_of(p.form);
        task_.t0 = s.t0;
        task_.tend = s.tend;
        task_.y = y_.data();
        task_.yp = info.needs_initial_derivative ? yp_.data() : nullptr;
        task_.rtol = rtol_.data();
        task_.atol = atol_.data();
        task_.h0 = o.h0.value_or(0);
        task_.hmax = o.hmax;
        task_.max_steps = s.max_steps;
        task_.options = options_.data();
        task_.option_count = static_cast<std::int32_t>(options_.size());
        task_.scalar_tolerances = o.tolerance.scalar() ? 1 : 0;
        task_.threads = o.threads;
        task_.algebra = code_of(o.algebra);
        task_.exact_jacobian = host.exact_jacobian() ? 1 : 0;
        task_.observed = observed ? 1 : 0;
        task_.highest_index = p.highest_index;
        task_.index = index_.data();
        set_jacobian(p);
        if (p.form != form::ide) set_mass(e.mass());
        task_.callbacks = &callbacks;
        task_.host = &host;
        task_.which = which;
    }

    [[nodiscard]] const ivp_task* get() const { return &task_; }
    [[nodiscard]] bool intact() const { return y_.intact() && yp_.intact(); }
    void copy_solution_to(const segment& s) const
    {
        std::copy(y_.values().begin(), y_.values().end(), s.y.begin());
        if (task_.yp != nullptr) std::copy(yp_.values().begin(), yp_.values().end(), s.yp.begin());
    }

private:
    void set_jacobian(const problem_info& p)
    {
        const structure& j = p.jacobian_structure;
        task_.jacobian_kind = code_of(j.kind);
        task_.jacobian_lower = j.kind == structure_kind::full ? p.n - 1 : j.lower;
        task_.jacobian_upper = j.kind == structure_kind::full ? p.n - 1 : j.upper;
        if (j.kind != structure_kind::sparse) return;
        task_.jacobian_column_start = j.pattern->column_start.data();
        task_.jacobian_row = j.pattern->row.data();
    }
    void set_mass(const mass_matrix<double>& m)
    {
        task_.mass_kind = code_of(m.kind());
        task_.mass_lower = m.lower();
        task_.mass_upper = m.upper();
        task_.mass = m.kind() == mass_kind::identity ? nullptr : m.values().data();
        if (m.kind() != mass_kind::sparse) return;
        full_mass_.assign(static_cast<std::size_t>(m.n()) * m.n(), 0.0);
        m.for_each_entry([&](int i, int j, double value) { full_mass_[i + static_cast<std::size_t>(j) * m.n()] = value; });
        task_.mass = full_mass_.data();
    }

    fenced_vector y_, yp_;
    std::vector<double> rtol_, atol_, options_, full_mass_;
    std::vector<std::int32_t> index_;
    ivp_task task_{};
};

void check_algebra(algebra a, const solver_info& info, const structure& s)
{
    const bool band = info.takes_band && s.kind == structure_kind::band;
    const bool sparse = info.takes_sparse && s.kind == structure_kind::sparse;
    if ((a != algebra::band || band) && (a != algebra::sparse || sparse)) return;
    throw bad_request("algebra: '" + std::string(label(a)) + "' given; allowed for " + info.name + " and a Jacobian that is " + s.describe() +
                      ": auto, dense" + (band ? ", band" : "") + (sparse ? ", sparse" : ""));
}

class plugin_solver final : public solver {
public:
    plugin_solver(std::string label, solver_info info, solve_function solve, int which, std::shared_ptr<const library> lib = nullptr)
        : label_(std::move(label)), info_(std::move(info)), solve_(std::move(solve)), which_(which), library_(std::move(lib))
    {}

    [[nodiscard]] const solver_info& info() const override { return info_; }

    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        check_algebra(options.algebra, info_, e.problem().info().jacobian_structure);
        conversation host(label_, e, s, options, observer);
        const task_memory task(e, s, options, info_, which_, observer != nullptr, host);

        with_room<ivp_result> answer;
        ivp_result& r = answer.value;
        r.outcome = IVP_UNFINISHED;
        r.t = std::numeric_limits<double>::quiet_NaN();
        r.steps = r.accepted = r.error_rejections = r.nfev = r.njac = r.nlu = r.nsolve = -1;
        call(*task.get(), r);
        host.rethrow();
        if (!task.intact()) throw contract_breach(label_ + " breaks the plug-in contract: it writes outside the n entries of y or yp");
        task.copy_solution_to(s);
        return judged(r, host, e, s);
    }

private:
    void call(const ivp_task& task, ivp_result& r) const
    {
        const std::string breach = label_ + " breaks the plug-in contract: an exception left it";
        try {
            solve_(&task, &r);
        } catch (const std::bad_alloc&) {
            r.outcome = IVP_OUT_OF_MEMORY;
        } catch (const std::exception& e) {
            throw contract_breach(breach + ": " + clean_text(e.what()));
        } catch (...) {
            throw contract_breach(breach);
        }
    }

    [[nodiscard]] solve_result judged(const ivp_result& r, const conversation& host, const evaluator& e, const segment& s) const
    {
        solve_result result = counted(r, host);
        if (const auto reason = e.stop_reason()) {
            result.outcome = *reason;
            return result;
        }
        const auto claimed = outcome_of(r.outcome);
        if (!claimed)
            throw contract_breach(label_ + " breaks the plug-in contract: " +
                                  (r.outcome == IVP_UNFINISHED ? "it returns without an outcome"
                                   : r.outcome == IVP_STOPPED  ? "it claims to have been stopped, but no callback answered IVP_STOP"
                                                               : "it returns the unknown outcome " + std::to_string(r.outcome)));
        result.outcome = *claimed;
        result.message = clean_text(r.message, IVP_MESSAGE_SIZE);
        if (const auto place = e.last_nonfinite(); place && *claimed == outcome::nonfinite && result.message.empty())
            result.message = "component " + std::to_string(place->component + 1) + " is not finite at t = " + to_text(place->t);
        if (*claimed == outcome::success && !host.is_end(result.t)) {
            result.outcome = outcome::wrong_answer;
            result.message = "the solver claims success at t = " + to_text(result.t) +
                             (result.t < s.tend ? ", short of tend = " : ", beyond tend = ") + to_text(s.tend);
        }
        return result;
    }

    [[nodiscard]] static solve_result counted(const ivp_result& r, const conversation& host)
    {
        const auto claim_or = [](std::int64_t claim, std::uint64_t otherwise) { return claim < 0 ? otherwise : static_cast<std::uint64_t>(claim); };
        solve_result result;
        result.t = std::isfinite(r.t) ? r.t : host.last_t();
        result.accepted = claim_or(r.accepted, host.reported_steps());
        result.steps = std::max(claim_or(r.steps, result.accepted), result.accepted);
        result.error_rejections = claim_or(r.error_rejections, 0);
        // Block methods report blocks, so a difference is no fault; but it is worth knowing.
        if (host.reported_steps() != result.accepted) result.extra["reported_steps"] = static_cast<double>(host.reported_steps());
        for (const auto& [key, value] : {std::pair{"nfev", r.nfev}, {"njac", r.njac}, {"nlu", r.nlu}, {"nsolve", r.nsolve}})
            if (value >= 0) result.claimed[key] = static_cast<double>(value);
        return result;
    }

    std::string label_;
    solver_info info_;
    solve_function solve_;
    int which_;
    std::shared_ptr<const library> library_; // whose function solve_ is, if any
};

// ---- Solvers of a library ----

struct solver_path {
    std::string file;
    std::string solver; ///< empty: the only one
};

/// "./lib.so:name" names one of several solvers, unless there is a file of that very name.
solver_path split(const std::string& path)
{
    const auto colon = path.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || !is_name(std::string_view(path).substr(colon + 1)) || std::filesystem::exists(path, ignored)) return {path, ""};
    return {path.substr(0, colon), path.substr(colon + 1)};
}

constexpr int most_solvers = 1000; // of one library

/// All solvers that the library describes.
std::vector<solver_info> described_by(const library& lib)
{
    auto* const one = lib.symbol<decltype(ivp_solver_describe)>("ivp_solver_describe");
    auto* const number = lib.symbol<decltype(ivp_solver_count)>("ivp_solver_count");
    auto* const nth = lib.symbol<decltype(ivp_solver_describe_nth)>("ivp_solver_describe_nth");
    const bool has_solve = lib.symbol<decltype(ivp_solver_solve)>("ivp_solver_solve") != nullptr;
    if (one == nullptr && nth == nullptr && !has_solve && lib.symbol<decltype(ivp_problem_open)>("ivp_problem_open") != nullptr)
        throw bad_request(lib.label() + " is a problem (it exports ivp_problem_open), not a solver");

    std::vector<std::string> faults;
    const char* const needs = "; a solver plug-in exports ivp_solver_describe and ivp_solver_solve (see ivp/plugin.h)";
    if (one == nullptr && nth == nullptr) faults.push_back(lib.label() + " lacks the function ivp_solver_describe" + needs);
    if (!has_solve) faults.push_back(lib.label() + " lacks the function ivp_solver_solve" + needs);
    if ((number == nullptr) != (nth == nullptr))
        faults.push_back(lib.label() + " has one of the functions ivp_solver_count and ivp_solver_describe_nth without the other (see ivp/plugin.h)");
    const int count = nth != nullptr && number != nullptr ? number() : 1;
    if (count < 1 || count > most_solvers)
        faults.push_back(lib.label() + ": ivp_solver_count answers " + std::to_string(count) + "; allowed: 1 to " + std::to_string(most_solvers));
    if (!faults.empty()) throw bad_request(std::move(faults));

    std::vector<solver_info> all;
    for (int k = 0; k < count; ++k) {
        with_room<ivp_solver_description> description;
        if (nth != nullptr)
            nth(k, &description.value);
        else
            one(&description.value);
        all.push_back(read_description(lib.label(), description.value));
    }
    return all;
}

/// The one that is called so, or whose name ends with '-' and this word.
int find_solver(const library& lib, const std::vector<solver_info>& all, const std::string& wanted)
{
    if (wanted.empty() && all.size() == 1) return 0;
    std::vector<std::string> names;
    std::vector<int> ending;
    for (int k = 0; k < static_cast<int>(all.size()); ++k) {
        if (all[k].name == wanted) return k;
        if (all[k].name.ends_with("-" + wanted) && !wanted.empty()) ending.push_back(k);
        names.push_back(all[k].name);
    }
    if (ending.size() == 1) return ending[0];
    throw bad_request(lib.label() + (wanted.empty() ? " has " + std::to_string(all.size()) + " solvers" : " has no solver '" + wanted + "'") +
                      "; allowed: its path, ':' and one of " + joined(names, ", ") + nearest_name_hint(wanted, names));
}

} // namespace

std::unique_ptr<const solver> load_plugin_solver(const std::string& path)
{
    const solver_path wanted = split(path);
    auto lib = std::make_shared<const library>(wanted.file);
    std::vector<solver_info> all = described_by(*lib);
    const int which = find_solver(*lib, all, wanted.solver);
    auto* const solve = lib->symbol<decltype(ivp_solver_solve)>("ivp_solver_solve");
    return std::make_unique<plugin_solver>(lib->label(), std::move(all[which]), solve, which, lib);
}

std::unique_ptr<const solver> solver_of(const std::string& label, const ivp_solver_description& description, solve_function solve)
{
    solver_info info = read_description(label, description);
    info.origin = "program";
    return std::make_unique<plugin_solver>(label, std::move(info), std::move(solve), 0);
}

std::string file_of_plugin(const std::string& path) { return split(path).file; }

} // namespace ivp
