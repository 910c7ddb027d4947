// What the checks of one problem share.
#ifndef IVP_SRC_CHECK_CHECK_PARTS_HPP
#define IVP_SRC_CHECK_CHECK_PARTS_HPP

#include "linalg/row_reduction.hpp"

#include <ivp/check.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace ivp::checking {

/// A place at which the equations are evaluated.
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

/// visit(i) for every row of column j that a structure has.
template <class Visit>
void for_rows_of_column(const structure& s, int n, int j, Visit visit)
{
    if (s.kind == structure_kind::sparse) {
        for (int p = s.pattern->column_start[j]; p < s.pattern->column_start[j + 1]; ++p) visit(s.pattern->row[p]);
        return;
    }
    const bool band = s.kind == structure_kind::band;
    const int last = band ? std::min(n - 1, j + s.lower) : n - 1;
    for (int i = band ? std::max(0, j - s.upper) : 0; i <= last; ++i) visit(i);
}

/// One matrix in the layout of a structure.
struct matrix_store {
    std::vector<double> values;
    matrix_view<double> view;
    matrix_store(const structure& s, int n)
        : view{s.kind, n, s.lower, s.upper, s.kind == structure_kind::band ? s.lower + s.upper + 1 : n, s.pattern.get(), nullptr}
    {
        values.resize(view.size());
        view.data = values.data();
    }
};

/// Random numbers in [0, 1), the same on every machine.
class uniform {
public:
    double operator()() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

private:
    std::mt19937_64 random_{20240229};
};

/// Equations between the y alone, as rows of f or combinations of them.
class algebraic_equations {
public:
    algebraic_equations() = default;
    explicit algebraic_equations(const mass_matrix<double>& m);
    /// False: M is too large to find out.
    [[nodiscard]] bool known() const { return known_; }
    [[nodiscard]] int count() const { return static_cast<int>(rows_.size()); }
    [[nodiscard]] int rank() const { return n_ - count(); }
    /// (E v) of the k-th equation.
    [[nodiscard]] double apply(int k, const double* v) const { return reduced_ ? reduced_->apply(rows_[k], v) : v[rows_[k]]; }
    [[nodiscard]] bool are_rows() const { return !reduced_; }
    [[nodiscard]] int row(int k) const { return rows_[k]; }

private:
    int n_ = 0;
    bool known_ = true;
    std::vector<int> rows_; ///< of f, or of the transform where there is one
    std::optional<row_reduction> reduced_;
};

/// The problem that is checked, and places around its solution.
struct subject {
    explicit subject(const problem& problem);

    const problem& p;
    const problem_info& info;
    const equations<double>& eq;
    int n;
    bool implicit; ///< G(t, y, y') = 0
    std::vector<double> y0;
    std::vector<double> yp0; ///< 0 where it is not known
    std::unique_ptr<scratch> work;
    std::vector<point> points;

    evaluation value_at(const point& q, double* out) const { return implicit ? eq.g(q.t, q.y.data(), q.yp.data(), out) : eq.f(q.t, q.y.data(), out); }
    /// a dF/dy + b dF/dy' as the problem gives it, else by differences in as few evaluations as the structure allows.
    [[nodiscard]] evaluation derivative_at(const point& q, double a, double b, const matrix_view<double>& out) const;
    /// Chooses the points; how many of so many are inside the domain.
    finding choose_points();
    /// A size for each variable: what a perturbation of it is measured with.
    [[nodiscard]] std::vector<double> typical_sizes() const;
};

finding check_structure(const subject& s);
std::vector<finding> check_jacobians(const subject& s);
finding check_reference(const subject& s, const algebraic_equations& algebraic, const check_options& options);

} // namespace ivp::checking

#endif
