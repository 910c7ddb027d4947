#include "base/escape.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "catalog/foreign.hpp"
#include "choose/tight_reference.hpp"
#include "commands.hpp"
#include "progress.hpp"
#include "reading.hpp"
#include "reference/derive.hpp"
#include "reference/path.hpp"
#include "report/reference_view.hpp"
#include "terminal.hpp"

#include <ivp/catalog.hpp>
#include <ivp/record.hpp>
#include <ivp/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <tuple>

namespace ivp::cli {

namespace {

struct reference_arguments : command {
    reference_arguments()
        : command(
              "reference", "Print the reference solution of a problem with its proven digits, or derive it again",
              "A derivation integrates in quadruple precision with methods of two families, each at two tolerances. The digits that all runs share "
              "are proven, except the last. 'ivp reference all --recompute' repeats this for every stored reference, and keeps a log.\n"
              "Problems that have double precision only, are large, or take too long in quadruple precision get their reference from tight runs of "
              "two solvers, each at two tolerances; its digits are estimated, and the result says so.\n"
              "Exit codes: 0 printed, or confirmed; 1 not confirmed, or a run failed; 2 wrong use.")
    {}

    text problem = word("problem", "Problem id, see 'ivp list problems'; path of a text, a plug-in or a Fortran file; or all",
                        "a problem (see 'ivp list problems'), or all");
    yes_or_no recompute = flag("--recompute", "Repeat the derivation, and say whether it confirms the stored values");
    yes_or_no make =
        flag("--make", "Derive a reference for other parameters (--set), another end point (--tend) or a problem of your own, and keep it in the "
                       "folder ivp-references, or next to the file of the problem: run, wp, campaign and report find it there");
    optional_text at = option("--at", "The solution at these times instead, separated by commas: from the path that was kept, or derived");
    yes_or_no keep_path =
        flag("--keep-path", "Keep the solution between start and end in the folder ivp-references: --at then reads it and does not integrate");
    optional_text digits = option("--digits", "Derive with increasing effort until every component has this many digits, 1 to 30");
    optional_text numbers =
        option("--numbers", "With --make: quad (derived in quadruple precision, digits are proven) or double (tight runs of two solvers in double "
                            "precision, digits are estimated); default: quad up to 1000 components, if it takes at most 300 CPU seconds a run");
    optional_text recipe =
        option("--recipe",
               "Runs of the derivation, such as \"radau:13:1e-14,1e-16 lobatto:15:1e-14,1e-16 floor:1e-6\"; families: radau, lobatto, taylor, gbs; "
               "numbers:double2 and numbers:quad2 let taylor and gbs compute in sums of two doubles (faster) or of two quads (67 digits)");
    optional_text tend = option("--tend", "With --make: the end point of the reference; default: the problem's");
    texts set = list("--set", a_parameter);
    optional_text timeout = option("--timeout", "Give up a run after this many CPU seconds");
    optional_text out =
        option("--out", "Write what was derived as a file in the format of reference.csv; with all: the log, default ivp-references.jsonl");
    yes_or_no force = flag("--force", force_help);
    yes_or_no resume = flag("--resume", "With all: skip what the log has; what failed is tried again");
    text format = option("--format", "text, json, csv", "text");
};

constexpr double least_goal = 1, most_goal = 30;
constexpr double digits_to_make = 16;          // what a run in double can be measured by
constexpr int most_components_in_quad = 1000;  // above, --make computes in double unless it is asked for more
constexpr double seconds_of_a_run = 300;       // of --make, unless --timeout says otherwise
constexpr double negligible_part = 1e-12;      // of the largest component
constexpr std::size_t most_path_values = 2500; // at breakpoints, kept in one file

enum class made_numbers { quad, in_double };

struct request {
    text_format format = text_format::text;
    std::vector<decimal> at;
    std::optional<double> digits, timeout_s;
    std::optional<reference_recipe> recipe;
    std::optional<made_numbers> numbers; ///< none: as the problem suggests
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
    std::sort(times.begin(), times.end(), [](const decimal& a, const decimal& b) { return a.value() < b.value(); });
    times.erase(std::unique(times.begin(), times.end(), [](const decimal& a, const decimal& b) { return a.value() == b.value(); }), times.end());
    return times;
}

request read_request(const reference_arguments& a, reader& read)
{
    request r;
    r.format = read.format(a.format, {"text", "json", "csv"});
    r.digits = read.within("--digits", a.digits, least_goal, most_goal);
    r.timeout_s = read.within("--timeout", a.timeout, 1e-3, 1e9);
    if (a.recipe) r.recipe = read.attempt([&] { return reference_recipe::from_text(*a.recipe); });
    if (a.recipe && a.digits) read.fault("--recipe and --digits: a recipe says how much effort to make; give one of them");
    if (a.numbers == "quad")
        r.numbers = made_numbers::quad;
    else if (a.numbers == "double")
        r.numbers = made_numbers::in_double;
    else if (a.numbers)
        read.fault("--numbers: '" + *a.numbers + "' given; allowed: quad, double");
    if (a.numbers && !a.make) read.fault("--numbers: allowed with --make only");
    if (r.numbers == made_numbers::in_double && (a.recipe || a.digits))
        read.fault("--numbers double: not together with --recipe or --digits, which are for quadruple precision");
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
    const bool quadruple =
        d.recipe.numbers == number_kind::quad || d.recipe.runs.front().family == "radau" || d.recipe.runs.front().family == "lobatto";
    r.source = fmt::format("{}{}, tolerances {}", d.runs.front().method, quadruple ? " in quadruple precision" : "", own);
    r.confirmed = fmt::format("{}; all runs agree to the digits given and one more", others);
    return r;
}

/// Empty: what was derived can be measured by.
std::string why_no_reference(const derivation& d)
{
    if (d.at.empty()) return d.failure();
    const reference_values end = d.at.back().rounded();
    const auto unknown = std::ranges::find_if(end.digits, [](double digits) { return digits < 0; });
    if (unknown == end.digits.end()) return "";
    return fmt::format("no digit of y{} at t = {} is the same in all runs down to a tolerance of {:.0e}; --digits and --recipe allow more effort",
                       unknown - end.digits.begin() + 1, end.t.text(), d.runs.back().tolerance);
}

/// Was it asked for more digits than were found? Says so.
bool missed(const request& r, const derivation& d)
{
    if (!r.digits || digits_of_worst(d) >= *r.digits) return false;
    tell("ivp: --digits {}: the derivation ended with {} digits of the component that is known worst; --recipe allows more effort\n",
         to_text(*r.digits), to_text(std::floor(std::max(0.0, digits_of_worst(d)))));
    return true;
}

/// Sizes of components at the end, from a run in double: those that begin at zero have none of their own.
std::vector<double> rough_sizes(const problem& p)
{
    run_settings settings;
    settings.rtol = 1e-6;
    settings.repeat = 1;
    const run_record r = measure_run(p.as_dae(), *open_solver("radau"), settings); // whose further unknowns are derivatives
    std::vector<double> size;
    if (r.outcome != outcome::success) return size;
    double largest = 0;
    for (int i = 0; i < p.n(); ++i) largest = std::max(largest, std::abs(r.y[i]));
    for (int i = 0; i < p.n(); ++i) size.push_back(std::max(std::abs(r.y[i]), negligible_part * largest));
    return size;
}

derivation_request request_for(const problem& p, const request& r, progress_line& progress)
{
    derivation_request d;
    d.timeout_s = r.timeout_s;
    d.progress = [&progress](const std::string& what) { progress.next(what); };
    if (!p.reference()) d.size = rough_sizes(p);
    return d;
}

derivation derive_as_asked(const problem& p, const request& r, std::vector<decimal> times)
{
    progress_line progress("integrating");
    derivation_request d = request_for(p, r, progress);
    d.times = std::move(times);
    if (r.digits) return derive_digits(p, *r.digits, d);
    return derive(p, r.recipe.value_or(recipe_of(p)), d);
}

int show_known(const problem& p, const request& r, const made_setting& s, const std::optional<reference_file>& known)
{
    if (!known) throw bad_request(fmt::format("'{}' has no reference with these settings; --make derives one", p.id()));
    reference_page page{&p, *known, nullptr, std::nullopt, ""};
    if (p.has_quad() && !s.tend && !known->recipe.empty()) {
        page.repeat = "ivp reference " + shell_word(s.typed);
        for (const auto& [name, value] : p.parameters().changed()) page.repeat += " --set " + shell_word(name + "=" + value);
        page.repeat += " --recompute";
    }
    std::cout << show_reference(page, r.format);
    return done;
}

/// The numbers in which --make computes, and in words why not in quadruple precision.
struct made_in {
    bool quad = true;
    std::string why{};
};

made_in numbers_for(const problem& p, const request& r)
{
    if (!p.has_quad()) {
        if (r.recipe || r.digits || r.numbers == made_numbers::quad)
            throw bad_request(fmt::format("--recipe, --digits and --numbers quad: '{}' cannot be evaluated in quadruple precision", p.id()));
        return {false, fmt::format("'{}' cannot be evaluated in quadruple precision", p.id())};
    }
    if (r.numbers == made_numbers::in_double) return {false, "--numbers double asks for it"};
    const bool asked = r.recipe || r.digits || r.numbers == made_numbers::quad;
    if (!asked && p.n() > most_components_in_quad)
        return {false, fmt::format("'{}' has {} components, and quadruple precision is the default up to {} (--numbers quad asks for it)", p.id(),
                                   p.n(), most_components_in_quad)};
    return {};
}

/// Tight runs of two solvers. Empty source: none, with the reason as a note.
reference_file make_in_double(const problem& p, const request& r, const std::string& typed, const made_setting& s)
{
    progress_line progress("integrating");
    const tight_request tight{s.tend, r.timeout_s.value_or(seconds_of_a_run), [&progress](const std::string& what) { progress.next(what); }};
    constexpr char failed = '!';
    const std::string made = contained_text(
        names_a_file(typed), typed,
        [&] {
            const tight_reference t = derive_in_double(p, tight);
            return t.failure.empty() ? reference_csv(t.found) : failed + t.failure;
        },
        longest_search_s(tight));
    if (!made.starts_with(failed)) return read_reference_file(made);
    reference_file none;
    none.note = made.substr(1);
    return none;
}

int make(const problem& p, const request& r, const reference_arguments& a, const made_setting& s)
{
    if (!s.tend && !names_a_file(a.problem) && stored_reference(p))
        throw bad_request(fmt::format("--make: '{}' has a reference for these parameters; allowed: --set, --tend, or --recompute", p.id()));
    try_made_reference(p, s, a.force);
    reference_page page{&p, {}, nullptr, std::nullopt, "ivp reference " + shell_word(a.problem)};
    made_in in = numbers_for(p, r);
    derivation d;
    if (in.quad) {
        const bool automatic = !r.recipe && !r.digits && !r.numbers;
        request effort = r;
        if (!r.recipe && !r.digits) effort.digits = digits_to_make;
        if (automatic && !r.timeout_s) effort.timeout_s = seconds_of_a_run;
        d = derive_as_asked(p, effort, s.tend ? std::vector<decimal>{decimal(*s.tend)} : times_to_keep(p));
        if (const auto why = why_no_reference(d); why.empty()) {
            page.shown = reference_from(d);
            page.derived = &d;
        } else if (automatic) {
            in = {false, fmt::format("the derivation in quadruple precision failed ({})", why)};
        } else {
            tell("ivp: no reference: {}\n", why);
            return not_successful;
        }
    }
    if (!in.quad) {
        page.shown = make_in_double(p, r, a.problem, s);
        if (page.shown.source.empty()) {
            tell("ivp: no reference: {}\nivp: tight runs in double precision, because {}\n", page.shown.note, in.why);
            return not_successful;
        }
        page.shown.note = fmt::format("Made in double precision, because {}. Digits are estimated. ", in.why);
    }
    for (const auto& set : a.set) page.repeat += " --set " + shell_word(set);
    if (a.tend) page.repeat += " --tend " + shell_word(*a.tend);
    page.repeat += " --make";
    if (a.numbers) page.repeat += " --numbers " + *a.numbers;
    page.shown.note += "Made for these settings; kept in " + made_reference_path(p, s) + ", where run, wp, campaign and report find it.";
    std::cout << show_reference(page, r.format) << std::flush; // what was derived is not lost if the file fails
    keep_made_reference(p, s, page.shown, a.force);
    return in.quad && missed(r, d) ? not_successful : done;
}

/// The tightest run of each family, step by step.
int keep_whole_path(const problem& p, const request& r, const reference_arguments& a)
{
    const path_owner owner{&p, a.problem, r.recipe.value_or(recipe_of(p))};
    try_path(owner, a.force);
    progress_line progress("integrating");
    const derivation_request d = request_for(p, r, progress);
    const auto paths = derive_path(p, owner.recipe, d);
    keep_path(owner, paths, a.force);
    std::size_t steps = 0;
    for (const auto& path : paths) steps += path.pieces.size();
    fmt::print("{}: {} of {} runs kept in {}\n", p.id(), counted(steps, "step"), paths.size(), kept_path_name(p));
    return done;
}

/// From the path that was kept for this recipe; nothing: there is none.
std::optional<int> show_from_path(const problem& p, const request& r, const std::string& typed)
{
    const path_owner owner{&p, typed, r.recipe.value_or(recipe_of(p))};
    const auto paths = kept_path(owner);
    if (paths.empty()) return std::nullopt;
    auto values = values_on(paths, r.at, p.n());
    reference_file shown;
    static_cast<reference_values&>(shown) = values.back();
    values.pop_back();
    shown.path = std::move(values);
    shown.recipe = owner.recipe.text();
    shown.source = "polynomials through the stages of " + paths[0].run.family + " in quadruple precision, kept in " + kept_path_name(p);
    shown.confirmed = "the polynomials of " + paths[1].run.family + " agree to the digits given and one more";
    std::cout << show_reference({&p, std::move(shown), nullptr, std::nullopt, ""}, r.format);
    return done;
}

int derive_and_show(const problem& p, const reference_arguments& a, const request& r, const std::optional<reference_file>& known)
{
    std::vector<decimal> times = r.at;
    if (times.empty()) times = known && !a.out ? times_stored(*known) : times_to_keep(p);
    const derivation d = derive_as_asked(p, r, times);
    if (const auto why = why_no_reference(d); !why.empty()) {
        tell("ivp: no reference: {}\n", why);
        return not_successful;
    }
    reference_page page{&p, reference_from(d), &d, std::nullopt, ""};
    if (known && r.at.empty()) page.shown.note = known->note;
    if (a.recompute && known) page.compared = compare(*known, d);
    std::cout << show_reference(page, r.format) << std::flush; // what was derived is not lost if the file fails
    if (a.out) {
        output_file file(*a.out, "--out", file_marks::reference, a.force);
        file.stream() << reference_csv(page.shown);
        file.commit();
    }
    return (page.compared && !page.compared->confirmed()) || missed(r, d) ? not_successful : done;
}

/// Problem, parameters, recipe.
using derivation_name = std::tuple<std::string, std::string, std::string>;

/// A line without an end that an interruption left. What is complete is none.
bool is_begun_log_line(std::string_view text)
{
    constexpr std::string_view begin = file_marks::reference_log.text;
    if (!begin.starts_with(text.substr(0, begin.size()))) return false;
    return json_or_discarded(text).is_discarded() || read_reference_log_line(std::string(text));
}

/// What the log of this version has; a derivation that failed, for lack of time perhaps, is to be tried again. A line that an interruption left
/// incomplete is taken away.
std::map<derivation_name, reference_log_entry> logged(const std::string& path)
{
    std::map<derivation_name, reference_log_entry> known;
    const std::string text = read_whole(path).value_or("");
    const auto whole = text.rfind('\n') + 1; // 0: no line is complete
    std::istringstream lines(text.substr(0, whole));
    for (auto [line, number] = std::pair(std::string(), 1); std::getline(lines, line); ++number) {
        const auto entry = read_reference_log_line(line);
        if (!entry) throw bad_request(fmt::format("'{}', line {}: not a line of the log of 'ivp reference all'", path, number));
        if (entry->version == this_build().version && entry->failure.empty()) known[{entry->problem, entry->variant, entry->recipe}] = *entry;
    }
    if (whole == text.size()) return known;
    if (!is_begun_log_line(std::string_view(text).substr(whole)))
        throw bad_request(
            fmt::format("'{}': its last line was not begun by 'ivp reference all'; allowed: a log of this command, or a new name", path));
    std::filesystem::resize_file(path, whole);
    return known;
}

std::string_view verdict(const reference_log_entry& e)
{
    if (!e.failure.empty()) return "failed";
    return e.confirmed ? "confirmed" : e.contradictions == 0 ? "fewer digits" : "contradicted";
}

/// Every reference that is stored: of the default parameters and of others.
int recompute_all(const reference_arguments& a, const request& r)
{
    const std::string path = a.out.value_or("ivp-references.jsonl");
    output_file::try_out(path, "--out", file_marks::reference_log, a.force);
    const auto known = a.resume ? logged(path) : std::map<derivation_name, reference_log_entry>{};
    std::ofstream log(path, a.resume ? std::ios::app : std::ios::trunc);
    if (!log) throw bad_request("--out: cannot write '" + path + "'");
    std::size_t confirmed = 0, all = 0;
    double cpu_s = 0;
    for (const auto& id : problem_ids())
        for (const auto& setting : stored_settings(id)) {
            const problem p = with_made_reference(open_problem(id, setting), {id, std::nullopt});
            if (!p.reference() || !p.has_quad()) continue;
            const std::string variant = setting_text(p);
            const std::string name = variant.empty() ? id : id + " " + variant;
            const reference_file stored = *stored_reference(p);
            if (stored.recipe.empty()) {
                std::cout << fmt::format("{:<20} left out: its reference has no recipe\n", name);
                continue;
            }
            ++all;
            const auto before = known.find({id, variant, recipe_of(p).text()});
            reference_log_entry entry;
            if (before != known.end()) {
                entry = before->second;
            } else {
                const derivation d = derive_as_asked(p, r, times_stored(stored));
                const std::string line = reference_log_line(p, d, d.at.empty() ? confirmation{} : compare(stored, d));
                log << line << std::flush;
                if (!log) throw bad_request("--out: cannot write '" + path + "'");
                entry = read_reference_log_line(line).value();
            }
            confirmed += entry.confirmed ? 1 : 0;
            cpu_s += entry.cpu_s;
            std::cout << fmt::format("{:<20} {:<13} {:>9.1f} s  {}{}\n", name, verdict(entry), entry.cpu_s, entry.failure,
                                     before != known.end() ? "(in the log)" : "")
                      << std::flush;
        }
    std::cout << fmt::format("{} of {} confirmed, {:.0f} s of CPU time; log: {}\n", confirmed, counted(all, "reference"), cpu_s, path);
    return confirmed == all ? done : not_successful;
}

int reference(const reference_arguments& a)
{
    reader read;
    request r = read_request(a, read);
    if (a.problem == "all") {
        if (!a.recompute) read.fault("'all': allowed with --recompute only");
        if (a.at || a.recipe || !a.set.empty()) read.fault("'all': --at, --recipe and --set are for one problem");
        if (a.force && a.resume) read.fault("--force: not together with --resume, which adds to a log");
        read.raise();
        return recompute_all(a, r);
    }
    if (a.make && (a.recompute || a.at || a.out)) read.fault("--make: not together with --recompute, --at or --out");
    made_setting setting{a.problem, a.tend ? read.real("--tend", *a.tend) : std::nullopt};
    const auto opened = read.attempt([&] { return open_contained_problem(a.problem, read.pairs("--set", a.set)); });
    if (a.keep_path && (a.make || a.recompute || a.at || a.out || a.digits || a.tend))
        read.fault("--keep-path: not together with --make, --recompute, --at, --out, --digits or --tend");
    if (a.tend && (a.recompute || a.at || a.digits || a.recipe || a.out) && !a.make) read.fault("--tend: allowed with --make, or alone");
    if (opened && setting.tend && !(*setting.tend > opened->info().t0.value()))
        read.fault(fmt::format("--tend: {} given; allowed for {}: a time after {}", *a.tend, opened->id(), opened->info().t0.text()));
    if (opened && setting.tend == opened->info().tend.value()) setting.tend.reset();
    if (opened && a.at) r.at = read_times(*a.at, *opened, read);
    if (a.out) (void)read.attempt([&] { return output_file::try_out(*a.out, "--out", file_marks::reference, a.force), true; });
    read.raise();
    if (a.make) return make(*opened, r, a, setting);
    const problem p = with_made_reference(*opened, setting);
    const auto known = known_reference(p, setting);
    const bool derived = a.recompute || a.keep_path || !r.at.empty() || r.recipe || r.digits || a.out;
    if (!derived) return show_known(p, r, setting, known);
    if (!p.has_quad()) throw bad_request(fmt::format("'{}' cannot be evaluated in quadruple precision, which a derivation needs", p.id()));
    if (a.recompute && !known && r.at.empty())
        throw bad_request(fmt::format("--recompute: '{}' has no reference with these settings; --make derives one", p.id()));
    if (a.recompute && known && known->recipe.empty() && !r.recipe && !r.digits)
        throw bad_request(fmt::format("--recompute: the reference of '{}' has no recipe, since it is not from a derivation with these settings; "
                                      "allowed: --recompute with --recipe or --digits",
                                      p.id()));
    if (known && !known->recipe.empty() && !r.recipe && !r.digits) r.recipe = reference_recipe::from_text(known->recipe);
    if (a.keep_path) return keep_whole_path(p, r, a);
    if (!a.recompute && !r.digits && !a.out)
        if (const auto shown = show_from_path(p, r, a.problem)) return *shown;
    return derive_and_show(p, a, r, known);
}

} // namespace

std::unique_ptr<command> reference_command() { return make_command(reference); }

} // namespace ivp::cli
