#include <ivp/check.hpp>

#include "base/labels.hpp"
#include "base/text.hpp"
#include "check_parts.hpp"
#include "mechanics/keeps_invariants.hpp"
#include "run/initial_derivative.hpp"

#include <array>

namespace ivp {

namespace checking {

namespace {

constexpr int random_points = 20;
constexpr int largest_dense = 1000; // equations: above it nothing is reduced as a full matrix

/// Whether y0' was given, computed, or neither.
enum class start_derivative { given, computed, unknown };

class problem_checker {
public:
    problem_checker(const problem& p, const check_options& options) : s_(p), options_(options)
    {
        report_.problem = p.id();
        if (s_.info.form == form::dae) algebraic_ = algebraic_equations(s_.eq.mass());
    }

    check_report run()
    {
        check_interval();
        check_mass();
        if (!check_start()) return std::move(report_);
        check_index();
        add(s_.choose_points());
        check_autonomous();
        check_chain();
        add(check_structure(s_));
        if (report_.findings.back().proof != proof::failed)
            for (auto& f : check_jacobians(s_)) add(std::move(f));
        check_precision();
        add(check_reference(s_, algebraic_, options_));
        return std::move(report_);
    }

private:
    void add(finding f) { report_.findings.push_back(std::move(f)); }
    void found(std::string what, proof p, std::string detail) { add({std::move(what), p, std::move(detail)}); }
    void found(std::string what, bool good, std::string detail) { found(std::move(what), good ? proof::proven : proof::failed, std::move(detail)); }

    void check_interval()
    {
        const double t0 = s_.info.t0.value();
        const double tend = s_.info.tend.value();
        double previous = t0;
        for (const auto& b : s_.info.breakpoints) {
            if (!(b.value() > previous && b.value() < tend))
                return found("interval and breakpoints", proof::failed, "breakpoint " + b.text() + " is out of order or outside the interval");
            previous = b.value();
        }
        found("interval and breakpoints", tend > t0,
              fmt::format("[{}, {}], {}", s_.info.t0.text(), s_.info.tend.text(), counted(s_.info.breakpoints.size(), "breakpoint")));
    }

    void check_index()
    {
        const char* const title = "index of the variables";
        int highest = 0;
        std::array<int, 4> count{};
        for (int i = 0; i < s_.n; ++i) {
            const int k = s_.info.index_of(i);
            if (k < 1 || k > 3) return found(title, proof::failed, fmt::format("variable {} has index {}", i + 1, k));
            if (i > 0 && k < s_.info.index_of(i - 1)) return found(title, proof::failed, fmt::format("variable {} breaks the order 1, 2, 3", i + 1));
            ++count[k];
            highest = std::max(highest, k);
        }
        if (s_.info.form == form::ode) return found(title, s_.info.highest_index == 0 && highest == 1, "ordinary differential equation");
        const std::string detail = fmt::format("{} of index 1, {} of index 2, {} of index 3", count[1], count[2], count[3]);
        if (highest != std::max(1, s_.info.highest_index)) return found(title, proof::failed, detail);
        if (highest > 1) return found(title, proof::claimed, detail + "; an index above 1 is not tested");
        found(title, index_one_ ? proof::proven : proof::claimed,
              detail + (index_one_ ? "; the differentiated equations determine y0'" : "; not tested"));
    }

    void check_mass()
    {
        if (s_.info.form != form::dae) return;
        const auto& m = s_.eq.mass();
        bool finite = true;
        m.for_each_entry([&finite](int, int, double v) { finite = finite && std::isfinite(v); });
        if (!finite || m.n() != s_.n) return found("mass matrix", proof::failed, m.describe() + (finite ? "" : ", with entries that are not finite"));
        found("mass matrix", algebraic_.known() ? proof::proven : proof::claimed,
              algebraic_.known() ? fmt::format("{}, rank {} of {}", m.describe(), algebraic_.rank(), s_.n)
                                 : fmt::format("{}, too large to find its rank", m.describe()));
    }

