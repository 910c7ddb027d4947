// The routines of a compiled problem file, one interface for all formats.
#ifndef IVP_SRC_DRIVERS_FORTRAN_ROUTINES_HPP
#define IVP_SRC_DRIVERS_FORTRAN_ROUTINES_HPP

#include "drivers/fortran/format.hpp"
#include "drivers/plugin/library.hpp"

#include <ivp/problem.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace ivp::fortran {

using integer = std::int32_t; ///< the default INTEGER and LOGICAL of gfortran
using logical = std::int32_t;

/// What an argument holds before a routine is called: it is still there where the routine sets nothing.
constexpr integer unset_integer = std::numeric_limits<integer>::min();
double unset_number();
bool is_unset(double v);

constexpr int most_equations = 100'000;
constexpr int most_breakpoints = 999;

/// What prob says, as it says it.
struct prob_answer {
    std::string full_name;  ///< from release 2.0 on
    std::string short_name; ///< problm
    std::string type;       ///< from release 2.0 on: "ODE", "DAE", "IDE"
    integer neqn = unset_integer;
    integer ndisc = 0;
    std::vector<double> t; ///< t(0), ...: room for most_breakpoints
    integer numjac = unset_integer;
    integer mljac = unset_integer;
    integer mujac = unset_integer;
    integer nummas = unset_integer;
    integer mlmas = unset_integer;
    integer mumas = unset_integer;
    std::vector<integer> ind; ///< from release 2.0 on
    integer ind1 = unset_integer, ind2 = unset_integer, ind3 = unset_integer;
};

struct output_answer {
    logical solref = unset_integer;
    logical printsolout = unset_integer;
    integer nindsol = unset_integer;
    std::vector<integer> indsol;
};

/// Calls need the routine: ask `recognised_file::has` before. Those that answer int give ierr. `n` is neqn; matrices have the leading dimension ld.
class routines {
public:
    virtual ~routines() = default;
    [[nodiscard]] virtual prob_answer prob() const = 0;
    /// consis: unset_integer where the format does not have it or the file does not set it.
    virtual void init(integer n, double t, double* y, double* yp, logical& consis) const = 0;
    virtual int f(integer n, double t, const double* y, double* out) const = 0;
    virtual int g(integer n, double t, const double* y, const double* yp, double* out) const = 0;
    virtual int jacobian(integer n, double t, const double* y, double* out, integer ld) const = 0;
    virtual void mass(integer n, double t, double* out, integer ld) const = 0;
    /// dG/dy and dG/dy'; either may be null from release 2.0 on, where each has a routine of its own.
    virtual int partials(integer n, double t, const double* y, const double* yp, double* by_y, integer ld, double* by_yp, integer ld_yp) const = 0;
    virtual void solut(integer n, double t, double* y) const = 0;

    [[nodiscard]] virtual int pidate() const { return 0; }
    /// Answers tolvec.
    virtual logical settolerances(integer /*n*/, double* /*rtol*/, double* /*atol*/) const { return 0; }
    virtual void setoutput(integer /*n*/, output_answer& /*out*/) const {}
};

/// Throws bad_request where a symbol is missing.
std::unique_ptr<const routines> routines_of(const std::string& path, const recognised_file& file, std::shared_ptr<const plugin::library> library);

} // namespace ivp::fortran

#endif
