// What the tool prints, for programs: the listing of a run, a table of several, the page of a check.
#ifndef IVP_PRINT_HPP
#define IVP_PRINT_HPP

#include <ivp/accuracy.hpp>
#include <ivp/check.hpp>
#include <ivp/problem.hpp>
#include <ivp/record.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ivp {

enum class text_format { text, json, csv, html };
std::optional<text_format> text_format_from_label(std::string_view text);

/// One run, with all that the original test set printed.
std::string listing(const run_record& r, const problem& p, const std::optional<accuracy>& a);

/// The characteristics of several runs, as the chapters of the original showed them: one block per problem, in the order of the records; failed runs
/// carry their outcome.
std::string characteristics_table(std::span<const run_record> records);

std::string check_page(const check_report& r, text_format f);

} // namespace ivp

#endif