    /// False: the equations cannot be evaluated at the start, and nothing else can be tried.
    bool check_start()
    {
        const char* const title = "initial values";
        if (!std::ranges::all_of(s_.y0, [](double v) { return std::isfinite(v); })) {
            found(title, proof::failed, "y0 has components that are not finite");
            return false;
        }
        const start_derivative known = find_derivative();
        const point start{s_.info.t0.value(), s_.y0, s_.yp0};
        std::vector<double> value(s_.n);
        if (s_.value_at(start, value.data()) != evaluation::ok || !std::ranges::all_of(value, [](double v) { return std::isfinite(v); })) {
            found(title, proof::failed, "the equations refuse y0");
            return false;
        }
        const worst w = start_residual(start, value, known);
        const bool good = !s_.info.consistent_start || w.size < s_.info.start_residual;
        const std::string residual = fmt::format("largest relative residual {:.1e}{}", w.size, good ? "" : fmt::format(" in equation {}", w.row + 1));
        if (known == start_derivative::unknown)
            found(title, good ? proof::claimed : proof::failed,
                  "y0' is not given and was not computed (" + why_not_ + "), " + residual + " without it");
        else
            found(title, good, fmt::format("y0' {}, {}", known == start_derivative::given ? "given" : "computed", residual));
        if (known == start_derivative::given) compare_derivative();
        if (std::string moved = start_of(s_.p); !moved.empty()) {
            moved.pop_back();
            for (std::size_t k = moved.find('\n'); k != std::string::npos; k = moved.find('\n', k)) moved.replace(k, 1, "; ");
            found("consistent start", proof::proven, moved);
        }
        return true;
    }

    start_derivative find_derivative()
    {
        auto given = s_.eq.initial_derivatives();
        const bool is_given = !given.empty();
        if (is_given) s_.yp0 = std::move(given);
        if (s_.info.form != form::ode && s_.n > largest_dense) {
            why_not_ = fmt::format("more than {} equations", largest_dense);
            return is_given ? start_derivative::given : start_derivative::unknown;
        }
        try {
            computed_ = computed_initial_derivative(s_.p);
            index_one_ = true;
            if (!is_given) s_.yp0 = computed_;
            return is_given ? start_derivative::given : start_derivative::computed;
        } catch (const bad_request& e) {
            why_not_ = e.what();
            return is_given ? start_derivative::given : start_derivative::unknown;
        }
    }

    /// The residual of M y' = f or G = 0 in units of the terms whose sum it is: rounding is judged against them.
    worst start_residual(const point& start, const std::vector<double>& value, start_derivative known)
    {
        std::vector<double> residual = value;
        std::vector<double> size(s_.n, std::numeric_limits<double>::min());
        const auto add_terms = [&](double a, double b, const std::vector<double>& v) {
            const matrix_store j(s_.info.jacobian_structure, s_.n);
            if (s_.derivative_at(start, a, b, j.view) != evaluation::ok) return;
            for (int col = 0; col < s_.n; ++col)
                for_rows_of_column(s_.info.jacobian_structure, s_.n, col, [&](int i) { size[i] += std::abs(j.view.at(i, col) * v[col]); });
        };
        if (s_.implicit) {
            add_terms(1, 0, s_.y0);
            add_terms(0, 1, s_.yp0);
        } else {
            std::vector<double> left(s_.n);
            s_.eq.mass().multiply(s_.yp0.data(), left.data());
            for (int i = 0; i < s_.n; ++i) residual[i] = left[i] - value[i];
            // A y0' that was computed has the rounding of its largest component everywhere.
            double rounding_of = 0;
            if (known == start_derivative::computed)
                for (const double v : s_.yp0) rounding_of = std::max(rounding_of, std::abs(v));
            s_.eq.mass().for_each_entry([&](int i, int j, double m) { size[i] += std::abs(m) * std::max(std::abs(s_.yp0[j]), rounding_of); });
            if (std::ranges::any_of(residual, [](double v) { return v != 0; })) add_terms(1, 0, s_.y0);
        }
        worst w;
        const auto see = [&](int i) { w.see(std::abs(residual[i]) / (size[i] + std::abs(residual[i])), i, i); };
        if (known != start_derivative::unknown)
            for (int i = 0; i < s_.n; ++i) see(i);
        else if (!s_.implicit && algebraic_.are_rows()) // what must hold without y'
            for (int k = 0; k < algebraic_.count(); ++k) see(algebraic_.row(k));
        return w;
    }

    /// A given y0' against the one that the equations determine.
    void compare_derivative()
    {
        const char* const title = "y0'";
        if (computed_.empty()) return found(title, proof::claimed, "its components that the equations do not contain were not tested: " + why_not_);
        // A solution that rests has a y0' of rounding only: it counts in units of what would change y in the interval.
        double largest = std::numeric_limits<double>::min();
        for (const double v : computed_) largest = std::max(largest, std::abs(v));
        for (const double v : s_.y0) largest = std::max(largest, std::abs(v) / (s_.info.tend.value() - s_.info.t0.value()));
        worst w;
        for (int i = 0; i < s_.n; ++i) w.see(std::abs(s_.yp0[i] - computed_[i]) / largest, i, i);
        const bool good = !s_.info.consistent_start || w.size < std::max(1e-6, 100 * s_.info.start_residual);
        found(title, good,
              fmt::format("given, differs from the solution of the equations by {:.1e} of the largest{}", w.size,
                          good ? "" : fmt::format(", in component {}", w.row + 1)));
    }

