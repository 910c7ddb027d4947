// Commands and their arguments: declared once; parsing, help, manual page and completion are made from the declaration.
#ifndef IVP_CLI_ARGUMENTS_HPP
#define IVP_CLI_ARGUMENTS_HPP

#include <list>
#include <memory>
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

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& help() const { return help_; }
    [[nodiscard]] const std::string& opposite() const { return opposite_; } ///< name that switches the flag off
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
    std::string missing_; ///< what is said when it is not given; empty: it need not be
    std::optional<std::string> alone_;
    bool given_ = false;
};

/// One command of the tool. Its members are its arguments, each declared once with its name, help and default.
class command {
public:
    using text = const std::string&;
    using optional_text = const std::optional<std::string>&;
    using texts = const std::vector<std::string>&;
    using yes_or_no = const bool&;

    /// The remark is text below the options.
    command(std::string name, std::string description, std::string remark = "");
    virtual ~command() = default;
    command(const command&) = delete;
    command& operator=(const command&) = delete;

    // Each declares one argument and answers where its value will be.

    /// A positional argument; one with a text for when it is `missing` must be given.
    text word(std::string name, std::string help, std::string missing = "");
    /// The last positional argument, which takes all words that follow.
    texts words(std::string name, std::string help, std::string missing);
    /// The help shows the default unless it is empty.
    text option(std::string name, std::string help, std::string standard);
    optional_text option(std::string name, std::string help);
    /// May be given without a value; then `alone` is its value, and another one needs a '='.
    optional_text option_or_alone(std::string name, std::string alone, std::string help);
    texts list(std::string name, std::string help);
    /// One that can be switched off by another name is on.
    yes_or_no flag(std::string name, std::string help, std::string opposite = "");
    /// An option whose value belongs into a struct that several commands have.
    argument& add(std::string name, argument::target to, std::string help);

    [[nodiscard]] virtual int run() const = 0;
    /// Puts the words where they belong. Throws bad_request in words; answers whether only help was asked for.
    [[nodiscard]] bool parse(std::span<const std::string> words);
    /// The command line that was parsed.
    [[nodiscard]] const std::string& typed() const { return typed_; }

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
    template <class Value>
    const Value& declare(std::string name, std::string help, Value standard, std::string missing = "");

    std::string name_;
    std::string description_;
    std::string remark_;
    std::string typed_;
    std::list<std::variant<std::string, std::optional<std::string>, std::vector<std::string>, bool>> values_; // references to them stay valid,
    std::list<argument> arguments_;                                                                           // and to these
};

/// A command from its arguments and what it does with them.
template <class Arguments>
std::unique_ptr<command> make_command(int (*action)(const Arguments&))
{
    struct complete final : Arguments {
        explicit complete(int (*action)(const Arguments&)) : action_(action) {}
        [[nodiscard]] int run() const override { return action_(*this); }
        int (*action_)(const Arguments&);
    };
    return std::make_unique<complete>(action);
}

/// The tool: its commands, in the order in which the help lists them.
class tool {
public:
    void add(std::unique_ptr<command> c) { commands_.push_back(std::move(c)); }
    [[nodiscard]] const std::vector<std::unique_ptr<command>>& commands() const { return commands_; }
    [[nodiscard]] std::vector<std::string> names() const;
    /// Throws bad_request if there is no command of this name.
    [[nodiscard]] command& find(const std::string& name) const;
    /// A command line in, the exit code of its command out.
    [[nodiscard]] int run(std::span<const std::string> words) const;

private:
    std::vector<std::unique_ptr<command>> commands_;
};

} // namespace ivp::cli

#endif
