#include "store/compare.hpp"
#include "commands.hpp"
#include "report/comparison.hpp"

#include <iostream>

namespace ivp::cli {

namespace {

struct compare_arguments : command {
    compare_arguments()
        : command("compare", "Show what changed between two stores: outcomes, counts, digits, time",
                  "Exit codes: 0 nothing changed, 1 an outcome, count or digit changed or a run is missing, 2 wrong use. 'compare' shows times, but "
                  "never judges them.")
    {}

    text before = word("before", "The old store", "the old store");
    text after = word("after", "The new store", "the new store");
};

int compare(const compare_arguments& a)
{
    const store before(a.before, store::access::read);
    const store after(a.after, store::access::read);
    const comparison c = compare_stores(before, after);
    std::cout << comparison_table(c, a.before, a.after);
    return c.unchanged() ? done : not_successful;
}

} // namespace

std::unique_ptr<command> compare_command() { return make_command(compare); }

} // namespace ivp::cli
