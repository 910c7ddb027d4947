#include "catalog_view.hpp"

#include "base/escape.hpp"
#include "base/json.hpp"
#include "base/labels.hpp"
#include "base/text.hpp"
#include "detest/data.hpp"
#include "model/reference.hpp"
#include "report/library_warnings.hpp"
#include "report/render/markdown_text.hpp"
#include "report/solver_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ivp {

namespace {

json problem_json(const problem& p)
{
    const auto& i = p.info();
    json j;
    j["id"] = i.id;
    j["title"] = i.title;
    j["form"] = label(i.form);
    j["dimension"] = i.n;
    j["index"] = i.highest_index;
    j["t0"] = i.t0.value();
    j["tend"] = i.tend.value();
    j["jacobian"] = i.jacobian_structure.describe();
    j["mass"] = i.form == form::ide ? "in G" : p.in<double>().mass().describe();
    j["breakpoints"] = json_list(i.breakpoints, [](const decimal& b) { return b.value(); });
    j["reference_digits"] = p.reference() ? json(*std::min_element(p.reference()->digits.begin(), p.reference()->digits.end())) : json(nullptr);
    j["tags"] = i.tags;
    j["contributor"] = i.contributor;
    j["quantity_of_interest"] = i.quantity_of_interest;
    return j;
}

json solver_json(const solver& s)
{
    const auto& i = s.info();
    json j;
    j["id"] = i.name;
    j["title"] = i.title;
    j["version"] = i.version;
    j["origin"] = i.origin;
    j["language"] = i.language;
    j["available"] = true;
    j["library"] = i.library;
    j["library_optimised"] = i.library_slowdown ? json(!is_unoptimised(i.library_slowdown)) : json(nullptr);
    j["forms"] = forms_of(i);
    j["highest_index"] = i.highest_index;
    j["order"] = {i.lowest_order, i.highest_order};
    j["implicit"] = i.implicit;
    j["needs_h0"] = i.needs_h0;
    j["takes_h0"] = i.takes_h0;
    j["band"] = i.takes_band;
    j["sparse"] = i.takes_sparse;
    j["krylov"] = i.takes_krylov;
    j["threads"] = i.max_threads;
    j["error_estimate"] = i.gives_error_estimate;
    j["locally_extrapolated"] = i.locally_extrapolated;
    j["error_norm"] = i.error_norm;
    j["lu_unit"] = i.lu_unit;
    j["reference"] = i.reference;
    j["options"] = json_list(i.options, [](const solver_option& o) {
        return json{{"name", o.name}, {"kind", label(o.kind)},  {"default", o.value},  {"min", o.min},
                    {"max", o.max},   {"allowed", o.allowed()}, {"meaning", o.meaning}};
    });
    return j;
}

/// The columns of the others, with nothing in them.
json unavailable_json(const library_solver& u, const json& like)
{
    json j = like;
    for (auto& value : j) value = nullptr;
    j["id"] = u.name;
    j["available"] = false;
    j["reference"] = "needs " + u.library;
    return j;
}

std::string csv_of(const json& rows)
{
    if (rows.empty()) return "";
    std::vector<std::string> names;
    for (const auto& [key, value] : rows[0].items()) names.push_back(key);
    std::string text = joined(names, ",") + "\n";
    for (const auto& row : rows) {
        std::vector<std::string> cells;
        for (const auto& [key, value] : row.items())
            cells.push_back(value.is_null() ? "" : csv_cell(value.is_string() ? value.get<std::string>() : value.dump()));
        text += joined(cells, ",") + "\n";
    }
    return text;
}

/// The collection a problem came with, as the heading of its part of a list.
std::string_view family_of(const problem& p)
{
    if (std::ranges::find(p.info().tags, "size") != p.info().tags.end()) return "Problems with a size: the parameter N";
    const detest_data* const d = detest_data_of(p.id());
    if (d == nullptr) return "Test set for initial value problem solvers";
    return d->set == detest_set::nonstiff ? "DETEST, non-stiff, classes A to F" : "DETEST, stiff, classes A to F";
}

/// One heading for each family where a list has several, and none where a sorted list mixes them.
bool has_parts(std::span<const problem> problems)
{
    std::vector<std::string_view> families;
    for (const auto& p : problems)
        if (families.empty() || families.back() != family_of(p)) families.push_back(family_of(p));
    const std::set<std::string_view> different(families.begin(), families.end());
    return families.size() > 1 && different.size() == families.size();
}

std::string interval(const problem_info& i) { return fmt::format("[{}, {}]", i.t0.text(), i.tend.text()); }

std::string parameter_table(std::span<const parameter> parameters)
{
    if (parameters.empty()) return "";
    std::size_t name_width = 0;
    std::size_t value_width = 0;
    for (const auto& p : parameters) {
        name_width = std::max(name_width, p.name.size());
        value_width = std::max(value_width, p.value.text().size());
    }
    const std::size_t indent = 3 + name_width + 2 + value_width + 3;
    std::string text = "Parameters (--set name=value)\n\n";
    for (const auto& p : parameters)
        text += fmt::format("   {:<{}}  {:>{}}   {}\n", p.name, name_width, p.value.text(), value_width,
                            wrapped(p.meaning, 88 - indent, static_cast<int>(indent)));
    return text + "\n";
}

std::string order_of(const solver_info& i)
{
    return i.lowest_order == i.highest_order ? std::to_string(i.lowest_order) : fmt::format("{}-{}", i.lowest_order, i.highest_order);
}

std::string solver_facts(const solver_info& i)
{
    std::string text = "Facts\n\n";
    const auto fact = [&text](const char* name, const std::string& value) {
        if (!value.empty()) text += fmt::format("   {:<20} {}\n", name, wrapped(value, 60, 24));
    };
    fact("name", fmt::format("{} {} ({}, {})", i.name, i.version, i.origin, i.language));
    fact("forms", forms_text(i));
    fact("order", order_of(i));
    fact("first step", first_step_text(i));
    fact("local extrapolation", yes_or_no(i.locally_extrapolated));
    fact("error norm", i.error_norm);
    fact("one LU is", i.lu_unit);
    fact("reference", i.reference);
    fact("library", i.library);
    if (is_unoptimised(i.library_slowdown)) {
        library_warnings warnings;
        warnings.add(i.name, i.library, i.library_slowdown);
        fact("WARNING", joined(warnings.sentences(), " "));
    }
    return text;
}

} // namespace

