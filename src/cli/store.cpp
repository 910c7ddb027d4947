// Commands on stores: records, query, import, merge, compare.
#include "commands.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/comparison.hpp"
#include "store/compare.hpp"
#include "store/import.hpp"
#include "store/merge.hpp"

#include <ivp/store.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

namespace ivp::cli {

int records(const records_arguments& a)
{
    if (a.jsonl == a.csv) throw bad_request("records: allowed: one of --jsonl and --csv");
    const store db(a.db, store::access::read);
    run_filter filter;
    if (a.problems) filter.problems = split_names(*a.problems);
    if (a.solvers) filter.solvers = split_names(*a.solvers);
    filter.newest_only = !a.all;
    if (a.csv) std::cout << stored_csv_header() << '\n';
    db.for_each_run(filter, [&a](const stored_run& r) { std::cout << (a.csv ? to_csv(r) : to_json(r)) << '\n'; });
    return done;
}

namespace {

std::string json_of(const query_value& v)
{
    if (std::holds_alternative<std::monostate>(v)) return "null";
    if (const auto* text = std::get_if<std::string>(&v)) return nlohmann::json(*text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return to_text(v);
}

/// Rows as they come, in one of the formats.
class row_printer {
public:
    explicit row_printer(text_format f) : format_(f) {}

    void head(const std::vector<std::string>& names)
    {
        names_ = names;
        if (format_ == text_format::json) {
            for (const auto& name : names)
                if (std::ranges::count(names, name) > 1)
                    throw bad_request("query: several columns have the name '" + name + "'; for JSON give each a name of its own (AS)");
            std::cout << '[';
            return;
        }
        cells(names);
    }
    void row(const query_row& values)
    {
        if (format_ == text_format::json) {
            std::cout << (first_ ? "\n{" : ",\n{");
            first_ = false;
            for (std::size_t k = 0; k < values.size(); ++k) std::cout << (k == 0 ? "" : ",") << json_of(names_[k]) << ':' << json_of(values[k]);
            std::cout << '}';
            return;
        }
        std::vector<std::string> texts;
        for (const auto& v : values) texts.push_back(to_text(v));
        cells(std::move(texts));
    }
    void finish() const
    {
        if (format_ == text_format::json) std::cout << (first_ ? "]\n" : "\n]\n");
        std::vector<std::size_t> width;
        for (const auto& row : table_)
            for (std::size_t k = 0; k < row.size(); ++k) {
                if (k == width.size()) width.push_back(0);
                width[k] = std::max(width[k], row[k].size());
            }
        for (const auto& row : table_) {
            std::string line;
            for (std::size_t k = 0; k < row.size(); ++k) line += fmt::format("{:<{}}  ", row[k], width[k]);
            std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
        }
    }

private:
    void cells(std::vector<std::string> texts)
    {
        if (format_ == text_format::text) return table_.push_back(std::move(texts)); // aligned at the end
        for (auto& t : texts) t = csv_cell(t);
        std::cout << joined(texts, ",") << '\n';
    }

    text_format format_;
    std::vector<std::string> names_;
    std::vector<std::vector<std::string>> table_;
    bool first_ = true;
};

} // namespace

int query(const query_arguments& a)
{
    reader read;
    const text_format f = read.format(a.format, {"text", "csv", "json"});
    read.raise();
    const store db(a.db, store::access::read);
    row_printer print(f);
    db.query(
        a.sql, [&print](const std::vector<std::string>& names) { print.head(names); }, [&print](const query_row& row) { print.row(row); });
    print.finish();
    return done;
}

int import_file(const import_arguments& a)
{
    std::ifstream file;
    if (a.file != "-") {
        errno = 0;
        file.open(a.file);
        if (!file || file.peek() == std::ifstream::traits_type::eof()) {
            if (!file || errno != 0) throw bad_request("cannot read '" + a.file + "': " + std::strerror(errno));
            file.clear();
        }
    }
    const import_result r = import_records(a.file == "-" ? std::cin : file, a.file, a.db);
    fmt::print("{} added to {}", counted(r.added, "run"), a.db);
    if (r.duplicates > 0) fmt::print(", {} {} there already", r.duplicates, r.duplicates == 1 ? "was" : "were");
    fmt::print("\n");
    if (r.judged_otherwise > 0)
        fmt::print("{} claimed success and did not succeed by the rules of ivp; 'ivp query \"SELECT problem, solver, message FROM failed\" --db {}' "
                   "tells why\n",
                   counted(r.judged_otherwise, "run"), shell_word(a.db));
    if (r.without_time > 0) fmt::print("{} without a CPU time: diagrams and tables of time leave them out\n", counted(r.without_time, "run"));
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
