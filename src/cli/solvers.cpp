#include "solvers.hpp"

#include "catalog/content.hpp"
#include "catalog/foreign.hpp"
#include "drivers/plugin.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ivp::cli {

std::vector<named_solver> read_solvers(const std::string& list, reader& read)
{
    std::vector<named_solver> solvers;
    for (const auto& word : split_names(list)) {
        const auto content = content_when_opened::of_solver(word);
        auto s = read.attempt([&word] { return open_contained_solver(word); });
        if (!s) continue;
        const std::string name = full_name((*s)->info().name, (*s)->info().origin);
        if (std::ranges::any_of(solvers, [&name](const named_solver& n) { return n.name() == name; }))
            read.fault(fmt::format(
                "--solvers: '{}' given; allowed: each solver once, and another one is called '{}' too; label=./path.so gives a plug-in another name",
                word, name));
        else
            solvers.push_back({word, std::move(*s), content.confirmed()});
    }
    return solvers;
}

void set_boundary(const std::string& boundary, std::vector<named_solver>& solvers, reader& read)
{
    if (boundary == "own") return;
    if (boundary != "plug-in") return read.fault(fmt::format("--boundary: '{}' given; allowed: own, plug-in", boundary));
    for (auto& s : solvers)
        if (!names_a_file(s.typed)) s.solver = behind_plugin_boundary(std::move(s.solver));
}

std::map<std::string, double> options_of(const solver_info& info, const option_texts& given, const std::vector<named_solver>& solvers, reader& read)
{
    const auto has = [](const solver_info& i, const std::string& name) { return find_option(i.options, name) != nullptr; };
    option_texts own;
    for (const auto& option : given) {
        const std::string& name = option.first;
        const bool known = std::ranges::any_of(solvers, [&](const named_solver& s) { return has(s.solver->info(), name); });
        if (!known || has(info, name)) own.insert(option);
    }
    return read_solver_options(own, info, read);
}

} // namespace ivp::cli
