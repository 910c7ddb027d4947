#include "consistent.hpp"

#include "base/text.hpp"
#include "linalg/pivoted_qr.hpp"
#include "linalg/shifted_lu.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

namespace ivp {

namespace {

template <class R>
R size_of(const R& x)
{
    return x < R(0) ? -x : x;
}
template <class R>
R larger(const R& a, const R& b)
{
    return a < b ? b : a;
}
template <class R>
R largest_of(const std::vector<R>& x)
{
    R most(0);
    for (const R& v : x) most = larger(most, size_of(v));
    return most;
}

/// A dense matrix, by columns.
template <class R>
struct dense {
    dense(int r, int c) : rows(r), columns(c), value(static_cast<std::size_t>(r) * c, R(0)) {}
    R& operator()(int i, int j) { return value[i + static_cast<std::size_t>(j) * rows]; }
    const R& operator()(int i, int j) const { return value[i + static_cast<std::size_t>(j) * rows]; }
    int rows;
    int columns;
    std::vector<R> value;
};

/// A x = b for every column of b, in place. False: A is singular or not finite.
template <class R>
bool solve(const dense<R>& a, dense<R>& b)
{
    jacobian_matrix<R> minus_a(algebra::dense, structure::full(), a.rows);
    for (int j = 0; j < a.rows; ++j)
        for (int i = 0; i < a.rows; ++i) minus_a.view().set(i, j, -a(i, j));
    counters uncounted;
    const auto identity = mass_matrix<R>::identity(a.rows);
    shifted_lu<R> lu(minus_a, identity, 1, 0, uncounted);
    const R zero(0);
    if (!lu.factor({&zero, 1}, {})) return false;
    std::vector<R> x(static_cast<std::size_t>(a.rows));
    for (int j = 0; j < b.columns; ++j) {
        for (int i = 0; i < a.rows; ++i) x[i] = b(i, j);
        lu.solve_real(0, x.data());
        for (int i = 0; i < a.rows; ++i) {
            using std::isfinite;
            if (!isfinite(x[i])) return false;
            b(i, j) = x[i];
        }
    }
    return true;
}

/// The smallest step d (in the norm of `metric`) that solves J d = r as well as damping allows: [metric J^T; J -damping I] (d, z) = (0, r).
template <class R>
std::optional<std::vector<R>> least_step(const dense<R>& metric, const dense<R>& j, const std::vector<R>& r, const R& damping)
{
    const int n = j.columns, m = j.rows;
    dense<R> kkt(n + m, n + m), b(n + m, 1);
    for (int c = 0; c < n; ++c)
        for (int i = 0; i < n; ++i) kkt(i, c) = metric(i, c);
    for (int i = 0; i < m; ++i) {
        for (int c = 0; c < n; ++c) kkt(n + i, c) = kkt(c, n + i) = j(i, c);
        kkt(n + i, n + i) = -damping;
        b(n + i, 0) = r[i];
    }
    if (!solve(kkt, b)) return std::nullopt;
    return std::vector<R>(b.value.begin(), b.value.begin() + n);
}

/// Conditions 0 = F(x) with their Jacobian. Divided by the length of the rows, a residual is a distance.
template <class R>
struct linearised {
    std::vector<R> value;
    dense<R> jacobian;

