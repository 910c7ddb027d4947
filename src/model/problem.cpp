#include <ivp/problem.hpp>

#include <ivp/problem_of.hpp>

#include "base/labels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ivp {

namespace {

constexpr enum_labels<form, 3> form_labels{{"ode", "dae", "ide"}};
constexpr enum_labels<jacobian_source, 3> jacobian_labels{{"exact", "differences", "original"}};

} // namespace

std::string_view label(form f) { return form_labels[f]; }
std::optional<form> form_from_label(std::string_view text) { return form_labels.find(text); }
std::string_view label(jacobian_source s) { return jacobian_labels[s]; }
std::optional<jacobian_source> jacobian_source_from_label(std::string_view text) { return jacobian_labels.find(text); }

double protocol::ladder_rtol(int m) const { return ladder_rung(std::pow(10.0, -ladder_start), m, ladder_per_decade); }

std::optional<int> protocol::ladder_place(double rtol) const
{
    const double place = (-std::log10(rtol) - ladder_start) * ladder_per_decade;
    const double whole = std::round(place);
    if (!(whole >= 0 && whole < std::numeric_limits<int>::max())) return std::nullopt;
    const int m = static_cast<int>(whole);
    return same_tolerance(ladder_rtol(m), rtol) ? std::optional(m) : std::nullopt;
}

double protocol::h0(double rtol, const std::vector<double>& atol) const
{
    if (fixed_h0 > 0) return fixed_h0;
    double size = rtol;
    for (const double a : atol)
        if (rtol == 0 && a > 0) size = size > 0 ? std::min(size, a) : a;
    size = std::min(size, largest_rtol);
    // By division where the factor is the inverse of a whole number: the runs that are stored and published began with this bit pattern.
    const double inverse = std::round(1 / h0_per_rtol);
    return std::abs(inverse * h0_per_rtol - 1) < 1e-12 ? size / inverse : size * h0_per_rtol;
}

bool problem_info::autonomous() const { return std::find(tags.begin(), tags.end(), "autonomous") != tags.end(); }

problem::problem(problem_info info, parameter_values parameters, std::shared_ptr<const equations<double>> in_double,
                 std::shared_ptr<const equations<quad>> in_quad)
    : info_(std::move(info)),
      parameters_(std::move(parameters)),
      double_(std::move(in_double)),
      quad_(std::move(in_quad)),
      known_(std::make_shared<known_structure>())
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
    if (info_.form == form::ide) return j;
    switch (j.kind) {
    case structure_kind::full: return j;
    case structure_kind::band:
        if (m.kind() == mass_kind::full || m.kind() == mass_kind::sparse) return structure::full();
        return structure::band(std::max(j.lower, m.lower()), std::max(j.upper, m.upper()));
    case structure_kind::sparse: break;
    }
    dependencies columns(info_.n);
    for (int col = 0; col < info_.n; ++col)
        for (int p = j.pattern->column_start[col]; p < j.pattern->column_start[col + 1]; ++p) columns[j.pattern->row[p]].push_back(col);
    return with_mass(std::move(columns));
}

structure problem::with_mass(dependencies columns) const
{
    if (info_.form != form::ide)
        double_->mass().for_each_entry([&](int row, int col, double value) {
            auto& c = columns[row];
            const auto at = std::lower_bound(c.begin(), c.end(), col);
            if (value != 0 && (at == c.end() || *at != col)) c.insert(at, col);
        });
    return structure::sparse(std::make_shared<sparsity>(sparsity::from_rows(info_.n, columns)));
}

const structure& problem::finest_iteration_structure() const
{
    std::call_once(known_->once, [this] {
        known_->iteration = iteration_structure();
        if (known_->iteration.kind == structure_kind::full && double_->mass().kind() != mass_kind::full)
            if (auto traced = trace()) known_->iteration = with_mass(std::move(*traced));
    });
    return known_->iteration;
}

// All branches are followed at every time that is looked at. More than one, because an input may count its periods by plain numbers.
std::optional<dependencies> problem::trace() const
{
    constexpr int times = 8;
    const std::vector<double> y = double_->initial_values();
    std::vector<double> yp = double_->initial_derivatives();
    yp.resize(y.size());
    dependencies all(info_.n);
    for (int k = 0; k < times; ++k) {
        const double t = info_.t0.value() + (info_.tend.value() - info_.t0.value()) * k / (times - 1);
        const auto seen = double_->trace_all(t, y.data(), yp.data());
        if (!seen) return std::nullopt;
        for (int i = 0; i < info_.n; ++i) all[i] = tracer::join(all[i], (*seen)[i]);
    }
    return all;
}

} // namespace ivp
