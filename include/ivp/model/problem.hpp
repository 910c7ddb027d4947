// problem: an initial value problem with everything around it. Every way in (our own text, plug-in, Fortran file, network) yields this type.
#ifndef IVP_MODEL_PROBLEM_HPP
#define IVP_MODEL_PROBLEM_HPP

#include <ivp/model/chapter.hpp>
#include <ivp/model/equations.hpp>
#include <ivp/model/parameter.hpp>
#include <ivp/model/structure.hpp>
#include <ivp/model/tolerance.hpp>
#include <ivp/scalar/decimal.hpp>
#include <ivp/scalar/quad.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

enum class form { ode, dae, ide };
std::string_view label(form f);
std::optional<form> form_from_label(std::string_view text);

enum class jacobian_source { exact, differences, original };
std::string_view label(jacobian_source s);
std::optional<jacobian_source> jacobian_source_from_label(std::string_view text);

/// How correctness at the end point is measured: which components count, relative or absolute.
struct accuracy_rule {
    std::vector<int> excluded; ///< components (from 1) that scd leaves out
    bool absolute_scd = false; ///< the problem's scd is that of the absolute error
    bool scd_defined = true;   ///< false: only mescd is meaningful
};

/// How the published runs were set up.
struct protocol {
    double ladder_start = 4; ///< rtol = 10^-(ladder_start + m/ladder_per_decade), m = 0 .. ladder_last
    int ladder_per_decade = 4;
    int ladder_last = 24;
    double atol_per_rtol = 1;                                    ///< atol = atol_per_rtol · rtol
    double h0_per_rtol = 1;                                      ///< h0 = h0_per_rtol · rtol, for solvers that need one
    jacobian_source published_jacobian = jacobian_source::exact; ///< `original`: the problem's own approximate one
    double fixed_atol = 0;                                       ///< where it is not 0: atol does not depend on rtol
    double fixed_h0 = 0;                                         ///< the same for h0
    /// Tolerances of all components from the two numbers a user gives; empty: the numbers themselves.
    std::function<tolerances(double rtol, double atol)> vector_rule{};

    [[nodiscard]] double ladder_rtol(int m) const;
    /// Place of a tolerance on the ladder, whatever its last rung; none: it is beside it.
    [[nodiscard]] std::optional<int> ladder_place(double rtol) const;
    [[nodiscard]] double atol(double rtol) const { return fixed_atol > 0 ? fixed_atol : as_decimal(rtol * atol_per_rtol); }
    /// Where rtol is 0 the smallest atol above 0 takes its place.
    [[nodiscard]] double h0(double rtol, const std::vector<double>& atol = {}) const;
    [[nodiscard]] tolerances expand(double rtol, double atol) const { return vector_rule ? vector_rule(rtol, atol) : tolerances(rtol, atol); }
};

/// The facts of a problem that are not formulas.
struct problem_info {
    std::string id;
    std::string title;
    ivp::form form = form::ode;
    int n = 0;
    decimal t0;
    decimal tend;
    int highest_index = 0;                    ///< 0 for an ODE
    std::vector<int> index;                   ///< of each variable (1, 2, 3); empty: all 1
    bool consistent_start = true;             ///< y0 (and y0' where given) satisfy the equations
    double start_residual = 1e-11;            ///< ... up to this relative residual: more where published values have few digits
    structure jacobian_structure;             ///< of df/dy; for an IDE of dG/dy and dG/dy' together
    derivative_chain chain;                   ///< of a system of second or higher order
    std::vector<decimal> breakpoints;         ///< restart points, as the published runs had them
    std::vector<decimal> discontinuities;     ///< all known kinks: for reference work only
    std::vector<std::string> component_names; ///< empty: y(1), y(2), …
    std::vector<int> pictured;                ///< components (from 1) that show the behaviour best; empty: the first two
    bool logarithmic_time = false;            ///< the behaviour is seen on a logarithmic time axis only
    std::string quantity_of_interest;
    std::string contributor;
    std::vector<std::string> tags; ///< area, size, difficulty; "autonomous" is taken at its word by solvers
    accuracy_rule accuracy;
    ivp::protocol protocol;
    std::string origin = "own"; ///< own, plug-in

    [[nodiscard]] int index_of(int i) const { return index.empty() ? 1 : index[i]; }
    /// f (or G) does not depend on t: the tag says so, and a check proves it.
    [[nodiscard]] bool autonomous() const;
};

/// The solution at one time, with what is known of its accuracy.
struct reference_solution {
    decimal t;
    std::vector<decimal> value;
    std::vector<double> digits;   ///< confirmed correct digits of each component
    bool absolute_digits = false; ///< digits count decimals, not significant digits
    std::string source;           ///< who computed it, how
    std::string confirmed;        ///< how the digits were confirmed
};

/// Reads reference.csv (format: docs/contracts.md); throws std::invalid_argument with the line of the first fault.
reference_solution read_reference(std::string_view csv);

class problem {
public:
    problem(problem_info info, parameter_values parameters, std::shared_ptr<const equations<double>> in_double,
            std::shared_ptr<const equations<quad>> in_quad = nullptr);

    [[nodiscard]] const problem_info& info() const { return info_; }
    [[nodiscard]] const std::string& id() const { return info_.id; }
    [[nodiscard]] int n() const { return info_.n; }
    [[nodiscard]] const parameter_values& parameters() const { return parameters_; }

    /// R = double always; R = quad only where has_quad().
    template <class R>
    [[nodiscard]] const equations<R>& in() const;
    [[nodiscard]] bool has_quad() const { return quad_ != nullptr; }

    /// Known at the published end point with default parameters only.
    [[nodiscard]] const std::optional<reference_solution>& reference() const { return reference_; }
    [[nodiscard]] const ivp::chapter& chapter() const { return chapter_; }

    [[nodiscard]] problem with_reference(reference_solution r) const;
    [[nodiscard]] problem with_chapter(ivp::chapter c) const;
    /// For reference work: restarted at every known kink, not only where the published runs were.
    [[nodiscard]] problem with_all_restarts() const;
    /// The same problem written as G(t, y, y') = M y' − f(t, y) = 0; an IDE stays what it is.
    [[nodiscard]] problem as_ide() const;
    /// An IDE written as M y' = f with the derivatives as further unknowns: y' = z, 0 = G(t, y, z). A DAE or ODE stays what it is.
    /// The reference stays that of y, and so do the digits.
    [[nodiscard]] problem as_dae() const;

    /// Structure of the matrix a Newton iteration needs: J and M together (dG/dy and dG/dy' of an IDE).
    [[nodiscard]] structure iteration_structure() const;
    /// The same, with the pattern found by following the formula where the problem declares none and that is certain. Found once.
    [[nodiscard]] const structure& finest_iteration_structure() const;

private:
    struct known_structure {
        std::once_flag once;
        structure iteration;
    };
    [[nodiscard]] std::optional<dependencies> trace() const;
    [[nodiscard]] structure with_mass(dependencies columns) const;

    problem_info info_;
    parameter_values parameters_;
    std::shared_ptr<const equations<double>> double_;
    std::shared_ptr<const equations<quad>> quad_;
    std::optional<reference_solution> reference_;
    ivp::chapter chapter_;
    std::shared_ptr<known_structure> known_; // shared by copies
};

template <>
inline const equations<double>& problem::in<double>() const
{
    return *double_;
}
template <>
const equations<quad>& problem::in<quad>() const;

} // namespace ivp

#endif
