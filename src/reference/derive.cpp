#include "derive.hpp"

#include "base/text.hpp"
#include "march.hpp"
#include "stage_integrator.hpp"

#include <ivp/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace ivp {

namespace {

constexpr double zero_part = 1e-30; // of the largest component: below, digits are absolute
constexpr double most_digits = 30;  // quad has 34; of the last ones it depends on the machine which are rounding
constexpr double most_decimals = 4000;
constexpr int digits_of_a_double = 17;

/// A family of methods, and the sizes it can have.
struct method_family {
    std::string_view name;
    std::optional<reference::family> stages; ///< none: it has none
    int least, most;
    bool odd;
    std::string_view unit;
};
constexpr std::array<method_family, 4> families{{{"radau", reference::family::radau, 3, 25, true, "stages"},
                                                 {"lobatto", reference::family::lobatto, 3, 25, true, "stages"},
                                                 {"taylor", std::nullopt, 10, 60, false, "orders"},
                                                 {"gbs", std::nullopt, 4, 24, false, "columns"}}};

const method_family* family_from_name(std::string_view name)
{
    const auto* const f = std::ranges::find(families, name, &method_family::name);
    return f == families.end() ? nullptr : f;
}

std::vector<std::string> words(std::string_view text, char separator)
{
    auto found = split(text, separator);
    std::erase(found, "");
    return found;
}

double positive(const std::string& text, std::string_view what)
{
    const auto v = parse_real(text);
    if (!v || *v < 0) throw bad_request(fmt::format("recipe: '{}' given as {}; allowed: a number from 0", text, what));
    return *v;
}

constexpr std::array<std::pair<std::string_view, number_kind>, 3> number_kinds{
    {{"quad", number_kind::quad}, {"double2", number_kind::two_doubles}, {"quad2", number_kind::two_quads}}};

number_kind numbers_from(const std::string& name)
{
    const auto* const found = std::ranges::find(number_kinds, name, &std::pair<std::string_view, number_kind>::first);
    if (found == number_kinds.end()) throw bad_request(fmt::format("recipe: numbers '{}' given; allowed: quad, double2, quad2", name));
    return found->second;
}

/// How a run says what it computes in.
std::string_view in_words(number_kind k)
{
    return k == number_kind::two_doubles ? " in sums of two doubles" : k == number_kind::two_quads ? " in sums of two quads" : "";
}

/// "3=+2-4"
kept_sum kept_sum_from(const std::string& text)
{
    const auto fault = [&text] {
        return bad_request(fmt::format("recipe: 'keep:{}' given; allowed: a component and its sum, such as keep:3=+2-4", text));
    };
    const auto whole = [&fault](const std::string& digits) {
        if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) throw fault();
        return std::stoi(digits);
    };
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw fault();
    kept_sum k{whole(text.substr(0, equals)), {}};
    for (auto at = equals + 1; at < text.size();) {
        if (text[at] != '+' && text[at] != '-') throw fault();
        const auto end = std::min(text.find_first_of("+-", at + 1), text.size());
        k.terms.push_back((text[at] == '-' ? -1 : 1) * whole(text.substr(at + 1, end - at - 1)));
        at = end;
    }
    if (k.terms.empty()) throw fault();
    return k;
}

/// "3=1e-6" or "141-160=1"
least_size least_size_from(const std::string& text)
{
    const auto fault = [&text] {
        return bad_request(
            fmt::format("recipe: 'size:{}' given; allowed: components and a number above 0, such as size:3=1e-6 or size:141-160=1", text));
    };
    const auto halves = words(text, '=');
    if (halves.size() != 2) throw fault();
    const auto ends = words(halves[0], '-');
    const auto whole = [&fault](const std::string& digits) {
        if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) throw fault();
        return std::stoi(digits);
    };
    const auto size = parse_real(halves[1]);
    if (ends.empty() || ends.size() > 2 || !size || !(*size > 0)) throw fault();
    const least_size l{whole(ends.front()), whole(ends.back()), *size};
    if (l.first < 1 || l.last < l.first) throw fault();
    return l;
}

/// -log10, as far as numbers go.
double digits_of_difference(quad difference, quad unit)
{
    if (difference == quad(0)) return std::numeric_limits<double>::infinity();
    return static_cast<double>(log10(unit) - log10(difference));
}

/// One unit of the last digit that a stored value claims.
quad last_place(const reference_values& r, std::size_t i)
{
    double exponent = -r.digits[i];
    if (r.kind[i] == digit_kind::relative && r.value[i].value() != 0) exponent += std::floor(std::log10(std::abs(r.value[i].value()))) + 1;
    return pow(quad(10), quad(exponent));
}

