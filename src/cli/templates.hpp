// The files that 'ivp new' writes, embedded by the build. They are real source files in src/cli/templates; @NAME@ stands for the name given, @TOOL@
// for the path of this tool.
#ifndef IVP_CLI_TEMPLATES_HPP
#define IVP_CLI_TEMPLATES_HPP

#include <span>
#include <string_view>

namespace ivp::cli {

struct template_file {
    std::string_view name;
    std::string_view text;
};

std::span<const template_file> templates();

} // namespace ivp::cli

#endif
