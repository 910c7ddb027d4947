#include <ivp/report/output_file.hpp>

#include <ivp/model/parameter.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace ivp {

namespace {

std::string partial_name(const std::string& path) { return path + ".partial"; }

} // namespace

void output_file::discard_partial(const std::string& path)
{
    std::error_code ignored;
    std::filesystem::remove(partial_name(path), ignored);
}

output_file::output_file(std::string path, const std::string& what) : path_(std::move(path)), partial_(partial_name(path_))
{
    std::error_code ignored;
    // A pipe or a device stays what it is; only files are replaced as a whole.
    if (const auto status = std::filesystem::status(path_, ignored); std::filesystem::exists(status) && std::filesystem::is_other(status))
        partial_ = path_;
    if (std::filesystem::is_directory(path_, ignored)) throw bad_request(what + ": cannot write '" + path_ + "': it is a directory");
    if (path_.empty()) throw bad_request(what + ": '' given; allowed: the name of a file");
    errno = 0;
    out_.open(partial_, std::ios::binary | std::ios::trunc);
    if (!out_) throw bad_request(what + ": cannot write '" + path_ + "': " + std::strerror(errno));
}

output_file::~output_file()
{
    if (done_ || partial_ == path_) return;
    out_.close();
    discard_partial(path_);
}

void output_file::complete()
{
    if (out_.is_open()) out_.close();
    if (!out_) throw bad_request("cannot write '" + path_ + "': " + std::strerror(errno));
}

void output_file::commit()
{
    complete();
    std::error_code error;
    if (partial_ != path_) std::filesystem::rename(partial_, path_, error);
    if (error) throw bad_request("cannot write '" + path_ + "': " + error.message());
    done_ = true;
}

} // namespace ivp