std::vector<std::string> forms_of(const solver_info& i)
{
    std::vector<std::string> forms;
    for (const form f : {form::ode, form::dae, form::ide})
        if (i.takes(f)) forms.emplace_back(label(f));
    return forms;
}

std::string forms_text(const solver_info& i)
{
    return joined(forms_of(i), ", ") + (i.highest_index > 0 ? fmt::format(", up to index {}", i.highest_index) : "");
}

std::string first_step_text(const solver_info& i) { return i.needs_h0 ? "must be given" : i.takes_h0 ? "can be given" : "its own"; }

std::optional<text_format> text_format_from_label(std::string_view text)
{
    return enum_labels<text_format, 4>{{"text", "json", "csv", "html"}}.find(text);
}

std::string problem_list(std::span<const problem> problems, text_format f)
{
    if (f != text_format::text) {
        const json rows = json_list(problems, problem_json);
        return f == text_format::json ? rows.dump(2) + "\n" : csv_of(rows);
    }
    std::string text = fmt::format("{:<14}{:<6}{:>5} {:>6}  {:<18}{:<12}{:<12}{:>7}  {}\n", "id", "form", "n", "index", "interval", "Jacobian",
                                   "mass", "breaks", "tags");
    const bool parts = has_parts(problems);
    std::string_view part;
    for (const auto& p : problems) {
        const auto& i = p.info();
        if (parts && part != family_of(p)) {
            part = family_of(p);
            text += fmt::format("\n{}\n", part);
        }
        const std::string jacobian = i.jacobian_structure.kind == structure_kind::sparse ? "sparse" : i.jacobian_structure.describe();
        text += fmt::format("{:<14}{:<6}{:>5} {:>6}  {:<18}{:<12}{:<12}{:>7}  {}\n", i.id, label(i.form), i.n,
                            i.form == form::ode ? "-" : std::to_string(i.highest_index), interval(i), jacobian,
                            i.form == form::ide ? "in G" : p.in<double>().mass().describe(), i.breakpoints.size(), joined(i.tags, ", "));
    }
    return text;
}

