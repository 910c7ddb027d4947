// The store: one SQLite file with everything measured. Tables and views: docs/reference/store.md.
//
// Reading is all that reports need:
//
//     const ivp::store db("results.db", ivp::store::access::read);
//     for (const ivp::stored_run& run : db.runs({.problems = {"hires"}})) use(run.record);
#ifndef IVP_STORE_HPP
#define IVP_STORE_HPP

#include <ivp/record.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ivp {

constexpr int store_schema = std::max(2, settings_schema);

/// A record with the fields that the store adds.
struct stored_run {
    run_record record;
    std::string setting;         ///< fingerprint of what was asked for: problem, solver and all numerical settings. The same point of a diagram
    std::string limits;          ///< how often and how long at most, in words
    std::string problem_content; ///< fingerprints of the texts (or plug-in files) these were made of
    std::string solver_content;
    std::string build_content;
    std::string host;               ///< name of the computer
    std::string measured_at;        ///< UTC, "2026-01-31T12:00:00Z"
    std::string campaign;           ///< name of the plan
    std::vector<std::string> notes; ///< what disturbed the machine at that time, in words; empty: nothing
    std::int64_t machine = 0;       ///< number of the machine in this store: only times with the same number are comparable
    std::int64_t id = 0;            ///< number of the run in this store; ascends in the order of storing
};

/// A line of JSON or CSV: the fields of the record, then those of the store.
std::string to_json(const stored_run& r);
std::string stored_csv_header();
std::string to_csv(const stored_run& r);

/// An assessment of a solver by DETEST.
struct stored_assessment {
    std::string set; ///< stiff, nonstiff
    std::string solver;
    std::string solver_version;
    std::string solver_origin;
    std::string library; ///< as in a record
    std::string solver_content;
    int level = 0;
    std::string norm;
    std::string setting; ///< fingerprint of what was asked for
    build_info build;
    std::string build_content;
    machine_info machine;
    std::string host;
    std::string measured_at;
    std::string command;
    std::string json; ///< as `ivp detest --format json` prints it
    std::int64_t id = 0;
};

struct stored_machine {
    std::int64_t id = 0;
    machine_info machine;
    std::vector<std::string> hosts; ///< computers of this kind
    std::uint64_t runs = 0;
};

/// Chooses runs; an empty field chooses all.
struct run_filter {
    std::vector<std::string> problems{};
    std::vector<std::string> solvers{};
    std::vector<outcome> outcomes{};
    std::string campaign{};
    std::optional<std::int64_t> machine{};
    /// If several runs have the same setting on the same machine (after a change of the solver, the build or the limits), only the last.
    bool newest_only = true;
};

/// A value in the result of a query: NULL, a whole number, a real number or text.
using query_value = std::variant<std::monostate, std::int64_t, double, std::string>;
using query_row = std::vector<query_value>;
/// Numbers as they are, to the last digit; NULL is empty.
std::string to_text(const query_value& v);

/// Makes the file of an empty store; a store that exists is not changed. Throws bad_request if the file cannot be made, or if it exists and cannot be
/// written or is not a store.
void make_store(const std::string& path);

class store {
public:
    /// `write` makes the file if it does not exist, and updates one of an older schema; `write_existing` makes none. `read` changes nothing: of an
    /// older store it reads an updated copy.
    enum class access { read, write, write_existing };

    /// Throws bad_request if the file cannot be opened, is not a store, or was written by a later version of this program.
    store(const std::string& path, access a);
    ~store();
    store(store&& other) noexcept;
    store& operator=(store&& other) noexcept;

    // ---- Reading ----

    /// In the order of storing.
    [[nodiscard]] std::vector<stored_run> runs(const run_filter& filter = {}) const;
    /// Visits the runs one by one, for stores larger than the memory. The visitor must not write to the store.
    void for_each_run(const run_filter& filter, const std::function<void(const stored_run&)>& visit) const;
    [[nodiscard]] std::uint64_t count(const run_filter& filter = {}) const;
    [[nodiscard]] std::vector<stored_machine> machines() const;
    [[nodiscard]] std::vector<stored_assessment> assessments() const;
    /// Any SELECT. `head` receives the names of the columns, then `row` every row. Throws bad_request if the statement would change something or is
    /// wrong (for an unknown name: with the known ones).
    void query(const std::string& sql, const std::function<void(const std::vector<std::string>&)>& head,
               const std::function<void(const query_row&)>& row) const;

    /// Whether a run with this setting and these limits, of the same problem and solver, by the same build on the same kind of machine is stored.
    [[nodiscard]] bool contains(const stored_run& planned) const;
    [[nodiscard]] std::optional<stored_run> find(const stored_run& planned) const;

    // ---- Writing: completely or not at all; the data are handed to the system before the call returns ----

    /// False: it was stored before, and is not changed. The store assigns `machine` and `id`.
    bool add(const stored_run& run);
    bool add(const stored_assessment& assessment);
    /// Replaces the stored one, if there is one.
    void replace(const stored_run& run);
    /// Writes several runs: all or none.
    void add_all(const std::function<void()>& additions);

private:
    struct implementation;
    std::unique_ptr<implementation> own_;
};

} // namespace ivp

#endif
