#include "choice.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "report/columns.hpp"
#include "report/library_warnings.hpp"

#include <ivp/scalar.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ivp {

namespace {

constexpr std::size_t width = 96;
constexpr const run_column* columns[] = {&column::solver,    &column::rtol,           &column::digits, &column::steps, &column::f,
                                         &column::jacobians, &column::factorisations, &column::cpu,    &column::ratio};

std::string tolerance_words(const run_record& r, double rtol)
{
    if (r.rtol.size() > 1) return fmt::format("rtol {} in the problem's rule for each component", to_text(rtol));
    if (r.atol.size() > 1) return fmt::format("rtol {} and an atol for each component", to_text(rtol));
    return fmt::format("rtol {} and atol {}", to_text(rtol), to_text(r.atol[0]));
}

std::string floor_words(const std::vector<double>& floor)
{
    const auto [least, most] = std::ranges::minmax(floor);
    const auto from = fmt::format("{:.3g}", least), to = fmt::format("{:.3g}", most);
    return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string component_list(const std::vector<int>& components)
{
    constexpr std::size_t shown = 8;
    std::string text;
    for (std::size_t k = 0; k < std::min(components.size(), shown); ++k) text += fmt::format("{}y({})", k == 0 ? "" : ", ", components[k]);
    return components.size() > shown ? text + fmt::format(" and {} more", components.size() - shown) : text;
}

class choice_writer {
public:
    choice_writer(const choice& c, const std::vector<left_out_solver>& left_out) : c_(c), left_out_(left_out) {}

    std::string write()
    {
        line("{} ({}, {}): which solver for {} digits?\n", c_.problem, c_.form, counted(c_.dimension, "equation"), to_text(c_.digits));
        if (const auto* a = c_.answer())
            recommendation(*a);
        else
            nobody();
        measure();
        table();
        warnings();
        reasons();
        if (c_.stopped)
            line("\nNot all candidates were judged, because the search was interrupted; one of them might do better.");
        else if (c_.complete)
            line("\nAll candidates were judged, in {:.1f} s of the {} s allowed.", c_.spent_s, to_text(c_.budget_s));
        else
            line("\n{}",
                 wrapped(fmt::format(
                             "Not all candidates could be judged within the {} s allowed; one of them might do better. --budget {} gives more time.",
                             to_text(c_.budget_s), to_text(4 * c_.budget_s)),
                         width, 0));
        return std::move(out_);
    }

private:
    template <class... A>
    void line(fmt::format_string<A...> text, A&&... a)
    {
        fmt::format_to(std::back_inserter(out_), text, std::forward<A>(a)...);
        out_ += '\n';
    }
    void sentence(const std::string& text) { line("{}", wrapped(text, width, 0)); }

    void recommendation(const candidate_result& a)
    {
        const auto& r = *a.run;
        std::string work = counted(r.nfev + r.nfev_jac, "evaluation") + " of f";
        if (r.njac > 0) work += ", " + counted(r.njac, "Jacobian");
        if (r.nlu > 0) work += ", " + counted(r.nlu, "LU");
        sentence(fmt::format("Take {} with {}: it delivers {} digits for {:.2g} s of CPU time ({}).", a.solver, tolerance_words(r, a.rtol),
                             promised(*a.digits), r.cpu_s, work));
        if (!r.command.empty()) line("\n   {}\n", r.command);
        sentence(fmt::format("Every tolerance that was tried from {} to {} delivers them too.", to_text(*a.loosest), to_text(*a.tightest)));
    }

    void nobody()
    {
        const candidate_result* best = nullptr;
        for (const auto& r : c_.candidates)
            if (r.digits && (best == nullptr || *r.digits > *best->digits)) best = &r;
        if (!c_.reference) {
            sentence(fmt::format("No answer: the digits are known only if two tight runs agree, and {}.", c_.why_no_reference));
        } else if (c_.reference->digits < c_.digits) {
            sentence(fmt::format("No answer: even the tight runs agree to {} digits only; {} digits of a solver cannot be confirmed.",
                                 promised(c_.reference->digits), to_text(c_.digits)));
        } else {
            sentence(fmt::format("No answer: no solver delivers {} digits reliably.", to_text(c_.digits)));
        }
        if (best != nullptr)
            sentence(
                fmt::format("The most digits that are confirmed: {} by {} at rtol {}.", promised(*best->digits), best->solver, to_text(best->rtol)));
        if (best != nullptr && *best->digits >= 1) sentence(fmt::format("Ask for fewer: --digits {}.", promised(*best->digits - 0.1)));
    }

    void measure()
    {
        line("");
        std::string text = fmt::format("Digits are -log10 of the largest |error| / (floor + |y|) at t = {}, with floor = atol / rtol = {} (mescd).",
                                       to_text(c_.tend), floor_words(c_.floor));
        const auto* a = c_.answer();
        if (a != nullptr && !c_.small.empty() && a->relative_digits && *a->relative_digits < c_.digits)
            text +=
                fmt::format(" Relative to |y| alone the answer has {} digits only, because {} much smaller than the floor; --floor sets the size "
                            "below which a component no longer matters.",
                            promised(*a->relative_digits),
                            static_cast<int>(c_.small.size()) == c_.dimension ? "all components are"
                                                                              : component_list(c_.small) + (c_.small.size() == 1 ? " is" : " are"));
        sentence(text);
        if (!c_.reference) return;
        const auto& v = *c_.reference;
        if (v.two_families)
            sentence(fmt::format("Checked against tight runs of two methods: {} at rtol {} and {} at {} agree to {} digits.", v.first,
                                 tolerance_number(medium::text, v.first_rtol), v.second, tolerance_number(medium::text, v.second_rtol),
                                 promised(v.digits)));
        else
            sentence(fmt::format(
                "Checked, with less certainty, against two tight runs of one method, because no other method reached the end: {} at rtol {} "
                "and {} agree to {} digits.",
                v.first, tolerance_number(medium::text, v.first_rtol), tolerance_number(medium::text, v.second_rtol), promised(v.digits)));
    }

    void table()
    {
        const auto* best = c_.answer();
        if (best == nullptr) return;
        text_table table(columns);
        for (const auto& r : c_.candidates) {
            if (r.verdict != verdict::delivers) break;
            table.add({.run = *r.run, .name = r.solver, .ratio = r.run->cpu_s / best->run->cpu_s, .digits = r.digits});
        }
        out_ += "\n" + table.head();
        for (std::size_t k = 0; k < table.size(); ++k) out_ += table.row(k);
    }

    /// Of all that were tried: a slow library also decides who is too slow.
    void warnings()
    {
        library_warnings found;
        for (const auto& r : c_.candidates)
            if (r.run) found.add(*r.run);
        if (const std::string text = found.text(); !text.empty()) out_ += "\n" + text;
    }

    void reasons()
    {
        section("Too slow:", verdict::too_slow);
        section("Not accurate enough:", verdict::too_few);
        section("Failed:", verdict::failed);
        section("Not judged, for lack of time:", verdict::no_time);
        left_out("Cannot take it", true);
        left_out("Not available, because their library was not installed when ivp was built", false);
    }

    void left_out(const char* title, bool available)
    {
        std::vector<std::string> names;
        for (const auto& l : left_out_)
            if (l.available == available) names.push_back(l.name);
        if (!names.empty()) line("\n{}", wrapped(fmt::format("{}: {}.", title, joined(names, ", ")), width, 0));
    }

    /// Who has the same reason stands in one line.
    void section(const char* title, verdict v)
    {
        std::vector<std::pair<std::string, std::string>> lines; // reason, names
        for (const auto& r : c_.candidates) {
            if (r.verdict != v) continue;
            const auto same = std::ranges::find(lines, r.reason, &std::pair<std::string, std::string>::first);
            if (same == lines.end())
                lines.emplace_back(r.reason, r.solver);
            else
                same->second += ", " + r.solver;
        }
        if (!lines.empty()) line("\n{}", title);
        for (const auto& [reason, names] : lines) line("   {}", wrapped(fmt::format("{}: {}", names, reason), width - 6, 6));
    }

    const choice& c_;
    const std::vector<left_out_solver>& left_out_;
    std::string out_;
};

/// As in records: one number for all, or one for each component.
json one_or_all(const std::vector<double>& v) { return v.size() == 1 ? json(v[0]) : json(v); }

json candidate_json(const candidate_result& r)
{
    json j;
    j["solver"] = r.solver;
    j["verdict"] = label(r.verdict);
    j["reason"] = r.reason;
    j["rtol"] = r.run ? json(r.rtol) : json(nullptr);
    j["digits"] = json_number(r.digits);
    j["relative_digits"] = json_number(r.relative_digits);
    j["delivers_from_rtol"] = json_number(r.loosest);
    j["delivers_to_rtol"] = json_number(r.tightest);
    j["run"] = r.run ? read_json(to_json(*r.run)) : json(nullptr);
    j["tried"] = json_list(r.tried, [](const auto& t) {
        return json{{"rtol", rtol_of_notch(t.notch)}, {"digits", json_number(t.digits)}, {"cpu_s", json_number(t.cpu_s)}};
    });
    return j;
}

} // namespace

std::string choice_text(const choice& c, const std::vector<left_out_solver>& left_out) { return choice_writer(c, left_out).write(); }

std::string choice_json(const choice& c, const std::vector<left_out_solver>& left_out)
{
    json j;
    j["problem"] = c.problem;
    j["form"] = c.form;
    j["dimension"] = c.dimension;
    j["tend"] = c.tend;
    j["digits"] = c.digits;
    j["floor"] = one_or_all(c.floor);
    j["smaller_than_floor"] = c.small;
    j["budget_s"] = c.budget_s;
    j["spent_s"] = c.spent_s;
    j["complete"] = c.complete;
    j["answer"] = c.answer() == nullptr
                      ? json(nullptr)
                      : json{{"solver", c.answer()->solver},  {"rtol", c.answer()->rtol},        {"atol", one_or_all(c.answer()->run->atol)},
                             {"digits", *c.answer()->digits}, {"cpu_s", c.answer()->run->cpu_s}, {"command", c.answer()->run->command}};
    j["reference"] = nullptr;
    if (const auto& v = c.reference)
        j["reference"] = {{"first", v->first},
                          {"first_rtol", v->first_rtol},
                          {"second", v->second},
                          {"second_rtol", v->second_rtol},
                          {"agree_to_digits", v->digits},
                          {"two_methods", v->two_families},
                          {"y", v->y}};
    else
        j["why_no_reference"] = c.why_no_reference;
    j["candidates"] = json_list(c.candidates, candidate_json);
    library_warnings warnings;
    for (const auto& r : c.candidates)
        if (r.run) warnings.add(*r.run);
    j["warnings"] = warnings.sentences();
    j["left_out"] = json_list(left_out, [](const left_out_solver& l) { return json{{"solver", l.name}, {"why", l.why}}; });
    return j.dump() + "\n";
}

} // namespace ivp
