// The book as a file, for `ivp report` and for the end of `ivp demo`.
#ifndef IVP_CLI_REPORT_HPP
#define IVP_CLI_REPORT_HPP

#include <string>
#include <vector>

namespace ivp::cli {

/// Throws bad_request, with every fault, before anything is written. `plugins`: files of solvers and problems whose chapters are wanted.
void write_book(const std::string& database, const std::string& path, const std::vector<std::string>& plugins);

} // namespace ivp::cli

#endif
