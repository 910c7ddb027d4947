#include "arguments.hpp"

#include "detest/problems.hpp"
#include "detest/statistics.hpp"
#include "problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace ivp::detest_fortran {

namespace {

using namespace detest;

constexpr int longest_tolerance_list = most_tolerances + 1;
constexpr int longest_problem_list = 60;

enum fault : int {
    level_invalid = 1,
    normalization_invalid = 2,
    normalization_needs_level_2 = 3,
    tolerance_not_below = 4,
    tolerances_empty_or_endless = 5,
    no_such_problem = 6,
    groups_empty_endless_or_many = 7,
    norm_invalid = 8,
};

class flag_digits {
public:
    void append(fault digit) { value_ = 10 * value_ + static_cast<float>(digit); }
    [[nodiscard]] float value() const { return value_; }

private:
    float value_ = 0;
};

/// The number that was meant: 0.01 by the REAL nearest to it.
double decimal_of(float v) { return std::strtod(fmt::format("{}", v).c_str(), nullptr); }

int checked_tolerances(const float* tol, flag_digits& flag)
{
    constexpr float too_large = 1e20F;
    float before = too_large;
    for (int i = 0; i < longest_tolerance_list; ++i) {
        // A zero after a negative tolerance is not below it either, and NaN is below nothing.
        if (!(tol[i] >= 0 && tol[i] < before)) flag.append(tolerance_not_below);
        if (tol[i] == 0) {
            if (i == 0) flag.append(tolerances_empty_or_endless);
            return i;
        }
        before = tol[i];
    }
    flag.append(tolerances_empty_or_endless);
    return longest_tolerance_list;
}

bool is_known(problem_set set, int code)
{
    if (code == std::numeric_limits<int>::min()) return false; // has no absolute value
    const auto& all = all_detest_data();
    return std::any_of(all.begin(), all.end(), [&](const auto& d) { return d.set == set && d.code() == std::abs(code); });
}

/// grplst: size of each group, and how many elements are before it.
int checked_groups(problem_set set, const int* idlist, int* grplst, flag_digits& flag)
{
    int groups = 0;
    int begin = 0;
    bool inside = false; // a group; the list ends with a zero outside
    for (int i = 0; i < longest_problem_list; ++i) {
        if (idlist[i] == 0) {
            if (!inside) {
                if (groups == 0 || groups > most_groups) flag.append(groups_empty_endless_or_many);
                return groups;
            }
            inside = false;
            if (groups < most_groups) {
                grplst[2 * groups] = i - begin;
                grplst[2 * groups + 1] = begin;
            }
            ++groups;
            continue;
        }
        if (!inside) begin = i;
        inside = true;
        if (!is_known(set, idlist[i])) flag.append(no_such_problem);
    }
    flag.append(groups_empty_endless_or_many);
    return groups;
}

} // namespace

norm_kind norm_of(int nrmtyp) { return nrmtyp == 2 ? norm_kind::l2 : nrmtyp == 3 ? norm_kind::rms : norm_kind::max; }

assessment_settings settings_of(const ivp_detest_call& call)
{
    assessment_settings s;
    s.set = call.stiff != 0 ? problem_set::stiff : problem_set::nonstiff;
    s.as_1986 = true;
    s.details = false;
    s.level = call.option[0];
    s.normalize = call.option[1] == 1 ? normalization::end : call.option[1] == 2 ? normalization::max : normalization::none;
    s.norm = norm_of(call.option[2]);
    if (s.level == 4) s.extrapolated = call.option[3] == 1; // not read below
    s.tolerances.clear();
    for (int i = 0; i < call.ntol; ++i) s.tolerances.push_back(decimal_of(call.tol[i]));
    s.timing_s = std::max(0.0F, call.timing);
    s.roundoff = call.roundoff;
    s.underflow = call.underflow;
    s.single_truth = call.single != 0 && call.truth != 0;
    return s;
}

std::vector<std::vector<problem_code>> groups_of(const ivp_detest_call& call)
{
    std::vector<std::vector<problem_code>> groups(static_cast<std::size_t>(call.ngrp));
    for (int g = 0; g < call.ngrp; ++g)
        for (int i = 0; i < call.grplst[2 * g]; ++i) {
            const int code = call.idlist[call.grplst[2 * g + 1] + i];
            groups[static_cast<std::size_t>(g)].push_back({std::abs(code) - first_code, code > 0});
        }
    return groups;
}

} // namespace ivp::detest_fortran

float ivp_detest_check(int stiff, int opt, int normef, int nrmtyp, const float* tol, const int* idlist, int* ntol, int* ngrp, int* grplst)
{
    using namespace ivp::detest_fortran;
    flag_digits flag;
    if (opt < 1 || opt > 4) flag.append(level_invalid);
    if (normef < 0 || normef > 2) flag.append(normalization_invalid);
    if (opt == 1 && normef == 2) flag.append(normalization_needs_level_2);
    if (nrmtyp < 1 || nrmtyp > 3) flag.append(norm_invalid);
    *ntol = checked_tolerances(tol, flag);
    *ngrp = checked_groups(stiff != 0 ? problem_set::stiff : problem_set::nonstiff, idlist, grplst, flag);
    return flag.value();
}

float ivp_detest_distance(int nrmtyp, int n, const double* a, const double* b)
{
    const auto size = static_cast<std::size_t>(n);
    return static_cast<float>(ivp::detest::distance(ivp::detest_fortran::norm_of(nrmtyp), {a, size}, {b, size}, true));
}
