#include "text/lexer.hpp"

#include "base/text.hpp"

#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace ivp::text {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct sign {
    std::string_view text;
    token_kind kind;
};
/// Longer ones first.
constexpr std::array signs{
    sign{"<=>", token_kind::double_arrow}, sign{"->", token_kind::arrow},    sign{"..", token_kind::range},     sign{"<=", token_kind::less_equal},
    sign{">=", token_kind::greater_equal}, sign{"==", token_kind::equal},    sign{"!=", token_kind::unequal},   sign{"+", token_kind::plus},
    sign{"-", token_kind::minus},          sign{"*", token_kind::times},     sign{"/", token_kind::divide},     sign{"^", token_kind::power},
    sign{"(", token_kind::open},           sign{")", token_kind::close},     sign{"[", token_kind::open_index}, sign{"]", token_kind::close_index},
    sign{",", token_kind::comma},          sign{";", token_kind::semicolon}, sign{":", token_kind::colon},      sign{"=", token_kind::equals},
    sign{"<", token_kind::less},           sign{">", token_kind::greater},   sign{"'", token_kind::prime},
};

class lexer {
public:
    lexer(const source& s, fault_list& faults) : text_(s.text()), faults_(faults) {}

    words run()
    {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3; // a mark that some editors write
        while (at_ < text_.size() && !faults_.full()) {
            if (at_line_start_ && brackets_.empty() && begins_chapter()) break;
            at_line_start_ = false;
            next();
        }
        if (!brackets_.empty()) faults_.add(brackets_.front(), "this bracket is never closed; allowed: a ')' for each '(', a ']' for each '['");
        add(token_kind::end_of_line, at_, 0);
        add(token_kind::end, at_, 0);
        return std::move(found_);
    }

private:
    void add(token_kind kind, std::size_t begin, std::size_t length)
    {
        found_.tokens.push_back({kind, static_cast<place>(begin), text_.substr(begin, length)});
    }

    /// A line of three dashes or more and nothing else.
    bool begins_chapter()
    {
        std::string_view line = text_.substr(at_);
        const auto end = line.find('\n');
        line = line.substr(0, end);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.remove_suffix(1);
        if (line.size() < 3 || line.find_first_not_of('-') != std::string_view::npos) return false;
        found_.has_chapter = true;
        if (end != std::string_view::npos) found_.chapter = text_.substr(at_ + end + 1);
        return true;
    }

    void next()
    {
        const char c = text_[at_];
        if (c == '\n') {
            if (brackets_.empty()) add(token_kind::end_of_line, at_, 1);
            ++at_;
            at_line_start_ = true;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++at_;
        } else if (c == '#') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (is_letter(c)) {
            name();
        } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            number();
        } else if (c == '"') {
            quoted();
        } else {
            other();
        }
    }

    void name()
    {
        std::size_t end = at_;
        while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
        if (end - at_ > limits::name_length)
            faults_.add(static_cast<place>(at_),
                        "this name has " + std::to_string(end - at_) + " characters; allowed: at most " + std::to_string(limits::name_length));
        else
            add(token_kind::name, at_, end - at_);
        at_ = end;
    }

    void number()
    {
        std::size_t end = at_;
        const auto digits = [&] {
            while (end < text_.size() && is_digit(text_[end])) ++end;
        };
        digits();
        // "1..5" is a range: one dot with another behind it does not belong to the number.
        if (end < text_.size() && text_[end] == '.' && !(end + 1 < text_.size() && text_[end + 1] == '.')) {
            ++end;
            digits();
        }
        if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E' || text_[end] == 'd' || text_[end] == 'D')) {
            std::size_t exponent = end + 1;
            if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
            if (exponent < text_.size() && is_digit(text_[exponent])) {
                end = exponent;
                digits();
            }
        }
        const std::string_view word = text_.substr(at_, end - at_);
        const auto here = static_cast<place>(at_);
        at_ = end;
        if (word.size() > limits::number_length)
            return faults_.add(here, "this number has " + std::to_string(word.size()) + " characters; allowed: at most " +
                                         std::to_string(limits::number_length));
        const auto value = parse_real(word);
        const bool is_zero = word.substr(0, word.find_first_of("eEdD")).find_first_of("123456789") == std::string_view::npos;
        if (!value || (*value == 0 && !is_zero))
            return faults_.add(here, "the number '" + std::string(word) + "' is outside the range of double; allowed: about 1e-307 to 1e308");
        found_.tokens.push_back({token_kind::number, here, word});
    }

    void quoted()
    {
        const auto end = text_.find_first_of("\"\n", at_ + 1);
        if (end == std::string_view::npos || text_[end] == '\n') {
            faults_.add(static_cast<place>(at_), "this text has no closing quote; allowed: \"...\" on one line");
            at_ = std::min(end, text_.size());
            return;
        }
        found_.tokens.push_back({token_kind::text, static_cast<place>(at_), text_.substr(at_ + 1, end - at_ - 1)});
        at_ = end + 1;
    }

    void other()
    {
        for (const auto& s : signs) {
            if (text_.substr(at_, s.text.size()) != s.text) continue;
            if (!balanced(s.kind)) {
                ++at_;
                return;
            }
            add(s.kind, at_, s.text.size());
            at_ += s.text.size();
            return;
        }
        const code_point c = first_code_point(text_.substr(at_));
        const auto here = static_cast<place>(at_);
        at_ += c.bytes.size();
        if (c.code == U'−' || c.code == U'–') return faults_.add(here, "this is not the minus sign '-' of the keyboard");
        const std::string shown = c.code == replacement_character ? "a byte that is not UTF-8"
                                  : is_control(c.code)            ? "a control character"
                                                                  : "the character '" + std::string(c.bytes) + "'";
        faults_.add(here, shown + " found; allowed outside of texts and comments: letters a-z, digits, _ and + - * / ^ ( ) [ ] , ; : = < > ! ' . \"");
    }

    /// Lines go on inside brackets, so these are counted here.
    bool balanced(token_kind kind)
    {
        if (kind == token_kind::open || kind == token_kind::open_index) {
            brackets_.push_back(static_cast<place>(at_));
        } else if (kind == token_kind::close || kind == token_kind::close_index) {
            const char wanted = kind == token_kind::close ? '(' : '[';
            if (brackets_.empty() || text_[brackets_.back()] != wanted) {
                faults_.add(static_cast<place>(at_), std::string("this '") + text_[at_] + "' closes nothing; allowed: a '" + wanted + "' before it");
                return false;
            }
            brackets_.pop_back();
        }
        return true;
    }

    std::string_view text_;
    fault_list& faults_;
    std::size_t at_ = 0;
    bool at_line_start_ = true;
    std::vector<place> brackets_; ///< the open ones
    words found_;
};

} // namespace

words split_into_words(const source& s, fault_list& faults) { return lexer(s, faults).run(); }

std::string described(const token& t)
{
    switch (t.kind) {
    case token_kind::end_of_line:
    case token_kind::end: return "the end of the line";
    case token_kind::text: return "a text in quotes";
    default: return "'" + std::string(t.text) + "'";
    }
}

} // namespace ivp::text
