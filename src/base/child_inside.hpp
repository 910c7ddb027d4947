// What a child process does from its fork to its end. The parent's part is child.cpp.
#ifndef IVP_SRC_BASE_CHILD_INSIDE_HPP
#define IVP_SRC_BASE_CHILD_INSIDE_HPP

#include "child.hpp"
#include "child_contact.hpp"

#include <sys/types.h>

namespace ivp::child_parts {

/// Makes this process one that the work may harm without harm to others, works, says how it ended and ends.
/// printed: what takes its output; below 0: the standard error of the parent.
[[noreturn]] void be_child(const child_work& work, const child_limits& limits, conversation parent, int printed, const shared_page& page,
                           pid_t parent_process);

} // namespace ivp::child_parts

#endif
