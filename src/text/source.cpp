#include "text/source.hpp"

#include "base/text.hpp"

#include <ivp/problem.hpp>

#include <algorithm>

namespace ivp::text {

namespace {

constexpr std::size_t longest_line_shown = 160;

/// Each character of a line is one character of the answer: the caret stands where it should.
std::string shown(std::string_view line, std::size_t most)
{
    std::string out;
    for (std::size_t k = 0; !line.empty() && k < most; ++k) {
        const code_point c = first_code_point(line);
        line.remove_prefix(c.bytes.size());
        if (c.code == U'\t' || is_control(c.code))
            out += ' ';
        else if (c.code == replacement_character)
            out += utf8(replacement_character);
        else
            out += c.bytes;
    }
    return out;
}

std::size_t characters(std::string_view text)
{
    std::size_t n = 0;
    for (; !text.empty(); ++n) text.remove_prefix(first_code_point(text).bytes.size());
    return n;
}

} // namespace

source::source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)), line_start_{0}
{
    for (std::size_t k = 0; k < text_.size(); ++k)
        if (text_[k] == '\n') line_start_.push_back(k + 1);
}

std::size_t source::line_of(place at) const
{
    return static_cast<std::size_t>(std::upper_bound(line_start_.begin(), line_start_.end(), std::size_t{at}) - line_start_.begin()) - 1;
}

std::pair<std::size_t, std::size_t> source::position(place at) const
{
    const std::size_t line = line_of(at);
    const std::size_t begin = line_start_[line];
    return {line + 1, characters(std::string_view(text_).substr(begin, at - begin)) + 1};
}

std::string source::message(place at, std::string_view what) const
{
    const auto [line, column] = position(at);
    const std::size_t begin = line_start_[line - 1];
    std::string_view whole = std::string_view(text_).substr(begin);
    whole = whole.substr(0, whole.find('\n'));
    if (whole.ends_with('\r')) whole.remove_suffix(1);
    std::size_t before = column - 1; // characters left of the caret
    // Of a long line, what is around the place.
    while (before > longest_line_shown / 2) {
        whole.remove_prefix(first_code_point(whole).bytes.size());
        --before;
    }
    return plain_line(name_) + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + std::string(what) + "\n  " +
           shown(whole, longest_line_shown) + "\n  " + std::string(before, ' ') + "^";
}

void fault_list::add(place at, std::string_view what)
{
    if (full()) return;
    if (std::ranges::any_of(found_, [&](const fault& f) { return f.at == at && f.text == what; })) return;
    found_.push_back({at, std::string(what)});
}

void fault_list::raise() const
{
    if (found_.empty()) return;
    auto sorted = found_;
    std::ranges::stable_sort(sorted, {}, &fault::at);
    std::vector<std::string> messages;
    for (const auto& f : sorted) messages.push_back(source_.message(f.at, f.text));
    throw bad_request(std::move(messages));
}

} // namespace ivp::text
