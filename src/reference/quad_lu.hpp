// Small dense systems of equations in quadruple precision. Everything that has to be fast factorises in linalg.
#ifndef IVP_REFERENCE_QUAD_LU_HPP
#define IVP_REFERENCE_QUAD_LU_HPP

#include <ivp/scalar.hpp>

#include <utility>
#include <vector>

namespace ivp::reference {

class quad_lu {
public:
    /// By rows, with row pivoting after each row is divided by its largest entry; false: singular.
    bool factor(std::vector<quad> a, int n);
    void solve(std::vector<quad>& b) const;

private:
    std::vector<quad> a_;
    std::vector<quad> row_unit_;
    std::vector<int> pivot_;
    int n_ = 0;
};

} // namespace ivp::reference

#endif
