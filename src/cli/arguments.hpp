// Commands and their arguments: declared once; parsing, help, manual page and completion are made from the declaration.
#ifndef IVP_CLI_ARGUMENTS_HPP
#define IVP_CLI_ARGUMENTS_HPP

#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ivp::cli {

/// One option or one positional argument. Everything is taken as text: numbers are read in one place, with one kind of message (reading.hpp).
class argument {
public:
    using target = std::variant<std::string*, std::optional<std::string>*, std::vector<std::string>*, bool*>;

    argument(std::string name, target to, std::string help);

    /// The help shows the value that the target has now.
    argument& shows_default();
    /// May be given without a value; then this is its value, and another one needs a '='.
    argument& or_alone(std::string value);
    /// A flag that can be switched off by another name.
    argument& or_not(std::string name);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& help() const { return help_; }
    [[nodiscard]] const std::string& opposite() const { return opposite_; }
    [[nodiscard]] bool is_option() const { return name_.starts_with("-"); }
    [[nodiscard]] bool is_flag() const { return std::holds_alternative<bool*>(to_); }
    [[nodiscard]] bool is_list() const { return std::holds_alternative<std::vector<std::string>*>(to_); }
    [[nodiscard]] bool needs_value() const { return !is_flag() && !alone_; }
    [[nodiscard]] bool given() const { return given_; }
    /// The words it can take where its help lists them ("text, json, csv"); else none.
    [[nodiscard]] std::vector<std::string> choices() const;

private:
    friend class command;
    void take(const std::string& value);
    void take_alone(bool opposite);

    std::string name_;
    target to_;
    std::string help_;
    std::string opposite_;
    std::optional<std::string> alone_;
    bool given_ = false;
};

/// One command of the tool: its arguments, which of them it must have, what it does.
class command {
public:
    command(std::string name, std::string description, std::function<int()> action);

    /// A positional argument; one that a vector takes is the last and takes all that follow.
    argument& word(std::string name, argument::target to, std::string help);
    argument& option(std::string name, argument::target to, std::string help);
    argument& flag(std::string name, bool& to, std::string help);
    /// What is said when one of the first positional arguments is missing.
    void needs(std::vector<std::string> words) { needed_ = std::move(words); }
    /// Text below the options.
    void remark(std::string text) { remark_ = std::move(text); }

    /// Puts the words where they belong. Throws bad_request in words; answers whether only help was asked for.
    [[nodiscard]] bool parse(std::span<const std::string> words);
    [[nodiscard]] int run() const { return action_(); }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& description() const { return description_; }
    [[nodiscard]] const std::string& remark() const { return remark_; }
    [[nodiscard]] const std::list<argument>& arguments() const { return arguments_; }

private:
    [[noreturn]] void wrong(const std::string& fault, const std::string& hint = "") const;
    argument* find(std::string_view name);
    void take_option(std::span<const std::string> words, std::size_t& at);
    void take_word(const std::string& word);
    void require() const;

    std::string name_;
    std::string description_;
    std::string remark_;
    std::function<int()> action_;
    std::list<argument> arguments_; // references to them stay valid
    std::vector<std::string> needed_;
};

/// The tool: its commands, in the order in which the help lists them.
class tool {
public:
    command& add(std::string name, std::string description, std::function<int()> action);
    [[nodiscard]] const std::list<command>& commands() const { return commands_; }
    /// None: there is no command of this name.
    [[nodiscard]] command* find(std::string_view name);
    /// A command line in, the exit code of its command out.
    int run(std::span<const std::string> words);

private:
    [[noreturn]] void refuse(const std::string& word) const;

    std::list<command> commands_;
};

} // namespace ivp::cli

#endif
