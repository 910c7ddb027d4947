#include "commands.hpp"

#include "base/escape.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace ivp::cli {

namespace {

struct query_arguments : command {
    query_arguments() : command("query", "Query a store in SQL (views: runs, samples, failed)") {}

    text sql = word("sql", "One SELECT statement, in quotes", "a SELECT statement in quotes");
    text db = option("--db", "Store", default_store);
    text format = option("--format", "text, csv, json", "text");
};

std::string json_of(const query_value& v)
{
    if (std::holds_alternative<std::monostate>(v)) return "null";
    if (const auto* text = std::get_if<std::string>(&v)) return json_text(*text);
    const auto* const real = std::get_if<double>(&v);
    return real != nullptr && !std::isfinite(*real) ? "null" : to_text(v);
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
                    throw bad_request("query: several columns have the name '" + name + "'; for JSON give each its own name (AS)");
            return;
        }
        cells(names);
    }
    void row(const query_row& values)
    {
        if (format_ == text_format::json) {
            std::cout << (first_ ? "[\n{" : ",\n{");
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
        if (format_ == text_format::json) std::cout << (first_ ? "[]\n" : "\n]\n");
        std::cout << aligned(table_, "", "  ");
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

} // namespace

std::unique_ptr<command> query_command() { return make_command(query); }

} // namespace ivp::cli
