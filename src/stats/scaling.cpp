#include "scaling.hpp"

#include "base/labels.hpp"
#include "curves.hpp"
#include "growth.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace ivp {

namespace {

constexpr enum_labels<scaled_quantity, 6> quantity_labels{{"cpu", "wall", "steps", "f", "lu", "memory"}};

/// Of `extra`; a run in a process of its own has it.
constexpr auto peak_memory_name = "peak_memory_mib";

} // namespace

std::string_view label(scaled_quantity q) { return quantity_labels[q]; }
std::optional<scaled_quantity> scaled_quantity_from_label(std::string_view text) { return quantity_labels.find(text); }

std::string_view title(scaled_quantity q)
{
    switch (q) {
    case scaled_quantity::cpu: return title(work_kind::cpu);
    case scaled_quantity::wall: return title(work_kind::wall);
    case scaled_quantity::steps: return "steps";
    case scaled_quantity::f: return title(work_kind::f);
    case scaled_quantity::lu: return title(work_kind::lu);
    case scaled_quantity::memory: return "peak memory [MiB]";
    }
    return "";
}

std::optional<double> value_of(const run_record& r, scaled_quantity q)
{
    if (r.outcome != outcome::success) return std::nullopt;
    switch (q) {
    case scaled_quantity::cpu: return work_of(r, work_kind::cpu);
    case scaled_quantity::wall: return work_of(r, work_kind::wall);
    case scaled_quantity::steps: return r.steps > 0 ? std::optional(static_cast<double>(r.steps)) : std::nullopt;
    case scaled_quantity::f: return work_of(r, work_kind::f);
    case scaled_quantity::lu: return work_of(r, work_kind::lu);
    case scaled_quantity::memory: {
        const auto found = r.extra.find(peak_memory_name);
        return found == r.extra.end() || !(found->second > 0) ? std::nullopt : std::optional(found->second);
    }
    }
    return std::nullopt;
}

std::size_t sizes_of(std::span<const run_record> records, const scaling& s)
{
    std::set<int> sizes;
    for (const auto& c : s.curves)
        for (const std::size_t k : c.runs) sizes.insert(records[k].dimension);
    return sizes.size();
}

std::vector<scaling> scalings_of(std::span<const run_record> records, std::size_t fewest)
{
    // A size is a variant of the problem: the curves of all variants with the same label belong together.
    std::vector<scaling> all;
    for (const auto& variant : curves_of(records))
        for (const auto& c : variant.curves)
            for (const std::size_t k : c.runs) {
                const double rtol = comparable_tolerance(records[k].ladder_rtol());
                auto s = std::ranges::find_if(all, [&](const scaling& x) { return x.problem == variant.problem && x.rtol == rtol; });
                if (s == all.end()) s = all.insert(all.end(), {variant.problem, rtol, {}});
                auto curve = std::ranges::find(s->curves, c.label, &scaling_curve::label);
                if (curve == s->curves.end()) curve = s->curves.insert(curve, {c.label, {}});
                curve->runs.push_back(k);
            }
    for (auto& s : all)
        for (auto& c : s.curves) std::ranges::stable_sort(c.runs, {}, [&](std::size_t k) { return records[k].dimension; });
    std::erase_if(all, [&](const scaling& s) { return sizes_of(records, s) < fewest; });
    return all;
}

std::optional<double> exponent_of(std::span<const run_record> records, const scaling_curve& c, scaled_quantity q)
{
    std::vector<std::pair<double, double>> points;
    for (const std::size_t k : c.runs)
        if (const auto v = value_of(records[k], q)) points.emplace_back(records[k].dimension, *v);
    if (points.empty()) return std::nullopt;
    const double largest = points.back().first;
    std::erase_if(points, [&](const std::pair<double, double>& p) { return p.first < largest / 10; });
    return power_law(points);
}

} // namespace ivp