struct spread {
    quad all = 0;    ///< largest difference between any two runs
    quad within = 0; ///< ... of one family
};

spread spread_of(const derivation& d, std::size_t time, std::size_t i)
{
    spread s;
    for (std::size_t a = 0; a < d.runs.size(); ++a)
        for (std::size_t b = a + 1; b < d.runs.size(); ++b) {
            const quad difference = abs(d.runs[a].at[time][i] - d.runs[b].at[time][i]);
            s.all = std::max(s.all, difference);
            if (d.recipe.runs[a].family == d.recipe.runs[b].family) s.within = std::max(s.within, difference);
        }
    return s;
}

} // namespace

derived_values agreement_of(const derivation& d, std::size_t time, const decimal& t)
{
    derived_values v;
    v.t = t;
    std::size_t best = 0;
    for (std::size_t k = 1; k < d.recipe.runs.size(); ++k)
        if (d.recipe.runs[k].family == d.recipe.runs[0].family && d.recipe.runs[k].tolerance < d.recipe.runs[best].tolerance) best = k;
    v.value = d.runs[best].at[time];
    quad largest = 0;
    for (const quad& y : v.value) largest = std::max(largest, abs(y));
    for (std::size_t i = 0; i < v.value.size(); ++i) {
        const quad size = abs(v.value[i]);
        const spread s = spread_of(d, time, i);
        const double relative = size == quad(0) ? -1 : digits_of_difference(s.all, size) - 1;
        const bool absolute = size == quad(0) || size < quad(zero_part) * largest || relative < 1;
        const auto whole = [absolute](double digits) { return std::floor(std::min(digits, absolute ? most_decimals : most_digits)); };
        v.kind.push_back(absolute ? digit_kind::absolute : digit_kind::relative);
        v.digits.push_back(whole(absolute ? digits_of_difference(s.all, quad(1)) - 1 : relative));
        v.family_digits.push_back(whole(digits_of_difference(s.within, absolute || size == quad(0) ? quad(1) : size)));
    }
    return v;
}

namespace {

/// One run, and what its method is called.
std::pair<std::string, reference::integration> integrated(const problem& p, const reference_run& run, std::span<const quad> times,
                                                          const reference::integration_settings& settings)
{
    const method_family& f = *family_from_name(run.family);
    if (f.stages) {
        const auto method = reference::make_method(*f.stages, run.stages);
        return {reference::describe(method), reference::integrate(p, method, times, settings)};
    }
    const std::string_view numbers = in_words(settings.numbers);
    if (f.name == "taylor")
        return {fmt::format("Taylor series of order {}{}", run.stages, numbers), reference::integrate_by_series(p, run.stages, times, settings)};
    return {fmt::format("extrapolation (GBS) with {} columns (order {}){}", run.stages, 2 * run.stages, numbers),
            reference::integrate_by_extrapolation(p, run.stages, times, settings)};
}

} // namespace

std::string reference_recipe::text() const
{
    std::string text;
    std::string open; // family and stages of the run before
    for (const auto& r : runs) {
        const std::string method = fmt::format("{}:{}:", r.family, r.stages);
        text += method == open ? "," : (text.empty() ? "" : " ") + method;
        text += to_text(r.tolerance);
        open = method;
    }
    text += " floor:" + to_text(floor);
    for (const auto& [name, kind] : number_kinds)
        if (kind == numbers && kind != number_kind::quad) text += fmt::format(" numbers:{}", name);
    if (first) text += " first:" + to_text(*first);
    if (stall > 0) text += " stall:" + to_text(stall);
    for (const auto& l : least)
        text += l.first == l.last ? fmt::format(" size:{}={}", l.first, to_text(l.size))
                                  : fmt::format(" size:{}-{}={}", l.first, l.last, to_text(l.size));
    for (const auto& k : keep) {
        text += fmt::format(" keep:{}=", k.target);
        for (const int term : k.terms) text += fmt::format("{:+}", term);
    }
    return text;
}

