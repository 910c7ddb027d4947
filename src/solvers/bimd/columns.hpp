// columns: several vectors of the same length.
#ifndef IVP_SOLVERS_BIMD_COLUMNS_HPP
#define IVP_SOLVERS_BIMD_COLUMNS_HPP

#include "solvers/common/lanes.hpp"

#include <cstddef>
#include <vector>

namespace ivp::solvers::bimd_method {

/// Up to here M is kept as small_matrix.
constexpr int largest_small = 3 * lane_count;

/// Vectors of n entries in whole groups of lanes, one behind the other.
class columns {
public:
    columns(int n, int count) : stride_(groups_of(n) * lane_count), values_(static_cast<std::size_t>(stride_) * count) {}
    [[nodiscard]] double* operator[](int j) { return values_.data() + static_cast<std::ptrdiff_t>(j) * stride_; }
    [[nodiscard]] const double* operator[](int j) const { return values_.data() + static_cast<std::ptrdiff_t>(j) * stride_; }

private:
    int stride_;
    std::vector<double> values_;
};

} // namespace ivp::solvers::bimd_method

#endif