    /// One over the length of each row; 1 where it vanishes.
    [[nodiscard]] std::vector<R> factors() const
    {
        using std::sqrt;
        std::vector<R> all;
        for (int i = 0; i < jacobian.rows; ++i) {
            R sum(0);
            for (int c = 0; c < jacobian.columns; ++c) sum += jacobian(i, c) * jacobian(i, c);
            all.push_back(sum > R(0) ? R(1) / sqrt(sum) : R(1));
        }
        return all;
    }
    void scale_by(const std::vector<R>& factor)
    {
        for (int i = 0; i < jacobian.rows; ++i) {
            value[i] *= factor[i];
            for (int c = 0; c < jacobian.columns; ++c) jacobian(i, c) *= factor[i];
        }
    }
    void scale() { scale_by(factors()); }
};

template <class R>
using conditions = std::function<std::optional<linearised<R>>(const std::vector<R>& x)>;
template <class R>
using metric_at = std::function<dense<R>(const std::vector<R>& x)>;

template <class R>
R sum_of_squares(const std::vector<R>& x)
{
    R sum(0);
    for (const R& v : x) sum += v * v;
    return sum;
}

/// Levenberg's and Marquardt's method: to a solution of F = 0 near x, or to a point where |F| is least. The rows are divided by the lengths that they
/// have at the beginning, so that |F| is one function all the way, and a gradient that vanishes shows.
template <class R>
std::optional<linearised<R>> approach(std::vector<R>& x, const conditions<R>& raw, const metric_at<R>& metric)
{
    const auto first = raw(x);
    if (!first) return std::nullopt;
    const auto f = [&raw, factor = first->factors()](const std::vector<R>& at) {
        auto l = raw(at);
        if (l) l->scale_by(factor);
        return l;
    };
    constexpr int iteration_limit = 400;
    const R floor = std::numeric_limits<R>::epsilon() * R(1e4);
    R damping(1e-3);
    auto here = f(x);
    if (!here) return std::nullopt;
    int without_progress = 0;
    for (int k = 0; k < iteration_limit && without_progress < 30; ++k) {
        const R before = sum_of_squares(here->value);
        if (before == R(0)) break;
        std::vector<R> r = here->value;
        for (R& v : r) v = -v;
        const auto step = least_step(metric(x), here->jacobian, r, damping);
        std::vector<R> next = x;
        if (step)
            for (std::size_t i = 0; i < x.size(); ++i) next[i] += (*step)[i];
        auto there = step ? f(next) : std::nullopt;
        const R after = there ? sum_of_squares(there->value) : R(0);
        if (!there || !(after < before)) {
            damping = larger(damping, floor) * R(10);
            ++without_progress;
            continue;
        }
        // At a point where |F| is least the gain dies away; at a solution it does not, until rounding ends it.
        without_progress = after > before * R(0.999999) ? without_progress + 1 : 0;
        x = std::move(next);
        here = std::move(there);
        damping = larger(floor, damping * R(0.1));
    }
    return here;
}

std::string quoted(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t k = 0; k < names.size(); ++k) text += (k == 0 ? "'" : k + 1 == names.size() ? " and '" : ", '") + names[k] + "'";
    return text;
}

template <class R>
class start_search {
public:
    start_search(const mechanics_info& info, const mechanical_functions<R>& functions, const start_choice& choice)
        : info_(info),
          f_(functions),
          choice_(choice),
          names_(state_names(info)),
          nq_(static_cast<int>(info.coordinates.size())),
          m_(static_cast<int>(info.constraints.size())),
          t_(info.problem.t0.in<R>())
    {}

    consistent_state<R> search()
    {
        given_.assign(3 * static_cast<std::size_t>(nq_) + m_, R(0));
        f_.start(given_.data(), given_.data() + nq_);
        for (const auto& [name, value] : choice_.given) given_[place_of(name)] = value.template in<R>();
        std::vector<R> state = given_;
        if (!std::all_of(state.begin(), state.end(), [](const R& v) { return std::isfinite(static_cast<double>(v)); }))
            refuse("the positions and velocities of the start are not finite");
        if (choice_.solve_for.empty()) {
            project_positions(state);
            project_velocities(state);
            solve_accelerations(state);
        } else {
            solve_for_chosen(state);
        }
        return {given_, state};
    }

private:
    [[noreturn]] void refuse(const std::string& why) const { throw bad_request(info_.problem.id + ": no consistent start: " + why); }

    [[nodiscard]] std::size_t place_of(const std::string& name) const
    {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end())
            throw bad_request(info_.problem.id + ": unknown name '" + name + "' for the start; allowed: " + joined(names_, ", ") +
                              nearest_name_hint(name, names_));
        return static_cast<std::size_t>(found - names_.begin());
    }

    // ---- Positions ----

