#include "content.hpp"

#include "base/sha256.hpp"
#include "base/whole_file.hpp"
#include "content_table.hpp"
#include "drivers/fortran.hpp"
#include "drivers/plugin.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ivp {

namespace {

std::string file_content(const std::string& path)
{
    constexpr std::uintmax_t most = 1U << 30U;
    const std::string file = file_of_plugin(path); // one of several solvers of a library: it is the library that counts
    std::error_code unknown;
    if (const auto size = std::filesystem::file_size(file, unknown); !unknown && size > most)
        throw bad_request("'" + path + "' has more than " + std::to_string(most >> 30U) + " GiB; allowed: up to this size");
    errno = 0;
    const auto bytes = read_whole(file);
    if (!bytes) throw bad_request("cannot read '" + path + "': " + std::strerror(errno));
    return sha256(*bytes);
}

bool is_plain(const std::string& name)
{
    std::error_code ignored;
    return std::filesystem::is_regular_file(file_of_plugin(name), ignored);
}

std::string_view find_row(std::string_view kind, std::string_view name)
{
    const auto rows = content_table();
    const auto row = std::ranges::find_if(rows, [&](const content_row& r) { return r.kind == kind && r.name == name; });
    return row == rows.end() ? std::string_view() : row->hash;
}

/// All of a kind: where a name has no folder of its own, a change of any of them counts.
std::string whole_kind(std::string_view kind)
{
    std::string all;
    for (const auto& r : content_table())
        if (r.kind == kind) all += r.hash;
    return sha256(all);
}

std::string built_in_content(std::string_view kind, std::string name)
{
    const std::string family = name.substr(0, name.find('-')); // a folder may hold a whole family
    std::ranges::replace(name, '-', '_');
    for (const auto& folder : {name, family})
        if (const auto hash = find_row(kind, folder); !hash.empty()) return std::string(hash);
    return whole_kind(kind);
}

} // namespace

std::string problem_content(const std::string& id_or_path)
{
    if (names_fortran_file(id_or_path)) return fortran_fingerprint(id_or_path);
    return names_a_file(id_or_path) ? file_content(id_or_path) : built_in_content("problem", id_or_path);
}

std::string solver_content(const std::string& name_or_path)
{
    if (names_a_file(name_or_path)) return file_content(name_or_path);
    const auto own = solver_names();
    return std::ranges::find(own, name_or_path) != own.end() ? built_in_content("solver", name_or_path) : whole_kind("driver");
}

content_when_opened::content_when_opened(content_of* content, const std::string& name) : content_(content), name_(name)
{
    if (!names_a_file(name) || !is_plain(name)) return; // a pipe waits, and gives what it has once
    try {
        before_ = content_(name_);
    } catch (const std::exception&) { // told, in better words, by what opens it
    }
}

std::string content_when_opened::confirmed() const
{
    if (!names_a_file(name_)) return content_(name_);
    if (!before_ && !is_plain(name_)) throw bad_request("'" + name_ + "' cannot be read twice; allowed: a plain file");
    std::string now = content_(name_); // throws again what was thrown before
    if (before_ != now) throw machine_fault("'" + name_ + "' has changed while it was opened; start again");
    return now;
}

std::string platform_content() { return std::string(find_row("platform", "")); }

} // namespace ivp