    void check_autonomous()
    {
        if (!s_.info.autonomous()) return;
        if (s_.points.empty()) return found("autonomous", proof::claimed, "found no point at which the equations can be evaluated");
        std::vector<double> here(s_.n);
        std::vector<double> elsewhere(s_.n);
        for (const auto& q : s_.points) {
            if (s_.value_at(q, here.data()) != evaluation::ok) continue;
            for (const point& other : s_.points) {
                if (s_.value_at({other.t, q.y, q.yp}, elsewhere.data()) == evaluation::ok && here == elsewhere) continue;
                return found("autonomous", proof::failed, fmt::format("the equations depend on t: at t = {} and t = {} they differ", q.t, other.t));
            }
        }
        found("autonomous", proof::proven, fmt::format("the same values at {} times", s_.points.size()));
    }

    /// y_i' = y_{i+m2} for the first m1 equations, and nothing but that in these rows of f and M.
    void check_chain()
    {
        const auto [m1, m2] = s_.info.chain;
        if (m1 == 0) return;
        std::string fault;
        if (s_.implicit || m2 <= 0 || m1 % m2 != 0 || m1 + m2 > s_.n) fault = "impossible numbers";
        std::vector<double> out(s_.n);
        for (const auto& q : s_.points) {
            if (!fault.empty() || s_.eq.f(q.t, q.y.data(), out.data()) != evaluation::ok) continue;
            for (int i = 0; i < m1 && fault.empty(); ++i)
                if (out[i] != q.y[i + m2]) fault = fmt::format("equation {} is not y' = y({})", i + 1, i + 1 + m2);
        }
        std::vector<char> has_one(m1);
        s_.eq.mass().for_each_entry([&, m1 = m1](int i, int j, double v) {
            if (i < m1 && i == j && v == 1) has_one[i] = 1;
            if (std::min(i, j) < m1 && v != (i == j ? 1.0 : 0.0) && fault.empty()) fault = fmt::format("M({}, {}) is {}", i + 1, j + 1, v);
        });
        for (int i = 0; i < m1 && fault.empty(); ++i)
            if (has_one[i] == 0) fault = fmt::format("M({}, {}) is 0", i + 1, i + 1);
        found("derivative chain", fault.empty(), fault.empty() ? fmt::format("y_i' = y_(i+{}) for i = 1 ... {}", m2, m1) : fault);
    }

    void check_precision()
    {
        if (!s_.p.has_quad()) return;
        const auto& wide = s_.p.in<quad>();
        worst w;
        for (const auto& q : s_.points) {
            const std::vector<quad> y(q.y.begin(), q.y.end());
            const std::vector<quad> yp(q.yp.begin(), q.yp.end());
            std::vector<quad> exact(s_.n);
            std::vector<double> value(s_.n);
            (void)s_.value_at(q, value.data());
            const evaluation e = s_.implicit ? wide.g(quad(q.t), y.data(), yp.data(), exact.data()) : wide.f(quad(q.t), y.data(), exact.data());
            if (e != evaluation::ok) continue;
            double size = 0;
            for (int i = 0; i < s_.n; ++i) size = std::max(size, std::abs(value[i]));
            for (int i = 0; i < s_.n; ++i) w.see(std::abs(value_of(exact[i] - quad(value[i]))) / size, i, i);
        }
        found("double against quad evaluation", w.size < 1e-10, fmt::format("largest deviation {:.1e} of the largest component", w.size));
    }

