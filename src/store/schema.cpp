#include "schema.hpp"

#include "base/text.hpp"
#include "model/settings_fields.hpp"

#include <ivp/error.hpp>
#include <ivp/store.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace ivp {

namespace {

constexpr int application_id = 0x69767073; // "ivps", so that file(1) and we know our own

constexpr auto version_1 = R"sql(
CREATE TABLE problem (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (name, content)
) STRICT;

CREATE TABLE solver (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    version TEXT NOT NULL,
    origin  TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (name, version, origin, content)
) STRICT;

CREATE TABLE build (
    id       INTEGER PRIMARY KEY,
    compiler TEXT NOT NULL,
    flags    TEXT NOT NULL,
    version  TEXT NOT NULL,
    content  TEXT NOT NULL,
    UNIQUE (compiler, flags, version, content)
) STRICT;

CREATE TABLE machine (
    id    INTEGER PRIMARY KEY,
    cpu   TEXT NOT NULL,
    cores INTEGER NOT NULL,
    os    TEXT NOT NULL,
    UNIQUE (cpu, cores, os)
) STRICT;

CREATE TABLE run (
    id            INTEGER PRIMARY KEY,
    setting       TEXT NOT NULL,
    limits        TEXT NOT NULL,
    problem_id    INTEGER NOT NULL REFERENCES problem,
    solver_id     INTEGER NOT NULL REFERENCES solver,
    build_id      INTEGER NOT NULL REFERENCES build,
    machine_id    INTEGER NOT NULL REFERENCES machine,
    host          TEXT NOT NULL,
    measured_at   TEXT NOT NULL,
    campaign      TEXT NOT NULL,
    notes         TEXT NOT NULL CHECK (json_valid(notes)),
    rtol_asked    REAL NOT NULL,
    solver_language TEXT NOT NULL,
    parameters    TEXT NOT NULL CHECK (json_valid(parameters)),
    form          TEXT NOT NULL,
    dimension     INTEGER NOT NULL,
    t0            REAL NOT NULL,
    tend          REAL NOT NULL,
    rtol          ANY NOT NULL,
    atol          ANY NOT NULL,
    h0            REAL,
    hmax          REAL,
    max_steps     INTEGER NOT NULL,
    jacobian      TEXT NOT NULL,
    algebra       TEXT NOT NULL,
    threads       INTEGER NOT NULL,
    options       TEXT NOT NULL CHECK (json_valid(options)),
    outcome       TEXT NOT NULL,
    message       TEXT NOT NULL,
    t_end_reached REAL,
    y             TEXT NOT NULL CHECK (json_valid(y)),
    scd           REAL,
    scd_abs       REAL,
    mescd         REAL,
    steps         INTEGER NOT NULL,
    accepted      INTEGER NOT NULL,
    rejected      INTEGER NOT NULL,
    nfev          INTEGER NOT NULL,
    nfev_jac      INTEGER NOT NULL,
    njac          INTEGER NOT NULL,
    nlu           INTEGER NOT NULL,
    nsolve        INTEGER NOT NULL,
    cpu_s         REAL,
    wall_s        REAL,
    repeats       INTEGER NOT NULL,
    cpu_samples   TEXT NOT NULL CHECK (json_valid(cpu_samples)),
    wall_samples  TEXT NOT NULL CHECK (json_valid(wall_samples)),
    claimed       TEXT NOT NULL CHECK (json_valid(claimed)),
    command       TEXT NOT NULL,
    extra         TEXT NOT NULL CHECK (json_valid(extra)),
    UNIQUE (setting, limits, problem_id, solver_id, build_id, machine_id)
) STRICT;

CREATE INDEX run_by_setting ON run (setting, machine_id, measured_at, id);
CREATE INDEX run_by_problem ON run (problem_id, solver_id);

CREATE TABLE assessment (
    id          INTEGER PRIMARY KEY,
    set_name    TEXT NOT NULL,
    solver_id   INTEGER NOT NULL REFERENCES solver,
    level       INTEGER NOT NULL,
    norm        TEXT NOT NULL,
    setting     TEXT NOT NULL,
    build_id    INTEGER NOT NULL REFERENCES build,
    machine_id  INTEGER NOT NULL REFERENCES machine,
    host        TEXT NOT NULL,
    measured_at TEXT NOT NULL,
    command     TEXT NOT NULL,
    json        TEXT NOT NULL CHECK (json_valid(json)),
    UNIQUE (set_name, solver_id, setting, build_id, machine_id)
) STRICT;

CREATE VIEW runs AS
SELECT run.id, setting, limits, problem.name AS problem, solver.name AS solver, solver.version AS solver_version, solver.origin AS solver_origin,
       problem.content AS problem_content, solver.content AS solver_content, build.content AS build_content, build.compiler AS compiler,
       build.flags AS flags, build.version AS version, machine_id AS machine, machine.cpu AS cpu, machine.cores AS cores, machine.os AS os, host,
       measured_at, campaign, notes, rtol_asked, solver_language, parameters, form, dimension, t0, tend, rtol, atol, h0, hmax, max_steps, jacobian, algebra, threads,
       options, outcome, message, t_end_reached, y, scd, scd_abs, mescd, steps, accepted, rejected, nfev, nfev_jac, njac, nlu, nsolve, cpu_s,
       wall_s, repeats, cpu_samples, wall_samples, claimed, command, extra
FROM run JOIN problem ON problem.id = run.problem_id JOIN solver ON solver.id = run.solver_id JOIN build ON build.id = run.build_id
     JOIN machine ON machine.id = run.machine_id;

CREATE VIEW samples AS
SELECT run.id AS run, cpu.key + 1 AS number, cpu.value AS cpu_s, json_extract(run.wall_samples, '$[' || cpu.key || ']') AS wall_s
FROM run, json_each(run.cpu_samples) AS cpu;

CREATE VIEW failed AS
SELECT problem, solver, rtol_asked AS rtol, outcome, message, command FROM runs WHERE outcome <> 'success';
)sql";

