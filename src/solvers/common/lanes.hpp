// Vectors worked on in groups of four entries, for methods whose time at small n is bookkeeping. Lengths are rounded up, the entries
// behind the last are 0, so that loops have no rest. The results do not depend on the instruction set.
#ifndef IVP_SOLVERS_COMMON_LANES_HPP
#define IVP_SOLVERS_COMMON_LANES_HPP

#include <ivp/work_memory.hpp>

#include <cstddef>
#include <cstring>

namespace ivp::solvers {

constexpr int lane_count = 4;

using lanes = double __attribute__((vector_size(lane_count * sizeof(double))));

[[nodiscard]] inline int groups_of(int n) { return (n + lane_count - 1) / lane_count; }

/// The group g of a vector at any address: by copies, which compilers turn into one instruction, because lanes want an aligned one.
[[nodiscard]] inline lanes load(const double* v, int g)
{
    lanes x;
    std::memcpy(&x, v + static_cast<std::ptrdiff_t>(g) * lane_count, sizeof x);
    return x;
}
inline void store(double* v, int g, const lanes& x) { std::memcpy(v + static_cast<std::ptrdiff_t>(g) * lane_count, &x, sizeof x); }

/// The group g in place, for formulas of many terms.
using lanes_in_memory = double __attribute__((vector_size(lane_count * sizeof(double)), aligned(alignof(double)), may_alias));
inline lanes_in_memory& group(double* v, int g) // NOLINT(readability-non-const-parameter): it is written to
{
    return *reinterpret_cast<lanes_in_memory*>(v + static_cast<std::ptrdiff_t>(g) * lane_count);
}
inline const lanes_in_memory& group(const double* v, int g)
{
    return *reinterpret_cast<const lanes_in_memory*>(v + static_cast<std::ptrdiff_t>(g) * lane_count);
}

/// Of numbers that have just been written one by one, as f and solves write them: a load of all four would wait until they have left the CPU's
/// store buffer.
[[nodiscard]] inline lanes one_by_one(const double* v)
{
    const volatile double* const x = v;
    return lanes{x[0], x[1], x[2], x[3]};
}
[[nodiscard]] inline lanes load_one_by_one(const double* v, int g) { return one_by_one(v + static_cast<std::ptrdiff_t>(g) * lane_count); }

inline double sum_of(const lanes& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/// Room for n entries in whole groups; of a memory that vectors share, or of its own.
class lane_vector {
public:
    explicit lane_vector(int n) : values_(static_cast<std::size_t>(groups_of(n)) * lane_count) {}
    lane_vector(int n, work_memory& shared) : values_(static_cast<std::size_t>(groups_of(n)) * lane_count, shared) {}
    [[nodiscard]] double* data() { return values_.data(); }
    [[nodiscard]] const double* data() const { return values_.data(); }
    double& operator[](int i) { return values_[i]; }
    const double& operator[](int i) const { return values_[i]; }

private:
    work_vector<double> values_;
};

} // namespace ivp::solvers

#endif