    [[nodiscard]] conditions<R> position_conditions() const
    {
        return [this](const std::vector<R>& q) -> std::optional<linearised<R>> {
            linearised<R> l{std::vector<R>(m_), dense<R>(m_, nq_)};
            const std::vector<R> rest(nq_, R(0));
            std::vector<R> rate(m_), acceleration(m_);
            if (f_.levels(t_, q.data(), rest.data(), rest.data(), l.value.data(), rate.data(), acceleration.data()) != evaluation::ok ||
                f_.gradients(t_, q.data(), l.jacobian.value.data()) != evaluation::ok || !finite(l))
                return std::nullopt;
            return l;
        };
    }
    /// The same, divided by the length of the gradients.
    [[nodiscard]] conditions<R> scaled_position_conditions() const
    {
        return [raw = position_conditions()](const std::vector<R>& q) {
            auto l = raw(q);
            if (l) l->scale();
            return l;
        };
    }
    static bool finite(const linearised<R>& l)
    {
        const auto good = [](const R& v) { return std::isfinite(static_cast<double>(v)); };
        return std::all_of(l.value.begin(), l.value.end(), good) && std::all_of(l.jacobian.value.begin(), l.jacobian.value.end(), good);
    }

    /// M, divided by its mean diagonal entry.
    [[nodiscard]] metric_at<R> mass_norm() const
    {
        return [this](const std::vector<R>& q) {
            dense<R> m(nq_, nq_);
            f_.mass(q.data(), m.value.data());
            R trace(0);
            for (int i = 0; i < nq_; ++i) trace += m(i, i);
            if (trace > R(0))
                for (R& v : m.value) v *= R(nq_) / trace;
            return m;
        };
    }

    [[nodiscard]] R scale_of(const std::vector<R>& q) const
    {
        R scale = largest_of(q);
        for (int i = 0; i < nq_; ++i) scale = larger(scale, size_of(given_[i]));
        return scale > R(0) ? scale : R(1);
    }
    /// A distance that only rounding is to blame for.
    [[nodiscard]] static R rounding() { return std::numeric_limits<R>::epsilon() * R(1e4); }

    void project_positions(std::vector<R>& state)
    {
        std::vector<R> q(state.begin(), state.begin() + nq_);
        const auto f = position_conditions();
        const auto metric = mass_norm();
        const auto reached = approach(q, f, metric);
        if (!reached) refuse("the constraints cannot be evaluated at the positions of the start");
        if (largest_of(reached->value) > rounding() * scale_of(q)) refuse_unsatisfied(q, *reached);
        check_rank(q, *reached);
        nearest(q);
        std::copy(q.begin(), q.end(), state.begin());
    }

    /// From a position that satisfies the constraints to the one nearest to what was given: d is the step from there.
    void nearest(std::vector<R>& q)
    {
        constexpr int iteration_limit = 200;
        const auto f = scaled_position_conditions();
        const auto metric = mass_norm();
        const std::vector<R> safe = q;
        const R small = std::numeric_limits<R>::epsilon() * R(4) * scale_of(q);
        R last = std::numeric_limits<R>::infinity();
        bool converged = false;
        for (int k = 0; k < iteration_limit && !converged; ++k) {
            const auto here = f(q);
            if (!here) break;
            std::vector<R> r = here->value;
            for (int i = 0; i < m_; ++i) {
                r[i] = -r[i];
                for (int j = 0; j < nq_; ++j) r[i] += here->jacobian(i, j) * (q[j] - given_[j]);
            }
            const auto step = least_step(metric(q), here->jacobian, r, R(0));
            if (!step) break;
            R change(0);
            for (int j = 0; j < nq_; ++j) {
                const R next = given_[j] + (*step)[j];
                change = larger(change, size_of(next - q[j]));
                q[j] = next;
            }
            converged = change <= small || (change >= last && change <= small * R(1e3));
            if (k > 20 && change > last) break;
            last = change;
        }
        if (!converged) q = safe;     // far away, where the nearest one is not well defined
        for (int k = 0; k < 2; ++k) { // phi itself to rounding
            const auto here = f(q);
            if (!here) return;
            std::vector<R> r = here->value;
            for (R& v : r) v = -v;
            std::vector<R> next = q;
            if (const auto step = least_step(metric(q), here->jacobian, r, R(0)))
                for (int j = 0; j < nq_; ++j) next[j] += (*step)[j];
            const auto there = f(next);
            if (there && largest_of(there->value) < largest_of(here->value)) q = next;
        }
    }

