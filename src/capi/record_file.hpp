// A file of records, one line of JSON each, to which several programs may append.
#ifndef IVP_CAPI_RECORD_FILE_HPP
#define IVP_CAPI_RECORD_FILE_HPP

#include <string>

namespace ivp {

/// Can records be appended to it? Found before an hour of work, not after it. Changes nothing. Throws bad_request.
void check_record_file(const std::string& path);

/// Appends the line whole or leaves the file as it was. Throws bad_request.
void append_record(const std::string& path, const std::string& line);

} // namespace ivp

#endif
