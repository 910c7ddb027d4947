#include "text/import/import.hpp"

#include "text/read.hpp"
#include "text/source.hpp"

#include <ivp/error.hpp>

namespace ivp::text {

namespace {

constexpr std::size_t longest_text = 4 * limits::file_bytes; ///< a text has more words than the file it was made of, but not many more

bool names_a_net(std::string_view name) { return name.size() > 4 && name.ends_with(".net"); }

} // namespace

bool names_an_import(std::string_view name)
{
    return names_a_net(name) || (name.size() > 4 && name.ends_with(".xml")) || (name.size() > 5 && name.ends_with(".sbml"));
}

model_text text_of_model(const std::string& path)
{
    std::string content = read_file(path);
    if (!names_an_import(path)) return {path, std::move(content)};
    std::string text = names_a_net(path) ? text_from_net(path, std::move(content)) : text_from_sbml(path, std::move(content));
    if (text.size() > longest_text)
        throw bad_request("'" + path + "' becomes a text of more than " + std::to_string(longest_text >> 20U) + " MB; allowed: up to this size");
    // What is wrong with the text that was made of a file has its place in that text.
    return {path + " as a text", std::move(text)};
}

} // namespace ivp::text
