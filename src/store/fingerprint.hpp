// Fingerprints: which version of a problem, a solver, this program was measured; and what was asked of a run.
#ifndef IVP_SRC_STORE_FINGERPRINT_HPP
#define IVP_SRC_STORE_FINGERPRINT_HPP

#include <ivp/run.hpp>

#include <string>

namespace ivp {

/// Of the texts it was made of at build time; of the file where it is given by a path. Throws bad_request where that cannot be read.
std::string problem_content(const std::string& id_or_path);
std::string solver_content(const std::string& name_or_path);
/// Of everything between a solver and a problem: evaluation, linear algebra, measurement.
std::string platform_content();

/// Of everything that decides what the run computes; not of how often and how long at most. Tolerances and h0 count with 12 digits.
std::string setting_of(const run_record& planned, const run_settings& settings);
/// The same for a run that somebody else planned: Jacobian and algebra are those of its record.
std::string setting_of(const run_record& finished);

/// The same of a stored run, whose setting may be of a time when all digits counted.
std::string comparable_setting(const run_record& r, const std::string& setting);

} // namespace ivp

#endif
