#include "derive.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace ivp {

namespace problems {
// The texts of reference.csv, as the build embeds them.
#define IVP_PROBLEM(id)                                 \
    namespace id##_files                                \
    {                                                   \
        extern const char* const reference;             \
        extern const reference_text other_references[]; \
    }
#define IVP_DETEST(set, group, number)
#define IVP_SIZED(id) IVP_PROBLEM(id)
#include "catalog/problems.def"
#undef IVP_SIZED
#undef IVP_DETEST
#undef IVP_PROBLEM
} // namespace problems

namespace {

struct reference_texts {
    const char* of_defaults;
    const reference_text* others;
};

const std::map<std::string, reference_texts, std::less<>>& texts()
{
    static const std::map<std::string, reference_texts, std::less<>> all{
#define IVP_PROBLEM(id) {#id, {problems::id##_files::reference, problems::id##_files::other_references}},
#define IVP_DETEST(set, group, number)
#define IVP_SIZED(id) IVP_PROBLEM(id)
#include "catalog/problems.def"
#undef IVP_SIZED
#undef IVP_DETEST
#undef IVP_PROBLEM
    };
    return all;
}

/// Decimals of a zero: it may stand for a number that no double can be.
constexpr double decimals_of_zero = 300;

/// What most problems of DETEST are derived by, and those that need something else.
constexpr std::string_view usual_recipe = "radau:13:1e-17,1e-19 lobatto:15:1e-17,1e-19";
constexpr std::string_view to_nothing = "radau:13:1e-17,1e-19 lobatto:15:1e-17,1e-19 floor:0"; // components that decay, each at its own rate
const std::map<std::string, std::string_view, std::less<>>& special_recipes()
{
    static const std::map<std::string, std::string_view, std::less<>> recipes{
        {"detest-n-f5", "radau:9:1e-22,1e-24 lobatto:11:1e-22,1e-24 floor:0.001 first:1e-15"}, // cube roots: steps that shrink towards every integer
        // y2 ends at 5e-14 of 13: quadruple precision leaves 15 digits, and rounding the decimal constants to it 18
        {"detest-n-f1", "taylor:40:1e-40,1e-42 gbs:24:1e-38,1e-40 numbers:quad2"},
        // three components at 1e-30 beside forces of 1: quadruple precision would leave seven digits of them
        {"detest-s-e1", "taylor:40:1e-45,1e-50 gbs:20:1e-40,1e-44 floor:0.001 numbers:quad2"},
        {"detest-s-a1", to_nothing},
        {"detest-s-a4", "radau:13:1e-17,1e-19 lobatto:15:1e-17,1e-19 floor:1e-300"}, // down to what is written as zero
        {"detest-s-b2", to_nothing},
        {"detest-s-b3", to_nothing},
        {"detest-s-b4", to_nothing},
        {"detest-s-b5", to_nothing},
    };
    return recipes;
}

/// One spelling for each number, with all of its digits: 1e-5 for 0.00001 and 1.0e-05, 1.8 for 1.80.
std::string canonical(std::string_view number)
{
    constexpr int least_exponent = -4, most_exponent = 15; // without a power of ten
    const bool negative = number.starts_with('-');
    if (negative || number.starts_with('+')) number.remove_prefix(1);
    const auto e = std::min(number.find_first_of("eEdD"), number.size());
    const std::string_view mantissa = number.substr(0, e);
    std::string_view power = number.substr(std::min(e + 1, number.size()));
    if (power.starts_with('+')) power.remove_prefix(1);
    int exponent = 0;
    const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
    const bool plain = mantissa.find_first_not_of("0123456789.") == std::string_view::npos && std::ranges::count(mantissa, '.') <= 1;
    if (!plain || mantissa.empty() || read.ptr != power.data() + power.size() || (e < number.size() && power.empty())) return std::string(number);
    std::string digits;
    const auto point = std::min(mantissa.find('.'), mantissa.size());
    for (const char c : mantissa)
        if (c != '.') digits += c;
    exponent += static_cast<int>(point) - 1; // of the first digit
    const auto first = std::min(digits.find_first_not_of('0'), digits.size());
    digits.erase(0, first);
    exponent -= static_cast<int>(first);
    while (digits.ends_with('0')) digits.pop_back();
    if (digits.empty()) return "0";
    std::string text = negative ? "-" : "";
    const auto length = static_cast<int>(digits.size());
    if (exponent < least_exponent || exponent > most_exponent) {
        text += digits.substr(0, 1) + (length > 1 ? "." + digits.substr(1) : "") + "e" + std::to_string(exponent);
    } else if (exponent < 0) {
        text += "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    } else if (length <= exponent + 1) {
        text += digits + std::string(static_cast<std::size_t>(exponent + 1 - length), '0');
    } else {
        text += digits.substr(0, static_cast<std::size_t>(exponent) + 1) + "." + digits.substr(static_cast<std::size_t>(exponent) + 1);
    }
    return text;
}

/// What a problem carries itself: DETEST's, and those from outside.
reference_file carried(const reference_solution& r, bool of_detest)
{
    reference_file file;
    file.t = r.t;
    file.value = r.value;
    file.digits = r.digits;
    file.kind.assign(r.value.size(), r.absolute_digits ? digit_kind::absolute : digit_kind::relative);
    for (std::size_t i = 0; i < r.value.size(); ++i)
        if (r.value[i].value() == 0 && !r.absolute_digits) {
            file.kind[i] = digit_kind::absolute;
            if (of_detest) file.digits[i] = decimals_of_zero;
        }
    file.source = r.source;
    file.confirmed = r.confirmed;
    return file;
}

} // namespace

std::string setting_text(const problem& p)
{
    std::vector<std::string> words;
    for (const auto& [name, value] : p.parameters().changed()) words.push_back(name + "=" + canonical(value));
    return joined(words, ",");
}

std::optional<reference_file> stored_reference(const problem& p)
{
    if (const auto known = texts().find(p.id()); known != texts().end() && p.info().origin == "own") {
        if (p.reference() && p.parameters().all_default()) return read_reference_file(known->second.of_defaults);
        const std::string setting = setting_text(p);
        for (const reference_text* r = known->second.others; r->setting != nullptr; ++r)
            if (setting == r->setting) return read_reference_file(r->csv);
    }
    if (!p.reference()) return std::nullopt;
    const bool of_detest = p.id().starts_with("detest-") && p.info().origin == "own";
    reference_file file = carried(*p.reference(), of_detest);
    if (of_detest) {
        const auto special = special_recipes().find(p.id());
        file.recipe = special == special_recipes().end() ? usual_recipe : special->second;
        if (!p.parameters().all_default() && file.recipe.starts_with("taylor")) { // scaled variables have no tape
            file.recipe.clear();
            file.note = "The values of the unscaled problem, divided by the weights: 'ivp reference " + p.id() + " --recompute' derives those.";
            return file;
        }
        if (p.id() == "detest-n-f1")
            file.note = "Digits of y2 beyond the 17 that are stored belong to constants rounded to quadruple precision, which y2 loses to "
                        "cancellation: the decimal "
                        "constants give others.";
    }
    return file;
}

std::vector<std::map<std::string, std::string>> stored_settings(const std::string& id)
{
    std::vector<std::map<std::string, std::string>> settings(1);
    const auto known = texts().find(id);
    if (known == texts().end()) return settings;
    for (const reference_text* r = known->second.others; r->setting != nullptr; ++r) {
        settings.emplace_back();
        for (const auto& word : split(r->setting, ',')) {
            const auto equals = word.find('=');
            settings.back()[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    return settings;
}

} // namespace ivp
