// chapter: the text of a problem or solver.
#ifndef IVP_MODEL_CHAPTER_HPP
#define IVP_MODEL_CHAPTER_HPP

#include <string_view>

namespace ivp {

struct chapter {
    std::string_view markdown;
    std::string_view plain; ///< for the terminal
};

} // namespace ivp

#endif
