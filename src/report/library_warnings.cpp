#include "report/library_warnings.hpp"

#include "base/escape.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ivp {

void library_warnings::add(const std::string& solver, const std::string& library, const std::optional<double>& slowdown)
{
    if (!is_unoptimised(slowdown)) return;
    finding& f = found_[library.substr(0, library.find(':'))];
    f.solvers.insert(solver);
    f.slowdown = std::max(f.slowdown, *slowdown);
}

std::vector<std::string> library_warnings::sentences() const
{
    std::vector<std::string> all;
    for (const auto& [library, f] : found_) all.push_back(unoptimised_warning(joined(f.solvers, ", "), library, f.slowdown));
    return all;
}

std::string library_warnings::text() const
{
    constexpr std::size_t width = 96;
    std::string lines;
    for (const auto& s : sentences()) lines += wrapped("WARNING: " + s, width, 3) + "\n";
    return lines;
}

std::string library_warnings::html() const
{
    std::string paragraphs;
    for (const auto& s : sentences()) paragraphs += fmt::format("<p class=\"warning\"><strong>Warning:</strong> {}</p>\n", html_escaped(s));
    return paragraphs;
}

} // namespace ivp
