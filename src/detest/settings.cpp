#include "settings.hpp"

#include <ivp/scalar.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace ivp::detest {

namespace {

template <class E, std::size_t N>
using words = std::array<std::pair<E, std::string_view>, N>;

constexpr words<norm_kind, 3> norm_words{{{norm_kind::max, "max"}, {norm_kind::l2, "l2"}, {norm_kind::rms, "rms"}}};
constexpr words<normalization, 3> normalization_words{{{normalization::none, "none"}, {normalization::end, "end"}, {normalization::max, "max"}}};
constexpr words<truth_kind, 2> truth_words{{{truth_kind::classic, "classic"}, {truth_kind::quad, "quad"}}};
constexpr words<problem_set, 2> set_words{{{problem_set::nonstiff, "nonstiff"}, {problem_set::stiff, "stiff"}}};
constexpr words<bound_kind, 2> bound_words{{{bound_kind::told, "told"}, {bound_kind::tolerance, "tolerance"}}};

template <class E, std::size_t N>
std::string_view word_of(const words<E, N>& table, E value)
{
    for (const auto& [e, word] : table)
        if (e == value) return word;
    return {};
}

template <class E, std::size_t N>
std::optional<E> value_of_word(const words<E, N>& table, std::string_view text)
{
    for (const auto& [e, word] : table)
        if (word == text) return e;
    return std::nullopt;
}

} // namespace

std::string_view label(norm_kind n) { return word_of(norm_words, n); }
std::string_view label(normalization n) { return word_of(normalization_words, n); }
std::string_view label(truth_kind t) { return word_of(truth_words, t); }
std::string_view label(problem_set s) { return word_of(set_words, s); }
std::string_view label(bound_kind b) { return word_of(bound_words, b); }
norm_kind norm_named_in(std::string_view words)
{
    if (words.find("root mean square") != std::string_view::npos) return norm_kind::rms;
    return words.find("uclid") != std::string_view::npos ? norm_kind::l2 : norm_kind::max;
}
std::optional<norm_kind> norm_from_label(std::string_view text) { return value_of_word(norm_words, text); }
std::optional<normalization> normalization_from_label(std::string_view text) { return value_of_word(normalization_words, text); }
std::optional<truth_kind> truth_from_label(std::string_view text) { return value_of_word(truth_words, text); }
std::optional<problem_set> problem_set_from_label(std::string_view text) { return value_of_word(set_words, text); }
std::optional<bound_kind> bound_from_label(std::string_view text) { return value_of_word(bound_words, text); }

std::vector<std::string> assessment_settings::validate() const
{
    std::vector<std::string> faults;
    if (level < 1 || level > 4) faults.push_back("level: " + std::to_string(level) + " given; allowed: 1, 2, 3, 4");
    if (normalize == normalization::max && level == 1)
        faults.emplace_back("normalize: max given with level 1; allowed: max from level 2 on, where the largest global error is known");
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
