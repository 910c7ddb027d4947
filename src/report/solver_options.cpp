#include "report/solver_options.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ivp {

namespace {

/// Plain text, of whomever, as it stands.
std::string in_markdown(std::string_view text)
{
    std::string out;
    for (const char c : plain_line(text)) {
        if (std::ispunct(static_cast<unsigned char>(c)) != 0) out += '\\';
        out += c;
    }
    return out;
}

std::string options_section(const solver_info& i)
{
    if (i.options.empty()) return "";
    std::string text = "## Options\n\nThey are given as `--opt name=value`.\n\n| option | default | allowed | meaning |\n|---|---|---|---|\n";
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
    std::string text(s.chapter().markdown);
    const auto counters = text.find("\n## Counters\n");
    if (counters != std::string::npos) return text.insert(counters + 1, options_section(s.info()));
    if (!text.empty() && !text.ends_with("\n\n")) text += '\n';
    return text + options_section(s.info());
}

} // namespace ivp
