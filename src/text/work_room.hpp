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
        const memory& m = here;
        if (m.size < n) [[unlikely]]
            return grow(n);
        return m.first;
    }

private:
    struct memory {
        T* first = nullptr;
        std::size_t size = 0;
    };

    [[gnu::noinline]] static T* grow(std::size_t n)
    {
        static thread_local std::vector<T> owned;
        owned.resize(n);
        here = {owned.data(), n};
        return here.first;
    }

    // NOTE: no tls_model("initial-exec"), although it spares a shared library a call: the whole library then takes of the few bytes that a process
    // keeps for libraries opened later, and a process that opens a dozen of ours could open no other.
    static inline constinit thread_local memory here;
};

template <class T>
T* room_for(std::size_t n)
{
    return work_room<T>::at_least(n);
}

} // namespace ivp::text

#endif
