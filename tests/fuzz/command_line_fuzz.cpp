// Any words behind `ivp`: help, a refusal with exit code 2, or a command whose options could be read. Nothing is measured: the commands stop where
// their arguments are read.
#include "fuzz.hpp"

#include "commands.hpp"
#include "network.hpp"
#include "run_options.hpp"
#include "terminal.hpp"

#include <ivp/error.hpp>

#include <vector>

int ivp_main(int argc, char** argv);

namespace ivp::cli {

namespace {

template <class Arguments>
int read_only(const Arguments& a)
{
    reader read;
    if constexpr (std::is_base_of_v<run_options, Arguments>) {
        const run_settings s = read_settings(a, read);
        fuzz::require(s.threads >= 1, "threads below 1");
        fuzz::require(!s.repeat || *s.repeat >= 1, "repeat below 1");
    }
    read.raise();
    return done;
}

} // namespace

void guard_terminals() {}
int list(const list_arguments& a) { return read_only(a); }
int show(const show_arguments& a) { return read_only(a); }
int check(const check_arguments& a) { return read_only(a); }
int run(const run_arguments& a) { return read_only(a); }
int wp(const wp_arguments& a)
{
    for (const auto& name : split_names(a.problems)) fuzz::require(name.size() <= a.problems.size(), "a name is longer than all of them");
    return read_only(a);
}
int choose(const choose_arguments& a) { return read_only(a); }
int reference(const reference_arguments& a) { return read_only(a); }
int detest(const detest_arguments& a) { return read_only(a); }
int report(const report_arguments& a) { return read_only(a); }
int demo(const demo_arguments& a) { return read_only(a); }
int new_project(const new_arguments& a) { return read_only(a); }
int export_problem(const export_arguments& a) { return read_only(a); }
int campaign(const campaign_arguments& a) { return read_only(a); }
int records(const records_arguments& a) { return read_only(a); }
int query(const query_arguments& a) { return read_only(a); }
int network(const network_arguments& a) { return read_only(a); }
int import_file(const import_arguments& a) { return read_only(a); }
int merge(const merge_arguments& a) { return read_only(a); }
int compare(const compare_arguments& a) { return read_only(a); }

} // namespace ivp::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::vector<std::string> words{"ivp"};
    std::string_view rest = ivp::fuzz::view(data, size);
    constexpr std::size_t most_words = 40;
    while (!rest.empty() && words.size() < most_words) {
        const auto end = std::min(rest.find('\n'), rest.size());
        words.emplace_back(std::string(rest.substr(0, end)).c_str()); // an argument ends with its first NUL
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::vector<char*> arguments;
    for (auto& w : words) arguments.push_back(w.data());
    arguments.push_back(nullptr);
    const int code = ivp_main(static_cast<int>(words.size()), arguments.data());
    ivp::fuzz::require(code == 0 || code == 2, "an exit code that the command line cannot have");
    return 0;
}
