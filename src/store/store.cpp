#include <ivp/store.hpp>

#include "assessment_views.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "columns.hpp"
#include "fingerprint.hpp"
#include "model/record_fields.hpp"
#include "schema.hpp"
#include "store_file.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace ivp {

namespace {

/// Fields of a record that are rows of other tables.
bool is_elsewhere(std::string_view name)
{
    constexpr std::array names{"problem", "problem_origin", "solver", "solver_version", "solver_origin", "library", "build", "machine"};
    return std::find(names.begin(), names.end(), name) != names.end();
}
bool is_tolerance(std::string_view name) { return name == "rtol" || name == "atol"; }

/// What the run's own row holds beside its record.
template <class Run, class Visit>
void for_each_own_field(Run& r, Visit&& visit)
{
    visit("setting", r.setting);
    visit("limits", r.limits);
    visit("host", r.host);
    visit("measured_at", r.measured_at);
    visit("campaign", r.campaign);
    visit("notes", r.notes);
}

/// Everything that `runs`, the view, shows.
template <class Run, class Visit>
void for_each_view_field(Run& r, Visit&& visit)
{
    visit("id", r.id);
    visit("machine", r.machine);
    visit("problem_content", r.problem_content);
    visit("solver_content", r.solver_content);
    visit("build_content", r.build_content);
    for_each_build_field(r.record.build, visit);
    for_each_machine_field(r.record.machine, visit);
    for_each_own_field(r, visit);
    for_each_field(r.record, [&](const char* name, auto& value) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(value)>, build_info> &&
                      !std::is_same_v<std::remove_cvref_t<decltype(value)>, machine_info>)
            visit(name, value);
    });
}

std::string insert_of_run()
{
    std::string names;
    std::string marks;
    const auto add = [&](const char* name, const auto&) {
        names += std::string(", ") + name;
        marks += ", ?";
    };
    stored_run empty;
    for_each_own_field(empty, add);
    for_each_field(empty.record, [&](const char* name, const auto& value) {
        if (!is_elsewhere(name)) add(name, value);
    });
    return "INSERT INTO run (problem_id, solver_id, build_id, machine_id" + names + ") VALUES (?, ?, ?, ?" + marks + ")" +
           " ON CONFLICT (setting, limits, problem_id, solver_id, build_id, machine_id) DO NOTHING";
}

std::string select_of_runs()
{
    std::vector<std::string> names;
    stored_run empty;
    for_each_view_field(empty, [&names](const char* name, const auto&) { names.emplace_back(name); });
    return "SELECT " + joined(names, ", ") + " FROM runs";
}

/// The conditions of a filter, and the texts they compare with, in order.
struct condition {
    std::string sql;
    std::vector<std::string> values;
};

condition condition_of(const run_filter& f)
{
    condition c{" WHERE TRUE", {}};
    const auto any_of = [&c](const char* column, const auto& words) {
        if (words.empty()) return;
        std::string marks;
        for (const auto& w : words) {
            marks += marks.empty() ? "?" : ", ?";
            c.values.emplace_back(w);
        }
        c.sql += std::string(" AND ") + column + " IN (" + marks + ")";
    };
    any_of("problem", f.problems);
    any_of("solver", f.solvers);
    std::vector<std::string_view> outcomes;
    for (const outcome o : f.outcomes) outcomes.push_back(label(o));
    any_of("outcome", outcomes);
    if (!f.campaign.empty()) any_of("campaign", std::array{f.campaign});
    if (f.machine) c.sql += " AND machine = " + std::to_string(*f.machine);
    if (f.newest_only)
        c.sql += " AND NOT EXISTS (SELECT 1 FROM run AS later WHERE later.setting = runs.setting AND later.machine_id = runs.machine"
                 " AND (later.measured_at, later.id) > (runs.measured_at, runs.id))";
    return c;
}

sqlite::statement prepared(const sqlite::database& db, const std::string& sql, const condition& c)
{
    sqlite::statement s(db, sql + c.sql);
    for (std::size_t k = 0; k < c.values.size(); ++k) s.bind(static_cast<int>(k + 1), std::string_view(c.values[k]));
    return s;
}

