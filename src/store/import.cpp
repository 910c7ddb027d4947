#include "import.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "columns.hpp"
#include "drivers/plugin/library.hpp"
#include "fingerprint.hpp"
#include "here_and_now.hpp"
#include "merge.hpp"
#include "model/limits.hpp"
#include "model/settings_fields.hpp"
#include "model/views.hpp"
#include "store_file.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/run.hpp>
#include <ivp/store.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <istream>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>

namespace ivp {

namespace {

constexpr std::size_t most_faults = 20; // of a file that is not what it should be

constexpr std::size_t longest_fault = 400;
constexpr std::size_t longest_line = 1U << 28U; // a record of millions of components

/// The beginning of what was given, which may be long.
std::string in_quotes(std::string_view text)
{
    constexpr std::size_t longest = 60;
    return "'" + plain_line(text, longest) + "'";
}

/// A record comes from anywhere: what it names is never opened as a file, whose code would then run here.
problem catalog_problem(const std::string& id, const std::map<std::string, std::string>& parameters = {})
{
    if (!plugin::is_name(id) || names_a_file(id)) throw bad_request("problem: " + in_quotes(id) + " given; allowed: " + plugin::names_allowed);
    return open_problem(id, parameters);
}

/// Problems of the catalog, each opened once.
class opened_problems {
public:
    const problem& get(const run_record& r)
    {
        auto& known = problems_[{r.problem, r.form, r.parameters}];
        if (!known) known = std::make_unique<problem>(in_form(catalog_problem(r.problem, r.parameters), *form_from_label(r.form)));
        return *known;
    }

private:
    std::map<std::tuple<std::string, std::string, std::map<std::string, std::string>>, std::unique_ptr<problem>> problems_;
};

/// What the numbers of a record must be, whoever wrote it.
class record_judge {
public:
    record_judge(run_record& r, opened_problems& problems) : r_(r), problems_(problems) {}

    std::vector<std::string> faults()
    {
        names();
        settings();
        results();
        times();
        if (faults_.empty()) compare_with_catalog();
        return std::move(faults_);
    }

private:
    void expect(bool good, const std::string& field, const std::string& given, const std::string& allowed)
    {
        if (!good) faults_.push_back(field + ": " + given + " given; allowed: " + allowed);
    }

    void names()
    {
        expect(plugin::is_name(r_.problem), "problem", in_quotes(r_.problem), plugin::names_allowed);
        expect(plugin::is_name(r_.solver), "solver", in_quotes(r_.solver), plugin::names_allowed);
        expect(r_.solver_origin == "program", "solver_origin", in_quotes(r_.solver_origin),
               "program (runs of ivp's own solvers and of plug-ins come from a store, with 'ivp merge')");
        expect(r_.problem_origin == "own" || r_.problem_origin == "program", "problem_origin", in_quotes(r_.problem_origin),
               "own, for a problem of the catalog; program, for any other");
        expect(!r_.machine.cpu.empty() && r_.machine.cores > 0, "machine",
               in_quotes(r_.machine.cpu) + " with " + std::to_string(r_.machine.cores) + " cores",
               "the name of the CPU, and a number of cores from 1");
    }

    void tolerance(const char* name, const std::vector<double>& t)
    {
        const bool size = t.size() == 1 || t.size() == static_cast<std::size_t>(std::max(r_.dimension, 0));
        expect(size, name, counted(t.size(), "number"), "one, or one for each component");
        expect(std::ranges::all_of(t, [](double v) { return std::isfinite(v) && v >= 0; }), name, "a number that is negative or not finite",
               "finite numbers from 0");
    }

