// Small files of our own, read and written whole. What a user names, or may have there already, is written by output_file.
#ifndef IVP_SRC_BASE_WHOLE_FILE_HPP
#define IVP_SRC_BASE_WHOLE_FILE_HPP

#include <ivp/error.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace ivp {

/// None: it cannot be read.
inline std::optional<std::string> read_whole(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::ostringstream text; // whole buffers at a time: iterators over single characters are ten times as slow
    text << in.rdbuf();
    return std::move(text).str();
}

/// Makes its folder too; under its name the file is never there in part. Throws bad_request.
inline void write_whole(const std::filesystem::path& path, const std::string& text)
{
    std::error_code failed;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failed);
    const std::filesystem::path partial = path.string() + ".partial";
    std::ofstream out(partial, std::ios::binary);
    out << text;
    out.close();
    if (out) std::filesystem::rename(partial, path, failed);
    if (!out || failed) throw bad_request("cannot write '" + path.string() + "'");
}

} // namespace ivp

#endif
