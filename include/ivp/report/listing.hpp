// The listing of one run, with all that the original test set printed.
#ifndef IVP_REPORT_LISTING_HPP
#define IVP_REPORT_LISTING_HPP

#include <ivp/measure/scd.hpp>
#include <ivp/model/problem.hpp>
#include <ivp/model/record.hpp>

#include <optional>
#include <string>

namespace ivp {

std::string listing(const run_record& r, const problem& p, const std::optional<accuracy>& a);

} // namespace ivp

#endif