/// A row that several runs refer to: found, or made. The columns are unique together.
class shared_rows {
public:
    shared_rows(const sqlite::database& db, const std::string& table, const std::string& columns, int count)
        : db_(db),
          find_(db, "SELECT id FROM " + table + " WHERE (" + columns + ") = (" + marks(count) + ")"),
          make_(db, "INSERT INTO " + table + " (" + columns + ") VALUES (" + marks(count) + ")")
    {}

    template <class... Values>
    std::optional<std::int64_t> find(const Values&... values)
    {
        bind(find_, values...);
        const auto id = find_.step() ? std::optional(find_.integer(0)) : std::nullopt;
        find_.reset();
        return id;
    }
    template <class... Values>
    std::int64_t found_or_made(const Values&... values)
    {
        if (const auto id = find(values...)) return *id;
        bind(make_, values...);
        make_.run();
        return db_.last_row();
    }

private:
    template <class... Values>
    static void bind(sqlite::statement& s, const Values&... values)
    {
        int index = 0;
        (columns::write(s, ++index, values), ...);
    }
    static std::string marks(int count)
    {
        std::string text = "?";
        for (int k = 1; k < count; ++k) text += ", ?";
        return text;
    }

    const sqlite::database& db_;
    sqlite::statement find_;
    sqlite::statement make_;
};

/// The statements that are needed again and again.
struct statements {
    explicit statements(const sqlite::database& db)
        : problem(db, "problem", "name, origin, content", 3),
          solver(db, "solver", "name, version, origin, library, content", 5),
          build(db, "build", "compiler, flags, version, instruction_set, kernels, content", 6),
          machine(db, "machine", "cpu, cores, os", 3),
          insert_run(db, insert_of_run()),
          find_run(db, "SELECT id FROM run WHERE (setting, limits, problem_id, solver_id, build_id, machine_id) = (?, ?, ?, ?, ?, ?)"),
          insert_assessment(db, "INSERT INTO assessment (set_name, solver_id, level, norm, setting, build_id, machine_id, host, measured_at,"
                                " command, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                                " ON CONFLICT (set_name, solver_id, setting, build_id, machine_id) DO NOTHING")
    {}
    shared_rows problem;
    shared_rows solver;
    shared_rows build;
    shared_rows machine;
    sqlite::statement insert_run;
    sqlite::statement find_run;
    sqlite::statement insert_assessment;
};

/// All values of a row that is written, in the order of the statement.
class row_writer {
public:
    explicit row_writer(sqlite::statement& s) : s_(s) {}
    template <class T>
    void operator()(const T& value)
    {
        columns::write(s_, ++index_, value);
    }
    void tolerance(const std::vector<double>& value) { columns::write_tolerance(s_, ++index_, value); }

private:
    sqlite::statement& s_;
    int index_ = 0;
};

} // namespace

struct store::implementation {
    sqlite::database db;
    access allowed;
    std::unique_ptr<statements> known; ///< made when they are needed

    implementation(const std::string& path, access a) : db(path, a == access::read ? sqlite::mode::read : sqlite::mode::write), allowed(a)
    {
        if (a == access::read) {
            if (!is_up_to_date(db, store_schema)) {
                db.become_private_copy();
                bring_up_to_date();
            }
            expect_no_loose_ends();
            return;
        }
        // After a crash of the program everything committed is there; after one of the machine the file is consistent.
        db.use_write_ahead_log();
        db.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF");
        bring_up_to_date();
        db.execute("PRAGMA foreign_keys = ON"); // off while tables are made again
    }

    void bring_up_to_date()
    {
        migrate(db, store_migrations(), [this](int from) {
            if (from == 1) make_settings_comparable();
        });
    }

    /// The views leave out what refers to a row that is not there: it would be missing without a word.
    void expect_no_loose_ends() const
    {
        for (const char* const table : {"problem", "solver", "build", "machine"})
            for (const char* const entry : {"run", "assessment"}) {
                if (entry == std::string_view("assessment") && table == std::string_view("problem")) continue;
                const std::string column = std::string(table) + "_id";
                sqlite::statement s(db, std::string("SELECT id, ") + column + " FROM " + entry + " WHERE " + column + " NOT IN (SELECT id FROM " +
                                            table + ") LIMIT 1");
                if (!s.step()) continue;
                const std::invalid_argument reason("there is no " + std::string(table) + " " + std::to_string(s.integer(1)));
                throw damaged(std::string(entry) + " " + std::to_string(s.integer(0)), column, reason);
            }
    }

