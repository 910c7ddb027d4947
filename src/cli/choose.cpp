#include "choose/choose.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "catalog/content.hpp"
#include "commands.hpp"
#include "early_end.hpp"
#include "progress.hpp"
#include "report/choice.hpp"
#include "run/left_out.hpp"
#include "run_options.hpp"
#include "solvers.hpp"
#include "store/keep.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <stdexcept>

namespace ivp::cli {

namespace {

struct choose_arguments : command {
    choose_arguments()
        : command(
              "choose", "Find the fastest solver, and its tolerance, for a problem and a number of digits",
              "ivp tries every solver that can take the problem, and names the fastest that delivers the digits. It measures digits against tight "
              "runs of two different methods that agree. It does not use the reference solution of the catalog, so a problem needs none.\n"
              "Exit codes: 0 an answer, 1 no solver delivers the digits (or not within the time), 2 wrong use, 3 missing component.")
    {}

    text problem = word("problem", a_problem, a_problem_missing);
    optional_text digits = option("--digits", "Correct digits wanted at the end, 1 to 11; default 4");
    optional_text budget = option("--budget", "Wall-clock seconds for everything; default 20");
    optional_text solvers = option("--solvers", "Choose among these only: names or paths of plug-ins, separated by commas");
    optional_text floor = option("--floor", "Size below which a component no longer matters, or one for each component separated by commas: digits "
                                            "are those of\n|error| / (floor + |y|), and atol is floor * rtol; default: the problem's protocol");
    run_options options{*this, run_options::extent::problem};
    optional_text db = option("--db", "Keep each solver's best run in this store too, for 'ivp report'; created if it does not exist");
    text format = option("--format", "text, json", "text");
};

constexpr double least_digits = 1, most_digits = 11; // above, double precision leaves no room for a tighter run to check with
constexpr double least_budget_s = 0.1, most_budget_s = 1e6;

std::vector<double> read_floor(const std::optional<std::string>& text, const std::optional<problem>& p, reader& read)
{
    if (!text) return {};
    auto floor = read.reals("--floor", *text);
    if (std::ranges::any_of(floor, [](double v) { return v <= 0; })) read.fault(fmt::format("--floor: '{}' given; allowed: numbers above 0", *text));
    if (p && floor.size() > 1 && floor.size() != static_cast<std::size_t>(p->n()))
        read.fault(fmt::format("--floor: {} numbers given; allowed for {}: one, or {}", floor.size(), p->id(), p->n()));
    return floor;
}

struct line_up {
    std::vector<named_solver> solvers; ///< owns them
    std::vector<choice_member> members;
    std::vector<left_out_solver> left_out;
};

class recruiter {
public:
    recruiter(const choose_arguments& a, const problem& p, const run_settings& settings) : a_(a), p_(p), settings_(settings) {}

    /// Named by the user.
    void candidate(named_solver s)
    {
        if (!left_out(s, true)) add(std::move(s), true);
    }

    /// From the catalog: whoever can.
    void volunteer(const std::string& name, bool candidate)
    {
        if (std::ranges::any_of(team_.solvers, [&name](const named_solver& n) { return n.name() == name; })) return;
        named_solver s{name, open_solver(name), solver_content(name)};
        if (!left_out(s, candidate)) add(std::move(s), candidate);
    }

    line_up take() { return std::move(team_); }

private:
    /// Whether it cannot take the problem; the reasons are noted for a candidate.
    bool left_out(const named_solver& s, bool candidate)
    {
        const auto reasons = reasons_to_leave_out(s.solver->info(), p_, settings_, std::array{settings_.rtol});
        if (candidate)
            for (const auto& why : reasons) team_.left_out.push_back({s.name(), why, true});
        return !reasons.empty();
    }

    void add(named_solver s, bool candidate)
    {
        contestant c{s.solver.get(), settings_};
        c.settings.command = command_of(a_.problem, s.typed, a_.options, settings_);
        team_.members.push_back({std::move(c), candidate});
        team_.solvers.push_back(std::move(s));
    }

    const choose_arguments& a_;
    const problem& p_;
    const run_settings& settings_;
    line_up team_;
};

/// Our own and those of libraries. Beside solvers that the user names they only help to find a reference.
void recruit_catalog(recruiter& r, bool candidates, std::vector<left_out_solver>& unavailable)
{
    for (const auto& name : solver_names()) r.volunteer(name, candidates);
    for (const auto& s : library_solvers()) {
        if (s.available)
            r.volunteer(s.name, candidates);
        else if (candidates)
            unavailable.push_back({s.name, s.library + " was not installed when ivp was built", false});
    }
}

/// The choice does not look at the problem's own reference; the store does.
void keep(const kept_runs& store, const choice& result, const problem& p, const line_up& team, const std::string& content)
{
    for (const auto& c : result.candidates) {
        if (!c.run) continue;
        const auto member = std::ranges::find_if(team.solvers, [&c](const named_solver& s) { return s.name() == c.solver; });
        if (member == team.solvers.end()) throw std::logic_error("a result of '" + c.solver + "', which is none of the solvers tried");
        run_settings settings = team.members[static_cast<std::size_t>(member - team.solvers.begin())].run.settings;
        settings.rtol = c.rtol;
        settings.repeat = c.run->repeats;
        run_record r = *c.run;
        judge(r, p);
        store.keep(r, settings, {content, member->content});
    }
}

int choose(const choose_arguments& a)
{
    reader read;
    const text_format f = read.format(a.format, {"text", "json"});
    choice_request request;
    request.digits = read.within("--digits", a.digits, least_digits, most_digits).value_or(request.digits);
    request.budget_s = read.within("--budget", a.budget, least_budget_s, most_budget_s).value_or(request.budget_s);
    const auto settings = read_settings(a.options, read);
    std::string content;
    const auto p = read.attempt([&] { return read_problem(a.problem, a.options, read, content); });
    request.floor = read_floor(a.floor, p, read);
    auto named = a.solvers ? read_solvers(*a.solvers, read) : std::vector<named_solver>{};
    if (!p) read.raise();

    recruiter recruits(a, *p, settings);
    for (auto& s : named) recruits.candidate(std::move(s));
    read.raise();
    std::vector<left_out_solver> left_out;
    recruit_catalog(recruits, !a.solvers, left_out);
    const line_up team = recruits.take();
    left_out.insert(left_out.begin(), team.left_out.begin(), team.left_out.end());
    if (std::ranges::none_of(team.members, &choice_member::candidate))
        for (const auto& l : left_out) read.fault(l.why);
    read.raise();

    request.contained.emplace().output = child_output::to_standard_error;
    std::optional<kept_runs> kept;
    if (a.db) kept.emplace(*a.db, "choose");
    late_faults late;
    early_end end(late);
    request.stop = end.stop();
    request.broken = end.taker();
    progress_line progress("choosing");
    request.progress = [&progress](const std::string& what) { progress.next(what); };
    const choice result = choose_solver(*p, team.members, request);
    progress.finish();
    std::cout << (f == text_format::json ? choice_json(result, left_out) : choice_text(result, left_out));
    std::cout.flush();
    if (kept) late.attempt([&] { keep(*kept, result, *p, team, content); });
    if (result.stopped) tell("ivp: {}; this is what the complete runs say\n", end.in_words());
    late.raise();
    if (result.stopped) return not_successful;
    return result.answer() != nullptr ? done : not_successful;
}

} // namespace

std::unique_ptr<command> choose_command() { return make_command(choose); }

} // namespace ivp::cli
