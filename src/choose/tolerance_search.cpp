#include "tolerance_search.hpp"

#include <ivp/problem.hpp>

#include <algorithm>

namespace ivp {

namespace {

constexpr int stride = 4;         // half a decade, until digits appear
constexpr int looser_by = 1;      // neighbours that must deliver too
constexpr int tighter_by = 2;     //
constexpr int further_robust = 4; // a little tighter is sometimes cheaper

} // namespace

double rtol_of_notch(int notch) { return ladder_rung(1, notch, notches_per_decade, 2); } // "7.5e-5", as a person writes it

tolerance_search::tolerance_search(double digits, int start, int loosest, int tightest)
    : digits_(digits), start_(std::clamp(start, loosest, tightest)), loosest_(loosest), tightest_(tightest)
{}

tolerance_search::answer tolerance_search::at(int notch) const
{
    const auto it = tried_.find(notch);
    if (it == tried_.end()) return answer::unknown;
    return it->second.digits.value_or(-1) >= digits_ ? answer::yes : answer::no;
}

bool tolerance_search::delivers(int notch) const { return at(notch) == answer::yes; }

/// In strides: to looser tolerances while the digits are there, else to tighter ones until they are.
tolerance_search::step tolerance_search::first_that_delivers() const
{
    int k = start_;
    while (k <= tightest_) {
        if (at(k) == answer::unknown) return {{}, k};
        if (at(k) == answer::yes) break;
        k += stride;
    }
    if (k > tightest_) return {};
    while (k > loosest_) {
        const int looser = std::max(k - stride, loosest_);
        if (at(looser) == answer::unknown) return {{}, looser};
        if (at(looser) == answer::no) break;
        k = looser;
    }
    return {k, {}};
}

tolerance_search::step tolerance_search::first_robust(int from) const
{
    for (int k = std::max(from, loosest_ + looser_by); k + tighter_by <= tightest_; ++k) {
        bool all = true;
        for (int j = k - looser_by; j <= k + tighter_by && all; ++j) {
            if (at(j) == answer::unknown) return {{}, j};
            all = at(j) == answer::yes;
        }
        if (all) return {k, {}};
    }
    return {};
}

std::optional<int> tolerance_search::next() const
{
    const auto delivers = first_that_delivers();
    if (!delivers.found) return delivers.try_next;
    const auto first = first_robust(*delivers.found - stride + 1 + looser_by);
    if (!first.found) return first.try_next;
    for (int j = *first.found; j <= std::min(*first.found + further_robust + tighter_by, tightest_); ++j)
        if (at(j) == answer::unknown) return j;
    return std::nullopt;
}

std::optional<tried_tolerance> tolerance_search::robust() const
{
    std::optional<tried_tolerance> best;
    for (const auto& [notch, t] : tried_) {
        bool all = true;
        for (int j = notch - looser_by; j <= notch + tighter_by; ++j) all = all && delivers(j);
        if (all && (!best || t.cpu_s < best->cpu_s)) best = t;
    }
    return best;
}

std::optional<tried_tolerance> tolerance_search::most_accurate() const
{
    std::optional<tried_tolerance> best;
    for (const auto& [notch, t] : tried_)
        if (t.digits && (!best || *t.digits > *best->digits)) best = t;
    return best;
}

} // namespace ivp