    /// In the fingerprints of the first schema all digits of the tolerances count.
    void make_settings_comparable() const
    {
        std::vector<std::pair<std::int64_t, std::string>> changed;
        for_each({" WHERE TRUE", {}}, [&changed](const stored_run& r) {
            if (std::string now = comparable_setting(r.record, r.setting); now != r.setting) changed.emplace_back(r.id, std::move(now));
        });
        // Of two runs that become the same one keeps what it had.
        sqlite::statement update(db, "UPDATE OR IGNORE run SET setting = ? WHERE id = ?");
        for (const auto& [id, setting] : changed) {
            update.bind(1, std::string_view(setting));
            update.bind(2, id);
            (void)update.step();
            update.reset();
        }
    }

    /// At rest a store is one file that readers need not write beside. Where others have it open it stays as it is.
    ~implementation()
    {
        known.reset();
        if (allowed != access::read) db.try_at_once("PRAGMA journal_mode = DELETE");
    }
    implementation(const implementation&) = delete;
    implementation& operator=(const implementation&) = delete;

    statements& prepared_statements()
    {
        if (!known) known = std::make_unique<statements>(db);
        return *known;
    }
    statements& for_writing()
    {
        if (allowed == access::read) throw std::logic_error("store '" + db.path() + "' was opened for reading only");
        return prepared_statements();
    }

    /// The number of the run with the same identity.
    std::optional<std::int64_t> find(const stored_run& planned)
    {
        statements& w = prepared_statements();
        const run_record& r = planned.record;
        const auto problem = w.problem.find(r.problem, r.problem_origin, planned.problem_content);
        const auto solver = w.solver.find(r.solver, r.solver_version, r.solver_origin, r.library, planned.solver_content);
        const build_info& b = r.build;
        const auto build = w.build.find(b.compiler, b.flags, b.version, b.instruction_set, b.kernels, planned.build_content);
        const auto machine = w.machine.find(r.machine.cpu, r.machine.cores, r.machine.os);
        if (!problem || !solver || !build || !machine) return std::nullopt;
        row_writer write(w.find_run);
        write(planned.setting);
        write(planned.limits);
        for (const auto id : {*problem, *solver, *build, *machine}) write(id);
        const auto found = w.find_run.step() ? std::optional(w.find_run.integer(0)) : std::nullopt;
        w.find_run.reset();
        return found;
    }

    /// The refusal of a store in which a column of one entry cannot be read.
    [[nodiscard]] bad_request damaged(const std::string& entry, const std::string& column, const std::exception& reason) const
    {
        const auto* const by_the_reader = dynamic_cast<const json::exception*>(&reason);
        const std::string why = by_the_reader != nullptr ? reason_of(*by_the_reader) : plain_line(reason.what(), 200);
        return bad_request("store '" + db.path() + "': " + entry + " is damaged: " + column + ": " + why);
    }

    /// The columns of the present row from `column` on; `entry` names the row where one of them cannot be read.
    template <class... T>
    void read_row(const sqlite::statement& s, const std::string& entry, int column, T&... values) const
    {
        try {
            ((columns::read(s, column, s.name(column), values), ++column), ...);
        } catch (const std::exception& e) {
            throw damaged(entry, s.name(column), e);
        }
    }

    void for_each(const condition& c, const std::function<void(const stored_run&)>& visit) const
    {
        sqlite::statement s = prepared(db, select_of_runs(), c);
        stored_run run;
        while (s.step()) {
            int column = 0;
            for_each_view_field(run, [&](const char* name, auto& value) {
                try {
                    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::vector<double>>) {
                        if (is_tolerance(name)) return columns::read_tolerance(s, column++, value);
                    }
                    columns::read(s, column++, name, value);
                } catch (const std::exception& e) {
                    throw damaged("run " + std::to_string(run.id), name, e);
                }
            });
            expect_sense(run);
            visit(run);
        }
    }

    /// No measurement has a time or a tolerance below zero, or an interval that ends before it begins.
    void expect_sense(const stored_run& run) const
    {
        const run_record& r = run.record;
        const auto refuse = [this, &run](const char* column, double given, const char* expected) {
            throw damaged("run " + std::to_string(run.id), column, std::invalid_argument(to_text(given) + " given; allowed: " + expected));
        };
        const auto none_below_zero = [&refuse](const char* column, std::span<const double> numbers) {
            const auto found = std::ranges::find_if(numbers, [](double v) { return v < 0; });
            if (found != numbers.end()) refuse(column, *found, "a number from 0");
        };
        none_below_zero("rtol", r.rtol);
        none_below_zero("atol", r.atol);
        none_below_zero("cpu_s", {&r.cpu_s, 1});
        none_below_zero("wall_s", {&r.wall_s, 1});
        none_below_zero("cpu_samples", r.cpu_samples);
        none_below_zero("wall_samples", r.wall_samples);
        if (r.t0 > r.tend) refuse("t0", r.t0, "at most tend");
    }
};

