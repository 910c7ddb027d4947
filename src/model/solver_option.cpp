#include <ivp/solver.hpp>

#include "base/labels.hpp"
#include "base/text.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ivp {

namespace {

constexpr enum_labels<option_kind, 4> kind_labels{{"real", "whole", "flag", "choice"}};

std::span<const option_word> words_of(const solver_option& o)
{
    static const std::array<option_word, 2> of_a_flag{{{"yes", 1}, {"no", 0}}};
    if (o.kind == option_kind::flag) return of_a_flag;
    return o.words;
}

} // namespace

std::string_view label(option_kind k) { return kind_labels[k]; }
std::optional<option_kind> option_kind_from_label(std::string_view text) { return kind_labels.find(text); }

std::optional<double> solver_option::from_text(std::string_view text) const
{
    for (const auto& w : words_of(*this))
        if (w.word == text) return w.value;
    return parse_real(text);
}

std::string solver_option::text_of(double v) const
{
    for (const auto& w : words_of(*this))
        if (w.value == v) return w.word;
    return to_text(v);
}

bool solver_option::takes(double v) const
{
    const auto known = words_of(*this);
    if (!known.empty()) return std::ranges::any_of(known, [v](const option_word& w) { return w.value == v; });
    return v >= min && v <= max && (kind != option_kind::whole || v == std::floor(v));
}

std::string solver_option::allowed() const
{
    std::vector<std::string> all;
    for (const auto& w : words_of(*this)) all.push_back(w.word);
    if (!all.empty()) return joined(all, ", ");
    return (kind == option_kind::whole ? "a whole number from " : "a number from ") + to_text(min) + " to " + to_text(max);
}

double solver_option::in(const std::map<std::string, double>& given) const
{
    const auto found = given.find(name);
    return found == given.end() ? value : found->second;
}

const solver_option* find_option(std::span<const solver_option> options, std::string_view name)
{
    const auto found = std::ranges::find(options, name, &solver_option::name);
    return found == options.end() ? nullptr : &*found;
}

} // namespace ivp
