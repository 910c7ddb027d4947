// Files that a derivation leaves for later commands, in a folder of their own or beside the file of the problem.
#ifndef IVP_SRC_REFERENCE_KEPT_FILE_HPP
#define IVP_SRC_REFERENCE_KEPT_FILE_HPP

#include "base/output_file.hpp"

#include <string>

namespace ivp::reference {

struct kept_file {
    std::string path;
    std::string option; ///< that asks for it: "--make"
    file_mark mark;
    bool force = false; ///< replaces what is not ours

    /// Throws bad_request where write() could not write; leaves nothing. For before the derivation.
    void try_out() const;
    /// Makes its folder too.
    void write(const std::string& text) const;
};

} // namespace ivp::reference

#endif
