// The commands: plain arguments in, exit code out. Parsing is in main.cpp.
#ifndef IVP_CLI_COMMANDS_HPP
#define IVP_CLI_COMMANDS_HPP

#include "run_options.hpp"

#include <ivp/store.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ivp::cli {

/// What every command can end with.
enum exit_code { done = 0, not_successful = 1, wrong_use = 2, missing_component = 3 };

struct list_arguments {
    std::string kind;
    std::string form;
    std::string index;
    std::string tag;
    std::string sort; ///< empty: in the order of the catalog
    std::string format = "text";
};

struct show_arguments {
    std::string name;
    std::string format = "text";
};

struct check_arguments {
    std::string problem;
    std::vector<std::string> set;
    std::string format = "text";
};

struct run_arguments : run_options {
    std::string problem;
    std::string solver;
    std::optional<std::string> rtol, atol, trajectory, db;
    bool force = false; ///< whatever stands under the name of an output is replaced
    std::string format = "text";
    std::string listing = "usual";
    std::string command; ///< the command line that repeats this
};

struct wp_arguments : run_options {
    std::string problems;
    std::optional<std::string> solvers, rtol, ratio_to, formulations, db;
    std::vector<std::string> out;
    bool force = false;
    std::string work = "cpu";
    std::string precision = "mescd";
};

struct choose_arguments : run_options {
    std::string problem;
    std::optional<std::string> digits, budget, solvers, floor, db;
    std::string format = "text";
};

struct detest_arguments {
    std::string what;   ///< stiff, nonstiff, weights, timing
    std::string solver; ///< or several, separated by commas
    std::optional<std::string> level, tol, groups, problems, extrapolation, timing, timeout, max_steps, db;
    std::optional<std::string> normalize, norm;
    std::string truth = "classic";
    std::string bound = "told";
    std::string jacobian = "exact";
    std::vector<std::string> opt;
    bool as_1986 = false;
    bool rounding = false;
    bool dummy = false;
    std::string format = "text";
    std::string command; ///< the command line that repeats this
};

struct reference_arguments {
    std::string problem; ///< or all
    std::vector<std::string> set;
    std::optional<std::string> at, digits, recipe, tend, out, timeout;
    bool recompute = false;
    bool make = false;
    bool keep_path = false;
    bool resume = false;
    std::string format = "text";
};

struct demo_arguments {
    std::string directory = "ivp-demo";
};

struct new_arguments {
    std::string kind;
    std::string name;
    std::optional<std::string> language;
    std::optional<std::string> directory; ///< none: the name
};

struct export_arguments {
    std::string problem;
    std::optional<std::string> fortran; ///< folder
    std::string generation = "2006";
    std::string form; ///< empty: the problem's own
    std::string jacobian = "original";
    std::vector<std::string> set;
    bool force = false;
};

constexpr auto default_store = "ivp.db";

constexpr auto default_book = "ivp-report.html";

struct report_arguments {
    std::string database = default_store;
    std::optional<std::string> out, latex; ///< without both: default_book
    std::vector<std::string> plugins;
    bool force = false;
};

struct campaign_arguments {
    std::string plan;
    std::optional<std::string> preset, jobs, repeat, timeout, shard, slurm;
    std::vector<std::string> sbatch;
    std::string db = default_store;
    bool resume = true;
    bool dry_run = false;
};

struct records_arguments {
    std::string db = default_store;
    bool jsonl = false;
    bool csv = false;
    bool all = false;
    std::optional<std::string> problems, solvers;
};

struct query_arguments {
    std::string db = default_store;
    std::string sql;
    std::string format = "text";
};

struct import_arguments {
    std::string file;
    std::string db = default_store;
};

struct merge_arguments {
    std::string out;
    std::vector<std::string> in;
};

struct compare_arguments {
    std::string before;
    std::string after;
};

/// Of which machines the runs of a store are, and that their times are kept apart.
void print_machines(const std::vector<stored_machine>& machines);

int list(const list_arguments& a);
int show(const show_arguments& a);
int check(const check_arguments& a);
int run(const run_arguments& a);
int wp(const wp_arguments& a);
int choose(const choose_arguments& a);
int reference(const reference_arguments& a);
int detest(const detest_arguments& a);
int report(const report_arguments& a);
int demo(const demo_arguments& a);
int export_problem(const export_arguments& a);
int new_project(const new_arguments& a);
int campaign(const campaign_arguments& a);
int records(const records_arguments& a);
int query(const query_arguments& a);
int import_file(const import_arguments& a);
int merge(const merge_arguments& a);
int compare(const compare_arguments& a);

} // namespace ivp::cli

#endif
