// Fortran source as text: which subprograms a file has, with how many arguments, in which lines; and which files it includes.
//
// Nothing is understood of what stands inside them: that is the compiler's work.
#ifndef IVP_SRC_DRIVERS_FORTRAN_SOURCE_HPP
#define IVP_SRC_DRIVERS_FORTRAN_SOURCE_HPP

#include <string>
#include <string_view>
#include <vector>

namespace ivp::fortran {

enum class source_form { fixed, free };

/// A subroutine, function, ENTRY or main program.
struct subprogram {
    std::string name;                   ///< in lower case
    std::vector<std::string> arguments; ///< dummy arguments, in lower case
    int line = 0;                       ///< where its head begins, from 1
    bool is_function = false;
    bool is_program = false;
};

struct included_file {
    std::string name;
    int line = 0;
};

struct source_outline {
    std::vector<subprogram> subprograms; ///< in the order of the file
    std::vector<included_file> includes;

    /// None: there is no such subprogram.
    [[nodiscard]] const subprogram* find(std::string_view name) const;
};

source_outline outline_of(std::string_view text, source_form form);

} // namespace ivp::fortran

#endif
