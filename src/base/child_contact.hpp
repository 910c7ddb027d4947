// What a child process and its parent share: notes that survive the child, and the words they send each other.
#ifndef IVP_SRC_BASE_CHILD_CONTACT_HPP
#define IVP_SRC_BASE_CHILD_CONTACT_HPP

#include "child.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace ivp::child_parts {

/// Throws machine_fault with what errno says.
[[noreturn]] void fail(const char* what);

struct notes {
    std::atomic<std::uint64_t> signs_of_life{0};
    std::atomic<double> t{0};
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<bool> progress{false};
    std::atomic<bool> poor{false}; ///< the child may use less memory than its limit says, because its parent may
};
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

/// Notes in memory of both processes.
class shared_page {
public:
    shared_page();
    shared_page(const shared_page&) = delete;
    shared_page& operator=(const shared_page&) = delete;
    ~shared_page();
    notes* operator->() const { return notes_; }
    void clear();

private:
    notes* notes_;
};

enum class word : std::uint32_t {
    go_on = 1000, ///< from the parent; beyond all endings
    turn_is_passed,
    machine_fault, ///< what the work should find in its process could not be had
};

struct conversation {
    int channel;
    std::uint64_t token;
};

void say(const conversation& c, word w, const std::vector<std::string>& parts = {});
void say(const conversation& c, child_ending e, const std::vector<std::string>& parts);

std::string size_text(std::uint64_t bytes);
/// Why work that may use `limit` bytes may get less.
std::string too_little_memory(std::uint64_t limit);

} // namespace ivp::child_parts

#endif
