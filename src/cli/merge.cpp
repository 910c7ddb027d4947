#include "store/merge.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

namespace ivp::cli {

void print_machines(const std::vector<stored_machine>& machines)
{
    constexpr std::size_t longest_name = 150;
    constexpr std::size_t longest_list = 2000;
    for (const auto& m : machines) {
        std::vector<std::string> hosts;
        for (const auto& host : m.hosts) hosts.push_back(plain_line(host, longest_name));
        fmt::print("   machine {}: {}, {}, {}; {} on {}\n", m.id, plain_line(m.machine.cpu, longest_name), counted(m.machine.cores, "core"),
                   plain_line(m.machine.os, longest_name), counted(m.runs, "run"), cut(joined(hosts, ", "), longest_list));
    }
    if (machines.size() > 1) fmt::print("The runs are of {} kinds of machine: their times are not comparable, and are kept apart\n", machines.size());
}

namespace {

struct merge_arguments : command {
    merge_arguments() : command("merge", "Join stores, for example those of shards") {}

    text out = word("out", "Store that takes the runs; created if it does not exist", "the store that takes the runs");
    texts in = words("in", "Stores to read", "the stores to read");
};

int merge(const merge_arguments& a)
{
    const merge_result r = merge_stores(a.out, a.in);
    for (const auto& c : r.conflicts) tell("ivp: conflict: {}\n", c);
    if (!r.conflicts.empty()) {
        tell("ivp: {} {} in several stores with different results; nothing was written\n", counted(r.conflicts.size(), "run"),
             r.conflicts.size() == 1 ? "is" : "are");
        return not_successful;
    }
    fmt::print("{} added to {}", counted(r.added, "run"), a.out);
    if (r.duplicates > 0) fmt::print(", {} {} in it already", r.duplicates, r.duplicates == 1 ? "was" : "were");
    if (r.replaced > 0) fmt::print(", {} replaced runs that a limit had ended", r.replaced);
    if (r.assessments > 0) fmt::print(", {}", counted(r.assessments, "assessment"));
    fmt::print("\n");
    print_machines(r.machines);
    return done;
}

} // namespace

std::unique_ptr<command> merge_command() { return make_command(merge); }

} // namespace ivp::cli
