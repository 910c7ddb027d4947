#include "published.hpp"

#include "base/escape.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "report/assets.hpp"
#include "report/columns.hpp"
#include "report/render/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ivp {

namespace {

constexpr std::array<const char*, 5> count_names{"steps", "accepted", "f", "Jacobians", "LU"};

std::optional<double> number(const std::string& text) { return text.empty() ? std::nullopt : parse_real(text); }

std::optional<std::uint64_t> whole(const std::string& text)
{
    const auto v = number(text);
    return v ? std::optional(static_cast<std::uint64_t>(*v)) : std::nullopt;
}

/// Rows of a file that comes with the program, without its head; no cell of these has a comma but the last.
std::vector<std::vector<std::string>> rows_of(const char* file, std::size_t columns)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto& line : lines_of(file)) {
        auto cells = split(line, ',');
        while (cells.size() > columns) {
            cells[cells.size() - 2] += "," + cells.back();
            cells.pop_back();
        }
        if (cells.size() == columns) rows.push_back(std::move(cells));
    }
    if (!rows.empty()) rows.erase(rows.begin());
    return rows;
}

published_run run_of(const std::vector<std::string>& c)
{
    published_run r;
    r.problem = c[0];
    r.solver = c[1];
    r.ours = c[2];
    r.rtol = number(c[3]).value_or(0);
    r.atol = c[4];
    r.h0 = c[5];
    r.mescd = number(c[6]);
    r.scd = number(c[7]);
    for (std::size_t k = 0; k < r.counts.size(); ++k) r.counts[k] = whole(c[8 + k]);
    r.cpu_s = number(c[13]);
    r.source = c[14];
    return r;
}

/// VODE and MEBDF count the evaluations for difference quotients with the others; PSIDE counts the factorisations of its stages one by one.
std::array<std::optional<std::uint64_t>, 5> counts_as_printed(const run_record& r)
{
    const bool with_differences = r.solver == "vode" || r.solver == "mebdfi" || r.solver == "mebdfdae";
    return {r.steps, r.accepted, with_differences ? r.nfev + r.nfev_jac : r.nfev, r.njac, r.nlu};
}

std::string reason_for(const published_run& p)
{
    for (const auto& c : rows_of(assets::reasons_csv, 4))
        if (c[0] == p.problem && (c[1].empty() || c[1] == p.ours) && (c[2].empty() || std::abs(number(c[2]).value_or(0) / p.rtol - 1) < 1e-6))
            return c[3];
    return "";
}

void compare(published_comparison& c)
{
    double worst = 0;
    bool equal = true;
    bool any = false;
    for (std::size_t k = 0; k < count_names.size(); ++k) {
        if (!c.published.counts[k] || !c.counts[k]) continue;
        any = true;
        const auto was = static_cast<double>(*c.published.counts[k]);
        const auto is = static_cast<double>(*c.counts[k]);
        equal = equal && was == is;
        const double off = was > 0 ? is / was - 1 : is;
        if (std::abs(off) <= std::abs(worst)) continue;
        worst = off;
        c.difference = fmt::format("{} {}{:.{}f} %", count_names[k], off < 0 ? "−" : "+", 100 * std::abs(off), std::abs(off) < 0.0995 ? 1 : 0);
    }
    c.equal = any && equal;
    if (!c.equal && any) c.reason = reason_for(c.published);
}

std::string count_text(const std::optional<std::uint64_t>& n) { return n ? std::to_string(*n) : ""; }

json row_json(const published_comparison& c)
{
    const auto& p = c.published;
    json j{{"problem", p.problem},          {"solver", p.solver},       {"source", p.source}, {"rtol", p.rtol}, {"atol", p.atol}, {"h0", p.h0},
           {"mescd", json_number(p.mescd)}, {"scd", json_number(p.scd)}};
    const auto counts = [](const std::array<std::optional<std::uint64_t>, 5>& all) {
        json values = json::object();
        for (std::size_t k = 0; k < all.size(); ++k) values[count_names[k]] = all[k] ? json(*all[k]) : json(nullptr);
        return values;
    };
    j["published"] = counts(p.counts);
    j["published_cpu_s"] = json_number(p.cpu_s);
    j["our_solver"] = p.ours;
    j["ours"] = c.ours != nullptr ? counts(c.counts) : json(nullptr);
    j["our_mescd"] = c.ours != nullptr ? json_number(c.ours->mescd) : json(nullptr);
    j["equal"] = c.ours != nullptr ? json(c.equal) : json(nullptr);
    j["difference"] = c.difference;
    j["reason"] = c.reason;
    return j;
}

} // namespace

