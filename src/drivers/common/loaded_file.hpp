// Which file of a shared library this process has loaded, in words that are the same on every machine with the same file.
#ifndef IVP_DRIVERS_COMMON_LOADED_FILE_HPP
#define IVP_DRIVERS_COMMON_LOADED_FILE_HPP

#include <string>

namespace ivp {

struct loaded_file {
    std::string path;     ///< after symbolic links; empty: no loaded file has the symbol
    std::string build_id; ///< that the linker gave it, in hexadecimal digits; empty: none
    std::string compiled; ///< compiler and flags, as tools/build-sundials notes them beside its libraries; empty: not known

    /// "libsundials_cvode.so.6.4.1 (build-id 0123456789abcdef), GNU 12.2.0 -O3"
    [[nodiscard]] std::string describe() const;
};

/// The file that serves calls of this function.
loaded_file file_with(const char* symbol);

} // namespace ivp

#endif
