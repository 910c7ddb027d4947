#include "initial_derivative.hpp"

#include "linalg/row_reduction.hpp"
#include "linalg/shifted_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivp {

namespace {

struct dense_matrix {
    explicit dense_matrix(int n) : value(static_cast<std::size_t>(n) * n), view{structure_kind::full, n, 0, 0, n, nullptr, value.data()} {}
    std::vector<double> value;
    matrix_view<double> view;
};

[[noreturn]] void refuse(const problem& p, const std::string& why) { throw bad_request("y0' of " + p.id() + " cannot be computed: " + why); }

/// Newton's method for G(t0, y0, y') = 0 where the rows that do not contain y' are replaced by their derivatives d/dt G = 0:
/// with B = dG/dy', A = dG/dy and E B = [R; 0], the system of one iteration is [R; (E A) below] d = −[E G above; E (G_t + A y') below].
class index_one_start {
public:
    explicit index_one_start(const problem& implicit)
        : p_(implicit),
          eq_(implicit.in<double>()),
          n_(implicit.n()),
          t_(implicit.info().t0.value()),
          y_(eq_.initial_values()),
          yp_(n_, 0.0),
          work_(eq_.make_scratch()),
          a_(n_),
          b_(n_)
    {}

    std::vector<double> solve()
    {
        std::vector<double> step(n_);
        double previous = std::numeric_limits<double>::infinity();
        for (int iteration = 0; iteration < iteration_limit; ++iteration) {
            iterate(step);
            double size = 0;
            double change = 0;
            for (int i = 0; i < n_; ++i) {
                yp_[i] += step[i];
                size = std::max(size, std::abs(yp_[i]));
                change = std::max(change, std::abs(step[i]));
            }
            if (!std::isfinite(change)) break;
            // Converged, or as far as rounding allows.
            if (change <= 1e-14 * size || (change >= previous && change <= 1e-9 * size)) return yp_;
            previous = change;
        }
        refuse(p_, "the iteration for y0' does not converge; y0 may not be consistent");
    }

private:
    void iterate(std::vector<double>& step)
    {
        std::vector<double> g(n_);
        std::vector<double> along(n_);
        if (eq_.g(t_, y_.data(), yp_.data(), g.data()) != evaluation::ok ||
            eq_.partials(t_, y_.data(), yp_.data(), 1, 0, *work_, a_.view) != evaluation::ok ||
            eq_.partials(t_, y_.data(), yp_.data(), 0, 1, *work_, b_.view) != evaluation::ok ||
            eq_.time_derivative(t_, y_.data(), yp_.data(), *work_, along.data()) != evaluation::ok)
            refuse(p_, "the problem refuses its initial value");
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i) along[i] += a_.view.at(i, j) * yp_[j];

        const row_reduction e = reduce_rows(b_.value, n_);
        jacobian_matrix<double> minus_system(algebra::dense, structure::full(), n_);
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i)
                minus_system.view().set(i, j, -e.apply(i, (i < e.rank ? b_ : a_).value.data() + static_cast<std::ptrdiff_t>(j) * n_));
        for (int i = 0; i < n_; ++i) step[i] = -e.apply(i, (i < e.rank ? g : along).data());

        counters uncounted;
        const auto identity = mass_matrix<double>::identity(n_);
        shifted_lu<double> lu(minus_system, identity, 1, 0, uncounted);
        const double zero_shift = 0;
        if (!lu.factor({&zero_shift, 1}, {})) refuse(p_, "the differentiated equations do not determine it (the index is above 1)");
        lu.solve_real(0, step.data());
    }

    static constexpr int iteration_limit = 25;

    const problem& p_;
    const equations<double>& eq_;
    int n_;
    double t_;
    std::vector<double> y_;
    std::vector<double> yp_;
    std::unique_ptr<scratch> work_;
    dense_matrix a_;
    dense_matrix b_;
};

} // namespace

std::vector<double> initial_derivative(const problem& p)
{
    auto given = p.in<double>().initial_derivatives();
    return given.empty() ? computed_initial_derivative(p) : given;
}

std::vector<double> computed_initial_derivative(const problem& p)
{
    const auto& eq = p.in<double>();
    if (p.info().form == form::ode) {
        const auto y = eq.initial_values();
        std::vector<double> yp(p.n());
        if (eq.f(p.info().t0.value(), y.data(), yp.data()) != evaluation::ok) refuse(p, "f refuses the initial value");
        return yp;
    }
    if (p.info().highest_index > 1)
        refuse(p, "the problem has index " + std::to_string(p.info().highest_index) + "; only index 0 and 1 can be completed");
    return index_one_start(p.as_ide()).solve();
}

} // namespace ivp
