// `ivp help` and `ivp completion`.
#include "base/text.hpp"
#include "help.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>

#include <fmt/format.h>

#include <iostream>

namespace ivp::cli {

int help(tool& t, const help_arguments& a)
{
    if (a.format != "text" && a.format != "man") throw bad_request(fmt::format("--format '{}'; allowed: text, man", a.format));
    if (a.format == "man") {
        if (!a.command.empty()) throw bad_request("--format man has all commands on one page; leave out the name of a command");
        std::cout << manual_page(t);
    } else if (a.command.empty()) {
        std::cout << help_text(t, help_width());
    } else if (const command* const c = t.find(a.command)) {
        std::cout << help_text(*c, help_width());
    } else {
        std::vector<std::string> names;
        for (const auto& known : t.commands()) names.push_back(known.name());
        throw bad_request(fmt::format("unknown command '{}'; see 'ivp --help'{}", a.command, nearest_name_hint(a.command, names)));
    }
    return 0;
}

int completion(const tool& t, const completion_arguments& a)
{
    const completion_names names{problem_ids(), solver_names()};
    if (a.shell == "bash")
        std::cout << bash_completion(t, names);
    else if (a.shell == "zsh")
        std::cout << zsh_completion(t, names);
    else if (a.shell == "fish")
        std::cout << fish_completion(t, names);
    else
        throw bad_request(fmt::format("unknown shell '{}'; allowed: bash, zsh, fish", a.shell));
    return 0;
}

} // namespace ivp::cli
