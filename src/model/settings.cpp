#include "model/settings_fields.hpp"

#include "base/escape.hpp"

#include <ivp/problem.hpp>

#include <fmt/format.h>

#include <array>

namespace ivp {

namespace {

constexpr std::array<std::string_view, 5> algebra_labels{"auto", "dense", "band", "sparse", "krylov"};

template <class T>
void judge(const setting<T>& line, const T& value, std::vector<std::string>& faults)
{
    if (!is_allowed(line, value)) faults.push_back(with_dashes(line.name) + ": " + setting_text(value) + " given; allowed: " + allowed(line));
}

} // namespace

template <>
std::span<const std::string_view> labels<jacobian_source>()
{
    static const std::array all{label(jacobian_source::exact), label(jacobian_source::differences), label(jacobian_source::original)};
    return all;
}

template <>
std::span<const std::string_view> labels<algebra>()
{
    return algebra_labels;
}
std::string_view label(algebra a) { return algebra_labels[static_cast<std::size_t>(a)]; }

std::vector<setting_row> settings_table()
{
    std::vector<setting_row> rows;
    const run_settings defaults;
    for_each_setting(defaults, [&rows](const auto& line, const auto& value) {
        rows.push_back(
            {std::string(line.name), "--" + with_dashes(line.name), fmt::format(fmt::runtime(line.help), setting_text(value)), line.choose});
    });
    return rows;
}

std::optional<std::string> take_setting(run_settings& s, std::string_view name, std::string_view text)
{
    bool known = false;
    std::optional<std::string> wrong;
    std::vector<std::string> names;
    for_each_setting(s, [&](const auto& line, auto& value) {
        names.push_back(with_dashes(line.name));
        if (names.back() != with_dashes(name)) return;
        known = true;
        if (const auto v = setting_from_text(line, text))
            value = *v;
        else
            wrong = readable(line);
    });
    if (!known) throw bad_request("unknown setting '" + std::string(name) + "'; allowed: " + joined(names, ", ") + nearest_name_hint(name, names));
    return wrong;
}

std::string command_line_of(const run_settings& s)
{
    std::string text;
    for_each_setting(s, [&text](const auto& line, const auto& value) {
        if (value != line.value) text += " --" + with_dashes(line.name) + " " + setting_text(value);
    });
    for (const auto& [name, value] : s.special) text += " --opt " + shell_word(name + "=" + to_text(value));
    return text;
}

std::vector<std::string> integration_faults(const integration_settings& s)
{
    std::vector<std::string> faults;
    for_each_integration_setting(s, [&faults](const auto& line, const auto& value) { judge(line, value, faults); });
    return faults;
}

std::vector<std::string> measurement_faults(const run_settings& s)
{
    std::vector<std::string> faults;
    for_each_setting(s, [&faults](const auto& line, const auto& value) {
        if (line.kind == setting_kind::limit) judge(line, value, faults);
    });
    return faults;
}

} // namespace ivp
