// TeX mathematics as a tree, the subset that chapters use. What a formula looks like is decided by its writers: MathML (mathml.hpp) and text
// (formula_text.hpp).
#ifndef IVP_SRC_REPORT_RENDER_FORMULA_HPP
#define IVP_SRC_REPORT_RENDER_FORMULA_HPP

#include "base/tex_symbols.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// A part of a formula. Texts are plain UTF-8.
struct formula {
    enum class type {
        row,       ///< `parts` one after the other; `flag`: a group of its own
        number,    ///<
        letter,    ///< a letter, or a name that is one identifier; `style`: the command of its alphabet, "mathrm": upright, empty: as TeX sets it
        operation, ///< `spacing` says which; `flag`: it is a sign; `in_script`
        words,     ///< of \text
        unknown,   ///< as it was written
        space,     ///< of `size` em
        scripts,   ///< parts: base, below, above (rows that may be empty); `text`: primes; `flag`: above and below a large operator
        accent,    ///< part: base; `text`: the mark; `style`: its command
        fraction,  ///< parts: top, bottom; `style`: its command
        binomial,  ///< parts: top, bottom
        root,      ///< parts: base and, if not the square root, degree
        styled,    ///< part: what is set in the alphabet `style`
        fenced,    ///< parts: delimiters (open, middle ones, close) in turn with rows
        delimiter, ///< that grows with what it encloses; `style`: "prefix", "infix" or "postfix"; `size`: in em, if given
        table,     ///< parts: lines, whose parts are cells; `style`: "aligned", "gathered", "cases" or "matrix"; `text`: alignment of columns
        modulus,   ///< part: of \pmod
        negated,   ///< part: what \not strikes out
        stacked,   ///< parts: base, mark; `flag`: the mark is below
        phantom,   ///< part: what takes space and is not seen
    };

    type what = type::row;
    std::string text = {};
    std::string_view style = {};
    tex::kind spacing = tex::kind::ordinary; ///< as TeX spaces it
    bool flag = false;
    bool in_script = false;
    bool blank_before = false; ///< the author has set it apart from what precedes it: nothing to TeX, but something to a reader of plain text
    double size = 0;
    std::vector<formula> parts = {};
};

struct parsed_formula {
    formula root;
    std::vector<std::string> unknown; ///< commands and environments that are not known; they stand in the formula as they were written
};

/// Takes time proportional to the length. A formula nested deeper than any that a person writes is one unknown part.
parsed_formula parse_formula(std::string_view tex);

} // namespace ivp

#endif
