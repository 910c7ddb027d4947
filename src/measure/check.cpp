#include <ivp/measure/check.hpp>

#include <ivp/linalg/row_reduction.hpp>
#include <ivp/measure/initial_derivative.hpp>
#include <ivp/scalar/tracer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

namespace ivp {

namespace {

constexpr int random_points = 20;
constexpr unsigned seed = 20240229;

struct point {
    double t;
    std::vector<double> y;
    std::vector<double> yp;
};

/// Largest disagreement found, with its place.
struct worst {
    double size = 0;
    int row = -1;
    int column = -1;
    void see(double s, int i, int j)
    {
        if (!(s > size) && !std::isnan(s)) return;
        size = std::isnan(s) ? std::numeric_limits<double>::infinity() : s;
        row = i;
        column = j;
    }
    [[nodiscard]] std::string where() const { return row < 0 ? "" : fmt::format(" at row {}, column {}", row + 1, column + 1); }
};

template <class R>
R abs_of(const R& v)
{
    return v < R(0) ? -v : v;
}

class problem_checker {
public:
    explicit problem_checker(const problem& p)
        : p_(p), i_(p.info()), eq_(p.in<double>()), n_(p.n()), implicit_(i_.form == form::ide), y0_(eq_.initial_values()), work_(eq_.make_scratch())
    {
        report_.problem = p.id();
    }

    check_report run()
    {
        check_interval();
        check_index();
        check_mass();
        if (!check_start()) return std::move(report_);
        choose_points();
        check_autonomous();
        check_chain();
        if (check_structure()) check_jacobians();
        check_precision();
        check_reference();
        return std::move(report_);
    }

private:
    void found(std::string what, bool passed, std::string detail) { report_.findings.push_back({std::move(what), passed, std::move(detail)}); }

    void check_interval()
    {
        const double t0 = i_.t0.value();
        const double tend = i_.tend.value();
        double previous = t0;
        for (const auto& b : i_.breakpoints) {
            if (!(b.value() > previous && b.value() < tend))
                return found("interval and breakpoints", false, "breakpoint " + b.text() + " is out of order or outside the interval");
            previous = b.value();
        }
        found("interval and breakpoints", tend > t0, fmt::format("[{}, {}], {} breakpoints", i_.t0.text(), i_.tend.text(), i_.breakpoints.size()));
    }

    void check_index()
    {
        int highest = 0;
        std::array<int, 4> count{};
        for (int i = 0; i < n_; ++i) {
            const int k = i_.index_of(i);
            if (k < 1 || k > 3) return found("index of the variables", false, fmt::format("variable {} has index {}", i + 1, k));
            if (i > 0 && k < i_.index_of(i - 1))
                return found("index of the variables", false, fmt::format("variable {} breaks the order 1, 2, 3", i + 1));
            ++count[k];
            highest = std::max(highest, k);
        }
        if (i_.form == form::ode) return found("index of the variables", i_.highest_index == 0 && highest == 1, "ordinary differential equation");
        found("index of the variables", highest == std::max(1, i_.highest_index),
              fmt::format("{} of index 1, {} of index 2, {} of index 3", count[1], count[2], count[3]));
    }

    void check_mass()
    {
        if (i_.form != form::dae) return;
        const auto& m = eq_.mass();
        std::vector<double> dense(static_cast<std::size_t>(n_) * n_);
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i) dense[i + static_cast<std::size_t>(j) * n_] = m.at(i, j);
        algebraic_ = reduce_rows(dense, n_);
        const bool finite = std::all_of(dense.begin(), dense.end(), [](double v) { return std::isfinite(v); });
        found("mass matrix", finite && m.n() == n_, fmt::format("{}, rank {} of {}", m.describe(), algebraic_.rank, n_));
    }

