// The text of a model and the faults found in it: each names its line and column and shows the place.
#ifndef IVP_SRC_TEXT_SOURCE_HPP
#define IVP_SRC_TEXT_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ivp::text {

/// A place in a text: the offset of a byte.
using place = std::uint32_t;

/// Upper limits of what a file may ask for: nothing in it makes the reader run out of stack, memory or time.
namespace limits {
inline constexpr std::size_t file_bytes = 16U << 20U;
inline constexpr int depth = 100; ///< of brackets, powers, conditions in each other
inline constexpr std::size_t name_length = 64;
inline constexpr std::size_t number_length = 200;
#ifdef IVP_TEXT_SMALL // fuzzing: what is allowed must be done fast
inline constexpr long elements = 20'000;
inline constexpr long operations = 100'000;
#else
inline constexpr long elements = 2'000'000;    ///< of one array, and of all states together
inline constexpr long operations = 20'000'000; ///< of everything that is written out
#endif
inline constexpr std::size_t faults = 20;
} // namespace limits

/// The text of one file. Its name appears in messages as the user gave it.
class source {
public:
    source(std::string name, std::string text);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string_view text() const { return text_; }
    /// "FILE:LINE:COLUMN: what", the line, and a caret below the place.
    [[nodiscard]] std::string message(place at, std::string_view what) const;
    /// Line and column, each from 1; columns count characters.
    [[nodiscard]] std::pair<std::size_t, std::size_t> position(place at) const;

private:
    [[nodiscard]] std::size_t line_of(place at) const;

    std::string name_;
    std::string text_;
    std::vector<std::size_t> line_start_;
};

/// Thrown to leave a statement that cannot be understood; its fault has been collected.
struct not_understood {};

/// All faults of one file, at most limits::faults of them.
class fault_list {
public:
    explicit fault_list(const source& s) : source_(s) {}

    void add(place at, std::string_view what);
    [[noreturn]] void fail(place at, std::string_view what)
    {
        add(at, what);
        throw not_understood{};
    }
    [[nodiscard]] bool empty() const { return found_.empty(); }
    [[nodiscard]] bool full() const { return found_.size() >= limits::faults; }
    /// Throws bad_request with all faults, in the order of the file.
    void raise() const;

private:
    struct fault {
        place at;
        std::string text;
    };
    const source& source_;
    std::vector<fault> found_;
};

} // namespace ivp::text

#endif