void make_store(const std::string& path)
{
    if (!path.empty() && is_missing(path)) {
        expect_no_log(path);
        const sqlite::database fresh(path, sqlite::mode::memory);
        migrate(fresh, store_migrations());
        make_whole_file(path, fresh.bytes());
        return;
    }
    (void)is_up_to_date(sqlite::database(path, sqlite::mode::read), store_schema);
    expect_writable(path);
}

store::store(const std::string& path, access a)
{
    if (a == access::write) make_store(path);
    if (a == access::write_existing) expect_writable(path);
    own_ = std::make_unique<implementation>(path, a);
}
store::~store() = default;
store::store(store&&) noexcept = default;
store& store::operator=(store&&) noexcept = default;

// ---- Reading ----

void store::for_each_run(const run_filter& filter, const std::function<void(const stored_run&)>& visit) const
{
    condition c = condition_of(filter);
    c.sql += " ORDER BY id";
    own_->for_each(c, visit);
}

std::vector<stored_run> store::runs(const run_filter& filter) const
{
    std::vector<stored_run> all;
    for_each_run(filter, [&all](const stored_run& r) { all.push_back(r); });
    return all;
}

std::uint64_t store::count(const run_filter& filter) const
{
    sqlite::statement s = prepared(own_->db, "SELECT count(*) FROM runs", condition_of(filter));
    s.step();
    return static_cast<std::uint64_t>(s.integer(0));
}

std::vector<stored_machine> store::machines() const
{
    std::vector<stored_machine> all;
    sqlite::statement s(own_->db, "SELECT machine.id, cpu, cores, os, host, count(*) FROM run JOIN machine ON machine.id = machine_id"
                                  " GROUP BY machine.id, host ORDER BY machine.id, host");
    while (s.step()) {
        if (all.empty() || all.back().id != s.integer(0)) all.emplace_back().id = s.integer(0);
        stored_machine& m = all.back();
        own_->read_row(s, "machine " + std::to_string(m.id), 1, m.machine.cpu, m.machine.cores, m.machine.os, m.hosts.emplace_back());
        m.runs += static_cast<std::uint64_t>(s.integer(5));
    }
    return all;
}

namespace {

/// What readers ask a text of: a list of objects, if there is one of this name.
const json& objects_in(const json& j, const char* name)
{
    static const json none = json::array();
    const auto found = j.find(name);
    if (found == j.end()) return none;
    if (!found->is_array() || !std::ranges::all_of(*found, [](const json& o) { return o.is_object(); }))
        throw std::invalid_argument(std::string("'") + name + "' is not an array of objects");
    return *found;
}

/// The text of an assessment must have the form that `ivp detest --format json` gives it, as far as its lines are looked up.
void expect_assessment(const std::string& text)
{
    const json j = read_json(text);
    if (!j.is_object()) throw std::invalid_argument(std::string("it is not an object, but ") + j.type_name());
    const auto expect = [](const json& in, const char* name, bool (json::*is)() const noexcept, const char* what) {
        const auto found = in.find(name);
        if (found != in.end() && !(*found.*is)()) throw std::invalid_argument(std::string("a '") + name + "' is not " + what);
    };
    expect(j, "set", &json::is_string, "text");
    for (const auto& group : objects_in(j, "groups"))
        for (const auto& p : objects_in(group, "problems")) {
            expect(p, "name", &json::is_string, "text");
            expect(p, "scaled", &json::is_boolean, "true or false");
            for (const auto& row : objects_in(p, "rows")) expect(row, "tol", &json::is_number, "a number");
        }
}

} // namespace

