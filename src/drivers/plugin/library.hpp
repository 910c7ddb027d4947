// What the two kinds of plug-in share: the library itself, its texts, its named numbers.
#ifndef IVP_DRIVERS_PLUGIN_LIBRARY_HPP
#define IVP_DRIVERS_PLUGIN_LIBRARY_HPP

#include <ivp/plugin.h>
#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ivp::plugin {

// A plug-in built with a later header may write more than our struct holds.
constexpr std::size_t spare_room = 4096;

template <class Struct>
struct with_room {
    Struct value{};
    std::array<std::byte, spare_room> room{};
    with_room()
    {
        value.version = IVP_PLUGIN_VERSION;
        value.size = sizeof(Struct);
    }
};

/// Foreign text made safe for records and terminals (plain_line), at most `longest` and 10 000 bytes of it.
std::string clean_text(const char* text, std::size_t longest = std::numeric_limits<std::size_t>::max());

/// a-z, 0-9, '-', '_', first a letter, at most 40 characters.
bool is_name(std::string_view s);
constexpr auto names_allowed = "letters a-z, digits, '-' and '_', first a letter, at most 40 characters";

/// Foreign code that is loaded may change the working directory. What is named by a path from there is to be found afterwards too.
class working_directory_kept {
public:
    working_directory_kept();
    ~working_directory_kept();
    working_directory_kept(const working_directory_kept&) = delete;
    working_directory_kept& operator=(const working_directory_kept&) = delete;

private:
    int fd_;
};

class library {
public:
    /// Throws bad_request.
    explicit library(const std::string& path);
    library(const library&) = delete;
    library& operator=(const library&) = delete;
    ~library();

    /// As the user named the file, for messages.
    [[nodiscard]] const std::string& label() const { return label_; }

    template <class Function>
    [[nodiscard]] Function* symbol(const char* name) const
    {
        return reinterpret_cast<Function*>(address(name));
    }

private:
    [[nodiscard]] void* address(const char* name) const;

    std::string label_;
    void* handle_ = nullptr;
};

/// Nothing else of a struct can be believed where its version or size is wrong: throws bad_request. what: "description", for example.
void check_layout(const std::string& label, const char* what, std::uint32_t version, std::uint32_t size, std::size_t at_least);

/// Of one solver; label names the plug-in in messages. Throws bad_request with every fault.
solver_info read_description(const std::string& label, const ivp_solver_description& d);

struct named_number {
    std::string name;
    double value;
    double min;
    double max;
    bool whole;
    std::string meaning;
};

/// The bytes of one that any header to come may have.
constexpr std::uint32_t longest_named_value = 4096;

/// Options of a solver or parameters of a problem (what: "option", "parameter"); adds what is wrong to faults.
std::vector<named_number> read_named_numbers(const char* what, int count, const ivp_named_value* first, std::vector<std::string>& faults);

/// The parameters of a problem or of a mechanical system.
std::vector<parameter> read_parameters(int count, const ivp_named_value* first, std::vector<std::string>& faults);

} // namespace ivp::plugin

#endif
