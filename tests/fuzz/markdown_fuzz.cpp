// A chapter of a foreign problem: any text becomes a page that is well-formed, safe and not much longer than it.
#include "fuzz.hpp"
#include "markup.hpp"
#include "report/render/markdown.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    const auto text = fuzz::view(data, size);
    const auto page = html_from_markdown(text, 1);
    fuzz::require(fuzz::is_shown_safely(page.html), "a page holds controls, or is not UTF-8");
    fuzz::require(fuzz::is_well_formed(page.html), "a page is not well-formed");
    fuzz::require(page.html.size() <= 20'000 + 400 * size, "a page is out of proportion to its text");
    (void)outline_of(text);
    fuzz::require(fuzz::is_well_formed(html_from_line(text)), "a title is not well-formed");
    return 0;
}
