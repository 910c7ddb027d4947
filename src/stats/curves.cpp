#include "curves.hpp"

#include "base/text.hpp"
#include "model/settings_fields.hpp"

#include <ivp/mechanics.hpp>
#include <ivp/problem.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ivp {

namespace {

template <class E>
struct named {
    E value;
    std::string_view label;
    std::string_view title;
};

constexpr std::array work_kinds{
    named<work_kind>{work_kind::cpu, "cpu", "CPU time [s]"},
    named<work_kind>{work_kind::wall, "wall", "wall time [s]"},
    named<work_kind>{work_kind::f, "f", "evaluations of f"},
    named<work_kind>{work_kind::lu, "lu", "LU factorisations"},
};

constexpr std::array precision_kinds{
    named<precision_kind>{precision_kind::mescd, "mescd", "correct digits at the end point (mescd)"},
    named<precision_kind>{precision_kind::scd, "scd", "correct digits at the end point (scd)"},
    named<precision_kind>{precision_kind::path, "path", "correct digits, worst along the path (mescd)"},
    named<precision_kind>{precision_kind::rms, "rms", "correct digits, root mean square along the path"},
};

template <class E, std::size_t N>
const named<E>& row(const std::array<named<E>, N>& table, E value)
{
    return *std::ranges::find(table, value, &named<E>::value);
}

template <class E, std::size_t N>
std::optional<E> from_label(const std::array<named<E>, N>& table, std::string_view text)
{
    const auto found = std::ranges::find(table, text, &named<E>::label);
    if (found == table.end()) return std::nullopt;
    return found->value;
}

/// What can differ between two curves of one solver, in words. The first step follows from the tolerance.
std::vector<std::string> settings_of(const run_record& r)
{
    std::vector<std::string> options;
    for (const auto& [name, value] : r.options) options.push_back(name + "=" + to_text(value));
    std::vector<std::string> words{counted(r.threads, "thread"), joined(options, " "), r.jacobian == "differences" ? "differences" : "exact Jacobian",
                                   r.algebra, r.restart == "yes" ? "restarts" : "no restarts"};
    for_each_integration_setting(r, [&words](const auto& line, const auto& value) {
        constexpr std::array said{"h0", "restart", "jacobian", "algebra", "threads"};
        if (std::ranges::find(said, line.name) != said.end()) return;
        words.push_back(value == as_recorded(line.value) ? "" : std::string(line.name) + "=" + setting_text(value));
    });
    return words;
}

using solver_on_problem = std::pair<std::string, std::string>;

/// By solver: which settings take several values on one problem.
std::map<std::string, std::vector<bool>> varying_settings(std::span<const run_record> records)
{
    std::map<solver_on_problem, std::vector<std::string>> first;
    std::map<std::string, std::vector<bool>> varying;
    for (const auto& r : records) {
        const auto own = settings_of(r);
        const auto [seen, is_new] = first.try_emplace({r.full_solver(), r.full_problem() + " " + variant_of(r)}, own);
        auto& flags = varying[r.full_solver()];
        flags.resize(own.size());
        for (std::size_t k = 0; k < own.size(); ++k) flags[k] = flags[k] || own[k] != seen->second[k];
    }
    return varying;
}

double loosest_first(const run_record& r) { return -r.ladder_rtol(); }

bool same_point(const run_record& a, const run_record& b)
{
    return same_tolerance(a.ladder_rtol(), b.ladder_rtol()) && same_tolerance(a.rtol, b.rtol) && same_tolerance(a.atol, b.atol);
}

} // namespace

std::string_view label(work_kind w) { return row(work_kinds, w).label; }
std::string_view title(work_kind w) { return row(work_kinds, w).title; }
std::optional<work_kind> work_kind_from_label(std::string_view text) { return from_label(work_kinds, text); }
std::string_view label(precision_kind p) { return row(precision_kinds, p).label; }
std::string_view title(precision_kind p) { return row(precision_kinds, p).title; }
std::optional<precision_kind> precision_kind_from_label(std::string_view text) { return from_label(precision_kinds, text); }

