// @NAME@: a solver for the ivp test set, in C++.
//
// As written this is ROS2, a Rosenbrock method of order 2 for y' = f(t, y) with error control. With J = df/dy, each step solves two linear systems:
//
//     (I - gamma h J) k1 = f(t, y)
//     (I - gamma h J) k2 = f(t + h, y + h k1) - 2 k1
//     y_new = y + h (3/2 k1 + 1/2 k2),     estimate of the error: h/2 (k1 + k2)
//
// It is L-stable with gamma = 1 - 1/sqrt(2), and keeps its order with any J (J. G. Verwer et al., SIAM J. Sci. Comput. 20 (1999) 1456-1480).
// Put your own method into attempt() and integrate(); what is around them can stay. Everything a solver may and must do: ivp/plugin.h.
#include <ivp/plugin.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace {

constexpr double gamma_ = 0.29289321881345248; // 1 - 1/sqrt(2)
constexpr double epsilon = std::numeric_limits<double>::epsilon();

class integration {
public:
    explicit integration(const ivp_task& task)
        : task_(task),
          call_(*task.callbacks),
          n_(static_cast<std::size_t>(task.n)),
          f0_(n_),
          k1_(n_),
          k2_(n_),
          stage_(n_),
          trial_(n_),
          error_(n_),
          weight_(n_),
          jacobian_(n_ * n_),
          lu_(n_ * n_),
          pivot_(n_)
    {}

    /// Integrates from t0 to tend and returns the outcome.
    int integrate(ivp_result& result)
    {
        double* const y = task_.y;
        double t = task_.t0;
        double h = std::min(task_.h0 > 0 ? task_.h0 : 1e-6 * (task_.tend - t), task_.hmax);
        bool fresh = false; // J is that of this y
        int status = call_.f(task_.host, t, y, f0_.data());

        while (t < task_.tend) {
            if (status == IVP_OK && !fresh) status = differentiate(t, y);
            if (status == IVP_STOP) return IVP_STOPPED;            // a time limit, or the user
            if (status != IVP_OK && !fresh) return IVP_NOT_FINITE; // not even here: a smaller step cannot help
            if (static_cast<std::uint64_t>(result.steps) == task_.max_steps) return IVP_TOO_MANY_STEPS;
            if (!(h > 4 * epsilon * std::abs(t))) return status == IVP_NONFINITE ? IVP_NOT_FINITE : IVP_STEP_TOO_SMALL;
            fresh = true;
            ++result.steps;

            const double t_new = t + 1.001 * h < task_.tend ? t + h : task_.tend; // never beyond tend, and exactly there at last
            status = factorise(t_new - t) ? attempt(t, t_new, y) : IVP_REFUSED;
            const double norm = status == IVP_OK ? error_norm(y) : std::numeric_limits<double>::quiet_NaN();
            if (norm <= 1) status = call_.f(task_.host, t_new, trial_.data(), k1_.data()); // f must accept it too
            if (!(norm <= 1) || status != IVP_OK) {
                if (norm > 1) ++result.error_rejections;
                h = (t_new - t) * (norm > 1 ? std::max(0.2, 0.9 / std::sqrt(norm)) : 0.25);
                continue;
            }

            const ivp_step step = {IVP_VERSIONED(ivp_step), t,       t_new,  t_new - t, trial_.data(), 1, norm, error_.data(),
                                   weight_.data(),          nullptr, nullptr};
            h = std::min((t_new - t) * std::min(5.0, 0.9 / std::sqrt(norm)), task_.hmax);
            t = result.t = t_new;
            ++result.accepted;
            std::copy(trial_.begin(), trial_.end(), y);
            f0_ = k1_;
            fresh = false;
            status = call_.accepted_step(task_.host, &step);
        }
        return IVP_SUCCESS;
    }

private:
    /// J at (t, y): exact if the problem has it (and the user wants it), otherwise by difference quotients, which ivp counts separately.
    int differentiate(double t, const double* y)
    {
        if (task_.exact_jacobian != 0) return call_.jacobian(task_.host, t, y, jacobian_.data(), task_.n);
        call_.jacobian_by_differences(task_.host);
        stage_.assign(y, y + n_);
        for (std::size_t j = 0; j < n_; ++j) {
            double* const column = jacobian_.data() + j * n_;
            stage_[j] += std::sqrt(epsilon * std::max(1e-5, std::abs(y[j])));
            const int status = call_.f_difference(task_.host, t, stage_.data(), column);
            if (status != IVP_OK) return status;
            for (std::size_t i = 0; i < n_; ++i) column[i] = (column[i] - f0_[i]) / (stage_[j] - y[j]);
            stage_[j] = y[j];
        }
        return IVP_OK;
    }

