// The host's side of the contract for solvers (ivp/plugin.h): one solve through C callbacks.
#include "plugin_solver.hpp"

#include "base/text.hpp"
#include "codes.hpp"
#include "conversation.hpp"
#include "library.hpp"

#include <ivp/error.hpp>
#include <ivp/plugin.h>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace ivp::plugin {

namespace {

static_assert(std::is_same_v<int, std::int32_t>, "index arrays are handed over without a copy");

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
        for (const auto& option : info.options) options_.push_back(option.in(o.special));

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
        task_.callbacks = &host.callbacks();
        task_.host = &host;
        task_.which = which;
        task_.autonomous = p.autonomous() ? 1 : 0;
        task_.continues = s.t0 != p.t0.value() ? 1 : 0; // a run begins where its problem does
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
    plugin_solver(std::string label, solver_info info, solve_function solve, int which, std::shared_ptr<const library> lib)
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
                                   : r.outcome == IVP_STOPPED  ? "it claims to have been stopped, but no callback returned IVP_STOP"
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

    /// What the plug-in says it has done, which nothing but a claim can tell.
    [[nodiscard]] solve_result counted(const ivp_result& r, const conversation& host) const
    {
        check_claims(r);
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

    void check_claims(const ivp_result& r) const
    {
        const auto breach = [this](const std::string& what) { throw contract_breach(label_ + " breaks the plug-in contract: it claims " + what); };
        for (const auto& [name, value] : {std::pair{"steps", r.steps},
                                          {"accepted", r.accepted},
                                          {"error_rejections", r.error_rejections},
                                          {"nfev", r.nfev},
                                          {"njac", r.njac},
                                          {"nlu", r.nlu},
                                          {"nsolve", r.nsolve}})
            if (value < -1 || value > largest_count)
                breach(std::string(name) + " = " + std::to_string(value) + "; allowed: 0 to 2^53, or -1 if it is not claimed");
        if (r.steps >= 0 && r.accepted > r.steps) breach(std::to_string(r.accepted) + " accepted steps of " + std::to_string(r.steps));
    }

    std::string label_;
    solver_info info_;
    solve_function solve_;
    int which_;
    std::shared_ptr<const library> library_; // whose function solve_ is, if any
};

} // namespace

std::unique_ptr<const solver> make_plugin_solver(std::string label, solver_info info, solve_function solve, int which,
                                                 std::shared_ptr<const library> lib)
{
    return std::make_unique<plugin_solver>(std::move(label), std::move(info), std::move(solve), which, std::move(lib));
}

} // namespace ivp::plugin