std::string solver_list(std::span<const std::unique_ptr<const solver>> solvers, std::span<const library_solver> unavailable, text_format f)
{
    if (f != text_format::text) {
        json rows = json_list(solvers, [](const auto& s) { return solver_json(*s); });
        for (const auto& u : unavailable) rows.push_back(unavailable_json(u, rows.empty() ? json::object() : rows[0]));
        return f == text_format::json ? rows.dump(2) + "\n" : csv_of(rows);
    }
    std::size_t width = 10;
    for (const auto& s : solvers) width = std::max(width, s->info().name.size());
    for (const auto& u : unavailable) width = std::max(width, u.name.size());
    width += 2;
    constexpr auto row = "{:<{}}{:<14}{:>6} {:>7}  {:<9}{:<6}{:<7}{:<8}{}\n";
    std::string text = fmt::format(row, "id", width, "forms", "index", "order", "needs h0", "band", "sparse", "threads", "reference");
    for (const auto& s : solvers) {
        const auto& i = s->info();
        text += fmt::format(row, i.name, width, joined(forms_of(i), " "), i.highest_index == 0 ? "-" : std::to_string(i.highest_index), order_of(i),
                            yes_or_no(i.needs_h0), yes_or_no(i.takes_band), yes_or_no(i.takes_sparse), i.max_threads, i.reference);
    }
    for (const auto& u : unavailable) text += fmt::format("{:<{}}unavailable: needs {}\n", u.name, width, u.library);
    library_warnings warnings;
    for (const auto& s : solvers) warnings.add(s->info().name, s->info().library, s->info().library_slowdown);
    return text + warnings.text();
}

std::string problem_page(const problem& p, std::span<const parameter> parameters, text_format f, std::size_t width)
{
    if (f == text_format::json) {
        json j = problem_json(p);
        json list = json::array();
        for (const auto& q : parameters)
            list.push_back({{"name", q.name}, {"default", q.value.value()}, {"min", q.min.value()}, {"max", q.max.value()}, {"meaning", q.meaning}});
        j["parameters"] = list;
        if (const auto& r = p.reference()) {
            json values = json::array();
            for (const auto& v : r->value) values.push_back(v.text());
            j["reference"] = {{"t", r->t.value()}, {"value", values}, {"digits", r->digits}, {"source", r->source}, {"confirmed", r->confirmed}};
        }
        j["chapter"] = p.chapter().markdown;
        return j.dump(2) + "\n";
    }
    std::string text = text_from_markdown(p.chapter().markdown, width) + "\n" + parameter_table(parameters);
    const auto& r = p.reference();
    if (!r) return text;
    text += fmt::format("Reference solution at t = {}\n\n", r->t.text());
    for (std::size_t i = 0; i < r->value.size(); ++i)
        text += fmt::format("   y({:>3}) = {:>28}   {} {} {}\n", i + 1, r->value[i].text(), r->digits[i], r->absolute_digits ? "decimals" : "digits",
                            is_estimated(r->confirmed) ? "estimated" : "confirmed");
    return text;
}

std::string solver_page(const solver& s, text_format f, std::size_t width)
{
    const ivp::chapter c = s.chapter();
    if (f == text_format::json) {
        json j = solver_json(s);
        j["chapter"] = chapter_with_options(s);
        return j.dump(2) + "\n";
    }
    const auto& i = s.info();
    return (c.markdown.empty() ? fmt::format("{}\n", i.title) : text_from_markdown(c.markdown, width)) + "\n" + solver_facts(i) + "\n" +
           options_text(i);
}

std::string check_page(const check_report& r, text_format f)
{
    if (f == text_format::json) {
        json findings = json::array();
        for (const auto& x : r.findings)
            findings.push_back({{"what", x.what}, {"passed", x.proof != proof::failed}, {"proof", label(x.proof)}, {"detail", x.detail}});
        return json{{"problem", r.problem}, {"passed", r.passed()}, {"findings", findings}}.dump(2) + "\n";
    }
    std::string text = "Checking problem " + r.problem + "\n\n";
    for (const auto& x : r.findings)
        text += fmt::format("   {:<8} {:<32} {}\n",
                            x.proof == proof::failed ? "FAILED"
                            : x.proof == proof::none ? "-"
                                                     : label(x.proof),
                            x.what, x.detail);
    const bool open = std::ranges::any_of(r.findings, [](const finding& x) { return x.proof == proof::claimed; });
    return text + "\n" + (r.passed() ? "All checks passed." : "Not all checks passed.") +
           (open ? " The tool could not test the lines with 'claimed' completely." : "") + "\n";
}

} // namespace ivp
