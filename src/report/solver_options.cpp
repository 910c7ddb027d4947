#include "report/solver_options.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ivp {

namespace {

/// Plain text, of whomever, as it stands.
std::string in_markdown(std::string_view text)
{
    constexpr std::string_view marks = "\\`*_$|[]<>&";
    std::string out;
    for (const char c : plain_line(text)) {
        if (marks.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string options_table(const solver_info& i)
{
    if (i.options.empty()) return "";
    std::string text = "Set them with `--opt name=value`.\n\n| option | default | allowed | meaning |\n|---|---|---|---|\n";
    for (const auto& o : i.options)
        text += fmt::format("| `{}` | {} | {} | {} |\n", o.name, in_markdown(o.text_of(o.value)), in_markdown(o.allowed()), in_markdown(o.meaning));
    return text + "\n";
}

} // namespace

std::string options_text(const solver_info& i)
{
    if (i.options.empty()) return "";
    std::string text = "Options (--opt name=value)\n\n";
    std::size_t names = 12;
    std::size_t values = 6;
    for (const auto& o : i.options) {
        names = std::max(names, o.name.size());
        values = std::max(values, o.text_of(o.value).size());
    }
    const std::size_t indent = 3 + names + 1 + values + 3;
    for (const auto& o : i.options)
        text += fmt::format("   {:<{}} {:>{}}   {}\n", o.name, names, o.text_of(o.value), values,
                            wrapped(fmt::format("{} ({})", o.meaning, o.allowed()), 85 - indent, static_cast<int>(indent)));
    return text + "\n";
}

std::string chapter_with_options(const solver& s)
{
    constexpr std::string_view heading = "## Options\n\n";
    std::string text(s.chapter().markdown);
    const std::string table = options_table(s.info());
    if (table.empty()) return text;
    if (const auto own = text.find("\n" + std::string(heading)); own != std::string::npos) {
        const auto next = text.find("\n## ", own + heading.size());
        return next == std::string::npos ? text + "\n" + table : text.insert(next + 1, table);
    }
    const auto counters = text.find("\n## Counters\n");
    if (counters != std::string::npos) return text.insert(counters + 1, std::string(heading) + table);
    return text + (text.empty() ? "" : "\n") + std::string(heading) + table;
}

} // namespace ivp
