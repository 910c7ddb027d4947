// MEBDFI: modified extended BDF for G(t, y, y') = 0. The integrator: ../mebdf.
#include <ivp/solvers/mebdfi.hpp>

#include "../common/solver_of.hpp"
#include "../mebdf/extended_bdf.hpp"

namespace ivp::solvers {

namespace mebdfi_files {
extern const ivp::chapter chapter;
} // namespace mebdfi_files

namespace {

const solver_info& description()
{
    static const solver_info info = [] {
        solver_info i = mebdf::common_description();
        i.name = "mebdfi";
        i.title = "MEBDFI";
        i.forms = {form::ide, form::dae, form::ode};
        i.reference = "J. R. Cash, S. Considine: An MEBDF code for stiff initial value problems, ACM TOMS 18 (1992)";
        return i;
    }();
    return info;
}

solve_result integrate(evaluator& e, const segment& s, const solve_options& options, step_observer* observer)
{
    return mebdf::integrate(e, s, options, description(), observer);
}

} // namespace

std::unique_ptr<const solver> make_mebdfi() { return make_solver(description(), mebdfi_files::chapter, integrate); }

} // namespace ivp::solvers
