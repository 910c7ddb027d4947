#include "arguments.hpp"

#include <fmt/format.h>

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

void read_options(const int* option, assessment_settings& s, flag_digits& flag)
{
    const int opt = option[0];
    const int normef = option[1];
    const int nrmtyp = option[2];
    if (opt < 1 || opt > 4) flag.append(level_invalid);
    if (normef < 0 || normef > 2) flag.append(normalization_invalid);
    if (opt == 1 && normef == 2) flag.append(normalization_needs_level_2);
    if (nrmtyp < 1 || nrmtyp > 3) flag.append(norm_invalid);
    s.level = opt;
    s.normalize = normef == 1 ? normalization::end : normef == 2 ? normalization::max : normalization::none;
    s.norm = nrmtyp == 2 ? norm_kind::l2 : nrmtyp == 3 ? norm_kind::rms : norm_kind::max;
    if (opt == 4) s.extrapolated = option[3] == 1; // not read below
}

std::vector<double> read_tolerances(const float* tol, flag_digits& flag)
{
    std::vector<double> list;
    float before = std::numeric_limits<float>::infinity();
    for (int i = 0; i < longest_tolerance_list; ++i) {
        if (tol[i] == 0) {
            if (list.empty()) flag.append(tolerances_empty_or_endless);
            return list;
        }
        if (!(tol[i] > 0 && tol[i] < before)) flag.append(tolerance_not_below); // NaN too
        before = tol[i];
        list.push_back(decimal_of(tol[i]));
    }
    flag.append(tolerances_empty_or_endless);
    return list;
}

const detest_data* find(problem_set set, int code)
{
    for (const auto& d : all_detest_data())
        if (d.set == set && d.code() == code) return &d;
    return nullptr;
}

std::vector<std::vector<problem_choice>> read_groups(problem_set set, const int* idlist, flag_digits& flag)
{
    std::vector<std::vector<problem_choice>> groups;
    bool inside = false; // a group; the list ends with a zero outside
    for (int i = 0; i < longest_problem_list; ++i) {
        if (idlist[i] == 0) {
            if (!inside) {
                if (groups.empty() || groups.size() > most_groups) flag.append(groups_empty_endless_or_many);
                return groups;
            }
            inside = false;
            continue;
        }
        if (!inside) groups.emplace_back();
        inside = true;
        // The smallest integer has no absolute value.
        const detest_data* const data = idlist[i] == std::numeric_limits<int>::min() ? nullptr : find(set, std::abs(idlist[i]));
        if (data == nullptr)
            flag.append(no_such_problem);
        else
            groups.back().push_back({data, idlist[i] > 0});
    }
    flag.append(groups_empty_endless_or_many);
    return groups;
}

} // namespace

checked_arguments check_arguments(problem_set set, const int* option, const float* tol, const int* idlist)
{
    checked_arguments a;
    flag_digits flag;
    a.settings.set = set;
    a.settings.as_1986 = true;
    read_options(option, a.settings, flag);
    a.settings.tolerances = read_tolerances(tol, flag);
    a.groups = read_groups(set, idlist, flag);
    a.flag = flag.value();
    return a;
}

} // namespace ivp::detest_fortran
