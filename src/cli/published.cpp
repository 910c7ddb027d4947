#include "report/published.hpp"
#include "base/text.hpp"
#include "commands.hpp"

#include <ivp/catalog.hpp>
#include <ivp/store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace ivp::cli {

namespace {

struct published_arguments : command {
    published_arguments() : command("published", "Show the published runs of a problem beside those of a store") {}

    text problem = word("problem", "Problem id", "a problem of the test set (see 'ivp list problems')");
    optional_text db = option("--db", "Store with runs to compare with; default ivp.db, if it exists");
    text format = option("--format", "text, json, csv", "text");
};

int published(const published_arguments& a)
{
    reader read;
    const text_format format = read.format(a.format, {"text", "json", "csv"});
    const auto known = published_problems();
    if (std::ranges::find(known, a.problem) == known.end())
        read.fault(fmt::format("published: '{}' given; allowed: {}{}", a.problem, joined(known, ", "), nearest_name_hint(a.problem, known)));
    if (a.db && !std::filesystem::exists(*a.db))
        read.fault(fmt::format("--db: '{}' given; allowed: a file written by 'ivp campaign' or 'ivp demo'", *a.db));
    read.raise();
    std::vector<run_record> records;
    if (a.db || std::filesystem::exists(default_store)) {
        const store db(a.db ? *a.db : default_store, store::access::read);
        for (const auto& r : db.runs({}))
            if (r.record.full_problem() == a.problem) records.push_back(r.record);
    }
    const auto rows = beside_ours(a.problem, records);
    std::cout << published_table(rows, format);
    return done;
}

} // namespace

std::unique_ptr<command> published_command() { return make_command(published); }

} // namespace ivp::cli
