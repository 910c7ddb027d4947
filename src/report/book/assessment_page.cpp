// What DETEST found out about a solver: errors of single steps, deceived steps, and the price of an accuracy.
#include "view.hpp"

#include "report/html.hpp"

#include <fmt/format.h>

namespace ivp::book_pages {

std::string assessment_id(const stored_assessment& a) { return fmt::format("assessment-{}-{}-{}", id_of(a.solver), id_of(a.set), a.id); }

std::string assessment_page(const stored_assessment& a, const view& /*v*/)
{
    return fmt::format("<article class=\"page\" id=\"{}\"><h1>{}</h1></article>\n", assessment_id(a), escaped(a.solver));
}

} // namespace ivp::book_pages
