#include "help.hpp"

#include "base/text.hpp"
#include "terminal.hpp"

#include <ivp/record.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace ivp::cli {

namespace {

constexpr auto exit_codes = "Exit codes: 0 done and successful, 1 the run did not succeed, 2 wrong use, 3 missing component.";
constexpr std::size_t left = 22; // columns of the names; a longer name has a line of its own

std::string upper(std::string text)
{
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

std::string entry(const std::string& name, const std::string& text, std::size_t width)
{
    std::string line = "  " + name;
    if (line.size() + 2 > left)
        line += "\n" + std::string(left, ' ');
    else
        line.resize(left, ' ');
    return line + wrapped(text, width - left, static_cast<int>(left)) + "\n";
}

std::string paragraphs(const std::string& text, std::size_t width)
{
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out += wrapped(line, width, 0) + "\n";
    return out;
}

std::string shown_name(const argument& a)
{
    if (!a.is_option()) return upper(a.name()) + (a.is_list() ? "..." : "");
    std::string text = a.name();
    if (!a.opposite().empty()) text += ", " + a.opposite();
    if (a.is_flag()) return text;
    const std::string value = upper(a.name().substr(2));
    return a.needs_value() ? text + " " + value : text + "[=" + value + "]";
}

std::string usage(const command& c)
{
    std::string text = "ivp " + c.name();
    for (const auto& a : c.arguments())
        if (!a.is_option()) text += " " + shown_name(a);
    const bool has_options = std::ranges::any_of(c.arguments(), &argument::is_option);
    return text + (has_options ? " [OPTIONS]" : "");
}

// ---- Completion ----

enum class values { none, words, problems, solvers, names, commands, files };

values values_of(const argument& a)
{
    if (a.is_flag()) return values::none;
    if (!a.choices().empty()) return values::words;
    const std::string name = a.is_option() ? a.name().substr(2) : a.name();
    if (name == "problem" || name == "problems") return values::problems;
    if (name == "solver" || name == "solvers" || name == "ratio-to") return values::solvers;
    if (name == "name") return values::names;
    if (name == "command") return values::commands;
    return values::files;
}

/// Names of the catalog stand for files too: a plug-in is given by its path.
bool takes_files(const argument& a)
{
    const values v = values_of(a);
    return v != values::none && v != values::words && v != values::commands;
}

std::string words_of(const tool& t, const argument& a, const completion_names& names)
{
    switch (values_of(a)) {
    case values::words: return joined(a.choices(), " ");
    case values::problems: return joined(names.problems, " ");
    case values::solvers: return joined(names.solvers, " ");
    case values::names: return joined(names.problems, " ") + " " + joined(names.solvers, " ");
    case values::commands: return joined(t.names(), " ");
    case values::none:
    case values::files: break;
    }
    return "";
}

std::string quoted_for(std::string_view text, std::string_view special)
{
    std::string out;
    for (const char c : text) {
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

/// Between single quotes of a shell that knows no backslash there.
std::string in_quotes(const std::string& text)
{
    std::string out;
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out;
}

/// The first clause of a help text, for a menu.
std::string brief(const argument& a) { return a.help().substr(0, a.help().find_first_of(";\n")); }

} // namespace

std::size_t help_width() { return std::clamp<std::size_t>(terminal_width(100), 60, 120); }

std::string help_text(const tool& t, std::size_t width)
{
    std::string text = "ivp: the test set for initial value problem solvers\n\nUsage: ivp COMMAND ...\n\nCommands:\n";
    for (const auto& c : t.commands()) text += entry(c->name(), c->description(), width);
    text += "\nOptions:\n" + entry("-h, --help", "Print this help", width) + entry("--version", "Print the version", width);
    return text + "\n" + paragraphs(std::string(exit_codes) + "\nSee 'ivp help COMMAND' for one command.", width);
}

std::string help_text(const command& c, std::size_t width)
{
    std::string text = wrapped(c.description(), width, 0) + "\n\nUsage: " + usage(c) + "\n";
    const auto section = [&](const char* title, bool options) {
        std::string entries;
        for (const auto& a : c.arguments())
            if (a.is_option() == options) entries += entry(shown_name(a), a.help() + (a.is_list() && options ? " (repeatable)" : ""), width);
        if (options) entries += entry("-h, --help", "Print this help", width);
        if (!entries.empty()) text += fmt::format("\n{}:\n{}", title, entries);
    };
    section("Arguments", false);
    section("Options", true);
    if (!c.remark().empty()) text += "\n" + paragraphs(c.remark(), width);
    if (c.remark().find("Exit codes") == std::string::npos) text += (c.remark().empty() ? "\n" : "") + paragraphs(exit_codes, width);
    return text;
}

std::string manual_page(const tool& t)
{
    const auto roff = [](std::string_view text) {
        std::string out;
        for (const char c : text) {
            if (c == '\\')
                out += "\\e";
            else if (c == '-')
                out += "\\-";
            else if (c == '\n')
                out += ' ';
            else
                out += c;
        }
        if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
        return out;
    };
    std::string text =
        fmt::format(".TH IVP 1 \"\" \"ivp {}\" \"User Commands\"\n.SH NAME\nivp \\- the test set for initial value problem solvers\n"
                    ".SH SYNOPSIS\n.B ivp\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
                    "Runs solvers of initial value problems on the problems of the test set, counts and times what they do, and compares their "
                    "results with reference solutions.\n.SH COMMANDS\n",
                    this_build().version);
    for (const auto& c : t.commands()) {
        text += fmt::format(".SS \"{}\"\n{}.\n", roff(usage(*c)), roff(c->description()));
        for (const auto& a : c->arguments()) text += fmt::format(".TP\n.B {}\n{}\n", roff(shown_name(a)), roff(a.help()));
        if (!c->remark().empty()) text += fmt::format(".PP\n{}\n", roff(c->remark()));
    }
    return text + ".SH EXIT STATUS\n.TP\n.B 0\ndone and successful\n.TP\n.B 1\nthe run did not succeed\n.TP\n.B 2\nwrong use\n.TP\n.B 3\nmissing "
                  "component\n";
}

std::string markdown_page(const tool& t)
{
    // Angle brackets and bars would be markup.
    const auto plain = [](std::string_view text) {
        std::string out;
        for (const char c : text) {
            if (c == '|' || c == '<' || c == '*' || c == '_') out += '\\';
            out += c == '\n' ? ' ' : c;
        }
        return out;
    };
    std::string text = "# The command line\n\n[Documentation](../index.md) › [Reference](../index.md#reference-look-it-up)\n\n"
                       "`./ivp help --format markdown` makes this page from the help of the tool; a test compares the two.\n\n"
                       "| command | what it does |\n|---|---|\n";
    for (const auto& c : t.commands()) text += fmt::format("| [`ivp {0}`](#ivp-{0}) | {1} |\n", c->name(), plain(c->description()));
    text += fmt::format("\n{}\n", exit_codes);
    for (const auto& c : t.commands()) {
        text += fmt::format("\n## ivp {}\n\n{}.\n\n```text\n{}\n```\n", c->name(), plain(c->description()), usage(*c));
        if (!c->arguments().empty()) text += "\n| argument | meaning |\n|---|---|\n";
        for (const auto& a : c->arguments())
            text += fmt::format("| `{}` | {}{} |\n", shown_name(a), plain(a.help()), a.is_list() && a.is_option() ? " (repeatable)" : "");
        if (!c->remark().empty()) {
            std::istringstream lines(c->remark());
            for (std::string line; std::getline(lines, line);) text += "\n" + plain(line) + "\n";
        }
    }
    return text;
}

std::string bash_completion(const tool& t, const completion_names& names)
{
    std::string cases;
    for (const auto& c : t.commands()) {
        std::string options = "--help";
        std::string words;
        std::string values;
        bool files = false;
        for (const auto& a : c->arguments()) {
            const std::string own = words_of(t, a, names);
            if (!a.is_option()) {
                words += (words.empty() || own.empty() ? "" : " ") + own;
                files = files || takes_files(a);
                continue;
            }
            options += " " + a.name();
            if (a.is_flag() || !a.needs_value()) continue;
            values += fmt::format("            {}) words=\"{}\"; files={} ;;\n", a.name(), own, takes_files(a) ? 1 : 0);
        }
        cases += fmt::format(
            "    {})\n        words=\"{}\" files={}\n        options=\"{}\"\n        case $before in\n{}            *) value= ;;\n        esac ;;\n",
            c->name(), words, files ? 1 : 0, options, values);
    }
    return "# Completion of ivp for bash, written by 'ivp completion bash'.\n"
           "_ivp() {\n"
           "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words= options= files=1 value=1 head=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n" +
           fmt::format("        mapfile -t COMPREPLY < <(compgen -W \"{} --help --version\" -- \"$now\")\n        return\n    fi\n    case "
                       "${{COMP_WORDS[1]}} in\n",
                       joined(t.names(), " ")) +
           cases +
           "    *) return ;;\n    esac\n"
           "    if [ -z \"$value\" ] && [[ $now == -* ]]; then words=$options files=0; fi\n"
           "    # A list separated by commas: its last part is completed.\n"
           "    case $now in *,*) head=${now%,*},; now=${now##*,} ;; esac\n"
           "    mapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$words\" -- \"$now\"; if [ $files = 1 ]; then compgen -P \"$head\" -f -- "
           "\"$now\"; fi)\n"
           "}\n"
           "complete -o filenames -F _ivp ivp ./ivp\n";
}

std::string zsh_completion(const tool& t, const completion_names& names)
{
    constexpr auto special = "[]:\\";
    std::string commands;
    std::string cases;
    for (const auto& c : t.commands()) {
        commands += fmt::format("    '{}:{}'\n", c->name(), in_quotes(quoted_for(c->description(), "\\:")));
        cases += fmt::format("    {})\n      _arguments \\\n", c->name());
        for (const auto& a : c->arguments()) {
            const std::string own = words_of(t, a, names);
            const char* const separator = values_of(a) == values::solvers || values_of(a) == values::problems ? "_values -s , name" : "_values name";
            const std::string action = own.empty()           ? "_files"
                                       : a.choices().empty() ? fmt::format("{{{} {} || _files}}", separator, own)
                                                             : fmt::format("({})", own);
            if (!a.is_option())
                cases += fmt::format("        '{}:{}:{}' \\\n", a.is_list() ? "*" : "", a.name(), action);
            else if (a.is_flag() || !a.needs_value())
                cases += fmt::format("        '{}[{}]' \\\n", a.name(), in_quotes(quoted_for(brief(a), special)));
            else
                cases += fmt::format("        '{}{}[{}]:{}:{}' \\\n", a.is_list() ? "*" : "", a.name(), in_quotes(quoted_for(brief(a), special)),
                                     a.name().substr(2), action);
        }
        cases += "        '--help[Print this help]' ;;\n";
    }
    return fmt::format(
        "#compdef ivp\n# Completion of ivp for zsh, written by 'ivp completion zsh'.\n_ivp() {{\n  local -a commands\n  commands=(\n{}  )\n"
        "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n  "
        "words=(\"${{(@)words[2,-1]}}\")\n  (( CURRENT-- ))\n"
        "  case $command in\n{}  esac\n}}\n_ivp \"$@\"\n",
        commands, cases);
}

std::string fish_completion(const tool& t, const completion_names& names)
{
    constexpr auto special = "'\\";
    std::string text = "# Completion of ivp for fish, written by 'ivp completion fish'.\n";
    for (const auto& c : t.commands())
        text += fmt::format("complete -c ivp -n __fish_use_subcommand -f -a {} -d '{}'\n", c->name(), quoted_for(c->description(), special));
    for (const auto& c : t.commands())
        for (const auto& a : c->arguments()) {
            const std::string own = words_of(t, a, names);
            const std::string condition = fmt::format("complete -c ivp -n '__fish_seen_subcommand_from {}'", c->name());
            const std::string words = own.empty() ? "" : fmt::format(" -a '{}'", own);
            if (!a.is_option())
                text += own.empty() ? "" : condition + (takes_files(a) ? "" : " -f") + words + "\n";
            else
                text += fmt::format("{} -l {}{}{} -d '{}'\n", condition, a.name().substr(2), a.needs_value() ? (takes_files(a) ? " -r" : " -x") : "",
                                    words, quoted_for(brief(a), special));
        }
    return text;
}

} // namespace ivp::cli
