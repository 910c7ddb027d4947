#include "assessment_tables.hpp"

#include "base/text.hpp"
#include "report/library_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ivp {

namespace {

using namespace detest;

/// Fixed decimals in a fixed width, and powers of ten where these do not fit; what is not known is asterisks, as Fortran has it.
std::string fixed(double v, int width, int decimals)
{
    std::string text = std::isfinite(v) ? fmt::format("{:{}.{}f}", v, width, decimals) : std::string();
    for (int digits = 2; static_cast<int>(text.size()) > width && digits >= 0; --digits) text = fmt::format("{:{}.{}e}", v, width, digits);
    if (text.empty() || static_cast<int>(text.size()) > width) return " " + std::string(static_cast<std::size_t>(width - 1), '*');
    return text;
}

bool stiff(const assessment_settings& s) { return s.set == detest::problem_set::stiff; }

/// Seconds were for the machines of 1986.
double shown_time(double seconds, const assessment_settings& s) { return s.as_1986 ? seconds : 1e3 * seconds; }

/// A blank and seven places, so that no number touches the one before it: fewer decimals if there is no room for three, then powers of ten.
std::string time_text(double v)
{
    constexpr int width = 7;
    if (!std::isfinite(v)) return fixed(v, width + 1, 3);
    std::string text;
    for (int decimals = 3; decimals >= 0; --decimals)
        if (text = fmt::format("{:{}.{}f}", v, width, decimals); text.size() <= width) return " " + text;
    return " " + fixed(v, width, 3);
}

std::string times_text(double time_s, double overhead_s, const assessment_settings& s)
{
    return time_text(shown_time(time_s, s)) + time_text(shown_time(overhead_s, s)) + " ";
}

std::string counts_text(double evaluations, double jacobians, double factorisations, double steps, const assessment_settings& s)
{
    std::string text = fmt::format(" {:7.0f}", evaluations);
    if (stiff(s)) text += fmt::format(" {:7.0f} {:7.0f}", jacobians, factorisations);
    return text + fmt::format(" {:7.0f}", steps);
}

std::string costs_text(const costs& c, const assessment_settings& s)
{
    const auto real = [](std::uint64_t v) { return static_cast<double>(v); };
    return times_text(c.time_s, c.overhead_s, s) + counts_text(real(c.evaluations()), real(c.njac), real(c.nlu), real(c.accepted), s);
}

struct heading_lines {
    std::string first, second;
    void add(const char* a, const char* b, int width)
    {
        first += fmt::format("{:>{}}", a, width);
        second += fmt::format("{:>{}}", b, width);
    }
};

void add_costs(heading_lines& h, const assessment_settings& s)
{
    h.add("TIME", s.as_1986 ? "" : "(ms)", 8);
    h.add("OVHD", s.as_1986 ? "" : "(ms)", 8);
    h.add("", "", 1);
    h.add("FCN", "CALLS", 8);
    if (stiff(s)) {
        h.add("JAC", "CALLS", 8);
        h.add("MAT", "FACT", 8);
    }
    h.add("NO OF", "STEPS", 8);
}

void add_local_errors(heading_lines& h, int gap)
{
    h.add("MAXIMUM", "LOC ERR", gap + 9);
    h.add("FRACTION", "DECEIVED", gap + 9);
    h.add("FRACTION", "BAD DECV", gap + 10);
}

std::string joined_heading(const heading_lines& h) { return h.first + "\n" + h.second + "\n"; }

std::string table_heading(const assessment_settings& s)
{
    heading_lines h;
    h.add("LOG10", "TOL", 13);
    add_costs(h, s);
    h.add("END PNT", "GLB ERR", 10);
    if (s.level >= 2) h.add("MAXIMUM", "GLB ERR", 10);
    if (s.level >= 3) add_local_errors(h, 1);
    return joined_heading(h);
}

double fraction(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}

std::string local_errors_text(double largest, std::uint64_t deceived, std::uint64_t badly, std::uint64_t assessed)
{
    return " " + fixed(assessed == 0 ? std::nan("") : largest, 9, 3) + " " + fixed(fraction(deceived, assessed), 9, 3) + " " +
           fixed(fraction(badly, assessed), 10, 3);
}

std::string tolerance_text(double tol) { return fixed(std::log10(tol), 13, 2); }

std::string lost_truth_text(const row& r)
{
    if (r.truth_global == truth_out_of_time || r.truth_local == truth_out_of_time)
        return fmt::format("true solutions given up at x = {:.6g}, their time limit was reached", r.x_true);
    if (r.truth_global > 0 && r.truth_failures > 0)
        return fmt::format("no true local solution for {}, the first at x = {:.6g} (local {})", counted(r.truth_failures, "step"), r.x_true,
                           r.truth_local);
    return fmt::format("true solution lost at x = {:.6g} (global {}, local {})", r.x_true, r.truth_global, r.truth_local);
}

std::string why_text(const row& r)
{
    // A foreign METHOD says how far it came, not why it ended: its failures have no outcome.
    const std::string reason =
        r.outcome == outcome::success ? r.message : fmt::format("{}{}", label(r.outcome), r.message.empty() ? "" : ": " + r.message);
    switch (r.code) {
    case could_not_start: return fmt::format("       failed to start at TOL {:.1e}; {}\n", r.tol, reason);
    case method_failed: return fmt::format("       the method failed at x = {:.6g}; {}\n", r.x_reached, reason);
    case both_failed: return fmt::format("       {}; the method failed at x = {:.6g}; {}\n", lost_truth_text(r), r.x_reached, reason);
    case truth_failed: return fmt::format("       {}\n", lost_truth_text(r));
    case failed_while_timed: return fmt::format("       the method failed unexpectedly while it was timed; {}\n", reason);
    default: return {};
    }
}

std::string fit_text(const char* what, const std::optional<smoothness_fit>& f)
{
    if (!f || f->values < 3) return fmt::format("       smoothness of the {}: fewer than three good rows, too few for a fit\n", what);
    return fmt::format("       smoothness of the {}: error = {:.3g} * TOL**{:.3f}, r.m.s. residual {:.1e} in log10, {} values\n", what, f->c, f->e,
                       f->residual, f->values);
}

std::string normalized_text(const normalized_table& t, const assessment_settings& s)
{
    std::string text =
        fmt::format("\n       normalized efficiency, by the {}\n", s.normalize == normalization::end ? "end point error" : "maximum error");
    if (t.lines.empty()) return text + "       " + t.remark + "\n";
    heading_lines h;
    h.add("EXPECTED", "ACCURACY", 16);
    h.add("EQUIV", "LOG10 TOL", 10);
    add_costs(h, s);
    text += joined_heading(h);
    for (const auto& l : t.lines)
        text += fmt::format("{:>16}{}", fmt::format("10**{}", -l.digits), fixed(l.log10_tol, 10, 2)) + times_text(l.time_s, l.overhead_s, s) +
                counts_text(l.nfev, l.njac, l.nlu, l.accepted, s) + "\n";
    return text;
}

std::string failures_text(const summary_line& l)
{
    return l.failed == 0 ? "" : fmt::format("  {} of {} failed", l.failed, counted(l.runs + l.failed, "run"));
}

std::string heading_text(const assessment& a)
{
    const auto& s = a.settings;
    std::string text = fmt::format("{} DETEST of {} {}\n", stiff(s) ? "Stiff" : "Nonstiff", full_name(a.solver, a.solver_origin), a.solver_version);
    text += fmt::format("level {}, normalized efficiency: {}, norm: {}, error control: {}\n", s.level, label(s.normalize), label(s.norm),
                        a.error_control);
    if (s.level >= 2)
        text += fmt::format("true solutions: {}{}",
                            s.truth == truth_kind::quad ? "Radau IIA of order 13 in quadruple precision"
                            : stiff(s)                  ? "SECDER"
                                                        : "DVERK",
                            s.level == 2 ? "\n" : "");
    if (s.level >= 3)
        text += fmt::format("; local errors against {}\n", s.bound == bound_kind::reported ? "the bound of the solver's own error control" : "TOL");
    if (s.as_1986) text += "arithmetic and rules of the package of 1986\n";
    return text + fmt::format("{}, {}\n", a.machine.cpu, a.build.compiler);
}

} // namespace

