#include "trial.hpp"

#include "base/child.hpp"
#include "drivers/fortran.hpp"

#include <ivp/error.hpp>

#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace ivp {

namespace {

bool same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

} // namespace

std::string tried_in_child(const std::string& path, const char* doing, const std::function<std::string()>& trial, double seconds)
{
    if (names_fortran_file(path)) prepare_fortran_problem(path); // here, where a compiler may take its time, and its absence can be told
    child_limits limits;
    limits.seconds = seconds;
    const child_result r = run_in_child([&](child_link&) { return trial(); }, limits);
    if (r.ending == child_ending::refused) throw bad_request(r.faults);
    if (r.ending != child_ending::answered)
        throw bad_request(
            (names_fortran_file(path) ? "Fortran file '" : "plug-in '") + path +
            (r.ending == child_ending::timed_out ? "' does not come back while it is loaded and " : "' crashes while it is loaded and ") + doing +
            ": " + r.reason);
    return r.answer;
}

unchanged_file::unchanged_file(std::string file) : file_(std::move(file)), path_(file_)
{
    std::error_code failed;
    if (auto whole = std::filesystem::absolute(file_, failed); !failed) path_ = whole.string();
    state_ = now();
}

void unchanged_file::check() const
{
    if (!now().is(state_)) throw machine_fault("plug-in '" + file_ + "' has changed since it was opened; start again");
}

bool unchanged_file::state::is(const state& o) const
{
    return device == o.device && number == o.number && size == o.size && same(written, o.written) && same(changed, o.changed);
}

unchanged_file::state unchanged_file::now() const
{
    struct stat s {};
    if (stat(path_.c_str(), &s) != 0) return {};
    return {s.st_dev, s.st_ino, s.st_size, s.st_mtim, s.st_ctim};
}

} // namespace ivp
