#include <ivp/report/table.hpp>

#include <fmt/format.h>

#include <optional>

namespace ivp {

namespace {

std::string digits(const std::optional<double>& d) { return d ? fmt::format("{:.2f}", *d) : ""; }

std::string tolerance(const std::vector<double>& t) { return t.size() == 1 ? fmt::format("{:.0e}", t[0]) : "vector"; }

std::string row(const run_record& r)
{
    std::string text =
        fmt::format("{:<12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>8} {:>7} {:>6} {:>9.2e}", r.solver, tolerance(r.rtol), tolerance(r.atol),
                    r.h0 ? fmt::format("{:.0e}", *r.h0) : "", digits(r.mescd), digits(r.scd), r.steps, r.accepted, r.nfev, r.njac, r.nlu, r.cpu_s);
    if (r.outcome != outcome::success) text += fmt::format("  {}", label(r.outcome));
    return text;
}

} // namespace

std::string characteristics_table(std::span<const run_record> records)
{
    const std::string head = fmt::format("{:<12} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>8} {:>7} {:>6} {:>9}", "solver", "rtol", "atol", "h0",
                                         "mescd", "scd", "steps", "accept", "#f", "#Jac", "#LU", "CPU [s]");
    std::string text;
    std::string problem;
    for (const auto& r : records) {
        if (r.problem != problem) {
            problem = r.problem;
            text += fmt::format("{}{} ({}, {} equations)\n{}\n{:-<{}}\n", text.empty() ? "" : "\n", r.problem, r.form, r.dimension, head, "",
                                head.size());
        }
        text += row(r) + "\n";
    }
    return text;
}

} // namespace ivp