    bool check_start()
    {
        std::vector<double> given = eq_.initial_derivatives();
        const bool is_given = !given.empty();
        try {
            yp0_ = initial_derivative(p_);
        } catch (const bad_request& e) {
            found("initial values", false, e.what());
            return false;
        }
        const double t0 = i_.t0.value();
        const problem as_residual = p_.as_ide();
        const auto& g = as_residual.in<double>();
        const auto work = g.make_scratch();
        std::vector<double> residual(n_);
        std::vector<double> j(static_cast<std::size_t>(n_) * n_);
        const matrix_view<double> view{structure_kind::full, n_, 0, 0, n_, nullptr, j.data()};
        if (g.g(t0, y0_.data(), yp0_.data(), residual.data()) != evaluation::ok) {
            found("initial values", false, "the equations refuse y0");
            return false;
        }
        // The size of the terms whose sum is the residual: rounding is judged against it.
        std::vector<double> size(n_, std::numeric_limits<double>::min());
        for (const auto& [a, b, v] : {std::tuple{1.0, 0.0, &y0_}, std::tuple{0.0, 1.0, &yp0_}}) {
            g.partials(t0, y0_.data(), yp0_.data(), a, b, *work, view);
            for (int col = 0; col < n_; ++col)
                for (int row = 0; row < n_; ++row) size[row] += std::abs(view.at(row, col) * (*v)[col]);
        }
        worst w;
        for (int i = 0; i < n_; ++i) w.see(std::abs(residual[i]) / (size[i] + std::abs(residual[i])), i, i);
        const bool ok = !i_.consistent_start || w.size < i_.start_residual;
        found("initial values", ok,
              fmt::format("y0' {}, largest relative residual {:.1e}{}", is_given ? "given" : "computed", w.size,
                          ok ? "" : fmt::format(" in equation {}", w.row + 1)));
        return true;
    }

    void choose_points()
    {
        const auto& r = p_.reference();
        std::vector<double> end = y0_;
        if (r)
            for (int i = 0; i < n_; ++i) end[i] = r->value[i].value();
        std::mt19937_64 random(seed);
        const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
        for (int k = 0; k < random_points; ++k) {
            const double s = uniform();
            for (const double spread : {1e-2, 1e-3, 1e-4, 1e-5}) { // smaller where the formula refuses
                point q{i_.t0.value() + s * (i_.tend.value() - i_.t0.value()), y0_, yp0_};
                for (int i = 0; i < n_; ++i) {
                    const double noise = spread * (2 * uniform() - 1);
                    q.y[i] += s * (end[i] - y0_[i]) + noise * std::max({std::abs(y0_[i]), std::abs(end[i]), 1e-8});
                    q.yp[i] += noise * std::max(std::abs(yp0_[i]), 1.0);
                }
                std::vector<double> value(n_);
                if (value_at(q, value.data()) != evaluation::ok) continue;
                points_.push_back(std::move(q));
                break;
            }
        }
        found("evaluation around the solution", static_cast<int>(points_.size()) >= random_points / 2,
              fmt::format("{} of {} random points are inside the domain", points_.size(), random_points));
    }

    evaluation value_at(const point& q, double* out) const
    {
        return implicit_ ? eq_.g(q.t, q.y.data(), q.yp.data(), out) : eq_.f(q.t, q.y.data(), out);
    }

    bool check_structure()
    {
        const auto& claimed = i_.jacobian_structure;
        std::vector<std::vector<int>> all(n_);
        for (const auto& q : points_) {
            const dependencies seen = eq_.trace(q.t, q.y.data(), q.yp.data());
            for (std::size_t i = 0; i < seen.size(); ++i) all[i] = tracer::join(all[i], seen[i]);
        }
        std::size_t entries = 0;
        for (int i = 0; i < n_; ++i) {
            entries += all[i].size();
            for (const int j : all[i])
                if (!claimed.contains(i, j)) {
                    found("structure of the Jacobian", false,
                          fmt::format("claimed {}, but equation {} depends on variable {}", claimed.describe(), i + 1, j + 1));
                    return false;
                }
        }
        found("structure of the Jacobian", true,
              entries == 0 ? "claimed " + claimed.describe() + ", cannot be traced"
                           : fmt::format("claimed {}, {} entries traced", claimed.describe(), entries));
        return true;
    }

    /// y_i' = y_{i+m2} for the first m1 equations, and nothing but that in these rows of f and M.
    void check_autonomous()
    {
        if (!i_.autonomous()) return;
        std::vector<double> here(n_);
        std::vector<double> elsewhere(n_);
        std::string fault;
        for (const auto& q : points_) {
            if (value_at(q, here.data()) != evaluation::ok) continue;
            for (const point& other : points_) {
                const bool same = value_at({other.t, q.y, q.yp}, elsewhere.data()) == evaluation::ok && here == elsewhere;
                if (!same) fault = fmt::format("the equations depend on t: at t = {} and t = {} they differ", q.t, other.t);
            }
        }
        found("autonomous", fault.empty(), fault.empty() ? "the same values at all times" : fault);
    }