reference_recipe reference_recipe::from_text(std::string_view text)
{
    reference_recipe r;
    for (const auto& word : words(text, ' ')) {
        const auto part = words(word, ':');
        if (part.size() == 2 && part[0] == "floor") {
            r.floor = positive(part[1], "floor");
        } else if (part.size() == 2 && part[0] == "first") {
            r.first = positive(part[1], "first step");
        } else if (part.size() == 2 && part[0] == "stall") {
            r.stall = positive(part[1], "stall");
        } else if (part.size() == 2 && part[0] == "numbers") {
            r.numbers = numbers_from(part[1]);
        } else if (part.size() == 2 && part[0] == "size") {
            r.least.push_back(least_size_from(part[1]));
        } else if (part.size() == 2 && part[0] == "keep") {
            r.keep.push_back(kept_sum_from(part[1]));
        } else if (part.size() == 3 && family_from_name(part[0])) {
            const method_family& f = *family_from_name(part[0]);
            const double stages = positive(part[1], f.unit);
            if (!(stages >= f.least && stages <= f.most && std::fmod(stages, f.odd ? 2 : 1) == (f.odd ? 1 : 0)))
                throw bad_request(fmt::format("recipe: {} {} given for {}; allowed: {} numbers from {} to {}", part[1], f.unit, f.name,
                                              f.odd ? "odd" : "whole", f.least, f.most));
            for (const auto& tolerance : words(part[2], ',')) {
                const double tol = positive(tolerance, "tolerance");
                if (!(tol > 0 && tol <= 1)) throw bad_request(fmt::format("recipe: tolerance {} given; allowed: 1e-30 to 1", tolerance));
                r.runs.push_back({part[0], static_cast<int>(stages), tol});
            }
        } else {
            throw bad_request(fmt::format("recipe: '{}' given; allowed: radau:STAGES:TOL,TOL, lobatto:STAGES:TOL,TOL, taylor:ORDER:TOL,TOL, "
                                          "gbs:COLUMNS:TOL,TOL, floor:PART, first:PART, stall:PART, numbers:double2, size:1-3=1e-6, keep:3=+2-4",
                                          word));
        }
    }
    for (const auto& run : r.runs) {
        const bool many_digits = r.numbers == number_kind::two_quads && !family_from_name(run.family)->stages;
        if (run.tolerance < (many_digits ? 1e-60 : 1e-30))
            throw bad_request(fmt::format("recipe: tolerance {} given; allowed: 1e-30 to 1, and with numbers:quad2 from 1e-60 for taylor and gbs",
                                          to_text(run.tolerance)));
    }
    std::set<std::string> used;
    for (const auto& run : r.runs) used.insert(run.family);
    if (used.size() < 2 || r.runs.size() < 4) throw bad_request("recipe: a derivation needs two families of methods, each at two tolerances or more");
    return r;
}

reference_values derived_values::rounded() const
{
    reference_values r;
    r.t = t;
    r.digits = digits;
    r.kind = kind;
    for (std::size_t i = 0; i < value.size(); ++i) {
        double significant = digits[i];
        if (kind[i] == digit_kind::absolute)
            significant = value[i] == quad(0) ? 0 : digits[i] + std::floor(static_cast<double>(log10(abs(value[i])))) + 1;
        const bool in_range = abs(value[i]) >= quad(std::numeric_limits<double>::min());
        // A number too small for a double cannot be kept; decimals say all that is lost.
        if (!in_range || significant < 1) {
            r.value.emplace_back("0");
            if (!in_range) r.digits[i] = std::min(r.digits[i], 307.0);
            if (!in_range)
                r.kind[i] = digit_kind::absolute;
            else if (kind[i] == digit_kind::absolute)
                r.digits[i] = std::min(r.digits[i], std::floor(-static_cast<double>(log10(abs(value[i])))) - 1);
            continue;
        }
        r.value.emplace_back(to_text(value[i], std::clamp(static_cast<int>(significant) + 2, digits_of_a_double, 34)));
    }
    return r;
}

std::string derivation::failure() const
{
    for (const auto& r : runs)
        if (!r.failure.empty()) return fmt::format("{} at {}: {}", r.method, to_text(r.tolerance), r.failure);
    return "";
}

double derivation::cpu_s() const
{
    double sum = 0;
    for (const auto& r : runs) sum += r.cpu_s;
    return sum;
}

reference_recipe recipe_of(const problem& p)
{
    if (const auto stored = stored_reference(p); stored && !stored->recipe.empty()) return reference_recipe::from_text(stored->recipe);
    return reference_recipe::from_text("radau:13:1e-17,1e-19 lobatto:15:1e-17,1e-19");
}

reference::integration_settings integration_settings_of(const problem& p, const reference_recipe& recipe, const derivation_request& request)
{
    reference::integration_settings settings;
    settings.floor = recipe.floor;
    settings.numbers = recipe.numbers;
    settings.first = recipe.first;
    settings.stall = recipe.stall;
    settings.keep = recipe.keep;
    for (const auto& k : recipe.keep) {
        const auto known = [&p](int component) { return component >= 1 && component <= p.n(); };
        if (!known(k.target) || !std::ranges::all_of(k.terms, [&](int term) { return known(std::abs(term)); }))
            throw bad_request(fmt::format("recipe: keep names a component that '{}' does not have; allowed: 1 to {}", p.id(), p.n()));
    }
    for (const auto& l : recipe.least) {
        if (l.last > p.n()) throw bad_request(fmt::format("recipe: size names component {}; allowed for '{}': 1 to {}", l.last, p.id(), p.n()));
        settings.least.resize(p.n(), 0.0);
        for (int i = l.first; i <= l.last; ++i) settings.least[i - 1] = l.size;
    }
    settings.timeout_s = request.timeout_s;
    settings.size = request.size;
    if (settings.size.empty() && p.reference())
        for (const auto& v : p.reference()->value) settings.size.push_back(std::abs(v.value()));
    return settings;
}

