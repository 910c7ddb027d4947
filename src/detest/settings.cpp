#include "settings.hpp"

#include "base/labels.hpp"

#include <ivp/scalar.hpp>

#include <cmath>

namespace ivp::detest {

namespace {

constexpr enum_labels<norm_kind, 3> norm_words{{"max", "l2", "rms"}};
constexpr enum_labels<normalization, 3> normalization_words{{"none", "end", "max"}};
constexpr enum_labels<truth_kind, 2> truth_words{{"classic", "quad"}};
constexpr enum_labels<problem_set, 2> set_words{{"nonstiff", "stiff"}};
constexpr enum_labels<bound_kind, 2> bound_words{{"reported", "tolerance"}};

} // namespace

std::string_view label(norm_kind n) { return norm_words[n]; }
std::string_view label(normalization n) { return normalization_words[n]; }
std::string_view label(truth_kind t) { return truth_words[t]; }
std::string_view label(problem_set s) { return set_words[s]; }
std::string_view label(bound_kind b) { return bound_words[b]; }
norm_kind norm_named_in(std::string_view words)
{
    if (words.find("root mean square") != std::string_view::npos) return norm_kind::rms;
    return words.find("uclid") != std::string_view::npos ? norm_kind::l2 : norm_kind::max;
}
std::optional<norm_kind> norm_from_label(std::string_view text) { return norm_words.find(text); }
std::optional<normalization> normalization_from_label(std::string_view text) { return normalization_words.find(text); }
std::optional<truth_kind> truth_from_label(std::string_view text) { return truth_words.find(text); }
std::optional<problem_set> problem_set_from_label(std::string_view text) { return set_words.find(text); }
std::optional<bound_kind> bound_from_label(std::string_view text)
{
    return text == "told" ? bound_kind::reported : bound_words.find(text); // its name in earlier versions
}

std::vector<std::string> assessment_settings::validate() const
{
    std::vector<std::string> faults;
    if (level < 1 || level > 4) faults.push_back("level: " + std::to_string(level) + " given; allowed: 1, 2, 3, 4");
    if (normalize == normalization::max && level == 1)
        faults.emplace_back("normalize: max given with level 1; allowed: max from level 2 on, which finds the largest global error");
    if (tolerances.empty()) faults.emplace_back("tol: none given; allowed: 1 to 10 tolerances");
    if (tolerances.size() > most_tolerances)
        faults.push_back("tol: " + std::to_string(tolerances.size()) + " tolerances given; allowed: 1 to " + std::to_string(most_tolerances));
    double before = std::numeric_limits<double>::infinity();
    for (const double t : tolerances) {
        if (!(t > 0) || !std::isfinite(t)) {
            faults.push_back("tol: " + to_text(t) + " given; allowed: numbers above 0");
            continue;
        }
        if (!(t < before)) faults.push_back("tol: " + to_text(t) + " given after " + to_text(before) + "; allowed: each smaller than the one before");
        before = t;
    }
    if (!(timing_s >= 0) || !std::isfinite(timing_s)) faults.push_back("timing: " + to_text(timing_s) + " given; allowed: seconds from 0");
    return faults;
}

} // namespace ivp::detest
