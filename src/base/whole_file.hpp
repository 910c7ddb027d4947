// Small files, read and written whole. What a user names, or may have there already, is written by output_file.
#ifndef IVP_SRC_BASE_WHOLE_FILE_HPP
#define IVP_SRC_BASE_WHOLE_FILE_HPP

#include <ivp/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
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

/// At most `most` bytes of a file that may be of any size, or have no end. None: it cannot be read.
inline std::optional<std::string> read_beginning(const std::filesystem::path& path, std::size_t most)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::string text;
    std::array<char, 1 << 16> part{};
    while (text.size() < most) {
        in.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), most - text.size())));
        if (in.gcount() == 0) break;
        text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    }
    return text;
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
