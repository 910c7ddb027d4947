// work_vector: memory for the vectors and matrices that a solver works with.
//
// A vector begins on a cache line. Memory of some MB consists of large pages (2 MB instead of 4 KB), if the system has them: with tens of
// thousands of equations a step walks through more small pages than the CPU can remember, and finding them again takes an eighth of its time. A
// vector of 40000 numbers does not fill a large page, all vectors of a solver together fill several: therefore they come from one work_memory.
//
//   class integrator {
//       ...
//       work_memory memory_; // before the vectors
//       work_vector<double> y_, f_;
//   };
//   integrator(int n) : y_(n, memory_), f_(n, memory_) {}
#ifndef IVP_WORK_MEMORY_HPP
#define IVP_WORK_MEMORY_HPP

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

namespace ivp {

/// Memory that vectors share. This object frees it all at once, when it ends: for vectors whose size does not change.
/// Used by one thread at a time.
class work_memory {
public:
    static constexpr std::size_t line = 64;            ///< every vector begins at a multiple of this
    static constexpr std::size_t large_page = 2 << 20; ///< blocks from this size on consist of such pages
    static constexpr std::size_t large_vector = 4096;  ///< from this size on vectors keep a distance

    work_memory() = default;
    ~work_memory();
    work_memory(const work_memory&) = delete;
    work_memory& operator=(const work_memory&) = delete;

    [[nodiscard]] void* take(std::size_t bytes);
    /// From the beginning of one vector to that of the next, in bytes. Between large ones lies a line more than they need: vectors of 4096 bytes
    /// or a multiple would compete for the same few places of the cache.
    [[nodiscard]] static constexpr std::size_t distance(std::size_t bytes)
    {
        return (bytes + line - 1) / line * line + (bytes < large_vector ? 0 : line);
    }
    /// Bytes that were taken from the system.
    [[nodiscard]] std::size_t size() const;

    /// A separate block, for memory that is not shared.
    [[nodiscard]] static void* new_block(std::size_t bytes);
    static void delete_block(void* p, std::size_t bytes) noexcept;

private:
    struct block {
        std::byte* begin;
        std::size_t size;
    };
    std::vector<block> blocks_;
    std::size_t used_ = 0; // of the last block
};

/// Takes memory from a work_memory or, without one, a separate block for each vector.
template <class T>
class work_allocator {
public:
    using value_type = T;
    // A vector keeps its memory when it is moved or exchanged.
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;

    work_allocator() = default;
    work_allocator(work_memory& shared) : shared_(&shared) {} // NOLINT(google-explicit-constructor): a vector is given the memory itself
    template <class U>
    work_allocator(const work_allocator<U>& other) : shared_(other.shared()) // NOLINT(google-explicit-constructor): as allocators are
    {}

    [[nodiscard]] T* allocate(std::size_t count)
    {
        if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_array_new_length();
        const std::size_t bytes = count * sizeof(T);
        return static_cast<T*>(shared_ != nullptr ? shared_->take(bytes) : work_memory::new_block(bytes));
    }
    void deallocate(T* p, std::size_t count) noexcept
    {
        if (shared_ == nullptr) work_memory::delete_block(p, count * sizeof(T));
    }

    [[nodiscard]] work_memory* shared() const { return shared_; }
    [[nodiscard]] bool operator==(const work_allocator& other) const { return shared_ == other.shared_; }

private:
    static_assert(alignof(T) <= work_memory::line);
    work_memory* shared_ = nullptr;
};

template <class T>
using work_vector = std::vector<T, work_allocator<T>>;

} // namespace ivp

#endif