std::vector<published_run> published_runs(std::string_view problem)
{
    std::vector<published_run> found;
    for (const auto& c : rows_of(assets::published_runs_csv, 15))
        if (c[0] == problem) found.push_back(run_of(c));
    return found;
}

std::vector<std::string> published_problems()
{
    std::vector<std::string> ids;
    for (const auto& c : rows_of(assets::published_runs_csv, 15))
        if (std::ranges::find(ids, c[0]) == ids.end()) ids.push_back(c[0]);
    return ids;
}

std::vector<published_comparison> beside_ours(std::string_view problem, std::span<const run_record> records)
{
    std::vector<published_comparison> rows;
    for (auto& p : published_runs(problem)) {
        published_comparison c{std::move(p), nullptr, {}, false, "", ""};
        for (const auto& r : records) // of several the last
            if (!c.published.ours.empty() && r.full_problem() == problem && r.full_solver() == c.published.ours && r.threads == 1 &&
                r.parameters.empty() && r.options.empty() && c.published.rtol > 0 && std::abs(r.ladder_rtol() / c.published.rtol - 1) < 1e-6)
                c.ours = &r;
        if (c.ours != nullptr) {
            c.counts = counts_as_printed(*c.ours);
            compare(c);
        }
        rows.push_back(std::move(c));
    }
    return rows;
}

std::string published_summary(std::span<const published_comparison> rows)
{
    std::size_t repeated = 0;
    std::size_t equal = 0;
    for (const auto& c : rows) {
        repeated += c.ours != nullptr;
        equal += c.equal;
    }
    if (rows.empty()) return "";
    if (repeated == 0) return fmt::format("{} published; none was repeated here.", counted(rows.size(), "run"));
    return fmt::format("{} of the {} published runs that were repeated have every published count.", equal, repeated);
}

std::string published_table(std::span<const published_comparison> rows, text_format f)
{
    if (f == text_format::json) return json_list(rows, row_json).dump(2) + "\n";
    if (f == text_format::csv) {
        std::string text = "problem,solver,source,rtol,mescd,scd,steps,accepted,f,jacobians,lu,cpu,our_solver,our_mescd,our_steps,our_accepted,our_f,"
                           "our_jacobians,our_lu,equal,difference,reason\n";
        const auto counts = [](const auto& all) {
            std::string cells;
            for (const auto& n : all) cells += "," + count_text(n);
            return cells;
        };
        for (const auto& c : rows) {
            const auto& p = c.published;
            text += fmt::format("{},{},{},{:g},{},{}{},{},{},{}{},{},{},{}\n", p.problem, csv_cell(p.solver), p.source, p.rtol,
                                digits_number(medium::text, p.mescd), digits_number(medium::text, p.scd), counts(p.counts),
                                p.cpu_s ? fmt::format("{:g}", *p.cpu_s) : "", p.ours,
                                c.ours != nullptr ? digits_number(medium::text, c.ours->mescd) : "", counts(c.counts),
                                c.ours == nullptr ? ""
                                : c.equal         ? "yes"
                                                  : "no",
                                csv_cell(c.difference), csv_cell(c.reason));
        }
        return text;
    }
    constexpr auto line = "{:<10} {:<6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8} {:>7} {:>7}  {}\n";
    std::string text = fmt::format(line, "solver", "source", "rtol", "mescd", "scd", "steps", "accept", "#f", "#Jac", "#LU", "");
    const auto rule = [](std::size_t n) { return std::string(n, '-') + "\n"; };
    text += rule(84);
    for (const auto& c : rows) {
        const auto& p = c.published;
        const auto& n = p.counts;
        text += fmt::format(line, p.solver.substr(0, p.solver.find(' ')), p.source, tolerance_number(medium::text, p.rtol),
                            digits_number(medium::text, p.mescd), digits_number(medium::text, p.scd), count_text(n[0]), count_text(n[1]),
                            count_text(n[2]), count_text(n[3]), count_text(n[4]),
                            c.ours == nullptr ? "not repeated here"
                            : c.equal         ? "equal"
                                              : c.difference);
        if (c.ours == nullptr || c.equal) continue;
        const auto& o = c.counts;
        text +=
            fmt::format(line, "  " + c.ours->solver, "ours", "", digits_number(medium::text, c.ours->mescd), digits_number(medium::text, c.ours->scd),
                        count_text(o[0]), count_text(o[1]), count_text(o[2]), count_text(o[3]), p.counts[4] ? count_text(o[4]) : "", c.reason);
    }
    return text + "\n" + published_summary(rows) + "\n";
}

} // namespace ivp
