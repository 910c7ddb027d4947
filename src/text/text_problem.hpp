// Problems as text: equations and reactions in a file NAME.ivp become a problem like any other (syntax: docs/model-grammar.md).
#ifndef IVP_SRC_TEXT_TEXT_PROBLEM_HPP
#define IVP_SRC_TEXT_TEXT_PROBLEM_HPP

#include <ivp/problem.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// Its name ends in ".ivp", or in ".net", ".xml" or ".sbml" for a model that is imported.
bool names_a_text(std::string_view name);

/// How the formulas of a text are evaluated; the numbers are the same to the last bit.
enum class text_evaluation {
    instructions, ///< a list of instructions
    compiled,     ///< by the system's compiler, where there is one and it is worth it; else as instructions
};

/// Among the tags of a text that runs compiled; without it a text runs as a list of instructions.
constexpr std::string_view compiled_tag = "compiled";

/// Throws bad_request: every fault with file, line and column.
problem load_text_problem(const std::string& path, const std::map<std::string, std::string>& parameters = {},
                          text_evaluation how = text_evaluation::instructions);
std::vector<parameter> text_problem_parameters(const std::string& path);

/// A sentence for the user: how runs evaluate this text on this machine, and why not compiled if so.
std::string how_a_text_runs(const std::string& path);

/// The same from a text in memory; `name` stands for the file in messages.
problem text_problem(const std::string& name, std::string text, const std::map<std::string, std::string>& parameters = {},
                     text_evaluation how = text_evaluation::instructions);

} // namespace ivp

#endif