std::string problem_heading(const problem_result& p, const assessment_settings& s)
{
    return fmt::format("\n{} {}\n", p.name, p.scaled ? "scaled" : "unscaled") + table_heading(s);
}

std::string row_text(const row& r, const assessment_settings& s, bool extrapolated)
{
    if (r.code == could_not_start) return why_text(r);
    std::string text = tolerance_text(r.tol) + costs_text(r.cost, s) + "  " + fixed(r.end_error, 8, 2);
    if (s.level >= 2) text += " " + fixed(r.max_global_error, 9, 2);
    if (s.level >= 3) {
        text += local_errors_text(r.max_local_error, r.deceived_steps, r.badly_deceived_steps, r.assessed_steps);
        if (r.assessed_steps != r.cost.accepted) text += fmt::format("  {} assessed", r.assessed_steps);
    }
    if (r.rounding_decides.value_or(false)) text += "  rounding decides";
    text += "\n" + why_text(r);
    if (r.scatter) text += fmt::format("       {}local extrapolation\n", extrapolated ? "" : "no ") + scatter_text(*r.scatter, s.as_1986);
    return text;
}

std::string problem_footer(const problem_result& p, const assessment_settings& s)
{
    std::string text = fit_text("end point error", p.end_fit);
    if (s.level >= 2) text += fit_text("maximum error", p.max_fit);
    if (p.normalized) text += normalized_text(*p.normalized, s);
    return text;
}

