// Any words behind `ivp`: help, a refusal, or a command whose options could be read. No command runs; 'run' stands for those that read settings.
#include "fuzz.hpp"

#include "commands.hpp"
#include "help.hpp"
#include "run_options.hpp"

#include <ivp/error.hpp>

#include <vector>

namespace ivp::cli {

namespace {

struct settings_arguments : command {
    settings_arguments() : command("run", "Read settings") {}

    text problem = word("problem", a_problem, a_problem_missing);
    text solver = word("solver", "Solver");
    run_options options{*this};
};

int read_only(const settings_arguments& a)
{
    reader read;
    const run_settings s = read_settings(a.options, read);
    fuzz::require(s.threads >= 1, "threads below 1");
    fuzz::require(!s.repeat || *s.repeat >= 1, "repeat below 1");
    for (const auto& name : split_names(a.problem)) fuzz::require(name.size() <= a.problem.size(), "a name is longer than all of them");
    read.raise();
    return done;
}

void try_out(const std::vector<std::string>& words)
{
    tool t;
    t.add(make_command(read_only));
    for (const auto make :
         {demo_command, list_command, show_command, wp_command, choose_command, check_command, network_command, detest_command, campaign_command,
          records_command, query_command, import_command, merge_command, compare_command, report_command, reference_command})
        t.add(make());
    t.add(help_command(t));
    t.add(completion_command(t));
    if (words.empty() || words[0] == "run")
        fuzz::require(t.run(words) == done, "an exit code that the command line cannot have");
    else if (command& c = t.find(words[0]); c.parse(std::span(words).subspan(1)))
        fuzz::require(!help_text(c, help_width()).empty(), "a command without help");
}

} // namespace

} // namespace ivp::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::vector<std::string> words;
    std::string_view rest = ivp::fuzz::view(data, size);
    constexpr std::size_t most_words = 39;
    while (!rest.empty() && words.size() < most_words) {
        const auto end = std::min(rest.find('\n'), rest.size());
        words.emplace_back(std::string(rest.substr(0, end)).c_str()); // an argument ends with its first NUL
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    try {
        ivp::cli::try_out(words);
    } catch (const ivp::bad_request&) { // a refusal, in words
    }
    return 0;
}
