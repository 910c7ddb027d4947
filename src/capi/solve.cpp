// The C interface, second part: solvers, runs and their solutions, stores.
#include "base/escape.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "catalog/content.hpp"
#include "choose/choose.hpp"
#include "drivers/plugin.hpp"
#include "kept_solution.hpp"
#include "reference/derive.hpp"
#include "report/catalog_view.hpp"
#include "report/choice.hpp"
#include "run/left_out.hpp"
#include "run/work_precision.hpp"
#include "session.hpp"
#include "store/import.hpp"
#include "store/keep.hpp"
#include "store/store_file.hpp"

#include <ivp/catalog.hpp>
#include <ivp/store.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <sstream>

using namespace ivp;
using namespace ivp::capi;

namespace {

struct opened_solver {
    std::unique_ptr<const solver> s;
    std::string typed;   ///< empty: a solver of the program
    std::string content; ///< when it was opened; empty: of the program
    /// Our own solvers have no state; libraries may.
    [[nodiscard]] std::unique_lock<std::recursive_mutex> taken() const
    {
        return s->info().origin == "own" || typed.empty() ? std::unique_lock<std::recursive_mutex>() : std::unique_lock(one_at_a_time);
    }

private:
    mutable std::recursive_mutex one_at_a_time;
};

struct opened_solution {
    run_record record;
    std::string json;
    run_settings settings;
    run_contents contents; ///< when they were opened; empty: of the program
    std::optional<kept_solution> kept;
};

} // namespace

struct ivp_solver : handle<opened_solver> {};
struct ivp_solution : handle<opened_solution> {};

namespace {

std::shared_ptr<opened_solver> opened_by(const ivp_solver* solver) { return held<opened_solver>(solver, "solver").released(); }
std::shared_ptr<opened_solution> opened_by(const ivp_solution* solution) { return held<opened_solution>(solution, "solution").released(); }

/// What repeats the run on a command line; empty where a part of it is the program's own.
std::string command_of(const opened_test& t, const opened_solver& s, const run_settings& settings)
{
    if (t.typed.empty() || s.typed.empty()) return {};
    std::string text = "ivp run " + shell_word(t.typed) + " " + shell_word(s.typed);
    if (t.form != 0) text += std::string(" --form ") + std::string(label(t.p.info().form));
    for (const auto& [name, value] : t.p.parameters().changed()) text += " --set " + shell_word(name + "=" + value);
    return text + command_line_of(settings);
}

std::string tolerance_options(const run_settings& s)
{
    std::string text = " --rtol " + to_text(s.rtol);
    for (std::size_t i = 0; i < s.atol.size(); ++i) text += (i == 0 ? " --atol " : ",") + to_text(s.atol[i]);
    return text;
}

/// A run of the program's own enters a store as records of other programs do.
void keep_in(const std::string& db, const run_record& r, const run_settings& settings, const run_contents& contents)
{
    if (!contents.problem.empty() && !contents.solver.empty()) return kept_runs(db, "program").keep(r, settings, contents);
    std::istringstream line(to_json(r));
    (void)import_records(line, "the record", db);
}

json to_json_value(const query_value& v)
{
    if (const auto* const whole = std::get_if<std::int64_t>(&v)) return *whole;
    if (const auto* const real = std::get_if<double>(&v)) return json_number(*real);
    if (const auto* const text = std::get_if<std::string>(&v)) return *text;
    return {};
}

nlohmann::json to_json_value(const reference_values& r)
{
    nlohmann::json components = nlohmann::json::array();
    for (std::size_t i = 0; i < r.value.size(); ++i)
        components.push_back({{"index", i + 1}, {"value", r.value[i].text()}, {"digits", r.digits[i]}, {"kind", label(r.kind[i])}});
    return {{"t", r.t.value()}, {"components", std::move(components)}};
}

std::vector<decimal> times_of(const problem& p, const double* at, std::int32_t count)
{
    std::vector<decimal> times;
    std::vector<std::string> faults;
    for (std::int32_t k = 0; k < count; ++k) {
        if (!(at[k] > p.info().t0.value() && at[k] <= p.info().tend.value()))
            faults.push_back("at: " + to_text(at[k]) + " given; allowed for " + p.id() + ": times after " + p.info().t0.text() + ", up to " +
                             p.info().tend.text());
        else
            times.emplace_back(at[k]);
    }
    if (!faults.empty()) throw bad_request(std::move(faults));
    if (times.empty()) times.push_back(p.info().tend);
    std::sort(times.begin(), times.end(), [](const decimal& a, const decimal& b) { return a.value() < b.value(); });
    times.erase(std::unique(times.begin(), times.end(), [](const decimal& a, const decimal& b) { return a.value() == b.value(); }), times.end());
    return times;
}

std::vector<reference_values> reference_at(const problem& p, double digits, const double* at, std::int32_t count)
{
    if (digits == 0 && count == 0) {
        const auto stored = stored_reference(p);
        if (!stored) throw bad_request("'" + p.id() + "' has no reference with these settings; digits or times derive one");
        return {*stored};
    }
    if (!p.has_quad()) throw bad_request("'" + p.id() + "' cannot be evaluated in quadruple precision: no reference can be derived");
    derivation_request request;
    request.times = times_of(p, at, count);
    const derivation d = digits == 0 ? derive(p, recipe_of(p), request) : derive_digits(p, digits, request);
    if (const std::string why = d.failure(); !why.empty()) throw bad_request("no reference of " + p.id() + " was found: " + why);
    std::vector<reference_values> all;
    for (const auto& values : d.at) all.push_back(values.rounded());
    return all;
}

/// Who takes part in a choice.
struct line_up {
    std::vector<std::unique_ptr<const solver>> solvers;
    std::vector<choice_member> members;
    std::vector<left_out_solver> left_out;

