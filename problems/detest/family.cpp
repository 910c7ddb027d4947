#include "family.hpp"

#include "data.hpp"

#include <ivp/problem_of.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>

namespace ivp::problems::detest {

namespace {

constexpr int largest_n = 51;

/// P of equations_of, with the formula behind a virtual call.
template <class R>
struct shared_formula {
    std::shared_ptr<const formula<R>> base;

    template <class T>
    void f(const T& t, const T* y, T* out) const
    {
        base->f(t, y, out);
    }
    void initial(R* y) const { base->initial(y); }
};

/// z = y / w: the equations of the scaled variables, z' = f(t, w z) / w.
template <class R>
class scaled_view final : public equations<R> {
public:
    scaled_view(std::shared_ptr<const equations<R>> unscaled, std::shared_ptr<const formula<R>> text, const std::vector<decimal>& weights)
        : base_(std::move(unscaled)), text_(std::move(text))
    {
        assert(weights.size() <= largest_n);
        for (const auto& w : weights) weight_.push_back(w.in<R>());
    }

    [[nodiscard]] std::vector<R> initial_values() const override
    {
        std::vector<R> z = base_->initial_values();
        shrink(z.data());
        return z;
    }
    [[nodiscard]] const mass_matrix<R>& mass() const override { return base_->mass(); }

