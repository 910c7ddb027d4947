#include "output_directory.hpp"

#include "output_file.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

namespace ivp {

namespace fs = std::filesystem;

namespace {

bool is_ours(const fs::path& path, std::string_view mark)
{
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return false;
    std::ifstream in(path, std::ios::binary);
    std::string first;
    std::getline(in, first);
    return first == mark;
}

} // namespace

std::vector<std::string> faults_of_directory(const std::string& directory, std::span<const named_text> files, std::string_view mark,
                                             const std::string& what)
{
    std::vector<std::string> faults;
    std::error_code ignored;
    const fs::path folder(directory);
    if (directory.empty()) return {what + ": '' given; allowed: the name of a folder"};
    const auto status = fs::status(folder, ignored);
    if (!fs::exists(status)) {
        const fs::path parent = fs::absolute(folder / "", ignored).parent_path().parent_path();
        if (!fs::is_directory(parent, ignored))
            faults.push_back(what + ": '" + directory + "' given; allowed: a folder, or a new one in a folder that exists ('" + parent.string() +
                             "' is not)");
        return faults;
    }
    if (!fs::is_directory(status)) return {what + ": '" + directory + "' given, which is not a folder; allowed: a folder, or the name of a new one"};
    for (const auto& f : files) {
        const fs::path path = folder / f.name;
        if (fs::exists(fs::symlink_status(path, ignored)) && !is_ours(path, mark))
            faults.push_back(what + ": '" + path.string() + "' exists and is not from an earlier report; allowed: a folder without it");
    }
    return faults;
}

void write_directory(const std::string& directory, std::span<const named_text> files, std::string_view mark, const std::string& what)
{
    if (auto faults = faults_of_directory(directory, files, mark, what); !faults.empty()) throw bad_request(std::move(faults));
    std::error_code error;
    const fs::path folder(directory);
    const bool made = fs::create_directory(folder, error);
    if (error) throw bad_request(what + ": cannot make the folder '" + directory + "': " + error.message());
    try {
        std::vector<std::unique_ptr<output_file>> out;
        for (const auto& f : files) {
            // One at a time is open: there may be more of them than a process may open.
            out.push_back(std::make_unique<output_file>((folder / f.name).string(), what, file_mark{mark}));
            out.back()->stream() << f.text;
            out.back()->complete();
        }
        for (const auto& file : out) file->commit();
    } catch (...) {
        std::error_code ignored;
        if (made) fs::remove(folder, ignored); // empty again
        throw;
    }
}

std::vector<std::string> left_from_before(const std::string& directory, std::span<const named_text> files, std::string_view mark)
{
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) {
        const std::string name = entry.path().filename().string();
        if (std::ranges::find(files, name, &named_text::name) == files.end() && is_ours(entry.path(), mark)) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

} // namespace ivp
