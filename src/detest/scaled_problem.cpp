#include "problems.hpp"

#include <algorithm>

namespace ivp::detest {

namespace {

/// Memory for one evaluation at a time; equations may be called from several threads.
template <class R>
std::vector<R>& workspace(std::size_t which, std::size_t n)
{
    static thread_local std::vector<R> space[2];
    if (space[which].size() < n) space[which].resize(n);
    return space[which];
}

template <class R>
class scaled_equations final : public equations<R> {
public:
    scaled_equations(const problem& p, const std::vector<double>& w)
        : base_problem_(p), base_(base_problem_.in<R>()), w_(w.begin(), w.end()), divides_(p.info().form == form::ode), mass_(scaled_mass())
    {}

    [[nodiscard]] std::vector<R> initial_values() const override { return divided(base_.initial_values()); }
    [[nodiscard]] std::vector<R> initial_derivatives() const override { return divided(base_.initial_derivatives()); }
    [[nodiscard]] const mass_matrix<R>& mass() const override { return mass_; }

    evaluation f(const R& t, const R* y, R* out) const override
    {
        const evaluation e = base_.f(t, natural(0, y), out);
        divide(out);
        return e;
    }
    evaluation g(const R& t, const R* y, const R* yp, R* out) const override { return base_.g(t, natural(0, y), natural(1, yp), out); }

    [[nodiscard]] bool has_exact_jacobian() const override { return base_.has_exact_jacobian(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return base_.make_scratch(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch_for(const structure& known) const override { return base_.make_scratch_for(known); }

    evaluation jacobian(const R& t, const R* y, scratch& work, const matrix_view<R>& out) const override
    {
        const evaluation e = base_.jacobian(t, natural(0, y), work, out);
        scale(out);
        return e;
    }
    evaluation partials(const R& t, const R* y, const R* yp, const R& a, const R& b, scratch& work, const matrix_view<R>& out) const override
    {
        const evaluation e = base_.partials(t, natural(0, y), natural(1, yp), a, b, work, out);
        scale(out);
        return e;
    }
    evaluation time_derivative(const R& t, const R* y, const R* yp, scratch& work, R* out) const override
    {
        const evaluation e = base_.time_derivative(t, natural(0, y), yp == nullptr ? nullptr : natural(1, yp), work, out);
        divide(out);
        return e;
    }
    [[nodiscard]] dependencies trace(const R& t, const R* y, const R* yp) const override
    {
        return base_.trace(t, natural(0, y), yp == nullptr ? nullptr : natural(1, yp));
    }
    [[nodiscard]] std::optional<dependencies> trace_all(const R& t, const R* y, const R* yp) const override
    {
        return base_.trace_all(t, natural(0, y), yp == nullptr ? nullptr : natural(1, yp));
    }

private:
    const R* natural(std::size_t which, const R* z) const
    {
        auto& y = workspace<R>(which, w_.size());
        for (std::size_t i = 0; i < w_.size(); ++i) y[i] = z[i] * w_[i];
        return y.data();
    }
    [[nodiscard]] std::vector<R> divided(std::vector<R> y) const
    {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] / w_[i];
        return y;
    }
    void divide(R* v) const
    {
        if (!divides_) return;
        for (std::size_t i = 0; i < w_.size(); ++i) v[i] = v[i] / w_[i];
    }
    void scale(const matrix_view<R>& m) const
    {
        const int n = static_cast<int>(w_.size());
        const auto entry = [&](int i, int j, R& v) {
            v = v * w_[j];
            if (divides_) v = v / w_[i];
        };
        for (int j = 0; j < n; ++j) {
            if (m.kind == structure_kind::sparse) {
                for (int p = m.pattern->column_start[j]; p < m.pattern->column_start[j + 1]; ++p) entry(m.pattern->row[p], j, m.data[p]);
                continue;
            }
            const bool band = m.kind == structure_kind::band;
            for (int i = band ? std::max(0, j - m.upper) : 0; i <= (band ? std::min(n - 1, j + m.lower) : n - 1); ++i)
                entry(i, j, m.data[m.position(i, j)]);
        }
    }
    [[nodiscard]] mass_matrix<R> scaled_mass() const
    {
        const mass_matrix<R>& m = base_.mass();
        if (divides_ || base_problem_.info().form == form::ide) return m;
        if (m.kind() == mass_kind::identity) return mass_matrix<R>::diagonal(w_);
        mass_matrix<R> scaled = m;
        m.for_each_entry([&](int i, int j, const R& v) { scaled.set(i, j, v * w_[j]); });
        return scaled;
    }

    problem base_problem_; // keeps base_ alive
    const equations<R>& base_;
    std::vector<R> w_;
    bool divides_;
    mass_matrix<R> mass_;
};

} // namespace

problem scaled_problem(const problem& p, const std::vector<double>& weights)
{
    problem_info info = p.info();
    info.protocol = {};
    info.chain = {}; // y_i' = y_{i+m2} no longer holds
    auto in_double = std::make_shared<scaled_equations<double>>(p, weights);
    std::shared_ptr<scaled_equations<quad>> in_quad;
    if (p.has_quad()) in_quad = std::make_shared<scaled_equations<quad>>(p, weights);
    return {std::move(info), p.parameters(), std::move(in_double), std::move(in_quad)};
}

} // namespace ivp::detest
