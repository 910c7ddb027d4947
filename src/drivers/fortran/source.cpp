#include "drivers/fortran/source.hpp"

#include "drivers/fortran/scanning.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace ivp::fortran {

namespace {

/// One statement: without blanks and in lower case outside of quotes, as neither means anything to Fortran in fixed form, and a head can be known by
/// either form without them.
struct statement {
    std::string text;
    int line = 0;
};

class statement_reader {
public:
    statement_reader(std::string_view text, source_form form) : text_(text), form_(form) {}

    std::vector<statement> read()
    {
        while (!text_.empty()) {
            const auto end = std::min(text_.find('\n'), text_.size());
            std::string_view line = text_.substr(0, end);
            if (line.ends_with('\r')) line.remove_suffix(1);
            text_.remove_prefix(std::min(end + 1, text_.size()));
            ++line_;
            if (form_ == source_form::fixed)
                fixed_line(line);
            else
                free_line(line);
        }
        finish();
        return std::move(statements_);
    }

private:
    static constexpr std::size_t statement_column = 6; ///< the seventh
    static constexpr std::size_t last_column = 72;

    void fixed_line(std::string_view line)
    {
        constexpr std::string_view comment_marks = "cC*!dD#";
        if (line.empty() || comment_marks.find(line.front()) != std::string_view::npos) return;
        if (line.find_first_not_of(" \t") == std::string_view::npos) return;
        const auto tab = line.substr(0, statement_column).find('\t');
        bool continues = false;
        std::string_view body;
        if (tab != std::string_view::npos) { // DEC's form: a digit behind the tabulator continues
            body = line.substr(tab + 1);
            continues = !body.empty() && body.front() >= '1' && body.front() <= '9';
            if (continues) body.remove_prefix(1);
        } else {
            const auto first = line.find_first_not_of(' ');
            if (first + 1 < statement_column && line[first] == '!') return;
            continues = line.size() >= statement_column && line[statement_column - 1] != ' ' && line[statement_column - 1] != '0';
            body = line.substr(0, last_column);
            body.remove_prefix(std::min(body.size(), statement_column));
        }
        if (!continues) finish();
        add(body);
    }

    void free_line(std::string_view line)
    {
        const auto first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos || line[first] == '!' || line[first] == '#') return;
        std::string_view body = line.substr(first);
        if (!goes_on_) finish();
        if (goes_on_ && body.front() == '&') body.remove_prefix(1);
        goes_on_ = false;
        add(body);
        if (current_.text.ends_with('&')) {
            current_.text.pop_back();
            goes_on_ = true;
        }
    }

    void add(std::string_view body)
    {
        if (current_.text.empty()) current_.line = line_;
        for (const char c : body) {
            if (quote_ != 0) {
                current_.text += c;
                if (c == quote_) quote_ = 0;
            } else if (c == '!') {
                return;
            } else if (c == ';') {
                finish();
                current_.line = line_;
            } else if (c == '\'' || c == '"') {
                current_.text += quote_ = c;
            } else if (c != ' ' && c != '\t') {
                current_.text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            }
        }
    }

    void finish()
    {
        if (!current_.text.empty()) statements_.push_back(std::move(current_));
        current_ = {};
        quote_ = 0;
    }

    std::string_view text_;
    source_form form_;
    int line_ = 0;
    bool goes_on_ = false; ///< free form: the line ended with '&'
    char quote_ = 0;       ///< inside a text in these quotes
    statement current_;
    std::vector<statement> statements_;
};

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// "*8", "(kind=8)", "*(*)" behind the name of a type.
void take_kind(std::string_view& text)
{
    if (take(text, "*"))
        while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    if (!text.starts_with('(')) return;
    const auto end = text.find(')');
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
}

/// What may stand before "subroutine" and "function".
void take_prefixes(std::string_view& text)
{
    constexpr std::array prefixes{"recursive", "pure", "elemental", "impure"};
    constexpr std::array types{"integer", "real", "doubleprecision", "complex", "logical", "character"};
    for (bool again = true; again;) {
        again = std::ranges::any_of(prefixes, [&](const char* p) { return take(text, p); });
        if (std::ranges::any_of(types, [&](const char* t) { return take(text, t); })) {
            take_kind(text);
            again = true;
        }
    }
}

std::vector<std::string> names_in_parentheses(std::string_view text)
{
    std::vector<std::string> names;
    if (!take(text, "(")) return names;
    text = text.substr(0, text.find(')'));
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        names.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return names;
}

std::optional<subprogram> head_of(const statement& s)
{
    std::string_view text = s.text;
    subprogram p;
    p.line = s.line;
    if (take(text, "program")) {
        p.is_program = true;
    } else {
        take_prefixes(text);
        if (take(text, "function"))
            p.is_function = true;
        else if (!take(text, "subroutine") && !take(text, "entry"))
            return std::nullopt;
    }
    const auto end = std::ranges::find_if_not(text, is_name_character) - text.begin();
    p.name = text.substr(0, static_cast<std::size_t>(end));
    text.remove_prefix(static_cast<std::size_t>(end));
    // "program = 1" is an assignment, "real functions" a declaration: neither is a head.
    if (p.name.empty() || text.starts_with('=') || (p.is_function && !text.starts_with('('))) return std::nullopt;
    p.arguments = names_in_parentheses(text);
    return p;
}

std::optional<included_file> include_of(const statement& s)
{
    std::string_view text = s.text;
    if (!take(text, "include") || text.size() < 3 || (text.front() != '\'' && text.front() != '"')) return std::nullopt;
    const char quote = text.front();
    text.remove_prefix(1);
    return included_file{std::string(text.substr(0, text.find(quote))), s.line};
}

} // namespace

const subprogram* source_outline::find(std::string_view name) const
{
    const auto it = std::ranges::find_if(subprograms, [name](const subprogram& p) { return p.name == name; });
    return it == subprograms.end() ? nullptr : &*it;
}

source_outline outline_of(std::string_view text, source_form form)
{
    source_outline o;
    for (const auto& s : statement_reader(text, form).read()) {
        if (auto p = head_of(s))
            o.subprograms.push_back(std::move(*p));
        else if (auto i = include_of(s))
            o.includes.push_back(std::move(*i));
    }
    return o;
}

} // namespace ivp::fortran
