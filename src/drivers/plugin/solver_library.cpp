// Solvers of a shared library, and of this process, as they describe themselves.
#include "library.hpp"
#include "plugin_solver.hpp"

#include "base/text.hpp"

#include <ivp/plugin.h>

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

namespace {

using namespace plugin;

struct solver_path {
    std::string label; ///< its name in tables and records; empty: the solver's own
    std::string file;
    std::string solver; ///< empty: the only one
};

/// "label=./lib.so:name": both parts around the file may be missing, and there is neither where a file has that very name.
solver_path split(const std::string& path)
{
    solver_path parts{"", path, ""};
    const auto is_file = [&parts] {
        std::error_code ignored;
        return std::filesystem::exists(parts.file, ignored);
    };
    if (is_file()) return parts;
    if (const auto equals = path.find('='); equals != std::string::npos) {
        parts.label = path.substr(0, equals);
        parts.file = path.substr(equals + 1);
        const bool named = is_name(parts.label);
        if (is_file() && !named) throw bad_request(fmt::format("'{}': the label '{}' given; allowed: {}", path, parts.label, names_allowed));
        if (is_file()) return parts;
        if (!named) parts = {"", path, ""};
    }
    if (const auto colon = parts.file.rfind(':'); colon != std::string::npos && is_name(std::string_view(parts.file).substr(colon + 1))) {
        parts.solver = parts.file.substr(colon + 1);
        parts.file.resize(colon);
    }
    return parts;
}

constexpr int most_solvers = 1000; // of one library

/// All solvers that the library describes.
std::vector<solver_info> described_by(const library& lib)
{
    auto* const one = lib.symbol<decltype(ivp_solver_describe)>("ivp_solver_describe");
    auto* const number = lib.symbol<decltype(ivp_solver_count)>("ivp_solver_count");
    auto* const nth = lib.symbol<decltype(ivp_solver_describe_nth)>("ivp_solver_describe_nth");
    const bool has_solve = lib.symbol<decltype(ivp_solver_solve)>("ivp_solver_solve") != nullptr;
    if (one == nullptr && nth == nullptr && !has_solve && lib.symbol<decltype(ivp_problem_open)>("ivp_problem_open") != nullptr)
        throw bad_request(lib.label() + " is a problem (it exports ivp_problem_open), not a solver");

    std::vector<std::string> faults;
    const char* const needs = "; a solver plug-in exports ivp_solver_describe and ivp_solver_solve (see ivp/plugin.h)";
    if (one == nullptr && nth == nullptr) faults.push_back(lib.label() + " lacks the function ivp_solver_describe" + needs);
    if (!has_solve) faults.push_back(lib.label() + " lacks the function ivp_solver_solve" + needs);
    if ((number == nullptr) != (nth == nullptr))
        faults.push_back(lib.label() + " has one of the functions ivp_solver_count and ivp_solver_describe_nth without the other (see ivp/plugin.h)");
    const int count = nth != nullptr && number != nullptr ? number() : 1;
    if (count < 1 || count > most_solvers)
        faults.push_back(lib.label() + ": ivp_solver_count returns " + std::to_string(count) + "; allowed: 1 to " + std::to_string(most_solvers));
    if (!faults.empty()) throw bad_request(std::move(faults));

    std::vector<solver_info> all;
    for (int k = 0; k < count; ++k) {
        with_room<ivp_solver_description> description;
        if (nth != nullptr)
            nth(k, &description.value);
        else
            one(&description.value);
        all.push_back(read_description(lib.label(), description.value));
    }
    return all;
}

/// The one that is called so, or whose name ends with '-' and this word.
int find_solver(const library& lib, const std::vector<solver_info>& all, const std::string& wanted)
{
    if (wanted.empty() && all.size() == 1) return 0;
    std::vector<std::string> names;
    std::vector<int> ending;
    for (int k = 0; k < static_cast<int>(all.size()); ++k) {
        if (all[k].name == wanted) return k;
        if (all[k].name.ends_with("-" + wanted) && !wanted.empty()) ending.push_back(k);
        names.push_back(all[k].name);
    }
    if (ending.size() == 1) return ending[0];
    throw bad_request(lib.label() + (wanted.empty() ? " has " + std::to_string(all.size()) + " solvers" : " has no solver '" + wanted + "'") +
                      "; allowed: its path, ':' and one of " + joined(names, ", ") + nearest_name_hint(wanted, names));
}

} // namespace

std::unique_ptr<const solver> load_plugin_solver(const std::string& path)
{
    const solver_path wanted = split(path);
    auto lib = std::make_shared<const library>(wanted.file);
    std::vector<solver_info> all = described_by(*lib);
    const int which = find_solver(*lib, all, wanted.solver);
    solver_info info = std::move(all[which]);
    if (!wanted.label.empty()) info.name = wanted.label;
    auto* const solve = lib->symbol<decltype(ivp_solver_solve)>("ivp_solver_solve");
    return make_plugin_solver(lib->label(), std::move(info), solve, which, lib);
}

std::unique_ptr<const solver> solver_of(const std::string& label, const ivp_solver_description& description, solve_function solve)
{
    solver_info info = read_description(label, description);
    info.origin = "program";
    return make_plugin_solver(label, std::move(info), std::move(solve), 0);
}

std::string file_of_plugin(const std::string& path) { return split(path).file; }

} // namespace ivp