derivation derive(const problem& p, const reference_recipe& recipe, const derivation_request& request)
{
    std::vector<decimal> times = request.times;
    if (times.empty()) times.push_back(p.info().tend);
    std::vector<quad> stops;
    for (const auto& t : times) stops.push_back(t.in<quad>());

    auto settings = integration_settings_of(p, recipe, request);
    derivation d;
    d.recipe = recipe;
    for (const auto& run : recipe.runs) {
        if (request.progress) request.progress(fmt::format("{} {}, tolerance {}", p.id(), run.family, to_text(run.tolerance)));
        settings.tolerance = run.tolerance;
        auto [method, result] = integrated(p, run, stops, settings);
        d.runs.push_back({std::move(method), run.tolerance, result.steps, result.evaluations, result.turns, result.cpu_s, std::move(result.failure),
                          std::move(result.at)});
        if (!d.runs.back().failure.empty()) return d;
    }
    for (std::size_t k = 0; k < times.size(); ++k) d.at.push_back(agreement_of(d, k, times[k]));
    return d;
}

double digits_of_worst(const derivation& d)
{
    double least = std::numeric_limits<double>::infinity();
    for (const auto& at : d.at) {
        quad largest = 0;
        for (const quad& y : at.value) largest = std::max(largest, abs(y));
        for (std::size_t i = 0; i < at.digits.size(); ++i) {
            if (at.kind[i] == digit_kind::relative)
                least = std::min(least, at.digits[i]);
            else if (largest > quad(0)) // zero, or noise: it is known to a part of the largest component
                least = std::min(least, at.digits[i] + static_cast<double>(log10(largest)));
        }
    }
    return d.at.empty() ? -1.0 : least;
}

derivation derive_digits(const problem& p, double digits, const derivation_request& request)
{
    constexpr std::array<std::pair<double, double>, 5> efforts{{{1e-9, 1e-10}, {1e-11, 1e-12}, {1e-13, 1e-15}, {1e-16, 1e-18}, {1e-19, 1e-21}}};
    std::optional<derivation> best;
    for (const auto& [coarse, fine] : efforts) {
        reference_recipe recipe = recipe_of(p);
        for (auto& r : recipe.runs) r.tolerance = &r == &recipe.runs.front() || r.family != (&r - 1)->family ? coarse : fine;
        derivation d = derive(p, recipe, request);
        // As long as nothing is proven, a run without a gain may only be the first that was not accurate enough.
        const bool promising = !d.at.empty() && (!best || digits_of_worst(*best) < 1);
        if (!best || digits_of_worst(d) > digits_of_worst(*best))
            best = std::move(d);
        else if (!promising)
            break;
        if (digits_of_worst(*best) >= digits) break;
    }
    return std::move(*best);
}

confirmation compare(const reference_file& stored, const derivation& derived)
{
    confirmation c;
    std::vector<const reference_values*> tables{&stored};
    for (const auto& p : stored.path) tables.push_back(&p);
    for (const auto& now : derived.at) {
        const auto table = std::ranges::find_if(tables, [&now](const auto* t) { return t->t.value() == now.t.value(); });
        if (table == tables.end()) continue;
        const reference_values& before = **table;
        for (std::size_t i = 0; i < now.value.size(); ++i) {
            ++c.compared;
            const quad kept = before.value[i].in<quad>();
            const quad unit = before.kind[i] == digit_kind::absolute ? quad(1) : abs(kept);
            quad difference = 0;
            for (const auto& r : derived.runs) difference = std::max(difference, abs(r.at[&now - derived.at.data()][i] - kept));
            if (difference <= last_place(before, i)) continue;
            const double agreed = digits_of_difference(difference, unit);
            const double proven = now.kind[i] == before.kind[i] ? now.digits[i] : agreed;
            if (agreed >= proven) // they differ by what this derivation leaves open
                ++c.fewer_digits;
            else
                c.contradictions.push_back({now.t, i, before.value[i].text(), to_text(now.value[i], 34), before.digits[i], std::max(0.0, agreed)});
        }
    }
    return c;
}

} // namespace ivp
