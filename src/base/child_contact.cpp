#include "child_contact.hpp"

#include "messages.hpp"

#include <ivp/error.hpp>

#include <fmt/format.h>

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace ivp::child_parts {

void fail(const char* what) { throw machine_fault(std::string(what) + ": " + std::generic_category().message(errno)); }

shared_page::shared_page()
{
    void* const memory = mmap(nullptr, sizeof(notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("cannot share memory with a child process");
    notes_ = new (memory) notes;
}
shared_page::~shared_page() { munmap(notes_, sizeof(notes)); }
void shared_page::clear() { notes_ = new (notes_) notes; }

void say(const conversation& c, word w, const std::vector<std::string>& parts)
{
    (void)messages::send(c.channel, c.token, {static_cast<std::uint32_t>(w), parts}); // no listener: then this process has little time left
}
void say(const conversation& c, child_ending e, const std::vector<std::string>& parts)
{
    (void)messages::send(c.channel, c.token, {static_cast<std::uint32_t>(e), parts});
}

std::string size_text(std::uint64_t bytes)
{
    constexpr double mebibyte = 1024.0 * 1024.0;
    const double m = static_cast<double>(bytes) / mebibyte;
    return m < 1024 ? fmt::format("{:.0f} MiB", m) : fmt::format("{:.1f} GiB", m / 1024);
}

std::string too_little_memory(std::uint64_t limit)
{
    return "its limit is " + size_text(limit) + ", but ivp itself may not use that much (ulimit -v, ulimit -d)";
}

} // namespace ivp::child_parts
