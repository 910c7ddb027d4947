// ivp: arguments in, exit code out, nothing else.
#include "commands.hpp"
#include "terminal.hpp"

#include <ivp/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace ivp::cli;

/// In the order of the help.
void add_commands(tool& t)
{
    for (const auto make : {demo_command,  list_command,    show_command,   run_command,      wp_command,      scale_command,     choose_command,
                            check_command, network_command, detest_command, campaign_command, records_command, query_command,     import_command,
                            merge_command, compare_command, report_command, new_command,      export_command,  reference_command, published_command})
        t.add(make());
    t.add(help_command(t));
    t.add(completion_command(t));
}

} // namespace

int main(int argc, char** argv)
{
    (void)std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a fault that can be told, not an end
    (void)std::signal(SIGCHLD, SIG_DFL); // who starts us may ignore it, and then nobody can tell how a run ended
    open_standard_streams();
    guard_terminals();
    tool t;
    add_commands(t);
    try {
        const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
        const int code = t.run(words);
        std::cout.flush();
        if (!std::cout) throw ivp::bad_request("cannot write to standard output");
        return code;
    } catch (const ivp::bad_request& e) {
        for (const auto& fault : e.faults()) tell("ivp: {}\n", fault);
        return wrong_use;
    } catch (const ivp::missing_component& e) {
        tell("ivp: {}\n", e.what());
        return ivp::cli::missing_component;
    } catch (const ivp::machine_fault& e) {
        tell("ivp: {}\n", e.what());
        return wrong_use;
    } catch (const std::bad_alloc&) {
        tell("ivp: not enough memory\n");
        return not_successful;
    } catch (const std::exception& e) {
        if (std::ferror(stdout) != 0) {
            tell("ivp: cannot write to standard output\n");
            return wrong_use;
        }
        tell("ivp: internal error: {}\n", e.what());
        return not_successful;
    }
}
