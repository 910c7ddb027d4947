#include "campaign.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "catalog/content.hpp"
#include "catalog/foreign.hpp"
#include "model/views.hpp"
#include "reference/derive.hpp"
#include "run/left_out.hpp"
#include "run/work_precision.hpp"
#include "store/keep.hpp"

#include <ivp/catalog.hpp>

#include <algorithm>
#include <stdexcept>

namespace ivp {

namespace {

problem opened(const plan_grid& grid, const std::string& typed)
{
    const problem p = with_made_reference(open_contained_problem(typed, grid.parameters), {typed, grid.settings.tend});
    return grid.form ? in_form(p, *grid.form) : p;
}

/// The command that repeats a run.
std::string command_of(const plan_grid& g, const std::string& problem, const plan_solver& solver, const run_settings& s)
{
    std::string text = "ivp run " + shell_word(problem) + " " + shell_word(solver.name) + " --rtol " + to_text(s.rtol);
    if (!s.atol.empty()) text += " --atol " + to_text(s.atol[0]);
    if (g.form) text += " --form " + std::string(label(*g.form));
    for (const auto& [name, value] : g.parameters) text += " --set " + shell_word(name + "=" + value);
    return text + command_line_of(s);
}

} // namespace

campaign::campaign(campaign_plan plan) : plan_(std::move(plan))
{
    for (const auto& grid : plan_.grids)
        for (const auto& typed : grid.problems) add_subject(grid, typed);
    if (groups_ > 0) return;
    std::vector<std::string> reasons{"plan '" + plan_.name + "': none of its runs can be made"};
    for (const auto& out : left_out_) reasons.push_back(out.why);
    throw bad_request(reasons);
}

std::shared_ptr<const solver> campaign::solver_named(const std::string& name)
{
    auto& known = solvers_[name];
    if (!known) {
        const auto file = content_when_opened::of_solver(name);
        known = open_contained_solver(name);
        contents_[name] = file.confirmed();
    }
    return known;
}

void campaign::add_subject(const plan_grid& grid, const std::string& typed)
{
    const auto file = content_when_opened::of_problem(typed);
    subject s{&grid, typed, opened(grid, typed), {}, grid.rtol, {}, groups_};
    s.content = file.confirmed();
    if (s.rtol.empty()) s.rtol = ladder(s.problem);
    for (const auto& planned : grid.solvers) {
        std::optional<std::string> why;
        std::shared_ptr<const solver> solver;
        try {
            solver = solver_named(planned.name);
            run_settings settings = grid.settings;
            settings.special = planned.options;
            if (const auto reasons = reasons_to_leave_out(solver->info(), s.problem, settings); !reasons.empty()) why = joined(reasons, "; ");
        } catch (const missing_component& e) {
            why = e.what();
        }
        if (why)
            left_out_.push_back({s.problem.id(), planned.name, *why});
        else
            s.solvers.push_back({solver, planned, contents_[planned.name]});
    }
    if (s.solvers.empty()) return;
    groups_ += s.rtol.size();
    subjects_.push_back(std::move(s));
}

run_settings campaign::settings_of(const subject& s, const participant& p, double rtol)
{
    run_settings settings = s.grid->settings;
    settings.rtol = rtol;
    settings.special = p.planned.options;
    return settings;
}

campaign_run campaign::run_of(const subject& s, const participant& p, double rtol) const
{
    campaign_run run;
    run.problem = &s.problem;
    run.solver = p.solver.get();
    run.settings = settings_of(s, p, rtol);
    run.settings.command = command_of(*s.grid, s.typed, p.planned, run.settings);
    if (s.grid->memory) run.limits.memory = s.grid->memory;
    run.planned = around(planned_run(s.problem, p.solver->info(), run.settings), run.settings, {s.content, p.content}, plan_.name, s.grid->memory);
    return run;
}

int campaign::most_threads() const
{
    int most = 1;
    for (const auto& grid : plan_.grids) most = std::max(most, grid.settings.threads);
    return most;
}

std::vector<campaign_run> campaign::runs(std::size_t group) const
{
    if (group >= groups_) throw std::out_of_range("group " + std::to_string(group) + " of " + std::to_string(groups_));
    const auto after = std::ranges::upper_bound(subjects_, group, {}, &subject::first_group);
    const subject& s = *std::prev(after);
    std::vector<campaign_run> all;
    for (const auto& p : s.solvers) all.push_back(run_of(s, p, s.rtol[group - s.first_group]));
    return all;
}

} // namespace ivp
