// padded_vector, padded_vectors: memory for n components in whole packs. What lies behind the last component takes part in the arithmetic and is
// never seen: it is 0 at the beginning.
#ifndef IVP_SRC_SIMD_VECTORS_HPP
#define IVP_SRC_SIMD_VECTORS_HPP

#include "unrolled.hpp"

#include <ivp/pack.hpp>
#include <ivp/work_memory.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace ivp::simd {

/// Entries that n components take in whole packs.
template <class T>
[[nodiscard]] constexpr int padded_size(int n)
{
    constexpr int w = natural_width<T>;
    return (n + w - 1) / w * w;
}

/// Of a memory that vectors share, or of its own.
template <class T>
class padded_vector {
public:
    explicit padded_vector(int n) : values_(padded_size<T>(n)) {}
    padded_vector(int n, work_memory& shared) : values_(padded_size<T>(n), shared) {}

    [[nodiscard]] T* data() { return values_.data(); }
    [[nodiscard]] const T* data() const { return values_.data(); }
    T& operator[](int i) { return values_[i]; }
    const T& operator[](int i) const { return values_[i]; }
    /// With what lies behind the last component.
    [[nodiscard]] int size() const { return static_cast<int>(values_.size()); }

private:
    work_vector<T> values_;
};

/// Most vectors of the same length, or fewer, which may change places.
template <class T, int Most>
class padded_vectors {
public:
    explicit padded_vectors(int n, int count = Most) : values_(static_cast<std::size_t>(stride(n)) * count) { place(n, count); }
    padded_vectors(int n, int count, work_memory& shared) : values_(static_cast<std::size_t>(stride(n)) * count, shared) { place(n, count); }
    padded_vectors(const padded_vectors&) = delete;
    padded_vectors& operator=(const padded_vectors&) = delete;

    [[nodiscard]] T* operator[](int k) { return at_[k]; }
    [[nodiscard]] const T* operator[](int k) const { return at_[k]; }
    [[nodiscard]] T* const* table() { return at_.data(); }
    /// The first N, for loops, which would ask for them again and again.
    ///
    /// NOTE: each by itself. GCC copies an array as a whole through memory, and the loop waits for its first addresses.
    template <int N = Most>
    [[nodiscard]] std::array<T*, N> first()
    {
        std::array<T*, N> p;
        unrolled<N>([&](auto k) { p[k] = at_[k]; });
        return p;
    }
    template <int N = Most>
    [[nodiscard]] std::array<const T*, N> first() const
    {
        std::array<const T*, N> p;
        unrolled<N>([&](auto k) { p[k] = at_[k]; });
        return p;
    }

    void exchange(int k, int l) { std::swap(at_[k], at_[l]); }
    void exchange_with(padded_vectors& other, int k) { std::swap(at_[k], other.at_[k]); }
    void swap(padded_vectors& other) noexcept
    {
        values_.swap(other.values_);
        at_.swap(other.at_);
    }

private:
    // NOTE: large vectors keep a distance, see work_memory: else they compete for the same few places of the cache.
    static int stride(int n)
    {
        const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(padded_size<T>(n));
        return bytes < work_memory::large_vector ? padded_size<T>(n) : static_cast<int>(work_memory::distance(bytes) / sizeof(T));
    }
    void place(int n, int count)
    {
        for (int k = 0; k < count; ++k) at_[k] = values_.data() + static_cast<std::ptrdiff_t>(k) * stride(n);
    }

    work_vector<T> values_;
    std::array<T*, Most> at_{};
};

} // namespace ivp::simd

#endif
