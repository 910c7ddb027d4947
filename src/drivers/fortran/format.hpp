// The formats in which the test set's problem files have been written since 1996, and how a file is recognised.
#ifndef IVP_SRC_DRIVERS_FORTRAN_FORMAT_HPP
#define IVP_SRC_DRIVERS_FORTRAN_FORMAT_HPP

#include "drivers/fortran/source.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp::fortran {

/// The three of 1996 differ by class. From release 2.0 (1998) on there is one for all classes; release 2.3 (2006) added three routines to it.
enum class problem_format { ode_1996, dae_1996, ide_1996, release_2_0, release_2_3 };

/// "the format of 1996 for ODEs", "the format of release 2.0", ...
std::string_view title_of(problem_format f);
constexpr bool is_of_1996(problem_format f) { return f <= problem_format::ide_1996; }

/// One routine of a format.
struct routine {
    std::string_view name;
    std::string_view arguments; ///< as the reports name them
    /// A file may do without it where it would be a dummy: jeval without an analytic Jacobian, meval of an ODE, solut without a known solution.
    bool may_be_missing = false;
    [[nodiscard]] int argument_count() const;
};
std::span<const routine> routines_of(problem_format f);

/// The value that pidate of release 2.3 and 2.4 gives.
constexpr int interface_date = 20060828;

/// A file in one of the formats; the lines are where its routines begin, 0 where it has none of that name.
struct recognised_file {
    problem_format format{};
    source_outline outline;
    [[nodiscard]] bool has(std::string_view routine) const { return outline.find(routine) != nullptr; }
    [[nodiscard]] int line_of(std::string_view routine) const;
};

/// `path` is for messages, "path:line: what". Throws bad_request with every fault.
recognised_file recognised(const std::string& path, source_outline outline);

} // namespace ivp::fortran

#endif
