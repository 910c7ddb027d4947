// Characters to words: names, numbers, texts in quotes and signs.
#ifndef IVP_SRC_TEXT_LEXER_HPP
#define IVP_SRC_TEXT_LEXER_HPP

#include "text/source.hpp"

#include <string_view>
#include <vector>

namespace ivp::text {

enum class token_kind : std::uint8_t {
    name,
    number,
    text, ///< without its quotes
    plus,
    minus,
    times,
    divide,
    power,
    open,
    close,
    open_index,
    close_index,
    comma,
    semicolon,
    colon,
    equals,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    arrow,
    double_arrow,
    range,
    prime,
    end_of_line,
    end,
};

struct token {
    token_kind kind;
    place at;
    std::string_view text;
};

struct words {
    std::vector<token> tokens; ///< ends with end_of_line and end
    std::string_view chapter;  ///< what is behind the line of dashes
    bool has_chapter = false;
};

/// Faults are collected; what is no word is left out.
words split_into_words(const source& s, fault_list& faults);

/// "'->'", "the name 'k1'", "the end of the line": what was found, for messages.
std::string described(const token& t);

} // namespace ivp::text

#endif
