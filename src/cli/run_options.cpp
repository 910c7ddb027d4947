#include "run_options.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "catalog/content.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "model/limits.hpp"
#include "model/other_start.hpp"
#include "model/views.hpp"
#include "reference/derive.hpp"

#include <ivp/catalog.hpp>
#include <ivp/mechanics.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ivp::cli {

run_options::run_options(command& c, extent which)
{
    const bool all = which == extent::all;
    for (const auto& row : settings_table())
        if (all || row.choose) c.add(row.option, &settings[row.name], row.help);
    c.add("--set", &set, a_parameter);
    c.add("--y0", &y0, "Other initial values, name=value,... with the names of 'ivp show' or y1, y2, ...");
    c.add("--form", &form, "Solve the problem in this form: ode, dae, ide");
    c.add("--formulation", &formulation,
          "Formulation of a mechanical system: 3, 2, ggl (stabilised index 2), 1, baumgarte (index 1 with Baumgarte's terms); default: as the "
          "problem is written");
    if (!all) return;
    c.add("--opt", &opt, "Option of the solver, name=value, see 'ivp show SOLVER'");
    c.add("--boundary", &boundary,
          "How the tool's own solvers reach the problem: own, plug-in (as plug-ins do, see docs/comparison.md); default " + boundary);
}

run_settings read_settings(const run_options& o, reader& read)
{
    run_settings s;
    for (const auto& row : settings_table()) {
        const auto given = o.settings.find(row.name);
        if (given == o.settings.end() || !given->second) continue;
        const std::string& text = *given->second;
        if (const auto allowed = take_setting(s, row.name, text)) read.fault(fmt::format("{}: '{}' given; allowed: {}", row.option, text, *allowed));
    }
    return s;
}

std::map<std::string, double> read_solver_options(const option_texts& typed, const solver_info& solver, reader& read)
{
    std::map<std::string, double> values;
    for (const auto& [name, text] : typed) {
        const solver_option* const known = find_option(solver.options, name);
        const auto value = known == nullptr ? parse_real(text) : known->from_text(text);
        if (!value && known != nullptr) read.fault(fmt::format("--opt {}: '{}' given; allowed: {}", name, text, known->allowed()));
        if (value || known == nullptr) values[name] = value.value_or(0);
    }
    return values;
}

namespace {

bool is_mechanical(const std::string& id)
{
    const std::string name = formulation_parameters(0).front().name;
    return std::ranges::any_of(contained_problem_parameters(id), [&name](const parameter& p) { return p.name == name; });
}

/// The parameters that --set and --formulation ask for.
std::map<std::string, std::string> read_parameters(const std::string& id, const run_options& o, reader& read)
{
    auto parameters = read.pairs("--set", o.set);
    if (o.formulation.empty()) return parameters;
    const auto kind = read.choice<formulation_kind>("--formulation", o.formulation, formulation_from_label, formulations_allowed);
    if (!kind) return parameters;
    if (!is_mechanical(id)) {
        auto systems = problem_ids();
        std::erase_if(systems, [](const std::string& other) { return !is_mechanical(other); });
        read.fault(fmt::format("--formulation: '{}' given for {}; allowed for mechanical systems: {}, and plug-ins that are one", o.formulation, id,
                               joined(systems, ", ")));
        return parameters;
    }
    for (const auto& [name, value] : parameters_of(*kind))
        if (!parameters.emplace(name, value).second)
            read.fault(fmt::format("--set {}: given together with --formulation; allowed: one of them", name));
    return parameters;
}

} // namespace

problem in_asked_form(problem p, const std::string& asked, reader& read)
{
    const auto wanted = asked.empty() ? std::nullopt : read.choice<form>("--form", asked, form_from_label, "ode, dae, ide");
    if (!wanted) return p;
    try {
        return in_form(p, *wanted);
    } catch (const bad_request& e) {
        read.fault(std::string("--") + e.what());
        return p;
    }
}

problem read_problem(const std::string& id, const run_options& o, reader& read, std::string& content)
{
    const auto file = content_when_opened::of_problem(id);
    const auto typed = o.settings.find("tend"); // what is wrong with it read_settings says
    const auto tend = typed != o.settings.end() && typed->second ? parse_real(*typed->second) : std::nullopt;
    problem p = with_made_reference(open_contained_problem(id, read_parameters(id, o, read)), {id, tend});
    std::vector<std::string> start;
    for (const auto& list : o.y0)
        for (auto& pair : split(list, ',')) start.push_back(std::move(pair));
    if (!start.empty())
        if (auto changed = read.attempt([&] { return with_start(p, contained_problem_parameters(id), read.pairs("--y0", start)); }))
            p = std::move(*changed);
    content = file.confirmed();
    return in_asked_form(std::move(p), o.form, read);
}

run_options with_values(run_options o, const std::map<std::string, std::string>& values)
{
    o.set.clear();
    for (const auto& [name, value] : values) o.set.push_back(name + "=" + value);
    return o;
}

std::string command_of(const std::string& problem, const std::string& solver, const run_options& o, const run_settings& s)
{
    std::string text = fmt::format("ivp run {} {}", shell_word(problem), shell_word(solver));
    if (!o.form.empty()) text += " --form " + shell_word(o.form);
    if (!o.formulation.empty()) text += " --formulation " + shell_word(o.formulation);
    if (o.boundary != "own") text += " --boundary " + shell_word(o.boundary);
    for (const auto& pair : o.set) text += " --set " + shell_word(pair);
    for (const auto& pair : o.y0) text += " --y0 " + shell_word(pair);
    return text + command_line_of(s);
}

} // namespace ivp::cli
