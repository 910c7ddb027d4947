// Problems and solvers as lists and pages, in every format of `ivp list` and `ivp show`.
#ifndef IVP_SRC_REPORT_CATALOG_VIEW_HPP
#define IVP_SRC_REPORT_CATALOG_VIEW_HPP

#include <ivp/catalog.hpp>
#include <ivp/print.hpp>
#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ivp {

std::vector<std::string> forms_of(const solver_info& i);
/// "ode, dae, up to index 3"
std::string forms_text(const solver_info& i);
std::string first_step_text(const solver_info& i);

std::string problem_list(std::span<const problem> problems, text_format f);
std::string solver_list(std::span<const std::unique_ptr<const solver>> solvers, std::span<const library_solver> unavailable, text_format f);
/// As text, `width` columns wide, or as JSON; `book.hpp` has the pages for a browser.
std::string problem_page(const problem& p, std::span<const parameter> parameters, text_format f, std::size_t width);
std::string solver_page(const solver& s, text_format f, std::size_t width);

} // namespace ivp

#endif
