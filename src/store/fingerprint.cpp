#include "fingerprint.hpp"

#include "base/sha256.hpp"
#include "columns.hpp"
#include "content_table.hpp"
#include "drivers/plugin.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/problem.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ivp {

namespace {

std::string file_content(const std::string& path)
{
    errno = 0;
    std::ifstream in(file_of_plugin(path), std::ios::binary); // one of several solvers of a library: it is the library that counts
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw bad_request("cannot read '" + path + "': " + std::strerror(errno));
    return sha256(bytes);
}

std::string_view find_row(std::string_view kind, std::string_view name)
{
    const auto rows = content_table();
    const auto row = std::ranges::find_if(rows, [&](const content_row& r) { return r.kind == kind && r.name == name; });
    return row == rows.end() ? std::string_view() : row->hash;
}

/// All of a kind: where a name has no folder of its own, a change of any of them counts.
std::string whole_kind(std::string_view kind)
{
    std::string all;
    for (const auto& r : content_table())
        if (r.kind == kind) all += r.hash;
    return sha256(all);
}

std::string built_in_content(std::string_view kind, std::string name)
{
    const std::string family = name.substr(0, name.find('-')); // a folder may hold a whole family
    std::ranges::replace(name, '-', '_');
    for (const auto& folder : {name, family})
        if (const auto hash = find_row(kind, folder); !hash.empty()) return std::string(hash);
    return whole_kind(kind);
}

using tolerance_values = std::vector<double> (*)(const std::vector<double>&);

std::vector<double> comparable(const std::vector<double>& tolerances)
{
    std::vector<double> values;
    for (const double v : tolerances) values.push_back(comparable_tolerance(v));
    return values;
}
std::vector<double> as_they_are(const std::vector<double>& tolerances) { return tolerances; }

std::string setting_of(const run_record& r, std::string_view jacobian, std::string_view path, tolerance_values values)
{
    std::string text;
    const auto add = [&text](const char* name, const auto& value) { (text += name) += ' ', text += columns::to_text(value), text += '\n'; };
    const auto word = [&text](const char* name, std::string_view value) { ((text += name) += ' ') += value, text += '\n'; };
    word("problem", r.problem);
    add("parameters", r.parameters);
    word("solver", r.solver);
    word("form", r.form);
    add("interval", std::vector{r.t0, r.tend});
    add("rtol", values(r.rtol));
    add("atol", values(r.atol));
    add("h0", r.h0 ? values({*r.h0}) : std::vector<double>{});
    add("hmax", r.hmax ? std::vector{*r.hmax} : std::vector<double>{});
    word("max_steps", std::to_string(r.max_steps));
    word("jacobian", jacobian);
    word("algebra", path);
    word("threads", std::to_string(r.threads));
    add("options", r.options);
    if (r.restart != "yes") word("restart", r.restart); // the default came before the choice: it keeps its fingerprints
    // The catalog's own settings keep the fingerprints they have had from the first store on; others name their origin.
    std::string setting = sha256(text);
    if (r.problem_origin != "own") setting += " problem: " + r.problem_origin;
    if (r.solver_origin != "own" && r.solver_origin != "driver") setting += " solver: " + r.solver_origin;
    return setting;
}

} // namespace

std::string problem_content(const std::string& id_or_path)
{
    return names_a_file(id_or_path) ? file_content(id_or_path) : built_in_content("problem", id_or_path);
}

std::string solver_content(const std::string& name_or_path)
{
    if (names_a_file(name_or_path)) return file_content(name_or_path);
    const auto own = solver_names();
    return std::ranges::find(own, name_or_path) != own.end() ? built_in_content("solver", name_or_path) : whole_kind("driver");
}

std::string platform_content() { return std::string(find_row("platform", "")); }

std::string setting_of(const run_record& planned, const run_settings& s)
{
    return setting_of(planned, label(s.jacobian), label(s.algebra), comparable);
}
std::string setting_of(const run_record& finished) { return setting_of(finished, finished.jacobian, finished.algebra, comparable); }

std::string comparable_setting(const run_record& r, const std::string& setting)
{
    const auto is_comparable = [](const std::vector<double>& v) { return v == comparable(v); };
    if (is_comparable(r.rtol) && is_comparable(r.atol) && (!r.h0 || is_comparable({*r.h0}))) return setting;
    // What was asked for is not in the record, but one of few possibilities must have given the fingerprint.
    for (const auto jacobian : {jacobian_source::exact, jacobian_source::differences, jacobian_source::original})
        for (const auto path : {algebra::automatic, algebra::dense, algebra::band, algebra::sparse})
            if (setting_of(r, label(jacobian), label(path), as_they_are) == setting) return setting_of(r, label(jacobian), label(path), comparable);
    return setting;
}

} // namespace ivp
