#include "model/sweep.hpp"

#include "base/text.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <cmath>

namespace ivp {

namespace {

constexpr std::size_t most_runs = 10'000;

} // namespace

std::vector<std::string> swept_values(const std::string& name, const std::string& text)
{
    const auto refuse = [&]() -> void {
        throw bad_request(name + ": '" + text +
                          "' given; allowed: a number, numbers such as 1,2,5, or a range FROM:TO:PER_DECADE such as 1e-2:1e2:4 of numbers above 0");
    };
    if (text.find(':') != std::string::npos) {
        const auto parts = split(text, ':');
        if (parts.size() != 3) refuse();
        const auto from = parse_real(parts[0]);
        const auto to = parse_real(parts[1]);
        const auto per_decade = parse_real(parts[2]);
        if (!from || !to || !per_decade || !(*from > 0) || !(*to > 0) || !(*per_decade > 0)) refuse();
        if (ladder_length(*from, *to, *per_decade) > static_cast<double>(most_runs))
            throw bad_request(name + ": '" + text + "' given; allowed: a range with at most " + std::to_string(most_runs) + " values");
        std::vector<std::string> values;
        for (const double v : tolerance_ladder(*from, *to, *per_decade)) values.push_back(to_text(v));
        return values;
    }
    if (text.find(',') == std::string::npos) return {text};
    auto values = split(text, ',');
    for (const auto& v : values)
        if (!parse_real(v)) refuse();
    return values;
}

std::vector<std::map<std::string, std::string>> swept(const std::map<std::string, std::string>& parameters)
{
    std::vector<std::map<std::string, std::string>> all{{}};
    for (const auto& [name, text] : parameters) {
        const auto values = swept_values(name, text);
        if (all.size() * values.size() > most_runs)
            throw bad_request(name + ": together the lists give more than " + std::to_string(most_runs) + " combinations; allowed: at most " +
                              std::to_string(most_runs));
        std::vector<std::map<std::string, std::string>> more;
        for (const auto& before : all)
            for (const auto& v : values) {
                more.push_back(before);
                more.back()[name] = v;
            }
        all = std::move(more);
    }
    return all;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): its values are changed
std::vector<std::map<std::string, std::string>> swept(std::map<std::string, std::string> parameters, std::span<const parameter> known)
{
    for (auto& [name, text] : parameters) {
        const auto p = std::ranges::find(known, name, &parameter::name);
        if (p == known.end() || !p->whole || text.find(':') == std::string::npos) continue;
        std::vector<std::string> whole;
        for (const auto& v : swept_values(name, text)) whole.push_back(to_text(std::round(parse_real(v).value_or(0))));
        whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
        text = joined(whole, ",");
    }
    return swept(parameters);
}

std::vector<std::string> swept_names(const std::map<std::string, std::string>& parameters)
{
    std::vector<std::string> names;
    for (const auto& [name, text] : parameters)
        if (swept_values(name, text).size() > 1) names.push_back(name);
    return names;
}

} // namespace ivp
