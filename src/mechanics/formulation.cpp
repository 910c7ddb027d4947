#include <ivp/mechanics.hpp>

#include <algorithm>
#include <array>

namespace ivp {

namespace {

constexpr std::array all_kinds{formulation_kind::index3, formulation_kind::index2, formulation_kind::ggl, formulation_kind::index1,
                               formulation_kind::baumgarte};

struct facts {
    std::string_view label;
    const char* formulation;
    const char* stabilised;
};
/// In the order of the kinds.
constexpr std::array<facts, all_kinds.size()> facts_of_kind{
    {{"3", "3", "0"}, {"2", "2", "0"}, {"ggl", "2", "1"}, {"1", "1", "0"}, {"baumgarte", "1", "1"}}};

const facts& facts_of(formulation_kind k) { return facts_of_kind[static_cast<std::size_t>(k)]; }

constexpr const char* index_name = "formulation";
constexpr const char* stabilised_name = "stabilised";

/// 0 where it is not given.
double number_in(const std::map<std::string, std::string>& parameters, const char* name)
{
    const auto found = parameters.find(name);
    return found == parameters.end() ? 0 : parse_real(found->second).value_or(0);
}

std::optional<formulation_kind> kind_with(double index, double stabilised)
{
    for (const auto k : all_kinds)
        if (parse_real(facts_of(k).formulation) == index && parse_real(facts_of(k).stabilised) == stabilised) return k;
    return std::nullopt;
}

} // namespace

std::string_view label(formulation_kind k) { return facts_of(k).label; }

std::optional<formulation_kind> formulation_from_label(std::string_view text)
{
    for (const auto k : all_kinds)
        if (label(k) == text) return k;
    return std::nullopt;
}

std::span<const formulation_kind> all_formulations() { return all_kinds; }

std::vector<parameter> formulation_parameters(int stored)
{
    return {
        {index_name, stored, std::min(stored, 1), 3,
         std::string("index of the formulation: 3, 2 or 1") + (stored == 0 ? "; 0: the problem as it is written" : ""), true},
        {stabilised_name, 0, 0, 1, "1: stabilised, index 2 by Gear, Gupta and Leimkuhler, index 1 by Baumgarte's terms", true},
        {"baumgarte_alpha", 0, 0, "1e12", "factor of Baumgarte's terms [1/s]; 0: 100/(tend - t0)"},
        {"baumgarte_beta", 0, 0, "1e12", "the other factor of Baumgarte's terms [1/s]; 0: 100/(tend - t0)"},
    };
}

std::map<std::string, std::string> parameters_of(formulation_kind k)
{
    return {{index_name, facts_of(k).formulation}, {stabilised_name, facts_of(k).stabilised}};
}

std::optional<formulation_kind> formulation_of(const std::map<std::string, std::string>& parameters)
{
    const double index = number_in(parameters, index_name);
    const double stabilised = number_in(parameters, stabilised_name);
    if (index == 0) {
        if (stabilised != 0) throw bad_request("stabilised: '1' given without formulation; allowed: with formulation 2 or 1");
        return std::nullopt;
    }
    if (const auto kind = kind_with(index, stabilised)) return kind;
    throw bad_request("formulation " + to_text(index) + " with stabilised " + to_text(stabilised) +
                      " given; allowed: 3, 2, 1, and with stabilised 1 the formulations 2 (ggl) and 1 (baumgarte)");
}

std::vector<std::string> parameters_in_words(const std::map<std::string, std::string>& parameters)
{
    const auto kind = kind_with(number_in(parameters, index_name), number_in(parameters, stabilised_name));
    std::vector<std::string> words;
    for (const auto& [name, value] : parameters) {
        if (kind && name == stabilised_name) continue;
        words.push_back(kind && name == index_name ? name + " " + std::string(label(*kind)) : name + " = " + value);
    }
    return words;
}

std::map<std::string, std::string> without_formulation(std::map<std::string, std::string> given)
{
    for (const auto& p : formulation_parameters(0)) given.erase(p.name);
    return given;
}

} // namespace ivp