// Problems have an origin, as solvers had. Before, a run's command tells it: a problem of the catalog is called by its name, a plug-in by its file.
// The fingerprint of a setting names origins outside the catalog (setting_of).
// A solver is also the build of the library it runs, a build also its instruction set and the kernels in use; of runs of before they are not known.
// Tables are made again where a constraint changes; no other table is touched by that (foreign keys are off while scripts run).
constexpr auto version_2 = R"sql(
DROP VIEW failed;
DROP VIEW runs;

ALTER TABLE run ADD COLUMN restart TEXT NOT NULL DEFAULT 'yes';

CREATE TABLE problem_2 (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    origin  TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (name, origin, content)
) STRICT;
INSERT INTO problem_2
SELECT id, name,
       CASE WHEN EXISTS (SELECT 1 FROM run WHERE problem_id = problem.id AND substr(command, 1, length(name) + 9) <> 'ivp run ' || name || ' ')
            THEN 'plug-in' ELSE 'own' END, content
FROM problem;
DROP TABLE problem;
ALTER TABLE problem_2 RENAME TO problem;

CREATE TABLE solver_2 (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    version TEXT NOT NULL,
    origin  TEXT NOT NULL,
    library TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (name, version, origin, library, content)
) STRICT;
INSERT INTO solver_2 SELECT id, name, version, origin, '', content FROM solver;
DROP TABLE solver;
ALTER TABLE solver_2 RENAME TO solver;

CREATE TABLE build_2 (
    id              INTEGER PRIMARY KEY,
    compiler        TEXT NOT NULL,
    flags           TEXT NOT NULL,
    version         TEXT NOT NULL,
    instruction_set TEXT NOT NULL,
    kernels         TEXT NOT NULL,
    content         TEXT NOT NULL,
    UNIQUE (compiler, flags, version, instruction_set, kernels, content)
) STRICT;
INSERT INTO build_2 SELECT id, compiler, flags, version, '', '', content FROM build;
DROP TABLE build;
ALTER TABLE build_2 RENAME TO build;

