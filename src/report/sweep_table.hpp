// A sweep: the same run for several values of parameters, as a table and a plot.
#ifndef IVP_SRC_REPORT_SWEEP_TABLE_HPP
#define IVP_SRC_REPORT_SWEEP_TABLE_HPP

#include <ivp/record.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ivp {

struct sweep {
    std::vector<std::string> names;      ///< of the parameters that change
    std::vector<run_record> runs;        ///< in the order of the values
    std::vector<std::string> components; ///< names of the components
};

/// Columns of the table besides the parameters: outcome, digits, counts, time, then outputs or components.
std::vector<std::string> columns_of(const sweep& s);
/// None: there is no such number in this run.
std::optional<double> value_in(const sweep& s, const run_record& r, const std::string& column);

std::string sweep_text(const sweep& s);
std::string sweep_csv(const sweep& s);
/// The column against the first parameter, in the terminal and as a file of its own.
std::string sweep_plot(const sweep& s, const std::string& column);
std::string sweep_svg(const sweep& s, const std::string& column);

} // namespace ivp

#endif