std::string group_summary_text(const group_result& g, const assessment_settings& s)
{
    std::string text = "\nsummary of the group\n" + table_heading(s);
    for (const auto& l : g.summary) {
        const auto known = [&l](double error) { return l.runs > 0 ? error : std::nan(""); };
        text += tolerance_text(l.tol) + costs_text(l.cost, s) + "  " + fixed(known(l.end_error), 8, 2);
        if (s.level >= 2) text += " " + fixed(known(l.max_global_error), 9, 2);
        if (s.level >= 3) text += local_errors_text(l.max_local_error, l.deceived_steps, l.badly_deceived_steps, l.assessed_steps);
        text += failures_text(l) + "\n";
    }
    return text;
}

std::string overall_text(std::span<const summary_line> by_tolerance, const summary_line& overall, const assessment_settings& s)
{
    heading_lines h;
    h.add("LOG10", "TOL", 13);
    add_costs(h, s);
    if (s.level >= 3) add_local_errors(h, 1);
    std::string text = "\nsummary of all groups\n" + joined_heading(h);
    const auto line = [&s](const summary_line& l) {
        std::string numbers = costs_text(l.cost, s);
        if (s.level >= 3) numbers += local_errors_text(l.max_local_error, l.deceived_steps, l.badly_deceived_steps, l.assessed_steps);
        return numbers + failures_text(l) + "\n";
    };
    for (const auto& l : by_tolerance) text += tolerance_text(l.tol) + line(l);
    return text + fmt::format("{:>13}", "overall") + line(overall);
}

std::string scatter_text(const scatter_table& t, bool as_1986)
{
    if (t.total() == 0) return "       no scatter plot: the solver reported no error estimate for an assessed step\n";
    constexpr int lowest = scatter_table::lowest;
    constexpr int highest = scatter_table::lowest + scatter_table::classes - 1;
    constexpr int cell = 3;
    const std::string border = fmt::format("{:>12}+{:->{}}+\n", "", "", cell * scatter_table::classes);
    // The names are the documentation's; the original's own legend has them the other way round.
    std::string text = fmt::format("       error of the estimate, {} = ||y* - yloc||/ERRBND (up), against its size, {} = ||ERREST||/ERRBND (right),\n"
                                   "       in per cent of {} steps\n",
                                   as_1986 ? "R2" : "r1", as_1986 ? "R1" : "r2", t.total());
    text += fmt::format("{:>12}\n", "infinity") + border;
    const auto total = static_cast<double>(t.total());
    for (int v = highest; v >= lowest; --v) {
        std::string line = fmt::format("{:>12}|", v > lowest ? fmt::format("2^{}", v - 1) : "0");
        for (int e = lowest; e <= highest; ++e) {
            const auto count = static_cast<double>(t.count(e, v));
            if (count == 0)
                line += fmt::format("{:>{}}", "", cell);
            else if (count / total < 0.01)
                line += fmt::format("{:>{}}", ".", cell);
            else
                line += fmt::format("{:>{}}", static_cast<int>(100 * count / total), cell);
        }
        text += line + "|\n";
    }
    text += border + fmt::format("{:>12}0", "");
    for (int e = lowest; e < highest; ++e) text += fmt::format("{:>{}}", e, cell);
    return text + "  infinity (exponents of 2)\n";
}

