// How everything was measured, and what the words mean.
#include "view.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/library_warnings.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"
#include "report/render/numbers.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace ivp::book_pages {

namespace {

// Mathematics here goes through the same renderer as that of the chapters.
constexpr const char* definitions = R"(
## How it was measured

- **Counts**: the platform, not the solver, counts at the boundary of the problem: every evaluation of $f$, every Jacobian and every factorisation. It keeps the counts that
  a foreign solver claims beside its own.
- **CPU time** is that of the solve calls alone, summed over threads: the least of several repetitions, after one that is not timed. A question mark follows
  a time from fewer than five. Reading, setting up and reporting are outside. Solvers that are compared take turns, so that a disturbance hits all of them.
- **Tolerances**, first steps and Jacobians follow the protocol of each problem; every run has the command that repeats it.
- **Foreign code** runs in a separate process: if it crashes or hangs, that is the outcome of its run.

## What the words mean

With the reference solution $r$ and the result $y$ of a run:

- **scd**, significant correct digits: $-\log_{10} \max_i \left| y_i - r_i \right| / \left| r_i \right|$ over the components that the problem does not exclude.
- **mescd**, the same in the mixed error: $-\log_{10} \max_i \left| y_i - r_i \right| / (atol_i / rtol_i + \left| r_i \right|)$ over all components.
- **Confirmed digits** of a reference are those on which two independent computations agree. The report draws and ranks nothing beyond them. They are
  **estimated** if only runs in double precision agree.
- **Work for D digits**: the least work of a run that delivers at least D digits (mescd), or of a point on the line between two neighbouring tolerances, digits
  against the logarithm of the work. The tool never extrapolates.
- **Performance profile** (Dolan and Moré, 2002): with $w_{ps}$, the work of solver $s$ for D digits on problem $p$,
  $$ \rho_s(\tau) = \frac{1}{n_p} \left| \left\{ p : w_{ps} \le \tau \min_{s'} w_{ps'} \right\} \right| $$
  over the $n_p$ problems on which at least one of the solvers delivers. A solver that does not take a problem, fails or was not run there has not delivered.
- **Score**: the area below the profile for $1 \le \tau \le 100$ on a logarithmic axis, from 0 to 1. **Rank**: one more than the number of solvers with a
  higher score. The interval after it contains nine tenths of 1000 rankings, each over problems drawn with replacement; the draws are the same every time.

## How to read with the keyboard

`/` goes to the search box, `Esc` leaves it. In a diagram the arrow keys go from run to run and from solver to solver, `+`, `-` and `0` zoom, `Enter` copies the
command that repeats the run. The head of a table's column sorts the table.
)";

struct setting {
    machine_info machine;
    build_info build;
    std::string host;
    [[nodiscard]] auto key() const
    {
        return std::tie(machine.cpu, machine.os, host, build.compiler, build.flags, build.version, build.instruction_set, build.kernels);
    }
    bool operator<(const setting& o) const { return key() < o.key(); }
};

/// What is known about a library that solvers ran.
struct library_runs {
    std::set<std::string> solvers;
    std::size_t runs = 0;
    std::optional<double> slowdown; ///< the least that was measured
};

using libraries = std::map<std::string, library_runs>; // by name, version and build

libraries libraries_of(std::span<const run_record> records)
{
    libraries all;
    for (const auto& r : records) {
        if (r.solver_origin != "driver") continue;
        library_runs& l = all[r.library.empty() ? "not known (earlier runs)" : r.library];
        l.solvers.insert(r.solver);
        ++l.runs;
        if (r.library_slowdown) l.slowdown = std::min(l.slowdown.value_or(*r.library_slowdown), *r.library_slowdown);
    }
    return all;
}

std::string libraries_section(const view& v)
{
    const libraries all = libraries_of(v.records);
    if (all.empty()) return "";
    constexpr auto heads = "<th scope=\"col\">library and its build</th><th scope=\"col\">solvers</th><th scope=\"col\" class=\"r\">time of its "
                           "loops</th><th scope=\"col\" class=\"r\">runs</th>";
    std::string rows;
    for (const auto& [library, l] : all)
        rows += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"r{}\">{}</td><td class=\"r\">{}</td></tr>\n", html_escaped(library),
                            html_escaped(joined(l.solvers, ", ")), is_unoptimised(l.slowdown) ? " bad" : "",
                            l.slowdown ? fmt::format("{:.1f}", *l.slowdown) : "not measured", count_number(medium::html, l.runs));
    return "<h3 id=\"libraries\">Libraries</h3>\n" + library_warnings(v.records).html() + html_table("plain", heads, rows) +
           fmt::format("<p class=\"remark\">Time of its loops: sums of vectors, norms and eliminations of the library, in "
                       "units of the same loops compiled by us with -O2. From {:g} on it counts as compiled without optimisation.</p>\n",
                       unoptimised_from);
}

} // namespace

std::string method_page(const view& v, const book_content& c)
{
    std::map<setting, std::size_t> settings;
    std::map<std::string, std::size_t> notes;
    std::map<std::string, std::size_t> limits;
    std::map<std::string, std::size_t> campaigns;
    for (const auto& r : c.runs) {
        ++settings[{r.record.machine, r.record.build, r.host}];
        for (const auto& note : r.notes) ++notes[note];
        if (!r.limits.empty()) ++limits[r.limits];
        if (!r.campaign.empty()) ++campaigns[r.campaign];
    }
    std::string text = "<article class=\"page\" id=\"method\">\n<h1>Machine and method</h1>\n";
    if (!v.records.empty()) {
        std::string rows;
        for (const auto& [s, n] : settings)
            rows +=
                fmt::format("<tr><td>{}{}, {}<br><span class=\"quiet\">{}</span></td><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td><td "
                            "class=\"r\">{}</td></tr>\n",
                            s.host.empty() ? "" : html_escaped(s.host) + ": ", html_escaped(s.machine.cpu), counted(s.machine.cores, "core"),
                            html_escaped(s.machine.os), html_escaped(s.build.compiler), html_escaped(s.build.flags), html_escaped(s.build.kernels),
                            html_escaped(s.build.version), count_number(medium::html, n));
        const std::string heads = column_heads({"machine", "compiler", "flags", "kernels", "ivp"}) + "<th scope=\"col\" class=\"r\">runs</th>";
        text += "<section><h2>The machine</h2>\n" + html_table("plain", heads, rows) + libraries_section(v);
        const auto list = [&text](std::string_view head, const std::map<std::string, std::size_t>& entries) {
            if (entries.empty()) return;
            text += fmt::format("<h3>{}</h3>\n<ul>\n", head);
            for (const auto& [words, n] : entries)
                text += fmt::format("<li>{} <span class=\"quiet\">({} {})</span></li>\n", html_escaped(words), count_number(medium::html, n),
                                    noun(n, "run"));
            text += "</ul>\n";
        };
        list("Campaigns", campaigns);
        list("Repetitions and limits", limits);
        list("What was wrong with the machine", notes);
        text += "</section>\n";
    }
    return text + html_from_markdown(definitions).html + "</article>\n";
}

} // namespace ivp::book_pages
