// Models of other formats: BioNetGen networks (.net) and SBML (.xml, .sbml) become a text of ours, which is read like any other.
#ifndef IVP_SRC_TEXT_IMPORT_IMPORT_HPP
#define IVP_SRC_TEXT_IMPORT_IMPORT_HPP

#include <string>
#include <string_view>

namespace ivp::text {

/// Neither format has an interval: the one that is taken, unless --tend says otherwise.
constexpr std::string_view imported_interval = "0 .. 100";

/// Its name ends in ".net", ".xml" or ".sbml".
bool names_an_import(std::string_view name);

/// The model as a text. Throws bad_request: every fault with file, line and column, and every construct that a text does not have by its name.
std::string text_from_net(const std::string& name, std::string content);
std::string text_from_sbml(const std::string& name, std::string content);

/// The text behind a file: as it is, or made of what the file has.
struct model_text {
    std::string name; ///< for messages
    std::string text;
};
model_text text_of_model(const std::string& path);

} // namespace ivp::text

#endif
