#include "run_options.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "model/limits.hpp"
#include "model/views.hpp"
#include "reference/derive.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ivp::cli {

run_settings read_settings(const run_options& o, reader& read)
{
    run_settings s;
    const auto real = [&read](const char* name, const std::optional<std::string>& text) { return text ? read.real(name, *text) : std::nullopt; };
    const auto count = [&read](const char* name, const std::optional<std::string>& text, auto most) -> std::optional<decltype(most)> {
        const auto n = text ? read.count(name, *text, 1, static_cast<std::uint64_t>(most)) : std::nullopt;
        return n ? std::optional(static_cast<decltype(most)>(*n)) : std::nullopt;
    };
    s.h0 = real("--h0", o.h0);
    s.hmax = real("--hmax", o.hmax);
    s.max_steps = count("--max-steps", o.max_steps, limits::most_steps);
    s.tend = real("--tend", o.tend);
    s.repeat = count("--repeat", o.repeat, limits::most_repeats);
    s.min_time_s = real("--min-time", o.min_time);
    s.threads = count("--threads", o.threads, limits::most_threads).value_or(s.threads);
    s.timeout_s = real("--timeout", o.timeout);
    s.jacobian =
        read.choice<jacobian_source>("--jacobian", o.jacobian, jacobian_source_from_label, "exact, differences, original").value_or(s.jacobian);
    s.algebra = read.choice<ivp::algebra>("--algebra", o.algebra, algebra_from_label, "auto, dense, band, sparse").value_or(s.algebra);
    s.restart = read.choice<bool>("--restart", o.restart, yes_or_no_from_label, "yes, no").value_or(s.restart);
    for (const auto& [name, text] : read.pairs("--opt", o.opt))
        if (const auto v = read.real("--opt " + name, text)) s.special[name] = *v;
    return s;
}

problem read_problem(const std::string& id, const run_options& o, reader& read)
{
    const std::optional<double> tend = o.tend ? parse_real(*o.tend) : std::nullopt; // what is wrong with it read_settings says
    problem p = with_made_reference(open_contained_problem(id, read.pairs("--set", o.set)), {id, tend});
    if (o.form.empty()) return p;
    const auto wanted = read.choice<form>("--form", o.form, form_from_label, "ode, dae, ide");
    if (!wanted) return p;
    try {
        return in_form(p, *wanted);
    } catch (const bad_request& e) {
        read.fault(std::string("--") + e.what());
        return p;
    }
}

std::string command_line_of(const run_options& o, const solver_info& solver)
{
    std::string text;
    const auto add = [&text](const char* name, const std::string& value) { text += fmt::format(" {} {}", name, shell_word(value)); };
    const auto add_given = [&add](const char* name, const std::optional<std::string>& value) {
        if (value) add(name, *value);
    };
    add_given("--h0", o.h0);
    add_given("--hmax", o.hmax);
    add_given("--max-steps", o.max_steps);
    add_given("--tend", o.tend);
    add_given("--repeat", o.repeat);
    add_given("--min-time", o.min_time);
    add_given("--threads", o.threads);
    add_given("--timeout", o.timeout);
    if (!o.form.empty()) add("--form", o.form);
    if (o.jacobian != "exact") add("--jacobian", o.jacobian);
    if (o.algebra != "auto") add("--algebra", o.algebra);
    if (o.restart != "yes") add("--restart", o.restart);
    if (o.boundary != "own") add("--boundary", o.boundary);
    for (const auto& s : o.set) add("--set", s);
    for (const auto& s : o.opt)
        if (std::ranges::any_of(solver.options, [&s](const solver_option& known) { return s.starts_with(known.name + "="); })) add("--opt", s);
    return text;
}

} // namespace ivp::cli
