#include "store/import.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "commands.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

namespace ivp::cli {

namespace {

struct import_arguments : command {
    import_arguments()
        : command("import", "Add records of other programs to a store, to compare them in diagrams and reports",
                  "A line is a record as 'ivp run --format json' prints it, with the solver_origin \"program\". ivp adds all lines or none.\n"
                  "ivp computes digits and outcome of problems of the catalog from y, and ignores those of the line.")
    {}

    text file = word("file", "File with one record of JSON on each line; -: standard input", "a file with records of JSON");
    text db = option("--db", "Store; created if it does not exist", default_store);
};

int import_file(const import_arguments& a)
{
    std::ifstream file;
    if (a.file != "-") {
        errno = 0;
        file.open(a.file);
        if (!file || file.peek() == std::ifstream::traits_type::eof()) {
            if (!file || errno != 0) throw bad_request("cannot read '" + a.file + "': " + std::strerror(errno));
            file.clear();
        }
    }
    const import_result r = import_records(a.file == "-" ? std::cin : file, a.file, a.db);
    fmt::print("{} added to {}", counted(r.added, "run"), a.db);
    if (r.duplicates > 0) fmt::print(", {} {} in it already", r.duplicates, r.duplicates == 1 ? "was" : "were");
    fmt::print("\n");
    if (r.judged_otherwise > 0)
        fmt::print("{} claimed success and did not succeed by the rules of ivp; 'ivp query \"SELECT problem, solver, message FROM failed\" --db {}' "
                   "says why\n",
                   counted(r.judged_otherwise, "run"), shell_word(a.db));
    if (r.without_time > 0) fmt::print("{} without a CPU time: diagrams and tables of time leave them out\n", counted(r.without_time, "run"));
    return done;
}

} // namespace

std::unique_ptr<command> import_command() { return make_command(import_file); }

} // namespace ivp::cli
