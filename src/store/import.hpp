// Records of other programs brought into a store.
#ifndef IVP_SRC_STORE_IMPORT_HPP
#define IVP_SRC_STORE_IMPORT_HPP

#include <cstddef>
#include <iosfwd>
#include <string>

namespace ivp {

/// In the place of fingerprints that only a build of ivp can have.
constexpr auto imported_content = "imported";

struct import_result {
    std::size_t added = 0;
    std::size_t duplicates = 0;       ///< stored before with the same results
    std::size_t judged_otherwise = 0; ///< claimed success, and are none by our own judgement
    std::size_t without_time = 0;     ///< succeeded, but no diagram of CPU time can show them
};

/// Reads one record of JSON a line (docs/contracts.md, Record) and adds all of them to the store, which need not exist. Runs of problems of the
/// catalog are judged here: digits come from y, whatever the line says. All or nothing: throws bad_request with every fault, its line in front of it.
import_result import_records(std::istream& in, const std::string& name, const std::string& db);

} // namespace ivp

#endif