    /// Constraints whose residual is a notable part of the largest one, with the number.
    [[nodiscard]] std::vector<int> unsatisfied(const std::vector<R>& residual) const
    {
        std::vector<int> rows;
        for (int i = 0; i < static_cast<int>(residual.size()); ++i)
            if (size_of(residual[i]) > R(1e-6) * largest_of(residual)) rows.push_back(i);
        return rows;
    }

    [[noreturn]] void refuse_unsatisfied(const std::vector<R>& q, const linearised<R>& at)
    {
        const auto rows = unsatisfied(at.value);
        std::vector<std::string> names;
        std::vector<std::string> distances;
        for (const int i : rows) {
            names.push_back(info_.constraints[i]);
            distances.push_back(quoted({info_.constraints[i]}) + (i == rows.front() ? " is missed by " : " by ") +
                                to_text(as_decimal(static_cast<double>(at.value[i]), 3)));
        }
        // Where |phi| is least and not zero, G^T phi = 0: the gradients of these constraints are dependent.
        R push(0);
        for (int j = 0; j < nq_; ++j) {
            R sum(0);
            for (int i = 0; i < m_; ++i) sum += at.jacobian(i, j) * at.value[i];
            push = larger(push, size_of(sum));
        }
        const std::string residuals = ". The nearest position found is " + position(q) + "; there " + joined(distances, ", ");
        if (names.size() == 1 && push <= R(1e-3) * largest_of(at.value))
            refuse("constraint " + quoted(names) + " cannot be satisfied near the given positions" + residuals);
        if (push <= R(1e-3) * largest_of(at.value)) refuse("constraints " + quoted(names) + " contradict each other" + residuals);
        refuse("no positions were found that satisfy " + quoted(names) + residuals);
    }

    [[nodiscard]] std::string position(const std::vector<R>& q) const
    {
        std::vector<std::string> parts;
        for (int j = 0; j < std::min(nq_, 8); ++j) parts.push_back(info_.coordinates[j] + " = " + to_text(as_decimal(static_cast<double>(q[j]), 4)));
        return joined(parts, ", ") + (nq_ > 8 ? ", …" : "");
    }

    // ---- Rank ----

    [[nodiscard]] pivoted_qr<R> gradients_of(const linearised<R>& at) const
    {
        std::vector<R> columns(static_cast<std::size_t>(nq_) * m_);
        for (int i = 0; i < m_; ++i)
            for (int j = 0; j < nq_; ++j) columns[j + static_cast<std::size_t>(i) * nq_] = at.jacobian(i, j);
        return independent_columns(std::move(columns), nq_, m_, R(1e-8));
    }

    /// Redundant constraints have dependent gradients wherever they hold, a singular position only there.
    void check_rank(const std::vector<R>& q, const linearised<R>& at)
    {
        const auto gradients = gradients_of(at);
        if (gradients.rank == m_) return;
        std::vector<std::string> sentences;
        for (int k = gradients.rank; k < m_; ++k) {
            const std::string& name = info_.constraints[gradients.order[k]];
            std::vector<std::string> others;
            if (gradients.rank > 0) {
                const auto combination = gradients.combination(k);
                for (int i = 0; i < gradients.rank; ++i)
                    if (size_of(combination[i]) > R(1e-6)) others.push_back(info_.constraints[gradients.order[i]]);
            }
            std::sort(others.begin(), others.end());
            sentences.push_back(others.empty() ? "the gradient of '" + name + "' vanishes" : "'" + name + "' depends on " + quoted(others));
        }
        const std::string which = joined(sentences, "; ");
        if (rank_nearby(q) > gradients.rank)
            refuse("the position " + position(q) + " is singular: there " + which +
                   ", and the constraints do not determine the motion. Near it they do: start elsewhere");
        refuse("the constraints are redundant: " + which + ". Leave out those that follow from the others");
    }

    [[nodiscard]] int rank_nearby(const std::vector<R>& q) const
    {
        int rank = 0;
        for (int attempt = 1; attempt <= 3; ++attempt) {
            std::vector<R> other = q;
            for (int j = 0; j < nq_; ++j) { // in no special direction
                const double wave = std::sin(12.9898 * (j + 1) + 78.233 * attempt);
                other[j] += scale_of(q) * R(0.02 * wave);
            }
            const auto there = approach(other, position_conditions(), mass_norm());
            if (there) rank = std::max(rank, gradients_of(*there).rank);
        }
        return rank;
    }

