// A model of another format: refused with places and words, or a text that is read like any other.
#ifndef IVP_TESTS_FUZZ_IMPORTED_HPP
#define IVP_TESTS_FUZZ_IMPORTED_HPP

#include "fuzz.hpp"

#include "text/generate.hpp"
#include "text/import/import.hpp"
#include "text/model.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <string>

namespace ivp::fuzz {

inline void check_faults(const bad_request& e, std::string_view file)
{
    for (const auto& fault : e.faults()) {
        require(fault.starts_with(file), "a fault without its place");
        require(is_shown_safely(fault), "a fault with controls");
        require(std::ranges::count(fault, '\n') == 2, "a fault without its line and caret");
    }
    require(e.faults().size() <= text::limits::faults, "more faults than allowed");
}

/// The text that an import makes is one line a statement, and its faults (too large, too deep, circles) have places in it.
inline void read_imported(const std::string& file, std::string (*import)(const std::string&, std::string), std::string content)
{
    std::string written;
    try {
        written = import(file, std::move(content));
    } catch (const bad_request& e) {
        return check_faults(e, file + ":");
    }
    const std::string name = file + " as a text";
    try {
        const auto d = text::read_document(name, written);
        (void)text::build_model(d, parameter_values(text::parameters_of(*d), {}));
    } catch (const bad_request& e) {
        for (const auto& fault : e.faults()) // what an import writes is a text: only its size, its values and circles can be wrong
            require(fault.find(" found; allowed here: ") == std::string::npos, "an import wrote something that is no text");
        check_faults(e, name + ":");
    }
}

} // namespace ivp::fuzz

#endif
