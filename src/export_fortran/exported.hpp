// The problem of an exported library, with everything that the original's routines are asked for.
//
// No exception leaves a function of this header: a Fortran program could not catch it. What cannot go on ends the program with a sentence.
#ifndef IVP_SRC_EXPORT_FORTRAN_EXPORTED_HPP
#define IVP_SRC_EXPORT_FORTRAN_EXPORTED_HPP

#include <ivp/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ivp::export_fortran {

using integer = std::int32_t; ///< the default INTEGER and LOGICAL of gfortran
using logical = std::int32_t;

/// A matrix as the formats describe it: full where lower = n.
struct band {
    int lower = 0;
    int upper = 0;
};

class exported {
public:
    /// The problem of this library; opened at the first call.
    static const exported& self();

    explicit exported(problem p, jacobian_source jacobian);

    [[nodiscard]] const problem_info& info() const { return problem_.info(); }
    [[nodiscard]] int n() const { return problem_.n(); }
    [[nodiscard]] const std::string& full_name() const { return full_name_; }
    [[nodiscard]] const std::string& short_name() const { return short_name_; }
    /// Of solvers: they make the Jacobian themselves.
    [[nodiscard]] bool by_differences() const { return by_differences_; }
    /// df/dy, or dG/dy and dG/dy'.
    [[nodiscard]] band jacobian_band() const;
    /// M; of an IDE as above.
    [[nodiscard]] band mass_band() const;
    /// Variables of this index, those of an index below 1 among those of 1.
    [[nodiscard]] integer count_of_index(int k) const;
    [[nodiscard]] bool has_reference() const { return problem_.reference().has_value(); }
    [[nodiscard]] bool has_tolerance_rule() const { return static_cast<bool>(info().protocol.vector_rule); }

    void initial(double* y, double* yp) const;
    /// True: the argument is inside the domain. `yp` and `out` may be the same.
    bool evaluate(double t, const double* y, const double* yp, double* out) const;
    bool jacobian(double t, const double* y, const double* yp, double* out, int ld) const;
    /// M, or dG/dy'.
    bool mass(double t, const double* y, const double* yp, double* out, int ld) const;
    void reference(double* y) const;
    void tolerances(double rtol, double atol, double* rtol_out, double* atol_out) const;

private:
    /// a dG/dy + b dG/dy'
    bool partials(double t, const double* y, const double* yp, double a, double b, double* out, int ld) const;
    [[nodiscard]] matrix_view<double> view(double* out, int ld) const;

    problem problem_;
    bool by_differences_;
    bool published_; ///< the approximate Jacobian of the published runs
    std::string full_name_;
    std::string short_name_;
    std::vector<double> y0_, yp0_;
    std::unique_ptr<scratch> scratch_;
    mutable std::vector<double> room_, residual_;
};

/// Blank padded, as Fortran has it.
void put(const std::string& text, char* to, std::size_t length);

} // namespace ivp::export_fortran

#endif
