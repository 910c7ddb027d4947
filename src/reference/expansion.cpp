#include "expansion.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <type_traits>

namespace ivp::reference {

namespace {

constexpr int most_newton = 16;
template <class N>
constexpr double tiny_correction = 100 * last_place<N>; // relative: ends the iteration
template <class N>
constexpr double rounding = std::is_same_v<N, quad2> ? 1e-40 : 1e-20; // corrections below this that shrink no more are rounding errors
constexpr double good_enough = 1e-12;                                 //
constexpr double slow_rate = 1e-3;                                    // of corrections: a new Jacobian pays
constexpr double small_part = 1e-3;                                   // of the size of a variable: what it is when it passes through zero

template <class N>
N factorial(int k)
{
    N value = 1;
    for (int i = 2; i <= k; ++i) value *= N(i);
    return value;
}

/// Rising product (k + 1) .. (k + c): the k-th coefficient of a c-th derivative from coefficient k + c.
template <class N>
N rising(int k, int c)
{
    N value = 1;
    for (int i = 1; i <= c; ++i) value *= N(k + i);
    return value;
}

const recordable* recordable_of(const problem& dae)
{
    const auto* const source = dynamic_cast<const recordable*>(&dae.in<quad>());
    if (source == nullptr)
        throw bad_request("taylor and gbs read the formula of a problem; that of '" + dae.id() +
                          "' can only be evaluated (a plug-in, a Fortran file, scaled variables); allowed: radau and lobatto");
    return source;
}

} // namespace

bool recorded_problem::possible(const problem& p) { return p.has_quad() && dynamic_cast<const recordable*>(&p.in<quad>()) != nullptr; }

recorded_problem::recorded_problem(const problem& p) : dae_(p.as_dae()), n_(dae_.n()), source_(recordable_of(dae_)) {}

bool recorded_problem::record(const quad& t, const quad* y, const std::vector<bool>& sides)
{
    auto fresh = std::make_shared<tape>();
    if (source_->record(t, y, nullptr, sides, *fresh) != evaluation::ok) return false;
    tape_ = std::move(fresh);
    return true;
}

bool recorded_problem::turn(std::size_t k, const quad& t, const quad* y)
{
    std::vector<bool> sides;
    for (std::size_t i = 0; i <= k; ++i) sides.push_back(tape_->decisions[i].negative != (i == k));
    return record(t, y, sides);
}

template <class N>
basic_expansion<N>::basic_expansion(const recorded_problem& p, int orders)
    : f_(p.formula()),
      n_(p.n()),
      orders_(orders),
      stride_(orders + 4),
      x_(static_cast<std::size_t>(n_) * stride_, N(0)),
      size_(n_, N(1)),
      mass_row_(n_),
      column_(n_),
      series_(f_, orders + 3)
{
    const auto& mass = p.in_quad().mass();
    explicit_ = mass.kind() == mass_kind::identity;
    mass.for_each_entry([this](int i, int j, const quad& v) {
        if (v == quad(0)) return;
        mass_.push_back({i, j, N(v)});
        mass_row_[i].push_back({i, j, N(v)});
    });
    find_structure();
}

template <class N>
void basic_expansion<N>::find_structure()
{
    if (explicit_) {
        offsets_ = {std::vector<int>(n_, 0), std::vector<int>(n_, 1)};
        return;
    }
    // Which variables each entry of the tape depends on.
    std::vector<std::vector<bool>> depends(f_.entries.size());
    for (std::size_t k = 0; k < f_.entries.size(); ++k) {
        const auto& e = f_.entries[k];
        auto& own = depends[k];
        own.assign(n_, false);
        if (e.what == operation::variable) {
            own[e.a] = true;
            continue;
        }
        for (const int operand : {e.a, e.b})
            for (int j = 0; operand >= 0 && j < n_; ++j) own[j] = own[j] || depends[operand][j];
    }
    std::vector<int> order(static_cast<std::size_t>(n_) * n_, absent);
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < n_; ++j)
            if (depends[f_.output[i]][j]) order[static_cast<std::size_t>(i) * n_ + j] = 0;
    for (const auto& m : mass_) order[static_cast<std::size_t>(m.i) * n_ + m.j] = 1;
    const auto found = find_offsets(order, n_);
    if (!found) {
        fault_ = "the equations are structurally singular";
        return;
    }
    offsets_ = *found;
    most_c_ = *std::max_element(offsets_.c.begin(), offsets_.c.end());
    most_d_ = std::max(1, *std::max_element(offsets_.d.begin(), offsets_.d.end()));
    largest_.assign(static_cast<std::size_t>(n_) * (most_d_ + 1), N(0));
    if (most_d_ > 3) fault_ = "an equation must be differentiated more than twice";
}