    void settings()
    {
        expect(form_from_label(r_.form).has_value(), "form", in_quotes(r_.form), "ode, dae, ide");
        expect(r_.dimension > 0, "dimension", std::to_string(r_.dimension), "a whole number from 1");
        expect(std::isfinite(r_.t0) && std::isfinite(r_.tend) && r_.tend > r_.t0, "t0, tend", to_text(r_.t0) + ", " + to_text(r_.tend),
               "finite numbers, t0 below tend");
        tolerance("rtol", r_.rtol);
        tolerance("atol", r_.atol);
        for_each_integration_setting(r_, [this](const auto& line, const auto& value) {
            using value_type = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_integral_v<value_type>)
                expect(is_in(line.range, static_cast<double>(value)) || (line.name == "max_steps" && value == 0), // which a program may not know
                       std::string(line.name), std::to_string(value), allowed(line));
            else if constexpr (std::is_same_v<value_type, std::optional<double>>)
                expect(!value || is_in(line.range, *value), std::string(line.name), setting_text(value), allowed(line) + ", or null");
        });
    }

    void results()
    {
        const bool success = r_.outcome == outcome::success;
        const auto n = static_cast<std::size_t>(std::max(r_.dimension, 0));
        expect(r_.y.size() == n || (r_.y.empty() && !success), "y", counted(r_.y.size(), "number"), "one for each of the " + counted(n, "component"));
        expect(r_.accepted <= r_.steps && r_.rejected == r_.steps - r_.accepted, "steps, accepted, rejected",
               std::to_string(r_.steps) + ", " + std::to_string(r_.accepted) + ", " + std::to_string(r_.rejected), "steps = accepted + rejected");
        if (success && r_.t_end_reached != r_.tend) {
            r_.outcome = outcome::wrong_answer;
            r_.message = "the program claims success at t = " + to_text(r_.t_end_reached) + ", which is not tend = " + to_text(r_.tend);
        }
    }

    void time(const char* name, double least, const std::vector<double>& samples)
    {
        const std::string all = std::string(name) + "_samples";
        expect(samples.size() == static_cast<std::size_t>(std::max(r_.repeats, 0)), all, counted(samples.size(), "number"),
               "as many as 'repeats' says, " + std::to_string(r_.repeats));
        const bool good = std::ranges::all_of(samples, [](double s) { return std::isfinite(s) && s >= 0; });
        expect(good, all, "a time that is negative or not finite", "seconds from 0");
        if (!good || samples.empty()) return expect(!std::isfinite(least), name, to_text(least), "null, because there is no sample");
        const auto [from, to] = std::ranges::minmax(samples);
        expect(least >= from && least <= to, std::string(name) + "_s", to_text(least),
               "one of the samples, from " + to_text(from) + " to " + to_text(to));
    }

    void times()
    {
        expect(r_.repeats >= 0, "repeats", std::to_string(r_.repeats), "a whole number from 0");
        time("cpu", r_.cpu_s, r_.cpu_samples);
        time("wall", r_.wall_s, r_.wall_samples);
    }

    /// The catalog knows the problem: what can be computed is not believed.
    void compare_with_catalog()
    {
        if (r_.problem_origin != "own") return;
        try {
            const auto& known = problems_.get(r_);
            expect(r_.dimension == known.n(), "dimension", std::to_string(r_.dimension),
                   std::to_string(known.n()) + ", as 'ivp show " + r_.problem + "' says");
            expect(r_.t0 == known.info().t0.value(), "t0", to_text(r_.t0), known.info().t0.text());
            if (!faults_.empty() || r_.y.empty()) return;
            r_.scd.reset();
            r_.scd_abs.reset();
            r_.mescd.reset();
            judge(r_, known);
        } catch (const bad_request& e) {
            for (const auto& fault : e.faults())
                faults_.push_back(plain_line(fault, longest_fault) + " (a problem of your own has the problem_origin 'program')");
        }
    }

    run_record& r_;
    opened_problems& problems_;
    std::vector<std::string> faults_;
};

std::vector<std::string> names_of(const json& object)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    return names;
}

json parsed(const std::string& line)
{
    try {
        return read_json(line);
    } catch (const json::exception& e) {
        throw std::invalid_argument("not a record: " + reason_of(e));
    }
}

std::string text_of(const json& j, const char* field, const std::string& otherwise)
{
    const auto found = j.find(field);
    return found != j.end() && found->is_string() && !found->get<std::string>().empty() ? found->get<std::string>() : otherwise;
}

