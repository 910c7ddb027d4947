#include "expansion.hpp"

#include <ivp/error.hpp>

#include <algorithm>

namespace ivp::reference {

namespace {

constexpr int most_newton = 16;
constexpr double tiny_correction = 1e-32; // relative: ends the iteration
constexpr double rounding = 1e-20;        // corrections below this that shrink no more are rounding errors
constexpr double good_enough = 1e-12;     //
constexpr double slow_rate = 1e-3;        // of corrections: a new Jacobian pays
constexpr double small_part = 1e-3;       // of the size of a variable: what it is when it passes through zero

quad factorial(int k)
{
    quad value = 1;
    for (int i = 2; i <= k; ++i) value *= quad(i);
    return value;
}

/// Rising product (k + 1) .. (k + c): the k-th coefficient of a c-th derivative from coefficient k + c.
quad rising(int k, int c)
{
    quad value = 1;
    for (int i = 1; i <= c; ++i) value *= quad(k + i);
    return value;
}

const recordable* recordable_of(const problem& dae)
{
    const auto* const source = dynamic_cast<const recordable*>(&dae.in<quad>());
    if (source == nullptr) throw bad_request("'" + dae.id() + "' comes from outside: its formula cannot be followed, only evaluated");
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

expansion::expansion(const recorded_problem& p, int orders)
    : f_(p.formula()),
      n_(p.n()),
      orders_(orders),
      stride_(orders + 4),
      x_(static_cast<std::size_t>(n_) * stride_, quad(0)),
      size_(n_, quad(1)),
      mass_row_(n_),
      column_(n_),
      series_(f_, orders + 3)
{
    const auto& mass = p.in_quad().mass();
    explicit_ = mass.kind() == mass_kind::identity;
    mass.for_each_entry([this](int i, int j, const quad& v) {
        if (v == quad(0)) return;
        mass_.push_back({i, j, v});
        mass_row_[i].push_back({i, j, v});
    });
    find_structure();
}

void expansion::find_structure()
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
    largest_.assign(static_cast<std::size_t>(n_) * (most_d_ + 1), quad(0));
    if (most_d_ > 3) fault_ = "an equation must be differentiated more than twice";
}

void expansion::set_sizes(std::vector<quad> size, const quad& time)
{
    size_ = std::move(size);
    time_ = time;
}

/// Of a coefficient, below which its changes say nothing. A mechanism that begins at rest has derivatives that are zero but for rounding errors.
quad expansion::size_of(int j, int order) const
{
    if (order == 0) return size_[j] * quad(small_part);
    quad usual = size_[j] * quad(small_part);
    for (int k = 0; k < order; ++k) usual = usual / time_;
    return std::max(usual, largest_[static_cast<std::size_t>(j) * (most_d_ + 1) + order] * quad(small_part));
}

void expansion::note_sizes()
{
    for (int j = 0; j < n_; ++j)
        for (int k = 1; k <= most_d_; ++k) {
            quad& largest = largest_[static_cast<std::size_t>(j) * (most_d_ + 1) + k];
            largest = std::max(largest, abs(coefficient(j, k)));
        }
}

quad expansion::residual(int i, int order) const
{
    quad sum = -series_.output(i, order);
    for (const auto& m : mass_row_[i]) sum += m.value * quad(order + 1) * coefficient(m.j, order + 1);
    return sum;
}

void expansion::set_point(const quad& t, const quad* y)
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
void expansion::guess_derivatives()
{
    for (int k = 0; k < most_d_; ++k) {
        series_.compute(k, x_.data());
        for (const auto& row : mass_row_)
            if (row.size() == 1 && isfinite(series_.output(row[0].i, k)))
                x(row[0].j, k + 1) = series_.output(row[0].i, k) / (row[0].value * quad(k + 1));
    }
}

void expansion::move(const quad& h)
{
    std::vector<quad> shifted(most_d_ + 1);
    for (int j = 0; j < n_; ++j) {
        for (int m = 0; m <= most_d_; ++m) { // sum over k of (k over m) x_k h^(k-m)
            quad sum = 0;
            for (int k = orders_; k >= m; --k) {
                quad binomial = 1;
                for (int i = 1; i <= m; ++i) binomial = binomial * quad(k - i + 1) / quad(i);
                sum = sum * h + binomial * coefficient(j, k);
            }
            shifted[m] = sum;
        }
        for (int k = 0; k < stride_; ++k) x(j, k) = k <= most_d_ ? shifted[k] : quad(0);
    }
    t_ = t_ + h;
    series_.start(t_);
}

/// dF_i / d(derivative d_j - c_i of y_j), F = M y' - f, by rows
void expansion::jacobian(std::vector<quad>& j)
{
    j.assign(static_cast<std::size_t>(n_) * n_, quad(0));
    std::vector<quad> y(n_);
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
bool expansion::stage(int k)
{
    std::vector<int> rows, columns;
    for (int i = 0; i < n_; ++i)
        if (k + offsets_.c[i] >= 0) rows.push_back(i);
    for (int j = 0; j < n_; ++j)
        if (k + offsets_.d[j] >= 0) columns.push_back(j);
    if (rows.empty()) return true;
    const auto m = rows.size();
    const bool square = m == columns.size();
    const auto entry = [&](std::size_t i, std::size_t j) -> const quad& { return matrix_[static_cast<std::size_t>(rows[i]) * n_ + columns[j]]; };
    std::vector<quad> unit(columns.size()); // of the smallest change, relative to the sizes
    for (std::size_t j = 0; j < columns.size(); ++j) unit[j] = size_[columns[j]] * size_[columns[j]];
    const auto linearise = [&] {
        jacobian(matrix_);
        std::vector<quad> a(m * m, quad(0));
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t l = 0; l < m; ++l) {
                if (square) a[i * m + l] = entry(i, l);
                for (std::size_t j = 0; j < columns.size() && !square; ++j)
                    if (!(entry(i, j) == quad(0)) && !(entry(l, j) == quad(0))) a[i * m + l] += entry(i, j) * unit[j] * entry(l, j);
            }
        return lu_.factor(std::move(a), static_cast<int>(m));
    };
    quad before = 0;
    bool slow = true; // also: not linearised yet
    for (int iteration = 0; iteration < most_newton; ++iteration) {
        for (int order = 0; order <= k + most_c_; ++order) series_.compute(order, x_.data());
        std::vector<quad> r(m);
        for (std::size_t i = 0; i < m; ++i) {
            const int order = k + offsets_.c[rows[i]];
            r[i] = -residual(rows[i], order) * factorial(order);
            if (!isfinite(r[i])) return false;
        }
        if (slow && !linearise()) return false;
        lu_.solve(r);
        std::vector<quad> change = r;
        if (!square) {
            change.assign(columns.size(), quad(0));
            for (std::size_t j = 0; j < columns.size(); ++j)
                for (std::size_t i = 0; i < m; ++i)
                    if (!(entry(i, j) == quad(0))) change[j] += unit[j] * entry(i, j) * r[i];
        }
        quad largest = 0;
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const int order = k + offsets_.d[columns[j]];
            quad& value = x(columns[j], order);
            const quad step = change[j] / factorial(order);
            value += step;
            const quad size = std::max(abs(value), size_of(columns[j], order));
            if (!(step == quad(0))) largest = std::max(largest, abs(step) / size);
        }
        if (!isfinite(largest)) return false;
        if (largest <= quad(tiny_correction)) return true;
        if (iteration > 0 && largest > before / quad(4) && largest < quad(rounding)) return true;
        slow = iteration > 0 && largest > before * quad(slow_rate);
        before = largest;
    }
    return before < quad(good_enough);
}

bool expansion::settle()
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

bool expansion::expand()
{
    if (!settle()) return false;
    if (explicit_) {
        for (int k = 1; k < orders_; ++k) {
            series_.compute(k, x_.data());
            for (int j = 0; j < n_; ++j) x(j, k + 1) = series_.output(j, k) / quad(k + 1);
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
    std::vector<quad> r(n_);
    for (int k = 1; k <= orders_; ++k) {
        for (int order = k - 1; order <= k + most_c_; ++order) series_.compute(order, x_.data());
        for (int i = 0; i < n_; ++i) {
            const int order = k + offsets_.c[i];
            r[i] = -residual(i, order) * rising(k, offsets_.c[i]);
            if (!isfinite(r[i])) return false;
        }
        lu_.solve(r);
        for (int j = 0; j < n_; ++j) x(j, k + offsets_.d[j]) = r[j] / rising(k, offsets_.d[j]);
    }
    series_.compute(orders_, x_.data());
    return true;
}

quad expansion::value(int j, const quad& h) const
{
    quad sum = 0;
    for (int k = orders_; k >= 0; --k) sum = sum * h + coefficient(j, k);
    return sum;
}

quad expansion::value_of_entry(int entry, const quad& h) const
{
    quad sum = 0;
    for (int k = orders_; k >= 0; --k) sum = sum * h + series_.at(entry, k);
    return sum;
}

} // namespace ivp::reference
