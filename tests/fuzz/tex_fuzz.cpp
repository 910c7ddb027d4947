// A formula of a foreign chapter.
#include "fuzz.hpp"
#include "markup.hpp"
#include "report/render/formula_text.hpp"
#include "report/render/mathml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    const auto formula = mathml_from_tex(fuzz::view(data, size), size % 2 == 0);
    fuzz::require(fuzz::is_shown_safely(formula.text), "a formula holds controls, or is not UTF-8");
    fuzz::require(fuzz::is_well_formed(formula.text), "a formula is not well-formed");
    fuzz::require(formula.text.size() <= 20'000 + 400 * size, "a formula is out of proportion to its text");
    const auto parsed = parse_formula(fuzz::view(data, size));
    std::size_t written = formula_line(parsed.root).size();
    for (const auto& line : formula_lines(parsed.root, 76)) written += line.size();
    fuzz::require(written <= 20'000 + 400 * size, "a formula as text is out of proportion to its source");
    return 0;
}
