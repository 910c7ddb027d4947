// How the error follows the tolerance, and what equal errors cost.
#include "assess.hpp"

#include <algorithm>
#include <cmath>

namespace ivp::detest {

namespace {

constexpr double smallest_share = 0.01; // of TOL: errors below are chance
constexpr int fewest_for_costs = 3;
constexpr double slack = 0.1; // beyond the range of accuracies reached, in powers of ten

/// Whether the error that counts is known. The original took a lost local truth for a lost global one.
bool is_good(const row& r, normalization which, const assessment_settings& s)
{
    if (which == normalization::end) return r.reached_end() && std::isfinite(r.end_error);
    return r.global_error_known() && std::isfinite(r.max_global_error) && !(s.as_1986 && r.code == truth_failed);
}

std::optional<smoothness_fit> fit_rows(std::span<const row> rows, normalization which, const assessment_settings& s)
{
    std::vector<double> tolerances;
    std::vector<double> errors;
    for (const auto& r : rows) {
        if (!is_good(r, which, s)) continue;
        tolerances.push_back(r.tol);
        errors.push_back((which == normalization::end ? r.end_error : r.max_global_error) * r.tol);
    }
    return fit_errors(tolerances, errors);
}

} // namespace

std::optional<smoothness_fit> fit_errors(std::span<const double> tolerances, std::span<const double> errors)
{
    const auto n = static_cast<double>(tolerances.size());
    if (tolerances.size() < 2) return std::nullopt;
    double sx = 0;
    double sy = 0;
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
        x.push_back(std::log10(tolerances[i]));
        y.push_back(std::log10(std::max(errors[i], smallest_share * tolerances[i])));
        sx += x.back();
        sy += y.back();
    }
    double sxx = 0;
    double sxy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sxx += (x[i] - sx / n) * (x[i] - sx / n);
        sxy += (x[i] - sx / n) * (y[i] - sy / n);
    }
    smoothness_fit f;
    f.e = sxy / sxx;
    const double c0 = sy / n - f.e * sx / n;
    f.c = std::pow(10.0, c0);
    for (std::size_t i = 0; i < x.size(); ++i) f.residual += std::pow(y[i] - c0 - f.e * x[i], 2);
    f.residual = std::sqrt(f.residual / n);
    f.values = static_cast<int>(x.size());
    return f;
}

normalized_table normalize_costs(std::span<const row> rows, const smoothness_fit& fit, const assessment_settings& settings)
{
    normalized_table table;
    const auto good = [&](const row& r) { return is_good(r, settings.normalize, settings); };
    const auto first = std::find_if(rows.begin(), rows.end(), good);
    const auto end = std::find_if_not(first, rows.end(), good);
    if (end - first < 2) {
        table.remark = "not enough good runs one after the other";
        return table;
    }
    if (fit.e <= 0) {
        table.remark = "too unreliable: the error does not fall with the tolerance";
        return table;
    }
    // Digits that a tolerance gives, by the fit.
    const double c0 = std::log10(fit.c);
    const auto digits = [&](const row& r) { return -(c0 + fit.e * std::log10(r.tol)); };
    const int from = static_cast<int>(std::ceil(digits(*first) - slack));
    const int to = static_cast<int>(std::floor(digits(*(end - 1)) + slack));
    if (from > to) table.remark = "no power of ten within the range of accuracies";
    for (int s = from; s <= to; ++s) {
        auto upper = first + 1;
        while (digits(*upper) < s && upper + 1 != end) ++upper;
        const row& a = *(upper - 1);
        const row& b = *upper;
        const double theta = (s - digits(a)) / (digits(b) - digits(a));
        const auto between = [theta](double u, double v) { return u + theta * (v - u); };
        const auto count = [&](std::uint64_t u, std::uint64_t v) {
            const double x = between(static_cast<double>(u), static_cast<double>(v));
            return settings.as_1986 ? std::trunc(x) : std::round(x);
        };
        normalized_line line;
        line.digits = s;
        line.log10_tol = -(c0 + s) / fit.e;
        line.time_s = between(a.cost.time_s, b.cost.time_s);
        line.overhead_s = between(a.cost.overhead_s, b.cost.overhead_s);
        line.nfev = count(a.cost.evaluations(), b.cost.evaluations());
        line.njac = count(a.cost.njac, b.cost.njac);
        line.nlu = count(a.cost.nlu, b.cost.nlu);
        line.accepted = count(a.cost.accepted, b.cost.accepted);
        table.lines.push_back(line);
    }
    return table;
}

void evaluate_rows(problem_result& p, const assessment_settings& settings)
{
    p.end_fit = fit_rows(p.rows, normalization::end, settings);
    if (settings.level >= 2) p.max_fit = fit_rows(p.rows, normalization::max, settings);
    if (settings.normalize == normalization::none) return;
    const auto& fit = settings.normalize == normalization::end ? p.end_fit : p.max_fit;
    if (!fit || fit->values < fewest_for_costs)
        p.normalized = normalized_table{{}, "not enough good runs"};
    else
        p.normalized = normalize_costs(p.rows, *fit, settings);
}

} // namespace ivp::detest