    void check_chain()
    {
        const auto [m1, m2] = i_.chain;
        if (m1 == 0) return;
        const auto& m = eq_.mass();
        std::string fault;
        if (implicit_ || m2 <= 0 || m1 % m2 != 0 || m1 + m2 > n_) fault = "the numbers are not possible";
        std::vector<double> out(n_);
        for (const auto& q : points_) {
            if (!fault.empty() || eq_.f(q.t, q.y.data(), out.data()) != evaluation::ok) continue;
            for (int i = 0; i < m1 && fault.empty(); ++i)
                if (out[i] != q.y[i + m2]) fault = fmt::format("equation {} is not y' = y({})", i + 1, i + 1 + m2);
        }
        for (int j = 0; j < n_ && fault.empty(); ++j)
            for (int i = 0; i < n_; ++i)
                if (std::min(i, j) < m1 && m.at(i, j) != (i == j ? 1.0 : 0.0)) fault = fmt::format("M({}, {}) is {}", i + 1, j + 1, m.at(i, j));
        found("derivative chain", fault.empty(), fault.empty() ? fmt::format("y_i' = y_(i+{}) for i = 1 ... {}", m2, m1) : fault);
    }

    void check_jacobians()
    {
        if (!eq_.has_exact_jacobian()) return found("Jacobian", true, "none supplied, solvers use differences");
        if (!implicit_) return check_derivative("Jacobian df/dy", 1, 0);
        check_derivative("Jacobian dG/dy", 1, 0);
        check_derivative("Jacobian dG/dy'", 0, 1);
    }

    /// Exact derivative against central differences: in quad precision where the problem has it, so that the differences are exact too.
    void check_derivative(const char* what, double a, double b)
    {
        worst w;
        for (const auto& q : points_) {
            if (p_.has_quad())
                compare_derivative<quad>(q, a, b, w);
            else
                compare_derivative<double>(q, a, b, w);
        }
        const double allowed = p_.has_quad() ? 1e-9 : 1e-4;
        found(what, w.size < allowed,
              fmt::format("against {} differences at {} points: largest relative deviation {:.1e}{}", p_.has_quad() ? "quad" : "double",
                          points_.size(), w.size, w.size < allowed ? "" : w.where()));
    }

    template <class R>
    void compare_derivative(const point& q, double a, double b, worst& w) const
    {
        constexpr bool extended = std::is_same_v<R, quad>;
        const auto& eq = p_.in<R>();
        const colouring colours = colour_columns(i_.jacobian_structure, n_);
        const matrix_view<double> shape = exact_.layout(i_.jacobian_structure, n_);
        if (implicit_)
            (void)eq_.partials(q.t, q.y.data(), q.yp.data(), a, b, *work_, shape);
        else
            (void)eq_.jacobian(q.t, q.y.data(), *work_, shape);

        std::vector<double> row_size(n_, 0.0);
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < n_; ++i) row_size[i] = std::max(row_size[i], std::abs(shape.at(i, j)));

        std::vector<R> y(q.y.begin(), q.y.end());
        std::vector<R> yp(q.yp.begin(), q.yp.end());
        std::vector<R> plus(n_);
        std::vector<R> minus(n_);
        auto& moved = a != 0 ? y : yp;
        const auto evaluate = [&](std::vector<R>& out) {
            return implicit_ ? eq.g(R(q.t), y.data(), yp.data(), out.data()) : eq.f(R(q.t), y.data(), out.data());
        };
        std::vector<R> width(n_);
        for (int c = 0; c < colours.colours; ++c) {
            const auto move = [&](int sign) {
                for (int j = 0; j < n_; ++j)
                    if (colours.colour_of_column[j] == c) moved[j] += R(sign) * width[j];
            };
            for (int j = 0; j < n_; ++j) width[j] = R((extended ? 1e-11 : 1e-6)) * R(std::max(std::abs(value_of(moved[j])), 1e-6));
            const std::vector<R> before = moved;
            move(+1);
            const evaluation up = evaluate(plus);
            moved = before;
            move(-1);
            const evaluation down = evaluate(minus);
            moved = before;
            if (up != evaluation::ok || down != evaluation::ok) continue; // the border of the domain
            for (int j = 0; j < n_; ++j) {
                if (colours.colour_of_column[j] != c) continue;
                for (int i = 0; i < n_; ++i) {
                    if (!i_.jacobian_structure.contains(i, j)) continue;
                    const double difference = value_of((plus[i] - minus[i]) / (R(2) * width[j]));
                    const double scale = std::max({std::abs(difference), 1e-6 * row_size[i], std::numeric_limits<double>::min()});
                    // What rounding alone can do to the difference of two values of this size is no fault.
                    const double noise = 20 * value_of(std::numeric_limits<R>::epsilon() * (abs_of(plus[i]) + abs_of(minus[i])) / width[j]);
                    const double excess = std::abs(shape.at(i, j) - difference) - noise;
                    w.see(excess < 0 ? 0.0 : excess / scale, i, j); // NaN is seen
                }
            }
        }
    }