    evaluation f(const R& t, const R* z, R* out) const override { return static_cast<evaluation>(evaluate(this, t, z, out)); }
    [[nodiscard]] plain_function<R> plain_f() const override { return {evaluate, this}; }
    evaluation g(const R& t, const R* z, const R* zp, R* out) const override { return base_->g(t, z, zp, out); }

    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return base_->make_scratch(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch_for(const structure& known) const override { return base_->make_scratch_for(known); }

    evaluation jacobian(const R& t, const R* z, scratch& work, const matrix_view<R>& out) const override
    {
        const evaluation e = base_->jacobian(t, grown(z).data(), work, out);
        if (out.kind == structure_kind::full) {
            for (int j = 0; j < n(); ++j) {
                R* const column = out.data + static_cast<std::ptrdiff_t>(j) * out.ld;
                const R w = weight_[j];
                for (int i = 0; i < n(); ++i) column[i] = column[i] * w / weight_[i];
            }
            return e;
        }
        for (int j = 0; j < n(); ++j)
            for (int i = 0; i < n(); ++i)
                if (const int p = out.position(i, j); p >= 0) out.data[p] = out.data[p] * weight_[j] / weight_[i];
        return e;
    }
    evaluation partials(const R& t, const R* z, const R* zp, const R& a, const R& b, scratch& work, const matrix_view<R>& out) const override
    {
        return base_->partials(t, z, zp, a, b, work, out);
    }
    evaluation time_derivative(const R& t, const R* z, const R* /*zp*/, scratch& work, R* out) const override
    {
        const evaluation e = base_->time_derivative(t, grown(z).data(), nullptr, work, out);
        shrink(out);
        return e;
    }
    [[nodiscard]] dependencies trace(const R& t, const R* z, const R* /*zp*/) const override { return base_->trace(t, grown(z).data(), nullptr); }
    [[nodiscard]] std::optional<dependencies> trace_all(const R& t, const R* z, const R* /*zp*/) const override
    {
        return base_->trace_all(t, grown(z).data(), nullptr);
    }

private:
    static int evaluate(const void* self, R t, const R* z, R* out)
    {
        const auto& view = *static_cast<const scaled_view*>(self);
        return static_cast<int>(view.text_->scaled(t, z, view.weight_.data(), out));
    }

    [[nodiscard]] int n() const { return static_cast<int>(weight_.size()); }
    [[nodiscard]] std::array<R, largest_n> grown(const R* z) const
    {
        std::array<R, largest_n> y;
        for (int i = 0; i < n(); ++i) y[i] = z[i] * weight_[i];
        return y;
    }
    void shrink(R* y) const
    {
        for (int i = 0; i < n(); ++i) y[i] = y[i] / weight_[i];
    }

    std::shared_ptr<const equations<R>> base_;
    std::shared_ptr<const formula<R>> text_;
    std::vector<R> weight_;
};

template <class R>
std::shared_ptr<const equations<R>> equations_for(std::shared_ptr<const formula<R>> text, const problem_info& i, const detest_data& d, bool scaled)
{
    auto unscaled = std::make_shared<ivp::detail::equations_of<shared_formula<R>, R>>(shared_formula<R>{text}, i.n, i.jacobian_structure);
    if (!scaled) return unscaled;
    return std::make_shared<scaled_view<R>>(std::move(unscaled), std::move(text), d.weight);
}

problem_info info_for(const text& t, const detest_data& d, bool scaled)
{
    // Of a component that has decayed to less than this part of its weight no solver that is asked for the weight's digits has any of its own.
    constexpr double decayed = 1e-6;

    const bool stiff = d.set == detest_set::stiff;
    problem_info i;
    i.id = t.id;
    i.title = std::string("DETEST, ") + (stiff ? "stiff" : "non-stiff") + " problem " + d.group + std::to_string(d.number);
    i.form = form::ode;
    i.n = d.n();
    i.t0 = 0;
    i.tend = d.tend;
    i.quantity_of_interest = i.n == 1 ? "the solution at the end, and the errors of every step on the way"
                                      : "all components at the end, and the errors of every step on the way";
    i.contributor = stiff ? "W. H. Enright, T. E. Hull, B. Lindberg (package: W. H. Enright, J. D. Pryce)"
                          : "T. E. Hull, W. H. Enright, B. M. Fellen, A. E. Sedgwick (package: W. H. Enright, J. D. Pryce)";
    i.tags = {"detest", stiff ? "stiff" : "non-stiff", i.n <= 20 ? "small" : "medium",
              std::string("class-") + static_cast<char>(std::tolower(d.group))};
    t.describe(i);
    for (int k = 0; k < i.n; ++k)
        if (std::abs(d.end[k].value()) < decayed * d.weight[k].value()) i.accuracy.excluded.push_back(k + 1);
    if (static_cast<int>(i.accuracy.excluded.size()) == i.n) {
        i.accuracy.excluded.clear();
        i.accuracy.scd_defined = false;
    }
    i.protocol = {.ladder_start = 2, .ladder_per_decade = 1, .ladder_last = 8, .atol_per_rtol = 1, .fixed_h0 = d.hbegin};
    if (!scaled)
        i.protocol.vector_rule = [weight = d.weight](double rtol, double atol) {
            tolerances tol(rtol, atol);
            tol.atol.clear();
            for (const auto& w : weight) tol.atol.push_back(atol * w.value());
            return tol;
        };
    return i;
}

reference_solution reference_for(const detest_data& d, bool scaled)
{
    constexpr int digits_of_quotient = 34; // of quadruple precision: more than any value has
    reference_solution r;
    r.t = d.tend;
    r.value = d.end;
    if (scaled)
        for (int i = 0; i < d.n(); ++i) r.value[i] = decimal(to_text(d.end[i].in<quad>() / d.weight[i].in<quad>(), digits_of_quotient));
    r.digits.assign(d.digits.begin(), d.digits.end());
    if (d.closed_form) {
        r.source = "the known solution, with the constants of the package, evaluated with 60 digits";
        r.confirmed = "a second evaluation, and Radau IIA in quadruple precision (rtol 1e-28) as far as that reaches";
    } else {
        r.source = "Radau IIA of orders 5, 9 and 13 in quadruple precision, rtol 1e-28 (solve_quad)";
        r.confirmed = d.set == detest_set::nonstiff
                          ? "extrapolation (GBS) in quadruple precision, for F3 Taylor series with 45 digits"
                          : "another program with Radau IIA of order 13 in quadruple precision, for E1 extrapolation with 70 digits";
    }
    r.confirmed += "; what is below 1e-300 is written as 0";
    return r;
}

} // namespace

std::vector<parameter> all_parameters(std::vector<parameter> own)
{
    own.push_back({"scaled", 0, 0, 1, "1: the variables divided by the package's weights [-]", true});
    return own;
}

problem make_problem(const text& t, const std::map<std::string, std::string>& given)
{
    const detest_data& d = *detest_data_of(t.id);
    parameter_values values(all_parameters(t.parameters), given);
    const bool scaled = values.whole("scaled") == 1;
    problem_info info = info_for(t, d, scaled);
    auto in_double = equations_for(t.in_double(values), info, d, scaled);
    auto in_quad = equations_for(t.in_quad(values), info, d, scaled);
    const bool published = values.changed().size() == (scaled ? 1U : 0U); // scaling does not change the solution
    const problem p = problem(std::move(info), std::move(values), std::move(in_double), std::move(in_quad)).with_chapter(t.chapter);
    return published ? p.with_reference(reference_for(d, scaled)) : p;
}

} // namespace ivp::problems::detest
