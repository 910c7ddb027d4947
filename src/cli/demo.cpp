#include "base/output_file.hpp"
#include "campaign/campaign.hpp"
#include "commands.hpp"
#include "interruption.hpp"
#include "progress.hpp"
#include "reading.hpp"
#include "report.hpp"
#include "report/table.hpp"
#include "terminal.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace ivp::cli {

namespace {

struct demo_arguments : command {
    demo_arguments() : command("demo", "Run several problems with solvers of every family at three tolerances (under a minute)") {}

    text directory = option("--dir", "Folder for the results", "ivp-demo");
};

/// The example plug-in, where it was built: beside the tool or in the build folder's examples.
std::optional<std::string> example_plugin()
{
    std::error_code ignored;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto example = self.parent_path().parent_path() / "examples" / "rosenbrock.so";
    if (!std::filesystem::exists(example, ignored)) return std::nullopt;
    return example.string();
}

/// One of every form and structure, each quick to solve.
constexpr std::array demo_problems{"hires", "rober", "vdpol", "medakzo", "plei", "chemakzo_dae", "transamp", "caraxis", "nand"};
/// One of every family; explicit ones only where the problem is not stiff.
constexpr std::array demo_solvers{"radau5", "pside", "rodas", "dassl", "vode", "bimd"};
constexpr auto explicit_solver = "dopri5";
/// The example plug-in has full matrices only: the 400 equations of this one would take it longer than everything else together.
constexpr auto large_problem = "medakzo";

constexpr double longest_run_s = 5; // no single run may eat up the minute a demonstration has

bool is_stiff(const problem& p) { return std::ranges::find(p.info().tags, "stiff") != p.info().tags.end(); }

campaign_plan demo_plan(std::vector<std::string>& left_out)
{
    plan_grid grid;
    grid.settings.timeout_s = longest_run_s;
    grid.settings.min_time_s = 0.01; // a fifth of what a campaign takes for each run
    grid.rtol = {1e-4, 1e-6, 1e-7, 1e-8, 1e-10};
    grid.where = "demo";
    plan_grid explicit_grid = grid;
    plan_grid plugin_grid = grid;
    for (const char* const name : demo_solvers) grid.solvers.push_back({name, {}});
    explicit_grid.solvers = {{explicit_solver, {}}};
    if (const auto file = example_plugin()) {
        plugin_grid.solvers = {{*file, {}}};
        left_out.push_back(fmt::format("rosenbrock, the example plug-in, has full matrices only: too slow for {}", large_problem));
    }
    for (const std::string_view id : demo_problems) {
        grid.problems.emplace_back(id);
        if (id != large_problem) plugin_grid.problems.emplace_back(id);
        if (is_stiff(open_problem(id)))
            left_out.push_back(fmt::format("{} needs very many steps for {}, which is stiff", explicit_solver, id));
        else
            explicit_grid.problems.emplace_back(id);
    }
    std::vector<plan_grid> grids{grid, explicit_grid};
    if (!plugin_grid.solvers.empty()) grids.push_back(plugin_grid);
    return {"demo", std::move(grids)};
}

/// In the order of the lists above, loosest tolerance first.
std::vector<run_record> in_order(const std::vector<stored_run>& runs)
{
    const auto place = [](const run_record& r) {
        const auto problem = std::ranges::find(demo_problems, r.problem) - demo_problems.begin();
        const auto solver = std::ranges::find(demo_solvers, r.solver) - demo_solvers.begin();
        return std::tuple(problem, solver, r.solver, -r.ladder_rtol());
    };
    std::vector<run_record> records;
    for (const auto& r : runs) records.push_back(r.record);
    std::ranges::sort(records, {}, place);
    return records;
}

/// The tolerances of the published tables; the others are in the report.
bool is_tabulated(const run_record& r)
{
    return std::ranges::any_of(std::array{1e-4, 1e-7, 1e-10}, [&r](double rtol) { return same_tolerance(r.ladder_rtol(), rtol); });
}

int demo(const demo_arguments& a)
{
    std::error_code error;
    std::filesystem::create_directories(a.directory, error);
    if (error) throw bad_request("demo: cannot make the folder '" + a.directory + "': " + error.message());
    const std::string db = a.directory + "/ivp.db";
    const std::string page = a.directory + "/report.html";
    const interruption interrupted;
    output_file::try_out(page, "demo", file_marks::html);
    output_file records_file(a.directory + "/records.jsonl", "demo", file_marks::json_lines);
    output_file table_file(a.directory + "/characteristics.txt", "demo", file_marks::characteristics);

    std::vector<std::string> left_out;
    const ivp::campaign c(demo_plan(left_out));
    for (const auto& out : c.left_out()) left_out.push_back(out.why);
    campaign_options options;
    options.jobs = usable_cores();
    options.stop = [&interrupted] { return interrupted(); };
    std::optional<progress_line> progress;
    options.progress = [&progress](const campaign_progress& p) {
        if (!progress) progress.emplace("running", p.total);
        if (p.last != nullptr) progress->next(fmt::format("{} with {} at {:.0e}", p.last->problem, p.last->solver, p.last->ladder_rtol()));
    };
    const campaign_summary summary = run_campaign(c, db, options);
    progress.reset();
    if (summary.stopped) {
        tell("ivp: interrupted; {} of {} runs are in {}, and the same command makes the others\n", summary.stored_before + summary.made,
             summary.total, db);
        return not_successful;
    }

    const auto records = in_order(store(db, store::access::read).runs({.campaign = c.name()}));
    std::vector<run_record> shown;
    std::ranges::copy_if(records, std::back_inserter(shown), is_tabulated);
    const std::string text = characteristics_table(shown);
    std::cout << text;
    if (!left_out.empty()) {
        std::cout << "\nNot run:\n";
        for (const auto& why : left_out) std::cout << "   " << why << '\n';
    }
    for (const auto& r : records) records_file.stream() << to_json(r) << '\n';
    table_file.stream() << text;
    table_file.commit();
    records_file.commit();
    const auto plugin = example_plugin();
    (void)write_report({.database = db, .out = page, .latex = {}, .plugins = plugin ? std::vector{*plugin} : std::vector<std::string>{}});

    const std::string tool = tool_as_typed();
    fmt::print("\n{0} runs; the table is in {1}/characteristics.txt, all numbers of every run in {1}/records.jsonl and in the store {1}/ivp.db\n"
               "Next: '{2} list problems', '{2} show hires', '{2} run hires radau5 --rtol 1e-6 --atol 1e-6'\n"
               "\nThe report, for a browser: {3}\n",
               records.size(), a.directory, tool, std::filesystem::absolute(page).string());
    return done;
}

} // namespace

std::unique_ptr<command> demo_command() { return make_command(demo); }

} // namespace ivp::cli
