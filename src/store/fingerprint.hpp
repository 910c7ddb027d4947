// Fingerprints of settings: what was asked of a run. (Of contents: catalog/content.hpp.)
#ifndef IVP_SRC_STORE_FINGERPRINT_HPP
#define IVP_SRC_STORE_FINGERPRINT_HPP

#include <ivp/run.hpp>

#include <string>

namespace ivp {

/// Of everything that decides what the run computes; not of how often and how long at most. Tolerances and h0 count with 12 digits.
std::string setting_of(const run_record& planned, const run_settings& settings);
/// The same for a run that somebody else planned: Jacobian and algebra are those of its record.
std::string setting_of(const run_record& finished);

/// The same of a stored run, whose setting may be of a time when all digits counted.
std::string comparable_setting(const run_record& r, const std::string& setting);

} // namespace ivp

#endif
