#include "kept_file.hpp"

#include <ivp/error.hpp>

#include <filesystem>
#include <system_error>

namespace ivp::reference {

namespace {

namespace fs = std::filesystem;

/// Was it made now?
bool make_folder(const kept_file& file)
{
    const fs::path folder = fs::path(file.path).parent_path();
    std::error_code failed;
    const bool made = !folder.empty() && fs::create_directories(folder, failed);
    if (failed) throw bad_request(file.option + ": cannot write '" + file.path + "': " + failed.message());
    return made;
}

} // namespace

void kept_file::try_out() const
{
    const bool new_folder = make_folder(*this);
    const auto leave_nothing = [&] {
        std::error_code ignored;
        if (new_folder) fs::remove(fs::path(path).parent_path(), ignored);
    };
    try {
        output_file::try_out(path, option, mark, force);
    } catch (...) {
        leave_nothing();
        throw;
    }
    leave_nothing();
}

void kept_file::write(const std::string& text) const
{
    make_folder(*this);
    output_file file(path, option, mark, force);
    file.stream() << text;
    file.commit();
}

} // namespace ivp::reference
