// `ivp help` and `ivp completion`: made from the declarations of the commands.
#include "commands.hpp"
#include "help.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <iostream>

namespace ivp::cli {

namespace {

struct help_arguments final : command {
    explicit help_arguments(const tool& all) : command("help", "Print the help of a command, the manual page, or all of it as Markdown"), t(all) {}

    const tool& t;
    text name = word("command", "Name of a command; without one, the help of the tool");
    text format = option("--format", "text, man, markdown", "text");

    [[nodiscard]] int run() const override
    {
        if (format != "text" && format != "man" && format != "markdown")
            throw bad_request(fmt::format("--format '{}'; allowed: text, man, markdown", format));
        if (format != "text" && !name.empty())
            throw bad_request(fmt::format("--format {} has all commands on one page; leave out the name of a command", format));
        if (format == "man")
            std::cout << manual_page(t);
        else if (format == "markdown")
            std::cout << markdown_page(t);
        else
            std::cout << (name.empty() ? help_text(t, help_width()) : help_text(t.find(name), help_width()));
        return done;
    }
};

struct completion_arguments final : command {
    explicit completion_arguments(const tool& all)
        : command("completion", "Print the completion for a shell", "For bash: put 'source <(ivp completion bash)' into ~/.bashrc."), t(all)
    {}

    const tool& t;
    text shell = word("shell", "bash, zsh, fish", "the shell (bash, zsh or fish)");

    [[nodiscard]] int run() const override
    {
        const completion_names names{problem_ids(), solver_names()};
        if (shell == "bash")
            std::cout << bash_completion(t, names);
        else if (shell == "zsh")
            std::cout << zsh_completion(t, names);
        else if (shell == "fish")
            std::cout << fish_completion(t, names);
        else
            throw bad_request(fmt::format("unknown shell '{}'; allowed: bash, zsh, fish", shell));
        return done;
    }
};

} // namespace

std::unique_ptr<command> help_command(const tool& t) { return std::make_unique<help_arguments>(t); }
std::unique_ptr<command> completion_command(const tool& t) { return std::make_unique<completion_arguments>(t); }

} // namespace ivp::cli
