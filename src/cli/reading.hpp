// Reading what a user typed: every fault names the argument, what was given and what is allowed; all faults are told at once.
#ifndef IVP_CLI_READING_HPP
#define IVP_CLI_READING_HPP

#include "base/text.hpp"
#include "model/limits.hpp"
#include "report/catalog_view.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp::cli {

/// Names separated by commas. A comma inside the name of a file that exists does not separate: "./a,b.so,hires" are two names where a,b.so exists.
std::vector<std::string> split_names(const std::string& text);

/// How the user has started this tool, for commands in messages: they work from where he stands. A name without a folder was found in PATH.
std::string tool_as_typed();

/// Collects faults; raise() throws them all. What could not be read is absent, so that the rest can still be judged.
class reader {
public:
    std::optional<double> real(const std::string& name, const std::string& text);
    /// None: none is given, or it is wrong.
    std::optional<double> within(const std::string& name, const std::optional<std::string>& text, double least, double most);
    /// A whole number.
    std::optional<std::uint64_t> count(const std::string& name, const std::string& text, std::uint64_t from, std::uint64_t to = limits::most_steps);
    std::vector<double> reals(const std::string& name, const std::string& text); ///< separated by commas; empty after a fault
    /// "name=value" pairs
    std::map<std::string, std::string> pairs(const std::string& name, const std::vector<std::string>& texts);
    text_format format(const std::string& text, std::initializer_list<const char*> allowed);
    /// False: the output has the place of the store, and would be the end of the runs in it, whatever --force says. name: of the option.
    bool apart_from_store(const std::string& name, const std::optional<std::string>& output, const std::optional<std::string>& db);

    template <class E>
    std::optional<E> choice(const std::string& name, const std::string& text, std::optional<E> (*from_label)(std::string_view), const char* allowed)
    {
        const auto e = from_label(text);
        if (!e) fault(name + ": '" + text + "' given; allowed: " + allowed);
        return e;
    }

    /// The result of work that may throw bad_request; its faults are collected here.
    template <class Work>
    auto attempt(Work&& work) -> std::optional<std::invoke_result_t<Work>>
    {
        try {
            return work();
        } catch (const bad_request& e) {
            for (const auto& text : e.faults()) fault(text);
            return std::nullopt;
        }
    }

    /// The same fault, found again in another run, is told once.
    void fault(std::string text)
    {
        if (std::ranges::find(faults_, text) == faults_.end()) faults_.push_back(std::move(text));
    }
    void raise() const;

private:
    std::vector<std::string> faults_;
};

} // namespace ivp::cli

#endif
