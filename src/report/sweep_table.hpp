// A sweep: the same runs for several values of parameters, as a table and a plot.
#ifndef IVP_SRC_REPORT_SWEEP_TABLE_HPP
#define IVP_SRC_REPORT_SWEEP_TABLE_HPP

#include "report/render/svg_plot.hpp"

#include <ivp/problem.hpp>
#include <ivp/record.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp {

struct sweep {
    std::vector<std::string> names;      ///< of the parameters that change
    std::vector<run_record> runs;        ///< in the order of the values
    std::vector<std::string> components; ///< names of the components
};

/// A curve of a plot: one solver with one setting at one tolerance, and one value of each parameter but the first.
struct sweep_series {
    std::string label;  ///< what tells it from the others; empty: it is the only one
    std::string solver; ///< with the settings in which the runs differ
    double rtol = 0;
    std::vector<const run_record*> runs; ///< from the smallest value of the parameter to the largest
};
std::vector<sweep_series> series_of(const sweep& s);

/// The names of a problem's components, y1, y2, ... if it has none.
std::vector<std::string> component_names_of(const problem& p);
/// Of all runs of one problem: those that differ in one parameter, which has three values or more. Defaults are not among a record's parameters.
std::vector<sweep> sweeps_in(std::span<const run_record> runs, std::span<const parameter> known, const std::vector<std::string>& components);

/// Columns of the table besides the parameters: digits, counts, time, then outputs or components.
std::vector<std::string> columns_of(const sweep& s);
/// None: there is no such number in this run.
std::optional<double> value_in(const sweep& s, const run_record& r, const std::string& column);
std::optional<double> parameter_value(const sweep& s, const run_record& r);
/// Values over a wide range, all above zero, are seen on a logarithmic axis only.
bool is_logarithmic(const std::vector<double>& values);

std::string sweep_text(const sweep& s);
std::string sweep_csv(const sweep& s);
/// The column against the first parameter, in the terminal and as a file of its own.
std::string sweep_plot(const sweep& s, const std::string& column);
std::string sweep_svg(const sweep& s, const std::string& column);
/// The curves of series_of(s), each with its look.
svg_plot drawn_sweep(const sweep& s, const std::string& column, plot_size size, const std::vector<curve_look>& looks);

} // namespace ivp

#endif
