// Run characteristics of several runs, as the chapters of the original showed them.
#ifndef IVP_REPORT_TABLE_HPP
#define IVP_REPORT_TABLE_HPP

#include <ivp/model/record.hpp>

#include <span>
#include <string>

namespace ivp {

/// One block per problem, in the order of the records; failed runs carry their outcome.
std::string characteristics_table(std::span<const run_record> records);

} // namespace ivp

#endif