    void consider(const opened_test& t, const std::string& name, bool candidate)
    {
        if (std::any_of(solvers.begin(), solvers.end(), [&](const auto& s) { return s->info().name == name; })) return;
        opened_solver opened;
        opened.s = open_solver(name);
        opened.typed = name;
        run_settings settings;
        const auto reasons = reasons_to_leave_out(opened.s->info(), t.p, settings, std::array{settings.rtol});
        if (candidate)
            for (const auto& why : reasons) left_out.push_back({name, why, true});
        if (!reasons.empty()) return;
        settings.command = command_of(t, opened, settings);
        members.push_back({{opened.s.get(), settings}, candidate});
        solvers.push_back(std::move(opened.s));
    }
};

std::vector<std::string> solvers_to_run()
{
    std::vector<std::string> all = solver_names();
    for (const auto& s : library_solvers())
        if (s.available) all.push_back(s.name);
    return all;
}

std::vector<std::string> names_in(const std::string& text)
{
    std::vector<std::string> all;
    std::istringstream rest(text);
    for (std::string name; std::getline(rest, name, ',');) all.push_back(name);
    return all;
}

double within(const char* name, double value, double least, double most)
{
    if (value >= least && value <= most) return value;
    throw bad_request(std::string(name) + ": " + to_text(value) + " given; allowed: a number from " + to_text(least) + " to " + to_text(most));
}

} // namespace

