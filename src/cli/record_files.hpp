// Files of all numbers of some runs.
#ifndef IVP_CLI_RECORD_FILES_HPP
#define IVP_CLI_RECORD_FILES_HPP

#include "model/record_csv.hpp"

#include <ivp/record.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ivp::cli {

inline std::string records_as_csv(const std::vector<run_record>& records)
{
    std::string text = csv_header() + "\n";
    for (const auto& r : records) text += to_csv(r) + "\n";
    return text;
}

/// An array, a record in each line.
inline std::string records_as_json(const std::vector<run_record>& records)
{
    std::string text = "[\n";
    for (std::size_t k = 0; k < records.size(); ++k) text += to_json(records[k]) + (k + 1 < records.size() ? ",\n" : "\n");
    return text + "]\n";
}

} // namespace ivp::cli

#endif
