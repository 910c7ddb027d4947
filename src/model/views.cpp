// One problem in another form: ODE and DAE as IDE, IDE as DAE.
#include "views.hpp"

#include <ivp/recorder.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace ivp {

namespace {

/// n numbers for the time of one evaluation; small problems need no allocation.
template <class R>
class local_vector {
public:
    explicit local_vector(int n)
    {
        if (n > inline_size) large_.resize(n);
        data_ = n > inline_size ? large_.data() : small_.data();
        std::fill(data_, data_ + n, R(0));
    }
    R* data() { return data_; }
    R& operator[](int i) { return data_[i]; }

private:
    static constexpr int inline_size = 64;
    std::array<R, inline_size> small_;
    std::vector<R> large_;
    R* data_;
};

/// G = M y' − f: an ODE or DAE seen as an implicit equation.
template <class R>
class residual_view final : public equations<R> {
public:
    explicit residual_view(std::shared_ptr<const equations<R>> explicit_form)
        : base_(std::move(explicit_form)), n_(static_cast<int>(base_->initial_values().size()))
    {}

    [[nodiscard]] std::vector<R> initial_values() const override { return base_->initial_values(); }
    [[nodiscard]] std::vector<R> initial_derivatives() const override { return base_->initial_derivatives(); }
    [[nodiscard]] const mass_matrix<R>& mass() const override { return base_->mass(); }

    evaluation f(const R& /*t*/, const R* /*y*/, R* /*out*/) const override { throw std::logic_error("f asked of the IDE view"); }
    evaluation g(const R& t, const R* y, const R* yp, R* out) const override
    {
        const auto& m = base_->mass();
        local_vector<R> my(n_);
        m.multiply(yp, my.data());
        const evaluation e = base_->f(t, y, out);
        for (int i = 0; i < n_; ++i) out[i] = my[i] - out[i];
        return e;
    }