std::vector<stored_assessment> store::assessments() const
{
    std::vector<stored_assessment> all;
    sqlite::statement s(
        own_->db, "SELECT assessment.id, set_name, solver.name, solver.version, origin, library, solver.content, level, norm, setting, compiler,"
                  " flags, build.version, instruction_set, kernels, build.content, cpu, cores, os, host, measured_at, command, json FROM assessment"
                  " JOIN solver ON solver.id = solver_id JOIN build ON build.id = build_id JOIN machine ON machine.id = machine_id"
                  " ORDER BY assessment.id");
    while (s.step()) {
        stored_assessment& a = all.emplace_back();
        own_->read_row(s, "assessment " + std::to_string(s.integer(0)), 0, a.id, a.set, a.solver, a.solver_version, a.solver_origin, a.library,
                       a.solver_content, a.level, a.norm, a.setting, a.build.compiler, a.build.flags, a.build.version, a.build.instruction_set,
                       a.build.kernels, a.build_content, a.machine.cpu, a.machine.cores, a.machine.os, a.host, a.measured_at, a.command, a.json);
        try {
            expect_assessment(a.json);
        } catch (const std::exception& e) {
            throw own_->damaged("assessment " + std::to_string(a.id), "json", e);
        }
    }
    return all;
}

std::string to_text(const query_value& v)
{
    if (const auto* text = std::get_if<std::string>(&v)) return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&v)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&v)) return to_text(*real);
    return "";
}

namespace {

constexpr std::size_t longest_name = 60; // that an answer repeats: a store from somewhere else has any

query_value value_of(const sqlite::statement& s, int column)
{
    if (s.is_null(column)) return std::monostate();
    if (s.is_integer(column)) return s.integer(column);
    if (s.is_real(column)) return s.real(column);
    return std::string(s.text(column));
}

/// The columns of a table or view. A view that its owner's own tables do not go with any more has none.
std::vector<std::string> columns_of(const sqlite::database& db, std::string_view name)
{
    std::vector<std::string> columns;
    try {
        sqlite::statement s(db, "SELECT name FROM pragma_table_info(?)");
        s.bind(1, name);
        while (s.step()) columns.push_back(plain_line(s.text(0), longest_name));
    } catch (const bad_request&) {
        columns.clear();
    }
    return columns;
}

/// What a query may name, in lines: the views with their columns, those with the same columns together; then the tables behind them. Our own come
/// first; of others, which can be many, the beginning.
std::vector<std::string> names_to_ask_for(const sqlite::database& db, std::vector<std::string>& all)
{
    constexpr std::size_t longest_line = 2000;
    std::vector<std::pair<std::string, std::vector<std::string>>> views; // names and columns
    std::vector<std::string> tables;
    sqlite::statement list(db, "SELECT name, type FROM (SELECT name, type, name IN ('runs', 'failed', 'samples', 'run', 'problem', 'solver', 'build',"
                               " 'machine', 'assessment') AS own FROM sqlite_schema UNION ALL SELECT name, type, TRUE FROM sqlite_temp_schema)"
                               " WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite_%'"
                               " ORDER BY name NOT IN ('runs', 'failed'), name = 'failed', NOT own, name LIMIT 40");
    while (list.step()) {
        const std::string name = plain_line(list.text(0), longest_name);
        all.push_back(name);
        const auto columns = columns_of(db, list.text(0));
        all.insert(all.end(), columns.begin(), columns.end());
        if (list.text(1) == "table") {
            tables.push_back(name);
            continue;
        }
        const auto same = std::ranges::find(views, columns, &decltype(views)::value_type::second);
        if (same == views.end())
            views.emplace_back(name, columns);
        else
            same->first += " and " + name;
    }
    std::vector<std::string> lines;
    for (const auto& [names, columns] : views) lines.push_back(cut("columns of " + names + ": " + joined(columns, ", "), longest_line));
    lines.push_back(cut("tables behind them: " + joined(tables, ", "), longest_line));
    return lines;
}

sqlite::statement statement_of(const sqlite::database& db, const std::string& sql)
{
    try {
        return {db, sql};
    } catch (const bad_request& e) {
        const std::string what = e.what();
        const auto found = std::min(what.find("no such column: "), what.find("no such table: ")); // npos is the largest number
        if (found == std::string::npos) throw;
        std::string wrong = what.substr(what.find(": ", found) + 2);
        wrong = wrong.substr(wrong.rfind('.') + 1); // runs.nonsense
        std::vector<std::string> names;
        std::vector<std::string> faults = names_to_ask_for(db, names);
        faults.insert(faults.begin(), what + nearest_name_hint(wrong, names));
        throw bad_request(faults);
    }
}

} // namespace

