#include "text/chapter.hpp"

namespace ivp::text {

std::string chapter_of(const model& m, const problem_info& info)
{
    std::string text = "# " + info.title + "\n\n";
    text += m.text->chapter;
    return text;
}

} // namespace ivp::text
