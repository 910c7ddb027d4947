// Counts every allocation of a program. To be included by one file of it: the operators are replaced for the whole program.
#ifndef IVP_TESTS_ALLOCATION_COUNTER_HPP
#define IVP_TESTS_ALLOCATION_COUNTER_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace ivp::testing_support {

inline std::atomic<std::uint64_t> allocations{0};

inline void* allocate(std::size_t size) noexcept
{
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}

inline void* allocate(std::size_t size, std::align_val_t alignment) noexcept
{
    ++allocations;
    void* p = nullptr;
    return posix_memalign(&p, static_cast<std::size_t>(alignment), size == 0 ? 1 : size) == 0 ? p : nullptr;
}

// NOTE: out of line, or GCC 12 sees free() where it expects operator delete and warns of a mismatch.
[[gnu::noinline]] inline void release(void* p) noexcept { std::free(p); }

} // namespace ivp::testing_support

[[gnu::noinline]] void* operator new(std::size_t size)
{
    void* const p = ivp::testing_support::allocate(size);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}
void* operator new[](std::size_t size) { return operator new(size); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment)
{
    void* const p = ivp::testing_support::allocate(size, alignment);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return ivp::testing_support::allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return ivp::testing_support::allocate(size); }
void operator delete(void* p) noexcept { ivp::testing_support::release(p); }
void operator delete(void* p, std::size_t) noexcept { ivp::testing_support::release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { ivp::testing_support::release(p); }
void operator delete(void* p, std::align_val_t) noexcept { ivp::testing_support::release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { ivp::testing_support::release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { ivp::testing_support::release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { ivp::testing_support::release(p); }
void operator delete[](void* p) noexcept { ivp::testing_support::release(p); }
void operator delete[](void* p, std::size_t) noexcept { ivp::testing_support::release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { ivp::testing_support::release(p); }

#endif