    // ---- Velocities and accelerations: linear ----

    void project_velocities(std::vector<R>& state)
    {
        const R* const q = state.data();
        R* const v = state.data() + nq_;
        const std::vector<R> at(q, q + nq_), rest(nq_, R(0));
        const auto metric = mass_norm()(at);
        for (int k = 0; k < 3; ++k) { // the second and third time against rounding
            linearised<R> l{std::vector<R>(m_), dense<R>(m_, nq_)};
            std::vector<R> phi(m_), acceleration(m_);
            if (f_.levels(t_, q, v, rest.data(), phi.data(), l.value.data(), acceleration.data()) != evaluation::ok ||
                f_.gradients(t_, q, l.jacobian.value.data()) != evaluation::ok || !finite(l))
                refuse("the constraints cannot be differentiated at the start");
            l.scale();
            for (R& r : l.value) r = -r;
            const auto step = least_step(metric, l.jacobian, l.value, R(0));
            if (!step) refuse_mass("velocities");
            for (int j = 0; j < nq_; ++j) v[j] += (*step)[j];
        }
    }

    [[noreturn]] void refuse_mass(const std::string& what) const
    {
        refuse("the mass matrix does not determine the " + what + ": it is singular in directions that the constraints leave free");
    }

    /// [M -s G^T; G 0] (w, lambda) = (f, -phi'' at w = 0)
    void solve_accelerations(std::vector<R>& state)
    {
        const R* const q = state.data();
        const R* const v = state.data() + nq_;
        R* const w = state.data() + 2 * nq_;
        const std::vector<R> rest(nq_, R(0));
        std::vector<R> phi(m_), rate(m_), curvature(m_), force(nq_);
        dense<R> g(m_, nq_), mass(nq_, nq_), kkt(nq_ + m_, nq_ + m_), b(nq_ + m_, 1);
        f_.mass(q, mass.value.data());
        if (f_.forces(t_, q, v, force.data()) != evaluation::ok) refuse("the forces cannot be evaluated at the start");
        if (f_.levels(t_, q, v, rest.data(), phi.data(), rate.data(), curvature.data()) != evaluation::ok ||
            f_.gradients(t_, q, g.value.data()) != evaluation::ok)
            refuse("the constraints cannot be differentiated twice at the start");
        for (int j = 0; j < nq_; ++j) {
            for (int i = 0; i < nq_; ++i) kkt(i, j) = mass(i, j);
            for (int i = 0; i < m_; ++i) {
                kkt(nq_ + i, j) = g(i, j);
                kkt(j, nq_ + i) = -R(info_.multiplier_sign) * g(i, j);
            }
            b(j, 0) = force[j];
        }
        for (int i = 0; i < m_; ++i) b(nq_ + i, 0) = -curvature[i];
        dense<R> x = b;
        if (!solve(kkt, x)) refuse_mass("accelerations");
        dense<R> residual = b; // one step of refinement
        for (int j = 0; j < nq_ + m_; ++j)
            for (int i = 0; i < nq_ + m_; ++i) residual(i, 0) -= kkt(i, j) * x(j, 0);
        if (solve(kkt, residual))
            for (int i = 0; i < nq_ + m_; ++i) x(i, 0) += residual(i, 0);
        std::copy(x.value.begin(), x.value.end(), w);
        for (int i = 0; i < nq_ + m_; ++i)
            if (!std::isfinite(static_cast<double>(w[i]))) refuse("the accelerations are not finite");
    }

    // ---- A chosen set of unknowns ----

