// What an exported library answers for: written into a copy of the library by 'ivp export', read by the library when a program calls it.
#ifndef IVP_SRC_EXPORT_FORTRAN_REQUEST_HPP
#define IVP_SRC_EXPORT_FORTRAN_REQUEST_HPP

#include <ivp/problem.hpp>

#include <map>
#include <string>
#include <string_view>

namespace ivp::export_fortran {

/// Stands in the library before the place of the request.
constexpr std::string_view request_mark = "ivp export request:";
constexpr std::size_t request_size = 2048; ///< with the mark and a zero byte at the end

struct request {
    std::string id;
    form wanted_form = form::ode;
    jacobian_source jacobian = jacobian_source::original;
    std::map<std::string, std::string> parameters;
};

/// Lines of text. Throws bad_request where it is too long.
std::string text_of(const request& r);
request request_from(std::string_view text);

} // namespace ivp::export_fortran

#endif