std::string first_steps_text(const assessed_problem& p, double tol, std::span<const told_step> steps, const method_run& run)
{
    std::string text =
        fmt::format("{} {}, TOL {:.1e}, from x = {:g} to {:g}, first step offered {}, largest step {:g}\n", p.name, p.scaled ? "scaled" : "unscaled",
                    tol, p.t0(), p.tend(), p.h_begin ? fmt::format("{:g}", *p.h_begin) : "none", p.h_max);
    int k = 0;
    for (const auto& s : steps) {
        text += fmt::format("step {}: x = {:.16g}, ERRBND = {:.6g}\n", ++k, s.t, s.bound);
        text += fmt::format("  {:>4}  {:>24}  {:>16}\n", "i", "y", "ERREST");
        for (std::size_t i = 0; i < s.y.size(); ++i)
            text += fmt::format("  {:>4}  {:>24.16e}  {:>16}\n", i + 1, s.y[i], s.estimate.empty() ? "none" : fmt::format("{:.6e}", s.estimate[i]));
    }
    text += fmt::format("{} steps reported; FCN calls {}, JAC calls {}, MAT fact {}; the run ended at x = {:g}: {}{}\n", steps.size(),
                        run.count.f + run.count.f_jacobian, run.count.jacobian, run.count.lu, run.t,
                        run.outcome == outcome::stopped_by_observer ? "stopped after these steps, as asked" : std::string(label(run.outcome)),
                        run.message.empty() || run.outcome == outcome::stopped_by_observer ? "" : ", " + run.message);
    return text;
}

std::string weights_text(std::span<const weight_result> results)
{
    const bool any_stored = std::ranges::any_of(results, [](const weight_result& r) { return !r.stored.empty(); });
    std::string text = fmt::format("{:<16} {:>4} {:>12}", "problem", "i", "weight");
    text += any_stored ? fmt::format(" {:>12} {:>10}\n", "stored", "deviation") : "\n";
    for (const auto& r : results)
        for (std::size_t i = 0; i < r.computed.size(); ++i) {
            text += fmt::format("{:<16} {:>4} {:>12.2e}", i == 0 ? r.id : "", i + 1, r.computed[i]);
            if (!r.stored.empty()) text += fmt::format(" {:>12.2e} {:>9.2f}%", r.stored[i], 100 * (r.computed[i] / r.stored[i] - 1));
            text += "\n";
        }
    return text;
}

std::string timing_text(std::span<const timing_result> results)
{
    std::string text =
        fmt::format("CPU time of one call, in microseconds\n{:<16} {:>6} {:>10} {:>10} {:>14}\n", "problem", "n", "f", "Jacobian", "factorisation");
    for (const auto& r : results)
        text += fmt::format("{:<16} {:>6} {:>10.4f} {:>10.4f} {:>14.4f}\n", r.id, r.n, 1e6 * r.unit.evaluation_s, 1e6 * r.unit.jacobian_s,
                            1e6 * r.unit.factorisation_s);
    return text;
}

std::string assessment_text(const assessment& a)
{
    const auto& s = a.settings;
    std::string text = heading_text(a);
    int number = 0;
    for (const auto& g : a.groups) {
        text += fmt::format("\n==== group {} ====\n", ++number);
        for (const auto& p : g.problems) {
            text += problem_heading(p, s);
            for (const auto& r : p.rows) text += row_text(r, s, a.extrapolated);
            text += problem_footer(p, s);
        }
        text += group_summary_text(g, s);
    }
    text += overall_text(a.summary, a.overall, s);
    if (s.level >= 2) text += fmt::format("\n{:.3g} of {:.3g} seconds were spent in true solutions\n", a.overall.truth_time_s, a.seconds);
    library_warnings warnings;
    warnings.add(a.solver, a.library, a.library_slowdown);
    return text + warnings.text();
}

} // namespace ivp
