#include "reading.hpp"

#include "base/escape.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace ivp::cli {

std::string tool_as_typed()
{
    const char* const launcher = std::getenv("IVP_LAUNCHER"); // of a clone: it says how it was typed itself
    const std::string_view typed = launcher != nullptr ? launcher : program_invocation_name;
    return typed.find('/') == std::string_view::npos ? "ivp" : shell_word(typed);
}

namespace {

/// Of a name on the command line.
std::string file_of(std::string_view name)
{
    const auto library = name.find(".so:"); // ":" names one solver of a library
    return std::string(name.substr(0, library == std::string_view::npos ? name.size() : library + 3));
}

/// The shortest name of a file that the text begins with and that ends where a comma stands, or the text; else what is before the first comma.
/// Longer ones are tried only where a file can have such a name: its folder exists, and no part of its path is too long.
std::string_view name_in_front(std::string_view text)
{
    const std::string_view first = text.substr(0, text.find(','));
    if (!names_a_file(first)) return first;
    std::size_t folder = 0; // the length of what is known to be one
    for (std::size_t end = first.size();; end = std::min(text.find(',', end + 1), text.size())) {
        const std::string_view name = text.substr(0, end);
        const std::string file = file_of(name);
        std::error_code ignored;
        if (std::filesystem::is_regular_file(file, ignored)) return name;
        const auto slash = file.rfind('/');
        if (slash != std::string::npos && slash + 1 > folder) {
            folder = slash + 1;
            if (!std::filesystem::is_directory(file.substr(0, folder), ignored)) return first;
        }
        if (file.size() - folder > NAME_MAX || file.size() < name.size() || end == text.size()) return first;
    }
}

} // namespace

std::vector<std::string> split_names(const std::string& text)
{
    std::vector<std::string> names;
    for (std::string_view rest = text;;) {
        names.emplace_back(name_in_front(rest));
        if (names.back().size() == rest.size()) return names;
        rest.remove_prefix(names.back().size() + 1);
    }
}

std::optional<double> reader::real(const std::string& name, const std::string& text)
{
    const auto v = parse_real(text);
    if (!v) fault(name + ": '" + text + "' given; allowed: a finite real number such as 1e-4");
    return v;
}

std::optional<double> reader::within(const std::string& name, const std::optional<std::string>& text, double least, double most)
{
    if (!text) return std::nullopt;
    const auto v = real(name, *text);
    if (v && (*v < least || *v > most)) fault(name + ": " + *text + " given; allowed: a number from " + to_text(least) + " to " + to_text(most));
    return v;
}

std::optional<std::uint64_t> reader::count(const std::string& name, const std::string& text, std::uint64_t from, std::uint64_t to)
{
    const auto v = parse_real(text);
    if (v && *v >= static_cast<double>(from) && *v <= static_cast<double>(to) && *v == std::floor(*v)) return static_cast<std::uint64_t>(*v);
    fault(name + ": '" + text + "' given; allowed: a whole number from " + std::to_string(from) + " to " + std::to_string(to));
    return std::nullopt;
}

std::vector<double> reader::reals(const std::string& name, const std::string& text)
{
    std::vector<double> values;
    bool all_read = true;
    for (const auto& word : split(text, ',')) {
        const auto v = real(name, word);
        if (v) values.push_back(*v);
        all_read = all_read && v;
    }
    return all_read ? values : std::vector<double>{};
}

std::map<std::string, std::string> reader::pairs(const std::string& name, const std::vector<std::string>& texts)
{
    std::map<std::string, std::string> result;
    for (const auto& text : texts) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            fault(name + ": '" + text + "' given; allowed: name=value");
        else if (!result.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
            fault(name + ": '" + text.substr(0, equals) + "' is given twice");
    }
    return result;
}

text_format reader::format(const std::string& text, std::initializer_list<const char*> allowed)
{
    if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text_format_from_label(text).value();
    fault("--format: '" + text + "' given; allowed: " + joined(allowed, ", "));
    return text_format::text;
}

bool reader::apart_from_store(const std::string& name, const std::optional<std::string>& output, const std::optional<std::string>& db)
{
    if (!output || !db || !is_same_file(*output, *db)) return true;
    fault(name + ": '" + *output + "' given, which is the store of --db; allowed: another file");
    return false;
}

void reader::raise() const
{
    if (!faults_.empty()) throw bad_request(faults_);
}

} // namespace ivp::cli
