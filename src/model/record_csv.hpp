// The components of records as a table beside that of the records, which has one number in each cell (csv_header, to_csv).
#ifndef IVP_SRC_MODEL_RECORD_CSV_HPP
#define IVP_SRC_MODEL_RECORD_CSV_HPP

#include <ivp/record.hpp>

#include <cstddef>
#include <string>

namespace ivp {

/// Whether a record has what its row cannot hold: tolerances that differ by component, or more components of y than there are columns.
bool has_components_apart(const run_record& r);

/// Row of the record (from 1), component (from 1), its tolerances and its result; lines only for records that have components apart.
std::string components_csv_header();
std::string components_csv(const run_record& r, std::size_t row);

} // namespace ivp

#endif
