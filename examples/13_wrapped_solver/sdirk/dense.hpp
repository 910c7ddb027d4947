// Part of the solver that is to be wrapped: linear systems.
#ifndef SDIRK_DENSE_HPP
#define SDIRK_DENSE_HPP

#include <vector>

namespace sdirk {

/// A dense matrix by columns, factored in place with exchanges of rows.
class dense {
public:
    explicit dense(int n) : n_(n), a_(static_cast<std::size_t>(n) * n), pivot_(n) {}
    double& operator()(int i, int j) { return a_[i + static_cast<std::size_t>(j) * n_]; }
    double* data() { return a_.data(); }
    /// False: the matrix is singular.
    bool factor();
    void solve(double* b) const;

private:
    int n_;
    std::vector<double> a_;
    std::vector<int> pivot_;
};

} // namespace sdirk

#endif
