// A record on its way into a store, wherever it was measured.
#ifndef IVP_SRC_STORE_KEEP_HPP
#define IVP_SRC_STORE_KEEP_HPP

#include "store_file.hpp"

#include <ivp/run.hpp>
#include <ivp/store.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace ivp {

/// Fingerprints of the texts, or plug-in files, that a problem and a solver were made of.
struct run_contents {
    std::string problem;
    std::string solver;
};
/// The record with what a store keeps around it; campaign: who made it. Without the time of measuring.
stored_run around(run_record r, const run_settings& settings, const run_contents& contents, const std::string& campaign,
                  const std::optional<std::uint64_t>& memory = {});

/// A store for the runs of a command. Made, or found to be one that can be written, before anything is measured.
class kept_runs {
public:
    /// command: what the runs are marked with as their campaign. Throws bad_request.
    kept_runs(std::string db, std::string command);
    /// In the place of an earlier measurement of the same. contents: as they were when problem and solver were opened (content_when_opened). Throws
    /// bad_request, also where the store is not in its place any more.
    void keep(const run_record& r, const run_settings& settings, const run_contents& contents) const;

private:
    std::string db_;
    std::string command_;
    file_in_place file_;
};

} // namespace ivp

#endif
