// What cmake/content.cmake found at build time.
#ifndef IVP_SRC_CATALOG_CONTENT_TABLE_HPP
#define IVP_SRC_CATALOG_CONTENT_TABLE_HPP

#include <span>
#include <string_view>

namespace ivp {

struct content_row {
    std::string_view kind; ///< platform, problem, solver, driver
    std::string_view name; ///< of the folder
    std::string_view hash;
};

std::span<const content_row> content_table();

} // namespace ivp

#endif
