// A formula of a foreign chapter.
#include "fuzz.hpp"
#include "markup.hpp"
#include "report/render/mathml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    const auto formula = mathml_from_tex(fuzz::view(data, size), size % 2 == 0);
    fuzz::require(fuzz::is_shown_safely(formula.text), "a formula holds controls, or is not UTF-8");
    fuzz::require(fuzz::is_well_formed(formula.text), "a formula is not well-formed");
    fuzz::require(formula.text.size() <= 20'000 + 400 * size, "a formula is out of proportion to its text");
    return 0;
}