template <class N>
void basic_expansion<N>::set_sizes(std::vector<N> size, const N& time)
{
    size_ = std::move(size);
    time_ = time;
}

/// Of a coefficient, below which its changes say nothing. A mechanism that begins at rest has derivatives that are zero but for rounding errors.
template <class N>
N basic_expansion<N>::size_of(int j, int order) const
{
    if (order == 0) return size_[j] * N(small_part);
    N usual = size_[j] * N(small_part);
    for (int k = 0; k < order; ++k) usual = usual / time_;
    return std::max(usual, largest_[static_cast<std::size_t>(j) * (most_d_ + 1) + order] * N(small_part));
}

template <class N>
void basic_expansion<N>::note_sizes()
{
    for (int j = 0; j < n_; ++j)
        for (int k = 1; k <= most_d_; ++k) {
            N& largest = largest_[static_cast<std::size_t>(j) * (most_d_ + 1) + k];
            largest = std::max(largest, abs(coefficient(j, k)));
        }
}

template <class N>
N basic_expansion<N>::residual(int i, int order) const
{
    N sum = -series_.output(i, order);
    for (const auto& m : mass_row_[i]) sum += m.value * N(order + 1) * coefficient(m.j, order + 1);
    return sum;
}

template <class N>
void basic_expansion<N>::set_point(const N& t, const N* y)
{
    t_ = t;
    series_.start(t);
    for (int j = 0; j < n_; ++j) {
        for (int k = 1; k < stride_; ++k) x(j, k) = 0;
        x(j, 0) = y[j];
    }
    guess_derivatives();
}

/// Where a row has one mass only, it gives the derivative of that variable: without it the constraints of velocities would be met by moving the
/// velocities given.
template <class N>
void basic_expansion<N>::guess_derivatives()
{
    for (int k = 0; k < most_d_; ++k) {
        series_.compute(k, x_.data());
        for (const auto& row : mass_row_)
            if (row.size() == 1 && isfinite(series_.output(row[0].i, k)))
                x(row[0].j, k + 1) = series_.output(row[0].i, k) / (row[0].value * N(k + 1));
    }
}

template <class N>
void basic_expansion<N>::move(const N& h)
{
    std::vector<N> shifted(most_d_ + 1);
    for (int j = 0; j < n_; ++j) {
        for (int m = 0; m <= most_d_; ++m) { // sum over k of (k over m) x_k h^(k-m)
            N sum = 0;
            for (int k = orders_; k >= m; --k) {
                N binomial = 1;
                for (int i = 1; i <= m; ++i) binomial = binomial * N(k - i + 1) / N(i);
                sum = sum * h + binomial * coefficient(j, k);
            }
            shifted[m] = sum;
        }
        for (int k = 0; k < stride_; ++k) x(j, k) = k <= most_d_ ? shifted[k] : N(0);
    }
    t_ = t_ + h;
    series_.start(t_);
}

/// dF_i / d(derivative d_j - c_i of y_j), F = M y' - f, by rows
template <class N>
void basic_expansion<N>::jacobian(std::vector<N>& j)
{
    j.assign(static_cast<std::size_t>(n_) * n_, N(0));
    std::vector<N> y(n_);
    for (int k = 0; k < n_; ++k) y[k] = x(k, 0);
    evaluate(f_, t_, y.data(), values_);
    for (int column = 0; column < n_; ++column) {
        evaluate_derivative(f_, values_, column, work_, column_.data());
        for (int i = 0; i < n_; ++i)
            if (offsets_.d[column] == offsets_.c[i]) j[static_cast<std::size_t>(i) * n_ + column] = -column_[i];
    }
    for (const auto& m : mass_)
        if (offsets_.d[m.j] - offsets_.c[m.i] == 1) j[static_cast<std::size_t>(m.i) * n_ + m.j] = m.value;
}