    void check_precision()
    {
        if (!p_.has_quad()) return;
        const auto& wide = p_.in<quad>();
        worst w;
        for (const auto& q : points_) {
            const std::vector<quad> y(q.y.begin(), q.y.end());
            const std::vector<quad> yp(q.yp.begin(), q.yp.end());
            std::vector<quad> exact(n_);
            std::vector<double> value(n_);
            (void)value_at(q, value.data());
            const evaluation e = implicit_ ? wide.g(quad(q.t), y.data(), yp.data(), exact.data()) : wide.f(quad(q.t), y.data(), exact.data());
            if (e != evaluation::ok) continue;
            double size = 0;
            for (int i = 0; i < n_; ++i) size = std::max(size, std::abs(value[i]));
            for (int i = 0; i < n_; ++i) w.see(std::abs(value_of(exact[i] - quad(value[i]))) / size, i, i);
        }
        found("double against quad evaluation", w.size < 1e-10, fmt::format("largest deviation {:.1e} of the largest component", w.size));
    }

    void check_reference()
    {
        const auto& r = p_.reference();
        if (!r) return found("reference solution", true, "none for these parameters: digits cannot be measured");
        if (static_cast<int>(r->value.size()) != n_)
            return found("reference solution", false, fmt::format("{} values for {} components", r->value.size(), n_));
        if (r->t.value() != i_.tend.value())
            return found("reference solution", false, "given at t = " + r->t.text() + ", the interval ends at " + i_.tend.text());
        const auto [fewest, most] = std::minmax_element(r->digits.begin(), r->digits.end());
        std::string detail = fmt::format("{}{} {} digits confirmed", *fewest == *most ? "" : fmt::format("{} to ", *fewest), *most,
                                         r->absolute_digits ? "absolute" : "significant");
        bool ok = true;
        if (i_.form == form::dae && algebraic_.rank < n_) {
            const double residual = algebraic_residual(*r);
            ok = residual < std::max(10 * std::pow(10.0, -*fewest), 1e-12); // they are evaluated in double
            detail += fmt::format(", algebraic equations satisfied to {:.1e}", residual);
        }
        found("reference solution", ok, detail);
    }

    /// Combinations of the equations that do not contain y' must vanish at the reference.
    [[nodiscard]] double algebraic_residual(const reference_solution& r) const
    {
        std::vector<double> y(n_);
        std::vector<double> f(n_);
        for (int i = 0; i < n_; ++i) y[i] = r.value[i].value();
        if (eq_.f(i_.tend.value(), y.data(), f.data()) != evaluation::ok) return std::numeric_limits<double>::infinity();
        std::vector<double> j(static_cast<std::size_t>(n_) * n_);
        (void)eq_.jacobian(i_.tend.value(), y.data(), *work_, {structure_kind::full, n_, 0, 0, n_, nullptr, j.data()});
        double largest = 0;
        for (int i = algebraic_.rank; i < n_; ++i) {
            double size = std::numeric_limits<double>::min();
            for (int k = 0; k < n_; ++k) size += std::abs(algebraic_.apply(i, j.data() + static_cast<std::ptrdiff_t>(k) * n_) * y[k]);
            largest = std::max(largest, std::abs(algebraic_.apply(i, f.data())) / size);
        }
        return largest;
    }

    /// Memory for one matrix in the layout of a structure.
    struct matrix_store {
        std::vector<double> values;
        matrix_view<double> layout(const structure& s, int n)
        {
            matrix_view<double> v{s.kind, n, s.lower, s.upper, s.kind == structure_kind::band ? s.lower + s.upper + 1 : n, s.pattern.get(), nullptr};
            values.resize(v.size());
            v.data = values.data();
            return v;
        }
    };

    const problem& p_;
    const problem_info& i_;
    const equations<double>& eq_;
    int n_;
    bool implicit_;
    std::vector<double> y0_;
    std::vector<double> yp0_;
    std::unique_ptr<scratch> work_;
    row_reduction algebraic_;
    std::vector<point> points_;
    mutable matrix_store exact_;
    check_report report_;
};

} // namespace

bool check_report::passed() const
{
    return std::all_of(findings.begin(), findings.end(), [](const finding& f) { return f.passed; });
}

check_report check_problem(const problem& p) { return problem_checker(p).run(); }

} // namespace ivp
