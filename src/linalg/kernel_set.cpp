#include "linalg/kernel_set.hpp"

#include "kernels.hpp"

#include <ivp/error.hpp>

#include <cstdlib>
#include <string>
#include <vector>

namespace ivp::kernels {

extern const kernel_set generic_set;
#ifdef IVP_KERNELS_V3
extern const kernel_set x86_64_v3_set;
#endif
#ifdef IVP_KERNELS_V4
extern const kernel_set x86_64_v4_set;
#endif

namespace {

constexpr int block = 8; // as in kernels/blocks.hpp

#if defined(IVP_KERNELS_V3) || defined(IVP_KERNELS_V4)
// NOTE: asked here and not in the kernels' own files, which are compiled for the machines in question.
bool has_v3() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"); }
#endif

} // namespace

dense_layout dense_layout::of(int n)
{
    dense_layout s{};
    s.n = n;
    const int rows = (n + block - 1) / block * block;
    // NOTE: columns a multiple of 512 bytes apart would compete for the same places in the cache.
    s.ld = rows % 64 == 0 ? rows + block : rows;
    s.lower = static_cast<std::size_t>(s.ld) * n;
    s.upper = s.lower + static_cast<std::size_t>(rows) * block;
    s.size = s.upper + static_cast<std::size_t>(rows) * block;
    s.pivots = 2 * static_cast<std::size_t>(n) + 1;
    s.work = 2 * static_cast<std::size_t>(rows);
    return s;
}

band_layout band_layout::of(int n, int lower, int upper)
{
    band_layout s{};
    s.n = n;
    s.lower = lower;
    s.upper = upper;
    s.narrow = lower >= 1 && lower <= 2 && upper >= 1 && upper <= 2;
    if (s.narrow) {
        const int kept_of_a_row = upper + 1 + lower + lower; // see kernels/narrow_band.hpp
        s.stride = lower + upper;
        s.diagonal = static_cast<std::size_t>(upper);
        s.matrix = static_cast<std::size_t>(s.stride + 1) * (n + lower + upper);
        s.factors = (s.matrix + 7) / 8 * 8;
        s.size = s.factors + static_cast<std::size_t>(kept_of_a_row) * n;
        s.pivots = static_cast<std::size_t>(n) + 1;
        return s;
    }
    constexpr int between_columns = 21; // see kernels/blocked_band.hpp
    const int rows = (n + block - 1) / block * block;
    s.stride = (lower + upper + lower + between_columns + block - 1) / block * block;
    s.diagonal = static_cast<std::size_t>((lower + upper + block - 1) / block) * block;
    s.matrix = s.diagonal + static_cast<std::size_t>(s.stride + 1) * n;
    s.lower_inverses = (s.matrix + 7) / 8 * 8;
    s.upper_inverses = s.lower_inverses + static_cast<std::size_t>(rows) * block;
    s.size = s.upper_inverses + static_cast<std::size_t>(rows) * block;
    s.pivots = static_cast<std::size_t>(n) + 1;
    s.work = 2 * static_cast<std::size_t>(rows);
    return s;
}

std::span<const kernel_set* const> usable_kernels()
{
    static const std::vector<const kernel_set*> usable = [] {
        std::vector<const kernel_set*> v;
#ifdef IVP_KERNELS_V4
        if (has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            v.push_back(&x86_64_v4_set);
#endif
#ifdef IVP_KERNELS_V3
        if (has_v3()) v.push_back(&x86_64_v3_set);
#endif
        v.push_back(&generic_set);
        return v;
    }();
    return usable;
}

const kernel_set& chosen_kernels()
{
    const auto usable = usable_kernels();
    const char* const asked = std::getenv("IVP_KERNELS");
    if (asked == nullptr || *asked == '\0') return *usable.front();
    std::string allowed;
    for (const kernel_set* k : usable) {
        if (std::string(asked) == k->name) return *k;
        allowed += (allowed.empty() ? "" : ", ") + std::string(k->name);
    }
#if defined(__AVX2__) && defined(__FMA__) && !defined(IVP_KERNELS_V3)
    if (std::string(asked) == "x86-64-v3") return generic_set; // all of this build is made for it, so there is no set beside
    allowed += ", x86-64-v3 (here the same as generic)";
#endif
    throw bad_request("IVP_KERNELS '" + std::string(asked) + "' given; allowed on this machine: " + allowed);
}

} // namespace ivp::kernels

namespace ivp {

std::string kernels_in_use() { return kernels::chosen_kernels().name; }

} // namespace ivp