ALTER TABLE run ADD COLUMN library_slowdown REAL;

UPDATE run SET setting = setting || ' problem: plug-in' WHERE problem_id IN (SELECT id FROM problem WHERE origin = 'plug-in');
UPDATE run SET setting = setting || ' solver: plug-in' WHERE solver_id IN (SELECT id FROM solver WHERE origin = 'plug-in');

)sql";

/// The views of a schema: those of the second one, with the settings that this one has.
std::string views_of(int schema)
{
    std::vector<std::string_view> settings;
    const run_record fields;
    for_each_integration_setting(fields, [&](const auto& line, const auto&) {
        if (line.since <= schema) settings.push_back(line.name);
    });
    return R"sql(
CREATE VIEW runs AS
SELECT run.id, setting, limits, problem.name AS problem, problem.origin AS problem_origin, solver.name AS solver, solver.version AS solver_version,
       solver.origin AS solver_origin, solver.library AS library, library_slowdown, problem.content AS problem_content,
       solver.content AS solver_content, build.content AS build_content, build.compiler AS compiler, build.flags AS flags,
       build.version AS version, build.instruction_set AS instruction_set, build.kernels AS kernels, machine_id AS machine, machine.cpu AS cpu,
       machine.cores AS cores, machine.os AS os, host, measured_at, campaign, notes, rtol_asked, solver_language, parameters, form, dimension, t0,
       tend, rtol, atol, )sql" +
           joined(settings, ", ") + R"sql(, options, outcome, message, t_end_reached, y, scd, scd_abs, mescd,
       steps, accepted, rejected, nfev, nfev_jac, njac, nlu, nsolve, cpu_s, wall_s, repeats, cpu_samples, wall_samples, claimed, command, extra
FROM run JOIN problem ON problem.id = run.problem_id JOIN solver ON solver.id = run.solver_id JOIN build ON build.id = run.build_id
     JOIN machine ON machine.id = run.machine_id;

CREATE VIEW failed AS SELECT * FROM runs WHERE outcome <> 'success';
)sql";
}

/// The column of a setting; runs from before it have the default.
template <class T>
std::string column_of(const setting<T>& line)
{
    const auto value = as_recorded(line.value);
    const std::string name(line.name);
    if constexpr (std::is_same_v<recorded<T>, std::string>)
        return name + " TEXT NOT NULL DEFAULT '" + value + "'";
    else if constexpr (std::is_integral_v<recorded<T>>)
        return name + " INTEGER NOT NULL DEFAULT " + std::to_string(value);
    else
        return name + " REAL" + (value ? " DEFAULT " + to_text(*value) : "");
}

/// What settings that came with this schema add to the tables.
std::string settings_script(int schema)
{
    std::string text;
    const run_record fields;
    for_each_integration_setting(fields, [&](const auto& line, const auto&) {
        if (line.since == schema) text += "ALTER TABLE run ADD COLUMN " + column_of(line) + ";\n";
    });
    return text.empty() ? text : "DROP VIEW failed;\nDROP VIEW runs;\n" + text + views_of(schema);
}

/// Schemas beyond those written out here come from settings alone.
std::vector<std::string> all_scripts()
{
    std::vector<std::string> scripts{version_1, std::string(version_2) + views_of(2)};
    while (scripts.size() < store_schema) scripts.push_back(settings_script(static_cast<int>(scripts.size()) + 1));
    return scripts;
}

void refuse_foreign(const sqlite::database& db)
{
    if (db.number("PRAGMA application_id") != application_id) throw bad_request("store '" + db.path() + "': the file is not a store of ivp");
}

[[noreturn]] void refuse_later(const sqlite::database& db, std::int64_t version)
{
    throw bad_request("store '" + db.path() + "': it was written by a later version of ivp (schema " + std::to_string(version) +
                      "; this one knows schemas up to " + std::to_string(store_schema) + ")");
}