    [[nodiscard]] bool has_exact_jacobian() const override { return base_->has_exact_jacobian(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return base_->make_scratch(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch_for(const structure& known) const override { return base_->make_scratch_for(known); }

    evaluation jacobian(const R& /*t*/, const R* /*y*/, scratch& /*work*/, const matrix_view<R>& /*out*/) const override
    {
        throw std::logic_error("df/dy asked of the IDE view");
    }

    evaluation partials(const R& t, const R* y, const R* /*yp*/, const R& a, const R& b, scratch& work, const matrix_view<R>& out) const override
    {
        const evaluation e = base_->jacobian(t, y, work, out);
        for (std::size_t k = 0; k < out.size(); ++k) out.data[k] = -a * out.data[k];
        base_->mass().for_each_entry([&](int i, int j, const R& entry) {
            if (!(entry == R(0))) out.data[out.position(i, j)] += b * entry;
        });
        return e;
    }
    evaluation time_derivative(const R& t, const R* y, const R* /*yp*/, scratch& work, R* out) const override
    {
        const evaluation e = base_->time_derivative(t, y, nullptr, work, out);
        for (int i = 0; i < n_; ++i) out[i] = -out[i];
        return e;
    }
    [[nodiscard]] dependencies trace(const R& t, const R* y, const R* /*yp*/) const override
    {
        dependencies d = base_->trace(t, y, nullptr);
        if (!d.empty()) add_mass(d);
        return d;
    }
    [[nodiscard]] std::optional<dependencies> trace_all(const R& t, const R* y, const R* /*yp*/) const override
    {
        auto d = base_->trace_all(t, y, nullptr);
        if (d) add_mass(*d);
        return d;
    }

private:
    void add_mass(dependencies& d) const
    {
        base_->mass().for_each_entry([&](int i, int j, const R& entry) {
            if (!(entry == R(0))) d[i] = tracer::join(d[i], {j});
        });
    }

    std::shared_ptr<const equations<R>> base_;
    int n_;
};

/// y_i' = z_i for every variable whose derivative occurs, and 0 = G(t, y, z): an IDE written with a constant mass matrix.
///
/// The unknowns are (y, z). The rows of the variables without a derivative and of all z are free; they take the equations G.
template <class R>
class doubled_view final : public equations<R>, public recording_in<R, doubled_view<R>> {
public:
    doubled_view(std::shared_ptr<const equations<R>> implicit_form, std::vector<int> differentiated)
        : base_(std::move(implicit_form)),
          with_derivative_(std::move(differentiated)),
          n_(static_cast<int>(base_->initial_values().size())),
          total_(n_ + static_cast<int>(with_derivative_.size())),
          mass_(make_mass())
    {
        for (int i = 0; i < total_; ++i)
            if (i >= n_ || !std::binary_search(with_derivative_.begin(), with_derivative_.end(), i)) row_of_equation_.push_back(i);
    }

    [[nodiscard]] std::vector<R> initial_values() const override
    {
        std::vector<R> y = base_->initial_values();
        const std::vector<R> yp = base_->initial_derivatives();
        for (const int i : with_derivative_) y.push_back(yp.at(i));
        return y;
    }
    [[nodiscard]] const mass_matrix<R>& mass() const override { return mass_; }

    evaluation f(const R& t, const R* y, R* out) const override
    {
        local_vector<R> yp(n_);
        local_vector<R> g(n_);
        spread(y, yp.data());
        const evaluation e = base_->g(t, y, yp.data(), g.data());
        for (std::size_t k = 0; k < with_derivative_.size(); ++k) out[with_derivative_[k]] = y[n_ + k];
        for (int i = 0; i < n_; ++i) out[row_of_equation_[i]] = g[i];
        return e;
    }
    evaluation g(const R& /*t*/, const R* /*y*/, const R* /*yp*/, R* /*out*/) const override { throw std::logic_error("G asked of the DAE view"); }

    [[nodiscard]] bool has_exact_jacobian() const override { return base_->has_exact_jacobian(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return std::make_unique<doubled_scratch>(*base_, n_); }

    evaluation jacobian(const R& t, const R* y, scratch& work, const matrix_view<R>& out) const override
    {
        auto& s = static_cast<doubled_scratch&>(work);
        std::fill(out.data, out.data + out.size(), R(0));
        std::fill(s.yp.begin(), s.yp.end(), R(0));
        spread(y, s.yp.data());
        const matrix_view<R> block{structure_kind::full, n_, 0, 0, n_, nullptr, s.block.data()};
        if (const evaluation e = base_->partials(t, y, s.yp.data(), R(1), R(0), *s.inner, block); e != evaluation::ok) return e;
        // NOTE: entries that `out` has no room for are zero.
        const auto write = [&out](int i, int j, const R& value) {
            if (const auto p = out.position(i, j); p >= 0) out.data[p] = value;
        };
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i) write(row_of_equation_[i], j, block.at(i, j));
        if (const evaluation e = base_->partials(t, y, s.yp.data(), R(0), R(1), *s.inner, block); e != evaluation::ok) return e;
        for (std::size_t k = 0; k < with_derivative_.size(); ++k) {
            const int column = n_ + static_cast<int>(k);
            out.set(with_derivative_[k], column, R(1));
            for (int i = 0; i < n_; ++i) write(row_of_equation_[i], column, block.at(i, with_derivative_[k]));
        }
        return evaluation::ok;
    }
    evaluation partials(const R& /*t*/, const R* /*y*/, const R* /*yp*/, const R& /*a*/, const R& /*b*/, scratch& /*work*/,
                        const matrix_view<R>& /*out*/) const override
    {
        throw std::logic_error("dG/dy asked of the DAE view");
    }
    evaluation time_derivative(const R& t, const R* y, const R* /*yp*/, scratch& work, R* out) const override
    {
        auto& s = static_cast<doubled_scratch&>(work);
        std::fill(s.yp.begin(), s.yp.end(), R(0));
        spread(y, s.yp.data());
        std::vector<R> g(n_);
        const evaluation e = base_->time_derivative(t, y, s.yp.data(), *s.inner, g.data());
        std::fill(out, out + total_, R(0));
        for (int i = 0; i < n_; ++i) out[row_of_equation_[i]] = g[i];
        return e;
    }
    /// The tape of G with derivatives that are variables.
    evaluation write_tape(const quad& t, const quad* y, const quad* /*yp*/, const std::vector<bool>& sides, tape& to) const
    {
        const auto* const formula = dynamic_cast<const recordable*>(base_.get());
        if (formula == nullptr) return evaluation::refused;
        std::vector<quad> yp(n_, quad(0));
        spread(y, yp.data());
        const evaluation e = formula->record(t, y, yp.data(), sides, to);
        const std::vector<int> g = std::exchange(to.output, std::vector<int>(total_, -1));
        for (auto& entry : to.entries) {
            if (entry.what != operation::derivative) continue;
            const auto k = std::lower_bound(with_derivative_.begin(), with_derivative_.end(), entry.a);
            if (k == with_derivative_.end() || *k != entry.a)
                entry = {operation::constant};
            else
                entry = {operation::variable, n_ + static_cast<int>(k - with_derivative_.begin())};
        }
        for (std::size_t k = 0; k < with_derivative_.size(); ++k) {
            to.entries.push_back({operation::variable, n_ + static_cast<int>(k)});
            to.output[with_derivative_[k]] = static_cast<int>(to.entries.size()) - 1;
        }
        for (std::size_t i = 0; i < g.size(); ++i) to.output[row_of_equation_[i]] = g[i];
        return e;
    }
    [[nodiscard]] std::optional<dependencies> trace_all(const R& t, const R* y, const R* /*yp*/) const override
    {
        local_vector<R> yp(n_);
        spread(y, yp.data());
        const auto implicit = base_->trace_all(t, y, yp.data());
        if (!implicit) return std::nullopt;
        dependencies d(total_);
        for (int i = 0; i < n_; ++i) {
            auto& columns = d[row_of_equation_[i]];
            columns = (*implicit)[i]; // of y and y' together
            for (std::size_t k = 0; k < with_derivative_.size(); ++k)
                if (std::binary_search((*implicit)[i].begin(), (*implicit)[i].end(), with_derivative_[k]))
                    columns.push_back(n_ + static_cast<int>(k));
        }
        for (std::size_t k = 0; k < with_derivative_.size(); ++k) d[with_derivative_[k]] = {n_ + static_cast<int>(k)};
        return d;
    }

private:
    struct doubled_scratch : scratch {
        doubled_scratch(const equations<R>& base, int n) : inner(base.make_scratch()), block(static_cast<std::size_t>(n) * n), yp(n) {}
        std::unique_ptr<scratch> inner;
        std::vector<R> block;
        std::vector<R> yp;
    };

    void spread(const R* y, R* yp) const
    {
        for (std::size_t k = 0; k < with_derivative_.size(); ++k) yp[with_derivative_[k]] = y[n_ + k];
    }
    [[nodiscard]] mass_matrix<R> make_mass() const
    {
        std::vector<R> d(total_, R(0));
        for (const int i : with_derivative_) d[i] = R(1);
        return mass_matrix<R>::diagonal(std::move(d));
    }

    std::shared_ptr<const equations<R>> base_;
    std::vector<int> with_derivative_;
    int n_;
    int total_;
    mass_matrix<R> mass_;
    std::vector<int> row_of_equation_;
};

/// Variables whose derivative occurs in G, found at a point near the start where no term vanishes by chance.
std::vector<int> differentiated_variables(const equations<double>& eq, double t)
{
    std::vector<double> y = eq.initial_values();
    std::vector<double> yp = eq.initial_derivatives();
    const int n = static_cast<int>(y.size());
    for (int i = 0; i < n; ++i) {
        y[i] += 1e-3 * (1 + i % 7) * std::max(1e-3, std::abs(y[i]));
        yp[i] += 1e-3 * (1 + i % 5);
    }
    std::vector<double> b(static_cast<std::size_t>(n) * n);
    const matrix_view<double> view{structure_kind::full, n, 0, 0, n, nullptr, b.data()};
    if (eq.partials(t, y.data(), yp.data(), 0, 1, *eq.make_scratch(), view) != evaluation::ok)
        throw std::logic_error("the IDE refuses a point near its start");
    std::vector<int> found;
    for (int j = 0; j < n; ++j)
        if (std::any_of(b.begin() + static_cast<std::ptrdiff_t>(j) * n, b.begin() + static_cast<std::ptrdiff_t>(j + 1) * n,
                        [](double v) { return v != 0; }))
            found.push_back(j);
    return found;
}

/// The same variables with the derivatives behind them.
void extend(problem_info& i, int derivatives)
{
    i.form = form::dae;
    if (i.index.empty()) i.index.assign(i.n, 1);
    i.highest_index = std::max(1, i.highest_index);
    i.index.insert(i.index.end(), derivatives, i.highest_index);
    i.component_names.clear();
    i.n += derivatives;
    i.jacobian_structure = structure::full();
}

} // namespace

problem problem::as_ide() const
{
    if (info_.form == form::ide) return *this;
    problem p = *this;
    p.info_.form = form::ide;
    p.info_.jacobian_structure = iteration_structure();
    p.known_ = std::make_shared<known_structure>();
    p.info_.chain = {}; // said of M y' = f
    p.double_ = std::make_shared<residual_view<double>>(double_);
    if (quad_) p.quad_ = std::make_shared<residual_view<quad>>(quad_);
    return p;
}

problem problem::as_dae() const
{
    if (info_.form != form::ide) return *this;
    if (double_->initial_derivatives().empty()) throw bad_request("'" + info_.id + "' has no y0', so it cannot be written as M y' = f");
    const std::vector<int> differentiated = differentiated_variables(*double_, info_.t0.value());
    problem p = *this;
    extend(p.info_, static_cast<int>(differentiated.size()));
    p.known_ = std::make_shared<known_structure>();
    p.double_ = std::make_shared<doubled_view<double>>(double_, differentiated);
    if (quad_) p.quad_ = std::make_shared<doubled_view<quad>>(quad_, differentiated);
    return p;
}

problem in_form(const problem& p, form wanted)
{
    const form stored = p.info().form;
    if (wanted == stored) return p;
    if (wanted == form::ide) return p.as_ide();
    if (wanted == form::dae && stored == form::ide) return p.as_dae();
    const std::string allowed = stored == form::ide ? "ide, dae" : std::string(label(stored)) + ", ide";
    throw bad_request("form: '" + std::string(label(wanted)) + "' given; " + p.id() + " is stored as '" + std::string(label(stored)) +
                      "', allowed: " + allowed);
}

} // namespace ivp
