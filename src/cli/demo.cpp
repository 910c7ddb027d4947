#include "commands.hpp"
#include "progress.hpp"
#include "reading.hpp"

#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/run.hpp>
#include <ivp/report/output_file.hpp>
#include <ivp/report/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

namespace ivp::cli {

namespace {

/// One of every family, and the example plug-in, where it was built: beside the tool or in the build folder's examples.
std::vector<std::string> demo_solvers()
{
    std::vector<std::string> solvers{"radau5", "pside", "rodas", "dassl", "vode", "dopri5"};
    std::error_code ignored;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto example = self.parent_path().parent_path() / "examples" / "rosenbrock.so";
    if (std::filesystem::exists(example, ignored)) solvers.push_back(example.string());
    return solvers;
}

struct planned_run {
    std::string problem;
    std::string solver;
    double rtol;
};

/// One of every form and structure, each quick to solve.
constexpr std::array demo_problems{"hires", "rober", "vdpol", "medakzo", "plei", "chemakzo_dae", "transamp", "caraxis", "nand"};

std::vector<planned_run> plan(const std::vector<std::string>& solvers)
{
    std::vector<planned_run> runs;
    for (const char* const id : demo_problems)
        for (const auto& name : solvers)
            for (const double rtol : {1e-4, 1e-7, 1e-10}) runs.push_back({id, name, rtol});
    return runs;
}

/// Why a run would show nothing, in a sentence.
std::optional<std::string> pointless(const solver_info& s, const problem& p)
{
    const auto& tags = p.info().tags;
    if (s.implicit || std::find(tags.begin(), tags.end(), "stiff") == tags.end()) return std::nullopt;
    return s.name + " needs very many steps for " + p.id() + ", which is stiff";
}

constexpr double longest_run_s = 5; // no single run may eat up the minute a demonstration has

} // namespace

int demo(const demo_arguments& a)
{
    std::error_code error;
    std::filesystem::create_directories(a.directory, error);
    if (error) throw bad_request("demo: cannot make the folder '" + a.directory + "': " + error.message());
    output_file records(a.directory + "/records.jsonl", "demo");
    output_file table(a.directory + "/characteristics.txt", "demo");

    const auto solvers = demo_solvers();
    const auto runs = plan(solvers);
    progress_line progress("running", runs.size());
    std::vector<run_record> results;
    std::vector<std::string> left_out;
    for (const auto& r : runs) {
        const problem p = open_problem(r.problem);
        const auto s = open_solver(r.solver);
        progress.next(fmt::format("{} with {} at {:.0e}", r.problem, s->info().name, r.rtol));
        auto why = s->info().refusal(p);
        if (!why) why = pointless(s->info(), p);
        if (why) {
            if (left_out.empty() || left_out.back() != *why) left_out.push_back(*why);
            continue;
        }
        run_settings settings;
        settings.rtol = r.rtol;
        settings.timeout_s = longest_run_s;
        settings.command = fmt::format("ivp run {} {} --rtol {} --timeout {}", r.problem, r.solver, to_text(r.rtol), longest_run_s);
        results.push_back(measure_run(p, *s, settings));
        records.stream() << to_json(results.back()) << '\n';
    }
    progress.finish();

    const std::string text = characteristics_table(results);
    std::cout << text;
    if (!left_out.empty()) {
        std::cout << "\nNot run:\n";
        for (const auto& why : left_out) std::cout << "   " << why << '\n';
    }
    table.stream() << text;
    table.commit();
    records.commit();
    const std::string tool = tool_as_typed();
    fmt::print("\n{0} runs; the table is in {1}/characteristics.txt, all numbers of every run in {1}/records.jsonl\n"
               "Next: '{2} list problems', '{2} show hires', '{2} run hires radau5 --rtol 1e-6 --atol 1e-6'\n",
               results.size(), a.directory, tool);
    return done;
}

} // namespace ivp::cli
