#include "arguments.hpp"

#include "help.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"

#include <ivp/error.hpp>
#include <ivp/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

namespace ivp::cli {

namespace {

/// A value may begin with a minus sign (a negative number, an unscaled problem); an option begins with two.
bool looks_like_option(std::string_view word) { return word == "-h" || (word.size() > 2 && word.starts_with("--")); }

} // namespace

argument::argument(std::string name, target to, std::string help) : name_(std::move(name)), to_(to), help_(std::move(help)) {}

std::vector<std::string> argument::choices() const
{
    // "exact, differences (the solver's own), original (as the published runs); default exact": words, each with a remark at most.
    std::string text = help_.substr(0, help_.find("; default"));
    if (const auto colon = text.rfind(": "); colon != std::string::npos) text = text.substr(colon + 2);
    if (const auto either = text.find(" or "); either != std::string::npos) text.replace(either, 4, ", ");
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto end = std::min(text.find(", "), text.size());
        std::string word = text.substr(0, end);
        text.erase(0, end + 2);
        if (const auto bracket = word.find(" ("); bracket != std::string::npos && word.ends_with(')')) word.erase(bracket);
        if (word.empty() || word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-+") != std::string::npos) return {};
        words.push_back(word);
    }
    return words.size() > 1 ? words : std::vector<std::string>{};
}

void argument::take(const std::string& value)
{
    if (auto* const text = std::get_if<std::string*>(&to_)) **text = value;
    if (auto* const text = std::get_if<std::optional<std::string>*>(&to_)) **text = value;
    if (auto* const list = std::get_if<std::vector<std::string>*>(&to_)) (*list)->push_back(value);
    given_ = true;
}

void argument::take_alone(bool opposite)
{
    if (auto* const flag = std::get_if<bool*>(&to_)) {
        **flag = !opposite;
        given_ = true;
    } else {
        take(*alone_);
    }
}

command::command(std::string name, std::string description, std::string remark)
    : name_(std::move(name)), description_(std::move(description)), remark_(std::move(remark))
{}

argument& command::add(std::string name, argument::target to, std::string help)
{
    return arguments_.emplace_back(std::move(name), to, std::move(help));
}

template <class Value>
// NOLINTNEXTLINE(performance-unnecessary-value-param): all are moved from
const Value& command::declare(std::string name, std::string help, Value standard, std::string missing)
{
    auto& value = std::get<Value>(values_.emplace_back(std::move(standard)));
    add(std::move(name), &value, std::move(help)).missing_ = std::move(missing);
    return value;
}

command::text command::word(std::string name, std::string help, std::string missing)
{
    return declare(std::move(name), std::move(help), std::string(), std::move(missing));
}

command::texts command::words(std::string name, std::string help, std::string missing)
{
    return declare(std::move(name), std::move(help), std::vector<std::string>(), std::move(missing));
}

command::text command::option(std::string name, std::string help, std::string standard)
{
    if (!standard.empty()) help += "; default " + standard;
    return declare(std::move(name), std::move(help), std::move(standard));
}

command::optional_text command::option(std::string name, std::string help)
{
    return declare(std::move(name), std::move(help), std::optional<std::string>());
}

command::optional_text command::option_or_alone(std::string name, std::string alone, std::string help)
{
    const auto& value = option(std::move(name), std::move(help));
    arguments_.back().alone_ = std::move(alone);
    return value;
}

command::texts command::list(std::string name, std::string help) { return words(std::move(name), std::move(help), ""); }

command::yes_or_no command::flag(std::string name, std::string help, std::string opposite)
{
    const bool& value = declare(std::move(name), std::move(help), !opposite.empty());
    arguments_.back().opposite_ = std::move(opposite);
    return value;
}

void command::wrong(const std::string& fault, const std::string& hint) const
{
    throw bad_request(fmt::format("{}; see 'ivp {} --help'{}", fault, name_, hint));
}

argument* command::find(std::string_view name)
{
    const auto found =
        std::ranges::find_if(arguments_, [&](const argument& a) { return a.is_option() && (a.name() == name || a.opposite() == name); });
    return found == arguments_.end() ? nullptr : &*found;
}

void command::take_option(std::span<const std::string> words, std::size_t& at)
{
    const std::string& word = words[at];
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    argument* const a = find(name);
    if (a == nullptr) {
        std::vector<std::string> names;
        for (const auto& known : arguments_)
            if (known.is_option()) names.push_back(known.name());
        wrong(fmt::format("unknown option '{}'", name), nearest_name_hint(name, names));
    }
    if (a->given() && !a->is_list()) wrong(name + " is given more than once");
    if (equals != std::string::npos) {
        if (a->is_flag()) wrong(fmt::format("{} takes no value, '{}' given", name, word.substr(equals + 1)));
        return a->take(word.substr(equals + 1));
    }
    if (!a->needs_value()) return a->take_alone(name == a->opposite());
    if (at + 1 == words.size() || looks_like_option(words[at + 1])) wrong(name + ": no value given");
    a->take(words[++at]);
}

void command::take_word(const std::string& word)
{
    const auto next = std::ranges::find_if(arguments_, [](const argument& a) { return !a.is_option() && (a.is_list() || !a.given()); });
    if (next == arguments_.end()) wrong(fmt::format("unexpected argument '{}'", word));
    next->take(word);
}

void command::require() const
{
    std::vector<std::string> missing;
    for (const auto& a : arguments_)
        if (!a.missing_.empty() && !a.given()) missing.push_back(a.missing_);
    if (!missing.empty()) wrong("missing: " + joined(missing, " and "));
}

bool command::parse(std::span<const std::string> words)
{
    const auto end = std::ranges::find(words, "--");
    if (std::any_of(words.begin(), end, [](const std::string& w) { return w == "--help" || w == "-h"; })) return true;
    typed_ = "ivp " + name_;
    for (const auto& word : words) typed_ += " " + shell_word(word);
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (words[at] == "--") {
            for (++at; at < words.size(); ++at) take_word(words[at]);
        } else if (looks_like_option(words[at])) {
            take_option(words, at);
        } else {
            take_word(words[at]);
        }
    }
    require();
    return false;
}

