// The report as files, for `ivp report` and for the end of `ivp demo`.
#ifndef IVP_CLI_REPORT_HPP
#define IVP_CLI_REPORT_HPP

#include <optional>
#include <string>
#include <vector>

namespace ivp::cli {

struct report_request {
    std::string database;
    std::optional<std::string> out, latex;
    std::vector<std::string> plugins;
    bool force = false;
};

/// Writes what is named: the book (`out`), the files for LaTeX (`latex`). Throws bad_request, with every fault, before anything is written. Returns
/// the files of an earlier report for LaTeX, about other problems, that are still there.
std::vector<std::string> write_report(const report_request& a);

} // namespace ivp::cli

#endif
