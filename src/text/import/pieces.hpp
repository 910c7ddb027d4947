// Formulas of other formats as they are written in a text of ours: brackets only if they are needed, numbers and conditions kept apart.
#ifndef IVP_SRC_TEXT_IMPORT_PIECES_HPP
#define IVP_SRC_TEXT_IMPORT_PIECES_HPP

#include "text/source.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ivp::text {

/// How tightly a piece binds; one inside another that binds more tightly needs brackets.
enum class binding { condition, sum, product, sign, power, whole };

struct piece {
    std::string text;
    binding binds = binding::whole;
    bool is_condition = false;

    /// Of a name or a number without a sign.
    static piece plain(std::string text) { return {std::move(text), binding::whole, false}; }
    /// Of a number as it was written, perhaps with a sign.
    static piece number(std::string_view text);
};

/// A condition becomes 1 or 0.
piece as_number(piece p);
/// A number holds if it is not 0.
piece as_condition(piece p);
/// The text of a number, in brackets if it binds less tightly than asked.
std::string inside(piece p, binding least);

/// The terms of a sum or a product one after the other, so that a long one takes time in proportion to its length.
class chain {
public:
    enum class kind { sum, product };
    chain(kind k, piece first);
    void add(char sign, piece p); ///< + - of a sum, * / of a product
    [[nodiscard]] piece done() &&;

private:
    kind kind_;
    bool alone_ = true;
    piece all_;
};

piece sum_of(std::vector<piece> parts);
piece product_of(std::vector<piece> parts);
piece negated(piece p);
piece difference(piece a, piece b);
piece quotient(piece a, piece b);
piece power(piece base, piece exponent);
piece call(std::string_view function, std::vector<piece> arguments);
piece choice(piece condition, piece yes, piece no);
/// sign: < <= > >= == !=
piece comparison(piece a, std::string_view sign, piece b);
piece joined_conditions(std::string_view word, std::vector<piece> parts); ///< and, or
piece no_condition(piece p);

/// Functions that a text does not have, by those it has; one argument. Empty text: there is none of this name.
piece other_function(std::string_view name, const piece& x);

/// What the formulas of one file may become when they are written out. A few lines could grow without bound: there are functions whose argument is
/// written three times, and functions of functions of functions.
class room_for_formulas {
public:
    explicit room_for_formulas(fault_list& faults) : faults_(faults) {}
    /// The piece, which is a part of a formula at this place; a fault if it or all pieces together are too long.
    piece kept(place at, piece p);

private:
    fault_list& faults_;
    std::size_t taken_ = 0;
};

/// Names that a text can have: letters, digits, '_', none twice, none with a meaning of its own.
class fresh_names {
public:
    /// The nearest name that is free.
    std::string take(std::string_view wanted);

private:
    std::set<std::string, std::less<>> taken_;
};

/// For a text in quotes: one line, no quotes, not long.
std::string quoted_text(std::string_view text, std::size_t longest = 200);

} // namespace ivp::text

#endif
