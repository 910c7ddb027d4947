#include <ivp/model/problem.hpp>

#include <ivp/model/problem_of.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace ivp {

namespace {

constexpr std::array<std::pair<form, std::string_view>, 3> form_labels{{{form::ode, "ode"}, {form::dae, "dae"}, {form::ide, "ide"}}};
constexpr std::array<std::pair<jacobian_source, std::string_view>, 3> jacobian_labels{
    {{jacobian_source::exact, "exact"}, {jacobian_source::differences, "differences"}, {jacobian_source::original, "original"}}};

template <class E, std::size_t N>
std::string_view label_in(const std::array<std::pair<E, std::string_view>, N>& labels, E e)
{
    return labels[static_cast<std::size_t>(e)].second;
}
template <class E, std::size_t N>
std::optional<E> code_in(const std::array<std::pair<E, std::string_view>, N>& labels, std::string_view text)
{
    for (const auto& [code, name] : labels)
        if (name == text) return code;
    return std::nullopt;
}

} // namespace

std::string_view label(form f) { return label_in(form_labels, f); }
std::optional<form> form_from_label(std::string_view text) { return code_in(form_labels, text); }
std::string_view label(jacobian_source s) { return label_in(jacobian_labels, s); }
std::optional<jacobian_source> jacobian_source_from_label(std::string_view text) { return code_in(jacobian_labels, text); }

// A power of ten below one is not a double; dividing by its inverse keeps 1e-4 times 1e-2 at 1e-6.
double protocol::scaled(double value, double factor)
{
    const double inverse = std::round(1 / factor);
    return std::abs(inverse * factor - 1) < 1e-12 ? value / inverse : value * factor;
}

double protocol::ladder_rtol(int m) const { return std::pow(10.0, -(ladder_start + static_cast<double>(m) / ladder_per_decade)); }

bool problem_info::autonomous() const { return std::find(tags.begin(), tags.end(), "autonomous") != tags.end(); }

problem::problem(problem_info info, parameter_values parameters, std::shared_ptr<const equations<double>> in_double,
                 std::shared_ptr<const equations<quad>> in_quad)
    : info_(std::move(info)), parameters_(std::move(parameters)), double_(std::move(in_double)), quad_(std::move(in_quad))
{}

template <>
const equations<quad>& problem::in<quad>() const
{
    if (!quad_) throw std::logic_error("problem '" + info_.id + "' exists in double precision only");
    return *quad_;
}

problem problem::with_reference(reference_solution r) const
{
    problem p = *this;
    p.reference_ = std::move(r);
    return p;
}

problem problem::with_chapter(ivp::chapter c) const
{
    problem p = *this;
    p.chapter_ = c;
    return p;
}

problem problem::with_all_restarts() const
{
    problem p = *this;
    auto& stops = p.info_.breakpoints;
    stops.insert(stops.end(), info_.discontinuities.begin(), info_.discontinuities.end());
    std::sort(stops.begin(), stops.end(), [](const decimal& a, const decimal& b) { return a.value() < b.value(); });
    stops.erase(std::unique(stops.begin(), stops.end(), [](const decimal& a, const decimal& b) { return a.value() == b.value(); }), stops.end());
    return p;
}

structure problem::iteration_structure() const
{
    const structure& j = info_.jacobian_structure;
    const auto& m = double_->mass();
    if (info_.form != form::dae) return j;
    switch (j.kind) {
    case structure_kind::full: return j;
    case structure_kind::band:
        if (m.kind() == mass_kind::full) return structure::full();
        return structure::band(std::max(j.lower, m.lower()), std::max(j.upper, m.upper()));
    case structure_kind::sparse: break;
    }
    std::vector<std::vector<int>> columns(info_.n);
    for (int col = 0; col < info_.n; ++col)
        for (int row = 0; row < info_.n; ++row)
            if (j.contains(row, col) || m.at(row, col) != 0) columns[row].push_back(col);
    return structure::sparse(std::make_shared<sparsity>(sparsity::from_rows(info_.n, columns)));
}

namespace detail {

compression compress(const structure& s, int n)
{
    compression c{colour_columns(s, n), std::vector<std::vector<int>>(n)};
    for (int j = 0; j < n; ++j) {
        auto& rows = c.rows_of_column[j];
        if (s.kind == structure_kind::sparse) {
            rows.assign(s.pattern->row.begin() + s.pattern->column_start[j], s.pattern->row.begin() + s.pattern->column_start[j + 1]);
            continue;
        }
        const bool band = s.kind == structure_kind::band;
        for (int i = band ? std::max(0, j - s.upper) : 0; i <= (band ? std::min(n - 1, j + s.lower) : n - 1); ++i) rows.push_back(i);
    }
    return c;
}

} // namespace detail

} // namespace ivp
