// Problems and solvers as lists and pages, in every format of `ivp list` and `ivp show`.
#ifndef IVP_REPORT_CATALOG_VIEW_HPP
#define IVP_REPORT_CATALOG_VIEW_HPP

#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/check.hpp>
#include <ivp/model/problem.hpp>
#include <ivp/model/solver.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

enum class text_format { text, json, csv, html };
std::optional<text_format> text_format_from_label(std::string_view text);

std::string problem_list(std::span<const problem> problems, text_format f);
std::string solver_list(std::span<const std::unique_ptr<const solver>> solvers, std::span<const library_solver> unavailable, text_format f);
std::string problem_page(const problem& p, std::span<const parameter> parameters, text_format f);
std::string solver_page(const solver& s, text_format f);
std::string check_page(const check_report& r, text_format f);

} // namespace ivp

#endif
