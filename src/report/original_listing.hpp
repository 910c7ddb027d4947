// The listing of a run as the programs of releases 2.0 and 2.1 printed it, for scripts that read it.
#ifndef IVP_SRC_REPORT_ORIGINAL_LISTING_HPP
#define IVP_SRC_REPORT_ORIGINAL_LISTING_HPP

#include <ivp/accuracy.hpp>
#include <ivp/problem.hpp>
#include <ivp/record.hpp>

#include <optional>
#include <string>

namespace ivp {

/// Wording, columns and numbers are those of figure III.1 of the report of release 2.1. A run that fails has one line, "ERROR: ...", behind its
/// input.
std::string original_listing(const run_record& r, const problem& p, const std::optional<accuracy>& a);

/// Fortran's E24.16: "  0.7421645857497393E-03".
std::string fortran_e24_16(double v);

} // namespace ivp

#endif