void store::query(const std::string& sql, const std::function<void(const std::vector<std::string>&)>& head,
                  const std::function<void(const query_row&)>& row) const
{
    own_->db.execute(assessment_views);
    sqlite::statement s = statement_of(own_->db, sql);
    if (!s.changes_nothing() || s.columns() == 0) throw bad_request("query: '" + plain_line(sql, 200) + "' given; allowed: one SELECT statement");
    std::vector<std::string> names;
    for (int k = 0; k < s.columns(); ++k) names.push_back(s.name(k));
    head(names);
    query_row values(names.size());
    while (s.step()) {
        for (int k = 0; k < s.columns(); ++k) values[static_cast<std::size_t>(k)] = value_of(s, k);
        row(values);
    }
}

std::optional<stored_run> store::find(const stored_run& planned) const
{
    const auto id = own_->find(planned);
    if (!id) return std::nullopt;
    std::optional<stored_run> found;
    own_->for_each({" WHERE id = " + std::to_string(*id), {}}, [&found](const stored_run& r) { found = r; });
    return found;
}

bool store::contains(const stored_run& planned) const { return own_->find(planned).has_value(); }

// ---- Writing ----

namespace {

std::int64_t build_of(statements& w, const build_info& b, const std::string& content)
{
    return w.build.found_or_made(b.compiler, b.flags, b.version, b.instruction_set, b.kernels, content);
}

} // namespace

bool store::add(const stored_run& run)
{
    columns::expect_labels("cpu", run.record.machine.cpu, "os", run.record.machine.os, "host", run.host, "campaign", run.campaign);
    bool added = false;
    add_all([&] {
        statements& w = own_->for_writing();
        const run_record& r = run.record;
        row_writer write(w.insert_run);
        write(w.problem.found_or_made(r.problem, r.problem_origin, run.problem_content));
        write(w.solver.found_or_made(r.solver, r.solver_version, r.solver_origin, r.library, run.solver_content));
        write(build_of(w, r.build, run.build_content));
        write(w.machine.found_or_made(r.machine.cpu, r.machine.cores, r.machine.os));
        for_each_own_field(run, [&](const char*, const auto& value) { write(value); });
        for_each_field(r, [&](const char* name, const auto& value) {
            using value_type = std::remove_cvref_t<decltype(value)>;
            if constexpr (!std::is_same_v<value_type, build_info> && !std::is_same_v<value_type, machine_info>) {
                if (is_elsewhere(name)) return;
                if constexpr (std::is_same_v<value_type, std::vector<double>>) {
                    if (is_tolerance(name)) return write.tolerance(value);
                }
                write(value);
            }
        });
        w.insert_run.run();
        added = own_->db.anything_changed();
    });
    return added;
}

bool store::add(const stored_assessment& a)
{
    columns::expect_labels("cpu", a.machine.cpu, "os", a.machine.os, "host", a.host);
    bool added = false;
    add_all([&] {
        statements& w = own_->for_writing();
        row_writer write(w.insert_assessment);
        write(a.set);
        write(w.solver.found_or_made(a.solver, a.solver_version, a.solver_origin, a.library, a.solver_content));
        write(a.level);
        write(a.norm);
        write(a.setting);
        write(build_of(w, a.build, a.build_content));
        write(w.machine.found_or_made(a.machine.cpu, a.machine.cores, a.machine.os));
        write(a.host);
        write(a.measured_at);
        write(a.command);
        write(a.json);
        w.insert_assessment.run();
        added = own_->db.anything_changed();
    });
    return added;
}

void store::add_all(const std::function<void()>& additions)
{
    (void)own_->for_writing();
    if (own_->db.in_transaction()) return additions();
    sqlite::transaction whole(own_->db);
    additions();
    whole.commit();
}

void store::replace(const stored_run& run)
{
    add_all([&] {
        if (const auto id = own_->find(run)) {
            sqlite::statement s(own_->db, "DELETE FROM run WHERE id = ?");
            s.bind(1, *id);
            s.run();
        }
        (void)add(run);
    });
}

} // namespace ivp