extern "C" {

const char* ivp_version(void)
{
    static const std::string version = this_build().version;
    return version.c_str();
}

int32_t ivp_catalog_solver_count(void)
{
    return guarded(0, [] { return static_cast<std::int32_t>(solvers_to_run().size()); });
}

const char* ivp_catalog_solver(int32_t which)
{
    return text_answered([&]() -> const char* {
        static const std::vector<std::string> names = solvers_to_run();
        return which < 0 || which >= static_cast<std::int32_t>(names.size()) ? nullptr : names[static_cast<std::size_t>(which)].c_str();
    });
}

const char* ivp_catalog_settings(void)
{
    return text_answered([&] {
        nlohmann::json all = nlohmann::json::array();
        for (const auto& row : settings_table()) all.push_back({{"name", row.name}, {"option", row.option}, {"help", row.help}});
        return text_answer(all.dump());
    });
}

// ---- Solvers ----

ivp_solver* ivp_solver_open(const char* name)
{
    return guarded(static_cast<ivp_solver*>(nullptr), [&] {
        require({{name, "name"}});
        auto opened = std::make_shared<opened_solver>();
        const auto file = content_when_opened::of_solver(name);
        opened->s = open_solver(name);
        opened->content = file.confirmed();
        opened->typed = name;
        return handle_of<ivp_solver>(std::move(opened));
    });
}

ivp_solver* ivp_solver_make(const ivp_solver_description* description, ivp_solve_function solve, void* data, void (*release)(void* data))
{
    return guarded(static_cast<ivp_solver*>(nullptr), [&] {
        require({{description, "description"}, {reinterpret_cast<const void*>(solve), "solve"}});
        const std::shared_ptr<void> owned(data, [release](void* d) {
            if (release != nullptr) release(d);
        });
        auto opened = std::make_shared<opened_solver>();
        opened->s =
            solver_of("the solver", *description, [owned, solve](const ivp_task* task, ivp_result* result) { solve(owned.get(), task, result); });
        return handle_of<ivp_solver>(std::move(opened));
    });
}

void ivp_solver_close(ivp_solver* solver) { close(solver, "solver"); }

const char* ivp_solver_facts(const ivp_solver* solver)
{
    return text_answered([&] {
        constexpr std::size_t width = 100; // of chapters as text, which JSON has not
        return text_answer(solver_page(*opened_by(solver)->s, text_format::json, width));
    });
}

const char* ivp_solver_refusal(const ivp_solver* solver, const ivp_test* test)
{
    return text_answered([&] {
        const auto s = opened_by(solver);
        const auto t = opened_by(test).released();
        return text_answer(s->s->info().refusal(t->p).value_or(""));
    });
}

// ---- Runs ----

ivp_solution* ivp_solve(const ivp_test* test, const ivp_solver* solver, const ivp_settings* settings, int32_t keep)
{
    return guarded(static_cast<ivp_solution*>(nullptr), [&] {
        const auto t = opened_by(test).released();
        const auto s = opened_by(solver);
        if (keep < IVP_KEEP_END || keep > IVP_KEEP_DENSE)
            throw bad_request("keep: " + std::to_string(keep) + " given; allowed: IVP_KEEP_END, IVP_KEEP_STEPS, IVP_KEEP_DENSE");
        auto result = std::make_shared<opened_solution>();
        result->settings = settings_of(*t, settings, s->s->info());
        if (auto command = command_of(*t, *s, result->settings); !command.empty())
            result->settings.command = command + tolerance_options(result->settings);
        result->contents = {t->content, s->content};
        if (keep != IVP_KEEP_END) result->kept.emplace(t->p, s->s->info(), keep == IVP_KEEP_DENSE);
        const auto lock = s->taken();
        result->record = measure_run(t->p, *s->s, result->settings, result->kept ? &*result->kept : nullptr);
        if (result->kept) result->kept->finish();
        result->json = to_json(result->record);
        return handle_of<ivp_solution>(std::move(result));
    });
}

void ivp_solution_close(ivp_solution* solution) { close(solution, "solution"); }

const char* ivp_solution_record(const ivp_solution* solution)
{
    return text_answered([&] { return opened_by(solution)->json.c_str(); });
}

int64_t ivp_solution_size(const ivp_solution* solution)
{
    return guarded(std::int64_t{IVP_WRONG_USE}, [&] {
        const auto s = opened_by(solution);
        return s->kept ? s->kept->size() : std::int64_t{0};
    });
}

int ivp_solution_points(const ivp_solution* solution, double* t, double* y, int64_t count)
{
    return answered([&] {
        const auto s = opened_by(solution);
        require({{t, "t"}, {y, "y"}});
        const std::int64_t size = s->kept ? s->kept->size() : 0;
        if (count != size)
            throw bad_request("count: " + std::to_string(count) + " given; allowed: " + std::to_string(size) + ", as ivp_solution_size says");
        if (s->kept) s->kept->copy_points(t, y);
        return static_cast<int>(IVP_OK);
    });
}

int ivp_solution_at(const ivp_solution* solution, const double* t, int64_t count, double* y)
{
    return answered([&] {
        const auto s = opened_by(solution);
        if (count < 0) throw bad_request("count: " + std::to_string(count) + " given; allowed: a whole number from 0");
        if (count > 0) require({{t, "t"}, {y, "y"}});
        if (!s->kept) throw bad_request("the run kept nothing of its solution but its end; IVP_KEEP_DENSE keeps more");
        s->kept->evaluate({t, static_cast<std::size_t>(count)}, y);
        return static_cast<int>(IVP_OK);
    });
}

const char* ivp_measure_all(const ivp_test* test, const ivp_solver* const* solvers, int32_t solver_count, const double* rtol, int32_t rtol_count,
                            const ivp_settings* settings, const char* db)
{
    return text_answered([&] {
        const auto t = opened_by(test).released();
        require({{solvers, "solvers"}});
        if (solver_count < 1) throw bad_request("solver_count: " + std::to_string(solver_count) + " given; allowed: a whole number from 1");
        if (rtol != nullptr && rtol_count < 1)
            throw bad_request("rtol_count: " + std::to_string(rtol_count) + " given; allowed: a whole number from 1");
        std::vector<std::shared_ptr<opened_solver>> opened;
        std::vector<contestant> contestants;
        std::vector<std::unique_lock<std::recursive_mutex>> locks;
        for (std::int32_t k = 0; k < solver_count; ++k) {
            const auto& s = opened.emplace_back(opened_by(solvers[k]));
            contestant c{s->s.get(), settings_of(*t, settings, s->s->info())};
            c.settings.command = command_of(*t, *s, c.settings);
            contestants.push_back(std::move(c));
        }
        auto in_order = opened; // of two threads none waits for what the other holds
        std::sort(in_order.begin(), in_order.end());
        for (const auto& s : in_order) locks.push_back(s->taken());
        std::optional<file_in_place> file;
        work_precision_options options;
        options.progress = [&](double) { // every argument has been judged when the first tolerance begins
            if (db != nullptr && !file) make_store(db), file.emplace(db);
        };
        const std::vector<double> rungs = rtol == nullptr ? ladder(t->p) : std::vector<double>(rtol, rtol + rtol_count);
        const auto result = measure_work_precision(t->p, contestants, rungs, options);
        std::string lines;
        for (std::size_t k = 0; k < result.records.size(); ++k) {
            lines += to_json(result.records[k]) + "\n";
            if (!file) continue;
            file->expect();
            run_settings asked = contestants[k % contestants.size()].settings;
            asked.rtol = result.rtol[k / contestants.size()];
            keep_in(db, result.records[k], asked, {t->content, opened[k % contestants.size()]->content});
        }
        return text_answer(std::move(lines));
    });
}

const char* ivp_choose(const ivp_test* test, const char* solvers, double digits, double budget_s)
{
    return text_answered([&] {
        const auto t = opened_by(test).released();
        choice_request request;
        request.digits = within("digits", digits, 1, 11);
        request.budget_s = within("budget_s", budget_s, 0.1, 1e6);
        line_up team;
        if (solvers != nullptr)
            for (const auto& name : names_in(solvers)) team.consider(*t, name, true);
        for (const auto& name : solvers_to_run()) team.consider(*t, name, solvers == nullptr);
        if (std::none_of(team.members.begin(), team.members.end(), [](const choice_member& m) { return m.candidate; })) {
            std::vector<std::string> faults;
            for (const auto& l : team.left_out) faults.push_back(l.why);
            if (faults.empty()) faults.emplace_back("solvers: none given; allowed: names separated by commas");
            throw bad_request(std::move(faults));
        }
        return text_answer(choice_json(choose_solver(t->p, team.members, request), team.left_out));
    });
}

const char* ivp_test_reference(const ivp_test* test, double digits, const double* at, int32_t count)
{
    return text_answered([&] {
        const auto t = opened_by(test).released();
        if (count < 0) throw bad_request("count: " + std::to_string(count) + " given; allowed: a whole number from 0");
        if (count > 0) require({{at, "at"}});
        if (digits != 0) (void)within("digits", digits, 1, 30);
        nlohmann::json tables = nlohmann::json::array();
        for (const auto& values : reference_at(t->p, digits, at, count)) tables.push_back(to_json_value(values));
        return text_answer(nlohmann::json({{"problem", t->p.id()}, {"at", std::move(tables)}}).dump());
    });
}

// ---- Stores ----

int64_t ivp_store_add(const char* db, const char* records)
{
    return guarded(std::int64_t{IVP_WRONG_USE}, [&] {
        require({{db, "db"}, {records, "records"}});
        std::istringstream lines{std::string(records)};
        return static_cast<std::int64_t>(import_records(lines, "records", db).added);
    });
}

int ivp_solution_store(const ivp_solution* solution, const char* db)
{
    return answered([&] {
        const auto s = opened_by(solution);
        require({{db, "db"}});
        keep_in(db, s->record, s->settings, s->contents);
        return static_cast<int>(IVP_OK);
    });
}

const char* ivp_store_records(const char* db)
{
    return text_answered([&] {
        require({{db, "db"}});
        std::string lines;
        store(db, store::access::read).for_each_run({}, [&](const stored_run& r) { lines += to_json(r) + "\n"; });
        return text_answer(std::move(lines));
    });
}

const char* ivp_store_query(const char* db, const char* sql)
{
    return text_answered([&] {
        require({{db, "db"}, {sql, "sql"}});
        json answer{{"columns", json::array()}, {"rows", json::array()}};
        store(db, store::access::read)
            .query(
                sql, [&](const std::vector<std::string>& names) { answer["columns"] = names; },
                [&](const query_row& row) {
                    json& line = answer["rows"].emplace_back(json::array());
                    for (const auto& value : row) line.push_back(to_json_value(value));
                });
        return text_answer(json_text(answer));
    });
}

} // extern "C"
