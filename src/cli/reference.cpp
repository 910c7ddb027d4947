#include "base/escape.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "progress.hpp"
#include "reading.hpp"
#include "reference/derive.hpp"
#include "report/reference_view.hpp"

#include <ivp/catalog.hpp>
#include <ivp/record.hpp>
#include <ivp/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <set>

namespace ivp::cli {

namespace {

constexpr double least_digits = 1, most_digits = 30;
constexpr double digits_to_make = 16;          // what a run in double can be measured by
constexpr double negligible_part = 1e-12;      // of the largest component
constexpr std::size_t most_path_values = 2500; // at breakpoints, kept in one file

struct request {
    text_format format = text_format::text;
    std::vector<decimal> at;
    std::optional<double> digits, timeout_s;
    std::optional<reference_recipe> recipe;
};

std::vector<decimal> read_times(const std::string& text, const problem& p, reader& read)
{
    std::vector<decimal> times;
    for (const auto& word : split(text, ',')) {
        if (!parse_real(word)) {
            read.fault("--at: '" + word + "' given; allowed: numbers, separated by commas");
            return {};
        }
        times.emplace_back(word);
        const double t = times.back().value();
        if (!(t > p.info().t0.value()) || t > p.info().tend.value())
            read.fault(
                fmt::format("--at: {} given; allowed for {}: times after {}, up to {}", word, p.id(), p.info().t0.text(), p.info().tend.text()));
    }
    std::ranges::sort(times, {}, &decimal::value);
    const auto same = std::ranges::unique(times, {}, &decimal::value);
    times.erase(same.begin(), same.end());
    return times;
}

request read_request(const reference_arguments& a, reader& read)
{
    request r;
    r.format = read.format(a.format, {"text", "json", "csv"});
    const auto within = [&read](const char* name, const std::optional<std::string>& text, double least, double most) -> std::optional<double> {
        if (!text) return std::nullopt;
        const auto v = read.real(name, *text);
        if (v && (*v < least || *v > most))
            read.fault(fmt::format("{}: {} given; allowed: a number from {} to {}", name, *text, to_text(least), to_text(most)));
        return v;
    };
    r.digits = within("--digits", a.digits, least_digits, most_digits);
    r.timeout_s = within("--timeout", a.timeout, 1e-3, 1e9);
    if (a.recipe) r.recipe = read.attempt([&] { return reference_recipe::from_text(*a.recipe); });
    if (a.recipe && a.digits) read.fault("--recipe and --digits: a recipe says how much effort to make; give one of them");
    if (a.resume && a.problem != "all") read.fault("--resume: allowed with 'ivp reference all --recompute' only");
    return r;
}

/// The end, and the breakpoints where they are not too many.
std::vector<decimal> times_to_keep(const problem& p)
{
    std::vector<decimal> times;
    if (p.info().breakpoints.size() * static_cast<std::size_t>(p.n()) <= most_path_values)
        for (const auto& b : p.info().breakpoints)
            if (b.value() > p.info().t0.value() && b.value() < p.info().tend.value()) times.push_back(b);
    times.push_back(p.info().tend);
    return times;
}

std::vector<decimal> times_stored(const reference_file& r)
{
    std::vector<decimal> times;
    for (const auto& at : r.path) times.push_back(at.t);
    times.push_back(r.t);
    return times;
}

/// What a derivation found, as a reference.
reference_file reference_from(const derivation& d)
{
    reference_file r;
    std::vector<reference_values> tables;
    for (const auto& at : d.at) tables.push_back(at.rounded());
    static_cast<reference_values&>(r) = tables.back();
    tables.pop_back();
    r.path = std::move(tables);
    r.recipe = d.recipe.text();
    std::string others;
    std::string own;
    for (const auto& run : d.runs) {
        if (run.method == d.runs.front().method) {
            own += (own.empty() ? "" : " and ") + fmt::format("{:.0e}", run.tolerance);
            continue;
        }
        others += fmt::format("{}{:.0e}", others.empty() ? run.method + " at tolerances " : " and ", run.tolerance);
    }
    r.source = fmt::format("{} in quadruple precision, tolerances {}", d.runs.front().method, own);
    r.confirmed = fmt::format("{}; all runs agree to the digits given and one more", others);
    return r;
}

/// Sizes of components at the end, from a run in double: those that begin at zero have none of their own.
std::vector<double> rough_sizes(const problem& p)
{
    run_settings settings;
    settings.rtol = 1e-6;
    settings.repeat = 1;
    const run_record r = measure_run(p, *open_solver("radau"), settings);
    std::vector<double> size;
    if (r.outcome != outcome::success) return size;
    double largest = 0;
    for (const double v : r.y) largest = std::max(largest, std::abs(v));
    for (int i = 0; i < p.n(); ++i) size.push_back(std::max(std::abs(r.y[i]), negligible_part * largest));
    return size;
}

derivation derive_as_asked(const problem& p, const request& r, std::vector<decimal> times)
{
    progress_line progress("integrating");
    derivation_request d;
    d.times = std::move(times);
    d.timeout_s = r.timeout_s;
    d.progress = [&progress](const std::string& what) { progress.next(what); };
    if (!p.reference()) d.size = rough_sizes(p);
    if (r.digits) return derive_digits(p, *r.digits, d);
    return derive(p, r.recipe.value_or(recipe_of(p)), d);
}

int show_stored(const problem& p, const request& r)
{
    if (!p.reference()) throw bad_request(fmt::format("'{}' has no reference with these settings; --make derives one", p.id()));
    reference_page page{&p, *stored_reference(p), nullptr, std::nullopt, ""};
    if (p.has_quad()) page.repeat = "ivp reference " + p.id() + " --recompute";
    std::cout << show_reference(page, r.format);
    return done;
}

void write_file(const std::string& path, const std::string& text)
{
    output_file file(path, "--out", file_marks::reference);
    file.stream() << text;
    file.commit();
}

int make(const problem& p, request r, const std::string& problem_typed, const std::vector<std::string>& set)
{
    if (p.parameters().all_default())
        throw bad_request(fmt::format("--make: '{}' has a reference for these parameters; allowed: --set, or --recompute", p.id()));
    if (!r.recipe && !r.digits) r.digits = digits_to_make;
    const derivation d = derive_as_asked(p, r, times_to_keep(p));
    if (d.at.empty()) {
        fmt::print(stderr, "ivp: no reference: {}\n", d.failure());
        return not_successful;
    }
    reference_page page{&p, reference_from(d), &d, std::nullopt, "ivp reference " + shell_word(problem_typed)};
    for (const auto& s : set) page.repeat += " --set " + shell_word(s);
    page.repeat += " --make";
    page.shown.note = "Made for these parameters; kept in " + made_reference_path(p) + ", where run, wp and choose find it.";
    keep_made_reference(p, page.shown);
    std::cout << show_reference(page, r.format);
    return done;
}

int derive_and_show(const problem& p, const reference_arguments& a, const request& r)
{
    std::vector<decimal> times = r.at;
    if (times.empty()) times = p.reference() && !a.out ? times_stored(*stored_reference(p)) : times_to_keep(p);
    const derivation d = derive_as_asked(p, r, times);
    if (d.at.empty()) {
        fmt::print(stderr, "ivp: no reference: {}\n", d.failure());
        return not_successful;
    }
    reference_page page{&p, reference_from(d), &d, std::nullopt, ""};
    if (a.recompute && p.reference()) page.compared = compare(*stored_reference(p), d);
    if (a.out) write_file(*a.out, reference_csv(page.shown));
    std::cout << show_reference(page, r.format);
    return page.compared && !page.compared->confirmed() ? not_successful : done;
}

/// What the log has already, by problem and recipe.
std::set<std::pair<std::string, std::string>> logged(const std::string& path)
{
    std::set<std::pair<std::string, std::string>> known;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        const auto entry = read_reference_log_line(line);
        if (entry.version == this_build().version) known.emplace(entry.problem, entry.recipe);
    }
    return known;
}

int recompute_all(const reference_arguments& a, const request& r)
{
    const std::string path = a.out.value_or("ivp-references.jsonl");
    const auto known = a.resume ? logged(path) : std::set<std::pair<std::string, std::string>>{};
    std::ofstream log(path, a.resume ? std::ios::app : std::ios::trunc);
    if (!log) throw bad_request("--out: cannot write '" + path + "'");
    std::size_t confirmed = 0, tried = 0;
    double cpu_s = 0;
    for (const auto& id : problem_ids()) {
        const problem p = open_problem(id);
        if (!p.reference() || !p.has_quad()) continue;
        if (stored_reference(p)->recipe.empty()) {
            std::cout << fmt::format("{:<14} left out: its reference was published, not derived\n", p.id());
            continue;
        }
        if (known.contains({p.id(), recipe_of(p).text()})) continue;
        ++tried;
        const derivation d = derive_as_asked(p, r, times_stored(*stored_reference(p)));
        const confirmation c = d.at.empty() ? confirmation{} : compare(*stored_reference(p), d);
        log << reference_log_line(p, d, c) << std::flush;
        if (!log) throw bad_request("--out: cannot write '" + path + "'");
        confirmed += c.confirmed() ? 1 : 0;
        cpu_s += d.cpu_s();
        const std::string how = !d.at.empty() ? "" : d.failure();
        std::cout << fmt::format("{:<14} {:<13} {:>9.1f} s  {}\n", p.id(),
                                 c.confirmed()              ? "confirmed"
                                 : d.at.empty()             ? "failed"
                                 : c.contradictions.empty() ? "fewer digits"
                                                            : "contradicted",
                                 d.cpu_s(), how)
                  << std::flush;
    }
    std::cout << fmt::format("{} of {} confirmed, {:.0f} s of CPU time; log: {}\n", confirmed, counted(tried, "reference"), cpu_s, path);
    return confirmed == tried ? done : not_successful;
}

} // namespace

int reference(const reference_arguments& a)
{
    reader read;
    request r = read_request(a, read);
    if (a.problem == "all") {
        if (!a.recompute) read.fault("'all': allowed with --recompute only");
        if (a.at || a.recipe || !a.set.empty()) read.fault("'all': --at, --recipe and --set are for one problem");
        read.raise();
        return recompute_all(a, r);
    }
    if (a.make && (a.recompute || a.at || a.out)) read.fault("--make: not together with --recompute, --at or --out");
    const auto p = read.attempt([&] { return with_made_reference(open_contained_problem(a.problem, read.pairs("--set", a.set))); });
    if (p && a.at) r.at = read_times(*a.at, *p, read);
    read.raise();
    if (!a.recompute && !a.make && r.at.empty()) return show_stored(*p, r);
    if (!p->has_quad()) throw bad_request(fmt::format("'{}' cannot be evaluated in quadruple precision, which a derivation needs", p->id()));
    return a.make ? make(*p, std::move(r), a.problem, a.set) : derive_and_show(*p, a, r);
}

} // namespace ivp::cli