/// The problem of the catalog that a line means. Parameters that are no texts, and a form that is none, are refused later, with the whole record.
problem meant_by(const json& line)
{
    std::map<std::string, std::string> parameters;
    if (const auto given = line.find("parameters"); given != line.end() && given->is_object())
        for (const auto& [name, value] : given->items())
            if (value.is_string()) parameters[name] = value.get<std::string>();
    const problem p = catalog_problem(text_of(line, "problem", ""), parameters);
    const auto wanted = form_from_label(text_of(line, "form", ""));
    return wanted ? in_form(p, *wanted) : p;
}

/// A line without "schema" says what its program knows: problem, solver, rtol, atol, y and nfev (or an outcome), and whatever else it has counted.
/// Every other field gets the value of a run that has nothing to add.
json completed(const json& line)
{
    if (!line.is_object() || line.contains("schema")) return line;
    for (const char* const field : {"problem", "solver", "rtol", "atol"})
        if (!line.contains(field))
            throw std::invalid_argument(std::string("no field '") + field +
                                        "'; a line needs problem, solver, rtol, atol, y and nfev, or is a whole record with 'schema'");
    run_record r;
    if (line.value("problem_origin", json("own")) == "own") {
        const problem p = meant_by(line);
        r.form = std::string(label(p.info().form));
        r.dimension = p.n();
        r.t0 = p.info().t0.value();
        r.tend = r.t_end_reached = p.info().tend.value();
    }
    r.solver_origin = "program";
    r.outcome = line.contains("y") ? outcome::success : outcome::crashed;
    r.machine = {"unknown", 1, "unknown"};
    r.jacobian = r.algebra = "unknown";
    json whole = read_json(to_json(r));
    for (const auto& [field, value] : line.items()) {
        if (!whole.contains(field) && field != "host" && field != "measured_at" && field != "campaign")
            throw std::invalid_argument("unknown field " + in_quotes(field) + nearest_name_hint(field, names_of(whole)));
        whole[field] = value;
    }
    const auto follows = [&](const char* field, const json& value) {
        if (!line.contains(field)) whole[field] = value;
    };
    if (!line.contains("outcome") && !line.contains("y"))
        throw std::invalid_argument("neither 'y' nor 'outcome' found; a run needs a result, or an outcome that says why it has none");
    // A success without one evaluation is none, see judge().
    if (whole["outcome"] == label(outcome::success) && !line.contains("nfev"))
        throw std::invalid_argument("no field 'nfev', the number of evaluations of f; a run that succeeds has made some");
    if (line.contains("tend")) follows("t_end_reached", line["tend"]);
    if (line.contains("accepted") && line.contains("steps") && line["steps"].is_number_unsigned() && line["accepted"].is_number_unsigned() &&
        line["steps"] >= line["accepted"])
        follows("rejected", line["steps"].get<std::uint64_t>() - line["accepted"].get<std::uint64_t>());
    if (line.contains("steps") && !line.contains("rejected")) follows("accepted", whole["steps"]);
    if (line.contains("cpu_s") || line.contains("wall_s")) {
        const json cpu = line.contains("cpu_s") ? line["cpu_s"] : line["wall_s"];
        const json wall = line.contains("wall_s") ? line["wall_s"] : line["cpu_s"];
        follows("repeats", 1);
        follows("cpu_s", cpu);
        follows("wall_s", wall);
        follows("cpu_samples", json::array({whole["cpu_s"]}));
        follows("wall_samples", json::array({whole["wall_s"]}));
    } else {
        follows("cpu_s", nullptr);
        follows("wall_s", nullptr);
    }
    return whole;
}

/// "2026-01-31T12:00:00Z": stored runs are put in order by this text.
bool is_time(std::string_view text)
{
    constexpr std::string_view pattern = "0000-00-00T00:00:00Z";
    if (!std::ranges::equal(text, pattern, [](char c, char p) { return p == '0' ? c >= '0' && c <= '9' : c == p; })) return false;
    const auto number = [&text](std::size_t from, std::size_t digits) { return std::stoi(std::string(text.substr(from, digits))); };
    const std::chrono::year_month_day day{std::chrono::year(number(0, 4)), std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                          std::chrono::day(static_cast<unsigned>(number(8, 2)))};
    return day.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60;
}

