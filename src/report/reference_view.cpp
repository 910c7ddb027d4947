#include "reference_view.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

#include <ivp/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp {

namespace {

/// The significant digits that are proven of a component.
int proven(const reference_values& r, std::size_t i)
{
    if (r.value[i].value() == 0) return 0;
    return std::clamp(static_cast<int>(std::floor(r.significant(i))), 0, 34);
}

/// All proven digits and no other.
std::string proven_text(const reference_values& r, std::size_t i)
{
    const int digits = proven(r, i);
    return digits == 0 ? "0" : to_text(r.value[i].in<quad>(), digits);
}

json components(const reference_values& r)
{
    json list = json::array();
    for (std::size_t i = 0; i < r.value.size(); ++i)
        list.push_back({{"index", i + 1}, {"value", proven_text(r, i)}, {"digits", r.digits[i]}, {"kind", label(r.kind[i])}});
    return list;
}

json runs_of(const derivation& d)
{
    return json_list(d.runs, [](const auto& r) {
        return json{{"method", r.method},
                    {"tolerance", r.tolerance},
                    {"steps", r.steps},
                    {"evaluations", r.evaluations},
                    {"kinks", r.turns},
                    {"cpu_s", r.cpu_s},
                    {"failure", r.failure.empty() ? json(nullptr) : json(r.failure)}};
    });
}

std::string page_json(const reference_page& page)
{
    const auto& r = page.shown;
    json methods = json::array();
    if (page.derived != nullptr) {
        for (const auto& run : page.derived->runs)
            if (methods.empty() || methods.back() != run.method) methods.push_back(run.method);
    } else {
        for (const auto& text : {r.source, r.confirmed})
            if (!text.empty()) methods.push_back(text);
    }
    json j;
    j["problem"] = page.p->id();
    j["variant"] = setting_text(*page.p);
    j["t"] = r.t.value();
    j["methods"] = methods;
    j["components"] = components(r);
    if (!r.path.empty()) j["path"] = json_list(r.path, [](const auto& at) { return json{{"t", at.t.value()}, {"components", components(at)}}; });
    j["source"] = r.source;
    j["evidence"] = r.confirmed;
    j["recipe"] = r.recipe;
    if (!r.note.empty()) j["note"] = r.note;
    if (page.derived != nullptr) {
        j["runs"] = runs_of(*page.derived);
        j["cpu_s"] = page.derived->cpu_s();
    }
    if (page.compared) {
        j["confirmed"] = page.compared->confirmed();
        j["compared"] = page.compared->compared;
        j["fewer_digits"] = page.compared->fewer_digits;
        j["contradictions"] = json_list(page.compared->contradictions, [](const auto& c) {
            return json{{"t", c.t.value()},     {"index", c.component + 1},         {"stored", c.stored},
                        {"derived", c.derived}, {"stored_digits", c.stored_digits}, {"agreed_digits", json_number(c.agreed_digits)}};
        });
    }
    return j.dump(2) + "\n";
}

std::string table_text(const reference_values& r)
{
    std::string text = fmt::format("at t = {}\n\n", r.t.text());
    for (std::size_t i = 0; i < r.value.size(); ++i)
        text += fmt::format("   y({:>3}) = {:>41}   {} {}\n", i + 1, proven_text(r, i), to_text(r.digits[i]),
                            r.kind[i] == digit_kind::absolute ? "decimals" : "digits");
    return text + "\n";
}

std::string runs_text(const derivation& d)
{
    std::string text = fmt::format("{:<46} {:>9} {:>8} {:>12} {:>6} {:>9}\n", "method", "tolerance", "steps", "evaluations", "kinks", "CPU s");
    for (const auto& r : d.runs)
        text += fmt::format("{:<46} {:>9.0e} {:>8} {:>12} {:>6} {:>9.2f}{}\n", r.method, r.tolerance, r.steps, r.evaluations, r.turns, r.cpu_s,
                            r.failure.empty() ? "" : "   failed: " + r.failure);
    return text + "\n";
}

std::string verdict_text(const confirmation& c)
{
    constexpr std::size_t most_lines = 20;
    if (c.compared == 0) return "There are no stored values to compare with.\n";
    if (c.confirmed()) return fmt::format("Confirmed: all {} agree with the stored values, to all their digits.\n", counted(c.compared, "value"));
    std::string text;
    if (c.fewer_digits > 0)
        text += fmt::format("Not confirmed: {} of {} agree to the digits that this derivation proves, which are fewer than those stored.\n",
                            c.fewer_digits, counted(c.compared, "value"));
    if (c.contradictions.empty()) return text;
    text += fmt::format("Contradicted: {} of {}.\n", c.contradictions.size(), counted(c.compared, "value"));
    for (std::size_t k = 0; k < std::min(most_lines, c.contradictions.size()); ++k) {
        const auto& x = c.contradictions[k];
        text += fmt::format("   y({}) at t = {}: stored {} ({} digits), derived {} (agree to {:.1f})\n", x.component + 1, x.t.text(), x.stored,
                            to_text(x.stored_digits), x.derived, x.agreed_digits);
    }
    return text;
}

std::string page_text(const reference_page& page)
{
    const auto& r = page.shown;
    const std::string variant = setting_text(*page.p);
    std::string text = fmt::format("{}{}: the solution ", page.p->id(), variant.empty() ? "" : " with " + variant);
    for (const auto& at : r.path) text += table_text(at);
    text += table_text(r);
    if (!r.note.empty()) text += wrapped(r.note, 118, 0) + "\n\n";
    if (page.derived != nullptr) text += runs_text(*page.derived);
    if (!r.source.empty()) text += "Source: " + wrapped(r.source, 110, 3) + ".\n";
    if (!r.confirmed.empty()) text += "Evidence: " + wrapped(r.confirmed, 110, 3) + ".\n";
    if (page.compared) text += verdict_text(*page.compared);
    if (!page.repeat.empty()) text += "Derive it again: " + page.repeat + "\n";
    return text;
}

} // namespace

std::string show_reference(const reference_page& page, text_format f)
{
    if (f == text_format::json) return page_json(page);
    if (f == text_format::csv) return reference_csv(page.shown);
    return page_text(page);
}

std::string reference_log_line(const problem& p, const derivation& d, const confirmation& c)
{
    json j;
    j["problem"] = p.id();
    j["variant"] = setting_text(p);
    j["recipe"] = d.recipe.text();
    j["version"] = this_build().version;
    j["confirmed"] = c.confirmed();
    j["compared"] = c.compared;
    j["contradictions"] = c.contradictions.size();
    j["fewer_digits"] = c.fewer_digits;
    j["cpu_s"] = d.cpu_s();
    j["failure"] = d.failure();
    return j.dump() + "\n";
}

std::optional<reference_log_entry> read_reference_log_line(const std::string& line)
{
    try {
        const json j = read_json(line);
        return reference_log_entry{j.at("problem"),  j.value("variant", ""), j.at("recipe"),       j.at("version"), j.at("confirmed"),
                                   j.at("compared"), j.at("contradictions"), j.at("fewer_digits"), j.at("cpu_s"),   j.at("failure")};
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

} // namespace ivp
