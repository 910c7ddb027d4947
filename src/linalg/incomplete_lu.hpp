// incomplete_lu: the preconditioner of our own GMRES for c M − J, for libraries that bring an iteration of theirs.
#ifndef IVP_SRC_LINALG_INCOMPLETE_LU_HPP
#define IVP_SRC_LINALG_INCOMPLETE_LU_HPP

#include "linalg/shifted_lu.hpp"

#include <memory>

namespace ivp {

class incomplete_lu {
public:
    /// The references must outlive this object; J is stored for algebra krylov. Throws bad_request for a matrix that lacks an entry on its diagonal.
    incomplete_lu(const jacobian_matrix<double>& j, const mass_matrix<double>& m, const preconditioning& choice = {});
    ~incomplete_lu();
    incomplete_lu(incomplete_lu&& other) noexcept;
    incomplete_lu& operator=(incomplete_lu&& other) = delete;

    /// False: a pivot vanishes, or an entry is not finite.
    [[nodiscard]] bool factor(double c);
    /// x = P^-1 b, where P is the product of the incomplete factors.
    void solve(const double* b, double* x) const;

private:
    struct implementation;
    std::unique_ptr<implementation> impl_;
};

} // namespace ivp

#endif
