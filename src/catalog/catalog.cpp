#include <ivp/catalog.hpp>

#include <ivp/mechanics.hpp>

#include "base/text.hpp"
#include "catalog/problem_sets.hpp"
#include "drivers/drivers.hpp"
#include "drivers/fortran.hpp"
#include "drivers/plugin.hpp"
#include "solvers/solvers.hpp"
#include "text/text_problem.hpp"

#include <algorithm>
#include <array>

namespace ivp {

namespace problems {
#define IVP_PROBLEM(id)                                                 \
    problem make_##id(const std::map<std::string, std::string>& given); \
    std::vector<parameter> parameters_of_##id();
#define IVP_DETEST(set, group, number) IVP_PROBLEM(detest_##set##_##group##number)
#define IVP_SIZED(id) IVP_PROBLEM(id)
#include "problems.def"
#undef IVP_SIZED
#undef IVP_DETEST
#undef IVP_PROBLEM
#define IVP_MECHANICAL(id) mechanical_system system_of_##id(const std::map<std::string, std::string>& given);
#include "mechanics.def"
#undef IVP_MECHANICAL
} // namespace problems

// A library that was not installed when ivp was built leaves its solvers in the list, without a way to make them.
#if IVP_WITH_SUNDIALS
#define IVP_MAKER_sundials(function) sundials::function
#else
#define IVP_MAKER_sundials(function) nullptr
#endif
#define IVP_NEEDED_sundials "SUNDIALS (Debian: libsundials-dev)"
#if IVP_WITH_ODEINT
#define IVP_MAKER_odeint(function) odeint::function
#else
#define IVP_MAKER_odeint(function) nullptr
#endif
#define IVP_NEEDED_odeint "Boost.odeint (Debian: libboost-dev)"
#if IVP_WITH_PETSC
#define IVP_MAKER_petsc(function) petsc::function
#else
#define IVP_MAKER_petsc(function) nullptr
#endif
#define IVP_NEEDED_petsc "PETSc (Debian: petsc-dev; configure with -DIVP_PETSC=ON)"

namespace {

struct problem_entry {
    problem_set set;
    std::string_view id;
    problem (*make)(const std::map<std::string, std::string>& given);
    std::vector<parameter> (*parameters)();
};

struct solver_entry {
    std::string_view name;
    std::unique_ptr<const solver> (*make)();
};

struct driver_entry {
    std::string_view name;
    std::string_view library;
    std::unique_ptr<const solver> (*make)(); ///< null: the library is not there
};

constexpr std::array problem_list{
#define IVP_ENTRY(set, id, name) problem_entry{problem_set::set, id, problems::make_##name, problems::parameters_of_##name},
#define IVP_PROBLEM(id) IVP_ENTRY(test_set, #id, id)
#define IVP_DETEST(set, group, number) IVP_ENTRY(detest, "detest-" #set "-" #group #number, detest_##set##_##group##number)
#define IVP_SIZED(id) IVP_ENTRY(sized, #id, id)
#include "problems.def"
#undef IVP_SIZED
#undef IVP_DETEST
#undef IVP_PROBLEM
#undef IVP_ENTRY
};

/// Problems that are mechanical systems.
struct system_entry {
    std::string_view id;
    mechanical_system (*make)(const std::map<std::string, std::string>& given);
};
constexpr std::array system_list{
#define IVP_MECHANICAL(id) system_entry{#id, problems::system_of_##id},
#include "mechanics.def"
#undef IVP_MECHANICAL
};

const system_entry* find_system(std::string_view id)
{
    const auto* const it = std::find_if(system_list.begin(), system_list.end(), [id](const system_entry& e) { return e.id == id; });
    return it == system_list.end() ? nullptr : &*it;
}

constexpr std::array solver_list{
#define IVP_SOLVER(name) solver_entry{#name, solvers::make_##name},
#include "solvers/solvers.def"
#undef IVP_SOLVER
};

constexpr std::array driver_list{
#define IVP_DRIVER(library, function, name) driver_entry{name, IVP_NEEDED_##library, IVP_MAKER_##library(function)},
#include "drivers/drivers.def"
#undef IVP_DRIVER
};

// Folders and functions cannot have a '-' in their name, solvers can.
std::string public_name(std::string_view folder)
{
    std::string name(folder);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

const problem_entry& find_problem(std::string_view id)
{
    const auto* const it = std::find_if(problem_list.begin(), problem_list.end(), [id](const problem_entry& e) { return e.id == id; });
    if (it != problem_list.end()) return *it;
    throw bad_request("unknown problem '" + std::string(id) + "'; 'ivp list problems' shows all" + nearest_name_hint(id, problem_ids()));
}

void refuse_fortran_solver(std::string_view name)
{
    if (names_fortran_file(name))
        throw bad_request("'" + std::string(name) + "' is a Fortran file; allowed: a problem. A solver becomes a plug-in first (docs/fortran.md)");
}

/// The original's programs knew by the name of a problem which components count for the digits and how its diagrams were made; a file does not say.
void follow_the_protocol(problem_info& info)
{
    const auto* const it = std::find_if(problem_list.begin(), problem_list.end(), [&info](const problem_entry& e) {
        return e.id == info.id || (e.id == "chemakzo_dae" && info.id == "chemakzo");
    });
    if (it == problem_list.end()) return;
    const problem ours = it->make({});
    if (ours.n() != info.n || ours.info().form != info.form) return;
    info.accuracy = ours.info().accuracy;
    auto protocol = ours.info().protocol;
    protocol.vector_rule = info.protocol.vector_rule;
    protocol.published_jacobian = info.protocol.published_jacobian;
    info.protocol = std::move(protocol);
}

} // namespace

bool names_a_file(std::string_view name)
{
    return name.find('/') != std::string_view::npos || name.ends_with(".so") || name.find(".so:") != std::string_view::npos ||
           names_fortran_file(name) || names_a_text(name);
}

bool is_foreign(std::string_view name) { return names_a_file(name) && !names_a_text(name); }

std::vector<std::string> problem_ids()
{
    std::vector<std::string> ids;
    for (const auto& e : problem_list) ids.emplace_back(e.id);
    return ids;
}

std::vector<std::string> problem_ids(problem_set set)
{
    std::vector<std::string> ids;
    for (const auto& e : problem_list)
        if (e.set == set) ids.emplace_back(e.id);
    return ids;
}

std::vector<std::string> solver_names()
{
    std::vector<std::string> names;
    for (const auto& e : solver_list) names.push_back(public_name(e.name));
    return names;
}

std::vector<library_solver> library_solvers()
{
    std::vector<library_solver> all;
    for (const auto& e : driver_list) all.push_back({std::string(e.name), std::string(e.library), e.make != nullptr});
    return all;
}

std::vector<parameter> problem_parameters(std::string_view id)
{
    if (names_fortran_file(id)) return {};
    if (names_a_text(id)) return text_problem_parameters(std::string(id));
    if (names_a_file(id)) return plugin_problem_parameters(std::string(id));
    auto all = find_problem(id).parameters();
    if (find_system(id) != nullptr)
        for (auto& p : formulation_parameters(0)) all.push_back(std::move(p));
    return all;
}

problem open_problem(std::string_view id, const std::map<std::string, std::string>& parameters)
{
    if (names_fortran_file(id)) {
        (void)parameter_values({}, parameters); // a file has none
        return load_fortran_problem(std::string(id), follow_the_protocol);
    }
    if (names_a_text(id)) return load_text_problem(std::string(id), parameters);
    if (names_a_file(id)) return load_plugin_problem(std::string(id), parameters);
    const problem_entry& entry = find_problem(id);
    const system_entry* const system = find_system(id);
    if (system == nullptr) return entry.make(parameters);
    (void)parameter_values(problem_parameters(id), parameters); // every fault at once
    const auto formulation = formulation_of(parameters);
    problem written = entry.make(without_formulation(parameters));
    if (!formulation) return written;
    const problem p = system->make(parameters).as_problem(*formulation).with_chapter(written.chapter());
    return written.reference() ? p.with_reference(*written.reference()) : p;
}

problem open_fast_problem(std::string_view id, const std::map<std::string, std::string>& parameters)
{
    if (names_a_text(id)) return load_text_problem(std::string(id), parameters, text_evaluation::compiled);
    return open_problem(id, parameters);
}

std::unique_ptr<const solver> open_solver(std::string_view name_or_path)
{
    refuse_fortran_solver(name_or_path);
    if (names_a_file(name_or_path)) return load_plugin_solver(std::string(name_or_path));
    for (const auto& e : solver_list)
        if (public_name(e.name) == name_or_path) return e.make();
    for (const auto& e : driver_list) {
        if (e.name != name_or_path) continue;
        if (e.make == nullptr)
            throw missing_component("solver '" + std::string(e.name) + "' needs " + std::string(e.library) +
                                    ", which was not installed when ivp was built: install it and build again");
        return e.make();
    }
    std::vector<std::string> names = solver_names();
    for (const auto& e : driver_list) names.emplace_back(e.name);
    throw bad_request("unknown solver '" + std::string(name_or_path) + "'; 'ivp list solvers' shows all, a plug-in is given by its path" +
                      nearest_name_hint(name_or_path, names));
}

} // namespace ivp
