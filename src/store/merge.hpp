// Several stores made one.
#ifndef IVP_SRC_STORE_MERGE_HPP
#define IVP_SRC_STORE_MERGE_HPP

#include <ivp/store.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ivp {

struct merge_result {
    std::size_t added = 0;
    std::size_t duplicates = 0; ///< stored in both with the same result; the first measurement is kept
    std::size_t replaced = 0;   ///< ended by the clock in one store and by itself in the other: the latter is kept
    std::size_t assessments = 0;
    std::vector<std::string> conflicts; ///< the same run with different results, in words; then nothing was written
    std::vector<stored_machine> machines;
};

/// Adds the runs of all inputs to the store `out`, which need not exist. All or nothing.
merge_result merge_stores(const std::string& out, const std::vector<std::string>& inputs);

/// Fields in which two records differ though they must not: outcome, counts, result, digits. Empty: the same result.
std::vector<std::string> differing_results(const run_record& a, const run_record& b);

/// The run was ended by a clock or a limit of the machine: how far it came is chance.
bool ended_from_outside(outcome o);

} // namespace ivp

#endif
