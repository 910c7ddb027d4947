#include "commands.hpp"

#include <iostream>

namespace ivp::cli {

namespace {

struct records_arguments : command {
    records_arguments() : command("records", "Print the records of a store") {}

    text db = option("--db", "Store", default_store);
    yes_or_no jsonl = flag("--jsonl", "One JSON object on each line");
    yes_or_no csv = flag("--csv", "A table with a header");
    optional_text problems = option("--problems", "Only these, separated by commas");
    optional_text solvers = option("--solvers", "Only these, separated by commas");
    yes_or_no all = flag("--all", "Also runs that were measured again later");
};

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

} // namespace

std::unique_ptr<command> records_command() { return make_command(records); }

} // namespace ivp::cli