    /// lu = I - gamma h J, factorised with row exchanges. False: singular.
    bool factorise(double h)
    {
        std::transform(jacobian_.begin(), jacobian_.end(), lu_.begin(), [h](double v) { return -gamma_ * h * v; });
        for (std::size_t i = 0; i < n_; ++i) lu_[i + i * n_] += 1;
        call_.factorised(task_.host, 1, 0); // only the solver knows its factorisations, so it reports them

        for (std::size_t k = 0; k < n_; ++k) {
            const double* const pivots = lu_.data() + k * n_;
            std::size_t p = k;
            for (std::size_t i = k + 1; i < n_; ++i)
                if (std::abs(pivots[i]) > std::abs(pivots[p])) p = i;
            pivot_[k] = p;
            if (!(std::abs(pivots[p]) > 0)) return false; // in this form, NaN is found too
            for (std::size_t j = 0; j < n_; ++j) {
                double* const column = lu_.data() + j * n_;
                std::swap(column[p], column[k]);
                if (j <= k) continue;
                const double factor = column[k] / pivots[k];
                for (std::size_t i = k + 1; i < n_; ++i) column[i] -= factor * pivots[i];
            }
        }
        return true;
    }

    /// x becomes the solution of (I - gamma h J) x = x.
    void solve(std::vector<double>& x)
    {
        for (std::size_t k = 0; k < n_; ++k) std::swap(x[pivot_[k]], x[k]);
        for (std::size_t k = 0; k < n_; ++k)
            for (std::size_t i = k + 1; i < n_; ++i) x[i] -= lu_[i + k * n_] / lu_[k + k * n_] * x[k];
        for (std::size_t k = n_; k-- > 0;) {
            x[k] /= lu_[k + k * n_];
            for (std::size_t i = 0; i < k; ++i) x[i] -= lu_[i + k * n_] * x[k];
        }
        call_.solved(task_.host, 1);
    }

    /// One step from (t, y) to t_new. After IVP_OK: the new solution is in trial, the estimate of its error in error.
    int attempt(double t, double t_new, const double* y)
    {
        const double h = t_new - t;
        k1_ = f0_;
        solve(k1_);
        for (std::size_t i = 0; i < n_; ++i) stage_[i] = y[i] + h * k1_[i];
        const int status = call_.f(task_.host, t_new, stage_.data(), k2_.data());
        if (status != IVP_OK) return status;
        for (std::size_t i = 0; i < n_; ++i) k2_[i] -= 2 * k1_[i];
        solve(k2_);
        for (std::size_t i = 0; i < n_; ++i) {
            trial_[i] = y[i] + h * (1.5 * k1_[i] + 0.5 * k2_[i]);
            error_[i] = h * 0.5 * (k1_[i] + k2_[i]);
        }
        return IVP_OK;
    }

    /// Of the estimate; at most 1: the step is accurate enough.
    double error_norm(const double* y)
    {
        double sum = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            weight_[i] = task_.atol[i] + task_.rtol[i] * std::max(std::abs(y[i]), std::abs(trial_[i]));
            sum += (error_[i] / weight_[i]) * (error_[i] / weight_[i]);
        }
        return std::sqrt(sum / static_cast<double>(n_));
    }

    const ivp_task& task_;
    const ivp_callbacks& call_;
    std::size_t n_;
    std::vector<double> f0_, k1_, k2_, stage_, trial_, error_, weight_;
    std::vector<double> jacobian_, lu_; // entry (i, j) at i + j n
    std::vector<std::size_t> pivot_;
};

} // namespace

/// Describes the solver and what it can do. ivp refuses other problems before it calls ivp_solver_solve.
void ivp_solver_describe(ivp_solver_description* out)
{
    out->version = IVP_PLUGIN_VERSION; // all else is preset to zero
    out->size = sizeof *out;
    out->name = "@NAME@";
    out->solver_version = "0.1";
    out->language = "C++";
    out->error_norm = "root mean square of the estimate divided by atol + rtol max(|y_old|, |y|)";
    out->lu_unit = "one real matrix";
    out->forms = IVP_ODE;
    out->flags =
        IVP_IMPLICIT | IVP_TAKES_H0 | IVP_TAKES_ZERO_RTOL | IVP_TAKES_VECTOR_TOLERANCES | IVP_GIVES_ERROR_ESTIMATE | IVP_LOCALLY_EXTRAPOLATED;
    out->lowest_order = 2;
    out->highest_order = 2;
}

/// Integrates from task->t0 to task->tend and fills the result. No exception may leave it.
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    result->steps = result->accepted = result->error_rejections = 0;
    try {
        result->outcome = integration(*task).integrate(*result);
    } catch (const std::bad_alloc&) {
        result->outcome = IVP_OUT_OF_MEMORY;
    }
}
