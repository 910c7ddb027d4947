// Commands that read stores: records, query, merge, compare.
#include "commands.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"

#include <ivp/campaign/compare.hpp>
#include <ivp/campaign/merge.hpp>
#include <ivp/campaign/store.hpp>
#include <ivp/report/comparison.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace ivp::cli {

int records(const records_arguments& a)
{
    if (a.jsonl == a.csv) throw bad_request("records: allowed: one of --jsonl and --csv");
    const store db(a.db, store::access::read);
    run_filter filter;
    if (a.problems) filter.problems = split(*a.problems, ',');
    if (a.solvers) filter.solvers = split(*a.solvers, ',');
    filter.newest_only = !a.all;
    if (a.csv) std::cout << stored_csv_header() << '\n';
    db.for_each_run(filter, [&a](const stored_run& r) { std::cout << (a.csv ? to_csv(r) : to_json(r)) << '\n'; });
    return done;
}

int query(const query_arguments& a)
{
    reader read;
    const text_format f = read.format(a.format, {"text", "csv"});
    read.raise();
    const store db(a.db, store::access::read);
    std::vector<std::vector<std::string>> rows;
    const auto csv = [](const auto& cells) {
        std::vector<std::string> quoted;
        for (const auto& c : cells) quoted.push_back(csv_cell(c));
        std::cout << joined(quoted, ",") << '\n';
    };
    const auto take = [&](std::vector<std::string> cells) { f == text_format::csv ? csv(cells) : rows.push_back(std::move(cells)); };
    db.query(a.sql, take, [&take](const query_row& row) {
        std::vector<std::string> cells;
        for (const auto& c : row) cells.push_back(c.value_or(""));
        take(std::move(cells));
    });
    std::vector<std::size_t> width;
    for (const auto& row : rows)
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (k == width.size()) width.push_back(0);
            width[k] = std::max(width[k], row[k].size());
        }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t k = 0; k < row.size(); ++k) line += fmt::format("{:<{}}  ", row[k], width[k]);
        std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
    }
    return done;
}

void print_machines(const std::vector<stored_machine>& machines)
{
    for (const auto& m : machines)
        fmt::print("   machine {}: {}, {}, {}; {} on {}\n", m.id, m.machine.cpu, counted(m.machine.cores, "core"), m.machine.os,
                   counted(m.runs, "run"), joined(m.hosts, ", "));
    if (machines.size() > 1) fmt::print("The runs are of {} kinds of machine: their times are not comparable, and are kept apart\n", machines.size());
}

int merge(const merge_arguments& a)
{
    const merge_result r = merge_stores(a.out, a.in);
    for (const auto& c : r.conflicts) fmt::print(stderr, "ivp: conflict: {}\n", c);
    if (!r.conflicts.empty()) {
        fmt::print(stderr, "ivp: {} {} in several stores with different results; nothing was written\n", counted(r.conflicts.size(), "run"),
                   r.conflicts.size() == 1 ? "is" : "are");
        return not_successful;
    }
    fmt::print("{} added to {}", counted(r.added, "run"), a.out);
    if (r.duplicates > 0) fmt::print(", {} {} there already", r.duplicates, r.duplicates == 1 ? "was" : "were");
    if (r.replaced > 0) fmt::print(", {} took the place of runs ended by a limit", r.replaced);
    if (r.assessments > 0) fmt::print(", {}", counted(r.assessments, "assessment"));
    fmt::print("\n");
    print_machines(r.machines);
    return done;
}

int compare(const compare_arguments& a)
{
    const store before(a.before, store::access::read);
    const store after(a.after, store::access::read);
    const comparison c = compare_stores(before, after);
    std::cout << comparison_table(c, a.before, a.after);
    return c.unchanged() ? done : not_successful;
}

} // namespace ivp::cli