/// Newton's method for the coefficients k + d_j, k <= 0.
template <class N>
bool basic_expansion<N>::stage(int k)
{
    std::vector<int> rows, columns;
    for (int i = 0; i < n_; ++i)
        if (k + offsets_.c[i] >= 0) rows.push_back(i);
    for (int j = 0; j < n_; ++j)
        if (k + offsets_.d[j] >= 0) columns.push_back(j);
    if (rows.empty()) return true;
    const auto m = rows.size();
    const bool square = m == columns.size();
    const auto entry = [&](std::size_t i, std::size_t j) -> const N& { return matrix_[static_cast<std::size_t>(rows[i]) * n_ + columns[j]]; };
    std::vector<N> unit(columns.size()); // of the smallest change, relative to the sizes
    for (std::size_t j = 0; j < columns.size(); ++j) unit[j] = size_[columns[j]] * size_[columns[j]];
    const auto linearise = [&] {
        jacobian(matrix_);
        std::vector<N> a(m * m, N(0));
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t l = 0; l < m; ++l) {
                if (square) a[i * m + l] = entry(i, l);
                for (std::size_t j = 0; j < columns.size() && !square; ++j)
                    if (!(entry(i, j) == N(0)) && !(entry(l, j) == N(0))) a[i * m + l] += entry(i, j) * unit[j] * entry(l, j);
            }
        return lu_.factor(std::move(a), static_cast<int>(m));
    };
    N before = 0;
    bool slow = true; // also: not linearised yet
    for (int iteration = 0; iteration < most_newton; ++iteration) {
        for (int order = 0; order <= k + most_c_; ++order) series_.compute(order, x_.data());
        std::vector<N> r(m);
        for (std::size_t i = 0; i < m; ++i) {
            const int order = k + offsets_.c[rows[i]];
            r[i] = -residual(rows[i], order) * factorial<N>(order);
            if (!isfinite(r[i])) return false;
        }
        if (slow && !linearise()) return false;
        lu_.solve(r);
        std::vector<N> change = r;
        if (!square) {
            change.assign(columns.size(), N(0));
            for (std::size_t j = 0; j < columns.size(); ++j)
                for (std::size_t i = 0; i < m; ++i)
                    if (!(entry(i, j) == N(0))) change[j] += unit[j] * entry(i, j) * r[i];
        }
        N largest = 0;
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const int order = k + offsets_.d[columns[j]];
            N& value = x(columns[j], order);
            const N step = change[j] / factorial<N>(order);
            value += step;
            const N size = std::max(abs(value), size_of(columns[j], order));
            if (!(step == N(0))) largest = std::max(largest, abs(step) / size);
        }
        if (!isfinite(largest)) return false;
        if (largest <= N(tiny_correction<N>)) return true;
        if (iteration > 0 && largest > before / N(4) && largest < N(rounding<N>)) return true;
        slow = iteration > 0 && largest > before * N(slow_rate);
        before = largest;
    }
    return before < N(good_enough);
}

template <class N>
bool basic_expansion<N>::settle()
{
    if (!fault_.empty()) return false;
    if (explicit_) {
        series_.compute(0, x_.data());
        for (int j = 0; j < n_; ++j) {
            x(j, 1) = series_.output(j, 0);
            if (!isfinite(x(j, 1))) return false;
        }
        return true;
    }
    for (int k = -most_d_; k <= 0; ++k)
        if (!stage(k)) return false;
    note_sizes();
    return true;
}

template <class N>
bool basic_expansion<N>::expand()
{
    if (!settle()) return false;
    if (explicit_) {
        for (int k = 1; k < orders_; ++k) {
            series_.compute(k, x_.data());
            for (int j = 0; j < n_; ++j) x(j, k + 1) = series_.output(j, k) / N(k + 1);
        }
        series_.compute(orders_, x_.data());
        for (int j = 0; j < n_; ++j)
            if (!isfinite(x(j, orders_))) return false;
        return true;
    }
    for (int j = 0; j < n_; ++j) // guesses of what is to be found
        for (int k = offsets_.d[j] + 1; k < stride_; ++k) x(j, k) = 0;
    jacobian(matrix_);
    if (!lu_.factor(matrix_, n_)) return false;
    std::vector<N> r(n_);
    for (int k = 1; k <= orders_; ++k) {
        for (int order = k - 1; order <= k + most_c_; ++order) series_.compute(order, x_.data());
        for (int i = 0; i < n_; ++i) {
            const int order = k + offsets_.c[i];
            r[i] = -residual(i, order) * rising<N>(k, offsets_.c[i]);
            if (!isfinite(r[i])) return false;
        }
        lu_.solve(r);
        for (int j = 0; j < n_; ++j) x(j, k + offsets_.d[j]) = r[j] / rising<N>(k, offsets_.d[j]);
    }
    series_.compute(orders_, x_.data());
    return true;
}

template <class N>
N basic_expansion<N>::value(int j, const N& h) const
{
    N sum = 0;
    for (int k = orders_; k >= 0; --k) sum = sum * h + coefficient(j, k);
    return sum;
}

template <class N>
N basic_expansion<N>::value_of_entry(int entry, const N& h) const
{
    N sum = 0;
    for (int k = orders_; k >= 0; --k) sum = sum * h + series_.at(entry, k);
    return sum;
}

template class basic_expansion<quad>;
template class basic_expansion<double2>;
template class basic_expansion<quad2>;

} // namespace ivp::reference
