// XML as SBML needs it: elements, attributes, text. No document types, so nothing in a file expands or reads another one.
#ifndef IVP_SRC_TEXT_IMPORT_XML_HPP
#define IVP_SRC_TEXT_IMPORT_XML_HPP

#include "text/source.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ivp::text::xml {

/// It is never copied: a copy takes all it contains along.
struct element {
    element() = default;
    element(const element&) = delete;
    element& operator=(const element&) = delete;
    element(element&&) noexcept = default;
    element& operator=(element&&) noexcept = default;
    ~element() = default;

    std::string name; ///< without its prefix
    place at = 0;
    std::vector<std::pair<std::string, std::string>> attributes; ///< with their prefixes
    std::vector<element> children;
    std::string text; ///< what is directly inside

    /// Null: there is none.
    [[nodiscard]] const std::string* attribute(std::string_view wanted) const;
    [[nodiscard]] const element* child(std::string_view wanted) const;
    /// Of the child of this name; empty: there is no such child.
    [[nodiscard]] const std::vector<element>& children_of(std::string_view wanted) const;
};

/// The root. Faults are collected; a file that is no XML throws not_understood.
element read(const source& s, fault_list& faults);

} // namespace ivp::text::xml

#endif