[[noreturn]] void refuse_earlier_than_any(const sqlite::database& db, std::int64_t version)
{
    throw bad_request("store '" + db.path() + "': the file is damaged: its schema (user_version) is " + std::to_string(version) + "; allowed: 1 to " +
                      std::to_string(store_schema));
}

/// Versions of SQLite may write blanks and quotes differently.
std::string essence_of(std::string_view sql)
{
    std::string text;
    std::ranges::copy_if(sql, std::back_inserter(text), [](char c) { return c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '"'; });
    return text;
}

struct schema_entry {
    std::string type; ///< table, view, index
    std::string text;
    bool operator==(const schema_entry&) const = default;
};

std::map<std::string, schema_entry> schema_of(const sqlite::database& db)
{
    std::map<std::string, schema_entry> entries;
    sqlite::statement s(db, "SELECT name, type, coalesce(sql, '') FROM main.sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_'");
    while (s.step()) entries[std::string(s.text(0))] = {std::string(s.text(1)), essence_of(s.text(2))};
    return entries;
}

/// A file may come from anywhere. Its tables and views must be those that the scripts make; others, of other names, nobody asks for but their owner.
void expect_schema(const sqlite::database& db, std::span<const char* const> scripts)
{
    const auto refuse = [&db](const std::string& what) {
        throw bad_request("store '" + db.path() + "': " + plain_line(what, 200) +
                          "; allowed: the tables, indexes and views of a store as ivp makes them, no triggers, and tables and views of other names");
    };
    sqlite::statement trigger(db, "SELECT name FROM main.sqlite_schema WHERE type = 'trigger'");
    if (trigger.step()) refuse("it has the trigger '" + std::string(trigger.text(0)) + "'");
    const sqlite::database fresh(db.path(), sqlite::mode::memory);
    for (const char* const script : scripts) fresh.execute(script);
    const auto found = schema_of(db);
    for (const auto& [name, entry] : schema_of(fresh)) {
        const auto there = found.find(name);
        if (there == found.end()) refuse("its " + entry.type + " '" + name + "' is missing");
        if (there->second != entry) refuse("its " + there->second.type + " '" + name + "' is not that of a store");
    }
}

} // namespace

std::span<const char* const> store_migrations()
{
    static const std::vector<std::string> texts = all_scripts();
    static const std::vector<const char*> scripts = [] {
        std::vector<const char*> all;
        for (const auto& text : texts) all.push_back(text.c_str());
        return all;
    }();
    return scripts;
}

void migrate(const sqlite::database& db, std::span<const char* const> scripts, const std::function<void(int from)>& finish)
{
    sqlite::transaction whole(db);
    const auto version = db.number("PRAGMA user_version");
    const bool fresh = version == 0 && db.number("SELECT count(*) FROM sqlite_schema") == 0;
    if (fresh) db.execute("PRAGMA application_id = " + std::to_string(application_id));
    refuse_foreign(db);
    const auto newest = static_cast<std::int64_t>(scripts.size());
    if (version > newest) refuse_later(db, version);
    if (version <= 0 && !fresh) refuse_earlier_than_any(db, version);
    expect_schema(db, scripts.first(static_cast<std::size_t>(version)));
    for (auto k = version; k < newest; ++k) db.execute(scripts[static_cast<std::size_t>(k)]);
    db.execute("PRAGMA user_version = " + std::to_string(newest));
    if (finish) finish(static_cast<int>(version));
    whole.commit();
}

bool is_up_to_date(const sqlite::database& db, int version)
{
    refuse_foreign(db);
    const auto found = db.number("PRAGMA user_version");
    if (found > version) refuse_later(db, found);
    if (found <= 0) refuse_earlier_than_any(db, found);
    if (found == version) expect_schema(db, store_migrations().first(static_cast<std::size_t>(found)));
    return found == version;
}

} // namespace ivp