/// A record with what the store keeps around it. Of that, what `ivp records --jsonl` prints is taken over where only the measurement can know it.
stored_run to_be_stored(run_record record, const json& line, const std::string& name)
{
    stored_run s;
    s.setting = setting_of(record);
    s.limits = imported_content;
    s.problem_content = s.solver_content = s.build_content = imported_content;
    s.host = text_of(line, "host", "unknown");
    s.measured_at = text_of(line, "measured_at", utc_now());
    if (!is_time(s.measured_at))
        throw std::invalid_argument("measured_at: " + in_quotes(s.measured_at) + " given; allowed: UTC, such as 2026-01-31T12:00:00Z");
    s.campaign = text_of(line, "campaign", "import of " + std::filesystem::path(name).filename().string());
    columns::expect_labels("cpu", record.machine.cpu, "os", record.machine.os, "host", s.host, "campaign", s.campaign);
    if (!(record.rtol_asked > 0)) record.rtol_asked = record.rtol.front(); // a program that knows no rules asks for what it gets
    s.record = std::move(record);
    return s;
}

std::string described(const stored_run& run)
{
    return run.record.full_problem() + " with " + run.record.full_solver() + " at rtol " + to_text(run.record.rtol_asked);
}

/// The next line of a stream that may never end one. False: there is none.
bool next_line(std::istream& in, std::string& line)
{
    using traits = std::istream::traits_type;
    line.clear();
    while (line.size() <= longest_line) {
        const auto c = in.get();
        if (traits::eq_int_type(c, traits::eof())) return !line.empty();
        if (traits::to_char_type(c) == '\n') return true;
        line += traits::to_char_type(c);
    }
    return true;
}

} // namespace

import_result import_records(std::istream& in, const std::string& name, const std::string& db)
{
    import_result result;
    std::vector<std::string> faults;
    std::vector<std::pair<std::size_t, stored_run>> runs; // with their lines
    std::size_t number = 0;
    opened_problems problems;
    const auto fault = [&](std::size_t line, const std::string& what) { faults.push_back(name + ":" + std::to_string(line) + ": " + what); };
    for (std::string line; faults.size() < most_faults && next_line(in, line);) {
        ++number;
        if (line.size() > longest_line) {
            fault(number, "more than " + std::to_string(longest_line >> 20U) + " MiB given; allowed: lines up to this size");
            break;
        }
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        if (runs.size() == limits::most_imported) {
            fault(number, "more than " + std::to_string(limits::most_imported) + " records given; allowed: up to this number in a file");
            break;
        }
        try {
            run_record record = record_from_json(json_text(completed(parsed(line))));
            const bool claims_success = record.outcome == outcome::success;
            for (const auto& what : record_judge(record, problems).faults()) fault(number, what);
            if (!faults.empty()) continue;
            result.judged_otherwise += claims_success && record.outcome != outcome::success ? 1 : 0;
            runs.emplace_back(number, to_be_stored(std::move(record), read_json(line), name));
        } catch (const bad_request& e) {
            for (const auto& what : e.faults()) fault(number, plain_line(what, longest_fault));
        } catch (const std::invalid_argument& e) {
            fault(number, plain_line(e.what(), longest_fault));
        }
    }
    if (in.bad()) faults.push_back("cannot read '" + name + "' to its end");
    if (faults.empty() && runs.empty()) faults.push_back("'" + name + "' holds no record");
    if (!faults.empty()) throw bad_request(faults);

    filled_store_file made(db);
    store target(db, store::access::write);
    target.add_all([&] {
        for (const auto& [line, run] : runs) {
            const auto known = target.find(run);
            if (!known) {
                target.add(run);
                ++result.added;
                if (run.record.outcome == outcome::success && !(run.record.cpu_s > 0)) ++result.without_time;
            } else if (const auto names = differing_results(known->record, run.record); names.empty()) {
                ++result.duplicates;
            } else {
                fault(line, described(run) + " is stored with different " + joined(names, ", ") + "; another 'solver_version' keeps both");
            }
        }
        if (!faults.empty()) throw bad_request(faults);
    });
    made.keep();
    return result;
}

} // namespace ivp
