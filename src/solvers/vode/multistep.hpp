// multistep: the state of a variable-order, variable-step method in Nordsieck form. It knows nothing of tolerances or of the problem: a
// step is predict(), an iteration for e = y − prediction outside, and accept(e); retract() where that failed.
#ifndef IVP_SOLVERS_VODE_MULTISTEP_HPP
#define IVP_SOLVERS_VODE_MULTISTEP_HPP

#include "formula.hpp"
#include "nordsieck.hpp"

#include <algorithm>

namespace ivp::solvers::vode_method {

class multistep {
public:
    /// memory: none, or the work_memory for the vectors.
    template <class... Memory>
    multistep(family kind, int n, int max_order, Memory&... memory) : kind_(kind), n_(n), max_order_(max_order), z_(n, max_order, memory...)
    {}

    [[nodiscard]] family kind() const { return kind_; }
    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] int order() const { return q_; }
    [[nodiscard]] int max_order() const { return max_order_; }
    [[nodiscard]] double h() const { return h_; }
    [[nodiscard]] const step_sizes& steps_before() const { return before_; }
    [[nodiscard]] const formula& coefficients_now() const { return formula_; }
    [[nodiscard]] double* row(int j) { return z_.row(j); }
    [[nodiscard]] const double* row(int j) const { return z_.row(j); }
    [[nodiscard]] const double* y() const { return z_.row(0); }

    /// Order 1 at a point where y and f are known.
    void start(double h, const double* y, const double* f)
    {
        std::copy(y, y + n_, z_.row(0));
        restart(h, f);
    }
    /// The same at the point where it stands.
    void restart(double h, const double* f)
    {
        q_ = 1;
        h_ = before_[0] = h;
        equal_steps_ = 1;
        formula_is_kept_ = false;
        for (int i = 0; i < n_; ++i) z_.row(1)[i] = h * f[i];
    }

    /// Order q, as after equal steps; row(0) … row(q) hold the scaled derivatives.
    void continue_from(int q, double h)
    {
        q_ = q;
        h_ = h;
        before_.fill(h);
        equal_steps_ = coefficient_count;
        formula_is_kept_ = false;
    }

    void rescale(double eta)
    {
        z_.rescale(q_, eta);
        h_ *= eta;
        formula_is_kept_ = false;
    }
    /// Order q − 1.
    void lower_order()
    {
        if (q_ > 2) {
            coefficients c = lowering_coefficients(kind_, q_, h_, before_);
            for (double& value : c) value = -value;
            z_.add_multiples(2, q_ - 1, c.data(), z_.row(q_));
        }
        --q_;
        formula_is_kept_ = false;
    }
    /// Order q + 1, directly after a step whose e is given.
    void raise_order(const double* e)
    {
        double* const added = z_.row(q_ + 1);
        if (kind_ == family::adams) {
            std::fill(added, added + n_, 0.0);
        } else {
            const raising r = raising_coefficients(q_, h_, before_);
            simd::for_components<double>(n_, [&](auto at) { at(added) = r.column * at(e); });
            z_.add_multiples(2, q_, r.c.data(), added);
        }
        ++q_;
        formula_is_kept_ = false;
    }

    /// neighbours: an order change may be considered after this step.
    void predict(bool neighbours)
    {
        z_.predict(q_);
        if (formula_is_kept_) return;
        // After q + 1 equal steps the coefficients stay what they are.
        formula_is_kept_ = equal_steps_ >= q_ && before_[0] == h_;
        set_formula(formula_, kind_, q_, h_, before_, neighbours || formula_is_kept_);
    }
    void retract() { z_.retract(q_); }
    void accept(const double* e)
    {
        equal_steps_ = before_[0] == h_ ? std::min(equal_steps_ + 1, coefficient_count) : 1;
        for (int j = q_; j >= 1; --j) before_[j] = before_[j - 1];
        before_[0] = h_;
        z_.add_multiples(0, q_, formula_.l.data(), e);
    }

    /// The polynomial of the last accepted step, t_back behind its end.
    void evaluate_behind(double t_back, double* y) const { z_.evaluate(q_, -t_back / h_, y); }

private:
    family kind_;
    int n_;
    int max_order_;
    nordsieck z_;
    int q_ = 1;
    double h_ = 0;
    step_sizes before_{};
    int equal_steps_ = 0; // leading entries of before_ that are equal
    formula formula_;
    bool formula_is_kept_ = false;
};

} // namespace ivp::solvers::vode_method

#endif
