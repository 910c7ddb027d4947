#include "library.hpp"

#include "base/text.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace ivp::plugin {

namespace {

constexpr std::size_t longest_name = 40;
constexpr std::size_t longest_text = 10'000; ///< bytes; a plug-in writes a line, not a book

std::string last_error()
{
    const char* text = dlerror();
    return text == nullptr ? "unknown reason" : clean_text(text);
}

named_number read_number(const char* what, const ivp_named_value& v, int i, std::vector<std::string>& faults)
{
    named_number n{clean_text(v.name), v.value, v.min, v.max, v.whole != 0, clean_text(v.meaning)};
    const std::string which = std::string(what) + (n.name.empty() ? " " + std::to_string(i + 1) : " '" + n.name + "'");
    if (n.name.empty() || n.name.find_first_of("= ") != std::string::npos) faults.push_back(which + ": its name is empty or holds '=' or a blank");
    if (!std::isfinite(v.value) || !(v.min <= v.value && v.value <= v.max))
        faults.push_back(which + ": its default " + to_text(v.value) + " is not between " + to_text(v.min) + " and " + to_text(v.max));
    if (n.whole && v.value != std::floor(v.value)) faults.push_back(which + ": its default " + to_text(v.value) + " is not a whole number");
    return n;
}

} // namespace

std::string clean_text(const char* text, std::size_t longest)
{
    if (text == nullptr) return "";
    return plain_line({text, strnlen(text, std::min(longest, longest_text))});
}

bool is_name(std::string_view s)
{
    const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !s.empty() && s.size() <= longest_name && letter(s.front()) &&
           std::all_of(s.begin(), s.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_'; });
}

working_directory_kept::working_directory_kept() : fd_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

working_directory_kept::~working_directory_kept()
{
    if (fd_ < 0) return;
    (void)!fchdir(fd_);
    close(fd_);
}

library::library(const std::string& path) : label_("plug-in '" + path + "'")
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) throw bad_request(label_ + ": there is no such file");
    if (!fs::is_regular_file(path, ignored)) throw bad_request(label_ + " is not a file");
    // A name without a slash would be searched on the system's library path.
    const working_directory_kept kept; // its constructors run now
    handle_ = dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw bad_request(label_ + " cannot be loaded as a shared library: " + last_error());
}

library::~library()
{
    if (handle_ != nullptr) dlclose(handle_);
}

void* library::address(const char* name) const { return dlsym(handle_, name); }

void check_layout(const std::string& label, const char* what, std::uint32_t version, std::uint32_t size, std::size_t at_least)
{
    if (version != IVP_PLUGIN_VERSION)
        throw bad_request(label + " follows version " + std::to_string(version) + " of the plug-in contract; allowed: version " +
                          std::to_string(IVP_PLUGIN_VERSION));
    if (size < at_least)
        throw bad_request(label + ": its " + what + " has " + std::to_string(size) + " bytes; version " + std::to_string(IVP_PLUGIN_VERSION) +
                          " of the plug-in contract has at least " + std::to_string(at_least));
}

std::vector<named_number> read_named_numbers(const char* what, int count, const ivp_named_value* first, std::vector<std::string>& faults)
{
    std::vector<named_number> all;
    const std::string count_text = std::string(what) + "_count = " + std::to_string(count);
    if (count < 0) faults.push_back(count_text + "; allowed: 0 and more");
    if (count <= 0) return all;
    if (first == nullptr) {
        faults.push_back(count_text + ", but " + what + "s is NULL");
        return all;
    }
    // NOTE: neighbours lie as far apart as the plug-in's header says, which may be more than ours knows.
    const std::uint32_t stride = first->size;
    if (stride < sizeof(ivp_named_value) || stride > longest_named_value || stride % alignof(ivp_named_value) != 0) {
        faults.push_back(std::string(what) + " 1 has " + std::to_string(stride) + " bytes; allowed: " + std::to_string(sizeof(ivp_named_value)) +
                         " to " + std::to_string(longest_named_value) + ", a multiple of " + std::to_string(alignof(ivp_named_value)) +
                         ", as IVP_VERSIONED(ivp_named_value) gives");
        return all;
    }
    for (int i = 0; i < count; ++i) {
        const auto* bytes = reinterpret_cast<const std::byte*>(first) + static_cast<std::size_t>(i) * stride;
        const auto& v = *reinterpret_cast<const ivp_named_value*>(bytes);
        if (v.version != IVP_PLUGIN_VERSION || v.size != stride) {
            faults.push_back(std::string(what) + " " + std::to_string(i + 1) + " does not begin with IVP_VERSIONED(ivp_named_value)");
            return all;
        }
        named_number n = read_number(what, v, i, faults);
        if (std::any_of(all.begin(), all.end(), [&](const named_number& other) { return other.name == n.name; }))
            faults.push_back(std::string(what) + " '" + n.name + "' appears twice");
        all.push_back(std::move(n));
    }
    return all;
}

std::vector<parameter> read_parameters(int count, const ivp_named_value* first, std::vector<std::string>& faults)
{
    // Decimals are finite; a limit that is not is written as the largest double.
    const auto finite = [](double v) { return std::isfinite(v) ? v : std::copysign(std::numeric_limits<double>::max(), v); };
    std::vector<parameter> all;
    for (const auto& n : read_named_numbers("parameter", count, first, faults))
        all.push_back({n.name, n.value, finite(n.min), finite(n.max), n.meaning, n.whole});
    return all;
}

} // namespace ivp::plugin
