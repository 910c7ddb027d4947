#include "calibration.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace ivp {

namespace {

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void fit_line(calibration& c)
{
    if (c.points.size() < 3) return;
    const auto n = static_cast<double>(c.points.size());
    double mean_x = 0;
    double mean_y = 0;
    for (const auto& p : c.points) {
        mean_x += p.asked / n;
        mean_y += p.achieved / n;
    }
    double xx = 0;
    double xy = 0;
    for (const auto& p : c.points) {
        xx += (p.asked - mean_x) * (p.asked - mean_x);
        xy += (p.asked - mean_x) * (p.achieved - mean_y);
    }
    if (!(xx > 0)) return;
    c.slope = xy / xx;
    c.offset = mean_y - *c.slope * mean_x;
}

} // namespace

calibration calibrate(std::span<const run_record> records, std::span<const std::size_t> runs)
{
    calibration c;
    std::vector<double> surplus;
    for (const std::size_t k : runs) {
        const auto& r = records[k];
        if (r.outcome != outcome::success || !r.mescd || !(r.ladder_rtol() > 0)) continue;
        const calibration_point p{k, -std::log10(r.ladder_rtol()), *r.mescd};
        surplus.push_back(p.achieved - p.asked);
        if (surplus.back() < -1) ++c.short_of_it;
        c.points.push_back(p);
    }
    if (!surplus.empty()) c.median_surplus = median(std::move(surplus));
    fit_line(c);
    return c;
}

std::vector<speedup_row> speedup_of(std::span<const run_record> records, const std::string& solver)
{
    std::vector<speedup_row> rows;
    std::set<int> counts;
    for (const auto& r : records) {
        if (r.full_solver() != solver || r.outcome != outcome::success || !(r.wall_s > 0) || r.threads > r.machine.cores) continue;
        rows.push_back({r.ladder_rtol(), r.threads, r.wall_s, std::nullopt});
        counts.insert(r.threads);
    }
    if (counts.size() < 2) return {};
    std::ranges::stable_sort(
        rows, [](const speedup_row& a, const speedup_row& b) { return !same_tolerance(a.rtol, b.rtol) ? a.rtol > b.rtol : a.threads < b.threads; });
    for (auto& row : rows) {
        const auto one =
            std::ranges::find_if(rows, [&row](const speedup_row& other) { return same_tolerance(other.rtol, row.rtol) && other.threads == 1; });
        if (one != rows.end()) row.speedup = one->wall_s / row.wall_s;
    }
    return rows;
}

} // namespace ivp
