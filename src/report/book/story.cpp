// What was found, in sentences that the runs support. The script of the page has the same rules (story.js) for what a reader chooses.
#include "view.hpp"

#include "base/text.hpp"
#include "report/render/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ivp::book_pages {

namespace {

constexpr double story_digits[] = {6, 4};
constexpr std::size_t least_problems = 3; // fewer say nothing about a class

std::string figure(std::size_t n) { return count_number(medium::html, n); }
std::string runs_in_words(std::size_t n) { return n == 1 ? "1 run" : figure(n) + " runs"; }

std::string name_list(std::vector<std::string> names, std::size_t most = 4)
{
    if (names.size() > most) {
        const std::size_t more = names.size() - most + 1;
        names.resize(most - 1);
        names.push_back(fmt::format("{} more", more));
    }
    if (names.size() < 2) return joined(names, "");
    const std::string last = names.back();
    names.pop_back();
    return joined(names, ", ") + " and " + last;
}

/// Who leads in a class of problems: nobody is put before another whom the draws do not put behind.
std::string first_place(const view& v, std::string_view title, std::span<const problem_runs> runs)
{
    for (const double digits : story_digits) {
        const work_table t = work_for_digits(v.records, runs, v.limits, digits, work_kind::cpu);
        const std::size_t problems = profile_of(t).problems;
        if (problems < least_problems) continue;
        const auto ranks = ranking(t);
        struct leader {
            std::string name;
            rank_row row;
        };
        std::vector<leader> leaders;
        for (const auto& c : v.curves)
            for (const auto& r : ranks)
                if (t.solvers[r.solver] == c.label && r.solved > 0 && r.rank_low == 1) leaders.push_back({c.label, r});
        if (leaders.empty()) return "";
        std::ranges::stable_sort(leaders, std::ranges::greater{}, [](const leader& l) { return l.row.score; });
        const std::string on = fmt::format("At {:.0f} digits on {}", digits, counted(problems, title));
        const rank_row& best = leaders.front().row;
        if (leaders.size() == 1)
            return fmt::format("{}, {} has the first place (score {:.2f}, with other problems {:.2f} to {:.2f}).", on, leaders.front().name,
                               best.score, best.score_low, best.score_high);
        if (leaders.size() > 6) return fmt::format("{}, these runs put no solver first: {} solvers could be.", on, leaders.size());
        std::vector<std::string> names;
        for (const auto& l : leaders) names.push_back(l.name);
        return fmt::format("{}, {} share the first place (scores {:.2f} to {:.2f}); with other problems any of them could lead.", on,
                           name_list(names, 6), best.score, leaders.back().row.score);
    }
    return "";
}

/// Work for so many digits on one problem; none where it is not delivered.
std::optional<double> work_on(const view& v, const problem_runs& p, const std::string& label, double digits)
{
    const auto c = std::ranges::find(p.curves, label, &run_curve::label);
    return c == p.curves.end() ? std::nullopt : work_for_digits(points_of(v.records, *c, work_kind::cpu, precision_kind::mescd), digits);
}

bool takes(const view& v, const problem_runs& p, const std::string& label)
{
    const auto c = std::ranges::find(p.curves, label, &run_curve::label);
    return c != p.curves.end() && is_taken(v, *c);
}

bool reaches(const view& v, const problem_runs& p, double digits)
{
    const auto limit = v.limits.find(p.problem);
    return limit == v.limits.end() || limit->second >= digits;
}

/// How often each was the fastest, of the problems it takes.
std::string fastest_sentence(const view& v, std::span<const problem_runs> runs)
{
    constexpr double digits = 4;
    struct row {
        std::string name;
        std::vector<int> wins; ///< 1 or 0 for each problem it takes
        int sum = 0;
        count_interval interval{};
    };
    std::vector<row> rows;
    for (const auto& c : v.curves) rows.push_back({c.label, {}, 0, {}});
    for (const auto& p : runs) {
        if (!reaches(v, p, digits)) continue;
        std::vector<std::optional<double>> work;
        std::optional<double> least;
        for (const auto& r : rows) {
            work.push_back(work_on(v, p, r.name, digits));
            if (work.back()) least = std::min(least.value_or(*work.back()), *work.back());
        }
        for (std::size_t k = 0; k < rows.size(); ++k)
            if (takes(v, p, rows[k].name)) rows[k].wins.push_back(least && work[k] == least ? 1 : 0);
    }
    for (auto& r : rows) {
        for (const int w : r.wins) r.sum += w;
        r.interval = drawn_sum(r.wins);
    }
    std::erase_if(rows, [](const row& r) { return r.sum == 0; });
    if (rows.empty()) return "";
    std::ranges::stable_sort(rows, [](const row& a, const row& b) { return a.sum != b.sum ? a.sum > b.sum : a.wins.size() < b.wins.size(); });
    std::vector<std::string> words;
    for (const auto& r : rows)
        if (r.interval.high >= rows.front().interval.low && words.size() < 3)
            words.push_back(fmt::format("{} on {} of the {} it takes (with other problems {} to {})", r.name, r.sum, r.wins.size(), r.interval.low,
                                        r.interval.high));
    return fmt::format("Fastest at {:.0f} digits: {}.", digits, name_list(words));
}

/// Who delivers most often what a user asks for.
std::string delivered_sentence(const view& v, std::span<const problem_runs> runs)
{
    constexpr double digits = 6;
    struct row {
        std::string name;
        int of = 0;
        int delivered = 0;
    };
    std::vector<row> rows;
    for (const auto& c : v.curves) {
        row r{c.label};
        for (const auto& p : runs) {
            if (!reaches(v, p, digits) || !takes(v, p, c.label)) continue;
            ++r.of;
            r.delivered += work_on(v, p, c.label, digits).has_value();
        }
        if (r.delivered > 0) rows.push_back(r);
    }
    if (rows.empty()) return "";
    std::ranges::stable_sort(rows, [](const row& a, const row& b) { return a.delivered != b.delivered ? a.delivered > b.delivered : a.of < b.of; });
    std::vector<std::string> words;
    for (const auto& r : rows)
        if (words.size() < 3) words.push_back(fmt::format("{} on {} of the {} it takes", r.name, r.delivered, r.of));
    return fmt::format("{:.0f} digits are delivered most often by {}.", digits, name_list(words));
}

std::string failure_sentence(const view& v, std::span<const problem_runs> runs)
{
    std::size_t all = 0;
    std::size_t failed = 0;
    std::size_t expected = 0;
    std::size_t lied = 0;
    std::vector<std::string> liars;
    for (const auto& p : runs) {
        const bool stiff = class_of(v, p).stiffness == "stiff";
        for (const auto& c : p.curves) {
            const auto name = std::ranges::find(v.curves, c.label, &curve_name::label);
            for (const std::size_t k : c.runs) {
                const outcome o = v.records[k].outcome;
                ++all;
                if (o == outcome::success || is_refusal(o)) continue;
                ++failed;
                if (o == outcome::wrong_answer) {
                    ++lied;
                    const std::string who = fmt::format("{} on {}", c.label, p.problem);
                    if (std::ranges::find(liars, who) == liars.end()) liars.push_back(who);
                } else if (!name->implicit && stiff) {
                    ++expected;
                }
            }
        }
    }
    if (all == 0) return "";
    if (failed == 0) return fmt::format("None of {} failed.", runs_in_words(all));
    const std::string claim =
        lied == 0 ? "" : fmt::format(" {} claimed success without a correct digit ({}).", runs_in_words(lied), name_list(liars));
    if (expected == 0) return fmt::format("{} of {} failed.{}", figure(failed), runs_in_words(all), claim);
    return fmt::format("{} of {} failed; {} of these are explicit methods on stiff problems, as the theory says, and {} are others.{}",
                       figure(failed), runs_in_words(all), figure(expected), figure(failed - expected), claim);
}

} // namespace

std::vector<std::string> story_of(const view& v)
{
    std::vector<problem_runs> posed;
    for (const auto& p : v.runs)
        if (p.variant.empty()) posed.push_back(p);
    const auto part = [&](auto fits) {
        std::vector<problem_runs> chosen;
        for (const auto& p : posed)
            if (fits(class_of(v, p))) chosen.push_back(p);
        return chosen;
    };
    std::vector<std::string> sentences{
        first_place(v, "stiff ODE", part([](const problem_class& c) { return c.form == "ode" && c.stiffness == "stiff"; })),
        first_place(v, "non-stiff ODE", part([](const problem_class& c) { return c.form == "ode" && c.stiffness == "non-stiff"; })),
        first_place(v, "DAE", part([](const problem_class& c) { return c.form != "ode"; })),
        fastest_sentence(v, posed),
        delivered_sentence(v, posed),
        failure_sentence(v, posed)};
    std::erase(sentences, "");
    return sentences;
}

} // namespace ivp::book_pages