std::optional<double> work_of(const run_record& r, work_kind w)
{
    double value = 0;
    switch (w) {
    case work_kind::cpu: value = r.cpu_s; break;
    case work_kind::wall: value = r.wall_s; break;
    case work_kind::f: value = static_cast<double>(r.nfev + r.nfev_jac); break;
    case work_kind::lu: value = static_cast<double>(r.nlu); break;
    }
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<double> precision_of(const run_record& r, precision_kind p)
{
    if (p == precision_kind::mescd) return r.mescd;
    if (p == precision_kind::scd) return r.scd;
    const auto found = r.extra.find(p == precision_kind::path ? path_digits_name : rms_digits_name);
    if (found == r.extra.end()) return std::nullopt;
    return found->second;
}

std::optional<double> busiest_share(const run_record& r)
{
    const auto f = r.extra.find("effective_f");
    const auto lu = r.extra.find("effective_lu");
    if (r.threads > 1 || f == r.extra.end() || lu == r.extra.end() || r.nfev == 0 || r.nlu == 0) return std::nullopt;
    const double share = std::max(f->second / static_cast<double>(r.nfev), lu->second / static_cast<double>(r.nlu));
    return share > 0 && share < 1 ? std::optional(share) : std::nullopt;
}

std::optional<double> limit_of(const digits_in_reach& reach, precision_kind p)
{
    switch (p) {
    case precision_kind::mescd: return reach.mescd;
    case precision_kind::scd: return reach.scd;
    case precision_kind::path: return reach.path;
    case precision_kind::rms: return reach.rms;
    }
    return std::nullopt;
}

bool is_estimated(const digits_in_reach& reach, precision_kind p) { return reach.estimated || p == precision_kind::path || p == precision_kind::rms; }

std::string variant_of(const run_record& r) { return joined(parameters_in_words(r.parameters), ", "); }

std::vector<problem_runs> curves_of(std::span<const run_record> records)
{
    const auto varying = varying_settings(records);
    std::vector<problem_runs> all;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto& r = records[i];
        const std::string variant = variant_of(r);
        const std::string problem = r.full_problem();
        const std::string solver = r.full_solver();
        auto at = std::ranges::find_if(all, [&](const problem_runs& p) { return p.problem == problem && p.variant == variant; });
        if (at == all.end()) at = all.insert(all.end(), {problem, variant, {}});

        std::string name = solver;
        const auto own = settings_of(r);
        for (std::size_t k = 0; k < own.size(); ++k)
            if (varying.at(solver)[k] && !own[k].empty()) name += ", " + own[k];
        auto curve = std::ranges::find(at->curves, name, &run_curve::label);
        if (curve == at->curves.end()) curve = at->curves.insert(at->curves.end(), {name, solver, {}});
        const auto same = std::ranges::find_if(curve->runs, [&](std::size_t k) { return same_point(records[k], r); });
        if (same != curve->runs.end())
            *same = i;
        else
            curve->runs.push_back(i);
    }
    for (auto& p : all)
        for (auto& c : p.curves) std::ranges::stable_sort(c.runs, {}, [&](std::size_t k) { return loosest_first(records[k]); });
    return all;
}

std::vector<std::optional<curve_point>> points_of(std::span<const run_record> records, const run_curve& c, work_kind w, precision_kind p)
{
    std::vector<std::optional<curve_point>> points;
    for (const std::size_t k : c.runs) {
        const auto& r = records[k];
        const auto work = work_of(r, w);
        const auto digits = precision_of(r, p);
        if (r.outcome == outcome::success && work && digits)
            points.emplace_back(curve_point{*digits, *work});
        else
            points.emplace_back();
    }
    return points;
}

std::optional<double> work_for_digits(std::span<const std::optional<curve_point>> points, double digits)
{
    std::optional<double> least;
    const auto offer = [&least](double work) { least = least ? std::min(*least, work) : work; };
    for (std::size_t k = 0; k < points.size(); ++k) {
        if (!points[k]) continue;
        const auto& a = *points[k];
        if (a.digits >= digits) offer(a.work);
        if (k + 1 == points.size() || !points[k + 1]) continue;
        const auto& b = *points[k + 1];
        if ((a.digits < digits) == (b.digits < digits)) continue;
        const double share = (digits - a.digits) / (b.digits - a.digits);
        offer(std::pow(10.0, std::log10(a.work) + share * (std::log10(b.work) - std::log10(a.work))));
    }
    return least;
}

} // namespace ivp
