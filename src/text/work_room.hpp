// Working memory of one thread.
#ifndef IVP_SRC_TEXT_WORK_ROOM_HPP
#define IVP_SRC_TEXT_WORK_ROOM_HPP

#include <cstddef>
#include <vector>

namespace ivp::text {

/// For one type of number; it only grows. To find it costs a comparison: pointer and size need no initialisation, and so no check of it.
template <class T>
class work_room {
public:
    static T* at_least(std::size_t n)
    {
        if (size < n) [[unlikely]]
            grow(n);
        return first;
    }

    static bool has(std::size_t n) { return size >= n; }
    static T* now() { return first; }

private:
    [[gnu::noinline]] static void grow(std::size_t n)
    {
        static thread_local std::vector<T> memory;
        memory.resize(n);
        first = memory.data();
        size = n;
    }

    // Found by an offset, also in a shared library: the usual way is a call, before which every register is saved. Few bytes may have it so.
    [[gnu::tls_model("initial-exec")]] static inline constinit thread_local T* first = nullptr;
    [[gnu::tls_model("initial-exec")]] static inline constinit thread_local std::size_t size = 0;
};

template <class T>
T* room_for(std::size_t n)
{
    return work_room<T>::at_least(n);
}

} // namespace ivp::text

#endif
