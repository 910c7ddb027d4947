// NOTE: no std::regex: it calls itself for every character, and a line may be longer than the stack.
#include "drivers/fortran/compiler_messages.hpp"

#include "base/text.hpp"
#include "drivers/fortran/scanning.hpp"

#include <algorithm>
#include <optional>

namespace ivp::fortran {

namespace {

constexpr std::size_t most_faults = 20;
constexpr std::size_t longest_text = 300; ///< of a message or the name of a file

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text)
{
    const auto digits = text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
}

struct said_of {
    std::string_view file, line, what;
};

/// "FILE:LINE:COLUMN: Error: what"
std::optional<said_of> error_in(std::string_view line)
{
    if (line.empty() || line.front() == ' ' || line.front() == '\t') return std::nullopt;
    for (auto colon = line.find(':', 1); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
        std::string_view rest = line.substr(colon + 1);
        const auto number = take_digits(rest);
        if (number.empty() || !take(rest, ":") || take_digits(rest).empty() || !take(rest, ": ")) continue;
        (void)take(rest, "Fatal ");
        if (take(rest, "Error: ")) return said_of{line.substr(0, colon), number, rest};
    }
    return std::nullopt;
}

/// "... FILE:LINE: undefined reference to `what'"
std::optional<said_of> undefined_in(std::string_view line)
{
    constexpr std::string_view mark = ": undefined reference to ";
    for (auto at = line.find(mark); at != std::string_view::npos; at = line.find(mark, at + 1)) {
        std::string_view name = line.substr(at + mark.size());
        if (!take(name, "`") && !take(name, "'")) continue;
        const auto end = name.find('\'');
        if (end == 0 || end == std::string_view::npos) continue;
        const std::string_view before = line.substr(0, at);
        const auto blank = before.find_last_of(" \t");
        const std::string_view place = before.substr(blank == std::string_view::npos ? 0 : blank + 1);
        const auto colon = place.rfind(':');
        if (colon == 0 || colon == std::string_view::npos || colon + 1 == place.size()) continue;
        const std::string_view number = place.substr(colon + 1);
        if (std::ranges::all_of(number, is_digit)) return said_of{place.substr(0, colon), number, name.substr(0, end)};
    }
    return std::nullopt;
}

std::string_view without_underscore(std::string_view name)
{
    if (name.ends_with('_')) name.remove_suffix(1);
    return name;
}

} // namespace

std::vector<std::string> faults_in(std::string_view said, const std::string& path, std::string_view compiled_file)
{
    std::vector<std::string> faults;
    const auto add = [&](const said_of& s, const std::string& fault) {
        const std::string_view name = s.file.substr(s.file.rfind('/') + 1); // of a file without folders too: npos + 1 is 0
        const std::string file = name == compiled_file ? path : plain_line(s.file, longest_text);
        std::string all = file + ":" + plain_line(s.line, longest_text) + ": " + fault;
        if (std::ranges::find(faults, all) == faults.end()) faults.push_back(std::move(all));
    };
    for (std::string_view rest = said; !rest.empty() && faults.size() < most_faults;) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (const auto u = undefined_in(line))
            add(*u, "the file calls " + plain_line(without_underscore(u->what), longest_text) +
                        " and does not define it; allowed: a file with all it calls");
        else if (const auto e = error_in(line))
            add(*e, "gfortran: " + plain_line(e->what, longest_text));
    }
    if (faults.empty()) faults.push_back(path + ": gfortran cannot compile it: " + plain_line(said, longest_text));
    return faults;
}

} // namespace ivp::fortran
