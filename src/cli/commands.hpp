// The commands of the tool: each has a file with its arguments, its help and what it does.
#ifndef IVP_CLI_COMMANDS_HPP
#define IVP_CLI_COMMANDS_HPP

#include "arguments.hpp"
#include "reading.hpp"

#include <ivp/store.hpp>

#include <memory>
#include <vector>

namespace ivp::cli {

/// What every command can end with.
enum exit_code { done = 0, not_successful = 1, wrong_use = 2, missing_component = 3 };

// What the help of several commands says.
constexpr auto a_problem = "Problem id, see 'ivp list problems', or path of a text (./mine.ivp), a model (./model.net, ./model.xml), a plug-in "
                           "(./mine.so) or a Fortran file of the test set (./mine.f)";
constexpr auto a_problem_missing = "a problem (see 'ivp list problems')";
constexpr auto a_parameter = "Parameter of the problem, name=value";
constexpr auto force_help = "Replace an output file even if ivp did not write the one that exists";
constexpr auto default_store = "ivp.db";

/// Of which machines the runs of a store are, and that their times are kept apart.
void print_machines(const std::vector<stored_machine>& machines);

std::unique_ptr<command> campaign_command();
std::unique_ptr<command> check_command();
std::unique_ptr<command> choose_command();
std::unique_ptr<command> compare_command();
std::unique_ptr<command> completion_command(const tool& t);
std::unique_ptr<command> demo_command();
std::unique_ptr<command> detest_command();
std::unique_ptr<command> export_command();
std::unique_ptr<command> help_command(const tool& t);
std::unique_ptr<command> import_command();
std::unique_ptr<command> list_command();
std::unique_ptr<command> merge_command();
std::unique_ptr<command> network_command();
std::unique_ptr<command> new_command();
std::unique_ptr<command> published_command();
std::unique_ptr<command> query_command();
std::unique_ptr<command> records_command();
std::unique_ptr<command> reference_command();
std::unique_ptr<command> report_command();
std::unique_ptr<command> run_command();
std::unique_ptr<command> scale_command();
std::unique_ptr<command> show_command();
std::unique_ptr<command> wp_command();

} // namespace ivp::cli

#endif