    subject s_;
    check_options options_;
    algebraic_equations algebraic_;
    std::vector<double> computed_; ///< y0' from the equations alone; empty: not possible
    bool index_one_ = false;       ///< they determine it
    std::string why_not_;          ///< if they do not
    check_report report_;
};

} // namespace

algebraic_equations::algebraic_equations(const mass_matrix<double>& m) : n_(m.n())
{
    if (m.kind() == mass_kind::identity) return;
    if (m.kind() == mass_kind::diagonal) {
        for (int i = 0; i < n_; ++i)
            if (m.at(i, i) == 0) rows_.push_back(i);
        return;
    }
    known_ = n_ <= largest_dense;
    if (!known_) return;
    std::vector<double> dense(static_cast<std::size_t>(n_) * n_);
    m.for_each_entry([&](int i, int j, double v) { dense[i + static_cast<std::size_t>(j) * n_] = v; });
    reduced_ = reduce_rows(std::move(dense), n_);
    for (int i = reduced_->rank; i < n_; ++i) rows_.push_back(i);
}

subject::subject(const problem& problem)
    : p(problem),
      info(problem.info()),
      eq(problem.in<double>()),
      n(problem.n()),
      implicit(info.form == form::ide),
      y0(eq.initial_values()),
      yp0(static_cast<std::size_t>(n), 0.0),
      work(eq.make_scratch())
{}

finding subject::choose_points()
{
    std::vector<double> end = y0;
    if (const auto& r = p.reference(); r && static_cast<int>(r->value.size()) == n)
        for (int i = 0; i < n; ++i)
            if (std::isfinite(r->value[i].value())) end[i] = r->value[i].value();
    uniform random;
    std::vector<double> value(n);
    for (int k = 0; k < random_points; ++k) {
        const double s = random();
        for (const double spread : {1e-2, 1e-3, 1e-4, 1e-5}) { // smaller where the formula refuses
            point q{info.t0.value() + s * (info.tend.value() - info.t0.value()), y0, yp0};
            for (int i = 0; i < n; ++i) {
                const double noise = spread * (2 * random() - 1);
                q.y[i] += s * (end[i] - y0[i]) + noise * std::max({std::abs(y0[i]), std::abs(end[i]), 1e-8});
                q.yp[i] += noise * std::max(std::abs(yp0[i]), 1.0);
            }
            if (value_at(q, value.data()) != evaluation::ok) continue;
            points.push_back(std::move(q));
            break;
        }
    }
    return {"evaluation around the solution", static_cast<int>(points.size()) >= random_points / 2 ? proof::proven : proof::failed,
            fmt::format("{} of {} random points are inside the domain", points.size(), random_points)};
}

std::vector<double> subject::typical_sizes() const
{
    std::vector<double> size(n);
    for (const auto& q : points)
        for (int i = 0; i < n; ++i) size[i] = std::max(size[i], std::abs(q.y[i]));
    const double largest = *std::max_element(size.begin(), size.end());
    for (auto& s : size)
        if (s == 0) s = largest > 0 ? largest : 1;
    return size;
}

evaluation subject::derivative_at(const point& q, double a, double b, const matrix_view<double>& out) const
{
    if (eq.has_exact_jacobian()) {
        if (implicit) return eq.partials(q.t, q.y.data(), q.yp.data(), a, b, *work, out);
        return eq.jacobian(q.t, q.y.data(), *work, out);
    }
    const structure own{out.kind, out.lower, out.upper, info.jacobian_structure.pattern};
    const colouring colours = colour_columns(own, n);
    std::vector<std::vector<int>> columns(colours.colours);
    for (int j = 0; j < n; ++j) columns[colours.colour_of_column[j]].push_back(j);
    std::vector<double> here(n);
    std::vector<double> there(n);
    if (const evaluation e = value_at(q, here.data()); e != evaluation::ok) return e;
    point m = q;
    const auto width = [&](int j) {
        return std::sqrt(std::numeric_limits<double>::epsilon()) * std::max({1e-5, a == 0 ? 0 : std::abs(q.y[j]), b == 0 ? 0 : std::abs(q.yp[j])});
    };
    for (const auto& group : columns) {
        for (const int j : group) {
            m.y[j] += a * width(j);
            m.yp[j] += b * width(j);
        }
        if (const evaluation e = value_at(m, there.data()); e != evaluation::ok) return e;
        for (const int j : group) {
            for_rows_of_column(own, n, j, [&](int i) { out.set(i, j, (there[i] - here[i]) / width(j)); });
            m.y[j] = q.y[j];
            m.yp[j] = q.yp[j];
        }
    }
    return evaluation::ok;
}

} // namespace checking

std::string_view label(proof p) { return enum_labels<proof, 4>{{"proven", "claimed", "failed", "none"}}[p]; }

bool check_report::passed() const
{
    return std::ranges::none_of(findings, [](const finding& f) { return f.proof == proof::failed; });
}

check_report check_problem(const problem& p, const check_options& options) { return checking::problem_checker(p, options).run(); }

} // namespace ivp