std::vector<std::string> tool::names() const
{
    std::vector<std::string> names;
    for (const auto& c : commands_) names.push_back(c->name());
    return names;
}

command& tool::find(const std::string& name) const
{
    const auto found = std::ranges::find(commands_, name, [](const auto& c) { return c->name(); });
    if (found != commands_.end()) return **found;
    const char* const kind = name.starts_with("-") ? "option" : "command";
    throw bad_request(fmt::format("unknown {} '{}'; see 'ivp --help'{}", kind, name, nearest_name_hint(name, names())));
}

namespace {

/// Messages repeat only the beginning of what was given: a word of the command line, or one of the values in it.
std::string with_beginnings(std::string message, std::span<const std::string> words)
{
    constexpr std::size_t longest = 200;
    const auto shorten = [&message](const std::string& given) {
        if (given.size() <= longest) return;
        const std::string beginning = cut(given, longest);
        for (auto at = message.find(given); at != std::string::npos; at = message.find(given, at + beginning.size()))
            message.replace(at, given.size(), beginning);
    };
    for (const auto& word : words) {
        if (word.size() <= longest) continue;
        shorten(word);
        if (const auto value = word.find('='); value != std::string::npos) shorten(word.substr(value + 1));
        for (std::size_t from = 0, end = 0; end != std::string::npos; from = end + 1) {
            end = word.find_first_of("=,;:", from);
            shorten(word.substr(from, end == std::string::npos ? end : end - from));
        }
    }
    return message;
}

} // namespace

int tool::run(std::span<const std::string> words) const
{
    try {
        if (words.empty()) {
            std::cerr << help_text(*this, help_width()) << '\n';
            throw bad_request("no command given");
        }
        if (words[0] == "--help" || words[0] == "-h") {
            std::cout << help_text(*this, help_width());
            return 0;
        }
        if (words[0] == "--version") {
            std::cout << "ivp " << this_build().version << '\n';
            return 0;
        }
        command& c = find(words[0]);
        if (c.parse(words.subspan(1))) {
            std::cout << help_text(c, help_width());
            return 0;
        }
        return c.run();
    } catch (const bad_request& e) {
        std::vector<std::string> faults = e.faults();
        for (auto& fault : faults) fault = with_beginnings(std::move(fault), words);
        throw bad_request(std::move(faults));
    }
}

} // namespace ivp::cli