    void solve_for_chosen(std::vector<R>& state)
    {
        std::vector<std::size_t> free;
        for (const auto& name : choice_.solve_for) free.push_back(place_of(name));
        for (int j = 0; j < nq_; ++j) free.push_back(static_cast<std::size_t>(2 * nq_ + j));
        std::sort(free.begin(), free.end());
        free.erase(std::unique(free.begin(), free.end()), free.end());
        const int rows = 3 * m_ + nq_, columns = static_cast<int>(free.size());

        const auto all_at = [&](const std::vector<R>& x) {
            std::vector<R> y = state;
            for (int j = 0; j < columns; ++j) y[free[j]] = x[j];
            return y;
        };
        const conditions<R> f = [&](const std::vector<R>& x) -> std::optional<linearised<R>> {
            linearised<R> l{std::vector<R>(rows), dense<R>(rows, columns)};
            dense<R> full(rows, 3 * nq_ + m_);
            const auto y = all_at(x);
            if (f_.conditions(t_, y.data(), info_.multiplier_sign, l.value.data(), full.value.data()) != evaluation::ok) return std::nullopt;
            for (int j = 0; j < columns; ++j)
                for (int i = 0; i < rows; ++i) l.jacobian(i, j) = full(i, static_cast<int>(free[j]));
            if (!finite(l)) return std::nullopt;
            return l;
        };
        const metric_at<R> plain = [&](const std::vector<R>&) {
            dense<R> one(columns, columns);
            for (int j = 0; j < columns; ++j) one(j, j) = R(1);
            return one;
        };
        std::vector<R> x;
        for (const auto k : free) x.push_back(state[k]);
        const auto reached = approach(x, f, plain);
        if (!reached) refuse("the system cannot be evaluated at the values of the start");
        R scale = larger(largest_of(x), R(1));
        if (largest_of(reached->value) > rounding() * scale) {
            const auto left = unsatisfied(reached->value);
            std::vector<std::string> names;
            for (const int i : left) names.push_back(condition_name(i));
            refuse("with " + quoted(choice_.solve_for) + " as unknowns, and all else as given, these cannot be satisfied: " + joined(names, ", "));
        }
        state = all_at(x);
        const std::vector<R> q(state.begin(), state.begin() + nq_);
        if (const auto at = scaled_position_conditions()(q)) check_rank(q, *at);
    }

    [[nodiscard]] std::string condition_name(int row) const
    {
        if (row < m_) return "'" + info_.constraints[row] + "'";
        if (row < 2 * m_) return "the first derivative of '" + info_.constraints[row - m_] + "'";
        if (row < 2 * m_ + nq_) return "the balance of forces of '" + info_.coordinates[row - 2 * m_] + "'";
        return "the second derivative of '" + info_.constraints[row - 2 * m_ - nq_] + "'";
    }

    const mechanics_info& info_;
    const mechanical_functions<R>& f_;
    const start_choice& choice_;
    std::vector<std::string> names_;
    int nq_;
    int m_;
    R t_;
    std::vector<R> given_;
};

} // namespace

std::vector<std::string> state_names(const mechanics_info& info)
{
    std::vector<std::string> names;
    for (const char* prime : {"", "'", "''"})
        for (const auto& q : info.coordinates) names.push_back(q + prime);
    for (std::size_t i = 0; i < info.constraints.size(); ++i) names.push_back("lambda" + std::to_string(i + 1));
    return names;
}

template <class R>
std::vector<R> inverse(const std::vector<R>& m, int n)
{
    using std::sqrt;
    dense<R> a(n, n), x(n, n);
    a.value = m;
    dense<R> scaled = a; // masses and moments of inertia differ by their units
    for (int i = 0; i < n; ++i)
        if (!(a(i, i) > R(0))) return {};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) scaled(i, j) /= sqrt(a(i, i) * a(j, j));
    if (independent_columns(scaled.value, n, n, R(1e-13)).rank < n) return {};
    for (int i = 0; i < n; ++i) x(i, i) = R(1);
    if (!solve(a, x)) return {};
    return x.value;
}

template <class R>
consistent_state<R> make_consistent(const mechanics_info& info, const mechanical_functions<R>& functions, const start_choice& choice)
{
    return start_search<R>(info, functions, choice).search();
}

template std::vector<double> inverse(const std::vector<double>&, int);
template std::vector<quad> inverse(const std::vector<quad>&, int);
template consistent_state<double> make_consistent(const mechanics_info&, const mechanical_functions<double>&, const start_choice&);
template consistent_state<quad> make_consistent(const mechanics_info&, const mechanical_functions<quad>&, const start_choice&);

} // namespace ivp
